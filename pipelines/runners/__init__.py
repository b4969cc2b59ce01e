"""Runners: where shards are made, as `runner` names it.

A shard's bytes follow from its inputs alone, so they are the same wherever it is made. A worker
that is lost takes its shard with it, and no more: the shard is made by another.

A file here is a runner, and so is an entry point of the group puzzlemill.runners: its module sets
RUNNER, a function that gives the Runner of a recipe for as long as a `with` block lasts.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from puzzlemill.core.choices import Choices

if TYPE_CHECKING:  # the recipe names a file of this folder
    from puzzlemill.pipelines.recipe import Recipe
    from puzzlemill.pipelines.shards import Done

TRIES = 3  # at a shard whose worker is lost

RUNNERS = Choices("runner", __name__, "RUNNER", "puzzlemill.runners")


@dataclass(frozen=True, slots=True)
class Runner:
    """How one shard is made, called from as many threads as there are workers."""

    run: "Callable[[Path, str, int], Done]"
    workers: int = 1
    replicas: int = 1  # of the policy: so many workers ask it at once
    here: bool = False  # in threads of this process, which end by themselves when one fails

    def at_once(self, asks: bool) -> int:
        """How many shards of a step are made at once: of one that asks, one a replica."""
        return self.replicas if asks else self.workers


Running: TypeAlias = AbstractContextManager[Runner]


def running(recipe: "Recipe") -> Running:
    """The runner that a recipe names, for as long as the block lasts."""
    found: Running = RUNNERS.load(recipe.runner, "runner")(recipe)
    return found
