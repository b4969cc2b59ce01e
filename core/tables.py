"""TOML tables read into frozen dataclasses: what is wrong is told with its line in the file."""

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from puzzlemill.core.errors import UserError, unknown

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Places:
    """Where a word stands in the file, for error messages."""

    path: str
    text: str

    def of(self, word: str) -> str:
        pattern = re.compile(rf"(^|[\s\[{{,.\"']){re.escape(word)}\b")
        for number, line in enumerate(self.text.splitlines(), 1):
            if pattern.search(line.partition("#")[0]):
                return f"{self.path}:{number}"
        return self.path


def record(kind: type[T], table: Any, places: Places, path: tuple[str, ...] = ()) -> T:
    """A table as a value of this kind; a tuple's annotation names values that may stand for it."""
    if not isinstance(table, Mapping):
        where = places.of(path[-1]) if path else places.path
        raise UserError(f"{where}: {'.'.join(path)} is a table of keys, not {table!r}")
    hints = get_type_hints(kind, include_extras=True)
    for name in table:
        if name not in hints:
            place = f"[{'.'.join(path)}]" if path else "the recipe"
            raise unknown(f"key in {place}", name, hints, places.of(name))
    values = {
        name: _value(hints[name], value, places, (*path, name)) for name, value in table.items()
    }
    for each in fields(kind):  # type: ignore[arg-type]
        missing = each.default is MISSING and each.default_factory is MISSING
        if missing and each.name not in values:
            raise UserError(f"{places.path}: {'.'.join((*path, each.name))} is missing")
    return kind(**values)


def _value(hint: Any, value: Any, places: Places, path: tuple[str, ...]) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    where = f"{places.of(path[-1])}: {'.'.join(path)}"
    if is_dataclass(hint) and isinstance(hint, type):
        return record(hint, value, places, path)
    if origin in (UnionType, Union):
        several = isinstance(value, list | tuple)
        fitting = [each for each in inner if (get_origin(each) is tuple) == several]
        return None if value is None else _value((fitting or inner)[0], value, places, path)
    if origin is Annotated:
        named = hint.__metadata__[0]
        if isinstance(value, str):
            if value not in named:
                raise unknown("band", value, named, where)
            return named[value]
        return _value(inner[0], value, places, path)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise UserError(f"{where} is a list, not {value!r}")
        if inner[-1] is not Ellipsis and len(value) != len(inner):
            raise UserError(f"{where} is a list of {len(inner)}, not {value!r}")
        return tuple(_value(inner[0], each, places, path) for each in value)
    if origin is Literal:
        if value not in inner:
            raise unknown("value", str(value), map(str, inner), where)
        return value
    if isinstance(value, Mapping) and origin is not None:
        return dict(value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(hint, type) or type(value) is not hint:
        raise UserError(f"{where} is {getattr(hint, '__name__', hint)}, not {value!r}")
    return value
