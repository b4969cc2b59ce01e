"""docs/cli.md: every command with its arguments and options, read from its function."""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

from puzzlemill.__main__ import app

HEAD = """# Commands

Every command of `puzzlemill`, with its arguments and options; `puzzlemill COMMAND --help` says the
same. Made from the command line by `make docs`.
"""
KINDS = {str: "text", int: "whole number", float: "number", Path: "path", bool: "flag"}


@dataclass(frozen=True, slots=True)
class Parameter:
    shown: str  # as it is written on the command line
    kind: str
    default: str
    help: str
    required: bool


def page() -> str:
    parts = [HEAD]
    for command in app.registered_commands:
        call: Any = command.callback
        name = command.name or call.__name__.replace("_", "-")
        given = list(parameters(call))
        usage = " ".join(["puzzlemill", name, *(each.shown for each in given if each.required)])
        said = _paragraphs(inspect.getdoc(call) or "")
        parts.append(f"## {name}\n\n{said}\n\n```console\n$ {usage}\n```\n")
        if given:
            rows = "\n".join(map(_row, given))
            parts.append(f"| argument or option | type | default | |\n|---|---|---|---|\n{rows}\n")
    return "\n".join(parts)


def _paragraphs(text: str) -> str:
    return "\n\n".join(" ".join(each.split()) for each in text.split("\n\n"))


def parameters(call: Any) -> Iterator[Parameter]:
    hints = get_type_hints(call, include_extras=True)
    for name, each in inspect.signature(call).parameters.items():
        kind, said = get_args(hints[name])
        required = each.default is inspect.Parameter.empty
        default = "required" if required else _default(each.default)
        yield Parameter(_shown(name, kind, said), _kind(kind), default, said.help or "", required)


def _shown(name: str, kind: Any, said: ArgumentInfo | OptionInfo) -> str:
    if isinstance(said, ArgumentInfo):
        return said.metavar or name.upper()
    # In an annotation the first name stands where a default would stand elsewhere.
    first = (said.default,) if isinstance(said.default, str) else ()
    flags = ", ".join((*first, *(said.param_decls or ())) or (f"--{name.replace('_', '-')}",))
    return flags if _kind(kind) == "flag" else f"{flags} {(said.metavar or name).upper()}"


def _kind(kind: Any) -> str:
    inner = [each for each in get_args(kind) if each is not NoneType]
    if get_origin(kind) is list:
        return f"{_kind(inner[0])}, as many as wanted"
    return _kind(inner[0]) if inner else KINDS[kind]


def _default(value: Any) -> str:
    return "" if value is None or value is False else f"`{value}`"


def _row(each: Parameter) -> str:
    cells = (f"`{each.shown}`", each.kind, each.default, each.help)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
