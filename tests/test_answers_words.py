"""Answers in words: counts, choices, words, texts, brackets, times and days."""

import time
from datetime import date
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
from puzzlemill.core.answers.dates import WEEKDAYS
from puzzlemill.core.answers.duration import SECONDS
from puzzlemill.core.answers.numerals import counted, spelled

LETTERS = answers.Choice(("A", "B", "C", "D"))
CAPITALS = answers.Choice(("A", "B", "C", "D"), texts=("London", "Paris", "Rome", "New York"))
SIDES = answers.Choice(("left of", "right of", "above", "below"))
SIGNS = answers.Choice(("<", "=", ">"))
WINDS = answers.Choice(("north", "south-east", "up"), also=(("n",), ("se",), ("u",)))
MAYBE = answers.OrImpossible(answers.Integer())

BALANCED = st.recursive(
    st.sampled_from(["()", "[]", "{}", "<>"]),
    lambda inner: st.one_of(
        st.builds("".join, st.lists(inner, min_size=2, max_size=3)),
        st.builds(
            lambda pair, text: pair[0] + text + pair[1],
            st.sampled_from(["()", "[]", "{}", "<>"]),
            inner,
        ),
    ),
    max_leaves=8,
)
LOWER = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12)
PHRASES = st.lists(LOWER, min_size=1, max_size=8).map(" ".join)
STRANGE = st.text("aB \"'`.*_$\\{}:-\n#=<>~", min_size=1, max_size=12)

ANSWERS: list[tuple[answers.Kind[Any], st.SearchStrategy[Any]]] = [
    (answers.Integer(), st.integers(-10**30, 10**30) | st.integers(-1500, 1500)),
    (answers.Integer(units=False), st.integers(-5000, 5000)),
    *((kind, st.sampled_from(kind.options)) for kind in (LETTERS, CAPITALS, SIDES, SIGNS, WINDS)),
    (answers.YesNo(), st.booleans()),
    (answers.Word(), LOWER),
    (answers.Phrase(), PHRASES),
    *(
        (kind, STRANGE.map(kind.read).filter(bool))
        for kind in (answers.Text(), answers.Text(quoted=True), answers.Text(case=False))
    ),
    (answers.Brackets(), st.text("()[]{}<>", min_size=1, max_size=20)),
    (answers.Clock(), st.integers(0, 1439)),
    (answers.Clock(seconds=True), st.integers(0, 86_399)),
    (answers.Clock(twelve=True), st.integers(0, 719)),
    (answers.Date(), st.dates()),
    (answers.Weekday(), st.sampled_from(WEEKDAYS)),
    *((answers.Duration(unit), st.integers(0, 10**6)) for unit in ("seconds", "minutes", "days")),
    (MAYBE, st.integers(-99, 99) | st.just(answers.IMPOSSIBLE)),
]  # fmt: skip
SYMBOLS = (
    " ", "\n", ",", ".", ":", "-", "+", "/", "(", ")", "[", "]", "{", "}", "<", ">", "$", "\\", "=",
    "?", "!", "'", '"', "`", "*", "_", "\\text{", "\\boxed{", "0", "1", "2", "7", "12", "30",
    "2024", "000", "a", "b", "A", "B", "x", " or ", " and ", "not ", "no", "yes", "it is ",
    "the answer is ", "answer:", "option ", "half ", "past ", "pm", " am", "h", "min", "hours ",
    "march ", "th ", "of ", "sunday", "five", "twenty", "hundred ", "impossible", "none", "\u2212",
    "\u00a0", "\u200b", "\u202e", "\x00", "\ud800", "\uff11", "\u0661", "\u00e9",
)  # fmt: skip


def named(kinds: list[tuple[Any, Any]]) -> Any:
    return pytest.mark.parametrize(
        ("kind", "drawn"),
        kinds,
        ids=[f"{type(kind).__name__}{place}" for place, (kind, _) in enumerate(kinds)],
    )


@named(ANSWERS)
def test_what_is_written_is_read_back_in_every_way(kind: answers.Kind[Any], drawn: Any) -> None:
    @settings(max_examples=40, deadline=None)
    @given(answer=drawn, seed=st.integers(0, 999))
    def check(answer: Any, seed: int) -> None:
        keeps_the_rules(kind, answer, seed)

    check()


@named(ANSWERS)
def test_no_text_makes_it_raise(kind: answers.Kind[Any], drawn: Any) -> None:
    @settings(max_examples=60, deadline=None)
    @given(text=st.text(max_size=40) | st.lists(st.sampled_from(SYMBOLS), max_size=9).map("".join))
    def check(text: str) -> None:
        reads_any_text(kind, text)

    check()


