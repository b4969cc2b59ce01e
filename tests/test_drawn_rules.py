"""Worlds whose rules are drawn: instances solved by hand, and rule sets that are the same."""

from dataclasses import replace

from puzzlemill.generators.worlds import (
    invented_grammar,
    invented_kinship,
    invented_machine,
    invented_operators,
    invented_scoring,
    machine_input,
    machine_wrong_line,
    rewriting_distance,
    shortest_program,
)
from puzzlemill.generators.worlds._instructions import BACK

SWAPS = rewriting_distance.System("letters", (("PQ", "QP"), ("QQ", "R")), (0, 1), "PQQ", "RP", 5)
DOUBLING = ((), (("times", "p", 2), ("print", "p")), (("times", "p", 2), ("print", "p")))
MACHINE = invented_machine.Machine(
    "registers", ("ZIB",), (DOUBLING,), ((0, 0, 1), (BACK, 0, 2)), (3, 5)
)
HAND = invented_scoring.Choice(
    "cards",
    ((0, 2), (0, 3), (1, 9), (2, 4)),
    2,
    (("each", 0, 5), ("more", 1, 2, 4), ("step", 6)),
)


def test_a_derivation_counts_only_where_it_is_a_shortest_one() -> None:
    assert rewriting_distance.solve(SWAPS) == ("qpq", "qqp", "rp")
    assert rewriting_distance.verify(SWAPS, ("PQQ", "QPQ", "QQP", "RP")) == 1
    there_and_back = replace(SWAPS, rules=(*SWAPS.rules, ("QP", "PQ")))
    longer = ("QPQ", "PQQ", "QPQ", "QQP", "RP")
    assert rewriting_distance.verify(there_and_back, longer) == 0
    assert not rewriting_distance.recheck(there_and_back, longer)
    assert rewriting_distance.verify(SWAPS, ("QQP", "RP")) == 0


def test_renamed_letters_and_another_order_are_the_same_rules() -> None:
    other = replace(SWAPS, rules=(("PP", "S"), ("RP", "PR")), start="RPP", goal="SR")
    assert rewriting_distance.canon(other) == rewriting_distance.canon(SWAPS)
    assert rewriting_distance.kin(replace(SWAPS, start="QPQ")) == rewriting_distance.kin(SWAPS)
    assert rewriting_distance.kin(replace(SWAPS, rules=SWAPS.rules[:1])) != rewriting_distance.kin(
        SWAPS
    )


def test_an_equation_has_an_answer_only_where_one_number_fits() -> None:
    gap = ((), ("gap", "a", "b"), ("gap", "a", "b"))
    left = ("use", 0, "x", 5)
    equation = invented_operators.Equation("signs", ("◇",), (gap,), left, 7, 20)
    assert invented_operators.solve(equation) == 12  # |12 - 5| = 7; |x - 5| = 3 has two solutions
    assert invented_operators.solve(replace(equation, right=3)) is None
    assert [invented_operators.verify(equation, x) for x in (12, -2, 11)] == [1, 0, 0]


def test_a_line_goes_back_as_often_as_it_says() -> None:
    assert invented_machine.solve(MACHINE) == (6, 12, 24, 24, 5)
    assert invented_machine.verify(MACHINE, (6, 12, 24, 24, 5)) == 1
    assert invented_machine.verify(MACHINE, (6, 12, 12, 5)) == 0


def test_an_instruction_with_its_registers_exchanged_is_the_same_rule() -> None:
    mirrored = ((), (("times", "q", 2), ("print", "q")), (("times", "q", 2), ("print", "q")))
    assert invented_machine.kin(replace(MACHINE, instructions=(mirrored,))) == invented_machine.kin(
        MACHINE
    )


def test_two_suns_in_sequence_beat_every_other_hand() -> None:
    assert invented_scoring.solve(HAND) == ("a", "b")  # 5 + 5 + 6; B and D: 5 + 6; A and C: 5 + 4
    assert invented_scoring.verify(HAND, ("a", "b")) == 1
    assert invented_scoring.verify(HAND, ("b", "d")) == 0
    moved = replace(HAND, rules=(("step", 6), ("each", 3, 5), ("more", 0, 1, 4)))
    assert invented_scoring.kin(moved) == invented_scoring.kin(HAND)


def test_a_start_counts_only_where_it_prints_the_output() -> None:
    search = machine_input.Search(
        "registers", ("ZIB",), (DOUBLING,), ((0, 0, 1),), (5,), 1, 9, (14, 14, 5)
    )
    assert machine_input.solve(search) == (7,)
    assert [machine_input.verify(search, (x,)) for x in (7, 14, -7)] == [1, 0, 0]


def test_a_wrong_line_is_found_only_where_no_other_can_be_mended() -> None:
    halve = ((), (("halve", "p"),), (("halve", "p"),))
    rules = DOUBLING, halve  # A = 3: doubled and printed, then halved, is 6, 3, 5
    copy = machine_wrong_line.Copy(
        "registers", ("ZIB", "ZAB"), rules, ((0, 0, 1), (1, 1, 0)), (3, 5), (6, 3, 5)
    )
    assert machine_wrong_line.solve(copy) == 2
    assert [machine_wrong_line.verify(copy, line) for line in (1, 2, 3)] == [0, 1, 0]
    unsure = replace(copy, program=((1, 0, 1), (1, 0, 1)), output=(2, 2, 5), start=(2, 5))
    assert machine_wrong_line.solve(unsure) == 2  # ZAB makes 1 of 2, ZIB prints 2


def test_only_a_shortest_program_counts() -> None:
    double, add = (("times", "q", 2),), (("add", "p", "q"),)
    task = shortest_program.Task(
        "registers", ("ZIB", "ZAB"), (((), double, double), ((), add, add)), (0, 1), (1, 1), (3, 4)
    )
    # ZIB ZAB ZIB: (1, 2), (3, 2), (3, 4); two instructions reach (5, 4) at best.
    assert shortest_program.solve(task) == ("zib", "zab", "zib")
    assert shortest_program.verify(task, ("zib", "zab", "zib")) == 1
    assert shortest_program.verify(task, ("zab", "zab", "zib", "zib")) == 0  # (3, 4), in four
    assert not shortest_program.recheck(task, ("zab", "zab", "zib", "zib"))
    assert shortest_program.verify(task, ("zib", "zub")) == 0


def test_trees_of_a_grammar_are_counted_in_two_ways() -> None:
    rules = ("S", "SS"), ("S", "x"), ("S", "yS")
    grammar = invented_grammar.Grammar("grammar", rules, (0, 1), ("xxxx", "yxx", "xy"))
    # Four leaves have 5 binary trees; "y x x" is y (x x) or (y x) x; no string ends with y.
    assert invented_grammar.solve(grammar) == (5, 2, 0)
    assert invented_grammar.verify(grammar, (5, 2, 0)) == 1
    assert invented_grammar.verify(grammar, (4, 2, 0)) == 0


def test_a_kin_term_has_an_answer_only_where_it_means_one_person() -> None:
    aunt = (("parent", "f", ""), ("sibling", "f", "older"))
    names = ("Adam", "Eva", "Ida", "Ute", "Max", "Tim")
    couples = (0, 1, (2, 3)), (4, 3, (5,))
    kin = invented_kinship.Kin("village", names, "mfffmm", couples, ("zab",), (aunt,), 5, (0,))
    assert invented_kinship.solve(kin) == "ida"
    assert [invented_kinship.verify(kin, name) for name in ("ida", "ute")] == [1, 0]
    assert invented_kinship.solve(replace(kin, person=2)) is None
