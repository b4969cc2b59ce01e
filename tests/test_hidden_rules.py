"""Hidden rules: instances settled by hand, and examples that leave a doubt."""

from dataclasses import replace

from puzzlemill.generators.worlds import hidden_operator, hidden_scoring, hidden_sorting

# 2 * (a + b) + 1; the only other term that gives 11 for (2, 3) is 1 * (a * b) + 5, which gives 9
# and not 11 for (1, 4).
SUMS = hidden_operator.Operation(
    "signs",
    "◇",
    ("a + b", "a * b"),
    2,
    5,
    (("", ("a + b", 2, 1)),),
    ((2, 3, 11), (1, 4, 11)),
    ((5, 6),),
)
EVEN_FINS = hidden_sorting.Sorting(
    "fish",
    2,
    ("all",),
    ("all", (("even", 2, 0),)),
    (((0, 0, 2), True), ((0, 0, 1), False), ((0, 0, 5), False)),
    ((1, 1, 4), (0, 1, 3)),
)
# A sun scores 3 points, or each different kind 3 once: a hand of two suns tells them apart.
SUNS = hidden_scoring.Scoring(
    "cards",
    ("each", "variety"),
    9,
    (("each", 0, 3),),
    ((((0, 1), (0, 2)), 6), (((1, 1), (1, 2)), 0)),
    ((0, 4), (1, 5)),
)


def test_an_operation_is_settled_only_where_all_terms_agree() -> None:
    assert hidden_operator.solve(SUMS) == (23,)
    assert hidden_operator.verify(SUMS, (23,)) == 1
    assert hidden_operator.verify(SUMS, (35,)) == 0  # by a * b + 5
    assert hidden_operator.solve(replace(SUMS, examples=((2, 3, 11),))) is None


def test_no_rule_explains_contradictory_examples() -> None:
    assert hidden_operator.solve(replace(SUMS, examples=((2, 3, 11), (1, 4, 99)))) is None


def test_things_are_sorted_only_where_all_rules_agree() -> None:
    # "More than 1" and "even" both fit the first two; the thing with 5 fins rules the former out.
    assert hidden_sorting.solve(EVEN_FINS) == ("a",)
    assert hidden_sorting.verify(EVEN_FINS, ("a",)) == 1
    assert hidden_sorting.verify(EVEN_FINS, ("a", "b")) == 0
    assert hidden_sorting.solve(replace(EVEN_FINS, examples=EVEN_FINS.examples[:2])) is None


def test_points_are_settled_only_where_all_rules_agree() -> None:
    assert hidden_scoring.solve(SUNS) == 3
    assert hidden_scoring.verify(SUNS, 3) == 1
    assert hidden_scoring.verify(SUNS, 6) == 0
    assert hidden_scoring.solve(replace(SUNS, examples=SUNS.examples[:1])) is None


def test_hidden_rules_are_kin_whatever_things_are_called() -> None:
    oval = replace(EVEN_FINS, rule=("all", (("is", 1, 2), ("more", 2, 3))), values=4)
    red = replace(oval, rule=("all", (("is", 0, 0), ("more", 2, 3))))
    assert hidden_sorting.kin(oval) == hidden_sorting.kin(red)
    assert hidden_sorting.kin(oval) != hidden_sorting.kin(
        replace(red, rule=("all", (("is not", 0, 0), ("more", 2, 3))))
    )
    moons = replace(SUNS, rules=(("each", 1, 3),))
    assert hidden_scoring.kin(SUNS) == hidden_scoring.kin(moons)
    assert hidden_scoring.kin(SUNS) != hidden_scoring.kin(replace(SUNS, rules=(("each", 1, 4),)))