@pytest.mark.parametrize("piece", PIECES)
def test_a_long_text_takes_no_time(piece: str) -> None:
    for kind, _ in ANSWERS:
        takes_no_time(kind, piece)


@settings(max_examples=30, deadline=None)
@given(
    pieces=st.lists(st.sampled_from(SYMBOLS), min_size=1, max_size=3),
    length=st.sampled_from([90, 190, 2000, 9000]),
    end=st.sampled_from(["", " = 5", "!", "\x00", "}"]),
)
def test_no_repetition_takes_long(pieces: list[str], length: int, end: str) -> None:
    text = ("".join(pieces) * length)[:length] + end
    start = time.process_time()
    for kind, _ in ANSWERS:
        kind.read(text)
    assert time.process_time() - start < 2, f"slow on {text[:20]!r} and {end!r}"


RENDERED: list[tuple[answers.Kind[Any], Any]] = [
    (kind, answer)
    for kind, several in (
        (answers.Integer(), [0, 5, -7, 12, 100, -1234567, 10**30]),
        *((kind, list(kind.options)) for kind in (LETTERS, CAPITALS, SIDES, SIGNS, WINDS)),
        (answers.YesNo(), [True, False]),
        (answers.Word(), ["echo", "a", "don't", "well-known", "\u00e9cole", "not", "so"]),
        (answers.Phrase(), ["red car", "to be or not to be", "that was all", "r2d2 and co"]),
        (answers.Text(), ["HELLO world", "abc.", "a  b", "it's", "-5", "x = *y*", "ab!"]),
        (answers.Text(), ['say "hi" now.', "q?", "#hash", "{a}"]),
        (answers.Text(quoted=True), ["HELLO world", "abc.", "Answer: 5", "foo_bar", "50%"]),
        (answers.Brackets(), ["()", "([]{})", "<{[()]}>", "[", "))", "{}", "<>", "[[]]"]),
        (answers.Clock(), [0, 5, 150, 720, 870, 1439]),
        (answers.Clock(twelve=True), [0, 150, 719]),
        (answers.Clock(seconds=True), [0, 52_215, 86_399]),
        (answers.Date(), [date(2024, 3, 5), date(2000, 5, 13), date.min, date.max]),
        (answers.Weekday(), WEEKDAYS[:3]),
        *((answers.Duration(unit), [1, 125]) for unit in SECONDS),
        (MAYBE, [answers.IMPOSSIBLE, -5]),
    )
    for answer in several
]


@pytest.mark.parametrize(("kind", "answer"), RENDERED, ids=lambda value: str(value)[:20])
def test_it_is_read_however_a_reply_dresses_it(kind: answers.Kind[Any], answer: Any) -> None:
    survives_its_renderings(kind, answer)
    assert 4 <= len(set(kind.ways(answer))) <= 20


@settings(max_examples=30, deadline=None)
@given(text=BALANCED)
def test_balanced_brackets_are_read_however_a_reply_dresses_them(text: str) -> None:
    survives_its_renderings(answers.Brackets(), text)


DOUBTS = (
    "not {}", "maybe {}", "{}?", "{} is wrong", "probably {}", "I think it is not {}",
    "anything but {}", "~{}", "The answer is not {}.", "The answer is: not {}", "So not {}",
    "It is not {}", "it isn't {}", "**not** {}", "either {}", "{}, or not", "about {}",
    "{} or something else", "never {}", "~~{}~~", "{}, {}", "{} {} ~", "{} (I am not sure)",
    "unless {}", "if {}", "{} if that is right", "Answer: not {}", "= not {}", "\u274c {}",
)  # fmt: skip


@pytest.mark.parametrize("doubt", DOUBTS)
def test_a_doubted_answer_is_not_that_answer(doubt: str) -> None:
    for kind, answer in RENDERED:
        said = kind.read(doubt.replace("{}", kind.write(answer)))
        assert said != answer, f"{kind} reads {answer!r} in {doubt!r}"


