"""Answers of every kind, and where in a reply they are: strict in meaning, lenient in form."""

import json
import time
from collections.abc import Callable
from random import Random
from types import SimpleNamespace
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

from puzzlemill.core import answers, registry
from puzzlemill.core.answers.form import concluded, layers, plain, unnamed, verbatim
from puzzlemill.core.proof.batteries import hacks, monster, monsters, tagged
from puzzlemill.core.replies import LONGEST, answer_text
from puzzlemill.core.verdict import judge, judge_of

SAID: list[tuple[answers.Kind[Any], str]] = [
    (answers.BaseN(2), "101101"),
    (answers.Board("#."), "#..\n.#."),
    (answers.Brackets(), "([]{})"),
    (answers.Program("f", ("xs",)), "def f(xs):\n    return [2 * x for x in xs if x > 3]"),
    (answers.Choice(("A", "B", "C")), "B"),
    (answers.Clock(), "14:30"),
    (answers.Date(), "2024-03-05"),
    (answers.Decimal(2), "-3.14"),
    (answers.Duration(), "125 minutes"),
    (answers.Edges(), "(1, 2), (2, 3)"),
    (answers.Expression(), "2*x^2 - 3/4"),
    (answers.Factored(), "2*(x - 1)^2*(x + 3)"),
    (answers.Formula(), "(3 + 5) * 2"),
    (answers.Grid(), "1 2\n3 4"),
    (answers.Groups(), "1, 2\n3"),
    (answers.IntBag(), "3, 1, 3"),
    (answers.IntList(), "3, -1, 2"),
    (answers.IntSet(), "3, 1, 2"),
    (answers.Integer(), "-1234"),
    (answers.Intervals(), "(-oo, 2] U [3, 5)"),
    (answers.Mapping(), "anna = red\nben = blue"),
    (answers.Matrix(), "1 2\n3 -1/2"),
    (answers.Moves(), "U R D L"),
    (answers.Node(), "anna"),
    (answers.Number(), "-3/4"),
    (answers.NumberList(), "1, -3/4"),
    (answers.OrImpossible(answers.Integer()), "5"),
    (answers.OrImpossible(answers.IntList()), "impossible"),
    (answers.Pairs(), "(1, 2), (3, 4)"),
    (answers.Path(), "1 -> 2 -> 3"),
    (answers.Permutation(), "3 1 2"),
    (answers.Phrase(), "the red car"),
    (answers.Polynomial(), "x^2 - 3*x + 2"),
    (answers.PrimeFactors(), "2^3 * 5"),
    (answers.Solutions(), "x = 2, x = -3"),
    (answers.Text(), '"Ab c."'),
    (answers.Unknowns(), "x = 3, y = -1/2"),
    (answers.Weekday(), "Tuesday"),
    (answers.Word(), "echo"),
    (answers.WordList(), "anna ben"),
    (answers.WordSet(), "anna, ben"),
    (answers.YesNo(), "yes"),
]
KINDS = [(kind, kind.read(text)) for kind, text in SAID]
every_kind = pytest.mark.parametrize(
    ("kind", "answer"), KINDS, ids=[type(kind).__name__ for kind, _ in KINDS]
)


def test_every_kind_is_in_the_table() -> None:
    named = {name for name in answers.__all__ if hasattr(getattr(answers, name), "read")}
    assert named - {"Kind"} == {type(kind).__name__ for kind, _ in KINDS}
    assert None not in [answer for _, answer in KINDS]


@every_kind
def test_every_kind_reads_what_it_writes_in_every_way(kind: answers.Kind[Any], answer: Any) -> None:
    for seed in range(5):
        keeps_the_rules(kind, answer, seed)


@every_kind
def test_every_kind_sees_through_what_replies_dress_it_in(
    kind: answers.Kind[Any], answer: Any
) -> None:
    survives_its_renderings(kind, answer)


