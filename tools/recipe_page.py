"""docs/recipe.md: every key of a recipe, read from the dataclasses that hold it.

A key's meaning is the comment beside its field or above it, and that of the name that stands in its
annotation. Its range and its choices are those by which a recipe is checked.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from puzzlemill.core.choices import Choices
from puzzlemill.core.field_comments import meaning
from puzzlemill.core.settings import Length, Named, Needs, OneOf, Range
from puzzlemill.core.tables import needs_of
from puzzlemill.pipelines.recipe import Recipe

KINDS = {int: "whole number", float: "number", str: "text", bool: "true or false"}
HEAD = """# Recipe keys

Every key of a recipe, with type, default, and range or choices. A recipe is a TOML file;
[how it works](how-it-works.md) lists the pages that say what settings are for. An unknown key or a
value out of range is refused when the recipe is read, with file and line.

Made from the settings' dataclasses by `make docs`.
"""


def page() -> str:
    return page_of(Recipe)


def page_of(recipe: Any) -> str:
    parts, told = [HEAD], set[tuple[str, Choices]]()
    for name, kind in tables(recipe, ()):
        rows = "\n".join(_row(kind, each) for each in own_keys(kind))
        heading = f"## {name}\n\n" if name else "## At the top\n\n"
        said = " ".join(_docstring(kind).split())
        about = f"{said}\n\n" if said else ""
        listed = "".join(
            _listed(key, choices) for key, choices in _choices(kind) if (key, choices) not in told
        )
        told |= {*_choices(kind)}
        parts.append(f"{heading}{about}{_COLUMNS}\n{rows}\n{listed}")
    return "\n".join(parts)


_COLUMNS = "| key | type | default | range or choices | meaning |\n|---|---|---|---|---|"


def tables(kind: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Each table's heading and dataclass: the outer one first, in the order of the fields.

    Where a table is of one of several kinds, the headings of those after the first say of which.
    The tables that a key may hold in place of a choice's name come after the table of the key.
    """
    yield (f"[{'.'.join(path)}]" if path else ""), kind
    hints = get_type_hints(kind, include_extras=True)
    for each in fields(kind):
        for number, inner in enumerate(dataclasses_in(hints[each.name])):
            of_kind = f" ({inner.__name__})" if number else ""
            for name, table in tables(inner, (*path, each.name)):
                several = table is inner and get_origin(_bare(hints[each.name])) is tuple
                yield (f"[{name}]" if several else name + of_kind), table
        for choice, settings in own_settings(hints[each.name]):
            yield f"[{'.'.join((*path, each.name))}] ({choice})", settings


def own_settings(hint: Any) -> Iterator[tuple[str, Any]]:
    """The choices that take a table of settings of their own, each with its dataclass."""
    for said in get_args(hint)[1:] if get_origin(hint) is Annotated else ():
        if isinstance(said, OneOf) and said.own:
            ours = [name for name in said.choices.names() if said.choices.ours(name)]
            settings = ((name, said.choices.load(name).settings) for name in ours)
            yield from ((name, kind) for name, kind in settings if kind)


def own_keys(kind: Any) -> list[Field[Any]]:
    """The keys of a table that are no tables themselves."""
    hints = get_type_hints(kind, include_extras=True)
    return [each for each in fields(kind) if not dataclasses_in(hints[each.name])]


def dataclasses_in(hint: Any) -> list[Any]:
    hint = _bare(hint)
    if isinstance(hint, type) and is_dataclass(hint):
        return [hint]
    if get_origin(hint) in (tuple, Union, UnionType):
        return [found for each in get_args(hint) for found in dataclasses_in(each)]
    return []


def _row(kind: Any, each: Field[Any]) -> str:
    hint = get_type_hints(kind, include_extras=True)[each.name]
    cells = (
        f"`{each.name}`",
        _type(hint),
        _default(each),
        _accepted(hint, needs_of(kind, each.name)),
    )
    return f"| {' | '.join(map(_cell, (*cells, meaning(kind, each.name))))} |"


def _choices(kind: Any) -> list[tuple[str, Choices]]:
    """The keys of a table whose values are files of a folder."""
    hints = get_type_hints(kind, include_extras=True)
    return [
        (each.name, said.choices)
        for each in own_keys(kind)
        if get_origin(hints[each.name]) is Annotated
        for said in get_args(hints[each.name])[1:]
        if isinstance(said, OneOf) and not said.others
    ]


def _listed(key: str, choices: Choices) -> str:
    """What each choice of a key is, by the first line of its file."""
    lines = [f"| {_value(name)} | {_cell(choices.about(name))} |" for name in choices.names()]
    return "\n".join(["", f"| `{key}` | what it is |", "|---|---|", *lines, ""])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _type(hint: Any) -> str:
    hint = _bare(hint)
    origin, inner = get_origin(hint), [each for each in get_args(hint) if each is not NoneType]
    if origin is Literal:
        return KINDS[type(inner[0])]
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(_type, inner)))
    if origin is tuple:
        count = "" if inner[-1] is Ellipsis else f"{len(inner)} "
        return f"list of {count}{_plural(_type(inner[0]))}"
    return KINDS.get(hint, "table")


def _plural(kind: str) -> str:
    return kind if kind == "true or false" else f"{kind}s"


def _accepted(hint: Any, needs: Iterable[Needs] = ()) -> str:
    """The ranges, choices and names by which a value is checked, wherever they stand."""
    if get_origin(hint) is Annotated:
        inner, *said = get_args(hint)
        return "; ".join(filter(None, [*map(_said, said), *map(_needed, needs), _accepted(inner)]))
    if get_origin(hint) is Literal:
        return ", ".join(map(_value, get_args(hint)))
    return "; ".join(dict.fromkeys(filter(None, map(_accepted, get_args(hint)))))


def _said(each: Any) -> str:
    match each:
        case Range(least, most):
            return f"{_number(least)} to {_number(most)}"
        case OneOf(choices, others):
            if others:
                return f"the name of a {choices.what} of another package"
            return ", ".join(f'`"{name}"`' for name in choices.names())
        case Named(_, values):
            return ", ".join(f"{_value(name)} = {_value(of)}" for name, of in values.items())
        case Length(least, most):
            return f"{least} to {most:,} of them"
    return ""


def _needed(need: Needs) -> str:
    above = f"above {need.above}" if need.above else "set"  # a number above 0, or a list
    values = " or ".join(map(_value, need.values)) or above
    return f"only where `{need.other}` is {values}"


def _number(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:g}"


def _default(each: Field[Any]) -> str:
    if each.default is not MISSING:
        return "not set" if each.default is None else _value(each.default)
    return "required" if each.default_factory is MISSING else _value(each.default_factory())


def _value(value: Any) -> str:
    return f"`{_toml(value)}`"


def _toml(value: Any) -> str:
    """A value as a recipe writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, Mapping):
        inner = ", ".join(f"{key} = {_toml(each)}" for key, each in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return f"{value:g}" if isinstance(value, float) and value != int(value) else repr(value)


def _docstring(kind: Any) -> str:
    """A class's own; a dataclass without one is given its signature."""
    text = kind.__doc__ or ""
    return "" if text.startswith(f"{kind.__name__}(") else text


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint
