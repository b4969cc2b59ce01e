"""The answer that there is no answer."""

import re
from dataclasses import dataclass
from enum import Enum
from random import Random
from typing import Final, Generic, TypeVar

from puzzlemill.core.answers.form import plain
from puzzlemill.core.answers.kind import Kind

A = TypeVar("A")


class Impossible(Enum):
    IMPOSSIBLE = "impossible"


IMPOSSIBLE: Final = Impossible.IMPOSSIBLE

_SAID = re.compile(
    r"(?:it is |it's |this is )?(?:impossible|infeasible|unsolvable|not possible|none|no solutions?"
    r"|no (?:such )?(?:path|answer|colou?ring|way)(?: exists)?"
    r"|there is no (?:solution|answer|path))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class OrImpossible(Generic[A]):
    """Another kind's answer, or the word "impossible"."""

    kind: Kind[A]

    @property
    def form(self) -> str:
        return f'{self.kind.form}, or the word "impossible"'

    def read(self, text: str) -> A | Impossible | None:
        return IMPOSSIBLE if _SAID.fullmatch(plain(text)) else self.kind.read(text)

    def write(self, answer: A | Impossible) -> str:
        return "impossible" if isinstance(answer, Impossible) else self.kind.write(answer)

    def near(self, answer: A | Impossible, rng: Random) -> A | Impossible:
        if isinstance(answer, Impossible) or rng.random() < 0.2:
            return IMPOSSIBLE
        return self.kind.near(answer, rng)

    def guess(self, answer: A | Impossible, rng: Random) -> A | Impossible:
        return answer if isinstance(answer, Impossible) else self.kind.guess(answer, rng)
