"""Rules on boards: the SAT encoder against the interpreter, and against all boards."""

from itertools import product
from random import Random

from puzzlemill.core import registry
from puzzlemill.generators import _cells
from puzzlemill.generators._sat import any_model
from puzzlemill.generators.worlds import board_constraints
from puzzlemill.generators.worlds._board_sat import cuts, encoded, gate, literal
from puzzlemill.generators.worlds._board_terms import COUNTS, GENERAL, LINES, general, holds, local


def test_each_kind_of_rule_is_encoded_as_it_is_read() -> None:
    rng = Random(3)
    cells = _cells.cells(4, 4)
    truths: dict[str, set[bool]] = {}
    for _ in range(400):
        names = "ABC"[: rng.randint(2, 3)]
        layout = _cells.regions(rng, 4, 4, 3)
        boards = [{cell: rng.choice(names) for cell in cells} for _ in range(3)]
        boards.append({cell: names[(cell[1] > 1)] for cell in cells})
        rules = [general(rng, names, boards[rng.randrange(4)])]
        rules += [local(rng, names, boards[rng.randrange(4)], layout, joined) for joined in (0, 1)]
        for rule, board in product(rules, boards):
            coding = encoded(layout, names)
            made = gate(coding, rule)
            told = [[literal(coding, cell, board[cell])] for cell in cells]
            found = any_model(
                [*coding.circuit.clauses, *told, [made]],
                lambda true, it=coding, on=made: cuts(it, true, [on]),  # type: ignore[misc]
            )
            assert (found is not None) == holds(rule, board, layout), (rule, board)
            truths.setdefault(rule[0], set()).add(found is not None)
    assert set(truths) == {*COUNTS, *LINES, *GENERAL, "if", "one of"}
    assert all(len(each) == 2 for each in truths.values())


def test_of_all_boards_one_follows_the_rules() -> None:
    family = registry.family("board_constraints")
    rng, made = Random(5), 0
    while made < 12:
        world = family.generate(rng, family.ladder[0])
        if world is None:
            continue
        letters = "".join(board_constraints.SKINS[world.skin][it][0] for it in world.symbols)
        rows = ["".join(row) for row in product(letters, repeat=3)]
        right = [each for each in product(rows, repeat=3) if family.verify(world, each)]
        assert right == [family.solve(world)]
        made += 1
