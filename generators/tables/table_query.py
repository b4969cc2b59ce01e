"""Table query: a number worked out from the rows of a table that meet some conditions.

`solve` goes through the rows; `verify` puts the question to SQLite.
"""

import operator
import sqlite3
from collections import defaultdict
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators.tables._table import LAYOUTS, SAID, Layout, Row, Rows, drawn, shown

Condition: TypeAlias = tuple[str, str, str]  # column, sign, value

SIGNS = {"=": operator.eq, "<>": operator.ne, ">": operator.gt, "<": operator.lt}
TOLD = {
    "=": "{} is {}",
    "<>": "{} is not {}",
    ">": "{} is greater than {}",
    "<": "{} is less than {}",
}
# What is asked of the numbers of a column: in all, or of its sums in groups.
ASKED = ("sum", "spread", "best group", "group gap", "groups above")


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of the table
    kinds: int  # columns of a few values
    amounts: int  # columns of numbers
    conditions: int  # that a row must meet, at most
    asked: int  # of the questions, how many may come
    layouts: int  # of the ways to write a table down, how many may come


@dataclass(frozen=True, slots=True)
class Query:
    thing: str
    things: str
    columns: tuple[str, ...]
    rows: Rows
    layout: Layout
    asked: str
    column: str
    group: str  # the column to group by; empty where there are no groups
    limit: int  # a group's sum must be greater
    conditions: tuple[Condition, ...]  # all of which must be met


def generate(rng: Random, knobs: Knobs) -> Query | None:
    topic, columns, rows = drawn(rng, knobs.rows, knobs.kinds, knobs.amounts)
    kinds, amounts = columns[1 : 1 + knobs.kinds], columns[1 + knobs.kinds :]
    asked = rng.choice(ASKED[: knobs.asked])
    group = rng.choice(kinds) if "group" in asked else ""
    conditions: list[Condition] = []
    for name in rng.sample(columns[1:], min(knobs.conditions, len(columns) - 1)):
        place = columns.index(name)
        value = rng.choice(rows)[place]
        if name == group:
            continue
        sign = rng.choice((">", "<")) if name in amounts else rng.choice(("=", "<>", "<>"))
        conditions.append((name, sign, str(value)))
    column = rng.choice(amounts)
    query = Query(topic.thing, topic.things, columns, rows, rng.choice(LAYOUTS[: knobs.layouts]),
                  asked, column, group, 0, tuple(conditions))  # fmt: skip
    sums = _sums(query)
    if len(_kept(query)) < 3 or (group and len(sums) < 2):
        return None
    if asked == "groups above":
        ordered = sorted(sums.values())
        limit = ordered[rng.randrange(len(ordered) - 1)] + rng.randint(0, 9)
        limit = min(limit, ordered[-1] - 1)
        query = Query(query.thing, query.things, columns, rows, query.layout, asked, column, group,
                      limit, query.conditions)  # fmt: skip
    return query


def solve(query: Query) -> int:
    place = query.columns.index(query.column)
    values = [_number(row[place]) for row in _kept(query)]
    sums = _sums(query)
    match query.asked:
        case "sum":
            return sum(values)
        case "spread":
            return max(values) - min(values)
        case "best group":
            return max(sums.values())
        case "group gap":
            return max(sums.values()) - min(sums.values())
        case _:
            return sum(total for total in sums.values() if total > query.limit)


def verify(query: Query, answer: int) -> float:
    names = ", ".join(f'"{name}"' for name in query.columns)
    where = " AND ".join(f'"{name}" {sign} ?' for name, sign, _ in query.conditions) or "1"
    kept = (
        f'SELECT "{query.group or query.column}" AS g, "{query.column}" AS v FROM t WHERE {where}'
    )
    sums = f"SELECT SUM(v) AS s FROM ({kept}) GROUP BY g"
    asked = {
        "sum": f"SELECT SUM(v) FROM ({kept})",
        "spread": f"SELECT MAX(v) - MIN(v) FROM ({kept})",
        "best group": f"SELECT MAX(s) FROM ({sums})",
        "group gap": f"SELECT MAX(s) - MIN(s) FROM ({sums})",
        "groups above": f"SELECT SUM(s) FROM ({sums}) WHERE s > {query.limit}",
    }[query.asked]
    values = [int(value) if sign in "><" else value for _, sign, value in query.conditions]
    base = sqlite3.connect(":memory:")
    try:
        base.execute(f"CREATE TABLE t ({names})")
        marks = ", ".join("?" * len(query.columns))
        base.executemany(f"INSERT INTO t VALUES ({marks})", query.rows)
        found = base.execute(asked, values).fetchone()[0]
    finally:
        base.close()
    return float(found == answer)


