"""Induction: rules worked by hand, and examples that leave two of them."""

from itertools import product
from random import Random

from puzzlemill.core.item import generate
from puzzlemill.generators.induction import (
    _objects,
    _programs,
    arc_1d,
    arc_objects,
    grid_rules,
    list_functions,
    modulo_grid,
    number_sequence,
    secret_code,
    string_programs,
)


def test_examples_that_leave_two_outcomes_settle_nothing() -> None:
    kinds = ("reverse", "falling")
    both = list_functions.Lists(kinds, 1, (((1, 2, 3), (3, 2, 1)),), (2, 1, 3))
    assert list_functions.solve(both) is None
    assert list_functions.verify(both, (3, 1, 2)) == list_functions.verify(both, (3, 2, 1)) == 1
    more = list_functions.Lists(kinds, 1, (*both.examples, ((1, 3, 2), (3, 2, 1))), (2, 1, 3))
    assert list_functions.solve(more) == (3, 2, 1)
    assert list_functions.verify(more, (3, 1, 2)) == 0


def test_steps_on_rows_of_cells() -> None:
    row = (0, 1, 1, 0, 2, 2, 2, 0, 1)
    made = {
        ("slide_right", 2): (0, 0, 0, 1, 1, 0, 2, 2, 2),
        ("wrap", 1): (1, 0, 1, 1, 0, 2, 2, 2, 0),
        ("fill",): row,
        ("hollow",): (0, 1, 1, 0, 2, 0, 2, 0, 1),
        ("grow_left",): (1, 1, 1, 2, 2, 2, 2, 1, 1),
        ("by_size",): (2, 2, 2, 1, 1, 1, 0, 0, 0),
        ("shrink",): (1, 2, 1, 0, 0, 0, 0, 0, 0),
        ("by_length", (2, 5)): (0, 5, 5, 0, 2, 2, 2, 0, 1),
        ("mirror",): (0, 1, 1, 0, 2, 0, 1, 1, 0),
    }
    for step, then in made.items():
        assert _programs.run(arc_1d.LANGUAGE, (step,), row) == then, step


def test_steps_on_grids() -> None:
    grid = ((1, 0), (2, 2), (0, 3))
    made = {
        ("turn",): ((0, 2, 1), (3, 2, 0)),
        ("turn_back",): ((0, 2, 3), (1, 2, 0)),
        ("fall",): ((0, 0), (1, 2), (2, 3)),
        ("down", 1): ((0, 3), (1, 0), (2, 2)),
        ("lonely",): ((0, 0), (2, 2), (0, 0)),
        ("halo", 4): ((1, 4), (2, 2), (4, 3)),
    }
    for step, then in made.items():
        assert _programs.run(grid_rules.LANGUAGE, (step,), grid) == then, step


def test_steps_on_texts() -> None:
    made = {
        ("order",): "tree a green",
        ("words_back",): "neerg a eert",
        ("behead", 1): "reen ree",
        ("lengths",): "a tree green",
        ("shift", 3): "juhhq d wuhh",
        ("count",): "green5 a1 tree4",
        ("turn",): "reeng a reet",
    }
    for step, then in made.items():
        assert _programs.run(string_programs.LANGUAGE, (step,), "green a tree") == then, step


def test_fibonacci_goes_on() -> None:
    kinds = tuple(number_sequence.KINDS)
    fibonacci = number_sequence.Series(kinds, (1, 1, 2, 3, 5, 8, 13, 21, 34))
    assert number_sequence.solve(fibonacci) == (55, 89)
    assert number_sequence.verify(fibonacci, (55, 89)) == 1
    assert number_sequence.verify(fibonacci, (55, 90)) == 0
    assert number_sequence.solve(number_sequence.Series(kinds, (1, 2, 4))) is None


def test_every_rule_found_by_trying_is_found_by_calculation() -> None:
    for name, kind in number_sequence.KINDS.items():
        rule = tuple(high - 1 for _, high in kind.bounds)
        terms = number_sequence._continued(kind, rule, (3, 5)[: kind.first], 9)
        assert number_sequence._explained(kind, terms), name
        assert not number_sequence._explained(kind, (*terms[:-1], terms[-1] + 1)), name


def test_a_checkerboard_goes_on() -> None:
    field = modulo_grid.Field(("#.#.", ".#.#", "#.??", ".#??"), 4, 1)
    whole = ("#.#.", ".#.#", "#.#.", ".#.#")
    assert modulo_grid.solve(field) == whole
    assert modulo_grid.verify(field, whole) == 1
    assert modulo_grid.verify(field, ("#.#.", ".#.#", "#.#.", ".#..")) == 0


def test_a_letter_is_marked_as_often_as_the_code_has_it() -> None:
    assert secret_code._marks("BCCD", "CCBC") == "o+o-"
    assert secret_code._marks("BCDF", "CCGC") == "-+--"
    assert secret_code._counts("BCCD", "CCBC") == "1 2"
    assert secret_code._counts("BBCD", "BDBB") == "1 2"
    guesses = (("BBBB", "2 0"), ("BCCC", "1 2"), ("CBDB", "1 1"))
    puzzle = secret_code.Guesses(4, True, False, guesses)
    left = secret_code._spelled(puzzle, secret_code._left(puzzle, guesses), 4**4)
    everything = map("".join, product("BCDF", repeat=4))
    assert left == [
        code
        for code in everything
        if all(secret_code._counts(code, guess) == said for guess, said in guesses)
    ]


