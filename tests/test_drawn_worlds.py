"""Worlds of games, and of what is not told but shown by examples: instances settled by hand."""

from dataclasses import replace

import pytest

from puzzlemill.generators.worlds import (
    drawn_game,
    hidden_action,
    hidden_calculus,
    hidden_game,
    hidden_instruction,
    hidden_kinship,
)
from puzzlemill.generators.worlds._action_space import changes, conditions, explaining
from puzzlemill.generators.worlds._effect_space import CONDITIONS, EFFECTS, acted, every, met
from puzzlemill.generators.worlds._machine_reader import followed

# Take 1 or 2 out of a pile: as in Nim's simplest form, the piles count modulo 3, and the player to
# move loses where both leave the same remainder.
NIM = drawn_game.Game("stones", (("range", 2, 1, "", 0),), False, ("", 0), 0, 6, 3)


def test_a_game_of_one_or_two_is_lost_where_both_piles_leave_the_same_remainder() -> None:
    assert drawn_game.solve(NIM) == (1, 2, 4, 5)
    assert drawn_game.verify(NIM, (1, 2, 4, 5)) == 1


def test_a_position_may_win_at_once() -> None:
    # Two in all win at once: three or four in all are won, five are lost, and so on by threes.
    both = replace(NIM, end=("total", 2))
    assert drawn_game.solve(both) == (1, 3, 4, 6)
    assert drawn_game.verify(both, (1, 3, 4, 6)) == 1
    # A pile of one wins at once, and two can be taken out of the second one at the start.
    one = replace(NIM, end=("exactly", 1))
    assert drawn_game.solve(one) == (1, 2, 3, 4, 5, 6)
    assert drawn_game.verify(one, (1, 2, 3, 4, 5, 6)) == 1


def test_a_number_may_be_barred() -> None:
    # No pile may hold 3 after a move, so that the second pile must be changed at once. From 4 and 3
    # a move leads to 4 and 2, which the other player makes 2 and 2, or to 4 and 1, made 4 and 0.
    barred = replace(NIM, barred=3, most=4)
    assert drawn_game.solve(barred) == (1, 2)
    assert drawn_game.verify(barred, (1, 2)) == 1
    assert drawn_game.solve(replace(NIM, most=4)) == (1, 2, 4)


# Of two moves, "take N" both: from 5 and 0, what is left tells which.
TAKE = hidden_game.Hidden(
    skin="stones",
    kinds=("take",),
    conditions=(),
    moves=(("take", 1, 0, "", 0), ("take", 2, 0, "", 0)),
    misere=False,
    examples=(((5, 0), ((4, 0), (3, 0))),),
    most=6,
    other=3,
)


def test_a_hidden_game_is_settled_only_where_all_that_fit_agree() -> None:
    assert hidden_game.solve(TAKE) == (1, 2, 4, 5)
    assert hidden_game.verify(TAKE, (1, 2, 4, 5)) == 1
    # From 1 and 0, one can be taken: the other move may take any number from 2 to 5.
    doubt = replace(TAKE, examples=(((1, 0), ((0, 0),)),))
    assert hidden_game.solve(doubt) is None
    # With 4 and 0 besides, where 2 to 4 cannot be taken, it takes 5: piles count modulo 2 below 5,
    # and 5 and 3 is won by taking all 5 only if 0 and 3 is lost, which it is not.
    five = replace(doubt, examples=(*doubt.examples, ((4, 0), ((3, 0),))), most=5)
    assert hidden_game.solve(five) == (2, 4)
    # Nothing of the form takes 6.
    assert hidden_game.solve(replace(TAKE, examples=(((6, 0), ((0, 0),)),))) is None


def test_a_move_under_a_condition_is_settled_where_it_is_not_allowed() -> None:
    # Take 1, always or where the chosen pile holds at most N: from 2 and 0 all lead to 1 and 0.
    one = replace(
        TAKE,
        conditions=("at most",),
        moves=(("take", 1, 0, "", 0),),
        examples=(((2, 0), ((1, 0),)),),
        most=5,
        other=4,
    )
    assert hidden_game.solve(one) is None
    # Nothing can be taken from 5: N is 3 or 4, and an odd number of turns is left from 1 and 3.
    few = replace(one, examples=(*one.examples, ((5, 0), ())))
    assert hidden_game.solve(few) == (1, 3)
    assert hidden_game.verify(replace(few, moves=(("take", 1, 0, "at most", 3),)), (1, 3)) == 1
    assert hidden_game.verify(replace(few, moves=(("take", 1, 0, "at most", 4),)), (1, 3)) == 1