INTEGERS = {
    "42": 42, "-7": -7, "\u22127": -7, "+7": 7, "- 7": -7, "1,234,567": 1234567, "1{,}234": 1234,
    "1 234 567": 1234567, "1'234'567": 1234567, "1\u2019234": 1234, "1_000": 1000, "5\\,000": 5000,
    "1,\\!000": 1000, "1.234.567": 1234567, "5.0": 5, "5.000": 5, "1,234.00": 1234, "007": 7,
    "\uff11\uff12": 12, "-1,000": -1000, "&minus;5": -5, "1e3": 1000, "1.5e3": 1500,
    "2 \\times 10^{6}": 2000000, "3 \u00d7 10^8 m/s": 300000000, "10^6": 10**6, "10\u2076": 10**6,
    "5 apples": 5, "5 cm": 5, "5cm": 5, "5 cm^2": 5, "5 cm\u00b2": 5, "5 \\mathrm{m}^2": 5,
    "5 \\text{ apples}": 5, "5~\\text{cm}": 5, "\\$5": 5, "$5": 5, "$1,234$": 1234,
    "\\$1,234.00": 1234, "-$5": -5, "5\u20ac": 5, "5 USD": 5, "5 degrees": 5, "5\u00b0": 5,
    "5^\\circ": 5, "60 km/h": 60, "5 miles per hour": 5, "5 apples left": 5, "**5** apples": 5,
    "5 **apples**": 5, "\\(5\\) apples": 5, "five": 5, "Twelve": 12, "twenty-three": 23,
    "twenty three apples": 23, "one hundred and five": 105, "minus five": -5, "negative 5": -5,
    "a hundred": 100, "one thousand, two hundred": 1200, "zero": 0, "3rd": 3, "11th": 11,
    "x = 5": 5, "n=5 apples": 5, "x = $5$": 5, "**x** = 5": 5, "f(3) = 5": 5, "x_{1} = 5": 5,
    "|S| = 5": 5, "number of ways = 5": 5, "Total: 5": 5, "The total is 5.": 5,
    "The minimum number of moves is 5.": 5, "There are 5 ways.": 5, "It is 5": 5,
    "So, we get x = 5.": 5, "exactly 5": 5, "12 \u00d7 5 = 60": 60, "\\gcd(12, 18) = 6": 6,
    "x = 2 + 3 = 5": 5, "x = \\boxed{5}": 5, "(5)": 5, "[5]": 5, "\\{5\\}": 5, "(-5)": -5,
    "The answer is 12.": 12, "\\text{The answer is } 5": 5, "#### 5": 5, "\u2705 5": 5,
    "\u2234 5": 5, "**Final Answer**\n\n$5$": 5, "### Answer: 5": 5, '{"answer": 5}': 5,
    "<b>5</b>": 5, "5\\text{apples}": 5, "5 cm$^2$": 5, "90^\\circ\\text{C}": 90, "USD 5": 5,
    "US\\$5": 5, "5\u3002": 5,
}  # fmt: skip


@pytest.mark.parametrize("text", INTEGERS)
def test_a_whole_number_is_read_in_many_forms(text: str) -> None:
    assert answers.Integer().read(text) == INTEGERS[text]


@pytest.mark.parametrize(
    "text",
    ["", "12 or 13", "12, 13", "1.5", "12 dozen", "5 thousand", "1,23", "2+3", "0x10", "nan",
     "\u0663", "5%", "10\\%", "not 5", "5 percent", "5 k", "5k", "5M", "5 M", "5m", "5 MM",
     "5 grand", "5 tens", "5 or", "5 to", "5 x", "5x", "5!", "\u00b15", "~5", "\u22485", "about 5",
     "5-6", "5 - 6", "5\u20136", "1/2", "5/1", "V", "0,123", "01,234", "1,2345", "1,234,56",
     "1,234 567", "5 half", "5 and a half", "five six", "five point five", "one half", "two thirds",
     "one of them", "a dozen", "2 = 5", "x > 5", "x \u2265 5", "x != 5", "x \u2260 5", "x == 5",
     "2x = 10", "**12** **345**", "$12$ $345$", "not x = 5", "x = 5 or y = 3", "x = 5, y = 3",
     "5 (five)", "5 mod 7", "--5", "+-5", "-(-5)", "minus -5", "1e400", "1.55e1", "1e-3", "10^-3",
     "10^2^3", "9**9**9", "2^10", "5\u00b2", "5 squared", "101 binary", "101_2", "at least 5",
     "5 at most", "5 more", "the wrong number is 5", "twice the answer is 10",
     "the number before the answer is 4", "5 apples and pears", "5\n6", "5\n600", "5 6", "1th",
     "no apples", "none", "5 million", "eval(5)", "int('5')", "print(5)", "[5][0]", "[[5]]",
     "((5))", "{5: 5}", "\\sqrt{25}", "5i", "5:00", "\U0001d7d3", "\u2075", "5\u0430", "<5>",
     "reward=1", "{5}", "[5, 6]", "< 5", "\u202e5", "5 score", "5 + 0", "there are no 5",
     "5 apples, 3 pears", "one integer", "one whole number", "one exact number", "one integer from",
     "There is one only",
     "9" * 4001],
)  # fmt: skip
def test_what_is_no_whole_number_is_not_read_as_one(text: str) -> None:
    assert answers.Integer().read(text) is None