def test_what_an_action_makes_of_a_grid_is_possible_for_its_kind() -> None:
    rng = Random(5)
    acts = _programs._acts(arc_objects.LANGUAGE, tuple(_objects.KINDS))
    for knobs in arc_objects.LADDER * 2:
        grid = arc_objects._packed(arc_objects._drawn(rng, knobs))
        for given in (grid, *(act(grid, *chosen) for act, chosen, _ in rng.sample(acts, 6))):
            for act, chosen, (kind, *_) in acts:
                assert kind in _objects.possible(given, act(given, *chosen)), (kind, chosen, given)
    moved = ((0, 1), (0, 0)), ((0, 0), (0, 1))
    assert "recolour" not in _objects.possible(*(tuple(map(bytes, each)) for each in moved))


def test_what_a_step_makes_of_a_grid_is_possible_for_its_kind() -> None:
    rng = Random(7)
    acts = _programs._acts(grid_rules.LANGUAGE, tuple(grid_rules.KINDS))
    for most in (2, 3, 4, 5, 7) * 2:
        grid = grid_rules._packed(grid_rules._drawn(rng, most))
        for given in (grid, *(act(grid, *chosen) for act, chosen, _ in acts)):
            for act, chosen, (kind, *_) in acts:
                assert kind in grid_rules.possible(given, act(given, *chosen)), (kind, given)
    row, moved = ((bytes((1, 2, 0)),), (bytes((0, 1, 2)),))
    assert grid_rules.possible(row, moved).isdisjoint(("recolour", "paint", "erase", "crop"))
    assert not grid_rules.possible(row, ()), "an answer may be empty"


def test_what_a_step_makes_of_a_row_or_a_list_is_possible_for_its_kind() -> None:
    rng = Random(6)
    for _ in range(60):
        colours = rng.sample(arc_1d.COLOURS, rng.randint(1, 4))
        row = bytes(arc_1d._drawn(rng, rng.randint(1, 12), colours))
        numbers = tuple(rng.randint(-3, 9) for _ in range(rng.randint(0, 6)))
        for family, given in ((arc_1d, row), (list_functions, numbers)):
            acts = _programs._acts(family.LANGUAGE, tuple(family.KINDS))
            for act, chosen, (kind, *_) in acts:
                then = act(given, *chosen)
                assert kind in family.possible(given, then), (kind, chosen, given, then)


def test_rules_about_objects_do_what_they_say() -> None:
    grid = tuple(map(bytes, ((1, 0, 0, 2), (1, 1, 0, 0), (0, 0, 0, 0), (3, 3, 3, 0))))
    run = _objects.KINDS

    def after(kind: str, *parameters: object) -> list[str]:
        return ["".join(map(str, row)) for row in run[kind].run(grid, *parameters)]

    assert after("recolour", "the largest objects", 4) == ["4002", "4400", "0000", "4440"]
    assert after("keep", "the objects of one cell") == ["0002", "0000", "0000", "0000"]
    assert after("crop", "the objects of colour 1") == ["10", "11"]
    assert after("slide", "the objects of colour 2", "left") == ["1200", "1100", "0000", "3330"]
    assert after("slide", "all objects", "down") == ["0000", "1000", "1100", "3332"]
    assert after("flip", "the objects of colour 1", "left and right") == [
        "0102", "1100", "0000", "3330"
    ]  # fmt: skip
    assert after("by_size") == ["1002", "1100", "0000", "1110"]
    assert after("tally") == ["1", "2", "3"]
    assert after("ray", "the objects of colour 2", "down") == ["1002", "1102", "0002", "3332"]


def test_examples_that_two_rules_about_objects_explain_are_no_task() -> None:
    def task(*more: tuple[arc_objects.Grid, arc_objects.Grid]) -> arc_objects.Task:
        first = ((1, 1, 0), (0, 0, 0), (2, 0, 0)), ((3, 3, 0), (0, 0, 0), (2, 0, 0))
        return arc_objects.Task(1, (first, *more), ((1, 0, 0), (0, 0, 0), (2, 2, 2)))

    assert arc_objects.solve(task()) is None, "the largest objects, or those of colour 1"
    second = ((1, 0, 0), (0, 0, 0), (4, 4, 0)), ((1, 0, 0), (0, 0, 0), (3, 3, 0))
    assert arc_objects.solve(task(second)) == ((1, 0, 0), (0, 0, 0), (3, 3, 3))


def test_no_prompt_about_objects_names_an_action() -> None:
    words = {"mirror", "largest", "smallest", "slide", "crop", "flip", "enclosed", "recolour"}
    for item in generate("arc_objects", level=0.5, n=6):
        assert not words & set(item.prompt.lower().split())
