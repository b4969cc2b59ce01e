"""Reading and writing shards as Parquet with checksummed pages."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from puzzlemill.core.counters import count
from puzzlemill.core.errors import UserError
from puzzlemill.core.storage.files import checksum, whole, write_text

ROWS = 500  # a row group; the Hub's viewer asks for small ones where there are pictures


_SOUND: dict[str, Any] = {"compression": "zstd", "write_page_checksum": True}
# For a shard, which is read whole: neither would save room, and each takes time.
_SHARD = _SOUND | {"use_dictionary": False, "write_statistics": False}
# For readers far away, who ask for some of a file, and for the Hub, which keeps what is equal once.
_OPTIONS = _SOUND | {"write_page_index": True, "use_content_defined_chunking": True}


def write_table(path: Path, table: pa.Table) -> None:
    """Write a table whole or not at all. The same table gives the same bytes."""
    with whole(path) as beside:
        pq.write_table(table, beside, row_group_size=ROWS, **_OPTIONS)


def size_of(table: pa.Table) -> int:
    """The bytes that a table would take as a file."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, row_group_size=ROWS, **_OPTIONS)
    return int(sink.getvalue().size)


@contextmanager
def in_groups(path: Path, schema: pa.Schema) -> Iterator[Callable[[pa.Table], None]]:
    """What to call with one piece after another of a table that is too large for memory."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(path, schema, **_OPTIONS) as writer:
        yield lambda table: writer.write_table(table, row_group_size=ROWS)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """What goes wrong with a file while it is read is told in one line."""
    try:
        yield
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        message = str(error).splitlines()[0]
        raise UserError(f"{path}: cannot be read, build it again: {message}") from error


def opened(path: Path) -> pq.ParquetFile:
    """A file whose parts are read, verifying their checksums."""
    with reading(path):
        return pq.ParquetFile(path, page_checksum_verification=True)


def read_table(path: Path, columns: list[str] | None = None) -> pa.Table:
    """Read a table, verifying its checksums."""
    with reading(path), opened(path) as file:
        wanted = {name.partition(".")[0] for name in columns or ()}
        if missing := sorted(wanted - {*file.schema_arrow.names}):
            raise UserError(f"{path}: cannot be read, it has no column {missing[0]!r}")
        return file.read(columns=columns)


def write_sealed(path: Path, table: pa.Table, published: bool = False) -> None:
    """Write a table, and beside it the checksum of its file."""
    if published:
        write_table(path, table)
    else:
        with whole(path) as beside:
            pq.write_table(table, beside, row_group_size=max(table.num_rows, 1), **_SHARD)
    write_text(path.with_suffix(".sha256"), checksum(path) + "\n")


def try_sealed(path: Path, columns: list[str] | None = None) -> pa.Table | None:
    """The table that was sealed, or None where it is absent, damaged or was never finished.

    Parquet's own checksums leave out the footer, so the whole file is summed.
    """
    try:
        if path.with_suffix(".sha256").read_bytes() != f"{checksum(path)}\n".encode():
            count("shards_mended")
            return None
        return read_table(path, columns)
    except (OSError, UserError):
        return None
