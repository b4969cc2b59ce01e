"""Policies that are made of the families themselves: workers that slip, and guessers.

A worker writes the family's worked solution and its answer. At each word of the prompt and of the
solution it slips with some probability; the answer is then one that people give who skip a step,
or one beside gold. A guesser writes a random answer of the right form, or another item's answer.
All write real replies, which are read and judged like any other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.family import AnyFamily
from puzzlemill.core.guard import Failure, guarded
from puzzlemill.core.item import worked
from puzzlemill.core.plain_data import thaw
from puzzlemill.core.storage import pool
from puzzlemill.difficulty.policies.policy import Question, Reply

Row = Mapping[str, Any]
SLIPS = 8  # wrong answers that are drawn, to choose one from
SECONDS = 20


@dataclass(frozen=True, slots=True)
class Simulated:
    """A policy that knows the rows that it is asked."""

    id: str
    work: str  # a function of this module, by its name
    rate: float  # of slips at a word
    rows: Sequence[Row]
    known: dict[tuple[Any, ...], Row] = field(default_factory=dict)

    def takes(self, question: Question) -> bool:
        return True

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        if not self.known:
            self.known.update({_key(_content(row), _pictures(row)): row for row in self.rows})
        calls = [
            (_kept(row), self.rate, self._others(row), question.seed, n)
            for question in questions
            for row in [self.known[_key(question.messages[-1]["content"], question.images)]]
        ]
        texts = pool.run(f"benchmarks.evaluation.simulated:{self.work}", calls, seconds=SECONDS)
        return [
            [Reply("I do not know.")] * n if isinstance(each, Failure) else [*map(Reply, each)]
            for each in texts
        ]

    def _others(self, row: Row) -> list[str]:
        """The answers of the family's other rows, for a guesser."""
        if self.work != "another_answer":
            return []
        own = [each for each in self.rows if each["family"] == row["family"]]
        return [each["answer"] for each in own if each["uid"] != row["uid"]]


def worker(name: str, rate: float, rows: Sequence[Row]) -> Simulated:
    return Simulated(f"{name}/slips-{rate:g}", "solution", rate, rows)


def guessers(rows: Sequence[Row]) -> Iterator[Simulated]:
    yield Simulated("guesser/random-form", "random_answer", 0.0, rows)
    yield Simulated("guesser/another-answer", "another_answer", 0.0, rows)


def solution(row: Row, rate: float, _: Sequence[str], seed: int, n: int) -> list[str]:
    family, puzzle = _opened(row)
    reply = worked(family, puzzle, row["answer"])
    words = len(row["prompt"].split()) + len(reply.split())
    rng = Random(f"{seed} {rate}")
    right = [rng.random() < (1 - rate) ** words for _ in range(n)]
    return [
        reply if each else worked(family, puzzle, _slip(family, puzzle, row["answer"], rng))
        for each in right
    ]


def random_answer(row: Row, _: float, __: Sequence[str], seed: int, n: int) -> list[str]:
    family, puzzle = _opened(row)
    kind, rng = family.kind(puzzle), Random(seed)
    gold = kind.read(row["answer"])
    return [f"<answer>{kind.write(kind.guess(gold, rng))}</answer>" for _ in range(n)]


def another_answer(_: Row, __: float, others: Sequence[str], seed: int, n: int) -> list[str]:
    rng = Random(seed)
    return [f"<answer>{rng.choice(others or [''])}</answer>" for _ in range(n)]


def _slip(family: AnyFamily, puzzle: Any, gold: str, rng: Random) -> str:
    """A wrong answer, if one of the first few is."""
    kind = family.kind(puzzle)
    read = kind.read(gold)
    drawn: Iterator[Any] = iter(())
    if family.slips:
        drawn = family.slips(rng, puzzle, read)
    slips = guarded(lambda: [*islice(drawn, SLIPS)])
    known = [] if isinstance(slips, Failure) else slips
    rng.shuffle(known)
    known += [kind.near(read, rng) for _ in range(SLIPS)]
    wrong = (each for each in known if each != read and family.verify(puzzle, each) < 1)
    return kind.write(next(wrong, kind.guess(read, rng)))


def _opened(row: Row) -> tuple[AnyFamily, Any]:
    family = registry.family(row["family"])
    return family, thaw(family.puzzle, row["puzzle"])


def _kept(row: Row) -> dict[str, str]:
    kept = {name: row[name] for name in ("family", "puzzle", "answer")}
    return kept | {"prompt": _content(row)}


def _content(row: Row) -> str:
    return str(row["prompt"][-1]["content"])


def _pictures(row: Row) -> tuple[bytes, ...]:
    return tuple(image["bytes"] for image in row["images"] or ())


def _key(content: str, pictures: tuple[bytes, ...]) -> tuple[Any, ...]:
    return content, *map(hash, pictures)
