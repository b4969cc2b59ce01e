"""Curricula that a teacher over knobs leads: each family is a line from level 0 to 1."""

from collections.abc import Sequence
from random import Random

import numpy as np

from puzzlemill.difficulty.curricula import (
    Curriculum,
    Pool,
    Seen,
    State,
    by_cell,
    from_cells,
)
from puzzlemill.difficulty.teachers import TEACHERS, Teacher

RECENT = 400  # trials of a family that are kept


def taught(name: str) -> Curriculum:
    leading: Teacher = TEACHERS.load(name)

    def pick(
        pool: Pool, state: State, count: int, done: float, source: Random
    ) -> tuple[list[int], State]:
        families = sorted({family for family, _ in pool.members})
        cells = []
        for family in families:
            levels = [level for each, level in pool.members if each == family]
            trials = [((level,), mean) for level, mean in state.get("trials", {}).get(family, [])]
            wanted = leading(trials, 1, count, np.random.default_rng(source.getrandbits(60)))
            near = [min(levels, key=lambda level: abs(level - point)) for point in wanted[:, 0]]
            cells.append([(family, level) for level in near])
        chosen = [cells[source.randrange(len(cells))][n] for n in range(count)]
        return from_cells(pool, state, chosen)

    def told(pool: Pool, state: State, seen: Sequence[Seen]) -> State:
        found = dict(state.get("trials", {}))
        for (family, level), groups in by_cell(pool, seen).items():
            tried = [[level, group.mean] for group in groups]
            found[family] = [*found.get(family, []), *tried][-RECENT:]
        return {**state, "trials": found}

    return Curriculum(pick, told=told)
