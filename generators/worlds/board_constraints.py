"""Board constraints: fill a square board with regions under rules that are drawn.

Rules speak of rows, columns, regions, neighbours, lines as they are seen from an end, and of what
must hang together or keep apart. `solve` has a SAT solver find the board and prove that there is
no other; `verify` judges a whole board rule by rule, without the encoder. No rule and no known cell
can be left out. The set of rules, whatever symbols and regions are called, decides the split.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import log2
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import capital, counted, listed
from puzzlemill.generators import _cells
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators._sat import load, loaded, only_model
from puzzlemill.generators.worlds._board_sat import (
    board_of,
    cuts,
    deciding,
    encoded,
    gate,
    literal,
)
from puzzlemill.generators.worlds._board_terms import (
    GENERAL,
    SYMMETRIC,
    Filled,
    Layout,
    Rule,
    general,
    holds,
    local,
    sensible,
    worded,
)

ROUNDS = 60  # boards that are ruled out one after the other
DRAWS = 40  # of a rule that rules one out

Known = tuple[int, int, str]  # row, column, symbol

# The letter of each symbol, one of it and many of it.
SKINS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "letters": (("A", "A", "As"), ("B", "B", "Bs"), ("C", "C", "Cs")),
    "garden": (("R", "rose", "roses"), ("T", "tulip", "tulips"), ("L", "lily", "lilies")),
    "tiles": (("W", "white tile", "white tiles"), ("K", "black tile", "black tiles"),
              ("G", "grey tile", "grey tiles")),
    "yard": (("H", "hen", "hens"), ("D", "duck", "ducks"), ("P", "pig", "pigs")),
}  # fmt: skip

LETTERS = "".join(letter for words in SKINS.values() for letter, _, _ in words)


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the board
    symbols: int  # two or three, which fill the cells
    regions: int  # of the board
    rules: int  # that are drawn, at most; cells are told in place of more
    joined: float  # the share of rules that join two others: "if ..., then ..."


@dataclass(frozen=True, slots=True)
class World:
    skin: str
    symbols: tuple[int, ...]  # what the skin has in the place of A, B and C
    layout: Layout  # the region of each cell
    rules: tuple[Rule, ...]
    known: tuple[Known, ...]  # cells that are told


def generate(rng: Random, knobs: Knobs) -> World | None:
    names = "ABC"[: knobs.symbols]
    layout = _cells.regions(rng, knobs.side, knobs.side, knobs.regions)
    board = _drawn_board(rng, knobs.side, names)
    others = _others(layout, names, board)
    rules, known = list[Rule](), list[Known]()
    for _ in range(DRAWS):
        rule = general(rng, names, board)
        if len(rules) < 2 and rule not in rules and holds(rule, board, layout):
            rules.append(rule)
    broken = list[tuple[Filled, set[Rule | Known]]]()  # other boards, and what rules them out
    for _ in range(ROUNDS):
        other, core = others(rules, known)
        if other is None:
            break
        fresh = _against(rng, knobs, board, layout, other) if len(rules) < knobs.rules else None
        if fresh:
            rules.append(fresh)
        else:
            cell = rng.choice([cell for cell in board if board[cell] != other[cell]])
            known.append((*cell, board[cell]))
        broken.append((other, set()))
        for before, parts in broken:
            if fresh and not holds(fresh, before, layout):
                parts.add(fresh)
            elif not fresh and before[cell] != board[cell]:
                parts.add(known[-1])
    else:
        return None
    rules.sort(key=lambda rule: rule[0] in GENERAL)  # these are tried last, and so stay oftener
    left: set[Rule | Known] = {*rules, *known}
    for part in [*known, *rules]:
        if any(parts & left == {part} for _, parts in broken):
            continue  # nothing else rules out that board
        fewer = [it for it in rules if it is not part], [it for it in known if it is not part]
        if part in core:
            other, found = others(*fewer)
            if other is not None:
                continue
            core = found
        rules, known = fewer
        left.discard(part)
    if len(rules) < 3:
        return None
    rng.shuffle(rules)
    skin = rng.choice(list(SKINS))
    symbols = rng.sample(range(len(SKINS[skin])), knobs.symbols)
    return World(skin, tuple(symbols), layout, tuple(rules), tuple(sorted(known)))


def solve(world: World) -> tuple[str, ...] | None:
    """By SAT, with a second call that proves that there is no other board."""
    names = _names(world)
    coding = encoded(world.layout, names)
    gates = [gate(coding, rule) for rule in world.rules]
    told = [literal(coding, (row, column), symbol) for row, column, symbol in world.known]
    clauses = [*coding.circuit.clauses, *([it] for it in [*gates, *told])]
    true = only_model(clauses, deciding(coding), lambda true: cuts(coding, true, gates))
    if true is None:
        return None
    board = {cell: name for name in names for cell in board_of(coding, true, name)}
    return _written(world, board)


def verify(world: World, rows: tuple[str, ...]) -> float:
    side = len(world.layout)
    letters = {SKINS[world.skin][it][0]: name for it, name in zip(world.symbols, "ABC")}
    if len(rows) != side or any(len(row) != side or not set(row) <= set(letters) for row in rows):
        return 0.0
    board = {(row, column): letters[sign] for row, line in enumerate(rows)
             for column, sign in enumerate(line)}  # fmt: skip
    if any(board[row, column] != symbol for row, column, symbol in world.known):
        return 0.0
    return float(all(holds(rule, board, world.layout) for rule in world.rules))


def render(world: World, style: Style) -> Prompt:
    words = [SKINS[world.skin][it] for it in world.symbols]
    nouns = {name: (one, many) for name, (_, one, many) in zip("ABC", words)}
    letters = listed(letter for letter, _, _ in words)
    filled = listed(many if many[:-1] == letter else f"{many} ({letter})"
                    for letter, _, many in words)  # fmt: skip
    rules = "\n".join(
        f"{at}. {capital(worded(it, nouns))}." for at, it in enumerate(world.rules, 1)
    )
    side = len(world.layout)
    size = f"{counted(side, 'row')} and {counted(side, 'column')}"
    plan = ""
    if any("region" in _leaves(rule) for rule in world.rules):
        numbers = _cells.drawn([[it + 1 for it in row] for row in world.layout])
        plan = f" The cells belong to regions with these numbers:\n\n{numbers}\n\n"
    known = f"\n\nPart of the board is known (? is a cell that is not):\n\n{_begun(world)}" \
        if world.known else ""  # fmt: skip
    count = "Rows are counted from the top and columns from the left."
    question = style.pick(
        f"A board has {size}, and every cell holds one thing: the board is filled with {filled}."
        f" {count}{plan or ' '}These rules hold:\n\n{rules}{known}\n\nFill in the whole board.",
        f"Fill a board of {size} with {filled}, one in each cell, so that all of these rules are"
        f" obeyed:\n\n{rules}{known}\n\n{count}{plan or ' '}There is just one way.",
        f"{rules}\n\nThese are the rules for a board of {size}, in which each cell is taken by"
        f" one of {filled}. {count}{plan or ' '}Only one"
        f" board follows every rule.{known}\n\nWhich one is it?",
    )
    return Prompt(
        question.replace("\n\n\n\n", "\n\n"),
        f"the rows of the board from top to bottom, one line each, written with the letters"
        f" {letters} and without spaces",
    )


def without(world: World) -> Iterator[World]:
    for at in range(len(world.rules)):
        yield replace(world, rules=world.rules[:at] + world.rules[at + 1 :])
    for at in range(len(world.known)):
        yield replace(world, known=world.known[:at] + world.known[at + 1 :])


def kin(world: World) -> list[str]:
    """The rules, whatever symbols and regions are called."""
    return unnamed([*world.rules, ("side", len(world.layout))], _all_names(world), SYMMETRIC)


def canon(world: World) -> list[str]:
    cells = [("cell", row, column, f"r{it}") for row, line in enumerate(world.layout)
             for column, it in enumerate(line)]  # fmt: skip
    told = [("known", *it) for it in world.known]
    return unnamed([*world.rules, *cells, *told], _all_names(world), SYMMETRIC)


def hardness(world: World) -> float:
    """Bits to be found, and rules that must be split into cases."""
    cells = len(world.layout) ** 2 - len(world.known)
    return cells * log2(len(world.symbols)) + 0.3 * len(world.rules)


def _drawn_board(rng: Random, side: int, names: str) -> Filled:
    """A board at random, in which a symbol may hang together or keep apart."""
    cells = _cells.cells(side, side)
    board = {cell: rng.choice(names) for cell in cells}
    if rng.random() < 0.7:
        board = {cell: rng.choice(names[1:]) for cell in cells}
        grown = rng.random() < 0.6
        piece = {rng.choice(cells)}
        for cell in rng.choices(cells, k=6 * len(cells)):
            if len(piece) < len(cells) * 0.45:
                near = piece.intersection(_cells.beside(cell, side, side))
                if bool(near) == grown:
                    piece.add(cell)
        board |= dict.fromkeys(piece, names[0])
    return board


def _others(
    layout: Layout, names: str, board: Filled
) -> Callable[[list[Rule], list[Known]], tuple[Filled | None, set[Rule | Known]]]:
    """A function that finds another board under rules and known cells, or else which of them leave
    none."""
    coding = encoded(layout, names)
    solver = loaded([[-literal(coding, cell, board[cell]) for cell in board]])
    added, made, cells = 0, dict[Rule, int](), len(deciding(coding))

    def other(rules: list[Rule], known: list[Known]) -> tuple[Filled | None, set[Rule | Known]]:
        nonlocal added
        for rule in rules:
            if rule not in made:
                made[rule] = gate(coding, rule)
        load(solver, coding.circuit.clauses[added:])
        added = len(coding.circuit.clauses)
        gates = [made[rule] for rule in rules]
        told = [literal(coding, (row, column), symbol) for row, column, symbol in known]
        while solver.solve(assumptions=[*gates, *told]):
            true = {it for it in solver.get_model()[:cells] if it > 0}
            broken = cuts(coding, true, gates)
            if not broken:
                found = {cell: name for name in names for cell in board_of(coding, true, name)}
                return found, set()
            load(solver, broken)
        core = set(solver.get_core() or ())
        parts = zip([*gates, *told], [*rules, *known], strict=True)
        return None, {part for it, part in parts if it in core}

    return other


def _against(
    rng: Random, knobs: Knobs, board: Filled, layout: Layout, other: Filled
) -> Rule | None:
    """A rule that holds on the board and not on the other one."""
    for _ in range(DRAWS):
        rule = local(rng, "ABC"[: knobs.symbols], board, layout, knobs.joined)
        if sensible(rule, layout) and not holds(rule, other, layout):
            return rule
    return None


def _written(world: World, board: Filled) -> tuple[str, ...]:
    letters = {name: SKINS[world.skin][it][0] for it, name in zip(world.symbols, "ABC")}
    side = range(len(world.layout))
    return tuple("".join(letters[board[row, column]] for column in side) for row in side)


def _names(world: World) -> str:
    return "ABC"[: len(world.symbols)]


def _all_names(world: World) -> list[str]:
    return [*_names(world), *(f"r{it}" for it in range(1 + max(map(max, world.layout))))]


def _leaves(rule: Any) -> list[Any]:
    return [it for part in rule for it in _leaves(part)] if isinstance(rule, tuple) else [rule]


def _begun(world: World) -> str:
    letters = [SKINS[world.skin][it][0] for it in world.symbols]
    told = {(row, column): letters["ABC".index(it)] for row, column, it in world.known}
    side = range(len(world.layout))
    return _cells.drawn([[told.get((row, column), "?") for column in side] for row in side], "")


LADDER = (
    Knobs(3, 2, 2, 6, 0.0),
    Knobs(4, 2, 3, 8, 0.1),
    Knobs(5, 2, 4, 10, 0.2),
    Knobs(5, 3, 4, 13, 0.2),
    Knobs(6, 3, 5, 16, 0.3),
)
FAMILY = Family(
    World,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Board(LETTERS),
    hardness=hardness,
    proof="unique",
    solver="SAT, with a proof that there is no other board",
    guess_rate=0.02,
    canon=canon,
    kin=kin,
    without=without,
    skills=("constraints", "deduction", "space"),
    theme="drawn_rules",
    version=2,
)
