"""What the items of a collection are: whole numbers, words, phrases, letters or nodes."""

import re
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, Literal, TypeAlias, TypeVar

Items = Literal["ints", "words", "phrases", "letters", "nodes"]
# An int or a str: as with JSON, no type says which, but `Items` does. A family does know.
Name: TypeAlias = Any
T = TypeVar("T")

LONGEST = 60  # characters of a word or phrase
NODE = ("node", "nodes", "vertex", "vertices", "person", "city", "town")  # before a node's name

_INT = re.compile(r"[+-]?[0-9]{1,4000}(?:\.0{1,20})?")
_INTEGRAL = re.compile(r"([+-]?[0-9]{1,40})\.0{1,20}")
_DEGREES = re.compile(r"(?<=[0-9])(?: ?\u00b0| degrees?)$")
_FIRST = "0-9A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff"
_WORD = re.compile(rf"[{_FIRST}](?:['./-]?[{_FIRST}_])*'?")
_QUOTES = {**dict.fromkeys("\"'`*_$", ""), "\u201c": "\u201d", "\u2018": "\u2019"}
# Words that say of others whether they count: a text with one of them is no list of names.
HEDGES = frozenset(
    {"or", "and", "not", "nor", "but", "either", "neither", "maybe", "perhaps", "possibly",
     "probably", "then", "except", "unless", "guess"}
)  # fmt: skip
_CONSONANTS = "bcdfghjklmnpqrstvwxz"  # no hedge is made of them alone


def read_int(text: str) -> int | None:
    """A bare whole number; 3.0 is one too, and so are 3 degrees."""
    text = _DEGREES.sub("", bare(text))
    return int(text.partition(".")[0]) if _INT.fullmatch(text) else None


def read_word(text: str, items: Items = "words") -> str | None:
    """A word, a letter, a node's name or a phrase of words, in lower case."""
    words = bare(text).lower().split(" ")
    if items == "nodes" and len(words) == 2 and words[0] in NODE:
        words = words[1:]
    name = integral(" ".join(words)) if items == "nodes" else " ".join(words)
    if len(name) > LONGEST or HEDGES.intersection(words):
        return None
    if items == "letters":
        return name if len(name) == 1 and name.isascii() and name.isalpha() else None
    if len(words) > 1 and items != "phrases":
        return None
    return name if all(_WORD.fullmatch(word) for word in words) else None


def integral(name: str) -> str:
    """8.0 as 8, of what is called by a number."""
    match = _INTEGRAL.fullmatch(name)
    return match[1] if match else name


def read_name(text: str, items: Items) -> Name | None:
    return read_int(text) if items == "ints" else read_word(text, items)


def read_ints(parts: Iterable[str]) -> tuple[int, ...] | None:
    return complete(read_int(part) for part in parts)


def read_words(parts: Iterable[str], items: Items = "words") -> tuple[str, ...] | None:
    return complete(read_word(part, items) for part in parts)


def read_names(parts: Iterable[str], items: Items) -> tuple[Name, ...] | None:
    return complete(read_name(part, items) for part in parts)


def bare(text: str) -> str:
    """An item without quotes or emphasis around it."""
    text = text.strip()
    for _ in range(4):
        if len(text) < 3 or text[0] not in _QUOTES or text[-1] != (_QUOTES[text[0]] or text[0]):
            break
        text = text[1:-1].strip()
    return text


def titled(name: str) -> str:
    """A name as a title, where that is the same name."""
    title = name.title()
    return title if title.lower() == name and "'" not in name else name


def complete(found: Iterable[T | None]) -> tuple[T, ...] | None:
    """All that was read, if all of it was."""
    values: list[T] = []
    for value in found:
        if value is None:
            return None
        values.append(value)
    return tuple(values)


def agreed(readings: Iterable[T | None]) -> T | None:
    """What the readings of a text come to: where two of them differ, it may mean either."""
    found = {reading for reading in readings if reading is not None}
    return found.pop() if len(found) == 1 else None


def one_set(values: Sequence[T] | None) -> tuple[T, ...] | None:
    """The values in order, if each stands there once. One said again may be meant twice, as a press
    or a summand, and two lists beside one another are no set."""
    if values is None or len(set(values)) < len(values):
        return None
    return in_order(values)


def in_order(names: Iterable[T]) -> tuple[T, ...]:
    """Sorted, whole numbers by size and words by letter."""
    return tuple(sorted(names, key=_rank))


def _rank(name: object) -> Any:
    match name:
        case tuple():
            return [_rank(part) for part in name]
        case int():
            return (0, name, "")
        case str() if name.isdecimal():
            return (0, int(name), name)
        case _:
            return (1, 0, str(name))


def another(name: Name, names: Sequence[Name], rng: Random) -> Name:
    """A name that is not the given one: one of the others, or one that is slightly off."""
    others = [other for other in dict.fromkeys(names) if other != name]
    if others and rng.random() < 0.5:
        return rng.choice(others)
    if isinstance(name, int):
        signed = any(isinstance(other, int) and other < 0 for other in names)
        return name + (rng.choice([-1, 1]) if signed or name > 0 else 1)
    return misspelt(name, rng)


def misspelt(word: str, rng: Random) -> str:
    """Another word of the same length."""
    place = rng.choice([at for at, sign in enumerate(word) if sign.isalnum()])
    letter = rng.choice([letter for letter in _CONSONANTS if letter != word[place]])
    changed = word[:place] + letter + word[place + 1 :]
    return changed if read_word(changed, "phrases") else word + "s"


def drawn(names: Sequence[Name], count: int, rng: Random) -> tuple[Name, ...]:
    """A guess at so many names, each for itself."""
    numbers = [name for name in names if isinstance(name, int)]
    if len(numbers) == len(names):
        return drawn_ints(numbers, count, rng)
    return drawn_words([str(name) for name in names], count, rng)


def drawn_ints(numbers: Sequence[int], count: int, rng: Random) -> tuple[int, ...]:
    """Numbers between the smallest and the largest."""
    low, high = _bounds(numbers)
    return tuple(rng.randint(low, high) for _ in range(count))


def drawn_words(words: Sequence[str], count: int, rng: Random) -> tuple[str, ...]:
    """Some of the words or, where there is only one, made-up words of its length."""
    known = sorted(set(words))
    if len(known) > 1:
        return tuple(rng.choice(known) for _ in range(count))
    return tuple(made_up(known[0] if known else "b", rng) for _ in range(count))


def sampled(names: Sequence[Name], count: int, rng: Random) -> tuple[Name, ...]:
    """A guess at so many names, no two alike."""
    numbers = [name for name in names if isinstance(name, int)]
    if len(numbers) == len(names):
        low, high = _bounds(numbers)
        return tuple(rng.sample(range(low, max(high, low + count - 1) + 1), count))
    known = sorted({str(name) for name in names})
    return tuple(rng.sample(known, count)) if count <= len(known) else drawn(names, count, rng)


def made_up(word: str, rng: Random) -> str:
    return "".join(rng.choice(_CONSONANTS) for _ in range(min(len(word), LONGEST)))


def _bounds(numbers: Sequence[int]) -> tuple[int, int]:
    """What a guesser would take for the range of the numbers, who has seen that of the prompt."""
    if not numbers:
        return 0, 9
    low, high = min(numbers), max(numbers)
    if low < high:
        return low, high
    size = 10 ** len(str(abs(low)))
    return (-size if low < 0 else 0), size - 1
