"""Spreadsheets: copies move their references, and both ways to work a sheet out agree."""

from puzzlemill.generators.tables import _formulas, spreadsheet


def test_a_copied_formula_moves_its_references_but_for_those_with_a_dollar() -> None:
    sheet = {"C1": "=A1+A$2*$B1", "D3": "~C1", "E1": "=SUM(A$1:B1)", "E3": "~E1"}
    assert _formulas.formula_of(sheet, "D3") == "=B3+B$2*$B3"
    assert _formulas.formula_of(sheet, "E3") == "=SUM(A$1:B3)"


def test_signs_products_and_conditions_are_worked_out_alike_from_both_ends() -> None:
    cells = (
        ("3", "-4", "=A1-2*B1"),  # 11
        ("5", "=A1+B1-A2", "=B2*B1-C1"),  # -6, 13
        ('=COUNTIF(A1:B2,"<4")', "=IF(C1<C2,B2,A1+9)", "=MAX(A1:B3)"),  # 3, -6, 5
    )
    named = {f"{'ABC'[at]}{row}": text for row, line in enumerate(cells, 1)
             for at, text in enumerate(line)}  # fmt: skip
    right = {"C1": 11, "B2": -6, "C2": 13, "A3": 3, "B3": -6, "C3": 5}
    found = _formulas.values(named)
    for cell, value in right.items():
        assert _formulas.value(named, cell) == found[cell] == value, cell
    sheet = spreadsheet.Sheet(cells, "C2")
    assert spreadsheet.solve(sheet) == 13
    assert spreadsheet.verify(sheet, 13) == 1
    assert spreadsheet.verify(sheet, -13) == 0


def test_cells_that_look_at_each_other_have_no_values() -> None:
    assert _formulas.values({"A1": "=B1+1", "B1": "=A1+1"}) == {}
