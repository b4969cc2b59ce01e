"""Tables: how they are written down, and instances worked out by hand."""

import json

from puzzlemill.core import registry
from puzzlemill.core.verdict import judge
from puzzlemill.generators.tables import _table, table_difference, table_query

COLUMNS, ROWS = ("name", "team", "age"), (("Anna", "sales", 40), ("Ben", "design", 31))


def test_every_layout_shows_every_cell() -> None:
    for layout in _table.LAYOUTS:
        text = _table.shown(COLUMNS, ROWS, layout, "employee")
        assert all(str(cell) in text for row in (COLUMNS, *ROWS) for cell in row), layout
    assert json.loads(_table.shown(COLUMNS, ROWS, "json"))[1]["age"] == 31


def test_conditions_are_all_to_be_met() -> None:
    rows = (*ROWS, ("Carla", "sales", 25))
    conditions = (("team", "=", "sales"), ("age", ">", "30"))
    query = table_query.Query(
        "employee", "employees", COLUMNS, rows, "csv", "sum", "age", "", 0, conditions
    )
    assert table_query.solve(query) == 40
    assert table_query.verify(query, 40) == 1
    assert table_query.verify(query, 65) == 0


def test_rows_and_columns_may_move_but_values_may_not() -> None:
    moved = (("Ben", 31, "design"), ("Anna", 40, "support"))
    copies = table_difference.Copies(
        "employee", COLUMNS, ROWS, ("name", "age", "team"), moved, ("csv", "json")
    )
    assert table_difference.solve(copies) == (("anna", "team"),)
    family = registry.family("table_difference")
    assert judge(family, copies, "<answer>(Anna, team)</answer>").correct
    assert not judge(family, copies, "<answer>(Anna, team), (Ben, age)</answer>").correct
