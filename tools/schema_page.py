"""The pages of the row schema and of answer kinds: `docs/rows.md` and `docs/kinds.md`."""

import re
from collections.abc import Iterator
from dataclasses import fields
from inspect import getdoc

import pyarrow as pa

from puzzlemill.core import answers
from puzzlemill.core.field_comments import meaning
from puzzlemill.core.item import Item
from puzzlemill.core.rows import IMAGE, MESSAGE, SCHEMA, SCHEMA_VERSION, Scored

# Of each kind: how it is made, texts that it reads alike, and texts that it does not read.
EXAMPLES: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    (
        "Integer()",
        ("1234", "1,234", "x = 1234", "1234 apples", "$1\\,234$"),
        ("12 dozen", "5%", "1,23"),
    ),
    ("Number()", ("1/2", "\\frac{1}{2}", "0.5", "½", "x = 2/4"), ("1/0", "1/2 or 1/3", "≈ 0.5")),
    ("Decimal(2)", ("0.50", "0.5", "≈ 0.50", "\\frac12", "5 \\times 10^{-1}"), ("0.5?", "nan")),
    ("BaseN(2)", ("1011", "0b1011", "1,011", "1011_2", "(1011)_{2}"), ("1012", "1011_3")),
    (
        "Expression()",
        ("2*x + 2", "2(x+1)", "2 + 2x", "y = 2x + 2"),
        ("2x + ", "eval(x)", "9^9^9^9"),
    ),
    (
        "Expression((), evaluated=True)",
        ("2sqrt(3)", "\\sqrt{12}", "6/√3", "2√3 \\approx 3.46"),
        ("sqrt(3*4)", "sqrt(16)", "7/2 + 1"),
    ),
    ("Polynomial()", ("x^2 - 1", "-1 + x²", "x^{2}-1"), ("(x-1)(x+1)",)),
    ("Factored()", ("(x - 1)*(x + 1)", "(x+1)(x-1)"), ("(x-1)(x+1) + 0y",)),
    ("PrimeFactors()", ("2^3 * 5", "2 × 2 × 2 × 5", "2^{3} \\cdot 5"), ("8 + 5",)),
    (
        'Program("f", ("xs",))',
        ("def f(xs): return xs[0:2]", "def f(xs: list[int]) -> list[int]: return xs[0:2]  # two"),
        ("lambda xs: xs", "def f(xs): return xs.pop(1.5)"),
    ),
    (
        "Solutions()",
        ("x = 2, x = -3", "{-3, 2}", "x = 2 or x = -3", "x_1 = 2, x_2 = -3"),
        ("x > 2", "x = 4/2 + 0.5"),
    ),
    (
        "Intervals()",
        ("(-oo, 2] U [3, 5)", "x ≤ 2 or 3 ≤ x < 5", "(-\\infty, 2] \\cup [3, 5)"),
        ("(5, 3",),
    ),
    (
        "Unknowns()",
        ("x = 3, y = -1/2", "(x, y) = (3, -0.5)", '{"x": 3, "y": -0.5}'),
        ("x = 3, x = 4", "x = 3, ..."),
    ),
    ("Formula()", ("(3 + 5) * 2", "(3+5) \\times 2 = 16"), ("9**9", "f(3)")),
    ('Choice(("A", "B"))', ("B", "(b)", "option B", "B."), ("A or B", "C")),
    ("YesNo()", ("yes", "Yes.", "True"), ("yes and no", "Y")),
    ("Word()", ("echo", "Echo", '"ECHO"'), ("echo chamber",)),
    ("Phrase()", ("the red car", '"The red car."'), ()),
    ("Text()", ("Ab c", '"Ab c"', "Answer: Ab c"), ()),
    ("Brackets()", ("([])", "( [ ] )"), ("([a])",)),
    ("Clock()", ("14:30", "2:30 PM", "14h30"), ("25:00", "half")),
    ("Date()", ("2024-03-05", "March 5, 2024", "5 March 2024"), ("03/05/2024", "2024-02-30")),
    ("Duration()", ("125 minutes", "2 hours 5 minutes", "2h 5min"), ("2:05",)),
    ("Weekday()", ("Tuesday", "tue"), ("Tuesday or Friday",)),
    ("IntList()", ("1, 2, 3", "[1, 2, 3]", "1 2 3"), ("1, two, 3", "1, 2, ...")),
    ("IntSet()", ("1, 2, 3", "{3, 2, 1}"), ("1 to 3", "1, 2, 1")),
    ("IntBag()", ("1, 1, 2", "[2, 1, 1]"), ("1 or 2",)),
    ("NumberList()", ("1, -3/4", "(1, -0.75)", "1 -3/4"), ("1, x", "1 3/4")),
    ("WordList()", ("anna ben", "Anna, Ben", '["anna", "ben"]'), ()),
    ("WordSet()", ("anna, ben", "{Ben, Anna}"), ("anna, ben, anna",)),
    ("Pairs()", ("(1, 2), (3, 4)", "[[1, 2], [3, 4]]"), ("(1, 2, 3)",)),
    ("Edges()", ("(1, 2), (2, 3)", "2-1, 3-2", "{1,2}, {2,3}"), ("(1, 2, 3)", "1-2, 2-1")),
    ("Node()", ("anna", "node Anna", '"Anna"', "The node is Anna."), ("anna, ben",)),
    ("Path()", ("1 -> 2 -> 3", "1-2-3", "[1, 2, 3]", "1 → 2 → 3"), ("1 or 2",)),
    ("Permutation()", ("3 1 2", "[3, 1, 2]", "312"), ("1 1 2",)),
    ("Moves()", ("U R D", "URD", "up, right, down"), ("U X",)),
    (
        "Grid()",
        ("[[1, 2], [3, 4]]", "\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}"),
        ("[[1, 2], [3]]",),
    ),
    (
        "Matrix()",
        ("[[1, 1/2]]", "\\begin{bmatrix} 1 & \\frac12 \\end{bmatrix}"),
        ("[[1], [2, 3]]",),
    ),
    ('Board("#.")', ('["#.", ".#"]', '[["#", "."], [".", "#"]]'), ('["#x"]',)),
    (
        "Mapping()",
        ("anna = red, ben = blue", '{"Anna": "red", "Ben": "blue"}'),
        ("anna = red, anna = blue",),
    ),
    ("Groups()", ("{1, 2}, {3}", "[[3], [2, 1]]"), ("{1, 2}, {2}",)),
    ("OrImpossible(Integer())", ("impossible", "No solution exists."), ("impossible? no",)),
)
_ROWS = """# Row schema

The columns of every Parquet file of a dataset, for all families, in order. The manifest's `schema`
is the version of this table, now {version}. The field's words for the columns are in the
[glossary](glossary.md#columns).

A row's fate follows from two columns: `dropped` is null for a kept row, and `trials` is null where
no policy was asked.

| column | type | what it is |
|---|---|---|
{rows}
"""
_KINDS = """# Answer kinds

The kinds of answers that families name, as `puzzlemill.core.answers` has them. What all of them
have in common: [answers](answers.md). The texts of a row's third cell are read as the same answer.
Those of the last are not read, so that a reply with one of them is `unparsed`.

| kind | what it is | reads alike | does not read |
|---|---|---|---|
{rows}
"""


