"""TOML tables read into frozen dataclasses: what is wrong is told with its line in the file."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from difflib import get_close_matches
from functools import cache
from math import isfinite
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from puzzlemill.core.choices import Choices
from puzzlemill.core.errors import UserError, shown, unknown
from puzzlemill.core.settings import Either, Length, Named, Needs, OneOf, Range, ReadBy, default_of

T = TypeVar("T")

PARTS = 32  # of a key, as in a.b.c: what reads TOML takes time by their square
INTEGERS = (-(2**63), 2**63 - 1)  # that a column of the dataset holds
KINDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}

_WORD = re.compile(r"[^\s\[\]{},.\"'=]+")
_HEADER = re.compile(r"\s*\[{1,2}\s*([\w.-]+)\s*\]")
# Texts and comments, to the line's end where they are not closed: no sign is looked at twice.
_APART = re.compile(r"\"(?:\\.|[^\"\\\n])*\"?|'[^'\n]*'?|#[^\n]*")
_ENDS_OF_KEYS = re.compile(r"[=,\[\]{}\n]")

Lines = Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True)
class LineNumbers:
    """Where a word stands in the file, for error messages."""

    path: str
    words: Lines = field(default_factory=dict)  # the lines that each stands in
    tables: Lines = field(default_factory=dict)  # and that each table begins in
    first: int = 1  # the line from which a word is looked for before all others

    def of(self, word: str) -> str:
        lines = self.words.get(word) or self._parts_of(word)
        if not lines:
            return self.path
        return f"{self.path}:{lines[min(bisect_left(lines, self.first), len(lines) - 1)]}"

    def within(self, table: str, number: int = 0) -> "LineNumbers":
        """The same, beginning at a table: of several of a name, the one with this number."""
        lines = self.tables.get(table, ())
        return replace(self, first=lines[number]) if number < len(lines) else self

    def _parts_of(self, word: str) -> Sequence[int]:
        """The lines of the first part of a text that holds signs which part words."""
        parts = _WORD.findall(word)
        return self.words.get(parts[0], ()) if parts else ()


def places_in(path: str, text: str) -> LineNumbers:
    """The places of all words of a file, in one reading of it."""
    words: dict[str, list[int]] = {}
    tables: dict[str, list[int]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        plain = line.partition("#")[0]
        if header := _HEADER.match(plain):
            tables.setdefault(header[1], []).append(number)
        for word in dict.fromkeys(_WORD.findall(plain)):
            words.setdefault(word, []).append(number)
    return LineNumbers(path, words, tables)


def longest_key(text: str) -> int:
    """The parts of the key that has most; what stands in texts and comments is none."""
    return max(part.count(".") for part in _ENDS_OF_KEYS.split(_APART.sub("''", text))) + 1


def record(
    kind: type[T],
    table: Any,
    places: LineNumbers,
    path: tuple[str, ...] = (),
    other: "Other | None" = None,
) -> T:
    """A table as a value of this kind; a field's annotation says what holds of it besides."""
    if not isinstance(table, Mapping):
        where = f"{places.of(path[-1])}: {'.'.join(path)}" if path else f"{places.path}: a recipe"
        raise UserError(f"{where} is a table of keys, not {shown(table)}")
    hints = _hints(kind)  # type: ignore[arg-type]
    for name in table:
        if name not in hints:
            raise _unknown_key(kind, name, places, path, other)
    values = {}
    for name, value in table.items():
        within = places.within(".".join((*path, name)))
        values[name] = _value(hints[name], value, within, (*path, name), other and other.of(name))
    for each in fields(kind):  # type: ignore[arg-type]
        missing = each.default is MISSING and each.default_factory is MISSING
        if missing and each.name not in values:
            raise UserError(f"{places.path}: {'.'.join((*path, each.name))} is missing")
    made = kind(**values)
    for each in fields(kind):  # type: ignore[arg-type]
        if each.name in values and values[each.name] != default_of(each):
            _check_needs(made, each.name, places, path)
    return made


