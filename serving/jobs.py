"""What worker processes do for a server: make items, and play a turn of a game.

Gold stays in the worker: what `ask` gives back has neither the answer nor the solution, so that no
response, error or log of the server can hold them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.errors import NoPuzzle, UserError
from puzzlemill.core.game import AnyGame, begin, over, read
from puzzlemill.core.item import Item
from puzzlemill.core.lookup import item_at
from puzzlemill.core.plain_data import freeze, thaw
from puzzlemill.core.rows import row_of
from puzzlemill.difficulty.hints import hinted
from puzzlemill.difficulty.matches import AtRandom, Minimax, rule_move
from puzzlemill.difficulty.prompt_styles import in_style

SESSION = "session"  # the opponent that is another session
OVER = "The game is over."
REACH = 8  # indices that are tried for one task, where the first gives no certified item


@dataclass(frozen=True, slots=True)
class ServedItem:
    """An item as a policy sees it, and what judging a reply needs."""

    fields: Mapping[str, Any]  # uid, family, version, puzzle: never sent
    prompt: str
    images: tuple[bytes, ...]  # PNG, one for each <image> in the prompt
    level: float
    index: int  # of its address: the task's, or a later one
    hinted: bool  # whether the prompt tells a part of the solution


def ask(task: Mapping[str, Any], style: str, hint: float, stride: int) -> ServedItem | UserError:
    """The item of a task, an address with its level.

    Some addresses give no certified item. Then the next is taken whose index is larger by `stride`,
    the count of tasks, so that no other task has it.
    """
    try:
        item = certified_item(task, stride)
    except UserError as error:
        return error
    row = in_style(row_of(item), style)
    with_hint = hinted(row, hint) if hint else ""
    if not isinstance(with_hint, str):
        row = with_hint
    fields = {name: row[name] for name in ("uid", "family", "version", "puzzle")}
    is_hinted = bool(hint) and not isinstance(with_hint, str)
    return ServedItem(
        fields, row["prompt"][-1]["content"], item.images, item.level, item.index, is_hinted
    )


def certified_item(task: Mapping[str, Any], stride: int) -> Item:
    level = task.get("level")
    for step in range(REACH):
        try:
            item = item_at({**task, "index": task["index"] + step * stride}, level)
        except NoPuzzle:
            continue
        if item.certificate:
            return item
    raise UserError("this task gives no certified item: take another")


@dataclass(frozen=True, slots=True)
class Position:
    """A game in which it is the policy's turn, or which is over."""

    state: str  # JSON, with what is hidden: never sent
    prompt: str
    moves: int  # so far, by all
    reward: float | None = None  # of the policy, -1..1, once the game is over
    fault: str = ""  # why its last move was illegal
    images: tuple[bytes, ...] = ()  # PNG, one for each <image> in the prompt


@dataclass(frozen=True, slots=True)
class Standing:
    """A game between sessions, after a move."""

    state: str
    moves: int
    turn: int | None = None  # the seat that is to move, if the game is not over
    prompt: str = OVER  # of whoever is to move
    images: tuple[bytes, ...] = ()
    rewards: tuple[float, ...] | None = None  # by seat, once it is over
    loser: int | None = None  # who has made an illegal move
    fault: str = ""  # why it was illegal

    def seen_from(self, seat: int) -> Position:
        """By who is to move, or at the end."""
        reward = None if self.rewards is None else self.rewards[seat]
        fault = self.fault if seat == self.loser else ""
        return Position(self.state, fault or self.prompt, self.moves, reward, fault, self.images)


def deal(task: Mapping[str, Any], opponent: str) -> Position | UserError:
    """The first position in which the policy is to move."""
    try:
        game = registry.game(task["game"])
        start = begin(game, seed_of(task), task["level"])
    except UserError as error:
        return error
    return _until_turn(game, start, task, opponent, 0)


def move(
    task: Mapping[str, Any], state: str, moves: int, reply: str, opponent: str
) -> Position | UserError:
    """The position after a reply; an illegal move loses."""
    game = registry.game(task["game"])
    before = thaw(game.state, state)
    played = read(game, before, reply)
    if played is None:
        fault = _fault(game, before, task["seat"])
        return Position(state, fault, moves + 1, -1.0, fault)
    return _until_turn(game, game.step(before, played), task, opponent, moves + 1)


def lay(task: Mapping[str, Any]) -> Standing | UserError:
    """A game between sessions, before the first move."""
    try:
        game = registry.game(task["game"])
        return _standing(game, begin(game, seed_of(task), task["level"]), 0)
    except UserError as error:
        return error


def play(task: Mapping[str, Any], state: str, moves: int, reply: str) -> Standing:
    """The same after a reply of the seat that is to move; an illegal move loses."""
    game, seat = registry.game(task["game"]), task["seat"]
    before = thaw(game.state, state)
    played = read(game, before, reply)
    if played is not None:
        return _standing(game, game.step(before, played), moves + 1)
    others = 1.0 if game.rivals else 0.0
    rewards = tuple(-1.0 if each == seat else others for each in range(game.players))
    fault = _fault(game, before, seat)
    return Standing(state, moves + 1, rewards=rewards, loser=seat, fault=fault)


def player_of(name: str) -> AtRandom | Minimax:
    """An opponent by its name: random, or minimax-2."""
    kind, _, depth = name.partition("-")
    if name == "random":
        return AtRandom()
    if kind == "minimax" and depth.isascii() and depth.isdigit() and 1 <= int(depth) <= 9:
        return Minimax(int(depth))
    raise UserError(f"opponent {name!r} is random, minimax-1 to minimax-9, or {SESSION}")


def _until_turn(
    game: AnyGame, state: Any, task: Mapping[str, Any], opponent: str, moves: int
) -> Position:
    """The opponent moves until the policy is to move or the game is over."""
    seat, player = task["seat"], player_of(opponent)
    while not over(game, state) and game.to_move(state) != seat:
        state = game.step(state, rule_move(game, state, player, (seed_of(task), moves)))
        moves += 1
    if over(game, state):
        return Position(freeze(state), OVER, moves, float(game.score(state)[seat]))
    shown = game.shown(state, seat)
    return Position(freeze(state), shown.text, moves, images=shown.images)


def _standing(game: AnyGame, state: Any, moves: int) -> Standing:
    if over(game, state):
        rewards = tuple(map(float, game.score(state)))
        return Standing(freeze(state), moves, rewards=rewards)
    seat = game.to_move(state)
    shown = game.shown(state, seat)
    return Standing(freeze(state), moves, seat, shown.text, shown.images)


def _fault(game: AnyGame, state: Any, seat: int) -> str:
    return f"The reply holds no legal move; what was asked for is {game.shown(state, seat).form}."


def seed_of(task: Mapping[str, Any]) -> int:
    """Of the deal: by hashing, so that neighbouring seeds and splits share nothing."""
    key = "\0".join(repr(task[name]) for name in ("split", "seed", "index"))
    return int.from_bytes(blake2b(key.encode(), digest_size=7).digest())
