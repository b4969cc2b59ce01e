"""Rows: the one Parquet schema for every family, and what becomes of a row."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NewType, get_type_hints

import pyarrow as pa

from puzzlemill.core.item import Item

SCHEMA_VERSION = 5

Count = NewType("Count", int)  # a whole number of 32 bits

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
_PLAIN = {str: pa.string(), float: pa.float64(), int: pa.int64(), Count: pa.int32()}
_LAST = ("parent", "variant_group")  # of the columns


def _column(field: str, kind: Any) -> tuple[str, pa.DataType]:
    """The column of an item's field."""
    return _WRITTEN[field] if field in _WRITTEN else (field, _PLAIN[kind])


_ITEM = [_column(field, kind) for field, kind in get_type_hints(Item).items()]


@dataclass(frozen=True, slots=True)
class Scored:
    """The columns that a build fills in beside an item's fields. All may be null."""

    signal: float  # read off the model before it replies, or an older score: a covariate
    predicted: float  # the pass rate by the replies to other items alone, where there is a gate
    predicted_within: float  # by the same, the chance that the pass rate lies in the band
    policy: str  # whose difficulty the next columns tell: the id of the model
    trials: Count  # replies that were judged
    successes: Count  # of these, the right ones
    mean: float  # the posterior mean of the pass rate
    low: float  # of the pass rate, the 5% quantile
    high: float  # of the pass rate, the 95% quantile
    within: float  # the chance that the pass rate lies in the band that teaches
    informs: float  # the chance that a group of replies is neither all right nor all wrong
    scored_at: str  # when the build was begun
    guesses: Count  # replies that were to be given at once, without reasoning
    guessed: Count  # of these, the right ones
    hint: float  # the least share of the solution with which the policy succeeds
    gain: float  # how much likelier the policy's reasoning makes the gold answer
    searched: Count  # iterations of a search to a verified answer; 0: none within the cap
    weak: float  # the pass rate of the weaker of two policies
    strong: float  # the pass rate of the stronger of two policies
    history: str  # earlier scores, as a JSON list
    dropped: str  # the reason; null for a row that is kept
    rank: int  # the place in the order of training, from 0, among kept rows
    stage: str  # the part of the curriculum that the rank is in


_SCORED = [(name, _PLAIN[kind]) for name, kind in get_type_hints(Scored).items()]
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
    """A column that a row lacks is null there."""
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
