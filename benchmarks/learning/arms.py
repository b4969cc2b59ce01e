"""Arms of the RL experiments: what a student learns from, and the pass rates that it then has.

A run is an arm with a seed, which draws the families. Runs of one seed take the first of one order
of the source families, so that a narrower choice lies within a wider one.
"""

from dataclasses import dataclass
from typing import Literal

from benchmarks.learning.breadth import drawn
from benchmarks.learning.items import (
    HARDER,
    LEVELS,
    OTHER_WORDINGS,
    Place,
    places,
)
from benchmarks.learning.solutions import Families

WIDE = (0.0, 0.1, 0.2, 0.35, 0.5, 0.7)  # levels, where the difficulty is chosen
OWN = 4  # of the families that are learned are measured
BEFORE = "before"


@dataclass(frozen=True, slots=True)
class Arm:
    name: str
    families: int
    levels: tuple[float, ...] = LEVELS
    curriculum: str = "uniform"
    wrong: float = 0.0  # the share of items whose gold is wrong
    imitates: bool = False  # one worked solution of each item (SFT), in place of RL
    pays: str = ""  # an answer that every verifier pays too
    leaks: bool = False  # it learns from the items on which it is measured
    regenerates: bool = False  # new items every few steps, at levels fitted to the pass rates


EXPERIMENTS: dict[str, tuple[Arm, ...]] = {
    "breadth": tuple(Arm(f"rl-{count}", count) for count in (1, 4, 16, 64, 256)),
    "wrong": (Arm("wrong-0.11", 64, wrong=0.11),),
    "imitation": tuple(Arm(f"sft-{count}", count, imitates=True) for count in (1, 4, 16, 64, 256)),
    "difficulty": (
        Arm("wide-uniform", 64, WIDE),
        Arm("wide-thompson", 64, WIDE, "thompson"),
        Arm("wide-staged", 64, WIDE, "staged"),  # from easy to hard
    ),
    "very wrong": (Arm("wrong-0.3", 64, wrong=0.3),),
}


@dataclass(frozen=True, slots=True)
class Scale:
    """How large a run is."""

    steps: int = 40
    prompts: int = 32  # a step
    group: int = 8  # replies to a prompt
    rate: float = 1e-4  # of AdamW
    items: int = 16  # of each held-out family, and of each other one that is measured
    replies: int = 4  # to each
    dtype: Literal["float32", "bfloat16"] = "float32"  # of matrix products

    @property
    def prompted(self) -> int:
        return self.steps * self.prompts


def places_of(arm: Arm, seed: int, families: Families, scale: Scale) -> list[Place]:
    """Of the items that it learns from."""
    names = drawn(families, arm.families, seed)
    found = places(names, scale.prompted, "train", arm.levels)
    return sorted(found, key=lambda place: place.level) if arm.curriculum == "staged" else found


def measured_places(families: Families, scale: Scale) -> dict[str, list[Place]]:
    """Families that no student saw, and those that warm it and are never in RL."""
    return {
        "held": places(families.held, len(families.held) * scale.items, "test"),
        "base": places(families.base, len(families.base) * scale.items, "test"),
    }


def own_places(families: Families, seed: int, scale: Scale) -> dict[str, list[Place]]:
    """Of the first families of a seed's order, which all of its runs learn: levels and wordings
    as they are learned, and others."""
    names = drawn(families, OWN, seed)
    count = len(names) * scale.items * 2
    return {
        f"own {seed}": places(names, count, "test"),
        f"levels {seed}": places(names, count, "test", HARDER),
        f"wordings {seed}": places(names, count, "test", phrasings=OTHER_WORDINGS),
    }
