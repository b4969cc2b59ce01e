"""The loop: build, train, score again and regenerate, round after round."""

from collections.abc import Callable
from typing import TypeVar

Build = TypeVar("Build")
Checkpoint = TypeVar("Checkpoint")


def run_rounds(
    rounds: int,
    build: Callable[[], Build],
    train: Callable[[Build], Checkpoint],
    rescore: Callable[[Build, Checkpoint], Build],
    regenerate: Callable[[Build], Build],
) -> list[Build]:
    """All builds, of which the last is the newest. The steps are plain calls or Prefect flows.

    What has become too easy or stays too hard is what new items are made in place of, so that
    `rescore` may keep nothing; `build` and `regenerate` raise where they would leave nothing to
    train on.
    """
    builds = [build()]
    for _ in range(rounds):
        rescored = rescore(builds[-1], train(builds[-1]))
        builds += [rescored, regenerate(rescored)]
    return builds