def test_without_units_a_whole_number_stands_alone() -> None:
    assert answers.Integer(units=False).read("5") == 5
    assert answers.Integer(units=False).read("5 apples") is None


@settings(max_examples=200, deadline=None)
@given(number=st.integers(0, 999_999))
def test_number_words_say_their_number(number: int) -> None:
    words = spelled(number).replace("-", " ").split()
    assert counted(words) == (number, len(words))
    assert answers.Integer().read(spelled(number)) == number


READ: list[tuple[answers.Kind[Any], dict[str, Any]]] = [
    (LETTERS, dict.fromkeys([
        "(B)", "B)", "B.", "option B", "[B]", "Option (B)", "choice B", "answer B",
        "The answer is (B).", "**B**", "b", "**(B)**", "B:", "\\text{(B)}", "\\textbf{B}",
        "The correct option is B", "Correct choice: B", "I choose B", "So the answer is B",
        "Answer: Option B", "It's B.", "The correct answer is option (B)", "(b)", "$(\\text{B})$",
        "B \u2705"
    ], "B")),
    (CAPITALS, dict.fromkeys([
        "B. Paris", "(B) Paris", "B) Paris", "Paris", "paris.", "B: Paris", "B - Paris",
        "The answer is B. Paris.", "option B: Paris", "**B. Paris**", "**B**. Paris",
        "(B) **Paris**"
    ], "B")),
    (WINDS, {
        "South East": "south-east", "SE": "south-east", "southeast": "south-east", "N": "north",
        "(up)": "up"
    }),
    (SIGNS, {"&lt;": "<", "$>$": ">", "=": "=", "The answer is =.": "=", "\uff1c": "<"}),
    (answers.YesNo(), {
        "Yes": True, "TRUE": True, "Yes, it is.": True, "Yes, there is": True,
        "So yes": True, "**Yes**": True, "No": False, "false": False,
        "No, it is not": False, "No, it isn't.": False, "No, they do not": False,
        "The answer is no.": False, "It is true": True, "Yes, it is possible": True,
        "No, it cannot": False
    }),
    (answers.Word(), {
        "Paris": "paris", "\u201cParis\u201d": "paris", "The word is: Paris.": "paris",
        "The missing word is Paris": "paris", "an echo": "echo", "Echo!": "echo",
        "It is an echo.": "echo", "P-A-R-I-S": "paris", "p a r i s": "paris",
        "hidden word: paris": "paris", "word": "word", "the": "the", "E\u0301cole": "\u00e9cole"
    }),
    (answers.Phrase(), {
        "The Cat Sat.": "the cat sat", "\u201cthe cat, sat\u201d": "the cat sat",
        "Phrase: the cat sat": "the cat sat", "Who are you?": "who are you",
        "the\ncat  sat": "the cat sat", "Rock & roll!": "rock and roll"
    }),
    (answers.Text(), {
        "Abc": "Abc", '"Abc."': "Abc.", "Abc.": "Abc", "`Abc.`": "Abc.", "```text\nAbc\n```": "Abc",
        "**Abc**": "Abc", "The answer is: Abc": "Abc", "\u201cAbc\u201d": "Abc", "a\u2013b": "a-b",
        "a\u00a0b": "a b", "a  b": "a  b", '""Abc""': "Abc", '"it is "so""': '"it is "so""',
        "\\text{Abc}": "Abc", '{"answer": "Abc."}': "Abc.", "'don't'": "don't"
    }),
    (answers.Text(case=False), {"Abc": "abc", '"ABC."': "abc."}),
    (answers.Brackets(), {
        "( [ ] )": "([])", "\\{\\}": "{}", "\\left( \\left[ \\right] \\right)": "([])",
        "$\\{()\\}$": "{()}", "\\langle \\rangle": "<>", "`()`": "()", "\\(()\\)": "()",
        "\\[[]\\]": "[]", "The answer is: ()[].": "()[]", "\uff08\uff09": "()",
        "\u27e8\u27e9": "<>", "&lt;&gt;": "<>", "\\boxed{()}": "()", '"[]"': "[]",
        "```\n()\n[]\n```": "()[]", '{"answer": "{}"}': "{}", "] } )": "]})"
    }),
    (answers.Clock(), {
        "14:30": 870, "2:30 PM": 870, "2:30pm": 870, "2.30 pm": 870, "2:30 p.m.": 870, "14h30": 870,
        "14.30": 870, "noon": 720, "Midnight": 0, "12:00 AM": 0, "12 PM": 720, "12:30 a.m.": 30,
        "2 PM": 840, "2 o'clock": 120, "14:30:00": 870, "It is 2:30 PM.": 870, "half past two": 150,
        "half-past two": 150, "quarter to three": 165, "a quarter past 3 pm": 915,
        "ten to one": 770, "2:30 in the afternoon": 870, "1430 hours": 870, "$14{:}30$": 870,
        "2:30\\text{ PM}": 870,
        "24:00": 0, "13:30 PM": 810, "t = 14:30": 870, "14\uff1a30": 870, "at 14:30": 870
    }),
    (answers.Clock(twelve=True), {
        "2:30": 150, "14:30": 150, "2:30 PM": 150, "12:05": 5, "half past 2": 150,
        "quarter to one": 45, "noon": 0
    }),
    (answers.Clock(seconds=True), {"14:30:15": 52_215, "14:30": 52_200, "2:30:15 pm": 52_215}),
    (answers.Date(), {
        **dict.fromkeys([
            "2024-03-05", "2024-3-5", "March 5, 2024", "5 March 2024", "5th of March, 2024",
            "the 5th of March 2024", "2024/03/05", "2024.03.05", "Mar 5 2024", "Mar. 5, 2024",
            "5-Mar-2024", "2024 March 5", "Tuesday, March 5, 2024", "Tue, 5 Mar 2024",
            "March 5^{\\text{th}}, 2024", "on March 5, 2024", "It is March 5, 2024.",
            "March 5, 2024 (Tuesday)", "2024\u201103\u201105", "MARCH 5, 2024", "march 5,2024"
        ], date(2024, 3, 5)),
        "13/05/2024": date(2024, 5, 13), "05/13/2024": date(2024, 5, 13),
        "05/05/2024": date(2024,         5, 5)
    }),
    (answers.Weekday(), dict.fromkeys([
        "tue", "Tues.", "on Tuesday", "It's a Tuesday.", "TUESDAY"
    ], "Tuesday")),
    (answers.Duration(), {
        **dict.fromkeys([
            "2 hours 5 minutes", "2h 5min", "2h5m", "2 h and 5 min", "125 minutes", "125",
            "125 min", "2 hours, 5 minutes, and 0 seconds", "2 hours and five minutes", "2:05:00",
            "PT2H5M", "It takes 125 minutes.", "2:05 hours", "125:00 min",
            "2\\text{ h }5\\text{ min}", "2 hrs. 5 mins.",
            "t = 125 min", "125.0 minutes"
        ], 125),
        "1 day": 1440, "120 s": 2, "1.5 hours": 90, "1 1/2 hours": 90, "an hour and a half": 90,
        "half an hour": 30, "two and a half hours": 150, "1\u00bd hours": 90,
        "1 and a half hours": 90, "1,440 minutes": 1440,
        "one hour and twenty-five minutes": 85
    }),
    (MAYBE, dict.fromkeys([
        "no solution exists", "there is no such path", "cannot be done", "None", "\u2205",
        "$\\emptyset$", "It is not possible.", "it's impossible to colour the graph", "Impossible!",
        "No valid colouring exists", "A Hamiltonian path does not exist", "UNSAT", "no path",
        "there are no solutions", "The answer is: impossible", "The puzzle is unsolvable"
    ], answers.IMPOSSIBLE)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "text", "answer"), [(kind, text, answer) for kind, table in READ for text,
    answer in table.items()]
)  # fmt: skip
def test_a_right_answer_is_read_in_this_form(
    kind: answers.Kind[Any], text: str, answer: Any
) -> None:
    assert kind.read(text) == answer


