"""Games: [train.play]."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from puzzlemill.core.settings import Length, Level, Needs, Range


@dataclass(frozen=True, slots=True)
class Alternate:
    """Moves that are judged by themselves, votes above all, are learned apart from all others, in
    stages (Vision-Zero)."""

    # Steps of a stage at least, 5 in the paper; 0: all moves are learned in every step.
    least: Annotated[int, Range(0, 1_000_000)] = 0
    # Steps of a stage at most.
    most: Annotated[int, Range(1, 1_000_000), Needs("least")] = 20
    # Shares of judged moves, averaged: right ones from which the others are learned again,
    good: Annotated[float, Range(0, 1), Needs("least")] = 0.9
    # with no more than these that are neither right nor wrong;
    few_given_up: Annotated[float, Range(0, 1), Needs("least")] = 0.1
    # wrong ones from which judged moves are learned again,
    bad: Annotated[float, Range(0, 1), Needs("least")] = 0.4
    # or so many that are neither.
    many_given_up: Annotated[float, Range(0, 1), Needs("least")] = 0.5
    # Of an average, the share that a further step leaves of it.
    memory: Annotated[float, Range(0, 0.999), Needs("least")] = 0.95


@dataclass(frozen=True, slots=True)
class Play:
    """Games to learn from instead of items: each turn of the policy's own is a text to learn."""

    games: tuple[str, ...] = ()  # names of `generators/games/environments`
    # The difficulties at which games begin.
    levels: Annotated[tuple[Level, ...], Length(1, 1000)] = (0.0,)
    starts: Annotated[int, Range(1, 65_536)] = 16  # a step; each is played once from every seat
    # Who sits in the other seats, and in which share of the starts: self, random, minimax-<depth>,
    # or the folder of an earlier checkpoint, with a / in its name.
    opponents: Mapping[str, float] = field(default_factory=lambda: {"self": 1.0})
    # Of a result, for each turn that the seat had still to come.
    discount: Annotated[float, Range(0, 1)] = 1.0
    # Of each seat's baseline, the share that a further game leaves of it; below 1.
    memory: Annotated[float, Range(0, 1)] = 0.95
    # What counts besides: a turn's discounted result above that of the step's other turns in the
    # same state (GiGPO).
    anchor: Annotated[float, Range(0, 1000)] = 0.0
    alternate: Alternate = Alternate()
    # Opponents that the policy is measured against.
    against: tuple[str, ...] = ("random", "minimax-2")


def is_folder(opponent: str) -> bool:
    """Whether an opponent's name is that of a checkpoint's folder."""
    return "/" in opponent
