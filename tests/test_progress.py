"""What the first lines of a reply establish, by the families and by their readers."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from puzzlemill.core import registry
from puzzlemill.core.family import AnyFamily, Lines
from puzzlemill.core.item import address_of, make
from puzzlemill.core.partial.values import certain, gathered, informed
from puzzlemill.core.progress import progress_by_line
from puzzlemill.core.proof.contract import draws
from puzzlemill.core.proof.partial_replies import pays_for_nothing_else, rises_to_one
from puzzlemill.generators.basics import arrows, sums
from puzzlemill.generators.graphs import k_core, shortest_path
from puzzlemill.generators.grids import star_battle, sudoku
from puzzlemill.generators.planning import hanoi, maze
from puzzlemill.generators.strings import rewriting

GENERATORS = Path(__file__).parent.parent / "generators"
SUM = sums.Chain(40, (-1, 4, -4))  # a 40-1=39, b 39+4=43, c 43-4=39
BOARD = sudoku.Board(2, 2, ((0, 2, 3, 4), (3, 4, 0, 2), (2, 0, 4, 3), (4, 3, 2, 0)))
DIAGONAL = "row 1 column 1 = 1", "row 2 column 3 = 1", "row 3 column 2 = 1", "row 4 column 4 = 1"


def test_kinds_of_families_tell_progress() -> None:
    """By their files: to import them all takes long."""
    files = [file for file in GENERATORS.glob("*/*.py") if "progress=progress" in file.read_text()]
    assert len(files) >= 60
    kinds = ("basics", "arithmetic", "graphs", "grids", "planning", "logic", "programs", "strings")
    assert {file.parent.name for file in files} >= set(kinds)


def test_each_result_of_a_derivation_counts_once() -> None:
    lines = ["a 40-1=39", "a 40-1=39", "b 39 + 4 = 43", "so c 43 \u2212 4 = 39."]
    values = [sums.progress(SUM, lines[:count]) for count in range(5)]
    assert values == [0, 0.25, 0.25, 0.5, 0.75]
    assert sums.progress(SUM, [*lines, "39"]) == sums.progress(SUM, ["39"]) == 1


def test_a_wrong_result_ends_a_derivation_and_two_results_void_each_other() -> None:
    assert sums.progress(SUM, ["a 40-1=39", "b 39+4=44", "c 43-4=39"]) == 0.25
    assert sums.progress(SUM, ["a 40-1=38", "a 40-1=39"]) == 0
    assert sums.progress(SUM, ["37", "38", "39"]) == 0, "answers one after the other"


def test_states_follow_one_another() -> None:
    system = rewriting.FAMILY.ladder[0]
    puzzle = _drawn(rewriting.FAMILY, system)
    steps = rewriting.steps(puzzle)
    assert len(steps) > 1
    whole = rewriting.progress(puzzle, steps[:1])
    assert 0 < whole == rewriting.progress(puzzle, ["First:", *steps[:1], *steps[:1]])
    assert rewriting.progress(puzzle, [steps[0], "zzz", *steps[1:]]) == whole
    assert rewriting.progress(puzzle, steps[1:-1]) == 0


def test_the_words_of_a_result_come_in_any_order() -> None:
    puzzle = _drawn(k_core.FAMILY, k_core.FAMILY.ladder[1])
    line = next(line for line in k_core.steps(puzzle) if line.count(",") > 1)
    subject, _, nodes = line.partition(": ")
    turned = ", ".join(reversed(nodes.replace(" and ", ", ").split(", ")))
    assert k_core.progress(puzzle, [f"{subject}: {turned}"]) > 0
    assert k_core.progress(puzzle, [f"{subject}: {turned}, nobody"]) == 0


def test_cells_of_a_board_count_in_any_order_and_form() -> None:
    assert sudoku.progress(BOARD, DIAGONAL[2:]) == 0.5
    assert sudoku.progress(BOARD, DIAGONAL[::-1]) == 1
    assert sudoku.progress(BOARD, ["1 2 3 4", "3 4 1 2"]) == 0.5
    assert sudoku.progress(BOARD, ["1 2 3 4", "3 4 1 2", "2 1 4 3", "4 3 2 1"]) == 1
    assert sudoku.progress(BOARD, ["row 1 column 2 = 2", "4 2 3 1"]) == 0, "all this was shown"


def test_a_cell_with_two_values_is_wrong_and_costs_what_a_right_one_earns() -> None:
    assert sudoku.progress(BOARD, [*DIAGONAL[:2], "row 1 column 1 = 2"]) == 0
    assert sudoku.progress(BOARD, [*DIAGONAL[:3], "row 4 column 4 = 2"]) < 0.75
    every = [f"row {row} column {column} = {value}" for row in "1234" for column in "1234"
             for value in "1234"]  # fmt: skip
    assert sudoku.progress(BOARD, every) == 0


def test_a_supposition_establishes_nothing_until_it_is_refuted() -> None:
    lines = [
        "suppose star at (1, 1)",
        "no star at (1, 2)",
        "row 1 cannot be kept, so star at (1, 3)",
    ]
    assert certain([*lines, "star at (2, 1)"]) == ["star at (1, 3)", "star at (2, 1)"]
    assert certain(["perhaps star at (1, 1)", "is there a star at (1, 2)?"]) == []


def test_one_value_everywhere_earns_nothing() -> None:
    truth = {place: place % 5 == 0 for place in range(20)}
    for value in (True, False):
        assert informed(truth, gathered((place, value) for place in truth)) == 0
    assert informed(truth, gathered(truth.items())) == 1
    assert informed(truth, gathered([*truth.items(), (99, True)])) < 1, "there is no such thing"


def test_marks_may_be_denied() -> None:
    sky = _drawn(star_battle.FAMILY, star_battle.FAMILY.ladder[0])
    rows = star_battle.solve(sky)
    assert rows is not None
    row, column = next((row, line.index("S")) for row, line in enumerate(rows, 1))
    assert star_battle.progress(sky, [f"row {row}: star at ({row}, {column + 1})"]) > 0
    assert star_battle.progress(sky, [f"row {row}: not star at ({row}, {column + 1})"]) == 0


def test_another_shortest_way_counts_as_much_as_ours() -> None:
    room = maze.Maze(("#####", "#...#", "#...#", "#...#", "#####"), (1, 1), (3, 3), 4)
    ours = maze.solve(room)
    assert ours is not None
    other = ["D" if move == "R" else "R" for move in ours]
    for way in (ours, other):
        said = " ".join(way)
        assert maze.progress(room, [said]) == 1
        assert maze.progress(room, [" ".join(way[:2])]) == 0.5
    assert maze.progress(room, ["2 down, to row 4 column 2"]) == 0.5
    assert maze.progress(room, ["R L R L"]) == 0.25, "the way back leaves too few steps"
    assert maze.progress(room, ["R D", "D R"]) == 0, "two answers"
    assert maze.progress(room, [" ".join([*ours, "U"])]) == 0, "a step too many"


def test_an_illegal_move_ends_a_way() -> None:
    tower = hanoi.Tower(3, (), (0, 0), (2, 2), 3)
    lines = ["disc 1 from a to b: a 2 | b 1 | c", "disc 2 from a to c: a | b 1 | c 2"]
    assert hanoi.progress(tower, lines) == pytest.approx(2 / 3)
    assert hanoi.progress(tower, ["disc 1 from b to c: a 2 | b | c 1", *lines]) == 0
    assert hanoi.progress(tower, ["(a, b), (a, c), (b, c)"]) == 1
    assert hanoi.progress(tower, ["(a, b), (a, b), (b, c)"]) == pytest.approx(1 / 3)


def test_a_path_counts_as_far_as_it_lies_on_a_shortest_one() -> None:
    edges = (("a", "b"), ("b", "d"), ("a", "c"), ("c", "d"), ("d", "e"), ("a", "f"))
    lengths = (1, 3, 2, 2, 4, 1)
    style = _drawn(shortest_path.FAMILY, shortest_path.FAMILY.ladder[0])
    graph = replace(
        style, nodes=tuple("abcdef"), edges=edges, weights=lengths, directed=False, asked=("a", "e")
    )
    told = [shortest_path.progress(graph, [line]) for line in ("a, b, d, e", "a, c, d, e", "a, c")]
    assert told == [1, 1, 0.25]
    assert shortest_path.progress(graph, ["a, f, a, b, d, e"]) == 0
    assert shortest_path.progress(graph, ["a, b, d, e, d"]) == 0


def test_arrows_that_are_not_on_the_walk_lead_nowhere() -> None:
    ring = arrows.Map((("a", "b"), ("b", "c"), ("c", "a")), "a", 2)
    assert arrows.progress(ring, ["a -> b"]) == arrows.progress(ring, ["a -> b", "c -> a"]) == 0.5
    assert arrows.progress(ring, ["b -> c", "a -> b"]) == 0
    assert arrows.progress(ring, ["b c"]) == 1


def test_progress_by_line_tells_where_each_line_ends() -> None:
    reply = "<think>a 40-1=39\n\nb 39+4=43</think>\n<answer>39</answer>"
    assert progress_by_line(sums.FAMILY, SUM, reply) == [(17, 0.25), (36, 0.5), (55, 1.0)]


def test_a_reply_of_very_many_lines_is_asked_about_here_and_there() -> None:
    counted: list[int] = []

    def progress(chain: sums.Chain, lines: Lines) -> float:
        counted.append(len(lines))
        return sums.progress(chain, lines)

    reply = "hm\n" * 1000 + "39"
    values = progress_by_line(replace(sums.FAMILY, progress=progress), SUM, reply)
    assert len(values) == 1001
    assert [value for _, value in values[-2:]] == [0, 1]
    assert len(counted) <= 257
    assert counted[-1] == 1001


def test_variants_tell_progress_where_they_ask_for_the_same() -> None:
    assert registry.family("sums+paraphrase").progress
    assert registry.family("sums+claim").progress is None


@pytest.mark.parametrize("faulty", ["falls", "repeats", "pays the prompt"])
def test_the_proof_finds_faults(faulty: str) -> None:
    family = replace(sums.FAMILY, name="sums", category="basics")
    items = [make(family, address_of(family, family.ladder[2], seed=seed), 0.5) for seed in (0, 1)]

    def progress(chain: sums.Chain, lines: Lines) -> float:
        right = sums.progress(chain, lines)
        if faulty == "falls":
            return right if right in (0, 1) else 1 / (1 + len(lines))
        if faulty == "repeats" and right < 1:
            return right * min(len(lines) / (len(chain.numbers) + 2), 0.9)
        return right if right or not lines else 0.5

    rises_to_one(family, items[0])
    pays_for_nothing_else(family, items)
    wrong = replace(family, progress=progress)
    with pytest.raises(AssertionError):  # noqa: PT012
        rises_to_one(wrong, items[0])
        pays_for_nothing_else(wrong, items)


def _drawn(family: AnyFamily, knobs: Any) -> Any:
    return draws(family, knobs, 1)[0]
