"""Measuring a policy at games: what it wins from players that follow a rule, seat by seat."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

from puzzlemill.core.registry import game
from puzzlemill.difficulty.matches import ABORTED
from puzzlemill.difficulty.policies.policy import Policy
from puzzlemill.trainer.heldout import Cell
from puzzlemill.trainer.heldout import Tally as Won
from puzzlemill.trainer.selfplay import ALONE, Match, Played, matched
from puzzlemill.trainer.settings import Play

SEAT = ("game", "level", "against", "seat")


@dataclass(frozen=True, slots=True)
class Tally:
    games: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    illegal: int = 0  # of those lost
    reward: float = 0.0  # of all games


def contests(
    policy: Policy, settings: Play, starts: int, seed: int, judge: object = None
) -> list[dict[str, Any]]:
    """So many games in each seat of each match, from starts that no step plays: a row a seat."""
    found: dict[tuple[Any, ...], Tally] = {}
    for match in measured(settings):
        for each in matched(policy, match, starts, f"heldout {seed}"):
            if each.transcript.end not in ABORTED:
                for seat in each.results:
                    place = (match.game, match.level, match.rival, seat)
                    found[place] = counted(found.get(place, Tally()), each, seat)
    return [dict(zip(SEAT, place, strict=True)) | asdict(found[place]) for place in sorted(found)]


def measured(settings: Play) -> list[Match]:
    """Against whom: minimax only where nothing is hidden from it, nobody in a game for one."""
    return [
        Match(name, level, rival)
        for name, level in product(settings.games, settings.levels)
        for rival in (settings.against if game(name).players > 1 else (ALONE,))
        if game(name).open or not rival.startswith("minimax")
    ]


def counted(tally: Tally, each: Played, seat: int) -> Tally:
    """The tally with one game more. Alone, one wins by earning anything."""
    rewards = each.transcript.rewards
    own = rewards[seat]
    best = max(rewards[:seat] + rewards[seat + 1 :], default=None)
    won = own > 0 if best is None else own > best
    drawn = best is not None and own == best
    return Tally(
        tally.games + 1,
        tally.won + won,
        tally.drawn + drawn,
        tally.lost + (not won and not drawn),
        tally.illegal + (each.illegal == seat),
        tally.reward + own,
    )


def won(found: Sequence[Mapping[str, Any]]) -> dict[Cell, Won]:
    """Of all games at a level, how many were won."""
    counts: dict[Cell, Won] = {}
    for row in found:
        cell = (row["game"], row["level"])
        known = counts.get(cell, Won(0, 0))
        counts[cell] = Won(known.trials + row["games"], known.successes + row["won"])
    return counts


def compared(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """What became of each seat."""
    earlier = {tuple(row[name] for name in SEAT): row for row in before}
    found = []
    for row in after:
        seat = tuple(row[name] for name in SEAT)
        if seat in earlier:
            pair = {"before": earlier[seat], "after": row}
            tallies = {when: _without(SEAT, each) for when, each in pair.items()}
            found.append(dict(zip(SEAT, seat, strict=True)) | tallies)
    return found


def _without(names: Sequence[str], row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in row if name not in names}
