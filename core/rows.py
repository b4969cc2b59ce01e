"""Rows: the one Parquet schema for every family, and what becomes of a row."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_type_hints

import pyarrow as pa

from puzzlemill.core.item import Item

SCHEMA_VERSION = 5

Fate = Literal["kept", "frontier", "unscored", "rejected"]
FATES: tuple[Fate, ...] = ("kept", "frontier", "unscored", "rejected")
FRONTIER = "frontier"  # the reason of a sound item that the policy hardly ever solves
# The kinds of reason of a sound item that the policy was not asked.
TOO_LONG = "too long for the policy"
NO_PICTURES = "the policy takes no pictures"
NOT_TAKEN = "the policy does not take it"
NO_REPLY = "no reply could be had"
FORETOLD = "foretold"  # unlikely to teach, by a prediction: set aside without a reply
UNASKED = (TOO_LONG, NO_PICTURES, NOT_TAKEN, NO_REPLY, FORETOLD)  # why a row was not scored

MESSAGE = pa.struct([("role", pa.string()), ("content", pa.string())])
IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
# A reply that a build keeps, beside its rows: the dataset itself has none.
REPLY = pa.struct(
    [
        ("text", pa.string()),
        ("finished", pa.bool_()),  # False: cut off at the longest that was allowed
        ("tokens", pa.int32()),  # null where neither the engine nor the server counts them
        ("score", pa.float64()),
        ("status", pa.string()),
        ("reason", pa.string()),
    ]
)

# The columns of an item's fields that are not of the same name and a plain kind.
_WRITTEN: dict[str, tuple[str, pa.DataType]] = {
    "version": ("version", pa.int32()),
    "tags": ("tags", pa.list_(pa.string())),
    "prompt": ("prompt", pa.list_(MESSAGE)),
    "images": ("images", pa.list_(IMAGE)),
    "puzzle": ("puzzle", pa.string()),  # JSON
    "group": ("variant_group", pa.string()),
}
_PLAIN = {str: pa.string(), float: pa.float64(), int: pa.int64()}
_LAST = ("parent", "variant_group")  # of the columns


def _column(field: str, kind: Any) -> tuple[str, pa.DataType]:
    """The column of an item's field."""
    return _WRITTEN[field] if field in _WRITTEN else (field, _PLAIN[kind])


_ITEM = [_column(field, kind) for field, kind in get_type_hints(Item).items()]

_SCORED: tuple[tuple[str, pa.DataType], ...] = (
    # What was told before the policy was asked: by a pass of its model, or by an older score.
    ("signal", pa.float64()),
    # By the replies to other items alone, where a gate predicts: the pass rate, and the chance that
    # it lies in the band that teaches.
    ("predicted", pa.float64()),
    ("predicted_within", pa.float64()),
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
    ("gain", pa.float64()),  # how much likelier the policy's reasoning makes the gold answer
    ("searched", pa.int32()),  # iterations of a search to a verified answer; 0: none in the cap
    ("weak", pa.float64()),  # the pass rate of the weaker of two policies
    ("strong", pa.float64()),  # and of the stronger
    ("history", pa.string()),  # JSON list of earlier scores
    ("dropped", pa.string()),  # the reason; null for a row that is kept
    ("rank", pa.int64()),
    ("stage", pa.string()),
)
_COLUMNS = (
    *(each for each in _ITEM if each[0] not in _LAST),
    *_SCORED,
    *(each for each in _ITEM if each[0] in _LAST),
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
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    return pa.schema(chosen).with_metadata(metadata)


SCHEMA = schema_of(_COLUMNS)
ITEM_SCHEMA = schema_of(_ITEM)  # what is known of an item that no build has seen
SCHEMA = SCHEMA.with_metadata(
    SCHEMA.metadata | {b"puzzlemill": json.dumps({"schema": SCHEMA_VERSION}).encode()}
)

_EMPTY: dict[str, Any] = dict.fromkeys(SCHEMA.names)


def row_of(item: Item) -> dict[str, Any]:
    """An item as a row; what is not known yet is null."""
    return _EMPTY | item.row()


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
        return "unscored" if row["dropped"].partition(":")[0] in UNASKED else "rejected"
    return "unscored" if row["trials"] is None else "kept"