@every_kind
@pytest.mark.parametrize(
    "arrow",
    [
        "\u2192",
        "\u21d2",
        "->",
        "=>",
        "-->",
        "\u27f6",
        "\u279c",
        "\\rightarrow",
        "\\to",
        "\\implies",
    ],
)
def test_an_arrow_may_point_to_an_answer(kind: answers.Kind[Any], answer: Any, arrow: str) -> None:
    text = kind.write(answer)
    for said in (f"{arrow} {text}", f"${arrow} {text}$", f"**{arrow} {text}**", f"{arrow}\n{text}"):
        assert kind.read(said) == answer, said


@every_kind
@pytest.mark.parametrize("lead", ["It is", "It's", "So it is", "That is", "This is:", "it was"])
def test_it_is_may_come_before_an_answer(kind: answers.Kind[Any], answer: Any, lead: str) -> None:
    text = kind.write(answer)
    for said in (f"{lead} {text}.", f"{lead} {text}", f"{lead}\n{text}", f"{lead} **{text}**."):
        assert kind.read(said) == answer, said
    for doubt in ("not", "never", "maybe", "probably not"):
        assert kind.read(f"{lead} {doubt} {text}") != answer


@every_kind
@pytest.mark.parametrize(
    "heading",
    ["### Answer", "## Answer:", "# Final answer", "### **Answer**", "**Answer**", "**Answer:**"],
)
def test_a_heading_may_stand_above_an_answer(
    kind: answers.Kind[Any], answer: Any, heading: str
) -> None:
    text = kind.write(answer)
    for said in (f"{heading}\n{text}", f"{heading}\n\n{text}", f"{heading}\n```\n{text}\n```"):
        assert kind.read(said) == answer, said


@every_kind
def test_an_answer_may_be_a_json_string(kind: answers.Kind[Any], answer: Any) -> None:
    text = kind.write(answer)
    assert kind.read(json.dumps({"answer": text})) == answer
    if '"' not in text:  # in quotes a text stands to the letter
        assert kind.read(json.dumps(text)) == answer
        assert kind.read(f"```json\n{json.dumps(text)}\n```") == answer


@every_kind
def test_no_kind_finds_its_answer_in_a_hack(kind: answers.Kind[Any], answer: Any) -> None:
    for reply in hacks(kind, answer, "What is it?", "seed"):
        said = answer_text(reply) if len(reply) < 2000 else None
        again = isinstance(kind, answers.Unknowns)  # part of it may be said once more
        if said is not None and said != kind.write(answer) and not again and " and " not in said:
            assert kind.read(said) != answer, f"reads {answer!r} in {reply!r}"


@every_kind
def test_no_text_makes_a_kind_raise(kind: answers.Kind[Any], answer: Any) -> None:
    @settings(max_examples=40, deadline=None)
    @given(text=st.text(max_size=200))
    def check(text: str) -> None:
        if isinstance(kind, answers.Decimal):
            kind.read(text)  # reads more places than it writes
        else:
            reads_any_text(kind, text)

    check()


@pytest.mark.parametrize("piece", PIECES)
def test_long_texts_are_read_or_refused_in_no_time(piece: str) -> None:
    for kind, _ in KINDS:
        takes_no_time(kind, piece)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("<answer>5</answer>", "5"),
        ("<answer>4</answer> no: <answer>5</answer>", "5"),
        ("<think><answer>4</answer></think><answer>5</answer>", "5"),
        ("<answer><answer>5</answer></answer>", "5"),
        ("<ANSWER>5</Answer>", "5"),
        ("<answer>\n```json\n[5]\n```\n</answer>", "```json\n[5]\n```"),
        ("so \\boxed{5}", "5"),
        ("\\boxed{4} then \\boxed{\\frac{1}{2}}", "\\frac{1}{2}"),
        ("\\boxed{\\{1, 2\\}}", "\\{1, 2\\}"),
        ("\\boxed{\\{}", "\\{"),
        ("<answer>5</answer> or \\boxed{6}", "5"),
        ("<answer>5", None),
        ("5</answer>", None),
        ("< answer>5</answer >", None),
        ("<answer >5</answer>", None),
        ("<answer id=1>5</answer>", None),
        ("&lt;answer&gt;5&lt;/answer&gt;", None),
        ("<think><answer>5</answer>", None),
        ("<think><answer>5</answer></think>", None),
        ("\\boxed{5", None),
        ("\\boxed{5\\}", None),
        ("", None),
        (tagged("5" * (LONGEST + 1)), None),
    ],
)
def test_the_answer_is_the_last_complete_one_after_thinking(reply: str, answer: str | None) -> None:
    assert answer_text(reply) == answer


