"""Rows: the one Parquet schema for every family, and what becomes of a row."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import pyarrow as pa

from puzzlemill.core.item import Item
from puzzlemill.core.plain_data import freeze

SCHEMA_VERSION = 3

Fate = Literal["kept", "frontier", "unscored", "rejected"]
FATES: tuple[Fate, ...] = ("kept", "frontier", "unscored", "rejected")
FRONTIER = "frontier"  # the reason of a sound item that the policy hardly ever solves

MESSAGE = pa.struct([("role", pa.string()), ("content", pa.string())])
IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
# A reply that a build keeps, beside its rows: the dataset itself has none.
REPLY = pa.struct(
    [
        ("text", pa.string()),
        ("finished", pa.bool_()),  # False: cut off at the longest that was allowed
        ("score", pa.float64()),
        ("status", pa.string()),
        ("reason", pa.string()),
    ]
)

_COLUMNS: tuple[tuple[str, pa.DataType], ...] = (
    ("uid", pa.string()),
    ("family", pa.string()),
    ("version", pa.int32()),
    ("category", pa.string()),
    ("tags", pa.list_(pa.string())),
    ("level", pa.float64()),
    ("knobs", pa.string()),  # JSON
    ("split", pa.string()),
    ("seed", pa.int64()),
    ("index", pa.int64()),
    ("prompt", pa.list_(MESSAGE)),
    ("images", pa.list_(IMAGE)),
    ("answer", pa.string()),
    ("puzzle", pa.string()),  # JSON
    ("canon", pa.string()),
    ("certificate", pa.string()),
    ("solver", pa.string()),
    # What was told before the policy was asked: by a pass of its model, or by an older score.
    ("signal", pa.float64()),
    ("policy", pa.string()),  # whose difficulty the next columns tell
    ("trials", pa.int32()),
    ("successes", pa.int32()),
    ("mean", pa.float64()),
    ("low", pa.float64()),
    ("high", pa.float64()),
    ("within", pa.float64()),  # the chance that the pass rate lies in the band that teaches
    ("informs", pa.float64()),  # the chance that a group of replies is neither all right nor wrong
    ("scored_at", pa.string()),
    ("guesses", pa.int32()),  # replies that were to be given at once, without reasoning
    ("guessed", pa.int32()),  # and how many of them were right
    ("hint", pa.float64()),  # the least share of the solution with which the policy succeeds
    ("history", pa.string()),  # JSON list of earlier scores
    ("dropped", pa.string()),  # the reason; null for a row that is kept
    ("rank", pa.int64()),
    ("stage", pa.string()),
    ("parent", pa.string()),  # uid of the item that this one was made from
    ("variant_group", pa.string()),
)


def _feature(kind: pa.DataType) -> Any:
    """How the Hugging Face libraries write a column's type."""
    if kind == IMAGE:
        return {"_type": "Image"}
    if pa.types.is_list(kind):
        return {"feature": _feature(kind.value_type), "_type": "List"}
    if pa.types.is_struct(kind):
        return {field.name: _feature(field.type) for field in kind}
    names = {pa.float64(): "float64", pa.binary(): "binary"}
    return {"dtype": names.get(kind, str(kind)), "_type": "Value"}


def schema_of(columns: Iterable[tuple[str, pa.DataType]]) -> pa.Schema:
    """A schema that tells the Hugging Face libraries too what its columns are."""
    chosen = tuple(columns)
    features = {name: _feature(kind) for name, kind in chosen}
    known = {"huggingface": json.dumps({"info": {"features": features}})}
    return pa.schema(chosen).with_metadata(known)


SCHEMA = schema_of(_COLUMNS)
SCHEMA = SCHEMA.with_metadata(
    SCHEMA.metadata | {b"puzzlemill": json.dumps({"schema": SCHEMA_VERSION}).encode()}
)


def row_of(item: Item) -> dict[str, Any]:
    """An item as a row; what is not known yet is null."""
    return dict.fromkeys(SCHEMA.names) | {
        "uid": item.uid,
        "family": item.family,
        "version": item.version,
        "category": item.category,
        "tags": list(item.tags),
        "level": item.level,
        "knobs": item.knobs,
        "split": item.split,
        "seed": item.seed,
        "index": item.index,
        "prompt": item.messages,
        "images": [
            {"bytes": image, "path": f"{item.uid}-{place}.png"}
            for place, image in enumerate(item.images)
        ],
        "answer": item.answer,
        "puzzle": freeze(item.puzzle),
        "canon": item.canon,
        "certificate": item.certificate,
        "solver": item.solver,
        "parent": item.parent or None,
        "variant_group": item.group or None,
    }


def table_of(rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=SCHEMA)


def with_columns(table: pa.Table, columns: Mapping[str, Iterable[Any]]) -> pa.Table:
    """The table with some of its columns replaced."""
    for name, values in columns.items():
        place = SCHEMA.get_field_index(name)
        assert place >= 0, f"no column {name!r} in the schema"
        field = SCHEMA.field(place)
        table = table.set_column(place, field, pa.array(list(values), type=field.type))
    return table.replace_schema_metadata(SCHEMA.metadata)


def fate(row: Mapping[str, Any]) -> Fate:
    """What becomes of a row: which of the dataset's configs it is written to."""
    if row["dropped"] == FRONTIER:
        return "frontier"
    if row["dropped"] is not None:
        return "rejected"
    return "unscored" if row["trials"] is None else "kept"