def rows_page() -> str:
    return _ROWS.format(version=SCHEMA_VERSION, rows="\n".join(_columns()))


def _columns() -> Iterator[str]:
    of_item = dict(re.findall(r"^- (\w+): (.+)$", getdoc(Item) or "", re.MULTILINE))
    of_item["variant_group"] = of_item.pop("group")
    measured = {each.name for each in fields(Scored)}
    for column in SCHEMA:
        said = meaning(Scored, column.name) if column.name in measured else of_item[column.name]
        yield f"| `{column.name}` | {_type(column.type)} | {_cell(said)} |"


def _type(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"list of {_type(kind.value_type)}"
    known = {MESSAGE: "message (role, content)", IMAGE: "image (bytes, path)"}
    return known.get(kind, {"double": "float64"}.get(str(kind), str(kind)))


def kinds_page() -> str:
    return _KINDS.format(rows="\n".join(map(_kind, EXAMPLES)))


def _kind(example: tuple[str, tuple[str, ...], tuple[str, ...]]) -> str:
    made, alike, refused = example
    said = (getdoc(getattr(answers, made.partition("(")[0])) or "").partition("\n")[0]
    texts = " = ".join(map(_code, alike)), " ".join(map(_code, refused))
    return f"| {_code(made)} | {_cell(said)} | {texts[0]} | {texts[1]} |"


def _cell(text: str) -> str:
    """Text in a cell, where signs of Markdown and HTML mean themselves."""
    escaped = text.replace("<", "&lt;").replace(">", "&gt;").replace("|", "&#124;")
    return re.sub(r"[*_\[\]]", r"\\\g<0>", escaped)


def _code(text: str) -> str:
    return f"`{text}`"
