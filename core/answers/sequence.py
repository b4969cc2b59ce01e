"""Lists: of whole numbers (orders, permutations, paths) and of words."""

import re
from dataclasses import dataclass
from random import Random

from puzzlemill.core.answers.form import items
from puzzlemill.core.answers.whole import read_whole

MOST = 5000  # items of a list; a longer one is not read


@dataclass(frozen=True, slots=True)
class IntList:
    """Whole numbers in order: "1, 2, 3", "[1 2 3]", "1 -> 2 -> 3"."""

    form: str = "a list of integers"
    between: str = ", "  # what `write` puts between the numbers

    def read(self, text: str) -> tuple[int, ...] | None:
        parts = items(text)
        if not parts or len(parts) > MOST:
            return None
        values = [read_whole(part) for part in parts]
        return None if None in values else tuple(value for value in values if value is not None)

    def write(self, answer: tuple[int, ...]) -> str:
        return self.between.join(map(str, answer))

    def near(self, answer: tuple[int, ...], rng: Random) -> tuple[int, ...]:
        place = rng.randrange(len(answer))
        other = rng.randrange(len(answer))
        changed = list(answer)
        match rng.randrange(4):
            case 0:
                changed[place], changed[other] = changed[other], changed[place]
            case 1:
                changed[place] += rng.choice([-1, 1])
            case 2 if len(changed) > 1:
                del changed[place]
            case _:
                changed.insert(place, changed[other])
        return tuple(changed)

    def guess(self, answer: tuple[int, ...], rng: Random) -> tuple[int, ...]:
        return tuple(rng.sample(answer, len(answer)))


@dataclass(frozen=True, slots=True)
class WordList:
    """Words in order, in lower case: "a b c", "Anna, Ben"."""

    form: str = "a list of words"

    def read(self, text: str) -> tuple[str, ...] | None:
        parts = [part.lower() for part in items(text)]
        if not parts or len(parts) > MOST:
            return None
        if not all(re.fullmatch(r"[^\W_](?:[\w' -]{0,60})", part) for part in parts):
            return None
        return tuple(parts)

    def write(self, answer: tuple[str, ...]) -> str:
        return (", " if any(" " in word for word in answer) else " ").join(answer)

    def near(self, answer: tuple[str, ...], rng: Random) -> tuple[str, ...]:
        place, other = rng.randrange(len(answer)), rng.randrange(len(answer))
        changed = list(answer)
        if len(changed) > 1 and rng.random() < 0.3:
            del changed[place]
        elif rng.random() < 0.5:
            changed[place], changed[other] = changed[other], changed[place]
        else:
            changed.insert(place, changed[other])
        return tuple(changed)

    def guess(self, answer: tuple[str, ...], rng: Random) -> tuple[str, ...]:
        return tuple(rng.sample(answer, len(answer)))