def render(query: Query, style: Style) -> Prompt:
    table = shown(query.columns, query.rows, query.layout, query.thing)
    told = [TOLD[sign].format(name, value) for name, sign, value in query.conditions]
    only = f" for which {listed(told)}" if told else ""
    things, column, group = query.things, query.column, query.group
    question = {
        "sum": f"What is the sum of {column} over the {things}{only}?",
        "spread": f"What is the difference between the greatest and the least {column} among the"
        f" {things}{only}?",
        "best group": f"Take the {things}{only}, group them by {group}, and add up {column} in each"
        " group. What is the greatest of these sums?",
        "group gap": f"Take the {things}{only}, group them by {group}, and add up {column} in each"
        " group. By how much does the greatest of these sums exceed the least? Values of"
        f" {group} that do not occur among these {things} make no group.",
        "groups above": f"Take the {things}{only}, group them by {group}, and add up {column} in"
        f" each group. What do those of these sums that are greater than {query.limit} add up to?",
    }[query.asked]
    return Prompt(
        style.pick(
            f"{table}\n\n{question}",
            f"Here is a table of {things} ({SAID[query.layout]}):\n\n{table}\n\n{question}",
            f"{question} Use this table, which holds one {query.thing} per row"
            f" ({SAID[query.layout]}):\n\n{table}",
        ),
        form="one integer",
    )


def steps(query: Query) -> list[str]:
    place = query.columns.index(query.column)
    lines = [f"{row[0]}: {row[place]}" for row in _kept(query)]
    if query.group:
        lines += [f"{query.group} {name}: {total}" for name, total in _sums(query).items()]
    return [*lines, f"answer: {solve(query)}"]


def canon(query: Query) -> list[object]:
    """The order of the rows and the layout do not matter."""
    return [query.columns, sorted(map(list, query.rows), key=str), query.asked, query.column,
            query.group, query.limit, sorted(query.conditions)]  # fmt: skip


def hardness(query: Query) -> float:
    """Cells to look at."""
    looked = 1 + len(query.conditions) + bool(query.group)
    return len(query.rows) * looked + len(query.columns) + len(_kept(query))


def _kept(query: Query) -> list[Row]:
    """The rows that meet all conditions."""
    return [
        row
        for row in query.rows
        if all(
            SIGNS[sign](cell, int(value) if isinstance(cell, int) else value)
            for name, sign, value in query.conditions
            for cell in [row[query.columns.index(name)]]
        )
    ]


def _sums(query: Query) -> dict[str, int]:
    place = query.columns.index(query.column)
    by = query.columns.index(query.group) if query.group else 0
    sums: dict[str, int] = defaultdict(int)
    for row in _kept(query):
        sums[str(row[by])] += _number(row[place])
    return dict(sums)


def _number(cell: str | int) -> int:
    assert isinstance(cell, int), "only columns of numbers are added up"
    return cell


LADDER = (
    Knobs(5, 1, 1, 1, 1, 2),
    Knobs(10, 2, 2, 2, 2, 3),
    Knobs(16, 3, 3, 2, 4, 4),
    Knobs(20, 3, 4, 3, 5, 5),
    Knobs(30, 3, 5, 4, 5, 5),
)
FAMILY = Family(
    Query,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="going through the rows",
    guess_rate=0.03,
    steps=steps,
    canon=canon,
    skills=("calculation", "reading"),
    peers=("reasoning-core/table_qa",),
    version=2,
)
