"""Matches: many games in parallel, between policies and players that follow a rule.

Prompts, replies and rewards are kept turn by turn and by seat, as self-play training needs them: a
seat has its own expected reward, so baselines are kept for each.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from random import Random
from typing import Any, Literal

from puzzlemill.core.errors import UserError
from puzzlemill.core.game import AnyGame, begin, over, read
from puzzlemill.difficulty.policies.policy import Message, Policy, Question, Reply

End = Literal["finished", "illegal move", "question not taken", "no reply"]
ABORTED: tuple[End, ...] = ("question not taken", "no reply")  # no result for the players


@dataclass(frozen=True, slots=True)
class AtRandom:
    """A player that samples a legal move uniformly."""

    @property
    def id(self) -> str:
        return "random"


@dataclass(frozen=True, slots=True)
class Minimax:
    """A player that searches to a depth and takes one of the best moves."""

    depth: int = 2

    @property
    def id(self) -> str:
        return f"minimax-{self.depth}"


Player = Policy | AtRandom | Minimax


@dataclass(frozen=True, slots=True)
class Ply:
    """One player's turn."""

    seat: int
    move: str  # as the game writes it; empty where the reply held no legal move
    messages: tuple[Message, ...] = ()  # a policy's prompt, and its reply
    reply: Reply | None = None
    images: tuple[bytes, ...] = ()  # of the prompt, PNG
    judged: bool = False  # whether the move is judged by itself


@dataclass(frozen=True, slots=True)
class Transcript:
    """A game that has ended: `rewards` and `players` are by seat."""

    game: str
    version: int
    level: float
    seed: int
    players: tuple[str, ...]
    turns: tuple[Ply, ...]
    rewards: tuple[float, ...]
    end: End
    fault: str = ""  # why a move was illegal, in words for the policy that made it
    verdicts: tuple[float, ...] = ()  # by seat, of moves that are judged by themselves


@dataclass(slots=True)
class _MatchState:
    """A game under way."""

    number: int  # which of the games it is
    seed: int
    state: Any
    seats: tuple[Player, ...]
    turns: list[Ply] = field(default_factory=list)
    end: End | None = None
    fault: str = ""


