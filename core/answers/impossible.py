"""The answer that there is no answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from random import Random
from typing import Final, Generic, TypeVar

from puzzlemill.core.answers.form import plain
from puzzlemill.core.answers.kind import Kind, Naming

A = TypeVar("A")


class Impossible(Enum):
    IMPOSSIBLE = "impossible"


IMPOSSIBLE: Final = Impossible.IMPOSSIBLE

LONGEST = 200  # characters of a way to say so

_THING = (
    r"(?:(?:such|winning|valid|feasible|legal|possible|correct|real|integer|proper|hamiltonian|eulerian)\s)"
    r"{0,2}(?:solutions?|paths?|routes?|ways?|colou?rings?|tours?|cycles?|circuits?|walks?|trails?"
    r"|assignments?|arrangements?|orders?|orderings?|schedules?|plans?|matchings?|placements?"
    r"|sequences?|subsets?|partitions?|tilings?|coverings?|configurations?|completions?|moves?)"
)
_GOAL = (
    r"(?:\sto\s(?:do(?:\s(?:so|this|it))?|(?:solve|achieve|satisfy|reach|colou?r|complete|build"
    r"|make|fill|cover|tile|visit|arrange|place|connect)(?:\s(?:it|this|all|the|a|an|every|such|any"
    r"|graph|grid|board|puzzle|problem|goal|target|nodes?|vertices|vertex|constraints?|conditions?"
    r"|system|equations?|path|cells?|pieces?)){0,6}))?"
)
_SAID = re.compile(
    rf"(?:(?:so|thus|therefore|hence),?\s)?(?:"
    rf"(?:(?:it|this|that|the\s(?:puzzle|problem|task|system|goal|graph))(?:\sis|'s)\s)?"
    rf"(?:(?:impossible|infeasible|unsolvable|unsatisfiable|not\s(?:possible|solvable|feasible"
    rf"|satisfiable))|unsat){_GOAL}"
    rf"|(?:(?:it|this|that)\s)?(?:cannot|can't|can\snot)\sbe\s(?:done|solved|reached|satisfied)"
    rf"|(?:there\s(?:is|are|exists?)\s)?no\s{_THING}(?:\s(?:exists?|(?:is|are)\spossible))?"
    rf"|(?:there\sis\s)?no\ssuch\s(?:number|value|expression|sequence\sof\smoves)(?:\sexists)?"
    rf"|(?:there\sis\s)?no\sanswer(?:\sexists)|there\sis\sno\sanswer"
    rf"|(?:a|an|such\sa|such\san|the)\s{_THING}\s(?:does\snot|doesn't)\sexist"
    rf"|(?:it\s)?(?:does\snot|doesn't)\sexist)",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"none(?:\sexists?)?|\u2205|\\(?:emptyset|varnothing)|\\\{\\\}"
    r"|empty(?:\sset)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class OrImpossible(Generic[A]):
    """Another kind's answer, or the word "impossible".

    "None" and the empty set say that too, unless they are an answer of the other kind.
    """

    kind: Kind[A]

    @property
    def form(self) -> str:
        return f'{self.kind.form}, or the word "impossible"'

    def read(self, text: str) -> A | Impossible | None:
        said = plain(text)
        said = re.sub(r"\s{1,9}", " ", said).rstrip("!") if len(said) < LONGEST else ""
        if _SAID.fullmatch(said):
            return IMPOSSIBLE
        answer = self.kind.read(text)
        return IMPOSSIBLE if answer is None and _EMPTY.fullmatch(said) else answer

    def write(self, answer: A | Impossible) -> str:
        return "impossible" if isinstance(answer, Impossible) else self.kind.write(answer)

    def ways(self, answer: A | Impossible) -> list[str]:
        if not isinstance(answer, Impossible):
            return self.kind.ways(answer)
        return ["Impossible", "IMPOSSIBLE", "It is impossible", "not possible", "No solution",
                "no solution exists", "There is no solution", "\\text{No solution}", "infeasible",
                "It cannot be done",
                "There is no winning move", "There is no such path", '{"answer": "impossible"}',
                "\\text{impossible}"]  # fmt: skip

    def near(self, answer: A | Impossible, rng: Random) -> A | Impossible:
        if isinstance(answer, Impossible) or rng.random() < 0.2:
            return IMPOSSIBLE
        return self.kind.near(answer, rng)

    def guess(self, answer: A | Impossible, rng: Random) -> A | Impossible:
        return answer if isinstance(answer, Impossible) else self.kind.guess(answer, rng)

    def among(self, known: Sequence[str]) -> "OrImpossible[A]":
        return replace(self, kind=self.kind.among(known)) if isinstance(self.kind, Naming) else self
