"""What a trainer's export is, and finding them by where they lie."""

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from puzzlemill.core.errors import UserError, unknown

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
    ("puzzle", pa.string()),  # JSON
)


def common(row: Row) -> dict[str, Any]:
    return {name: row[name] for name, _ in COMMON}


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
    hook: str = ""  # the name in puzzlemill.outputs.rewards.<export> that `reward.py` hands on
    suffix: Literal["parquet", "jsonl"] = "parquet"
    # Files beside the data, by name, made of the package's name; $package stands in names too.
    beside: Mapping[str, str] = field(default_factory=dict)
    inside: str = ""  # the folder that the data lies in, of the export's own
    # "module:function" that turns a row into one to write, or into the reason to leave it out.
    prepare: str = ""


def names() -> list[str]:
    """All exports, as they are written on the command line."""
    found = (each.name for each in pkgutil.iter_modules([str(Path(__file__).parent)]))
    return sorted(name.replace("_", "-") for name in found if not name.startswith("_"))


def export_of(name: str) -> Export:
    if name not in names():
        raise unknown("export", name, names(), "--to")
    module = import_module(f"{__package__}.{name.replace('-', '_')}")
    found = getattr(module, "EXPORT", None)
    if not isinstance(found, Export):
        raise UserError(f"{module.__name__} is in the folder of exports but sets no EXPORT")
    return found
