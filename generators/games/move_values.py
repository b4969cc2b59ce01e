"""Move values: in a game like connect four, does each move win, draw or lose?

The value of a position's moves, where `connect_four` asks for the best ones. `solve` searches
forward on bits; `verify` writes down every position that can come about and goes backward.
"""

from dataclasses import replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.games import connect_four
from puzzlemill.generators.games.connect_four import LADDER, Board, Knobs

DRAWS = 30
WORDS = {1: "win", 0: "draw", -1: "loss"}


def generate(rng: Random, knobs: Knobs) -> Board | None:
    for _ in range(DRAWS):
        board = connect_four.drawn(rng, knobs)
        if board is None:
            continue
        values = list(connect_four.searched(board).values())
        # One value for nearly all moves could be told without a look at the board.
        if len(values) > 2 and max(map(values.count, values)) < len(values) - (len(values) > 4):
            return board
    return None


def solve(board: Board) -> tuple[str, ...]:
    return tuple(WORDS[value] for value in connect_four.searched(board).values())


def verify(board: Board, said: tuple[str, ...]) -> float:
    return float(list(said) == [WORDS[value] for value in connect_four.counted(board).values()])


def render(board: Board, style: Style) -> Prompt:
    me, columns = board.player, connect_four.open_columns(board)
    rule = (
        "X and O take turns dropping discs into columns; a disc falls to the lowest empty cell."
        f" Whoever first has {board.line} of their own discs side by side in a line, in a row, a"
        " column or a diagonal, wins. If the board fills up before that happens, the game is a"
        " draw."
    )
    ask = (
        f"it is {me}'s turn. For each column that is not full: if {me} moves there and both then"
        f" play perfectly, does {me} win, draw or lose?"
    )
    drawn = connect_four.shown(board)
    return Prompt(
        style.pick(
            f"A game like connect four, with the columns' numbers above the board (. is empty):"
            f"\n\n{drawn}\n\n{rule} Now {ask}",
            f"{drawn}\n\n{rule} A dot is an empty cell, and {ask}",
            f"{rule} On this board, where dots are empty cells, {ask}\n\n{drawn}",
        ),
        form=f"{len(columns)} words separated by commas, each win, draw or loss, for columns"
        f" {', '.join(map(str, columns))} in this order",
    )


def steps(board: Board) -> list[str]:
    values = connect_four.counted(board).items()
    return [f"column {number}: {WORDS[value]}" for number, value in values]


KIND = answers.WordList(
    "win, draw or loss for each column, in order",
    same=(
        ("lose", "loss"),
        ("loses", "loss"),
        ("lost", "loss"),
        ("wins", "win"),
        ("draws", "draw"),
    ),
)
FAMILY = Family(
    Board,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=KIND,
    notation=lambda board: replace(KIND, names=tuple(map(str, connect_four.open_columns(board)))),
    hardness=connect_four.hardness,
    proof="unique",
    solver="alpha and beta with a memory of positions",
    guess_rate=0.2,
    steps=steps,
    known=lambda board: tuple(WORDS.values()),
    skills=("games", "search"),
    theme="connect_four",
    version=5,
)