REFUSED: list[tuple[answers.Kind[Any], list[str]]] = [
    *((kind, [
        "B. London", "A or B", "A, B", "AB", "not B", "B?", "B or C", "B (C)", "E", "B. Paris or C",
        "B, not C", "B C", "neither", "", "()", "Paris London", "A. Paris, B", "\u0412", "B!",
        "I would not choose B", "~~B~~", "both A and B", "-B", "no B"
    ])
      for kind in (LETTERS, CAPITALS)),
    (SIGNS, ["= >", "= = =", "=\n<", "<=", "< >", "not <", "= (>)", "==", "\u2264"]),
    (answers.Choice(("left", "right")), ["This answer is right.", "right or left", "alright"]),
    (answers.YesNo(), [
        "yes and no", "not yes", "no?", "maybe", "Yes, it is not", "No, it is", "not true", "1",
        "0", "", "it is", "not", "yes, but no", "true or false", "It is not true", "No, yes",
        "assert True", "\u0443", "Yes, because", "N", "T", "F", "Y", "n", "node N"
    ]),
    (answers.Word(), [
        "not echo", "it is not", "echo or shadow", "echo/shadow", "echo?", "echo, shadow",
        "two words", "", "5", "echo5", "\u0440\u0430ris", "\U0001d41a\U0001d41b", "\u24d0\u24d1",
        "echo (or shadow)", "echo.strip()", "~~echo~~", "___", "oka a", "echo a",
        "oka A", "is an echo"
    ]),
    (answers.Phrase(), [
        "the cat?", "red / blue", "red | blue", "the (cat)", "", "...", "!", "cat; dog"
    ]),
    (answers.Text(), [
        "", " ", "\u200b"
    ]),
    (answers.Brackets(), [
        "", "() or []", "a", "(a)", "(),[]", "not ()", "['(', ')']", "()...", "~()"
    ]),
    (answers.Clock(), [
        "", "5", "1430", "2:5", "25:00", "14:60", "14:30 AM", "0:30 pm", "2:30 or 3:30",
        "2:30 - 3:00", "not 2:30", "about 2:30", "2:30?", "2:30 ...", "half past", "past two",
        "2:30 PM (14:30)", "14:30:15", "2:30, 3:30", "14:30 UTC", "-2:30", "870 minutes",
        "before noon", "noon or midnight", "half to two", "\u0662:\u0663\u0660"
    ]),
    (answers.Date(), [
        "", "03/05/2024", "3.5.2024", "Monday, March 5, 2024", "2024-13-05", "2024-02-30",
        "March 5", "5/3/24", "20240305", "2024-03-05 or 2024-03-06", "not 2024-03-05",
        "March 5st, 2024", "2024-03", "2024-03-05T00:00", "2024-3/5", "March 5-6, 2024",
        "0000-01-01", "13/13/2024", "March 5, 2024 BC"
    ]),
    (answers.Weekday(), [
        "Tuesdays", "tuesday or friday", "not tuesday", "T", "day", "tuesday?", "Tuesday, Friday",
        "2", ""
    ]),
    (answers.Duration(), [
        "", "2:05", "5 minutes 2 hours", "5 minutes 6 minutes", "5 or 6 minutes", "about 5 minutes",
        "not 5 minutes", "-5 minutes", "5 months", "5 apples", "2 hours 5", "hours",
        "5 minutes ago", "less than 5 minutes", "90 s", "5-6 minutes", "fives", "1e3", "~5 minutes",
        "p", "1/0 hours", "5 1/0 hours", "2 hours (120 minutes)"
    ]),
    (MAYBE, [
        "impossible? no", "not impossible", "it is not impossible", "impossible or 5",
        "impossible to say", "no", "never", "null", "N/A", "undefined", "nothing is impossible",
        "impossible?", "no answer", "no solution or 5", "possible", "unknown", "no, it is possible",
        "impossible, 5", "almost impossible"
    ]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in REFUSED for text in texts]
)
def test_what_may_mean_two_things_is_refused(kind: answers.Kind[Any], text: str) -> None:
    assert kind.read(text) is None


def test_none_is_the_other_kinds_answer_where_it_has_one() -> None:
    assert answers.OrImpossible(answers.Word()).read("none") == "none"
    assert answers.OrImpossible(answers.Word()).read("impossible") is answers.IMPOSSIBLE
    assert MAYBE.read("-1") == -1


@pytest.mark.parametrize(
    "text", ["....\n##..\n..#.", "#####\n.....\n#####\n.....", "apple = tara\nkey = rosa"]
)
def test_an_option_of_several_lines_is_read_as_it_stands(text: str) -> None:
    kind = answers.Choice(("A", "B"), texts=(text, "other"))
    for lead in ("A. ", "(A) ", "A)\n"):
        assert kind.read(lead + text) == kind.read(f"{lead}{text}.") == "A"
    assert kind.read(f"B. {text}") is None