def test_a_reply_of_ten_megabytes_is_searched_in_no_time() -> None:
    more = ("<answer>x</answer>" * 500_000, "\\boxed{" + "\\" * 10**7)
    for reply in (monster("5"), *monsters(), *more):
        start = time.process_time()
        answer_text(reply)
        assert time.process_time() - start < 2, f"slow on {reply[:20]!r}"


@pytest.mark.parametrize(
    "text",
    ["x - 1", "**x - 1**", "$x - 1$", "\\(x - 1\\)", "$$\n\\boxed{\\text{x - 1}}\n$$", "`x - 1`",
     "```\nx - 1\n```", "```text\nx - 1\n```", "~~~\nx - 1\n~~~", "\u201cx \u2212 1\u201d",
     "x\u00a0\u2013\u20091.", "\ufeff\u2068x - 1\u2069", "**Answer:** x - 1", "**Answer: x - 1**",
     "**Final Answer**\n\nx - 1", "### Answer\nx - 1", "The answer is: x - 1.",
     "Therefore, the final answer is **x - 1**.", "The answer to this problem is $x - 1$",
     "Answer: \\boxed{x - 1}", "= x - 1", "\u2234 x - 1", "\u2705 x - 1", "x - 1 \u2714\ufe0f",
     "<b>x - 1</b>", "x &minus; 1", "x&nbsp;- 1", '{"answer": "x - 1"}',
     "{'final_answer': 'x - 1'}", "x \\boxed{- 1}", "#### x - 1", "\\displaystyle x - 1",
     "\\mathrm{x} - 1", "\uff58 \uff0d \uff11", "\u2022 x - 1", "'x - 1'",
     "''x - 1''", "x - 1\u3002"],
)  # fmt: skip
def test_what_stands_around_an_answer_is_taken_off(text: str) -> None:
    assert " ".join(plain(text).split()) == "x - 1"


@pytest.mark.parametrize(
    ("text", "left"),
    [("The answer is not 5", "not 5"), ("The answer: not 5.", "not 5"), ("The answer isn't 5",
        "The answer isn't 5"),
     ("The wrong answer is 5", "The wrong answer is 5"), ("Not the answer: 5", "Not the answer: 5"),
     ("~~5~~", "~~5~~"),
     ("\u274c 5", "\u274c 5"), ("~5", "~5"), ("answer book cat", "answer book cat"),
     ("answer\nbook", "answer\nbook"),
     ("$3$ or $5$", "$3$ or $5$"), ("**3** or **5**", "**3** or **5**"), ('"3" or "5"',
     '"3" or "5"'),
     ("\\boxed{3} \\boxed{5}", "\\boxed{3} \\boxed{5}"), ('{"answer": 5, "sure": 0}',
     '{"answer": 5, "sure": 0}'),
     ("5...", "5..."), ("1 & 2 \\\\ 3 & 4", "1 & 2 \\\\ 3 & 4"), ("`3` `5`", "`3` `5`"), ("```5```",
     "5"), ("=", "="),
     ("\u202e5", "\u202e5"), ("", "")],
)  # fmt: skip
def test_what_changes_an_answer_is_left_on(text: str, left: str) -> None:
    assert plain(text) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [('"1 2\\n3 4"', "1 2\n3 4"), ('"a = b\\nc = d"', "a = b\nc = d"),
     ('"d = 1\\ne = 3"', "d = 1\ne = 3"), ('"i = 2\\ni1 = 1"', "i = 2\ni1 = 1"),
     ("It is nearly, horse, load", "nearly, horse, load"), ("It is nearly 5", "It is nearly 5"),
     ('"\\\\frac{1}{2}"', "\\frac{1}{2}"),
     ('"1\\t2"', "1\t2"), ('"\\u00bd"', "\u00bd"), ('"say \\"hi\\""', 'say "hi"'),
     ('"\\frac{1}{2}"', "\\frac{1}{2}"), ('"x \\ne 1"', "x \\ne 1"), ('"x \\neq 1"', "x \\neq 1"),
     ('"1 & 2 \\\\ 3 & 4"', "1 & 2 \\\\ 3 & 4"), ('"2\\times 3"', "2\\times 3"),
     ('"1\\n2", "3"', '"1\\n2", "3"')],
)  # fmt: skip
def test_escapes_of_json_are_told_from_commands_of_latex(text: str, left: str) -> None:
    assert plain(text) == left


