"""Drawings of a build's rows, whose puzzles are JSON that somebody may have changed."""

from collections.abc import Mapping
from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.drawings import drawing_of
from puzzlemill.core.guard import Failure, guarded
from puzzlemill.core.plain_data import thaw

LONGEST = 200_000  # characters of a drawing


def row_drawing(row: Mapping[str, Any], longest: int = LONGEST) -> str:
    """The puzzle of a row as SVG; empty where it is of no kind that is drawn, or of a family that
    has another version here."""
    drawing = guarded(_drawing, row)
    if isinstance(drawing, Failure) or len(drawing) > longest:
        return ""
    return drawing


def _drawing(row: Mapping[str, Any]) -> str:
    family = registry.family(row["family"])
    if family.version != row["version"] or not row["puzzle"]:
        return ""
    return drawing_of(family, thaw(family.puzzle, row["puzzle"])) or ""
