"""Spatial families: counts and instances that are known from elsewhere."""

from puzzlemill.generators.spatial import (
    dice_rolling,
    grid_relations,
    interval_relations,
    paper_folding,
    rectangle_count,
    rubiks_cube,
    town_walk,
)


def test_as_many_states_lie_within_four_turns_of_a_solved_cube_as_is_known() -> None:
    assert len(rubiks_cube._near(3)) == 1 + 18 + 243 + 3240 + 43239
    assert len(rubiks_cube._near(2)) == 1 + 9 + 54 + 321 + 1847


def test_a_commutator_of_two_turns_comes_back_after_six_times() -> None:
    solved = "".join(colour * 9 for colour in rubiks_cube.COLOURS)
    tables, state = rubiks_cube._tables(3), solved.encode()
    seen = []
    for turn in ("R", "U", "R'", "U'") * 6:
        state = tables[turn].translate(state.ljust(256))
        seen.append(state.decode())
    assert seen[-1] == solved
    assert solved not in seen[3:-1:4]
    once = rubiks_cube.Cube(tuple(seen[3][at : at + 9] for at in range(0, 54, 9)), 4)
    assert rubiks_cube.solve(once) == ("U", "R", "U'", "R'")
    assert rubiks_cube.verify(once, ("U", "R", "U'", "R'")) == 1
    assert rubiks_cube.verify(once, ("R", "U", "R'", "U'")) == 0


def test_a_small_cube_is_solved_whichever_way_it_is_then_held() -> None:
    solved = "".join(colour * 4 for colour in rubiks_cube.COLOURS).encode()
    turned = rubiks_cube._tables(2)["R"].translate(solved.ljust(256)).decode()
    cube = rubiks_cube.Cube(tuple(turned[at : at + 4] for at in range(0, 24, 4)), 1)
    assert rubiks_cube.verify(cube, ("R'",)) == 1
    assert rubiks_cube.verify(cube, ("L'",)) == 1  # R' but for a turn of the whole cube
    assert rubiks_cube.verify(cube, ("L",)) == 0


def test_a_sheet_folded_twice_in_the_middle_has_four_holes() -> None:
    acts = (("left", 2, 0), ("top", 2, 0), ("punch", 3, 3))
    holes = ((2, 2), (2, 3), (3, 2), (3, 3))
    sheet = paper_folding.Sheet(4, 4, acts)
    assert paper_folding.solve(sheet) == holes
    assert paper_folding.verify(sheet, holes) == 1
    flipped = paper_folding.Sheet(4, 4, (("flip", 0, 0), ("punch", 1, 1)))
    assert paper_folding.solve(flipped) == ((1, 4),)


def test_a_chessboard_has_1296_rectangles() -> None:
    line, gap = "+-" * 8 + "+", "|." * 8 + "|"
    canvas = rectangle_count.Canvas((*(line, gap) * 8, line))
    assert rectangle_count.solve(canvas) == 1296
    assert rectangle_count.verify(canvas, 1296) == 1
    assert rectangle_count.verify(canvas, 1295) == 0


def test_a_die_rolled_round_a_corner_comes_back_after_three_times() -> None:
    def rolled(times: int) -> tuple[int, ...]:
        board = dice_rolling.Board(("..", ".."), (0, 0), (1, 6, 2, 5, 3, 4), "ESWN" * times, "end")
        gold = dice_rolling.solve(board)
        assert dice_rolling.verify(board, gold) == 1
        return gold

    assert rolled(3) == (1, 2, 3)
    assert rolled(1) != (1, 2, 3)
    assert rolled(2) != (1, 2, 3)


def test_compositions_are_those_of_the_interval_algebra() -> None:
    table = interval_relations._composition()
    assert sum(cell.bit_count() for row in table for cell in row) == 409
    facts = ((0, 1, ("overlaps",)), (1, 2, ("overlaps",)))
    network = interval_relations.Network(("A", "B", "C"), facts, (0, 2))
    assert interval_relations.solve(network) == ("before", "meets", "overlaps")
    assert interval_relations.verify(network, ("before", "meets", "overlaps")) == 1
    assert interval_relations.verify(network, ("before", "meets")) == 0


def test_what_nothing_places_has_no_place() -> None:
    clues = (("at", 0, 2, 2), ("mirror", 1, 2, 0))
    grid = grid_relations.Grid(4, 4, ("cup", "pen", "key"), clues, (), (1,))
    assert grid_relations.solve(grid) is None
    told = grid_relations.Grid(4, 4, grid.things, (*clues, ("from", 2, 0, -1, 0)), (), (1,))
    assert grid_relations.solve(told) == ((3, 2),)
    assert grid_relations.verify(told, ((3, 2),)) == 1


def test_a_stop_halfway_between_two_places_has_no_answer() -> None:
    acts = (("walk", 1), ("stop", 0))
    town = town_walk.Town(("bank", "mill"), ((0, 0, 2),), (1,), 0, 0, acts)
    assert town_walk.solve(town) is None
    on = town_walk.Town(("bank", "mill"), ((0, 0, 2),), (1,), 0, 0, (("until", 2), ("stop", 0)))
    assert town_walk.solve(on) == ("mill",)
