"""Sets and multisets: of whole numbers and of words. Order does not matter."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from puzzlemill.core.answers.congruence import each_congruent
from puzzlemill.core.answers.flat_list import (
    empty_ways,
    list_ways,
    node_ways,
    parted,
)
from puzzlemill.core.answers.form import plain
from puzzlemill.core.answers.names import (
    Items,
    drawn_ints,
    in_order,
    made_up,
    misspelt,
    one_set,
    read_ints,
    read_words,
    sampled,
    titled,
)
from puzzlemill.core.answers.spelling import says_nothing, tidy
from puzzlemill.core.answers.whole import uncalled

# Options as they are lettered in a list: (A), A) and A., and what they are called together.
_LABEL = re.compile(r"\(([A-Za-z])\)|(?<![\w\\(])([A-Za-z])(?:\)|\.(?=[\s,;]|\Z))", re.ASCII)
_OR = re.compile(r",? or |\nor\n|,? ?(?:\u2228|\\(?:lor|vee)(?![A-Za-z])) ?", re.IGNORECASE)
_AND = re.compile(r"\band\b|&", re.IGNORECASE)
_SLASH = re.compile(" ?/ ?")
_UNKNOWN = re.compile(r"([A-Za-z])(?:_?\{?\d{1,2}\}?)? ?(?:=|\u2261) ?", re.ASCII)
_CALLED = re.compile(
    r"(?:the\s)?(?:option|statement|choice|letter|claim|conclusion|expression|formula)s?:?\s+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class IntSet:
    """Whole numbers, each once, in any order. The answer is sorted."""

    form: str = "a set of integers, separated by commas"
    empty: bool = False  # whether it may hold nothing
    either: bool = False  # whether its members are alternatives, so that "or" may join them
    modulus: int = 0  # of a congruence that the numbers solve
    called: tuple[str, ...] = ()  # what has the numbers: "columns 2, 3" is 2, 3

    def read(self, text: str) -> tuple[int, ...] | None:
        if self.empty and says_nothing(text):
            return ()
        if self.modulus:
            text = each_congruent(text, self.modulus)
        body = uncalled(tidy(text), self.called) if self.called else tidy(text)
        found = parted(joined_by_commas(body) if self.either else body, "ints")
        if found is None or found.between == "\u2192":
            return None
        items = one_unknown(found.items) if self.either else found.items
        return one_set(read_ints(items))

    def write(self, answer: tuple[int, ...]) -> str:
        return ", ".join(map(str, answer)) or "none"

    def ways(self, answer: tuple[int, ...]) -> list[str]:
        parts = [str(number) for number in answer]
        ways = [*_ways(parts), *_called_ways(self.called, parts)]
        if self.either and len(parts) > 1:
            ways += [" or ".join(parts), f"{', '.join(parts[:-1])}, or {parts[-1]}"]
            ways += [" or ".join(f"x = {part}" for part in parts)]
            ways += [", ".join(f"x_{count} = {part}" for count, part in enumerate(parts, 1))]
        if self.modulus and parts:
            ways += [f"x \\equiv {', '.join(parts)} \\pmod{{{self.modulus}}}"]
        return ways

    def near(self, answer: tuple[int, ...], rng: Random) -> tuple[int, ...]:
        changed = list(answer)
        if len(changed) > 1 and rng.random() < 0.4:
            changed.remove(rng.choice(changed))
            return tuple(changed)
        if changed and rng.random() < 0.5:
            changed.remove(rng.choice(changed))
        around = {other + step for other in answer for step in (-1, 1)} or set(range(10))
        return in_order({*changed, rng.choice(sorted(around - set(answer)))})

    def guess(self, answer: tuple[int, ...], rng: Random) -> tuple[int, ...]:
        drawn = sampled(answer, len(answer), rng)
        return in_order(number for number in drawn if isinstance(number, int))


@dataclass(frozen=True, slots=True)
class IntBag:
    """Whole numbers; their order does not matter, repeats do. The answer is sorted."""

    form: str = "a list of integers in any order, separated by commas"
    empty: bool = False
    called: tuple[str, ...] = ()  # what has the numbers: "items 2, 3" is 2, 3

    def read(self, text: str) -> tuple[int, ...] | None:
        if self.empty and says_nothing(text):
            return ()
        body = uncalled(tidy(text), self.called) if self.called else tidy(text)
        found = parted(body, "ints")
        values = read_ints(found.items) if found and found.between != "\u2192" else None
        return None if values is None else in_order(values)

    def write(self, answer: tuple[int, ...]) -> str:
        return ", ".join(map(str, answer)) or "none"

    def ways(self, answer: tuple[int, ...]) -> list[str]:
        parts = [str(number) for number in answer]
        return [*_ways(parts), *_called_ways(self.called, parts)]

    def near(self, answer: tuple[int, ...], rng: Random) -> tuple[int, ...]:
        if not answer:
            return (rng.randrange(10),)
        changed, place = list(answer), rng.randrange(len(answer))
        match rng.randrange(3):
            case 0 if len(changed) > 1:
                del changed[place]
            case 1:
                changed.append(changed[place])
            case _:
                changed[place] += rng.choice([-1, 1])
        return in_order(changed)

    def guess(self, answer: tuple[int, ...], rng: Random) -> tuple[int, ...]:
        return in_order(drawn_ints(answer, len(answer), rng))


@dataclass(frozen=True, slots=True)
class WordSet:
    """Words or phrases in lower case, each once, in any order. The answer is sorted."""

    form: str = "a set of words, separated by commas"
    empty: bool = False
    items: Items = "words"
    known: tuple[str, ...] = ()
    either: bool = False  # whether its members are alternatives, so that "or" and "/" may join them

    def read(self, text: str) -> tuple[str, ...] | None:
        values = self._listed(text)
        if values is None and self.items == "letters":
            text = _LABEL.sub(r"\1\2", plain(text))
            called = _CALLED.match(text)
            values = self._listed(text[called.end() :] if called else text)
        if self.empty and (says_nothing(text) or (values and says_nothing(self.write(values)))):
            return ()
        return values

    def _listed(self, text: str) -> tuple[str, ...] | None:
        body = tidy(text)
        if self.either:
            body = _SLASH.sub(", ", joined_by_commas(body))
        found = parted(body, self.items)
        if found is None or found.between == "\u2192":
            return None
        return one_set(read_words(found.items, self.items))

    def write(self, answer: tuple[str, ...]) -> str:
        return ", ".join(answer) or "none"

    def ways(self, answer: tuple[str, ...]) -> list[str]:
        ways = _ways(list(answer))
        if answer:
            latex = ", ".join(f"\\text{{{word}}}" for word in answer)
            ways += [", ".join(map(titled, answer)), f"\\{{{latex}\\}}"]
        if len(answer) > 1 and self.either:
            ways += [" or ".join(answer), f"{', '.join(answer[:-1])} or {answer[-1]}"]
            ways += [" / ".join(answer), "/".join(answer)]
        if answer and self.items == "nodes":
            ways += node_ways(answer)
        if answer and self.items == "letters":
            labels = [word.upper() for word in answer]
            ways += [", ".join(f"({label})" for label in labels)]
            ways += [
                " and ".join(f"{label})" for label in labels),
                "\n".join(f"{label})" for label in labels),
            ]
            ways += [f"Options {' and '.join(labels)}"]
        return ways

    def near(self, answer: tuple[str, ...], rng: Random) -> tuple[str, ...]:
        changed = list(answer)
        if len(changed) > 1 and rng.random() < 0.5:
            changed.remove(rng.choice(changed))
            return tuple(changed)
        others = [name for name in self.known if name not in answer]
        if others and (not changed or rng.random() < 0.5):
            return in_order([*changed, rng.choice(others)])
        if not changed:
            return (made_up("word", rng),)
        place = rng.randrange(len(changed))
        changed[place] = rng.choice(others) if others else misspelt(changed[place], rng)
        return in_order(set(changed))

    def guess(self, answer: tuple[str, ...], rng: Random) -> tuple[str, ...]:
        """Made-up words, where none are known to choose from."""
        if self.known:
            return in_order(rng.sample(self.known, len(answer)))
        return in_order({made_up(word, rng) for word in answer})

    def among(self, known: Sequence[str]) -> "WordSet":
        return replace(self, known=tuple(name.lower() for name in known))


def joined_by_commas(body: str) -> str:
    """A tidy text with a comma for each "or", unless it says "and" as well."""
    return body if _AND.search(body) else _OR.sub(", ", body)


def one_unknown(items: Sequence[str]) -> Sequence[str]:
    """The items without "x =" before each, or the same letter with their numbers."""
    labels = [_UNKNOWN.match(item) for item in items]
    letters = {label[1] for label in labels if label}
    if len(letters) != 1 or not all(labels[1:]):
        return items
    return [item[label.end() :] if label else item for item, label in zip(items, labels)]


def _called_ways(called: tuple[str, ...], parts: list[str]) -> list[str]:
    return [f"{noun}s {', '.join(parts)}" for noun in called[:1] if parts]


def _ways(parts: list[str]) -> list[str]:
    if not parts:
        return empty_ways()
    commas = ", ".join(parts)
    ways = [
        f"\\{{{commas}\\}}",
        f"{{{commas}}}",
        f"S = \\{{{','.join(parts)}\\}}",
        f"\\left\\{{ {commas} \\right\\}}",
        ", ".join(reversed(parts)),
    ]
    return ways + [way for way in list_ways(parts) if "->" not in way and "\\to" not in way]
