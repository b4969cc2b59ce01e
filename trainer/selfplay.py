"""Self-play: games of the current policy in every seat, each turn of its own a training sample.

As in SPIRAL, the advantage of a turn is its seat's return above the seat's baseline, an exponential
average of its returns. Every seat has a baseline of its own, since games are not fair: whoever
begins wins more often than not, and a seat must not be praised for that. In all else a step is one
of GRPO's: the same losses, the same record, and everything random fixed by its number.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b, sha256
from itertools import accumulate, product
from math import isnan
from pathlib import Path
from statistics import fmean, stdev
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import torch

from puzzlemill.core.errors import UserError
from puzzlemill.core.registry import game
from puzzlemill.difficulty.matches import ABORTED, AtRandom, Minimax, Player, Ply, Transcript, play
from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.difficulty.policies.policy import Policy, Question
from puzzlemill.difficulty.policies.weight_files import digest
from puzzlemill.trainer.means import weights
from puzzlemill.trainer.micro_batch import Sample
from puzzlemill.trainer.settings import TrainGames
from puzzlemill.trainer.settings.games import Play, is_folder
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
        """The key of its baseline."""
        return f"{self.game} {self.level:g} {self.rival} {seat}"


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game, and whose turns are trained on."""

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


def play_step(
    policy: Policy, settings: Play, step: int, frozen: Mapping[str, Policy] = MappingProxyType({})
) -> list[PlayedGame]:
    """The games of a step: each start once from every seat."""
    games = []
    for match, starts in starts_by_match(settings, step).items():
        games += play_match(policy, match, starts, f"train {step}", frozen)
    ended = [each for each in games if each.transcript.end not in ABORTED]
    if not ended:
        raise UserError(
            f"no game of {games[0].match.game} could be played: its prompts leave no room for a"
            " reply; lower [policy] max_tokens, or take a model with more positions"
        )
    return ended


def starts_by_match(settings: Play, step: int) -> dict[Match, int]:
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


def play_match(
    policy: Policy,
    match: Match,
    starts: int,
    purpose: str,
    frozen: Mapping[str, Policy] = MappingProxyType({}),
) -> list[PlayedGame]:
    """A match's games; against itself a policy has all seats, otherwise each of them in turn.
    Frozen are earlier checkpoints, by their folders."""
    rules = game(match.game)
    others = [player(match.rival, policy, frozen) for _ in range(rules.players - 1)]
    seed = blake2b(f"{purpose}\0{match}".encode(), digest_size=7).digest()
    transcripts = play(
        rules, (policy, *others), starts * rules.players, int.from_bytes(seed), match.level
    )
    return [PlayedGame(match, each, policy.id) for each in transcripts]


def player(name: str, policy: Policy, frozen: Mapping[str, Policy]) -> Player:
    if name == "self":
        return policy
    if is_folder(name):
        return frozen[name]
    return AtRandom() if name == "random" else Minimax(int(name.removeprefix("minimax-")))


def samples_of(
    policy: LocalPolicy,
    games: Sequence[PlayedGame],
    baselines: Baselines,
    settings: TrainGames,
    learned: Literal["all", "free", "judged"] = "all",
) -> list[Sample]:
    """Every turn of the policy's own, or those alone whose moves are free, or judged."""
    max_tokens, shaping = policy.sampling.max_tokens, settings.reward
    play, samples = settings.play, []
    anchored = iter(anchor_advantages(games, play.discount))
    for each in games:
        for turn, advantage in advantages(each, baselines, play.discount):
            advantage += play.anchor * next(anchored)
            assert turn.reply is not None
            if learned != "all" and turn.judged != (learned == "judged"):
                continue
            if not turn.reply.tokens or (shaping.cut_off == "leave" and not turn.reply.finished):
                continue
            if shaping.overlong:
                length = torch.tensor(float(len(turn.reply.tokens)))
                advantage += overlong(length, max_tokens, shaping.overlong).item()
            weighed = settings.loss.positives * advantage if advantage > 0 else advantage
            question = Question(turn.messages, 0, turn.images)
            prompt, shown = tuple(policy.tokens.prompt(question)), policy.tokens.shown(question)
            reply = turn.reply
            samples.append(Sample(prompt, reply.tokens, reply.logps, weighed, shown=shown))
    shares = weights([len(each.reply) for each in samples], settings.loss, max_tokens)
    return [replace(each, weight=share) for each, share in zip(samples, shares, strict=True)]


