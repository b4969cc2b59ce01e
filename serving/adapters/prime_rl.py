"""prime-rl: a task sampler that looks for a pass rate by Thompson sampling.

The posterior of a task's pass rate is a Beta distribution. Its prior is around the measured pass
rate that the task brings, or else around what the tasks of its family and level came to; outcomes
fade, in a task that is not visited too, as its level's come in. A draw from each candidate's
posterior decides, and a share of the picks is uniform.

prime-rl (source of August to October 2026) has no setting for a sampler of one's own: `plug_in`
puts this one where a source has none chosen. It has what `TaskSampler` there asks for.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Annotated, Any

from puzzlemill.core.errors import UserError
from puzzlemill.core.settings import Range, Seed
from puzzlemill.core.tables import settings_of

KIND = "standard"  # prime-rl's name of the sampler that a source has unless it chooses one
RECENT = 4096  # tasks, at most, that are not picked again while their outcomes are on the way
JEFFREYS = 0.5

Cell = tuple[str, float]  # family and level


@dataclass(frozen=True, slots=True)
class Settings:
    target: Annotated[float, Range(0, 1)] = 0.5  # the pass rate that is looked for
    floor: Annotated[float, Range(0, 1)] = 0.1  # the share of picks that are uniform
    prior: Annotated[float, Range(0.1, 1000)] = 8.0  # the replies that a prior counts as, at most
    keep: Annotated[float, Range(0.5, 1)] = 0.95  # of an outcome's weight, a group of its level on
    candidates: Annotated[int, Range(2, 100_000)] = 64  # of which a pick is one
    seed: Seed = 0


@dataclass(slots=True)
class Tally:
    """Outcomes, faded to the group of the level at which they were last looked at."""

    right: float = 0.0
    wrong: float = 0.0
    at: int = 0

    def fade(self, now: int, keep: float) -> None:
        self.right, self.wrong = (
            each * keep ** (now - self.at) for each in (self.right, self.wrong)
        )
        self.at = now


@dataclass(slots=True)
class Beliefs:
    """What is known of pass rates: by task and by level."""

    settings: Settings
    tasks: dict[str, Tally] = field(default_factory=dict)
    cells: dict[Cell, Tally] = field(default_factory=dict)
    groups: dict[Cell, int] = field(default_factory=dict)

    def posterior(self, key: str, cell: Cell, measured: float | None) -> tuple[float, float]:
        """The two parameters of a task's Beta distribution."""
        level = self.cells.get(cell, Tally())
        seen = level.right + level.wrong
        mean = (level.right + JEFFREYS) / (seen + 2 * JEFFREYS)
        size = min(seen + 2 * JEFFREYS, self.settings.prior)
        tally = self.tasks.get(key, Tally())
        faded = self.settings.keep ** (self.groups.get(cell, 0) - tally.at)
        if measured is not None:
            # It was measured of an earlier policy: it fades as the level's outcomes come in.
            share = self.settings.keep ** self.groups.get(cell, 0)
            mean = share * measured + (1 - share) * mean
            size = self.settings.prior
        pseudo = JEFFREYS / self.settings.prior  # no rate is ruled out
        right = (mean * (1 - 2 * pseudo) + pseudo) * size + tally.right * faded
        wrong = ((1 - mean) * (1 - 2 * pseudo) + pseudo) * size + tally.wrong * faded
        return right, wrong

    def learn(self, key: str | None, cell: Cell, scores: Sequence[float]) -> None:
        """Take in a group's scores: of the level, and of the task where there is a key."""
        now = self.groups[cell] = self.groups.get(cell, 0) + 1
        right = sum(min(max(score, 0.0), 1.0) for score in scores)
        tallies = [self.cells.setdefault(cell, Tally())]
        if key is not None:
            tallies.append(self.tasks.setdefault(key, Tally()))
        for tally in tallies:
            tally.fade(now, self.settings.keep)
            tally.right += right
            tally.wrong += len(scores) - right


