"""The JSON schema of a recipe, by which editors check, complete and explain its keys.

It holds what the annotations of the settings say. What one key asks of another is told when a
recipe is read.
"""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from puzzlemill.core.field_comments import meaning
from puzzlemill.core.settings import Length, Named, OneOf, Range, default_of
from puzzlemill.pipelines.recipe import Recipe

Schema = dict[str, Any]
DRAFT = "http://json-schema.org/draft-07/schema#"  # which taplo reads
_KINDS = {int: "integer", float: "number", str: "string", bool: "boolean"}


def recipe_schema() -> Schema:
    return {"$schema": DRAFT, "title": "A recipe of Puzzlemill", **_table(Recipe)}


def _table(kind: Any) -> Schema:
    hints = get_type_hints(kind, include_extras=True)
    schema: Schema = {
        "type": "object",
        "properties": {each.name: _key(kind, each, hints[each.name]) for each in fields(kind)},
        "additionalProperties": False,
    }
    if required := [each.name for each in fields(kind) if default_of(each) is MISSING]:
        schema["required"] = required
    return schema


def _key(kind: Any, field: Field[Any], hint: Any) -> Schema:
    schema = _value(hint)
    about = meaning(kind, field.name) or _docstring(hint)
    default = default_of(field)
    if default not in (MISSING, None) and not is_dataclass(default):
        schema["default"] = _plain(default)
    return {"description": about, **schema} if about else schema


def _value(hint: Any) -> Schema:
    origin, inner = get_origin(hint), get_args(hint)
    if isinstance(hint, type) and is_dataclass(hint):
        return _table(hint)
    if origin is Annotated:
        schema = _value(inner[0])
        for said in inner[1:]:
            schema = _held(schema, said)
        return schema
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, UnionType):
        several = [_value(each) for each in inner if each is not NoneType]
        return several[0] if len(several) == 1 else {"anyOf": several}
    if origin is tuple:
        schema = {"type": "array", "items": _value(inner[0])}
        if inner[-1] is not Ellipsis:
            schema |= {"minItems": len(inner), "maxItems": len(inner)}
        return schema
    return {"type": _KINDS.get(hint, "object")}


def _held(schema: Schema, said: Any) -> Schema:
    """A value's schema with what its annotation says besides."""
    match said:
        case Range(least, most):
            return {**schema, "minimum": least, "maximum": most}
        case Length(least, most):
            return {**schema, "minItems": least, "maxItems": most}
        case Named(_, values):
            return {"anyOf": [{"enum": list(values)}, schema]}
        case OneOf():
            return _chosen(schema, said)
    return schema


def _chosen(schema: Schema, said: OneOf) -> Schema:
    names = [each for each in said.choices.names() if not (said.others and said.choices.ours(each))]
    name: Schema = {"enum": names}
    if schema.get("type") == "array":
        return {**schema, "items": name}
    if said.own:
        table = {"type": "object", "properties": {"name": name}, "required": ["name"]}
        return {"anyOf": [name, table]}
    return name


def _docstring(hint: Any) -> str:
    """Of a table, what it is."""
    kinds = [hint, *get_args(hint)]
    found = next((each for each in kinds if isinstance(each, type) and is_dataclass(each)), None)
    return " ".join((found.__doc__ or "").split()) if found else ""


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
