"""The history of items in training: how often each was solved at each step, read from Parquet.

The trainer writes `training/items.parquet`, a row for each item and step. An item's history has the
form of the column `history`: plain records, the oldest first.
"""

from pathlib import Path
from typing import Any

import pyarrow as pa

from puzzlemill.core.storage.parquet import read_table

SCHEMA = pa.schema(
    [
        ("uid", pa.string()),
        ("step", pa.int64()),
        ("policy", pa.string()),  # that the run began with, and its sampling settings
        ("replies", pa.int64()),  # first replies to the item without a hint
        ("mean", pa.float64()),  # the share of those that were right
    ]
)


def read_item_history(path: Path) -> dict[str, list[dict[str, Any]]]:
    """By uid, what each step measured of an item."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in read_table(path, SCHEMA.names).to_pylist():
        found.setdefault(row.pop("uid"), []).append(row)
    return {uid: sorted(steps, key=lambda each: each["step"]) for uid, steps in found.items()}
