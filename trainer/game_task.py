"""Games to learn from: the task of self-play."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from puzzlemill.difficulty.curricula import State
from puzzlemill.difficulty.policies.model import LocalPolicy, Reader
from puzzlemill.difficulty.policies.policy import Policy
from puzzlemill.difficulty.scoring import Judge
from puzzlemill.trainer.alternation import (
    Stage,
    next_stage,
    stage_from_json,
    stage_metrics,
    stage_to_json,
)
from puzzlemill.trainer.evaluation import Cell, PassCount
from puzzlemill.trainer.game_evaluation import compare_seats, measure_games, wins_by_cell
from puzzlemill.trainer.rollouts import Buffers
from puzzlemill.trainer.schedule import Row
from puzzlemill.trainer.selfplay import (
    PlayedGame,
    fingerprint,
    game_metrics,
    play_step,
    samples_of,
    updated_baselines,
)
from puzzlemill.trainer.settings import TrainGames
from puzzlemill.trainer.train_task import TrainBatch


@dataclass
class GameTask:
    settings: TrainGames
    seed: int = 0  # of the starts that are measured
    buffers: Buffers = field(default_factory=Buffers)
    baselines: dict[str, float] = field(default_factory=dict)  # by match and seat
    frozen: Mapping[str, Policy] = field(default_factory=dict)  # opponents, by their folders
    stage: Stage | None = None  # where kinds of moves are learned in turns

    def __post_init__(self) -> None:
        if self.settings.play.alternate.least:
            self.stage = self.stage or Stage()

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.settings.play)

    def collect(self, policy: Policy, judge: Judge, max_tokens: int, step: int) -> list[PlayedGame]:
        return play_step(policy, self.settings.play, step, self.frozen)

    def batch(
        self, rollouts: list[PlayedGame], policy: LocalPolicy, reference: Reader | None, step: int
    ) -> TrainBatch:
        learned = self.stage.learned if self.stage else "all"
        samples = samples_of(policy, rollouts, self.baselines, self.settings, learned)
        if self.stage is not None:
            self.stage = next_stage(self.stage, rollouts, self.settings.play.alternate)
        self.baselines = updated_baselines(self.baselines, rollouts, self.settings.play.memory)
        turns = [turn for each in rollouts for turn in each.transcript.turns]
        return TrainBatch(
            samples,
            replies=[turn.reply for turn in turns if turn.reply],
            reward=fmean(reward for each in rollouts for reward in each.results.values()),
            mixed=sum(any(sample.advantages) for sample in samples) / max(len(samples), 1),
            also=game_metrics(rollouts) | stage_metrics(self.stage),
        )

    def examples(self) -> list[Row]:
        return []

    def state(self) -> State:
        memory = {
            "entropy": self.buffers.entropy_weight,
            "stage": stage_to_json(self.stage),
        }
        return {"course": dict(self.baselines), "memory": memory}

    def restore(self, state: State) -> None:
        self.baselines = dict(state["course"])
        self.buffers.entropy_weight = state["memory"]["entropy"]
        self.stage = stage_from_json(state["memory"].get("stage"))

    def write_log(self) -> None:
        """There is none of games."""

    def measure(self, policy: Policy, judge: Judge) -> list[dict[str, Any]]:
        play, starts = self.settings.play, self.settings.heldout
        return measure_games(policy, play, starts, self.seed, self.frozen)

    def cells(self, measured: Sequence[Mapping[str, Any]]) -> Mapping[Cell, PassCount]:
        return wins_by_cell(measured)

    def summary(
        self, before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        return {"cells": [], "games": compare_seats(before, after)}
