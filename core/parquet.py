"""Reading and writing shards as Parquet with checksummed pages."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from puzzlemill.core.errors import UserError
from puzzlemill.core.files import whole

ROWS = 500  # a row group; the Hub's viewer asks for small ones where there are pictures


def write_table(path: Path, table: pa.Table) -> None:
    """Write a table whole or not at all. The same table gives the same bytes."""
    with whole(path) as beside:
        pq.write_table(
            table,
            beside,
            compression="zstd",
            row_group_size=ROWS,
            write_page_checksum=True,
            write_page_index=True,
            use_content_defined_chunking=True,
        )


def read_table(path: Path, columns: list[str] | None = None) -> pa.Table:
    """Read a table, verifying its checksums."""
    try:
        return pq.ParquetFile(path, page_checksum_verification=True).read(columns=columns)
    except (OSError, pa.ArrowException) as error:
        said = str(error).splitlines()[0]
        raise UserError(f"{path}: cannot be read, build it again: {said}") from error


def try_table(path: Path, columns: list[str] | None = None) -> pa.Table | None:
    """The table, or None where the file is absent or damaged."""
    try:
        return read_table(path, columns)
    except UserError:
        return None
