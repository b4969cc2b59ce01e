"""Templates beside this file, and how pages are filled from them."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from puzzlemill.outputs.charts import percent
from puzzlemill.outputs.texts import words

FOLDER = Path(__file__).parent  # of the templates and the styles
PRIVATE = ("url", "server", "key_variable")  # an address may hold a password
SHOWN = 24  # rows of a long list; the others are there when asked for


def fill(template: str, /, **values: Any) -> str:
    """A page from its template. HTML is escaped, wherever a template does not say `safe`."""
    return _environment(html=not template.startswith("card")).get_template(template).render(values)


def fill_text(template: str, /, **values: Any) -> str:
    """A piece of a page from the text of its template, which may use the macros of pieces.jinja."""
    return _compiled(template).render(values)


@cache
def _compiled(template: str) -> Template:
    macros = '{% from "pieces.jinja" import fold, unfold, heads, group_head %}'
    return _environment(html=True).from_string(f"{macros}\n{template}")


@cache
def _environment(html: bool) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"cell": _cell, "words": words, "percent": percent}
    environment.filters["number"] = lambda value: f"{value:,}"
    environment.globals["shown"] = SHOWN
    return environment


def _cell(text: str) -> str:
    """Foreign text for a cell of a Markdown table: no mark-up, no bars, no line breaks."""
    return re.sub(r"([\\`*_{}\[\]<>()#|!])", r"\\\1", " ".join(text.split()))


def date_of(started: str) -> str:
    moment = datetime.fromisoformat(started)
    return f"{moment.day} {moment:%B %Y}"


def toml(recipe: Mapping[str, Any], inside: str = "") -> str:
    """A recipe as TOML, without addresses, servers and names of keys."""
    plain, tables = [], []
    for key, value in recipe.items():
        name = f"{inside}{_toml_key(key)}"
        if isinstance(value, Mapping) and not inside:
            tables.append(f"[{name}]\n{toml(value, name + '.')}")
        elif isinstance(value, list | tuple) and _all_tables(value):
            tables += [f"[[{name}]]\n{toml(each, name + '.')}" for each in value]
        elif value not in (None, "", {}) and key not in PRIVATE:
            plain.append(f"{_toml_key(key)} = {_toml_value(value)}\n")
    return "".join(plain) + "".join(f"\n{table}" for table in tables)


def _all_tables(values: Sequence[Any]) -> bool:
    return bool(values) and all(isinstance(each, Mapping) for each in values)


def _toml_value(value: Any) -> str:
    if isinstance(value, Mapping):
        pairs = (f"{_toml_key(key)} = {_toml_value(each)}" for key, each in value.items())
        return "{ " + ", ".join(pairs) + " }"
    # TOML has the escapes of JSON but no surrogates, and wants one character more escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _toml_value(key)
