"""Collections as answers: lists, sets, pairs, paths, moves, grids, mappings, groups."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from answer_rules import (
    PIECES,
    keeps_the_rules,
    reads_any_text,
    survives_its_renderings,
    takes_no_time,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.proof.batteries import hacks, tagged
from puzzlemill.core.replies import answer_text

HALF, THIRD = Fraction(1, 2), Fraction(-1, 3)
CUBE = ("U", "U'", "U2", "R", "R'", "R2", "F", "F'", "F2")

# Each kind, and some answers of it that are sent through all the renderings.
KINDS: list[tuple[Any, list[Any]]] = [
    (answers.IntList(), [(3, 1, 2), (-5,), (7, 7, -20)]),
    (answers.IntList(between=" ", empty=True, reorders=True), [(), (10, 2)]),
    (answers.IntList(between=" -> "), [(4, 0, 11)]),
    (answers.NumberList(), [(HALF, Fraction(-3)), (THIRD,)]),
    (answers.WordList(), [("anna", "x-ray", "b2"), ("a",)]),
    (answers.WordList(items="phrases", empty=True), [("new york", "oslo"), ("san juan",), ()]),
    (answers.WordList(items="letters", reorders=True), [("x", "a", "b")]),
    (answers.IntSet(), [(1, 2, 30), (-4,)]),
    (answers.IntSet(empty=True), [()]),
    (answers.IntBag(empty=True), [(1, 1, 3), ()]),
    (answers.WordSet(), [("anna", "ben")]),
    (answers.WordSet(items="phrases"), [("new york", "oslo")]),
    (answers.Pairs(), [((1, 2), (-3, 4)), ((5, 6),)]),
    (answers.Pairs(items="words", ordered=False, empty=True), [(("a", "b"), ("c", "d")), ()]),
    (answers.Pairs(items="phrases"), [(("new york", "oslo"), ("rome", "san juan"))]),
    (answers.Edges(), [((1, 2), (2, 13)), ((0, 10),)]),
    (answers.Edges(directed=True), [((1, 2), (2, 1))]),
    (answers.Edges(nodes="words"), [(("ann", "bob"), ("bob", "cy"))]),
    (answers.Edges(nodes="letters", empty=True), [(("a", "b"), ("b", "c")), ()]),
    (answers.Edges(nodes="nodes"), [(("1", "2"), ("2", "13")), (("ann", "bob"),)]),
    (answers.Edges(True, "nodes", known=("0", "1", "2")), [(("2", "0"), ("2", "1"))]),
    (answers.Node(), ["0", "17", "ann"]),
    (answers.Node(known=("0", "1", "2")), ["2"]),
    (answers.WordSet(items="nodes"), [("0", "3", "12"), ("ann", "bob"), ("7",)]),
    (answers.WordSet(items="nodes", empty=True, known=("0", "1", "2")), [("0", "2"), ()]),
    (answers.WordList(items="nodes", known=("0", "1", "2")), [("2", "0", "2")]),
    (answers.Path(nodes="nodes", known=("0", "1", "12")), [("12", "0", "1"), ("0", "1", "0")]),
    (answers.Groups(items="nodes"), [(("1", "12"), ("2",)), (("ann", "bob"), ("cy",))]),
    (answers.Path(), [(1, 2, 13), (4,), (3, 4, 3)]),
    (answers.Path(between=", "), [(0, 10)]),
    (answers.Path(nodes="words"), [("ann", "bob", "cy")]),
    (answers.Path(nodes="letters"), [("a", "b", "c")]),
    (answers.Permutation(), [(3, 1, 2), (2, 1), tuple(range(11, 0, -1))]),
    (answers.Permutation(size=4, start=0, cycles=True), [(1, 0, 3, 2), (1, 2, 3, 0)]),
    (answers.Moves(), [("U", "D", "L", "L"), ("R",)]),
    (answers.Moves(CUBE, empty=True), [("U'", "R2", "F"), ("R'",), ()]),
    (answers.Moves(("U", "u", "D", "d")), [("U", "d")]),
    (answers.Grid(), [((1, -2), (30, 4)), ((5,),), ((1, 2, 3),)]),
    (answers.Grid(digits=True), [((5, 6, 7), (1, 2, 3))]),
    (answers.Matrix(), [((HALF, Fraction(2)), (Fraction(-3), THIRD)), ((Fraction(5),),)]),
    (answers.Board("#."), [("..#", "#..", "..."), ("#", ".")]),
    (answers.Board("QK-"), [("QK", "K-")]),
    (answers.Board("01"), [("0110",)]),
    (answers.Mapping(), [(("anna", "knight"), ("ben", "knave")), (("0", "1"), ("1", "3"))]),
    (answers.Mapping(), [(("felix", "new york"),), (("x-ray", "-3/4"), ("y_2", "0.5"))]),
    (answers.Groups(), [((1, 2), (3,)), ((5,),), ((0, 17), (1, 2, 3))]),
    (answers.Groups(items="words"), [(("ann", "bob"), ("cy",))]),
    (answers.Groups(items="phrases"), [(("new york", "oslo"), ("rome",))]),
    # With what their prompt calls the parts, and the notations that it uses.
    (answers.IntList(names=("x", "y")), [(21, -13)]),
    (answers.IntList(names=("c1", "c2", "c3")), [(1, 2, 30)]),
    (answers.IntList(names=("row 1", "column 2")), [(4, 17)]),
    (answers.IntList(notations=("ratio",)), [(47, 27), (552, 65, 988)]),
    (answers.IntList(notations=("lines", "digits")), [(7, 9, 2, 6)]),
    (answers.IntList(notations=("continued", "dots")), [(0, 1, 3, 28)]),
    (answers.NumberList(names=("x", "y")), [(HALF, Fraction(-3))]),
    (answers.WordList(names=("front", "top"), same=(("crimson", "red"),)), [("red", "blue")]),
    (answers.WordList(items="phrases", idle=("the", "and")), [("take blue key", "go north")]),
    (answers.WordList(step="step"), [("4", "ant", "bee")]),
    (answers.WordList(reorders=True), [("ann", "bob", "cy")]),
    (answers.IntSet(either=True, modulus=317), [(17, 300), (5,)]),
    (answers.WordSet(either=True), [("before", "meets", "overlaps")]),
    (answers.Pairs(ordered=False, sides=("x", "y")), [((-7, 4), (2, -5)), ((1, 2),)]),
    (answers.Pairs(names=("radio", "occur")), [((6, 1), (6, 5), (8, 2), (8, 6))]),
    (answers.Permutation(chain=True), [(3, 1, 2)]),
    (answers.Mapping(same=(("t", "true"), ("f", "false"))), [(("1", "true"), ("2", "false"))]),
    (answers.Mapping(idle=("line", "at line")), [(("a", "keyerror 5"), ("b", "returns 7"))]),
    (answers.Matrix(scaled=True), [((HALF, Fraction(2)), (Fraction(-3), THIRD))]),
]
each_kind = pytest.mark.parametrize(
    ("kind", "examples"),
    KINDS,
    ids=[f"{type(kind).__name__}-{at}" for at, (kind, _) in enumerate(KINDS)],
)


@each_kind
def test_right_answers_are_read_however_they_are_written(kind: Any, examples: list[Any]) -> None:
    for answer in examples:
        keeps_the_rules(kind, answer)
        survives_its_renderings(kind, answer)
        assert len({way for way in kind.ways(answer) if way != kind.write(answer)}) >= 4


@each_kind
def test_the_answer_beside_another_is_not_the_answer(kind: Any, examples: list[Any]) -> None:
    for answer in filter(None, examples[:1]):  # "[]" says nothing, and so it says an empty answer
        for reply in hacks(kind, answer, "Which is it?", "seed"):
            said = answer_text(reply)
            assert said is None or kind.read(said) != answer, f"takes {reply[:300]!r}"


@pytest.mark.parametrize("kind", [kind for kind, _ in KINDS], ids=lambda kind: type(kind).__name__)
def test_long_texts_take_no_time(kind: Any) -> None:
    own = ("(1,2),", "a-b,", "- 1\n", "1. 1. ", "a = b\n", "#.", "{1},", "&", "→", "1\n\n",
           "x = 1, ", "x = 1, y = 2; ", "1 : ", " or ", "x ≡ ", "(x, y) = ", "1 < ")  # fmt: skip
    for piece in (*PIECES, *own):
        takes_no_time(kind, piece)


@each_kind
def test_a_guess_differs_and_has_the_size(kind: Any, examples: list[Any]) -> None:
    source = Random(5)
    for answer in examples:
        guesses = {kind.guess(answer, source) for _ in range(60)}
        assert all(kind.read(kind.write(guess)) == guess for guess in guesses)
        assert len(guesses) > 1 or len(answer) < 2 or isinstance(answer[0], tuple)


WORDS = st.text("bcdfgkmzéß127", min_size=1, max_size=6).filter(lambda word: not word.isdecimal())
PHRASES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
LETTERS = st.sampled_from("abcdefghijklmnopqrstuvwxyz")
INTS = st.integers(-(10**6), 10**6)
NODES = st.integers(0, 40)
NAMES = st.one_of(NODES.map(str), WORDS)  # of nodes
NUMBERS = st.fractions(min_value=-99, max_value=99, max_denominator=99)


def rows_of(cells: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(cells, min_size=width, max_size=width).map(tuple), min_size=1, max_size=4
        ).map(tuple)
    )


def many(items: st.SearchStrategy[Any], unique: bool = False) -> st.SearchStrategy[Any]:
    return st.lists(items, min_size=1, max_size=7, unique=unique).map(tuple)


def sets_of(items: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.frozensets(items, min_size=1, max_size=6).map(in_order)


def partitions(items: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    def cut(names: tuple[Any, ...]) -> tuple[tuple[Any, ...], ...]:
        source = Random(len(names))
        groups: dict[int, list[Any]] = {}
        for name in names:
            groups.setdefault(source.randrange(3), []).append(name)
        return in_order(in_order(group) for group in groups.values())

    return many(items, unique=True).map(cut)


def permutations(size: int) -> st.SearchStrategy[tuple[int, ...]]:
    return st.permutations(range(1, size + 1)).map(tuple)


def mappings(terms: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[tuple[str, str], ...]]:
    found = st.dictionaries(terms, terms, min_size=1, max_size=6)
    return found.map(lambda pairs: tuple(sorted(pairs.items())))


def joined(rows: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    return tuple("".join(row) for row in rows)


GENERATED: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (answers.IntList(), many(INTS)),
    (answers.IntList(between=" ", empty=True), st.lists(INTS, max_size=5).map(tuple)),
    (answers.NumberList(), many(NUMBERS)),
    (answers.WordList(), many(WORDS)),
    (answers.WordList(items="phrases"), many(PHRASES)),
    (answers.WordList(items="letters"), many(LETTERS)),
    (answers.IntSet(), sets_of(INTS)),
    (answers.IntBag(), many(INTS).map(sorted).map(tuple)),
    (answers.WordSet(), sets_of(WORDS)),
    (answers.WordSet(items="phrases", empty=True), sets_of(PHRASES)),
    (answers.Pairs(), many(st.tuples(INTS, INTS))),
    (answers.Pairs(items="words"), many(st.tuples(WORDS, WORDS))),
    (answers.Pairs(items="phrases", ordered=False), sets_of(st.tuples(PHRASES, PHRASES))),
    (answers.Edges(), sets_of(st.tuples(NODES, NODES).map(sorted).map(tuple))),
    (answers.Edges(directed=True, nodes="words"), sets_of(st.tuples(WORDS, WORDS))),
    (answers.Edges(nodes="letters"), sets_of(st.tuples(LETTERS, LETTERS).map(sorted).map(tuple))),
    (answers.Edges(nodes="nodes"), sets_of(st.tuples(NAMES, NAMES).map(in_order))),
    (answers.Node(), NAMES),
    (answers.WordSet(items="nodes"), sets_of(NAMES)),
    (answers.WordList(items="nodes"), many(NAMES)),
    (answers.Path(nodes="nodes"), many(NAMES)),
    (answers.Groups(items="nodes"), partitions(NAMES)),
    (answers.Path(), many(NODES)),
    (answers.Path(nodes="words"), many(WORDS)),
    (answers.Path(nodes="letters"), many(LETTERS)),
    (answers.Permutation(), st.integers(1, 12).flatmap(permutations)),
    (answers.Permutation(5, cycles=True), st.permutations(range(1, 6)).map(tuple)),
    (answers.Moves(), many(st.sampled_from("UDLR"))),
    (answers.Moves(CUBE, empty=True), st.lists(st.sampled_from(CUBE), max_size=8).map(tuple)),
    (answers.Grid(), rows_of(INTS)),
    (answers.Grid(digits=True), rows_of(st.integers(0, 9))),
    (answers.Matrix(), rows_of(NUMBERS)),
    (answers.Board("#.@"), rows_of(st.sampled_from("#.@")).map(joined)),
    (answers.Board("xo-"), rows_of(st.sampled_from("xo-")).map(joined)),
    (answers.Mapping(), mappings(PHRASES)),
    (answers.Mapping(), mappings(NODES.map(str))),
    (answers.Groups(), partitions(INTS)),
    (answers.Groups(items="words"), partitions(WORDS)),
    (answers.Groups(items="phrases"), partitions(PHRASES)),
]  # fmt: skip
any_answer = pytest.mark.parametrize(
    ("kind", "strategy"),
    GENERATED,
    ids=[f"{type(kind).__name__}-{at}" for at, (kind, _) in enumerate(GENERATED)],
)


@any_answer
@given(data=st.data(), seed=st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_every_answer_keeps_the_rules(kind: Any, strategy: Any, data: Any, seed: int) -> None:
    keeps_the_rules(kind, data.draw(strategy), seed)


SIGNS = "0123456789abUDx#.,;:-=>→[](){}<>|&'\"\n \\*/^_+"
PARTS = [
    "1", "2", "-3", "a", "ann", "U'", "R2", "#.", "1/2", ", ", "; ", "\n", " ", " and ", " or ",
    " -> ", "-", "--", "=", ": ", "(", ")", "[", "]", "{", "}", "\\{", "\\}", "|", "- ", "1. ",
    "2. ", "\\\\", " & ", "\\begin{pmatrix}", "\\end{pmatrix}", "none", '"', "'", "**", "^T",
    "\\to", " to ", " then ", "\\frac{1}{2}", ".", "...", "Path: ", "x = ", "the ", "not ", "½",
]  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=80),
    st.text(SIGNS, max_size=40),
    st.lists(st.sampled_from(PARTS), max_size=14).map("".join),
)


@given(text=TEXTS)
@settings(max_examples=400, deadline=None)
def test_no_text_makes_a_kind_raise(text: str) -> None:
    for kind, _ in KINDS:
        reads_any_text(kind, text)


def reads(kind: Any, table: list[tuple[str, Any]]) -> None:
    for text, answer in table:
        assert kind.read(text) == answer, f"reads {kind.read(text)!r} in {text!r}"


def refuses(kind: Any, texts: list[str]) -> None:
    for text in texts:
        assert kind.read(text) is None, f"reads {kind.read(text)!r} in {text!r}"


def test_a_list_of_integers_is_read_in_many_forms() -> None:
    reads(answers.IntList(), [
        ("1, 2, 3", (1, 2, 3)), ("[1 2 3]", (1, 2, 3)), ("1->2->3", (1, 2, 3)),
        ("$1 \\rightarrow 2$", (1, 2)), ("1 then 2 then 3", (1, 2, 3)), ("1, 2, and 3", (1, 2, 3)),
        ("1, then 2", (1, 2)), ("1 and 2", (1, 2)), ("1. 5\n2. 7\n3. 9", (5, 7, 9)),
        ("1) 5\n2) 7", (5, 7)), ("(1) 5\n(2) 7", (5, 7)), ("Step 1: 5\nStep 2: 7", (5, 7)),
        ("0: 5\n1: 7", (5, 7)), ("- 5\n- 7", (5, 7)), ("- -5\n- 7", (-5, 7)), ("* 5\n* 7", (5, 7)),
        ("\u2212 5\n\u2212 7", (-5, -7)), ("-5\n-7", (-5, -7)), ("1,\n2,\n3", (1, 2, 3)),
        ("1, 2,\n3, 4", (1, 2, 3, 4)), ("[\n  1,\n  2\n]", (1, 2)), ("[1\n 2]", (1, 2)),
        ("1;2;3", (1, 2, 3)), ("1; 2;", (1, 2)), ("5,123,456", (5, 123, 456)),
        ("0\u00b0, 90 degrees", (0, 90)), ("(0^\\circ, 90^{\\circ})", (0, 90)),
        ("1{,}200, 300", (1200, 300)), ("[[1, 2]]", (1, 2)), ("1,2,", (1, 2)),
        ("\\begin{pmatrix}1\\\\ 2\\\\[2pt]3\\end{pmatrix}", (1, 2, 3)),
        ("\\begin{bmatrix}1 & 2 & 3\\end{bmatrix}", (1, 2, 3)), ("(1,2,3)^T", (1, 2, 3)),
        ("\\begin{pmatrix}1 & 2\\end{pmatrix}^{\\top}", (1, 2)), ("\\langle 1, 2\\rangle", (1, 2)),
        ("\u27e81, 2\u27e9", (1, 2)), ("\\left\\{1,2\\right\\}", (1, 2)),
        ("\\vec{v} = (1,2)", (1, 2)), ("Path: 1 -> 2", (1, 2)),
        ("**Sorted list:** 1 2 3", (1, 2, 3)), ("The sorted list is **1 2 3**.", (1, 2, 3)),
        ('["1", "2"]', (1, 2)), ("**1**, **2**", (1, 2)), ("$1$, $2$", (1, 2)),
        ("1.0, 2.0", (1, 2)), ("\uff11\uff0c\uff12", (1, 2)), ("1\u30012", (1, 2)),
        ('{"path": [1, 2]}', (1, 2)), ("```json\n[1, 2]\n```", (1, 2)), ("\u03c3 = 2 1", (2, 1)),
        ("1 \\quad 2", (1, 2)), ("1,\\ 2", (1, 2)), ("1 & 2", (1, 2)), ("007, +5", (7, 5)),
    ])  # fmt: skip


def test_what_may_be_two_lists_or_none_is_no_list() -> None:
    refuses(answers.IntList(empty=True), [
        "", "a", "1, 2 or 1, 3", "3 or 5", "either 1, 2", "not 1, 2", "maybe 5", "1, 2, not 3",
        "1 2\n3 4", "1, 2\n3, 4", "1, 2; 3, 4", "1, 2 -> 3", "[[1], [2]]", "[1, 2] [3]", "[1, 2",
        "1, 2]", "1,,2", ",1", "1, 2, ...", "1, 2, \u2026", "1-5", "1..5", "range(5)", "1 / 2",
        "1 | 2", "1 (2)", "1, 2 (sorted)", "sorted([1, 2])", "np.array([1, 2])", "1 < 2 < 3",
        "1.5, 2", "1,200, 300", "1. 5", "- 5", "- 5, 7", "1 - 2", "1.\n2.", "1.5\n2.5",
        "1. 5\n3. 7", "\u0663, 4", "\u00b2, 3", "1e3, 2", "0x10", "a = 1, b = 2",
        "5 apples, 6 pears", "1 2 and 3", "{1: 2}", "1 -> 2 ->", "1, 2, 3\nor\n1, 3, 2",
        "\\begin{pmatrix}1 & 2\\\\3 & 4\\end{pmatrix}", "1 2 ~ 2 1 !",
    ])  # fmt: skip


def test_a_list_may_be_laid_out_in_rows_where_that_is_foreseen() -> None:
    laid_out = answers.IntList(rows=True)
    for text in (
        "2 4\n3 1",
        "[[2, 4], [3, 1]]",
        "| 2 | 4 |\n| 3 | 1 |",
        "2, 4, 3, 1",
        "2, 4\n3, 1",
    ):
        assert laid_out.read(text) == (2, 4, 3, 1)
    refuses(laid_out, ["2 4\n3", "2 4 or 3 1", "2 4\nor\n3 1"])


def test_nothing_is_a_list_only_where_a_list_may_be_empty() -> None:
    texts = [
        "none", "None.", "[]", "{}", "()", "\\{\\}", "$\\emptyset$", "\u2205", "the empty set",
        "An empty list", "no moves", "**[]**",
    ]  # fmt: skip
    words = (answers.WordList, answers.WordSet)
    numbers = (answers.IntList, answers.IntSet, answers.IntBag, answers.NumberList)
    for kind in (*words, *numbers, answers.Pairs, answers.Edges, answers.Moves):
        for text in texts:
            assert kind(empty=True).read(text) == ()
            assert not kind().read(text) or kind in words
    refuses(answers.IntSet(empty=True), [
        "", "not empty", "0 elements", "[[]]", "none or 5", "unknown",
    ])  # fmt: skip


def test_numbers_in_a_list_are_exact() -> None:
    reads(answers.NumberList(), [
        ("1/2, 3", (HALF, 3)), ("0.5 2", (HALF, 2)),
        ("\\frac{1}{2}, \\frac{-3}{4}", (HALF, Fraction(-3, 4))),
        ("(1/2; -0.25)", (HALF, Fraction(-1, 4))), ("1 / 2, 3", (HALF, 3)),
        ("v = (1/2, 2)", (HALF, 2)),
        ("\\begin{pmatrix} \\frac{1}{2} \\\\ -\\dfrac{3}{4} \\end{pmatrix}", (HALF, 3 * -HALF / 2)),
        ("- 1/2\n- 3", (HALF, 3)), ("1. 0.5\n2. 3", (HALF, 3)), ("2/4, 6/3", (HALF, 2)),
        ("1 1/2, 3", (3 * HALF, 3)), ("10 77/8", (10, Fraction(77, 8))),
        ("1/2 -1/3", (HALF, THIRD)),
        ("1/2 3", (HALF, 3)), ("3 -1/2", (3, -HALF)),
    ])  # fmt: skip
    refuses(answers.NumberList(), [
        "1/2 3 1/2",
        "1 1/2", "x = 3, y = 4", "y = 4, x = 3", "1/0, 2", "3 km, 4 km", "\\sqrt{2}, 1", "1e3, 2",
        "a, b", "0.333..., 1", "1/2 or 1/3", "(1/2)(3/4)", "1,234\n5", "nan, 1", "1 + 1, 2",
        "1.\n2.",
    ])  # fmt: skip


def test_words_are_compared_in_lower_case() -> None:
    reads(answers.WordList(), [
        ("a b c", ("a", "b", "c")), ("Anna, BEN", ("anna", "ben")), ("a and b", ("a", "b")),
        ("Anna, Ben and Cal", ("anna", "ben", "cal")), ("- a\n- b", ("a", "b")),
        ("1. a\n2. b", ("a", "b")), ("\\text{a}, \\text{b}", ("a", "b")), ("'a' 'b'", ("a", "b")),
        ("don't stop", ("don't", "stop")), ("Jos\u00e9, Ana", ("jos\u00e9", "ana")),
        ("x y z.", ("x", "y", "z")), ("strengthen b", ("strengthen", "b")),
        ("The answer is x y", ("x", "y")), ("The words are: x, y", ("x", "y")),
        ('["A", "b"]', ("a", "b")),
    ])  # fmt: skip
    refuses(answers.WordList(), [
        "", "a or b", "not a", "a b and c", "a, b; c", "a\nb c", "new york, oslo", "[a][b]",
        "a, b are the words", "print('a')", "anything but a b", "a b (c)", "\u0430 b", "a\u0661",
        "a, b = c", "it is not a b", "\u24d0 b",
    ])  # fmt: skip
    phrases = answers.WordList(items="phrases")
    reads(phrases, [
        ("New York, Oslo and Rome", ("new york", "oslo", "rome")), ("san juan", ("san juan",)),
        ("1. New York\n2. Oslo", ("new york", "oslo")), ("new york -> oslo", ("new york", "oslo")),
    ])  # fmt: skip
    refuses(phrases, ["new york, or oslo", "maybe new york", "not oslo, rome"])
    letters = answers.WordList(items="letters")
    reads(letters, [("zyx", ("z", "y", "x")), ("Z Y X", ("z", "y", "x")), ("[z, y]", ("z", "y"))])
    refuses(letters, ["zy x", "zy, x", "maybe", "zy1", "z\u0443x"])


def test_a_set_lists_each_member_once_in_any_order() -> None:
    reads(answers.IntSet(), [
        ("{3, 1, 2}", (1, 2, 3)), ("\\{3, 1\\}", (1, 3)), ("1 and 3", (1, 3)),
        ("- 3\n- 1", (1, 3)), ("S = \\left\\{ 3, 1 \\right\\}", (1, 3)),
        ("(1,)", (1,)), ("{10}", (10,)),
    ])  # fmt: skip
    refuses(answers.IntSet(), [
        "1, 2 and 1", "1; 1; 2", "1\n1", "1 -> 2", "{1, 2} or {1}", "{1, 2}, {1}", "{{1}, {2}}",
        "1 2\n1", "{1:2}", "3, 1, 1", "\\{3, 1, 3\\}", "1 1", "1, 1.0", "01, 1",
    ])  # fmt: skip
    reads(answers.IntBag(), [("2, 1, 2", (1, 2, 2)), ("1\n1", (1, 1)), ("2, 1 and 1", (1, 1, 2))])
    refuses(answers.IntBag(), ["1 -> 2", "2 x 3", "1, 1 or 1", "3\u00d72, 1"])
    reads(answers.WordSet(), [("{B, a}", ("a", "b")), ("Ann and Bob", ("ann", "bob"))])
    refuses(answers.WordSet(), ["a -> b", "a, b and a", "a or b", "not a", "a\na", "B, a, b"])
    refuses(answers.WordSet(items="nodes"), ["3, 4, 3", "3, node 3", "3, 3.0"])


def test_nodes_that_are_called_by_numbers_may_be_decimals() -> None:
    reads(answers.Node(), [("8.0", "8"), ("node 8.0", "8"), ("anna", "anna")])
    reads(answers.WordSet(items="nodes"), [("8.0, 12.0", ("8", "12")), ("[8.00]", ("8",))])
    reads(answers.WordList(items="nodes"), [("8.0 -> 3", ("8", "3"))])
    reads(answers.Path(nodes="nodes"), [("8.0 -> 3.0", ("8", "3"))])
    reads(answers.Edges(nodes="nodes"), [("(8.0, 3.0)", (("3", "8"),))])
    reads(answers.Groups(items="nodes"), [("8.0, 3.0\n1.0", (("1",), ("3", "8")))])
    reads(answers.Mapping(), [("8.0 = 2.0, 1.0 = 0.5", (("1", "0.5"), ("8", "2")))])
    reads(answers.WordSet(items="nodes"), [("8.5", ("8.5",))])


def test_a_pair_is_joined_in_many_ways() -> None:
    both = ((1, 2), (3, 4))
    reads(answers.Pairs(), [(text, both) for text in [
        "(1, 2), (3, 4)", "(1,2)(3,4)", "(1,2) and (3,4)", "[[1,2],[3,4]]", "{(1,2),(3,4)}",
        "1-2, 3-4", "1-2 and 3-4", "1 -> 2, 3 -> 4", "1 \\to 2\n3 \\to 4", "1 2\n3 4", "1, 2\n3, 4",
        "1 2, 3 4", "1,2;3,4", "1-2 3-4", "1:2, 3:4", "{1: 2, 3: 4}", "1. (1,2)\n2. (3,4)",
        "1. 1-2\n2. 3-4", "- 1-2\n- 3-4", "(1,2),\n(3,4)", "1-2,\n3-4", "Edges: 1-2, 3-4",
        "1 to 2, 3 to 4", "[1-2, 3-4]", "1\u20142, 3\u20144", "1--2; 3--4",
        "from 1 to 2, from 3 to 4", "(1 2), (3 4)", "\\{(1,2),(3,4)\\}", "1 and 2, 3 and 4",
    ]])  # fmt: skip
    reads(answers.Pairs(), [
        ("(3, 0\u00b0), (1, 90\u00b0)", ((3, 0), (1, 90))),
        ("1, 2", ((1, 2),)), ("(1, -2)", ((1, -2),)), ("-1 -> -2", ((-1, -2),)),
        ("1 -2\n3 4", ((1, -2), (3, 4))), ("1: 2\n2: 3", ((1, 2), (2, 3))),
    ])  # fmt: skip
    refuses(answers.Pairs(), [
        "1", "1 2 3 4", "1, 2, 3, 4", "1-2-3", "(1,2,3)", "1 -2", "(1,2), (3,4); (5,6)",
        "(1,2), (3,4)\n(5,6)", "(1,2) or (3,4)", "(1,2), not (3,4)", "1 <-> 2", "{1,2}, {3,4}",
        "1-2 (5)", "(1, 2), ...", "(1,2),(3", "[[1,2],[3,4]", "((1,2)) ((3,4))", "1-2 or 3-4",
        "zip([1],[2])",
    ])  # fmt: skip
    loose = answers.Pairs(ordered=False)
    reads(loose, [("(3,4), (1,2)", both)])
    refuses(loose, ["(1,2), (3,4) and (1,2)", "1-2\n1-2", "(1,2), (1,2), (3,4)"])


def test_an_edge_is_the_same_from_both_ends_unless_it_has_a_direction() -> None:
    edges = answers.Edges()
    reads(edges, [
        ("2-1, 3-2", ((1, 2), (2, 3))), ("{1,2}, {2,3}", ((1, 2), (2, 3))), ("1 <-> 2", ((1, 2),)),
        ("\\{\\{2,1\\}, \\{2,3\\}\\}", ((1, 2), (2, 3))),
        ("1 \u2194 2", ((1, 2),)), ("1 -> 2", ((1, 2),)), ("edge 1-2, edge 2-3", ((1, 2), (2, 3))),
    ])  # fmt: skip
    refuses(edges, [
        "(-1, 2)", "1-2-3", "1-2, 2-3 and 1-2", "1-2: 5", "1 - - 2", "(1,2) or (1,3)", "1-2, x-3",
        "(1,2), (2,1)", "1-2, 2-3, 1-2",
    ])  # fmt: skip
    arrows = answers.Edges(directed=True)
    reads(arrows, [("2 -> 1, 1 -> 2", ((1, 2), (2, 1))), ("(2, 1)", ((2, 1),)), ("2-1", ((2, 1),))])
    refuses(arrows, ["{1, 2}", "{1,2}, {2,3}", "1 <-> 2", "1 <- 2"])
    reads(answers.Edges(nodes="words"), [
        ("Ann-Bob, Bob-Cy", (("ann", "bob"), ("bob", "cy"))), ("B--A", (("a", "b"),)),
        ("A and B, C and D", (("a", "b"), ("c", "d"))),
    ])  # fmt: skip
    reads(answers.Edges(nodes="letters"), [
        ("AB, BC", (("a", "b"), ("b", "c"))), ("BA CB", (("a", "b"), ("b", "c"))),
    ])  # fmt: skip
    refuses(answers.Edges(nodes="words"), ["a-b-c", "a-b or c-d", "\u0430-b", "a", "not a-b"])


def test_a_path_is_told_in_many_ways() -> None:
    reads(answers.Path(), [(text, (1, 2, 3)) for text in [
        "1 -> 2 -> 3", "1 \u2192 2 \u2192 3", "$1 \\to 2 \\to 3$", "1-2-3", "1 - 2 - 3",
        "1\u20132\u20133", "1\u20142\u20143", "[1, 2, 3]", "1 2 3", "1 to 2 to 3",
        "from 1 to 2 to 3", "1-2, 2-3", "(1,2), (2,3)", "1->2\n2->3", "Path: 1, 2, 3",
        "1 -> 2 -> 3 (cost 7)", "1 -> 2 -> 3, total length: 7", "1 -> 2 -> 3\nTotal weight = 12.5",
        "node 1 -> node 2 -> node 3", "start at 1 -> 2 -> 3", "1. 1\n2. 2\n3. 3",
        "The shortest path is 1 -> 2 -> 3.", "Shortest path from 1 to 3: 1 -> 2 -> 3",
        "The shortest path from node 1 to node 3 is 1 -> 2 -> 3.", "1 -> 2 -> 3 (total = 12)",
        "**Path:** 1 -> 2 -> 3\n**Total length:** 12",
    ]])  # fmt: skip
    refuses(answers.Path(), [
        "The path is not 1 -> 2", "The path from 1 to 3 is not: 1 -> 2", "The wrong path: 1 -> 2",
        "1->2, 3->4", "1-2 or 1-3", "1 -> 2; 1 -> 3", "-1 -> 2", "1 -> 2 ->", "1 <- 2",
        "1 -> 2 and 1 -> 3", "1,2\n1,3", "1->2 / 1->3", "1 -> 2 (1 -> 3)", "1 -> not 2",
        "1 -> ? -> 3", "", "1 -> 2 -> 3 is wrong",
    ])  # fmt: skip
    reads(answers.Path(nodes="words"), [
        ("Ann -> Bob", ("ann", "bob")), ("Ann to Bob", ("ann", "bob")), ("A-B-C", ("a", "b", "c")),
        ("a then b", ("a", "b")),
    ])  # fmt: skip
    reads(answers.Path(nodes="letters"), [("ABC", ("a", "b", "c")), ("A to B", ("a", "b"))])
    refuses(answers.Path(nodes="words"), [
        "a-b -> c", "a or b", "\u0410 -> b", "A->B or A->C", "A to B via C",
    ])  # fmt: skip


def test_a_permutation_holds_every_number_once() -> None:
    any_size = answers.Permutation()
    reads(any_size, [(text, (3, 1, 2)) for text in [
        "3 1 2", "312", "[3,1,2]", "3, 1, 2.", "3-1-2", "\\sigma = 312", "1. 3\n2. 1\n3. 2",
        "\\begin{pmatrix}1&2&3\\\\3&1&2\\end{pmatrix}",
    ]])  # fmt: skip
    refuses(any_size, [
        "3 1 1", "4 1 2", "0 1 2", "1->3, 2->1, 3->2", "1 -> 2", "1 2 3\n3 1 2", "(1 3)(2)", "13",
        "3 1 2 or 1 2 3",
    ])  # fmt: skip
    reads(answers.Permutation(start=0), [("102", (1, 0, 2)), ("0 2 1", (0, 2, 1))])
    refuses(answers.Permutation(size=4), ["1 2 3", "312", "1 2 3 4 5"])
    cycles = answers.Permutation(size=4, cycles=True)
    reads(cycles, [
        ("(1 3)(2 4)", (3, 4, 1, 2)), ("(1, 2)", (2, 1, 3, 4)), ("(1 3 2)", (3, 1, 2, 4)),
        ("(1)", (1, 2, 3, 4)), ("1 3 2 4", (1, 3, 2, 4)), ("[1, 3, 2, 4]", (1, 3, 2, 4)),
    ])  # fmt: skip
    refuses(cycles, ["(1 3)(3 2)", "(1 3)(2 9)", "(1 1)", "(1 3) or (2 4)", "(1 3", "1 3 2"])
    with pytest.raises(ValueError, match="size"):
        answers.Permutation(cycles=True)


def test_moves_are_read_as_letters_words_or_arrows() -> None:
    reads(answers.Moves(), [(text, ("U", "L")) for text in [
        "UL", "U L", "u, l", "up, left", "Up Left", "U -> L", "\u2191 \u2190", "\u2191\u2190",
        "\u2b06\ufe0f\u2b05\ufe0f", "\\uparrow \\leftarrow", "1. Up\n2. Move left", "- U\n- L",
        "U\nL", '["U", "L"]', "move up, then left", "Move up, move left", "up and then left",
        "[U, L]", "U,L,", "Moves: U L", "U; L",
    ]])  # fmt: skip
    reads(answers.Moves(), [
        ("UU LL", ("U", "U", "L", "L")), ("\u2192\u2192\u2191", ("R", "R", "U")), ("right", ("R",)),
    ])  # fmt: skip
    refuses(answers.Moves(), [
        "", "UX", "3U", "U3", "UL or LU", "UL, LU", "UL\nLU", "U (up)", "not U",
        "This answer is right.", "UL / LU", "up2", "none", "U L is wrong", "upleft",
    ])  # fmt: skip
    cube = answers.Moves(CUBE)
    reads(cube, [
        ("U'R2", ("U'", "R2")), ("R2U'", ("R2", "U'")), ("R\u2032 U", ("R'", "U")),
        ("R\u2019", ("R'",)), ("R^{-1} U^2", ("R'", "U2")), ("R^{\\prime}", ("R'",)),
        ("'U R''", ("U", "R'")), ("u2", ("U2",)),
    ])  # fmt: skip
    refuses(cube, ["R\u00b2", "R3", "U''", "2R", "L", "R' or R"])
    reads(answers.Moves(("U", "u")), [("U u", ("U", "u"))])


def test_a_grid_is_read_in_many_forms() -> None:
    square = ((1, 2), (3, 4))
    reads(answers.Grid(), [(text, square) for text in [
        "1 2\n3 4", "1,2\n3,4", "1 2; 3 4", "[1 2; 3 4]", "[[1,2],[3,4]]", "[1,2],[3,4]",
        "[1, 2]\n[3, 4]", "(1 2)(3 4)", "\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}",
        "\\begin{bmatrix} 1 & 2 \\\\ 3 & 4 \\end{bmatrix}",
        "\\left[\\begin{array}{c|c}1&2\\\\[4pt]3&4\\end{array}\\right]",
        "| 1 | 2 |\n|---|---|\n| 3 | 4 |", "+---+---+\n| 1 | 2 |\n+---+---+\n| 3 | 4 |\n+---+---+",
        "\u250c\u2500\u252c\u2500\u2510\n\u25021\u25022\u2502\n\u251c\u2500\u253c\u2500\u2524\n\u25023\u25024\u2502\n\u2514\u2500\u2534\u2500\u2518",
        "Row 1: 1 2\nRow 2: 3 4", "R1: 1 2\nR2: 3 4", "1. 1 2\n2. 3 4", "1 2\n\n3 4",
        "[\n [1,\n 2],\n [3,\n 4]\n]", "{{1,2},{3,4}}", "1 & 2 \\\\ 3 & 4", "A = [[1,2],[3,4]]",
        "The matrix is\n1 2\n3 4", "```\n1 2\n3 4\n```", "1\t2\n3\t4", '[["1","2"],["3","4"]]',
        "[[1 2]\n [3 4]]", "[[1,2],\n[3,4],]",
    ]])  # fmt: skip
    refuses(answers.Grid(), [
        "1 2\n3", "1 2\n3 4\nor\n1 2\n3 5", "1 2\n3 4; 1 2\n3 5", "[[1,2],[3,4]",
        "[[1,2]] or [[3,4]]", "1 2 (3 4)", "1 x\n3 4", "[[1, 2], 3]", "array([[1, 2]])",
        "\\begin{vmatrix}1&2\\\\3&4\\end{vmatrix}", "1 _\n3 4", "\u0661 2\n3 4",
        "[1, 2] and [3, 4]", "1 2\n3 4 is wrong", "1,,2\n3,4,5",
    ])  # fmt: skip
    digits = answers.Grid(digits=True)
    reads(digits, [
        ("12\n34", square), ("1 2 | 3 4\n----+----\n3 4 | 1 2", ((1, 2, 3, 4), (3, 4, 1, 2))),
        ("12|34\n34|12", ((1, 2, 3, 4), (3, 4, 1, 2))),
    ])  # fmt: skip
    refuses(digits, ["-1 2\n3 4", "1.0 2\n3 4", "12\n345"])


def test_the_entries_of_a_matrix_are_exact() -> None:
    matrix = ((HALF, Fraction(-3, 4)), (Fraction(0), Fraction(1)))
    reads(answers.Matrix(), [(text, matrix) for text in [
        "\\begin{pmatrix}\\frac{1}{2}&-\\frac{3}{4}\\\\0&1\\end{pmatrix}", "[[1/2, -3/4], [0, 1]]",
        "0.5 -0.75\n0 1", "1/2, -3/4\n0, 1", "[[\\frac{1}{2}, -0.75], [0, 1]]",
        "A = \\begin{bmatrix} 1/2 & -3/4 \\\\ 0 & 1 \\end{bmatrix}",
    ]])  # fmt: skip
    refuses(answers.Matrix(), [
        "1/0 2\n3 4", "x 1\n2 3", "1 2\n3", "\\sqrt{2} 1\n0 1", "1 2\n3 4 or 1 2\n3 5", "1 + 1, 2",
    ])  # fmt: skip


def test_a_full_stop_ends_a_board_or_is_a_cell_of_it() -> None:
    board = answers.Board("#.")
    reads(board, [(text, ("#.", ".#")) for text in [
        "#.\n.#", "# .\n. #", "#.\n.#.", '["#.", ".#"]', "['#.', '.#']", "[['#','.'],['.','#']]",
        "[[#,.],[.,#]]", "```\n#.\n.#\n```", "**#.\n.#**", "|#|.|\n|.|#|",
        "| # | . |\n|---|---|\n| . | # |", "#,.\n.,#", "The answer is:\n#.\n.#", "Board:\n#.\n.#",
        "\\#.\n.\\#", "#. \n .#", "#.\n\n.#", "\uff03\uff0e\n\uff0e\uff03", "1. #.\n2. .#",
        "### Answer\n#.\n.#",
        "# The board:\n\n```\n#.\n.#\n```", "## **Completed grid**\n#.\n.#", "It is #.\n.#",
        "#.\\\\.#", "$\\begin{array}{cc}\\#&.\\\\.&\\#\\end{array}$", "**`#.\n.#`**.",
    ]])  # fmt: skip
    reads(board, [("....", ("....",)), ("..\n..", ("..", "..")), ("#.\n..", ("#.", ".."))])
    refuses(board, [
        "", "#.\n.#..", "##,..", "## ..", "#.|.#", "#. or .#", "#.\n.#\nor\n##\n##", "#.\n.x",
        "# ..\n..", "#.\n#", "#.\n.# (valid)", "#.\n.# / ##\n##", "Not this board:\n#.\n.#",
        "### Not this\n#.\n.#",
        "#\u2026", "#.\n. | . | .\n.#",
    ])  # fmt: skip
    reads(answers.Board("OX_"), [
        ("o x _\n_ x o", ("OX_", "_XO")), ("O|X|_\n-+-+-\n_|X|O", ("OX_", "_XO")),
    ])  # fmt: skip
    refuses(answers.Board("OX_"), ["\u041eX_\n_XO", "0X_\n_XO"])
    for symbols in ("#", "", "# ", "aa"):
        with pytest.raises(ValueError, match="symbols"):
            answers.Board(symbols)


def test_names_and_values_are_paired_in_many_ways() -> None:
    people = (("anna", "knight"), ("ben", "knave"))
    reads(answers.Mapping(), [(text, people) for text in [
        "Anna = knight\nBen = knave", "Ben: knave, Anna: knight",
        "Anna is a knight, Ben is a knave", "Anna is a knight and Ben is a knave.",
        "Anna is a knight. Ben is a knave.", '{"Anna": "knight", "Ben": "knave"}',
        "Anna \u2192 knight; Ben \u2192 knave", "- Anna: knight\n- Ben: knave",
        "1. Anna = knight\n2. Ben = knave",
        "| Name | Role |\n|---|---|\n| Anna | knight |\n| Ben | knave |",
        "| Anna | knight |\n| Ben | knave |", "Anna - knight\nBen - knave",
        "**Anna**: knight\n**Ben**: knave", "**Anna:** knight\n**Ben:** knave",
        "- **Anna**: knight\n- **Ben**: knave", "(Anna, knight), (Ben, knave)",
        '[["Anna", "knight"], ["Ben", "knave"]]', "[Anna: knight, Ben: knave]",
        "Assignment:\nAnna = knight\nBen = knave",
        "\\text{Anna} = \\text{knight}, \\text{Ben} = \\text{knave}", "Anna:knight\n\nBen:knave",
    ]])  # fmt: skip
    reads(answers.Mapping(), [
        ("node 0 = colour 1\nNode 1: 3", (("0", "1"), ("1", "3"))),
        ("1: red\n2: blue", (("1", "red"), ("2", "blue"))), ("A1: 3", (("a1", "3"),)),
        ("The nurse is in house 3", (("nurse", "3"),)),
        ("Felix lives in house 3", (("felix", "3"),)),
        ("x_{1} = 2, x_2 = -1/2", (("x_1", "2"), ("x_2", "-1/2"))),
        ("O'Neil = 3", (("o'neil", "3"),)), ("0: 1, 1: 3", (("0", "1"), ("1", "3"))),
        ("ring = rosa A", (("ring", "rosa a"),)), ("a = the b", (("a", "b"),)),
        ("0=1 1=3", (("0", "1"), ("1", "3"))), ("Felix = house #3", (("felix", "3"),)),
    ])  # fmt: skip
    refuses(answers.Mapping(), [
        "", "Anna", "Anna knight", "Anna = knight\nAnna = knave", "Anna = knight\nAnna = knight",
        "Anna is not a knight", "Anna = knight or knave", "anything but anna = knight",
        "Anna and Ben are knights", "a = b = c", "Anna = knight is wrong", '{"a": {"b": 1}}',
        "Anna = ", "= knight", "Anna = maybe knight", "a = x / b = y", "\u0410nna = knight",
        "{a = x} [b = y]", "### Not this:\na = x",
        "Wrong assignment:\nAnna = knight", "either a = x or a = y",
        "Anna = knight?", "| a | b | c |", "a = x; b", "print('a = x')",
    ])  # fmt: skip


def test_a_partition_is_read_in_many_forms() -> None:
    groups = ((1, 2), (3,))
    reads(answers.Groups(), [(text, groups) for text in [
        "{1,2},{3}", "{3}, {2, 1}", "[[1,2],[3]]", "{{1,2},{3}}", "\\{\\{1,2\\},\\{3\\}\\}",
        "1, 2; 3", "1 2 | 3", "1, 2\n3", "1 2\n3", "A: 1, 2\nB: 3", "Team A: 1, 2; Team B: 3",
        '{"A": [1,2], "B": [3]}', "1. 1, 2\n2. 3", "1: 1, 2\n2: 3", "- 1, 2\n- 3",
        "Group 1 = {1,2}, Group 2 = {3}", "Group 1: {1,2}\nGroup 2: {3}",
        "S_1 = \\{1,2\\}, S_2 = \\{3\\}", "(1,2)(3)", "{1,2} and {3}", "Groups: {1,2},{3}",
        "The groups are:\n1, 2\n3", "1 and 2\n3",
    ]])  # fmt: skip
    refuses(answers.Groups(), [
        "", "{1,2},{2,3}", "{1,2},{}", "1, {2,3}", "{1,2} or {3}", "[[1,2],[3]", "[[[1,2]],[[3]]]",
        "1,2/3", "12|3", "1-2, 3", "{1,1},{2}", "1, 2; 3, 1", "{1,2},{3},...", "1, 2\nor\n3",
        "{a},{b}",
    ])  # fmt: skip
    reads(answers.Groups(items="words"), [
        ("Team A: Ann, Bob\nTeam B: Cy", (("ann", "bob"), ("cy",))),
        ("cy\nbob ann", (("ann", "bob"), ("cy",))),
    ])  # fmt: skip


def test_equal_answers_are_equal_values_however_they_are_written() -> None:
    assert len({answers.IntSet().read(text) for text in ("1, 2", "{2, 1}", "[1, 2]")}) == 1
    assert (
        len({answers.Edges().read(text) for text in ("1-2, 3-2", "(2,3), (2,1)", "3--2; 2--1")})
        == 1
    )
    assert (
        len({answers.Groups().read(text) for text in ("{2,1},{3}", "3\n1 2", "[[3],[1,2]]")}) == 1
    )
    assert len({answers.Mapping().read(text) for text in ("a = x, b = y", "B: Y\nA: X")}) == 1


def test_a_guess_at_an_order_is_an_order_and_else_each_item_is_guessed() -> None:
    source = Random(1)
    shuffled = answers.IntList(reorders=True).guess((5, 1, 3), source)
    assert sorted(shuffled) == [1, 3, 5]
    drawn = [answers.IntList().guess((0, 1, 0, 1, 1, 0), source) for _ in range(2000)]
    assert {len(guess) for guess in drawn} == {6}
    assert sum(guess == (0, 1, 0, 1, 1, 0) for guess in drawn) < 2000 / 64 * 2
    assert len({answers.IntList().guess((7, 7), source) for _ in range(50)}) > 5
    assert tagged(answers.IntList().write(())) == "<answer>none</answer>"
