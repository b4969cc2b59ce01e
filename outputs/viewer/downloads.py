"""Downloads: the rows that a query finds, as JSON lines or Parquet."""

import json
from base64 import b64encode
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from puzzlemill.core.errors import UserError
from puzzlemill.core.rows import table_of
from puzzlemill.outputs.viewer.catalogue import Catalogue, rows_at
from puzzlemill.outputs.viewer.row_query import RowQuery, matches

MOST = 10_000  # rows: they are put together in memory


def download(catalogue: Catalogue, query: RowQuery, kind: str) -> bytes:
    """All rows that match, with all columns, in the order of the page."""
    found = matches(catalogue, query, MOST + 1)
    while not found.whole and len(found.places) <= MOST:
        found = matches(catalogue, query, MOST + 1)
    if len(found.places) > MOST:
        raise UserError(
            f"over {MOST:,} rows: filter more, or take the files of {catalogue.folder / 'dataset'}"
        )
    rows = rows_at(catalogue, found.places.astype(np.int64).tolist(), None)
    if kind == "jsonl":
        return "".join(f"{json.dumps(_plain(row))}\n" for row in rows).encode()
    sink = pa.BufferOutputStream()
    pq.write_table(table_of(rows), sink, compression="zstd")
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Pictures as data URLs: JSON has no bytes."""
    pictures = [b64encode(image["bytes"]).decode() for image in row["images"] or ()]
    return row | {"images": [f"data:image/png;base64,{picture}" for picture in pictures]}
