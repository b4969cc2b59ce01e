"""The replies that a build keeps in the shards of its rounds, where its recipe asks for that."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from puzzlemill.core.checking import Status
from puzzlemill.outputs.finished import group_of

STATUSES: tuple[str, ...] = get_args(Status)


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """Where the replies to each item lie."""

    rounds: tuple[tuple[Path, ...], ...]  # the shards of each
    starts: NDArray[np.int64]  # of the shards, in rows; and the count of all
    uids: pa.ChunkedArray  # in the shards' order


def rounds_of(folder: Path, manifest: Mapping[str, Any]) -> tuple[tuple[Path, ...], ...]:
    """The shards of the rounds in which the policy was asked; none where one is not there."""
    steps = manifest["steps"]
    asked = sorted(
        (step for step in steps if re.fullmatch(r"ask-\d+", step)),
        key=lambda step: int(step.removeprefix("ask-")),
    )
    # A manifest may come from anywhere: its names must not lead out of the build.
    found = tuple(
        tuple(folder / "stages" / step / Path(name).name for name in steps[step]["shards"])
        for step in asked
    )
    return found if all(path.is_file() for each in found for path in each) else ()


def kept(folder: Path, manifest: Mapping[str, Any]) -> Asked | None:
    """Where the replies are, or None where they are not kept."""
    if not manifest["recipe"].get("score", {}).get("keep_replies"):
        return None
    rounds = rounds_of(folder, manifest)
    if not rounds:
        return None
    columns = [pq.ParquetFile(path).read(columns=["uid"])["uid"] for path in rounds[0]]
    starts = np.cumsum([0, *map(len, columns)])
    chunks = [chunk for column in columns for chunk in column.chunks]
    return Asked(rounds, starts, pa.chunked_array(chunks, pa.string()))


def replies_to(asked: Asked, uid: str) -> list[dict[str, Any]]:
    """What the policy said to an item, with the round and the verdict."""
    place = pc.index(asked.uids, pa.scalar(uid, pa.string())).as_py()
    if place < 0:
        return []
    shard = int(np.searchsorted(asked.starts, place, "right")) - 1
    found = []
    for number, shards in enumerate(asked.rounds, 1):
        file = pq.ParquetFile(shards[shard])
        group, inner = group_of(file, place - int(asked.starts[shard]))
        column = file.read_row_group(group, columns=["replies"])["replies"]
        found += [reply | {"round": number} for reply in column[inner].as_py() or ()]
    return found


def verdict_bits(asked: Asked) -> NDArray[np.uint8]:
    """For each item in the shards' order, a bit for every verdict that was given."""
    bits = np.zeros(len(asked.uids), np.uint8)
    for shards in asked.rounds:
        for path, start in zip(shards, asked.starts.tolist(), strict=False):
            for place, replies in _statuses(path, start):
                rows = pc.list_parent_indices(replies).to_numpy()
                statuses = pc.struct_field(replies.flatten(), "status")
                known = pc.fill_null(pc.index_in(statuses, pa.array(STATUSES)), -1).to_numpy()
                for number in range(len(STATUSES)):
                    bits[place + rows[known == number]] |= 1 << number
    return bits


def _statuses(path: Path, start: int) -> Iterator[tuple[int, pa.ListArray]]:
    file = pq.ParquetFile(path)
    for group in range(file.num_row_groups):
        read = file.read_row_group(group, columns=["replies.list.element.status"])
        yield start, read["replies"].combine_chunks()
        start += read.num_rows
