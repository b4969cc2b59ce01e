"""Games to learn from: the task of self-play."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from puzzlemill.difficulty.curricula import State
from puzzlemill.difficulty.policies.model import LocalPolicy, Reader
from puzzlemill.difficulty.policies.policy import Policy
from puzzlemill.difficulty.scoring import Judge
from puzzlemill.trainer.asking import Memory
from puzzlemill.trainer.contest import compared, contests, won
from puzzlemill.trainer.course import Row
from puzzlemill.trainer.heldout import Cell, Tally
from puzzlemill.trainer.selfplay import (
    Played,
    fingerprint,
    played,
    remembered,
    texts_of,
    told_of,
)
from puzzlemill.trainer.settings import TrainGames
from puzzlemill.trainer.task import Lesson


@dataclass
class Games:
    settings: TrainGames
    seed: int = 0  # of the starts that are measured
    memory: Memory = field(default_factory=Memory)
    baselines: dict[str, float] = field(default_factory=dict)  # by match and seat

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.settings.play)

    def gather(self, policy: Policy, judge: Judge, most: int, step: int) -> list[Played]:
        return played(policy, self.settings.play, step)

    def lesson(
        self, gathered: list[Played], policy: LocalPolicy, reference: Reader | None, step: int
    ) -> Lesson:
        texts = texts_of(policy, gathered, self.baselines, self.settings)
        self.baselines = remembered(self.baselines, gathered, self.settings.play.memory)
        turns = [turn for each in gathered for turn in each.transcript.turns]
        return Lesson(
            texts,
            replies=[turn.reply for turn in turns if turn.reply],
            reward=fmean(reward for each in gathered for reward in each.results.values()),
            mixed=sum(text.advantage != 0 for text in texts) / max(len(texts), 1),
            also=told_of(gathered),
        )

    def examples(self) -> list[Row]:
        return []

    def state(self) -> State:
        return {"course": dict(self.baselines), "memory": {"entropy": self.memory.entropy}}

    def restore(self, state: State) -> None:
        self.baselines = dict(state["course"])
        self.memory.entropy = state["memory"]["entropy"]

    def measure(self, policy: Policy, judge: Judge) -> list[dict[str, Any]]:
        return contests(policy, self.settings.play, self.settings.heldout, self.seed)

    def cells(self, measured: Sequence[Mapping[str, Any]]) -> Mapping[Cell, Tally]:
        return won(measured)

    def summary(
        self, before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        return {"cells": [], "games": compared(before, after)}