def play(
    game: AnyGame, players: Sequence[Player], count: int, seed: int = 0, level: float = 0.5
) -> list[Transcript]:
    """`count` games in parallel: in each round every policy is sampled once, for all games in which
    it is to move. Self-play is the same policy twice.

    Games 2i and 2i + 1 have the same start, with the seats exchanged. An illegal move loses.
    """
    _check(game, players, count)
    matches = [
        _MatchState(number, start, begin(game, start, level), _seated(players, number))
        for number in range(count)
        for start in [_hashed(seed, number // game.players)]
    ]
    while under_way := [match for match in matches if match.end is None]:
        by_policy: dict[int, list[_MatchState]] = {}
        for match in under_way:
            if over(game, match.state):
                match.end = "finished"
                continue
            player = match.seats[game.to_move(match.state)]
            if isinstance(player, AtRandom | Minimax):
                key = match.seed, match.number, len(match.turns)
                _step(game, match, rule_move(game, match.state, player, key))
            else:
                by_policy.setdefault(id(player), []).append(match)
        for some in by_policy.values():
            _ask(game, some)
    return [_transcript(game, match, level) for match in matches]


def wins(transcripts: Sequence[Transcript], player: str) -> dict[str, float]:
    """The shares of games that a player won, drew, lost, and lost by an illegal move. Games against
    itself and aborted ones do not count."""
    counts = dict.fromkeys(("won", "drawn", "lost", "illegal"), 0)
    games = [
        each for each in transcripts if each.players.count(player) == 1 and each.end not in ABORTED
    ]
    for each in games:
        seat = each.players.index(player)
        own, rest = each.rewards[seat], max(each.rewards[:seat] + each.rewards[seat + 1 :] or (0,))
        counts["won" if own > rest else "drawn" if own == rest else "lost"] += 1
        counts["illegal"] += each.end == "illegal move" and each.turns[-1].seat == seat
    return {name: count / max(len(games), 1) for name, count in counts.items()}


def _check(game: AnyGame, players: Sequence[Player], count: int) -> None:
    if len(players) != game.players:
        raise UserError(f"{game.name} is for {game.players}, not for {len(players)}: name as many")
    if count < 1:
        raise UserError(f"{count} games; ask for 1 or more")
    for player in players:
        if isinstance(player, Minimax) and not game.open:
            raise UserError(
                f"minimax sees all of a state, but in {game.name} something is hidden: let a policy"
                " or AtRandom() play it"
            )
        if isinstance(player, Minimax) and player.depth < 1:
            raise UserError(f"minimax to depth {player.depth}: it looks at least 1 move ahead")


def _seated(players: Sequence[Player], number: int) -> tuple[Player, ...]:
    first = number % len(players)
    return (*players[first:], *players[:first])


def _hashed(*parts: object) -> int:
    """A seed, by hashing others."""
    key = "\0".join(map(repr, parts))
    return int.from_bytes(blake2b(key.encode(), digest_size=7).digest())


def _ask(game: AnyGame, matches: Sequence[_MatchState]) -> None:
    """One question for each of these matches, in all of which the same policy is to move."""
    seats = [game.to_move(match.state) for match in matches]
    policy = matches[0].seats[seats[0]]
    assert not isinstance(policy, AtRandom | Minimax)
    questions = []
    for match, seat in zip(matches, seats):
        shown = game.shown(match.state, seat)
        seed = _hashed(match.seed, match.number, len(match.turns))
        messages = ({"role": "user", "content": shown.text},)
        questions.append(Question(messages, seed, shown.images))
    taken = [policy.takes(question) for question in questions]
    readable = [question for question, takes in zip(questions, taken) if takes]
    replies = iter(policy.sample(readable, 1))
    for match, seat, question, takes in zip(matches, seats, questions, taken):
        if not takes:
            match.end = "question not taken"
            continue
        reply = next(replies)[0]
        if reply.error:
            match.end = "no reply"
            continue
        move = read(game, match.state, reply.text)
        turn = Ply(
            seat, "", question.messages, reply, question.images, _is_judged(game, match.state)
        )
        if move is None:
            form = game.shown(match.state, seat).form
            match.turns.append(turn)
            match.end = "illegal move"
            match.fault = f"The reply holds no legal move; what was asked for is {form}."
        else:
            _step(game, match, move, replace(turn, move=game.write(move)))


def _step(game: AnyGame, match: _MatchState, move: Any, turn: Ply | None = None) -> None:
    seat, judged = game.to_move(match.state), _is_judged(game, match.state)
    match.turns.append(turn or Ply(seat, game.write(move), judged=judged))
    match.state = game.step(match.state, move)


def _is_judged(game: AnyGame, state: Any) -> bool:
    return game.is_judged is not None and game.is_judged(state)


def _verdicts(game: AnyGame, match: _MatchState) -> tuple[float, ...]:
    """An illegal move that would have been judged is wrong."""
    if game.verdicts is None:
        return ()
    found = [*game.verdicts(match.state)]
    if match.end == "illegal move" and match.turns[-1].judged:
        found[match.turns[-1].seat] = -1.0
    return tuple(found)


def _transcript(game: AnyGame, match: _MatchState, level: float) -> Transcript:
    assert match.end is not None
    rewards = game.score(match.state) if match.end == "finished" else (0.0,) * game.players
    if match.end == "illegal move":
        rewards = forfeited(game, match.turns[-1].seat)
    return Transcript(
        game.name, game.version, level, match.seed, tuple(each.id for each in match.seats),
        tuple(match.turns), rewards, match.end, match.fault, _verdicts(game, match),
    )  # fmt: skip


def forfeited(game: AnyGame, loser: int) -> tuple[float, ...]:
    """The rewards by seat where one has made an illegal move."""
    others = 1.0 if game.rivals else 0.0
    return tuple(-1.0 if seat == loser else others for seat in range(game.players))


def rule_move(
    game: AnyGame, state: Any, player: AtRandom | Minimax, key: tuple[object, ...]
) -> Any:
    """The move of a player that follows a rule; the key, a seed, decides between equal ones."""
    rng = Random(_hashed(*key, player.id))
    moves = game.legal(state)
    if isinstance(player, AtRandom):
        return rng.choice(moves)
    seat = game.to_move(state)
    values_of: dict[tuple[Any, int], tuple[float, ...]] = {}  # transposition table
    value_of = partial(_minimax, game, values_of)
    values = [value_of(game.step(state, move), player.depth - 1)[seat] for move in moves]
    best = max(values)
    return rng.choice([move for move, value in zip(moves, values) if value == best])


def _minimax(
    game: AnyGame, values: dict[tuple[Any, int], tuple[float, ...]], state: Any, depth: int
) -> tuple[float, ...]:
    """The value of a state for each player by search to a depth, if all play their best moves."""
    moves = game.legal(state) if depth else ()
    if not moves:
        return game.score(state)
    key = (state, depth)
    if key not in values:
        seat = game.to_move(state)
        after = (_minimax(game, values, game.step(state, move), depth - 1) for move in moves)
        values[key] = max(after, key=lambda scores: scores[seat])
    return values[key]
