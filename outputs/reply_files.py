"""Rollouts: the replies that a build keeps in the shards of its rounds, if its recipe says so."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from puzzlemill.core.errors import UserError
from puzzlemill.core.rows import REPLY
from puzzlemill.core.storage.parquet import opened, reading
from puzzlemill.core.verdict import Status
from puzzlemill.outputs.finished_build import group_of
from puzzlemill.outputs.manifest import rounds_in

STATUSES: tuple[str, ...] = get_args(Status)
_COLUMNS = {"uid": pa.string(), "replies": pa.list_(REPLY)}


@dataclass(frozen=True, slots=True, eq=False)
class ReplyShards:
    """Where the replies to each item lie."""

    rounds: tuple[tuple[Path, ...], ...]  # the shards of each
    starts: NDArray[np.int64]  # of the shards, in rows; and the count of all
    uids: pa.ChunkedArray  # in the shards' order


def rounds_of(folder: Path, manifest: Mapping[str, Any]) -> tuple[tuple[Path, ...], ...]:
    """The shards of the rounds in which the policy was asked; none where one is not there."""
    steps = manifest["steps"]
    # A manifest may come from anywhere: its names must not lead out of the build.
    rounds = tuple(
        tuple(folder / "stages" / step / Path(name).name for name in steps[step]["shards"])
        for step in rounds_in(manifest)
    )
    return rounds if all(path.is_file() for each in rounds for path in each) else ()


def reply_shards(folder: Path, manifest: Mapping[str, Any]) -> ReplyShards | None:
    """Where the replies are, or None where they are not kept."""
    if not manifest["recipe"].get("score", {}).get("keep_replies"):
        return None
    rounds = rounds_of(folder, manifest)
    if not rounds:
        return None
    columns = [_column(path, "uid") for path in rounds[0]]
    starts = np.cumsum([0, *map(len, columns)])
    for shards in rounds:
        counts = [_opened(path).metadata.num_rows for path in shards]
        if counts != [len(column) for column in columns]:
            raise UserError(f"{shards[0].parent}: not the items of the round before; build again")
    chunks = [chunk for column in columns for chunk in column.chunks]
    return ReplyShards(rounds, starts, pa.chunked_array(chunks, pa.string()))


def replies_to(shards: ReplyShards, uid: str) -> list[dict[str, Any]]:
    """The policy's replies to an item, with the round and the verdict."""
    place = pc.index(shards.uids, pa.scalar(uid, pa.string())).as_py()
    if place < 0:
        return []
    shard = int(np.searchsorted(shards.starts, place, "right")) - 1
    replies = []
    for number, paths in enumerate(shards.rounds, 1):
        path = paths[shard]
        group, inner = group_of(_opened(path), place - int(shards.starts[shard]), path)
        column = _column(path, "replies", group)
        _no_gaps(path, column.slice(inner, 1))
        replies += [reply | {"round": number} for reply in column[inner].as_py() or ()]
    return replies


def verdict_bits(shards: ReplyShards) -> NDArray[np.uint8]:
    """For each item in the shards' order, a bit for every verdict that was given."""
    bits = np.zeros(len(shards.uids), np.uint8)
    for paths in shards.rounds:
        for path, start in zip(paths, shards.starts.tolist(), strict=False):
            for place, replies in _statuses(path, start):
                rows = pc.list_parent_indices(replies).to_numpy()
                statuses = pc.struct_field(replies.flatten(), "status")
                codes = pc.fill_null(pc.index_in(statuses, pa.array(STATUSES)), -1).to_numpy()
                for number in range(len(STATUSES)):
                    bits[place + rows[codes == number]] |= 1 << number
    return bits


def _statuses(path: Path, start: int) -> Iterator[tuple[int, pa.ListArray]]:
    for group in range(_opened(path).num_row_groups):
        replies = _column(path, "replies.list.element.status", group).combine_chunks()
        yield start, replies
        start += len(replies)


def reply_batches(path: Path, batch: int) -> Iterator[list[dict[str, Any]]]:
    """A shard's uids and replies, some at a time."""
    with reading(path), _opened(path) as file:
        for rows in file.iter_batches(batch, columns=["uid", "replies"]):
            rows.validate(full=True)
            _no_gaps(path, rows["replies"])
            yield rows.to_pylist()


def _no_gaps(path: Path, replies: pa.Array | pa.ChunkedArray) -> None:
    if any(None in (each or ()) for each in replies.to_pylist()):
        raise UserError(f"{path}: holds a reply that is null; build it again")


def _opened(path: Path) -> pq.ParquetFile:
    file = opened(path)
    types = {field.name: field.type for field in file.schema_arrow}
    if any(types.get(name) != kind for name, kind in _COLUMNS.items()):
        raise UserError(f"{path}: not the replies of a build; build it again")
    return file


def _column(path: Path, name: str, group: int | None = None) -> pa.ChunkedArray:
    """A column of a shard, or of one of its row groups."""
    with reading(path), _opened(path) as file:
        table = file.read([name]) if group is None else file.read_row_group(group, [name])
        table.validate(full=True)
        return table.column(0)
