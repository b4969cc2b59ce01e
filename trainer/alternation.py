"""Alternation (Vision-Zero): a game's free moves and its judged ones are learned in turns.

Self-play of what is worth what others make of it, clues above all, goes on until judged moves
become bad: too many are wrong, or made for nothing. These are learned next, against their verdicts,
until they are good. Each stage lasts a few steps at least, and ends after many in any case.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan
from statistics import fmean
from typing import Any, Literal

from puzzlemill.trainer.selfplay import PlayedGame
from puzzlemill.trainer.settings.games import Alternate


@dataclass(frozen=True, slots=True)
class Stage:
    """What is learned, for how many steps it has been, and how judged moves stand."""

    learned: Literal["free", "judged"] = "free"
    steps: int = 0
    right: float = 0.0  # exponential averages: the share of judged moves that are right,
    given_up: float = 0.0  # and of those that are neither right nor wrong
    known: bool = False  # whether there have been any


def next_stage(stage: Stage, games: Sequence[PlayedGame], settings: Alternate) -> Stage:
    """After a step's games."""
    verdicts = judged_verdicts(games)
    stage = replace(stage, steps=stage.steps + 1)
    if verdicts:
        right = fmean(each == 1 for each in verdicts)
        given_up = fmean(-1 < each < 1 for each in verdicts)
        kept = settings.memory if stage.known else 0.0
        stage = replace(
            stage,
            right=kept * stage.right + (1 - kept) * right,
            given_up=kept * stage.given_up + (1 - kept) * given_up,
            known=True,
        )
    if stage.steps < settings.least or not (
        stage.steps >= settings.most or _is_due(stage, settings)
    ):
        return stage
    return replace(stage, learned="judged" if stage.learned == "free" else "free", steps=0)


def _is_due(stage: Stage, settings: Alternate) -> bool:
    if not stage.known:
        return False
    if stage.learned == "judged":
        return stage.right >= settings.good and stage.given_up <= settings.few_given_up
    wrong = 1 - stage.right
    return wrong >= settings.bad or stage.given_up >= settings.many_given_up


def judged_verdicts(games: Sequence[PlayedGame]) -> list[float]:
    """Of the learner's judged moves."""
    return [
        each.transcript.verdicts[seat]
        for each in games
        for seat in each.results
        if each.transcript.verdicts and not isnan(each.transcript.verdicts[seat])
    ]


def stage_metrics(stage: Stage | None) -> dict[str, float]:
    if stage is None:
        return {}
    return {
        "judged right": stage.right,
        "judged given up": stage.given_up,
        "learns judged moves": float(stage.learned == "judged"),
    }


def stage_to_json(stage: Stage | None) -> dict[str, Any] | None:
    return asdict(stage) if stage else None


def stage_from_json(data: dict[str, Any] | None) -> Stage | None:
    return Stage(**data) if data else None
