"""Finds items that are the same puzzle: equal canonical forms, the first one stands.

It needs all rows, so it works in two passes: over keys to find the duplicates, then shard by shard.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from puzzlemill.core.stage import Filter


def later_copies(rows: Iterable[tuple[str, str]]) -> dict[str, str]:
    """uid → uid of the first item with the same canonical form, from (uid, canon) in order."""
    first: dict[str, str] = {}
    copies = {}
    for uid, canon in rows:
        if first.setdefault(canon, uid) != uid:
            copies[uid] = first[canon]
    return copies


def duplicate(copies: Mapping[str, str]) -> Filter:
    def reason(row: Mapping[str, Any]) -> str | None:
        first = copies.get(row["uid"])
        return f"duplicate of {first}" if first else None

    return Filter("duplicate", 1, {}, ("uid",), reason)