class ThompsonSampler:
    """Tasks whose drawn pass rate is nearest to the target; of an endless taskset, among the next
    ones."""

    def __init__(self, tasks: Sequence[Any] | Iterator[Any], settings: Settings) -> None:
        self.settings, self.beliefs = settings, Beliefs(settings)
        self.rng = Random(settings.seed)
        self.finite = tuple(tasks) if isinstance(tasks, Sequence) else ()
        self.stream = enumerate(iter(()) if self.finite else tasks)
        self.ahead: dict[int, Any] = {}  # of a stream, by their numbers
        self.drawn = 0  # from the stream
        self.recent: deque[str] = deque(maxlen=min(RECENT, len(self.finite) // 2))
        self.picks = self.uniform = 0
        keys = [task.key for task in self.finite]
        if len(set(keys)) < len(keys):
            raise UserError("two tasks of the taskset have one key: what is learnt of one is not"
                            " of the other")  # fmt: skip
        if isinstance(tasks, Sequence) and not tasks:
            raise UserError("the taskset has no task")

    def __iter__(self) -> "ThompsonSampler":
        return self

    def __next__(self) -> Any:
        candidates = self._candidates()
        self.picks += 1
        if self.rng.random() < self.settings.floor:
            self.uniform += 1
            place = self.rng.choice(sorted(candidates))
        else:
            place = min(sorted(candidates), key=lambda each: self._distance(candidates[each]))
        task = candidates[place]
        if self.finite:
            self.recent.append(task.key)
        else:
            del self.ahead[place]
        return task

    def observe(self, group: Sequence[Any]) -> None:
        """Take in what the episodes of a group came to."""
        scores = [
            trace.reward
            for episode in group
            for trace in episode.traces
            if episode.ok and not trace.has_error and trace.agent.trainable and trace.num_turns
        ]
        task = group[0].task
        if task.key in self.recent:
            self.recent.remove(task.key)
        if scores:
            # A task of a stream does not come again.
            self.beliefs.learn(task.key if self.finite else None, cell_of(task.data), scores)

    def state_dict(self) -> dict[str, Any]:
        version, internal, gauss = self.rng.getstate()
        return {
            "rng": [version, list(internal), gauss],
            "tasks": {key: [t.right, t.wrong, t.at] for key, t in self.beliefs.tasks.items()},
            "cells": [
                [*cell, self.beliefs.groups[cell], t.right, t.wrong, t.at]
                for cell, t in self.beliefs.cells.items()
            ],
            "drawn": self.drawn,
            "ahead": sorted(self.ahead),
            "recent": list(self.recent),
            "picks": [self.picks, self.uniform],
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a checkpoint. Of an endless taskset, the tasks are drawn again."""
        version, internal, gauss = state["rng"]
        self.rng.setstate((version, tuple(internal), gauss))
        self.beliefs.tasks = {key: Tally(*values) for key, values in state["tasks"].items()}
        for family, level, groups, *values in state["cells"]:
            self.beliefs.cells[family, level] = Tally(*values)
            self.beliefs.groups[family, level] = groups
        ahead = set(state["ahead"])
        while self.drawn < state["drawn"]:
            number, task = self._draw()
            if number in ahead:
                self.ahead[number] = task
        self.recent.extend(state["recent"])
        self.picks, self.uniform = state["picks"]

    def metrics(self) -> dict[str, float]:
        rates = [
            (tally.right + JEFFREYS) / (tally.right + tally.wrong + 2 * JEFFREYS)
            for tally in self.beliefs.cells.values()
        ]
        near = sum(abs(rate - self.settings.target) <= 0.3 for rate in rates)
        return {
            "levels_seen": float(len(rates)),
            "levels_near_target": float(near),
            "uniform_share": self.uniform / max(self.picks, 1),
        }

    def _candidates(self) -> dict[int, Any]:
        count = self.settings.candidates
        if not self.finite:
            while len(self.ahead) < count:
                number, task = self._draw()
                self.ahead[number] = task
            return self.ahead
        waiting = set(self.recent)
        places = self.rng.sample(
            range(len(self.finite)), min(count + len(waiting), len(self.finite))
        )
        free = [place for place in places if self.finite[place].key not in waiting]
        return {place: self.finite[place] for place in free[:count]}

    def _draw(self) -> tuple[int, Any]:
        number, task = next(self.stream)
        self.drawn = number + 1
        return number, task

    def _distance(self, task: Any) -> float:
        measured = getattr(task.data, "mean", None)
        right, wrong = self.beliefs.posterior(task.key, cell_of(task.data), measured)
        return abs(self.rng.betavariate(right, wrong) - self.settings.target)


def cell_of(data: Any) -> Cell:
    """The family and level of a task; all tasks of other tasksets are one."""
    return str(getattr(data, "family", "")), float(getattr(data, "level", 0.0))


def plug_in(**settings: Any) -> None:
    """In this process, let every training source without a sampler of its own have this one."""
    from prime_rl.orchestrator import train_source

    chosen = settings_of(settings, Settings, "plug_in")
    if not hasattr(train_source, "setup_sampler"):
        raise UserError(
            "this prime-rl sets up its samplers elsewhere than in orchestrator/train_source.py: put"
            " puzzlemill.serving.adapters.prime_rl.ThompsonSampler(tasks, Settings()) there by hand"
        )
    theirs = train_source.setup_sampler

    def setup_sampler(config: Any, tasks: Any) -> Any:
        is_default = getattr(config, "type", KIND) == KIND
        return ThompsonSampler(tasks, chosen) if is_default else theirs(config, tasks)

    train_source.setup_sampler = setup_sampler