def settings_of(choice: Any, kind: type[T], what: str) -> T:
    """The settings of a choice that `OneOf(own=True)` has read; defaults where none were given."""
    given = {} if isinstance(choice, str) else {key: choice[key] for key in choice if key != "name"}
    return record(kind, given, LineNumbers(what))


def _check_needs(made: Any, name: str, places: LineNumbers, path: tuple[str, ...]) -> None:
    """Whether what this setting needs beside it is there."""
    table = ".".join(path)
    named = f"[{table}] {name}"
    if is_dataclass(getattr(made, name)):
        named = f"[{table}.{name}]"
    for need in needs_of(type(made), name):
        beside = getattr(made, need.other)
        choices = _choices_of(_hints(type(made))[need.other])  # type: ignore[arg-type]
        if choices is None or choices.ours(beside):
            need.check(beside, name, named, places.of(name))


def needs_of(kind: Any, name: str) -> list[Needs]:
    """What a setting needs beside it."""
    found = []
    for said in _said(_hints(kind)[name]):
        if isinstance(said, Needs):
            found.append(said)
        elif isinstance(said, ReadBy):
            choices = _choices_of(_hints(kind)[said.other])
            assert choices is not None, f"{said.other} names no choices that could read {name}"
            readers = choices.readers(name)
            assert readers, f"no {choices.what} reads {name}"
            found.append(Needs(said.other, *readers))
    return found


def _choices_of(hint: Any) -> Choices | None:
    return next((said.choices for said in _said(hint) if isinstance(said, OneOf)), None)


