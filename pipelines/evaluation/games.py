"""The games of an evaluation: against minimax, or random moves where something is hidden."""

from collections.abc import Callable, Sequence
from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.game import AnyGame
from puzzlemill.difficulty.matches import ABORTED, AtRandom, Minimax, Transcript, play
from puzzlemill.difficulty.policies.policy import Policy
from puzzlemill.pipelines.evaluation.journal import GAMES, Journal
from puzzlemill.pipelines.evaluation.settings import Evaluation

LEVEL = 0.5


def play_games(
    settings: Evaluation,
    names: Sequence[str],
    journal: Journal,
    policy: Policy,
    tell: Callable[[str], None],
) -> None:
    """Play those games that have not been played yet."""
    played = {line["game"] for line in journal.games()}
    for name in (name for name in names if name not in played):
        game = registry.game(name)
        opponent = Minimax(settings.depth) if game.open else AtRandom()
        players = [policy, *[opponent] * (game.players - 1)]
        transcripts = play(game, players, settings.matches, seed=journal.seed, level=LEVEL)
        line = _line(game, opponent.id, policy.id, transcripts)
        journal.add([line], GAMES)
        tell(f"{name}: {line['won']} won, {line['drawn']} drawn, {line['lost']} lost")


def _line(
    game: AnyGame, opponent: str, policy: str, transcripts: Sequence[Transcript]
) -> dict[str, Any]:
    counts = {"won": 0, "drawn": 0, "lost": 0, "illegal": 0, "aborted": 0}
    for each in transcripts:
        if each.end in ABORTED:
            counts["aborted"] += 1
            continue
        seat = each.players.index(policy)
        rest = max(each.rewards[:seat] + each.rewards[seat + 1 :] or (0,))
        own = each.rewards[seat]
        counts["won" if own > rest else "drawn" if own == rest else "lost"] += 1
        counts["illegal"] += each.end == "illegal move" and each.turns[-1].seat == seat
    return {"game": game.name, "version": game.version, "opponent": opponent, **counts}
