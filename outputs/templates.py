"""Filling the pages that are templates beside this file."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from puzzlemill.outputs.charts import percent
from puzzlemill.outputs.samples import words

HERE = Path(__file__).parent
PRIVATE = (
    "url",
    "server",
    "key_variable",
)  # an address may hold a password, and datasets are published


def fill(template: str, /, **values: Any) -> str:
    """A page from its template. HTML is escaped, wherever a template does not say `safe`."""
    return _pages(html=not template.startswith("card")).get_template(template).render(**values)


@cache
def _pages(html: bool) -> Environment:
    found = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters |= {"cell": _cell}
    found.filters |= {"words": words, "percent": percent, "number": lambda value: f"{value:,}"}
    return found


def _cell(text: str) -> str:
    """A text of somebody else's in a Markdown table: no mark-up, no bars, no line breaks."""
    return re.sub(r"([\\`*_{}\[\]<>()#|!])", r"\\\1", " ".join(text.split()))


def date_of(started: str) -> str:
    moment = datetime.fromisoformat(started)
    return f"{moment.day} {moment:%B %Y}"


def toml(recipe: Mapping[str, Any], inside: str = "") -> str:
    """A recipe in the words of a recipe file, without what tells of the machines it ran on."""
    plain, tables = [], []
    for key, value in recipe.items():
        name = f"{inside}{key}"
        if isinstance(value, Mapping) and not inside:
            tables.append(f"[{name}]\n{toml(value, name + '.')}")
        elif isinstance(value, list | tuple) and _all_tables(value):
            tables += [f"[[{name}]]\n{toml(each, name + '.')}" for each in value]
        elif value not in (None, "", {}) and key not in PRIVATE:
            plain.append(f"{key} = {_toml_value(value)}\n")
    return "".join(plain) + "".join(f"\n{table}" for table in tables)


def _all_tables(values: Sequence[Any]) -> bool:
    return bool(values) and all(isinstance(each, Mapping) for each in values)


def _toml_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return (
            "{ " + ", ".join(f"{key} = {_toml_value(each)}" for key, each in value.items()) + " }"
        )
    return json.dumps(value)
