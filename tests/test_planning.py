"""Plans whose fewest moves are known from elsewhere."""

from dataclasses import replace
from random import Random

import pytest

from puzzlemill.core.answers import IMPOSSIBLE
from puzzlemill.generators.planning import (
    ball_sort,
    blocks_world,
    boxnet,
    hanoi,
    jugs,
    knight_swap,
    lights_out,
    one_stroke,
    peg_solitaire,
    river_crossing,
    rush_hour,
    shifting_rows,
    sliding_tiles,
    sokoban,
)


@pytest.mark.parametrize(
    ("discs", "pegs", "barred", "moves"),
    [(5, 3, (), 31), (8, 4, (), 33), (3, 3, ((0, 2),), 26)],  # Frame and Stewart; 3 ** n - 1
)
def test_a_tower_takes_the_moves_that_it_is_known_to(
    discs: int, pegs: int, barred: tuple[tuple[int, int], ...], moves: int
) -> None:
    tower = hanoi.Tower(pegs, barred, (0,) * discs, (2,) * discs, moves)
    gold = hanoi.solve(tower)
    assert gold is not None
    assert len(gold) == moves
    assert hanoi.verify(tower, gold) == 1
    assert hanoi.solve(replace(tower, limit=moves - 1)) is None
    assert hanoi.verify(replace(tower, limit=moves - 1), gold) == 0


def test_all_lights_of_a_board_of_five_by_five_go_out_by_fifteen_presses() -> None:
    lamps = lights_out.Lamps(((1,) * 5,) * 5, "sides", 15)
    gold = lights_out.solve(lamps)
    assert gold is not None
    assert len(gold) == 15
    assert lights_out.verify(lamps, gold) == 1
    one = ((1, 0, 0, 0, 0), *((0,) * 5,) * 4)
    assert lights_out.solve(lights_out.Lamps(one, "sides", 25)) is None  # no presses do that


def test_two_jugs_make_four_litres_in_six_moves_and_three_share_eight_in_seven() -> None:
    two = jugs.Jugs(("red", "blue"), (3, 5), (0, 0), False, (("blue", 4),), 6)
    halves = (("red", 4), ("blue", 4))
    three = jugs.Jugs(("red", "blue", "green"), (8, 5, 3), (8, 0, 0), True, halves, 7)
    for puzzle in (two, three):
        gold = jugs.solve(puzzle)
        assert gold is not None
        assert jugs.verify(puzzle, gold) == 1
        assert jugs.solve(replace(puzzle, limit=puzzle.limit - 1)) is None
    assert jugs.verify(three, (("tap", "green"), ("green", "blue"))) == 0


def test_the_old_river_crossings_take_seven_and_eleven_trips() -> None:
    farmer = river_crossing.Party(
        kind="farmer",
        names=("farmer", "wolf", "goat", "cabbage"),
        weights=(1, 1, 1, 1),
        load=2,
        rowers=("farmer",),
        foes=(("wolf", "goat", "farmer"), ("goat", "cabbage", "farmer")),
        limit=7,
    )
    people = ("Anna", "Ben", "Carla", "David", "Emma", "Felix")
    foes = [
        (people[one], people[3 + other], people[3 + one])
        for one in range(3)
        for other in range(3)
        if one != other
    ]
    couples = river_crossing.Party("merchants", people, (1,) * 6, 2, people, tuple(foes), 11)
    guards = river_crossing.Party("guards", people, (1,) * 6, 2, people, (), 11)
    for party in (farmer, couples, guards):
        gold = river_crossing.solve(party)
        assert gold is not None
        assert len(gold) == party.limit
        assert river_crossing.verify(party, gold) == 1
        assert river_crossing.solve(replace(party, limit=party.limit - 1)) is None


def test_the_farthest_board_of_eight_tiles_is_thirty_one_moves_away() -> None:
    frame = sliding_tiles.Frame(
        ((8, 6, 7), (2, 5, 4), (3, 0, 1)), ((1, 2, 3), (4, 5, 6), (7, 8, 0)), 31
    )
    gold = sliding_tiles.solve(frame)
    assert isinstance(gold, tuple)
    assert len(gold) == 31
    assert sliding_tiles.verify(frame, gold) == 1


def test_what_parity_forbids_is_not_solved() -> None:
    swapped = sliding_tiles.Frame(((1, 2, 3), (5, 4, 0)), ((1, 2, 3), (4, 5, 0)), 30)
    assert sliding_tiles.solve(swapped) is IMPOSSIBLE
    assert sliding_tiles.verify(swapped, IMPOSSIBLE) == 1
    moved = sliding_tiles.Frame(((1, 2, 3), (4, 0, 5)), ((1, 2, 3), (4, 5, 0)), 30)
    assert sliding_tiles.verify(moved, IMPOSSIBLE) == 0
    goal = (("A", "B", "C"), ("D", "E", "F"), ("G", "H", "I"))
    other = (("B", "A", "C"), ("D", "E", "F"), ("G", "H", "I"))
    assert shifting_rows.solve(shifting_rows.Boards(other, goal, 6)) is None