def advantages(
    played: PlayedGame, baselines: Baselines, discount: float
) -> Iterator[tuple[Ply, float]]:
    """The policy's turns in a game, each with its seat's return above the baseline.

    The difference is discounted, not the return alone: a seat that always gets the same, win or
    lose, has nothing to learn from it. A move that is judged by itself has its verdict beside the
    others of the game, as replies of a group have in GRPO.
    """
    for seat, result in played.results.items():
        advantage = result - baselines.get(played.match.seat(seat), 0.0)
        later = 0
        for turn in reversed(played.turns(seat)):
            if turn.judged:
                yield turn, judged_advantage(played.transcript.verdicts, seat)
            else:
                yield turn, advantage * discount**later
                later += 1


def judged_advantage(verdicts: Sequence[float], seat: int) -> float:
    """A verdict above the mean of all there are, in standard deviations; alone, as it is."""
    some = [each for each in verdicts if not isnan(each)]
    if isnan(verdicts[seat]):  # the game ended before
        return 0.0
    if len(some) == 1:
        return verdicts[seat]
    spread = stdev(some)
    return (verdicts[seat] - fmean(some)) / spread if spread else 0.0


def anchor_advantages(games: Sequence[PlayedGame], discount: float) -> list[float]:
    """GiGPO: of each of the policy's turns, its seat's discounted result above the mean of all
    turns of the step in which a match showed the same state; in the order of `advantages`."""
    returns: list[float] = []
    members: dict[Any, list[int]] = {}  # the turns of each state
    for each in games:
        for seat, result in each.results.items():
            later = 0
            for turn in reversed(each.turns(seat)):
                shown = tuple((part["role"], part["content"]) for part in turn.messages)
                members.setdefault((each.match, shown, turn.images), []).append(len(returns))
                if turn.judged:
                    verdict = each.transcript.verdicts[seat]
                    returns.append(0.0 if isnan(verdict) else verdict)
                else:
                    returns.append(result * discount**later)
                    later += 1
    for places in members.values():
        mean = fmean(returns[place] for place in places)
        for place in places:
            returns[place] -= mean
    return returns


def updated_baselines(
    baselines: Baselines, games: Sequence[PlayedGame], memory: float
) -> dict[str, float]:
    """The baselines after some more games: exponential averages, from 0 on, game by game.

    A game that was over before a seat's first turn says nothing of how its turns do; nor does the
    result say how judged moves do.
    """
    updated = dict(baselines)
    for each in games:
        for seat, result in each.results.items():
            if all(turn.judged for turn in each.turns(seat)):
                continue
            name = each.match.seat(seat)
            updated[name] = memory * updated.get(name, 0.0) + (1 - memory) * result
    return updated


def game_metrics(games: Sequence[PlayedGame]) -> dict[str, float]:
    """Of a step: the mean length of games, the share with an illegal move, each seat's result."""
    results: dict[str, list[float]] = {}
    for each in games:
        for seat, result in each.results.items():
            results.setdefault(each.match.seat(seat), []).append(result)
    return {
        "turns": fmean(len(each.transcript.turns) for each in games),
        "illegal": fmean(each.illegal is not None for each in games),
        **{name: fmean(rewards) for name, rewards in sorted(results.items())},
    }


def fingerprint(settings: Play) -> str:
    """Which games these are: going on after one of them has changed would be another run."""
    whole = [(name, game(name).version) for name in settings.games]
    folders = [(name, digest(Path(name))) for name in settings.opponents if is_folder(name)]
    parts = (whole, settings.levels, folders) if folders else (whole, settings.levels)
    return sha256(repr(parts).encode()).hexdigest()
