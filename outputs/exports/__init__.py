"""Exports: a finished build's rows in a trainer's own format, with the reward it plugs in.

A file here is an export, and its name is the name that `puzzlemill export --to` takes. Where its
hook needs classes of the trainer's, it is a folder, and the hook lies in `reward.py`: rows are
written where the trainer is not installed. Another package adds one by an entry point of the group
puzzlemill.exports, whose module sets EXPORT.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from puzzlemill.core import registry
from puzzlemill.core.choices import Choices

Row = Mapping[str, Any]
Columns = tuple[tuple[str, pa.DataType], ...]

# Columns that any trainer may carry along: what judging needs, and what tells items apart.
COMMON: Columns = (
    ("uid", pa.string()),
    ("family", pa.string()),
    ("version", pa.int32()),
    ("category", pa.string()),
    ("level", pa.float64()),
    ("mean", pa.float64()),  # the pass rate; null where none was measured
    ("rank", pa.int64()),
    ("stage", pa.string()),
    ("answer", pa.string()),
    ("answer_type", pa.string()),  # integer, int_list, expression, grid …
    ("puzzle", pa.string()),  # JSON
)


def common(row: Row) -> dict[str, Any]:
    answer_type = registry.family(row["family"]).answer_type
    return {name: row[name] for name, _ in COMMON if name != "answer_type"} | {
        "answer_type": answer_type
    }


def content_blocks(content: str) -> list[dict[str, str]]:
    """A message's text as blocks, with one for each picture in its place."""
    first, *others = content.split("<image>")
    blocks = [{"type": "text", "text": first}]
    for text in others:
        blocks += [{"type": "image"}, {"type": "text", "text": text}]
    return [block for block in blocks if block.get("text", "-")]


@dataclass(frozen=True, slots=True)
class Format:
    """The rows of one kind of file: its columns, and a row of ours as one of them."""

    columns: Columns
    row: Callable[[Row], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Export:
    texts: Format
    pictures: Format | None  # None: the trainer takes no pictures
    usage: str  # for the README: $folder, $train, $name and $package are filled in
    hook: str = ""  # "module:name" of what `reward.py` hands on
    suffix: Literal["parquet", "jsonl"] = "parquet"
    # Files beside the data, by name, made of the package's name; $package stands in names too.
    beside: Mapping[str, str] = field(default_factory=dict)
    inside: str = ""  # the folder that the data lies in, of the export's own
    # "module:function" that turns a row into one to write, or into the reason to leave it out.
    prepare: str = ""
    # Writes what follows from the data files, which are told by name: into the export's folder, for
    # the package's name. It gives the names of what it wrote.
    finish: Callable[[Path, str, Sequence[str]], list[str]] | None = None
    # Reads what stands behind a colon in `--to name:settings`, which `prepare` then takes besides.
    read: Callable[[str], Any] | None = None


EXPORTS = Choices("export", __name__, "EXPORT", "puzzlemill.exports", hyphens=True)
