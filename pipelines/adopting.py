"""Rows of a finished build, which may be somebody else's, some of them to be scored anew."""

import json
from math import inf
from pathlib import Path

import pyarrow as pa

from puzzlemill.core.errors import UserError
from puzzlemill.core.parquet import read_table
from puzzlemill.core.plain_data import names
from puzzlemill.core.recipe import Again
from puzzlemill.core.rows import SCHEMA, with_columns
from puzzlemill.difficulty.posterior import Belief

_SCORE = ("signal", "policy", *names(Belief), "scored_at", "guesses", "guessed", "hint")


def rows_of(path: Path) -> pa.Table:
    """Rows of an earlier build, which may be somebody else's."""
    found = read_table(path)
    if not found.schema.equals(SCHEMA):
        raise UserError(f"{path}: not the columns of a build of this Puzzlemill; build it again")
    for history in found["history"].to_pylist():
        if history is not None and not _is_history(history):
            raise UserError(f"{path}: holds a history of scores that is none; build it again")
    return found


def _is_history(text: str) -> bool:
    try:
        known = json.loads(text)
        return bool(known) and all(isinstance(each["mean"], float | int) for each in known)
    except (ValueError, TypeError, KeyError, RecursionError):
        return False


def adopted(again: Again, policy: str, rows: pa.Table) -> pa.Table:
    """A finished build's rows, some to be scored anew: the old score joins the history."""
    found = rows.select(["dropped", "history", "rank", *_SCORE]).to_pylist()
    first, last = again.ranks or (0, inf)
    for row in found:
        ranked = not again.ranks or (row["rank"] is not None and first <= row["rank"] < last)
        if row["trials"] is not None and ranked and not (again.stale and row["policy"] == policy):
            history = json.loads(row["history"] or "[]")
            history.append({name: row[name] for name in _SCORE})
            # Who was turned away for its difficulty comes back; a duplicate stays one.
            row |= dict.fromkeys(("dropped", *_SCORE)) | {"history": json.dumps(history)}
    columns = {name: [row[name] for row in found] for name in ("dropped", "history", *_SCORE)}
    blank = [None] * len(found)
    return with_columns(rows, columns | dict.fromkeys(("rank", "stage"), blank))
