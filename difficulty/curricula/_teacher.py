"""Curricula led by a teacher: each family is a space of its own, of its level or of its knobs.

The teacher's trials are the points that it proposed, and not those of the items nearest to them: a
teacher such as ADR knows its points again.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from random import Random
from typing import TypeAlias

import numpy as np

from puzzlemill.difficulty.curricula import (
    Curriculum,
    Outcome,
    Pool,
    State,
    adjustable,
    name_of,
    next_of,
)
from puzzlemill.difficulty.teachers import TEACHERS, Teacher, TeacherSettings

WAITING = 16  # proposals of an item whose outcomes are still to come, at most

Point: TypeAlias = tuple[float, ...]


def led_by(module: str) -> Curriculum:
    """The curriculum whose file is named as its teacher."""
    teacher: Teacher = TEACHERS.load(module.rpartition(".")[2])

    def curriculum(settings: TeacherSettings) -> Curriculum:
        return Curriculum(
            partial(pick, teacher, settings), update=partial(update, teacher, settings)
        )

    return adjustable(teacher.settings, curriculum)


def pick(
    teacher: Teacher,
    settings: TeacherSettings,
    pool: Pool,
    state: State,
    count: int,
    progress: float,
    rng: Random,
) -> tuple[list[int], State]:
    spaces = spaces_of(pool, settings)
    drawn = Counter(rng.choice([*spaces]) for _ in range(count))
    groups, proposals = list[tuple[str, list[int]]](), list[list[float]]()
    for family in sorted(drawn):
        space = spaces[family]
        size = len(next(iter(space)))
        trials = [(tuple(p), mean) for *p, mean in state.get("trials", {}).get(family, [])]
        source = np.random.default_rng(rng.getrandbits(60))
        points = teacher.propose(settings, trials, size, drawn[family], source)
        known = np.array([*space])
        for point in points:
            nearest = [*space][int(((known - point) ** 2).sum(1).argmin())]
            groups.append((_name(settings, family, nearest), space[nearest]))
            proposals.append(point.tolist())
    places, state = next_of(pool, state, groups)
    waiting = {place: [*points] for place, points in state.get("waiting", {}).items()}
    for place, proposal in zip(places, proposals, strict=True):
        waiting[str(place)] = [*waiting.get(str(place), []), proposal][-WAITING:]
    return places, {**state, "waiting": waiting}


def update(
    teacher: Teacher,
    settings: TeacherSettings,
    pool: Pool,
    state: State,
    outcomes: Sequence[Outcome],
) -> State:
    waiting = {place: [*points] for place, points in state.get("waiting", {}).items()}
    trials = {family: [*own] for family, own in state.get("trials", {}).items()}
    for each in outcomes:
        proposals = waiting.get(str(each.place), [])
        point = proposals.pop(0) if proposals else _point(pool, settings, each.place)
        if not proposals:
            waiting.pop(str(each.place), None)
        trials.setdefault(pool.cells[each.place][0], []).append([*point, each.mean])
    if teacher.kept is not None:
        trials = {family: own[-teacher.kept :] for family, own in trials.items()}
    return {**state, "trials": trials, "waiting": waiting}


def spaces_of(pool: Pool, settings: TeacherSettings) -> dict[str, dict[Point, list[int]]]:
    """For each family the points that there are items at, and their places."""
    spaces: dict[str, dict[Point, list[int]]] = {}
    if settings.axes == "level":
        for (family, level), places in pool.members.items():
            spaces.setdefault(family, {})[(level,)] = places
        return spaces
    for place, (family, _) in enumerate(pool.cells):
        spaces.setdefault(family, {}).setdefault(pool.points[place], []).append(place)
    return dict(sorted(spaces.items()))


def _point(pool: Pool, settings: TeacherSettings, place: int) -> Point:
    return (pool.cells[place][1],) if settings.axes == "level" else pool.points[place]


def _name(settings: TeacherSettings, family: str, point: Point) -> str:
    return name_of((family, point[0])) if settings.axes == "level" else f"{family} {point}"
