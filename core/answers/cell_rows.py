"""Rows of cells: a LaTeX matrix, a JSON list of lists, a markdown table or lines, as texts."""

import re

from puzzlemill.core.answers.bracket_spans import groups, inside
from puzzlemill.core.answers.bullets import unmarked

MOST = 10_000  # cells

_BEGIN = re.compile(
    r"\\begin ?\{((?:[pbB]|small)?matrix|array)\*?\} ?(?:\{[lcr| ]{1,200}\})?", re.ASCII
)
TRANSPOSED = re.compile(r" ?\^ ?\{? ?(?:T|\\top|\\intercal|\\mathsf ?\{?T\}?) ?\}?$")
_RULE = re.compile("[-+=|: \u2500-\u257f]+")
_BARS = str.maketrans(dict.fromkeys("\u2502\u2503\u2551", "|"))

Cells = list[list[str]]


def rows_of(body: str) -> Cells | None:
    """The cells of a tidy text, row by row, not yet read; rows may differ in length."""
    rows = _any_rows(body)
    return rows if rows and sum(map(len, rows)) <= MOST else None


def _any_rows(body: str) -> Cells | None:
    if (found := latex_rows(body)) is not None:
        return found
    if (grouped := groups(body)) is not None:
        pieces, between = grouped
        if len(pieces) > 1:
            return _bracketed(pieces) if between != "and" else None
        inner = inside(pieces[0]) or ""
        if (deeper := groups(inner)) is not None:
            return _bracketed(deeper[0]) if deeper[1] != "and" else None
        body = inner
    lines = _lines(body.translate(_BARS))
    return [_cells(line) for line in lines] if lines else None


def latex_rows(body: str) -> Cells | None:
    """The rows of one LaTeX matrix; a transposed row becomes a column."""
    if "\\begin" not in body:
        return None
    transposed = TRANSPOSED.search(body)
    bare = (inside(body) or body) if transposed is None else body[: transposed.start()]
    begin = _BEGIN.match(bare)
    end = bare.rfind("\\end")
    if not begin or end < begin.end() or "\\begin" in bare[begin.end() :]:
        return None
    if bare[end:].replace(" ", "").replace("*", "") != f"\\end{{{begin[1]}}}":
        return None
    lines = bare[begin.end() : end].replace("\\hline", "").strip().split("\n")
    rows = [[cell.strip() for cell in line.split("&")] for line in lines if line.strip()]
    if transposed is None:
        return rows
    return [[cell] for cell in rows[0]] if len(rows) == 1 else None


def _bracketed(pieces: list[str]) -> Cells | None:
    inner = [(inside(piece) or "").replace(",\n", ", ") for piece in pieces]
    if any(not text or "\n" in text or ";" in text for text in inner):
        return None
    return [_cells(text) for text in inner]


def _lines(body: str) -> list[str] | None:
    """The lines that hold cells: no rules of a table, no numbers of rows, no commas at the ends."""
    lines = [line for line in body.split("\n") if not _RULE.fullmatch(line)]
    if len(lines) == 1 and ";" in body:
        lines = body.removesuffix(";").split(";")
    elif any(";" in line.removesuffix(";") for line in lines):
        return None
    lines = unmarked([line.strip() for line in lines])
    return [line.strip(" ").removesuffix(";").removesuffix(",") for line in lines]


def _cells(line: str) -> list[str]:
    """Cells parted by commas, by & or by spaces; bars between them may be a table's or a box's."""
    cells: list[str] = []
    for segment in line.strip().removeprefix("|").removesuffix("|").split("|"):
        if "," in segment:
            cells += segment.strip(" ").removesuffix(",").split(",")
        elif "&" in segment:
            cells += segment.split("&")
        else:
            cells += segment.split()
    return [cell.strip() for cell in cells]


def row_ways(rows: list[list[str]]) -> list[str]:
    """Ways to write rows of cells; `rows` are the cells as texts."""
    commas = [", ".join(row) for row in rows]
    latex = " \\\\ ".join(" & ".join(row) for row in rows)
    table = ["| " + " | ".join(row) + " |" for row in rows]
    ways = [
        "[" + ", ".join(f"[{row}]" for row in commas) + "]",
        "[\n" + ",\n".join(f"  [{row}]" for row in commas) + "\n]",
        "(" + ", ".join(f"({row})" for row in commas) + ")",
        f"\\begin{{pmatrix}} {latex} \\end{{pmatrix}}",
        f"\\begin{{bmatrix}}{latex}\\end{{bmatrix}}",
        f"\\left[\\begin{{array}}{{{'c' * len(rows[0])}}} {latex} \\end{{array}}\\right]",
        f"A = \\begin{{pmatrix}} {latex} \\end{{pmatrix}}",
        "\n".join(commas),
        "\n".join(f"[{row}]" for row in commas),
        "\n".join(table),
    ]
    if len(rows) > 1:
        ways.append("\n".join(f"Row {count}: {row}" for count, row in enumerate(commas, 1)))
        ways.append("[" + "; ".join(" ".join(row) for row in rows) + "]")
    return ways