def test_arrows_that_are_moves_are_not_taken_off() -> None:
    moves = answers.Moves()
    for text, read in (
        ("\u2192\u2191", ("R", "U")), ("\u2192 \u2191", ("R", "U")), ("\u2192, \u2191", ("R", "U")),
        ("\u27a1\ufe0f\u2b06\ufe0f", ("R", "U")), ("\\rightarrow \\uparrow", ("R", "U")),
        ("\u2192", ("R",)), ("\u2192\u2192", ("R", "R")), ("\u2192\n\u2191", ("R", "U")),
        ("\u2192 U", ("U",)), ("-> U -> R", ("U", "R")), ("\u2192 up, right", ("U", "R")),
        ("U ->", None), ("-> -> U", None), ("That is right.", None),
    ):  # fmt: skip
        assert moves.read(text) == read, text


@pytest.mark.parametrize(
    "kind", [kind for kind, _ in KINDS], ids=[type(kind).__name__ for kind, _ in KINDS]
)
@pytest.mark.parametrize("word", ["impossible", "none", "not", "unsolvable", "nothing", "unsat"])
def test_what_denies_an_answer_is_not_its_name(kind: answers.Kind[Any], word: str) -> None:
    answer = dict(KINDS)[kind]
    for said in (f"{word} = {kind.write(answer)}", f"{word} := {kind.write(answer)}"):
        assert kind.read(said) != answer, said


@pytest.mark.parametrize(
    ("text", "content"),
    [("```text\n #.\n...\n```", " #.\n..."), ("**a.**", "a."), ("$\\boxed{()}$", "()"),
        ("Answer: a.", "Answer: a."),
     ("\n\n a  b \n", "a  b"), ("a\r\nb", "a\nb"), ("[1, 2]", "[1, 2]"), ("a\u00a0b\u200b", "a b"),
     ("'don't'", "don't"),
     ("`", "`"), ("**", "**"), ("\\text{a}\\text{b}", "\\text{a}\\text{b}"), ("\u00d7\u2212",
     "\u00d7\u2212")],
)  # fmt: skip
def test_verbatim_takes_off_only_what_goes_around_the_whole(text: str, content: str) -> None:
    assert verbatim(text) == content


def test_layers_come_off_one_by_one() -> None:
    assert layers("**The answer is `..`.**") == [
        "**The answer is `..`.**",
        "The answer is `..`.",
        "`..`.",
        "`..`",
        "..",
    ]


def test_a_name_before_an_equals_sign_is_taken_off() -> None:
    for named in ("x = 5", "$x$ = 5", "f(2) = 5", "\\alpha=5", "number of ways = 5", "x_{1} := 5"):
        assert unnamed(named) == "5"
    for doubted in ("not x = 5", "x == 5", "x <= 5", "maybe = 5", "5 = 5", "x and y = 5", "= 5"):
        assert unnamed(doubted) == doubted
    assert concluded("So, there are exactly 5") == "5"
    assert concluded("5 so it is") == "5 so it is"


