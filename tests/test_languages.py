"""Languages: instances solved by hand, and right answers that differ from gold."""

import pytest

from puzzlemill.core import registry
from puzzlemill.core.answers import IMPOSSIBLE
from puzzlemill.core.verdict import judge
from puzzlemill.generators.languages import (
    _regex,
    _terms,
    automaton,
    brackets_completion,
    brackets_error,
    derivation,
    lambda_reduction,
    regex_match,
    regex_relation,
    stack_machine,
    unification,
)


def test_a_silent_arrow_may_be_taken_before_and_after_a_letter() -> None:
    arrows = (("A", "x", "B"), ("B", "", "C"), ("C", "x", "D"), ("A", "", "C"))
    machine = automaton.Machine("ABCD", "xy", arrows, "A", ("x", "xx"))
    assert automaton.solve(machine) == ("bcd", "d")
    assert automaton.verify(machine, ("bcd", "d")) == 1
    assert automaton.verify(machine, ("bc", "d")) == 0


def test_a_gap_closes_and_opens_only_what_it_must() -> None:
    torn = brackets_completion.Torn("([<", "[]})")
    assert brackets_completion.solve(torn) == ">]{"
    assert brackets_completion.verify(torn, ">]{") == 1
    assert brackets_completion.verify(torn, ">]{()") == 0


@pytest.mark.parametrize(
    ("text", "place"), [("([])", 0), ("([)]", 3), ("(()", 4), ("())(", 3), ("]", 1)]
)
def test_the_first_wrong_bracket(text: str, place: int) -> None:
    strings = brackets_error.Strings((text,))
    assert brackets_error.solve(strings) == (place,)
    assert brackets_error.verify(strings, (place,)) == 1


def test_every_derivation_of_an_ambiguous_string_is_right() -> None:
    sentence = derivation.Sentence((("S", "SS"), ("S", "x")), "xxx")
    for numbers in ((1, 2, 1, 2, 2), (1, 1, 2, 2, 2)):
        assert derivation.verify(sentence, numbers) == 1
        assert derivation.recheck(sentence, numbers)
    assert derivation.verify(sentence, (1, 2, 2)) == 0
    assert derivation.verify(sentence, (0,)) == 0


@pytest.mark.parametrize(
    ("text", "matched"),
    [("bbc", True), ("c", False), ("bc", True), ("bbbbc", False), ("bbcd", False)],
)
def test_three_matchers_agree(text: str, matched: bool) -> None:
    regex = ("cat", ("times", "b", 1, 3), ("star", "d"), ("set", "cf"))
    assert _regex.shown(regex) == "b{1,3}d*[cf]"
    assert _regex.matches(regex, text) == matched
    assert _regex.matches_by_places(regex, text) == matched
    assert _regex.Automaton(regex).reads(text) == matched


def test_a_string_must_fit_all_patterns_and_the_length() -> None:
    any_b = ("cat", ("star", ("any",)), "b", ("star", ("any",)))
    patterns = regex_match.Patterns((("star", ("cat", "b", "c")), any_b), "bc", 4)
    assert regex_match.solve(patterns) == tuple("bcbc")
    assert regex_match.verify(patterns, tuple("bcbc")) == 1
    assert regex_match.verify(patterns, tuple("bc")) == 0
    assert regex_match.solve(regex_match.Patterns(patterns.regexes, "bc", 3)) is None


def test_a_classic_identity_leaves_nothing_to_tell_apart() -> None:
    one = ("star", ("or", "b", "c"))
    other = ("star", ("cat", ("star", "b"), ("star", "c")))
    same = regex_relation.Two(one, other, "bc")
    assert regex_relation.solve(same) is IMPOSSIBLE
    assert regex_relation.verify(same, IMPOSSIBLE) == 1
    apart = regex_relation.Two(one, ("cat", ("star", "b"), ("star", "c")), "bc")
    assert regex_relation.solve(apart) == ("c", "b")
    assert regex_relation.verify(apart, tuple("bcbc")) == 1
    assert regex_relation.verify(apart, IMPOSSIBLE) == 0


def test_bound_variables_may_have_any_names_and_free_ones_are_not_captured() -> None:
    term = ("app", ("fn", "x", ("fn", "y", ("app", "x", "y"))), "y")
    reduction = lambda_reduction.Reduction(term)
    family = registry.family("lambda_reduction")
    for text in ("λz.y z", "\\k. y k", "(\\lambda x.(y x))", "`λa.y a`"):
        assert judge(family, reduction, f"<answer>{text}</answer>").correct, text
    for text in ("λy.y y", "λz.z y", "λz.y z z", "y", "λz", "((", "λ.y"):
        assert not judge(family, reduction, f"<answer>{text}</answer>").correct, text


def test_two_church_numerals_are_multiplied() -> None:
    twice, thrice = "(λf.λx.f (f x))", "(λf.λx.f (f (f x)))"
    term = lambda_reduction._read(f"(λm.λn.λf.m (n f)) {twice} {thrice}")
    reduction = lambda_reduction.Reduction(term)
    assert lambda_reduction.verify(reduction, "λf.λx.f (f (f (f (f (f x)))))") == 1
    assert lambda_reduction.solve(reduction) == "λx.λy.x (x (x (x (x (x y)))))"


@pytest.mark.parametrize(
    ("left", "right", "common"),
    [
        ("f(X, g(Y))", "f(g(Z), X)", "f(g(U), g(U))"),
        ("f(X, X)", "f(Y, g(Y))", ""),
        ("f(X, a)", "f(b, X)", ""),
        ("h(X, Y, a)", "h(Y, Z, Z)", "h(a, a, a)"),
    ],
)
def test_most_general_common_terms(left: str, right: str, common: str) -> None:
    pair = unification.Pair(_terms.read(left), _terms.read(right))
    answer = common or IMPOSSIBLE
    assert unification.verify(pair, answer) == 1
    assert unification.recheck(pair, answer)
    assert unification.verify(pair, unification.solve(pair)) == 1
    assert unification.verify(pair, "f(g(a), g(a))") == 0


def test_a_block_is_repeated_on_what_it_left() -> None:
    program = stack_machine.Program(
        (("PUSH", 1), ("PUSH", 2), ("REPEAT", 3), ("OVER", 0), ("ADD", 0), ("END", 0)), 7
    )
    assert stack_machine.solve(program) == (1, 5)
    assert stack_machine.verify(program, (1, 5)) == 1
