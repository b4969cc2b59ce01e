"""Self-play: games of the current policy in every seat, each turn of its own a text to learn from.

SPIRAL's way: a turn is worth what its seat got from the game, above what that seat has been getting
on average. Every seat has a baseline of its own, since games are not fair: whoever begins wins more
often than not, and a seat must not be praised for that. In all else a step is one of GRPO's: the
same losses, the same record, and everything random fixed by its number.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b, sha256
from itertools import accumulate, product
from statistics import fmean
from typing import TypeAlias

import torch

from puzzlemill.core.errors import UserError
from puzzlemill.core.registry import game
from puzzlemill.difficulty.matches import ABORTED, AtRandom, Minimax, Ply, Transcript, play
from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.difficulty.policies.policy import Policy
from puzzlemill.trainer.batch import Text
from puzzlemill.trainer.means import weights
from puzzlemill.trainer.settings import Play, TrainGames
from puzzlemill.trainer.shapings.overlong import overlong

Baselines: TypeAlias = Mapping[str, float]  # by match and seat

GOLDEN = (5**0.5 - 1) / 2
ALONE = "alone"  # whom a game for one is played against


@dataclass(frozen=True, slots=True)
class Match:
    """What is played, and against whom."""

    game: str
    level: float
    rival: str

    def seat(self, seat: int) -> str:
        """What its baseline is known by."""
        return f"{self.game} {self.level:g} {self.rival} {seat}"


@dataclass(frozen=True, slots=True)
class Played:
    """A game, and whose turns are learned from."""

    match: Match
    transcript: Transcript
    learner: str  # a policy's id

    @property
    def results(self) -> dict[int, float]:
        """What each of the learner's seats got."""
        both = zip(self.transcript.players, self.transcript.rewards, strict=True)
        return {seat: got for seat, (who, got) in enumerate(both) if who == self.learner}

    def turns(self, seat: int) -> list[Ply]:
        return [turn for turn in self.transcript.turns if turn.seat == seat]

    @property
    def illegal(self) -> int | None:
        """The learner's seat that lost by an illegal move, if one did."""
        last = self.transcript.turns[-1].seat if self.transcript.turns else None
        return last if self.transcript.end == "illegal move" else None


def played(policy: Policy, settings: Play, step: int) -> list[Played]:
    """The games of a step: each start once from every seat."""
    found = []
    for match, starts in shared_out(settings, step).items():
        found += matched(policy, match, starts, f"train {step}")
    ended = [each for each in found if each.transcript.end not in ABORTED]
    if not ended:
        raise UserError(
            f"no game of {found[0].match.game} could be played: its prompts leave no room for a"
            " reply; lower [policy] max_tokens, or take a model with more positions"
        )
    return ended


def shared_out(settings: Play, step: int) -> dict[Match, int]:
    """How many starts each match has in a step: its share, rounded up or down by turns."""
    shares = matches(settings)
    edges = [*accumulate(shares.values())]
    offset = step * GOLDEN % 1  # over many steps, evenly between 0 and 1
    points = [(place + offset) / settings.starts * edges[-1] for place in range(settings.starts)]
    last = len(edges) - 1
    drawn = Counter(min(bisect_right(edges, point), last) for point in points)
    return {match: drawn[place] for place, match in enumerate(shares) if drawn[place]}


def matches(settings: Play) -> dict[Match, float]:
    """All there are, and the share of each: games and levels evenly, rivals as asked."""
    whole = sum(settings.opponents.values())
    return {
        Match(name, level, rival): share / whole
        for name, level in product(settings.games, settings.levels)
        for rival, share in rivals(name, settings.opponents, whole)
    }


def rivals(name: str, shares: Mapping[str, float], whole: float) -> list[tuple[str, float]]:
    return [*shares.items()] if game(name).players > 1 else [(ALONE, whole)]


def matched(policy: Policy, match: Match, starts: int, purpose: str) -> list[Played]:
    """A match's games; against itself a policy has all seats, otherwise each of them in turn."""
    found = game(match.game)
    others = [player(match.rival, policy) for _ in range(found.players - 1)]
    seed = blake2b(f"{purpose}\0{match}".encode(), digest_size=7).digest()
    games = play(
        found, (policy, *others), starts * found.players, int.from_bytes(seed), match.level
    )
    return [Played(match, each, policy.id) for each in games]


def player(name: str, policy: Policy) -> Policy | AtRandom | Minimax:
    if name == "self":
        return policy
    return AtRandom() if name == "random" else Minimax(int(name.removeprefix("minimax-")))


def texts_of(
    policy: LocalPolicy, games: Sequence[Played], baselines: Baselines, settings: TrainGames
) -> list[Text]:
    """What there is to learn from: every turn of the policy's own."""
    most, shaping = policy.sampling.max_tokens, settings.reward
    texts = []
    for each in games:
        for turn, advantage in advantages(each, baselines, settings.play.discount):
            assert turn.reply is not None
            if not turn.reply.tokens or (shaping.cut_off == "leave" and not turn.reply.finished):
                continue
            if shaping.overlong:
                length = torch.tensor(float(len(turn.reply.tokens)))
                advantage += overlong(length, most, shaping.overlong).item()
            weighed = settings.loss.positives * advantage if advantage > 0 else advantage
            asked = tuple(policy.tokens.ids(turn.messages))
            texts.append(Text(asked, turn.reply.tokens, turn.reply.logps, weighed))
    shares = weights([len(text.reply) for text in texts], settings.loss, most)
    return [replace(text, weight=share) for text, share in zip(texts, shares, strict=True)]


def advantages(each: Played, baselines: Baselines, discount: float) -> Iterator[tuple[Ply, float]]:
    """The policy's turns in a game, each with what its seat got above its baseline.

    The whole is discounted, not the result alone: a seat that always gets the same, win or lose,
    has nothing to learn from it.
    """
    for seat, result in each.results.items():
        above = result - baselines.get(each.match.seat(seat), 0.0)
        for left, turn in enumerate(reversed(each.turns(seat))):
            yield turn, above * discount**left


def remembered(baselines: Baselines, games: Sequence[Played], memory: float) -> dict[str, float]:
    """The baselines after some more games: exponential averages, from 0 on, game by game.

    A game that was over before a seat's first turn says nothing of how its turns do.
    """
    found = dict(baselines)
    for each in games:
        for seat, result in each.results.items():
            if not each.turns(seat):
                continue
            name = each.match.seat(seat)
            found[name] = memory * found.get(name, 0.0) + (1 - memory) * result
    return found


def told_of(games: Sequence[Played]) -> dict[str, float]:
    """Of a step: how long games were, how many the policy lost by its form, what each seat got."""
    results: dict[str, list[float]] = {}
    for each in games:
        for seat, result in each.results.items():
            results.setdefault(each.match.seat(seat), []).append(result)
    return {
        "turns": fmean(len(each.transcript.turns) for each in games),
        "illegal": fmean(each.illegal is not None for each in games),
        **{name: fmean(found) for name, found in sorted(results.items())},
    }


def fingerprint(settings: Play) -> str:
    """Which games these are: going on after one of them has changed would be another run."""
    whole = [(name, game(name).version) for name in settings.games]
    return sha256(repr((whole, settings.levels)).encode()).hexdigest()