@cache
def _hints(kind: Any) -> Mapping[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _said(hint: Any) -> tuple[Any, ...]:
    """What an annotation says beside the type."""
    return hint.__metadata__ if get_origin(hint) is Annotated else ()


@dataclass(frozen=True, slots=True)
class Other:
    """The kind that a table might have had instead."""

    kind: type
    either: Either
    here: bool  # whether it is that with the key

    def of(self, name: str) -> "Other | None":
        """And that of a table inside."""
        tables = _tables_of(_hints(self.kind)[name]) if name in _hints(self.kind) else []
        return None if self.here or not tables else replace(self, kind=tables[0])


def _unknown_key(
    kind: Any, name: str, places: LineNumbers, path: tuple[str, ...], other: Other | None
) -> UserError:
    """The key may be that of a table inside this one, or of what the table might have been."""
    own, place = [each.name for each in fields(kind)], places.of(name)
    if other and other.here:
        own.append(other.either.key)
    elif other and name in _hints(other.kind):
        return UserError(f"{place}: {name} {other.either.why}: leave it out")
    inside = dict(_keys_inside(kind, path))
    near = get_close_matches(name, {*own, *inside}, n=1, cutoff=0.5)
    table = f"[{'.'.join(path)}]" if path else "the recipe"
    if near and near[0] not in own:
        said = f"unknown key in {table} {shown(name)}; did you mean {near[0]!r} of"
        return UserError(f"{place}: {said} [{inside[near[0]]}]?")
    return unknown(f"key in {table}", name, own, place)


def _keys_inside(kind: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The keys of the tables inside a table, each with its table; of one name, the outermost."""
    tables = [(name, each) for name, hint in _hints(kind).items() for each in _tables_of(hint)]
    for name, each in tables:
        yield from _keys_inside(each, (*path, name))
    for name, each in tables:
        yield from ((key.name, ".".join((*path, name))) for key in fields(each))


def _tables_of(hint: Any) -> list[Any]:
    """The dataclasses that a table, or each of several, may be."""
    if isinstance(hint, type) and is_dataclass(hint):
        return [hint]
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated or (origin is tuple and inner):
        return _tables_of(inner[0])
    if origin in (UnionType, Union):
        return [found for each in inner for found in _tables_of(each)]
    return []


def _value(
    hint: Any, value: Any, places: LineNumbers, path: tuple[str, ...], other: Other | None = None
) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    where = f"{places.of(path[-1])}: {'.'.join(path)}"
    if is_dataclass(hint) and isinstance(hint, type):
        return record(hint, value, places, path, other)
    if origin in (UnionType, Union):
        several = isinstance(value, list | tuple)
        fitting = [each for each in inner if (get_origin(each) is tuple) == several]
        return None if value is None else _value((fitting or inner)[0], value, places, path)
    if origin is Annotated:
        return _annotated(hint, value, places, path, other)
    if origin is tuple:
        return _values(inner, value, places, path)
    if origin is Literal:
        if value not in inner:
            raise unknown("value", value, inner, where)
        return value
    if isinstance(value, Mapping) and origin is not None:
        _check_finite(value, where)
        return dict(value)
    return _plain(hint, value, where)


def _annotated(
    hint: Any, value: Any, places: LineNumbers, path: tuple[str, ...], other: Other | None
) -> Any:
    """A value that is held to what its annotation says."""
    inner, place = get_args(hint)[0], places.of(path[-1])
    for said in _said(hint):
        if isinstance(said, Named) and isinstance(value, str):
            return said.value(value, f"{place}: {'.'.join(path)}")
        if isinstance(said, Either):
            first, second = _tables_of(inner)
            here = not (isinstance(value, Mapping) and said.key in value)
            kind, instead = (first, second) if here else (second, first)
            return record(kind, value, places, path, Other(instead, said, here))
        if isinstance(said, OneOf) and said.own and isinstance(value, Mapping):
            return _chosen(said.choices, value, places, path)
    found = _value(inner, value, places, path, other)
    for said in _said(hint):
        if isinstance(said, OneOf):
            said.check(found, path[-1], f"{place}: {'.'.join(path)}")
        elif isinstance(said, Range | Length):
            said.check(found, path[-1], place)
    return found


def _chosen(
    choices: Choices, table: Mapping[str, Any], places: LineNumbers, path: tuple[str, ...]
) -> Any:
    """A choice with settings of its own: plain data that is read again as it is. A name alone where
    nothing is set."""
    where, key = f"{places.of(path[-1])}: {'.'.join(path)}", f"[{'.'.join(path)}]"
    name = table.get("name")
    if not isinstance(name, str):
        raise UserError(
            f'{where}: {key} has the {choices.what}\'s name: name = "{choices.names()[0]}"'
        )
    choices.check(name, f"{places.of(name)}: {'.'.join(path)}.name")
    given = {key: value for key, value in table.items() if key != "name"}
    kind = choices.load(name, where).settings
    if kind is None and given:
        raise UserError(
            f"{places.of(next(iter(given)))}: the {choices.what} {name} has no settings: leave"
            f" {next(iter(given))} out of {key}"
        )
    if not given:
        return name
    settings = record(kind, given, places, path)
    return {"name": name} | {each: getattr(settings, each) for each in given}


def _values(inner: tuple[Any, ...], value: Any, places: LineNumbers, path: tuple[str, ...]) -> Any:
    where = f"{places.of(path[-1])}: {'.'.join(path)}"
    if not isinstance(value, list | tuple):
        raise UserError(f"{where} is a list, not {shown(value)}")
    if inner[-1] is not Ellipsis and len(value) != len(inner):
        raise UserError(f"{where} is a list of {len(inner)}, not {shown(value)}")
    table = ".".join(path)
    return tuple(
        _value(inner[0], each, places.within(table, number), path)
        for number, each in enumerate(value)
    )


def _plain(hint: Any, value: Any, where: str) -> Any:
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise UserError(f"{where} is a number that is too large") from None
    if not isinstance(hint, type) or type(value) is not hint:
        kind = KINDS.get(hint, "a table of keys")
        raise UserError(f"{where} is {kind}, not {shown(value)}")
    _check_finite(value, where)
    if isinstance(value, int) and not INTEGERS[0] <= value <= INTEGERS[1]:
        raise UserError(f"{where} holds a number that does not fit into 64 bits")
    return value


def _check_finite(value: Any, where: str) -> None:
    """Nothing is done with NaN or infinity, wherever it stands."""
    if isinstance(value, float) and not isfinite(value):
        raise UserError(f"{where} is a finite number, not {value}")
    if isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            _check_finite(each, where)
