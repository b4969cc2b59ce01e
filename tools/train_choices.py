"""Settings that turn on each choice of the trainer, found where the choices and their keys lie.

Benchmarks and proofs go over these, so that a new file is held to them without being listed.
"""

from collections.abc import Iterator
from dataclasses import Field, fields
from itertools import cycle, islice
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from puzzlemill.core.settings import Needs, OneOf, Range, default_of
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.settings.rewards import Process, Shaping
from puzzlemill.trainer.shapings import SHAPINGS

Changes = dict[str, Any]  # of [train], as a recipe has them

TABLES: dict[str, type] = {"": Train, "loss": Loss, "reward": Shaping, "process": Process}
# At which the bundled policy's replies, of some ten to a hundred tokens, earn otherwise.
EFFECTIVE: Changes = {"overlong": 48, "shortest_above": 8, "ngram_size": 2, "brief_from": 0.25}
SHARE, COUNT = 0.2, 2  # of any other number
# What a recipe refuses a choice without.
BESIDE: dict[str, Changes] = {"luspo": {"loss": {"mean": "replies"}}}
# What a recipe refuses any choice of a key without, if nothing else sets it.
NEEDED: dict[str, Changes] = {"credit": {"process": {"values": "gain"}}}


def choices() -> dict[str, dict[str, Changes]]:
    """By the key that names a file of a folder, what each file of it is turned on by."""
    found: dict[str, dict[str, Changes]] = {}
    for table, field, notes in _settings():
        for note in notes:
            if isinstance(note, OneOf) and not note.others:
                several = isinstance(default_of(field), tuple)
                found[field.name] = {
                    name: merged(
                        NEEDED.get(field.name, {}),
                        _in_table(table, {field.name: [name] if several else name}),
                        BESIDE.get(name, {}),
                    )
                    for name in note.choices.names()
                    if note.choices.ours(name)
                }
    return found


def shapings() -> dict[str, Changes]:
    """What each shaping is turned on by; one of several values is named after it, too."""
    found: dict[str, Changes] = {}
    for name in SHAPINGS.names():
        if SHAPINGS.ours(name):
            # A number before the name of a place where numbers are taken from.
            ways = sorted(_ways(name), key=lambda way: not way[0][-1][0].isdigit())
            assert ways, f"no one key turns the shaping {name} on"
            found |= {" ".join([name, *said]): changes for said, changes in ways}
    return found


def each_shaping() -> dict[str, Changes]:
    """One way of each."""
    found: dict[str, Changes] = {}
    for named, changes in shapings().items():
        found.setdefault(named.partition(" ")[0], changes)
    return found


def one_of_each() -> dict[str, Changes]:
    """Runs that have a choice of every kind each, as many as the longest folder has files."""
    kinds = choices()
    # Credits go among the shapings, not into every run: some leave an advantage without effect.
    kinds["shaping"] = shapings() | kinds.pop("credit")
    runs = max(map(len, kinds.values()))
    rows = zip(*(islice(cycle(ways.items()), runs) for ways in kinds.values()), strict=True)
    found = {}
    for row in rows:
        beside = (BESIDE.get(name, {}) for name, _ in row)
        found[", ".join(name for name, _ in row)] = merged(*(way for _, way in row), *beside)
    return found


def merged(*several: Changes) -> Changes:
    found: Changes = {}
    for changes in several:
        for key, value in changes.items():
            inside = isinstance(value, dict) and key in found
            found[key] = merged(found[key], value) if inside else value
    return found


def _ways(shaping: str) -> Iterator[tuple[list[str], Changes]]:
    """Of one key each."""
    wanted = SHAPINGS.load(shaping).wanted
    for table, field, notes in _settings():
        for value in _values(field, notes):
            changed = {field.name: value}
            inside = {table: TABLES[table](**changed)} if table else changed
            if wanted(Train(**inside)):
                beside = {name: EFFECTIVE[name] for name in _needing(field.name)}
                yield [field.name, str(value)], _in_table(table, changed | beside)


def _values(field: Field[Any], notes: tuple[Any, ...]) -> list[Any]:
    """Others than the default."""
    default, of = default_of(field), notes[0]
    if field.name in EFFECTIVE:
        return [EFFECTIVE[field.name]]
    if isinstance(default, bool):
        return [not default]
    if get_origin(of) is Literal:
        return [each for each in get_args(of) if each != default]
    for note in notes:
        if isinstance(note, Range):
            return [min(SHARE if isinstance(default, float) else COUNT, note.most)]
    return []


def _needing(key: str) -> list[str]:
    return [
        field.name
        for _, field, notes in _settings()
        for note in notes
        if isinstance(note, Needs) and note.other == key and field.name in EFFECTIVE
    ]


def _settings() -> Iterator[tuple[str, Field[Any], tuple[Any, ...]]]:
    """The table, the field, and its type with what the field says of itself."""
    for table, record in TABLES.items():
        hints = get_type_hints(record, include_extras=True)
        for field in fields(record):
            hint = hints[field.name]
            yield table, field, get_args(hint) if get_origin(hint) is Annotated else (hint,)


def _in_table(table: str, changes: Changes) -> Changes:
    return {table: changes} if table else changes