# One rule, "if A(X, Y) and B(Y, Z), then C(X, Z)" or "if A(X, Y), then B(Y, X)", of R1 and R2.
FOLLOWS = hidden_calculus.Hidden(
    skin="people",
    forms=(("RXY RYZ", "RXZ", ""), ("RXY", "RYX", "")),
    relations=2,
    properties=1,
    rules=(((("R1", "X", "Y"), ("R1", "Y", "Z")), ("R2", "X", "Z"), ()),),
    examples=(((("R1", "Anna", "Ben"), ("R1", "Ben", "Clara")), (("R2", "Anna", "Clara"),)),),
    things=("David", "Emma", "Felix", "Grace"),
    facts=(("R1", "David", "Emma"), ("R1", "Emma", "Felix"), ("R1", "Emma", "Grace")),
    query=("R2", "David", "?"),
)


def test_a_hidden_calculus_is_settled_only_where_all_that_fit_agree() -> None:
    assert hidden_calculus.solve(FOLLOWS) == ("felix", "grace")
    assert hidden_calculus.verify(FOLLOWS, ("felix", "grace")) == 1
    assert hidden_calculus.solve(replace(FOLLOWS, examples=())) is None
    # That nothing follows from a pair of statements leaves many rules.
    ((given, _),) = FOLLOWS.examples
    assert hidden_calculus.solve(replace(FOLLOWS, examples=((given[:1], ()),))) is None
    # No rule of these forms makes somebody a scout.
    scout = replace(FOLLOWS, examples=((given, (("P1", "Anna"),)),))
    assert hidden_calculus.solve(scout) is None


def test_a_second_rule_that_no_example_rules_out_leaves_a_doubt() -> None:
    rule = ((("R1", "X", "Y"),), ("R1", "Y", "X"), ())
    two = replace(FOLLOWS, rules=(*FOLLOWS.rules, rule))
    # No turned rule fits the example, and here nothing meets the premises of another one.
    assert hidden_calculus.solve(two) == ("felix", "grace")
    # David owes Felix by the rule; a second rule may say that he owes whom Felix admires, too.
    back = replace(FOLLOWS, facts=(*FOLLOWS.facts, ("R1", "Felix", "David")))
    assert hidden_calculus.solve(back) == ("felix", "grace")
    assert hidden_calculus.solve(replace(two, facts=back.facts)) is None


# Ada and Ben have Cid and Dot; Dot and Eli have Fay, Gus and Hal.
FAMILY = hidden_kinship.Hidden(
    skin="village",
    names=("Ben", "Ada", "Cid", "Dot", "Eli", "Fay", "Gus", "Hal"),
    sexes="mfmfmfmm",
    couples=((0, 1, (2, 3)), (4, 3, (5, 6, 7))),
    terms=("zab",),
    finer=False,
    definitions=((("parent", "f", ""), ("parent", "m", "")),),  # a mother's father
    examples=((0, 6, (0,)),),
    person=5,
)


def test_a_hidden_kin_term_is_settled_only_where_all_that_fit_agree() -> None:
    # Ben is the father of a parent of Gus, or of his mother: the same of Fay, his sister.
    assert hidden_kinship.solve(FAMILY) == "ben"
    assert hidden_kinship.verify(FAMILY, "ben") == 1
    assert hidden_kinship.verify(FAMILY, "ada") == 0
    assert hidden_kinship.solve(replace(FAMILY, examples=())) is None
    # That Cid has nobody who is his zab says little of Fay's.
    assert hidden_kinship.solve(replace(FAMILY, examples=((0, 2, ()),))) is None
    # Of Ada, Cid is the son of the spouse and the brother of the daughter; Eli has two such sons.
    son = replace(FAMILY, examples=((0, 1, (2,)),), person=4)
    assert hidden_kinship.solve(son) is None


def test_a_chain_goes_on_from_each_of_several_people() -> None:
    # A younger brother of a child of Eli: Gus, who is Fay's, and Hal, who is Fay's and Gus's.
    younger = (("child", "", ""), ("sibling", "m", "younger"))
    brothers = replace(FAMILY, definitions=(younger,), person=4)
    assert hidden_kinship.verify(brothers, "gus") == 0
    # An older sister of a child: Fay, of both of her brothers.
    older = replace(brothers, definitions=((("child", "", ""), ("sibling", "f", "older")),))
    assert hidden_kinship.verify(older, "fay") == 1