def test_the_first_microban_level_takes_eight_pushes() -> None:
    room = sokoban.Room(
        ("######", "#..###", "#..###", "#....#", "#....#", "#..###", "######"),
        ((3, 1), (4, 3)),
        ((1, 2), (3, 1)),
        (3, 2),
        8,
    )
    gold = sokoban.solve(room)
    assert gold is not None
    assert sokoban.verify(room, gold) == 1
    assert sokoban.solve(replace(room, limit=7)) is None


def test_the_hardest_rush_hour_without_walls_takes_fifty_one_moves() -> None:
    lot = _lot("GBB.L.GHI.LMGHIXXMCCCK.M..JKDDEEJFF.", 51)
    gold = rush_hour.solve(lot)
    assert gold is not None
    assert len(gold) == 51
    assert rush_hour.verify(lot, gold) == 1


def _lot(board: str, limit: int) -> rush_hour.Lot:
    cars = {}
    for letter in sorted(set(board) - {"."}, key=lambda letter: (letter != "X", letter)):
        row, column = divmod(board.index(letter), 6)
        upright = board.count(letter, row * 6, row * 6 + 6) == 1
        cars[letter] = (row, column, board.count(letter), upright)
    return rush_hour.Lot(6, tuple(cars.values()), "".join(cars), limit)


def test_sussmans_anomaly_takes_three_moves() -> None:
    blocks = blocks_world.Blocks((("a", "c"), ("b",)), (("c", "b", "a"),), 3)
    assert blocks_world.solve(blocks) == (("c", "table"), ("b", "c"), ("a", "b"))
    assert blocks_world.verify(blocks, (("c", "table"), ("a", "b"), ("b", "c"))) == 0


def test_a_ball_may_not_cover_another_colour() -> None:
    rack = ball_sort.Rack(2, (("red", "blue"), ("blue", "red"), ()), 3)
    assert ball_sort.verify(rack, ((1, 3), (2, 1), (2, 3))) == 1
    assert ball_sort.verify(rack, ((1, 2), (2, 1), (2, 3))) == 0
    assert ball_sort.solve(replace(rack, limit=2)) is None


def test_guarinis_knights_change_places_in_sixteen_moves() -> None:
    position = knight_swap.Position(("B.B", "...", "W.W"), 16)
    gold = knight_swap.solve(position)
    assert gold is not None
    assert len(gold) == 16
    assert knight_swap.verify(position, gold) == 1
    assert knight_swap.solve(replace(position, limit=15)) is None


def test_knights_do_not_change_places_where_a_search_finds_no_way() -> None:
    """What is measured before any search, beside the search of `solve`."""
    rng = Random(3)
    found = {0: 0, 1: 0}
    for _ in range(150):
        signs = rng.sample(rng.choice(("WB......####", "WWBB.....###")), 12)
        board = tuple("".join(signs[row : row + 4]) for row in (0, 4, 8))
        gold = knight_swap.solve(knight_swap.Position(board, 20))
        assert knight_swap._moves(board, 20) == len(gold or ()), board
        found[bool(gold)] += 1
    assert min(found.values()) > 10, found


def test_a_cross_of_six_pegs_comes_down_to_the_middle_of_the_english_board() -> None:
    board = ("##...##", "##.o.##", "..ooo..", "...o...", "...o...", "##...##", "##...##")
    cross = peg_solitaire.Pegs(board, "d4")
    gold = peg_solitaire.solve(cross)
    assert gold is not None
    assert len(gold) == 5
    assert peg_solitaire.verify(cross, gold) == 1
    # Colour the diagonals in turn with three colours: a jump changes the pegs on each by one.
    assert peg_solitaire.solve(replace(cross, home="d3")) is None


def test_a_board_of_nine_is_walked_from_a_corner_but_not_from_beside_one() -> None:
    corner = one_stroke.Strip(("...",) * 3, (0, 0))
    beside = one_stroke.Strip(("...",) * 3, (0, 1))
    assert one_stroke.solve(corner) is not IMPOSSIBLE
    assert one_stroke.verify(corner, IMPOSSIBLE) == 0
    assert one_stroke.solve(beside) is IMPOSSIBLE
    assert one_stroke.verify(beside, IMPOSSIBLE) == 1


def test_boxes_pass_each_other_only_where_there_is_room() -> None:
    corridor = boxnet.Store(1, 4, (), (1, 4), (4, 1), 9)
    assert boxnet.solve(corridor) is None
    wider = boxnet.Store(2, 4, (5, 7, 8), (1, 4), (4, 1), 9)
    gold = boxnet.solve(wider)
    assert gold is not None
    assert boxnet.verify(wider, gold) == 1
    assert boxnet.verify(wider, ("a2 b3", "a3 b2")) == 0
