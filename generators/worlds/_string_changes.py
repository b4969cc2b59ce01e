"""Changes of a string of letters: their words, and two ways to carry them out.

A change is a word and its letters, and so is a condition. A rule is changes, one after the other,
or two cases of them.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import TypeAlias

Change: TypeAlias = tuple[str, ...]
# A condition or (), and the changes made where it is the first that holds; () always does.
Rule: TypeAlias = tuple[tuple[Change, tuple[Change, ...]], ...]

# What a change is called, with x and y for different letters.
WORDS = {
    "replace": "every x becomes y",
    "exchange": "every x becomes y, and every y becomes x",
    "delete": "every x is taken out",
    "double": "every x is written twice",
    "behind": "y is put behind every x",
    "front": "x is put in front of the string",
    "end": "x is put behind the string",
    "reverse": "the string is reversed",
    "left": "the first letter moves to the end",
    "right": "the last letter moves to the front",
    "first": "the first letter is taken out",
    "last": "the last letter is taken out",
    "turn": "every xy becomes yx, from left to right, each letter being moved once at most",
    "merge": "every xx becomes x, from left to right, each letter being used once at most",
}
CONDITIONS = {
    "begins": "the string begins with x",
    "ends": "the string ends with x",
    "has": "there is an x in the string",
    "more": "the string has more x than y",
    "ring": "the first and the last letter are the same",
    "even": "the number of letters is even",
}
LETTERS = {"replace": 2, "exchange": 2, "behind": 2, "turn": 2, "reverse": 0, "left": 0, "right": 0,
           "first": 0, "last": 0, "more": 2, "ring": 0, "even": 0}  # fmt: skip


def every(kinds: Sequence[str], letters: Sequence[str]) -> Iterator[Change]:
    for kind in kinds:
        for chosen in permutations(letters, LETTERS.get(kind, 1)):
            if kind != "exchange" or chosen[0] < chosen[1]:
                yield kind, *chosen


def function(change: Change) -> Callable[[str], str]:
    """The engine's way: methods of strings."""
    kind, x, y = (*change, "", "")[:3]
    table = str.maketrans({x: y, y: x}) if kind == "exchange" else {}
    return {
        "replace": lambda text: text.replace(x, y),
        "exchange": lambda text: text.translate(table),
        "delete": lambda text: text.replace(x, ""),
        "double": lambda text: text.replace(x, x + x),
        "behind": lambda text: text.replace(x, x + y),
        "front": lambda text: x + text,
        "end": lambda text: text + x,
        "reverse": lambda text: text[::-1],
        "left": lambda text: text[1:] + text[:1],
        "right": lambda text: text[-1:] + text[:-1],
        "first": lambda text: text[1:],
        "last": lambda text: text[:-1],
        "turn": lambda text: text.replace(x + y, y + x),
        "merge": lambda text: text.replace(x + x, x),
    }[kind]


def predicate(condition: Change) -> Callable[[str], bool]:
    """The engine's way: whether a string that is not empty meets a condition."""
    kind, x, y = (*condition, "", "")[:3]
    return {
        "begins": lambda text: text.startswith(x),
        "ends": lambda text: text.endswith(x),
        "has": lambda text: x in text,
        "more": lambda text: text.count(x) > text.count(y),
        "ring": lambda text: text[0] == text[-1],
        "even": lambda text: len(text) % 2 == 0,
    }[kind]


def holds(condition: Change, text: str) -> bool:
    """The reader's way."""
    kind, x, y = (*condition, "", "")[:3]
    first, *_, last = text[0], text[-1]
    match kind:
        case "begins":
            return first == x
        case "ends":
            return last == x
        case "has":
            return any(letter == x for letter in text)
        case "more":
            return sum((letter == x) - (letter == y) for letter in text) > 0
        case "ring":
            return first == last
    pairs = zip(text[::2], text[1::2])
    return 2 * sum(1 for _ in pairs) == len(text)


def applied(rule: Rule, text: str) -> str:
    """The interpreter: the changes of the first case that holds, one after the other."""
    changes = next(each for condition, each in rule if not condition or holds(condition, text))
    for change in changes:
        text = read(change, text)
    return text


def read(change: Change, text: str) -> str:
    """The reader's way: letter by letter from left to right, as the words tell it."""
    kind, x, y = (*change, "", "")[:3]
    letters, made = list(text), list[str]()
    while letters:
        letter = letters.pop(0)
        if kind in ("turn", "merge") and letter == x and letters[:1] == [y or x]:
            second = letters.pop(0)
            made += [second, letter] if kind == "turn" else [letter]
        elif kind == "exchange" and letter == y:
            made.append(x)
        elif letter == x and kind in _LETTERWISE:
            made += {"replace": [y], "exchange": [y], "delete": [], "double": [x, x],
                     "behind": [x, y]}[kind]  # fmt: skip
        else:
            made.append(letter)
    match kind:
        case "front":
            made.insert(0, x)
        case "end":
            made.append(x)
        case "reverse":
            made.reverse()
        case "left" | "first":
            moved = made[:1]
            del made[:1]
            made += moved if kind == "left" else []
        case "right" | "last":
            moved = made[-1:]
            del made[-1:]
            made = moved + made if kind == "right" else made
    return "".join(made)


_LETTERWISE = ("replace", "exchange", "delete", "double", "behind")


def told(change: Change) -> str:
    """A change or condition in words, with its letters for x and y."""
    kind, x, y = (*change, "", "")[:3]
    names = {"x": x, "y": y, "xx": x + x, "xy": x + y, "yx": y + x}
    words = (WORDS | CONDITIONS)[kind]
    return re.sub(r"\b(xx|xy|yx|x|y)\b", lambda name: names[name[0]], words)
