"""Strings: instances solved by hand, and right answers that differ from gold."""

from puzzlemill.core import registry
from puzzlemill.core.verdict import judge
from puzzlemill.generators.strings import (
    common_subsequence,
    common_substring,
    insertion,
    letter_count,
    palindrome,
    rewriting,
)


def test_an_insertion_is_not_read_again_in_the_same_pass() -> None:
    rules = (("bc", "bbc"), ("bcd", "bxcd"))
    once = insertion.Task("bcdbc", rules, 1)
    assert insertion.solve(once) == tuple("bbcdbbc")
    assert insertion.verify(once, tuple("bxcdbbc")) == 0
    assert insertion.solve(insertion.Task("bcdbc", rules, 2)) == tuple("bbbcdbbbc")


def test_facing_letters_vanish_and_others_pass() -> None:
    # r and s move right, l and m left; r meets its end in l, s in m
    rules = (("rl", ""), ("rm", "mr"), ("sl", "ls"), ("sm", ""))
    system = rewriting.System("rsmlrm", rules, False)
    assert rewriting.solve(system) == tuple("mr")
    assert rewriting.verify(system, tuple("mr")) == 1
    assert rewriting.verify(system, tuple("rm")) == 0


def test_the_first_rule_goes_before_the_leftmost_place() -> None:
    system = rewriting.System("cbbc", (("bc", "c"), ("cb", "bc")), True)
    # cbbc, cbc, cc: cb stands further left, but bc is listed first
    assert rewriting.solve(system) == tuple("cc")
    assert rewriting.verify(system, tuple("cc")) == 1


def test_overlapping_pairs_count_twice() -> None:
    text = letter_count.Text(("bzzz", "zz", "z"), ("zz", "zb"))
    assert letter_count.solve(text) == (3, 0)
    assert letter_count.verify(text, (3, 0)) == 1
    assert letter_count.verify(text, (2, 0)) == 0


def test_any_palindrome_that_keeps_to_the_demands_is_right() -> None:
    puzzle = palindrome.Letters("bbccddd", ("cd",), True)
    right = {"bcdddcb": False, "bdcdcdb": True, "dbcdcbd": True, "cbdddbc": False, "cdbdbdc": True}
    for text, accepted in right.items():
        assert palindrome.verify(puzzle, tuple(text)) == accepted, text
        assert palindrome.recheck(puzzle, tuple(text)) == accepted, text
    assert palindrome.solve(palindrome.Letters("bbccdf", (), False)) is None  # two odd letters


def test_a_palindrome_may_be_written_without_spaces() -> None:
    family = registry.family("palindrome")
    puzzle = palindrome.Letters("bbccddd", ("cd",), True)
    for text in ("cdbdbdc", "C D B D B D C", "c, d, b, d, b, d, c"):
        assert judge(family, puzzle, f"<answer>{text}</answer>").correct


def test_the_longest_common_strings_of_a_textbook_pair_are_all_right() -> None:
    pair = common_subsequence.Strings(("abcbdab", "bdcaba"))
    accepted = {"bcba", "bdab", "bcab"}
    assert "".join(common_subsequence.solve(pair)) in accepted
    for text in accepted:
        assert common_subsequence.verify(pair, tuple(text)) == 1
    assert common_subsequence.verify(pair, tuple("bab")) == 0
    assert common_subsequence.verify(pair, tuple("bdaba")) == 0
    whole = common_substring.Strings(("abcbdab", "bdcaba"))
    for text, score in {"ab": 1, "bd": 1, "ba": 0, "b": 0}.items():
        assert common_substring.verify(whole, tuple(text)) == score
