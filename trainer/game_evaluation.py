"""Evaluation at games: wins against players that follow a rule, seat by seat."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from statistics import fmean
from types import MappingProxyType
from typing import Any

from puzzlemill.core.registry import game
from puzzlemill.difficulty.matches import ABORTED
from puzzlemill.difficulty.policies.policy import Policy
from puzzlemill.trainer.evaluation import Cell, PassCount
from puzzlemill.trainer.selfplay import ALONE, Match, PlayedGame, play_match
from puzzlemill.trainer.settings.games import Play

SEAT = ("game", "level", "against", "seat")


@dataclass(frozen=True, slots=True)
class SeatRecord:
    games: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    illegal: int = 0  # of those lost
    reward: float = 0.0  # of all games


def measure_games(
    policy: Policy,
    settings: Play,
    starts: int,
    seed: int,
    frozen: Mapping[str, Policy] = MappingProxyType({}),
) -> list[dict[str, Any]]:
    """So many games in each seat of each match, from starts that no step plays: a row a seat."""
    records: dict[tuple[Any, ...], SeatRecord] = {}
    for match in evaluation_matches(settings):
        for each in play_match(policy, match, starts, f"heldout {seed}", frozen):
            if each.transcript.end not in ABORTED:
                for seat in each.results:
                    place = (match.game, match.level, match.rival, seat)
                    record = records.get(place, SeatRecord())
                    records[place] = with_game(record, each, seat)
    return [
        dict(zip(SEAT, place, strict=True)) | asdict(records[place]) for place in sorted(records)
    ]


def evaluation_matches(settings: Play) -> list[Match]:
    """Against whom: minimax only where nothing is hidden from it, nobody in a game for one."""
    return [
        Match(name, level, rival)
        for name, level in product(settings.games, settings.levels)
        for rival in (settings.against if game(name).players > 1 else (ALONE,))
        if game(name).open or not rival.startswith("minimax")
    ]


def with_game(record: SeatRecord, played: PlayedGame, seat: int) -> SeatRecord:
    """The record with one game more. Alone, one wins by earning anything; beside others, by earning
    more than they do on average."""
    rewards = played.transcript.rewards
    own, others = rewards[seat], rewards[:seat] + rewards[seat + 1 :]
    mean = fmean(others) if others else None
    won = own > 0 if mean is None else own > mean
    drawn = mean is not None and own == mean
    return SeatRecord(
        record.games + 1,
        record.won + won,
        record.drawn + drawn,
        record.lost + (not won and not drawn),
        record.illegal + (played.illegal == seat),
        record.reward + own,
    )


def wins_by_cell(measured: Sequence[Mapping[str, Any]]) -> dict[Cell, PassCount]:
    """Of all games at a level, how many were won."""
    counts: dict[Cell, PassCount] = {}
    for row in measured:
        cell = (row["game"], row["level"])
        count = counts.get(cell, PassCount(0, 0))
        counts[cell] = PassCount(count.trials + row["games"], count.successes + row["won"])
    return counts


def compare_seats(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Each seat's record before and after."""
    earlier = {tuple(row[name] for name in SEAT): row for row in before}
    compared = []
    for row in after:
        seat = tuple(row[name] for name in SEAT)
        if seat in earlier:
            pair = {"before": earlier[seat], "after": row}
            records = {when: _without(SEAT, each) for when, each in pair.items()}
            compared.append(dict(zip(SEAT, seat, strict=True)) | records)
    return compared


def _without(names: Sequence[str], row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in row if name not in names}
