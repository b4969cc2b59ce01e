"""Curricula led by a teacher over knobs: each family is a line from level 0 to 1."""

from collections.abc import Sequence
from random import Random

import numpy as np

from puzzlemill.difficulty.curricula import (
    Curriculum,
    Outcome,
    Pool,
    State,
    by_cell,
    next_items,
)
from puzzlemill.difficulty.teachers import TEACHERS, Teacher

RECENT = 400  # trials of a family that are kept


def led_by(name: str) -> Curriculum:
    teacher: Teacher = TEACHERS.load(name)

    def pick(
        pool: Pool, state: State, count: int, progress: float, rng: Random
    ) -> tuple[list[int], State]:
        families = sorted({family for family, _ in pool.members})
        cells = []
        for family in families:
            levels = [level for each, level in pool.members if each == family]
            trials = [((level,), mean) for level, mean in state.get("trials", {}).get(family, [])]
            points = teacher(trials, 1, count, np.random.default_rng(rng.getrandbits(60)))
            nearest = [min(levels, key=lambda level: abs(level - point)) for point in points[:, 0]]
            cells.append([(family, level) for level in nearest])
        chosen = [cells[rng.randrange(len(cells))][n] for n in range(count)]
        return next_items(pool, state, chosen)

    def update(pool: Pool, state: State, outcomes: Sequence[Outcome]) -> State:
        trials = dict(state.get("trials", {}))
        for (family, level), groups in by_cell(pool, outcomes).items():
            tried = [[level, group.mean] for group in groups]
            trials[family] = [*trials.get(family, []), *tried][-RECENT:]
        return {**state, "trials": trials}

    return Curriculum(pick, update=update)
