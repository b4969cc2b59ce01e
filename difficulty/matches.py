"""Playing: many games side by side, between policies and players that follow a rule.

What a policy is shown, says and earns is kept turn by turn and by seat, as training by self-play
needs it: rewards differ by the seat one has, so baselines are kept for each.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from random import Random
from typing import Any, Literal

from puzzlemill.core.errors import UserError
from puzzlemill.core.game import AnyGame, begin, over, read
from puzzlemill.difficulty.policies.policy import Message, Policy, Question, Reply

End = Literal["finished", "illegal move", "question not taken", "no reply"]
BROKEN_OFF: tuple[End, ...] = ("question not taken", "no reply")  # says nothing of the players


@dataclass(frozen=True, slots=True)
class AtRandom:
    """A player that draws a legal move."""

    @property
    def id(self) -> str:
        return "random"


@dataclass(frozen=True, slots=True)
class Minimax:
    """A player that looks so many moves ahead and takes one that is best for it then."""

    depth: int = 2

    @property
    def id(self) -> str:
        return f"minimax-{self.depth}"


Player = Policy | AtRandom | Minimax


@dataclass(frozen=True, slots=True)
class Turn:
    seat: int
    move: str  # as the game writes it; empty where there was none that is legal
    messages: tuple[Message, ...] = ()  # what a policy was shown, and its reply
    reply: Reply | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """A game that was played: `rewards` and `players` are by seat."""

    game: str
    version: int
    level: float
    seed: int
    players: tuple[str, ...]
    turns: tuple[Turn, ...]
    rewards: tuple[float, ...]
    end: End
    fault: str = ""  # what the policy was told that lost by an illegal move


@dataclass(slots=True)
class _Table:
    """A game that is being played."""

    place: int  # which of the games it is
    seed: int
    state: Any
    seats: tuple[Player, ...]
    turns: list[Turn] = field(default_factory=list)
    end: End | None = None
    fault: str = ""


def play(
    game: AnyGame, players: Sequence[Player], count: int, seed: int = 0, level: float = 0.5
) -> list[Transcript]:
    """So many games, all at once: in each round, every policy is asked once for all games in which
    it is to move. Self-play is the same policy twice.

    Games 2i and 2i + 1 begin alike, with the seats exchanged. An illegal move loses.
    """
    _check(game, players, count)
    tables = [
        _Table(place, start, begin(game, start, level), _seated(players, place))
        for place in range(count)
        for start in [_number(seed, place // game.players)]
    ]
    while playing := [it for it in tables if it.end is None]:
        asked: dict[int, list[_Table]] = {}
        for table in playing:
            if over(game, table.state):
                table.end = "finished"
                continue
            player = table.seats[game.to_move(table.state)]
            if isinstance(player, AtRandom | Minimax):
                _step(game, table, _chosen(game, table, player))
            else:
                asked.setdefault(id(player), []).append(table)
        for some in asked.values():
            _ask(game, some)
    return [_transcript(game, table, level) for table in tables]


def wins(transcripts: Sequence[Transcript], player: str) -> dict[str, float]:
    """How often a player won, drew and lost, and by what it lost; games against itself and those
    that were broken off do not count."""
    counts = dict.fromkeys(("won", "drawn", "lost", "illegal"), 0)
    games = [it for it in transcripts if it.players.count(player) == 1 and it.end not in BROKEN_OFF]
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


def _seated(players: Sequence[Player], place: int) -> tuple[Player, ...]:
    turned = place % len(players)
    return (*players[turned:], *players[:turned])


def _number(*parts: object) -> int:
    """A seed made of others, by hashing."""
    key = "\0".join(map(repr, parts))
    return int.from_bytes(blake2b(key.encode(), digest_size=7).digest())


def _ask(game: AnyGame, tables: Sequence[_Table]) -> None:
    """One question each to the policy whose turn it is at all these tables."""
    seats = [game.to_move(table.state) for table in tables]
    policy = tables[0].seats[seats[0]]
    assert not isinstance(policy, AtRandom | Minimax)
    questions = []
    for table, seat in zip(tables, seats):
        text = game.shown(table.state, seat).text
        seed = _number(table.seed, table.place, len(table.turns))
        questions.append(Question(({"role": "user", "content": text},), seed))
    taken = [policy.takes(question) for question in questions]
    replies = iter(policy.sample([it for it, takes in zip(questions, taken) if takes], 1))
    for table, seat, question, takes in zip(tables, seats, questions, taken):
        if not takes:
            table.end = "question not taken"
            continue
        reply = next(replies)[0]
        if reply.error:
            table.end = "no reply"
            continue
        move = read(game, table.state, reply.text)
        if move is None:
            form = game.shown(table.state, seat).form
            table.turns.append(Turn(seat, "", question.messages, reply))
            table.end = "illegal move"
            table.fault = f"The reply holds no legal move; what was asked for is {form}."
        else:
            _step(game, table, move, Turn(seat, game.write(move), question.messages, reply))


def _step(game: AnyGame, table: _Table, move: Any, turn: Turn | None = None) -> None:
    seat = game.to_move(table.state)
    table.turns.append(turn or Turn(seat, game.write(move)))
    table.state = game.step(table.state, move)


def _transcript(game: AnyGame, table: _Table, level: float) -> Transcript:
    assert table.end is not None
    rewards = game.score(table.state) if table.end == "finished" else (0.0,) * game.players
    if table.end == "illegal move":
        loser = table.turns[-1].seat
        others = 1.0 if game.rivals else 0.0
        rewards = tuple(-1.0 if seat == loser else others for seat in range(game.players))
    return Transcript(
        game.name, game.version, level, table.seed, tuple(it.id for it in table.seats),
        tuple(table.turns), rewards, table.end, table.fault,
    )  # fmt: skip


def _chosen(game: AnyGame, table: _Table, player: AtRandom | Minimax) -> Any:
    source = Random(_number(table.seed, table.place, len(table.turns), player.id))
    moves = game.legal(table.state)
    if isinstance(player, AtRandom):
        return source.choice(moves)
    seat = game.to_move(table.state)
    known: dict[tuple[Any, int], tuple[float, ...]] = {}
    worth = partial(_worth, game, known)
    values = [worth(game.step(table.state, it), player.depth - 1)[seat] for it in moves]
    best = max(values)
    return source.choice([move for move, value in zip(moves, values) if value == best])


def _worth(
    game: AnyGame, known: dict[tuple[Any, int], tuple[float, ...]], state: Any, depth: int
) -> tuple[float, ...]:
    """What a state comes to for each player, if each does what is best for them, as far as seen."""
    moves = game.legal(state) if depth else ()
    if not moves:
        return game.score(state)
    key = (state, depth)
    if key not in known:
        seat = game.to_move(state)
        ahead = (_worth(game, known, game.step(state, it), depth - 1) for it in moves)
        known[key] = max(ahead, key=lambda scores: scores[seat])
    return known[key]
