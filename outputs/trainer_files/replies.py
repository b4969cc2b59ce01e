"""The policy's replies to the exported items, as a table of its own: a row a reply."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from puzzlemill.core.errors import UserError
from puzzlemill.core.rows import schema_of
from puzzlemill.core.storage.parquet import in_groups
from puzzlemill.outputs.reply_files import reply_batches, reply_shards

NAME = "replies.parquet"
BATCH = 200  # items that are read at once

_COLUMNS = (
    ("uid", pa.string()),
    ("policy", pa.string()),
    ("round", pa.int32()),  # of asking
    ("sample", pa.int32()),  # in the round
    ("reply", pa.string()),
    ("finished", pa.bool_()),  # False: cut off at the longest that was allowed
    ("tokens", pa.int32()),  # null where neither the engine nor the server counts them
    ("score", pa.float64()),
    ("status", pa.string()),
    ("reason", pa.string()),
)
_COPIED = ("finished", "tokens", "score", "status", "reason")


def shards_of(folder: Path, manifest: Mapping[str, Any]) -> tuple[tuple[Path, ...], ...]:
    """The shards with the replies, of each round."""
    shards = reply_shards(folder, manifest)
    if shards is None:
        raise UserError(
            f"--replies: {folder} kept none; set keep_replies = true in the recipe's [score], and"
            " build it again"
        )
    return shards.rounds


def write_replies(
    path: Path, shards: tuple[tuple[Path, ...], ...], uids: Collection[str], policy: str
) -> int:
    """Write the replies to these items, round by round; how many there are."""
    count, schema = 0, schema_of(_COLUMNS)
    with in_groups(path, schema) as write:
        for number, part in enumerate(shards, start=1):
            for rows in (rows for shard in part for rows in reply_batches(shard, BATCH)):
                replies = [
                    {
                        **{name: reply[name] for name in _COPIED},
                        "uid": row["uid"],
                        "policy": policy,
                        "round": number,
                        "sample": sample,
                        "reply": reply["text"],
                    }
                    for row in rows
                    if row["uid"] in uids
                    for sample, reply in enumerate(row["replies"] or ())
                ]
                write(pa.Table.from_pylist(replies, schema=schema))
                count += len(replies)
    return count