@pytest.mark.parametrize("takes", [plain, verbatim, layers, unnamed, concluded])
@pytest.mark.parametrize(
    "piece", [*PIECES, "answer ", "the answer is ", "# ", "\u2705 ", ". ", "&lt;", "so "]
)
def test_the_dressing_of_a_long_text_is_looked_at_in_no_time(
    takes: Callable[[str], object], piece: str
) -> None:
    for text in (piece * (20_000 // len(piece)), f"{piece}{' ' * 19_000}{piece}"):
        start = time.process_time()
        takes(text)
        assert time.process_time() - start < 0.5, f"slow on many {piece!r}"


@pytest.mark.parametrize(
    ("said", "status"),
    [("{0}", "correct"), ("{0} or {0}", "correct"), ("{0}\n{0}.0", "correct"), ("{0} or {1}",
        "wrong"),
     ("{1}; {0}", "wrong"), ("{0}, or {1}", "wrong"), ("${0}$ \\text{{ or }} ${1}$", "wrong"),
     ("either {0}", "unparsed"),
     ("{0} or maybe {1}", "unparsed"), ("not {0}", "unparsed"), ("{0}, {0}", "unparsed"), ("{0} or",
     "unparsed"),
     ("\n".join(["{0}"] * 50), "unparsed"), ("\n\n", "unparsed")],
)  # fmt: skip
def test_alternatives_are_right_only_if_they_are_one_answer(said: str, status: str) -> None:
    family = registry.family("sums")
    puzzle = family.generate(Random(1), family.ladder[0])
    gold = family.solve(puzzle)
    assert judge(family, puzzle, tagged(said.format(gold, gold + 1))).status == status


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (answers.Mapping(), "| Namue |\n|:--|-|\n| AnnaThe answer is  |22 |"),
        (answers.Mapping(), '{\n  "The answer is ue"\n}'),
        (answers.Expression(), "x AM= {3} - \\frac{0}{4}e-3"),
        (answers.Expression(), "(3+5)*+0"),
        (answers.Expression(), "x\u00b2 - 2x" + "X" * 230),
        (answers.Expression(), "x^{0}*x^{-x}"),
        (answers.Solutions(), "\t4(3+5)*+0"),
        (answers.Factored(), "2^224"),
        (answers.Factored(), "4x" + "X" * 199),
        (answers.Formula(), "1" + "/-1" * 62),
        (answers.Unknowns(), "y=Answer: -1/3"),
        (answers.Solutions(), "{" + "e" * 202 + "}"),
    ],
)
def test_what_fuzzing_found_is_mended(kind: answers.Kind[Any], text: str) -> None:
    reads_any_text(kind, text)


@given(st.from_regex(r"-?[0-9]{1,30}", fullmatch=True, alphabet="-0123456789"))
def test_a_bare_number_is_read_as_one_with_something_around_it(text: str) -> None:
    for kind in (answers.Integer(), answers.Integer(called=("panel",)), answers.Integer(modulus=7)):
        assert kind.read(text) == kind.read(f"\u200b{text}") == int(text)


def test_a_bare_option_is_read_as_one_with_something_around_it() -> None:
    kind = answers.Choice(("A", "a", "no", "answer", "12"), texts=("a", "A", "12", "no", "B"))
    for text in (*kind.options, "B", "No", "ANSWER", "1"):
        assert kind.read(text) == kind.read(f"\u200b{text}")


def test_replies_judged_together_get_the_verdicts_that_each_gets_alone() -> None:
    said = {"1": (1,), "True": (True,), "1.0": (1.0,), "list": [1], "one": 1, "yes": True}
    verified = []

    def verify(_: None, answer: Any) -> float:
        verified.append(answer)
        first = answer[0] if isinstance(answer, tuple | list) else answer
        return {bool: 1.0, int: 0.5, float: 0.0}[type(first)]

    kind = SimpleNamespace(read=said.get, form="one of them")
    family: Any = SimpleNamespace(name="told", kind=lambda _: kind, verify=verify)
    replies = [tagged(text) for text in (*said, "none", "1 or 1.0", "1")] + ["", "\\boxed{True}"]
    together = judge_of(family, None)
    for reply in replies * 2:
        assert together(reply) == judge(family, None, reply), reply
    verified.clear()
    assert together(tagged("True")).correct
    assert not verified


def test_a_crash_is_an_error_of_each_reply_judged_together() -> None:
    broken: Any = SimpleNamespace(kind=lambda _: answers.Integer(), verify=lambda *_: 1 // 0)
    together = judge_of(broken, None)
    assert [together(tagged("5")).status for _ in range(2)] == ["error", "error"]