# "p = 7, q = 3 -> p = 4, q = 3" is |p - q|, and |p - 3| as well; a second example tells them apart.
GAP = hidden_instruction.Hidden(
    skin="formulas",
    name="ZAB",
    kinds=("gap other", "gap number"),
    instruction=((), (("gap", "p", "q"),), (("gap", "p", "q"),)),
    examples=(((7, 3), (4, 3)), ((9, 5), (4, 5))),
    program=((0, 0, 1), (0, 1, 0)),
    start=(10, 4),
)


def test_a_hidden_instruction_is_settled_only_where_all_that_fit_agree() -> None:
    # ZAB A B: 10 and 4 become 6 and 4; ZAB B A: 4 becomes |4 - 6|.
    assert hidden_instruction.solve(GAP) == (6, 2)
    assert hidden_instruction.solve(replace(GAP, examples=GAP.examples[:1])) is None
    assert hidden_instruction.solve(replace(GAP, examples=())) is None


def test_a_case_of_which_no_example_is_left_may_be_anything() -> None:
    cases = replace(
        GAP,
        kinds=("copy", "halve"),
        instruction=(("even", "p"), (("halve", "p"),), (("copy", "p", "q"),)),
        examples=(((8, 3), (4, 3)),),
        program=((0, 0, 1),),
        start=(5, 4),
    )
    assert hidden_instruction.solve(cases) is None


# Two things that change places in warmth: as 0 and 1 are met, it may be so that X must be 0 in
# colour, or may not be 1, which is the same here. A change of colour besides is not ruled out.
TAP = hidden_action.Hidden(
    skin="workshop",
    attributes=("colour", "warmth"),
    values=2,
    verbs=("tap",),
    actions=((2, (("is", 0, 0, 0),), (("swap", 0, 1),)),),
    bans=(),
    examples=(
        ((0, ((0, 1), (0, 0))), ((0, 0), (0, 1))),
        ((0, ((0, 0), (0, 0))), ((0, 0), (0, 0))),
        ((0, ((0, 0), (1, 1))), ((0, 1), (1, 0))),
    ),
    new=((0, ((0, 1), (1, 0))), (0, ((1, 0), (0, 1))), (0, ((1, 1), (0, 1)))),
    asked=(0, 1, 1),
)

TERMS = ("is", 0, 0, 0), ("is not", 0, 0, 1)


def test_a_hidden_action_that_is_not_possible_changes_nothing() -> None:
    # A: X becomes cold. B: X is green, so it stays cold. C: X is green, so it stays cool.
    assert hidden_action.solve(TAP) == ("c",)
    assert hidden_action.verify(TAP, ("c",)) == 1
    assert hidden_action.solve(replace(TAP, examples=TAP.examples[:2])) is None


def test_all_actions_that_explain_the_examples_are_searched() -> None:
    needs, able = explaining(TAP.examples, 2, 2, 2)
    is_0, is_not_1 = (1 << conditions(2, 2, 2).index(term) for term in TERMS)
    assert needs == [is_0, is_not_1, is_0 | is_not_1]
    # With the swap, X's colour may be set, or left as it is; all else would show.
    assert changes(able, 0) == {("set", 0, 0, 0), None}
    assert changes(able, 1) == {("swap", 0, 1)}


def test_an_action_has_one_effect_or_two() -> None:
    turn, leave = ("turn", 0, 0), None
    either, must, never = frozenset({turn, leave}), frozenset({turn}), frozenset({leave})
    assert changes([either, never], 0) == {turn}  # there is no other
    assert changes([either, either], 0) == changes([either, must], 0) == {turn, leave}
    assert changes([either, must, must], 0) == {leave}
    assert changes([must, must, must], 0) == changes([either, must, must, must], 0) == set()


@pytest.mark.parametrize("kind", EFFECTS)
def test_an_effect_is_searched_as_it_is_read(kind: str) -> None:
    for *name, term in every((kind,)):
        for pair in ((1, 8), (8, 1), (5, 5), (16, 11)):
            assert acted(*name, pair) == followed((((), (term,), (term,)),), ((0, 0, 1),), pair)[1]


@pytest.mark.parametrize("kind", CONDITIONS)
def test_a_condition_is_searched_as_it_is_read(kind: str) -> None:
    for *name, term in every((kind,)):
        for pair in ((1, 8), (8, 1), (5, 5), (12, 3)):
            rule = term, (("copy", "p", "q"),), (("add", "p", 99),)
            held = followed((rule,), ((0, 0, 1),), pair)[1][0]
            assert met(*name, pair) == (held == pair[1])
