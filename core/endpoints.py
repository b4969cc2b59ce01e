"""What may be said of an endpoint: its address and the name of a variable, never the key itself.

Recipes are kept with their builds: a key is refused before anything is written, and not repeated.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from puzzlemill.core.errors import UserError
from puzzlemill.core.tables import LineNumbers

RUN = 16  # letters and digits together: names are not made so, keys are


def checked_url(url: str) -> str:
    """The url, if it is an address and nothing more."""
    try:
        parts = urlsplit(url)
        whole = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # the port is no number
        whole = False
    if not whole or not url.isprintable() or " " in url:
        raise UserError("an endpoint's url looks like http://host:8000/v1; correct url")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise UserError(
            f"the url of the endpoint at {parts.hostname} holds more than an address: end it in"
            " /v1, and put the key into the environment variable that key_variable names"
        )
    return url


def checked_variable(name: str) -> str:
    """The name of an environment variable, if it is one; a key may be there by mistake."""
    runs = re.findall(f"[A-Za-z0-9]{{{RUN},}}", name)
    if name and (
        not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name)
        or any(re.search("[0-9]", run) for run in runs)
    ):
        raise UserError(
            "key_variable names an environment variable, such as MY_KEY, and what stands there is"
            " no such name: put the key into that variable, and its name here"
        )
    return name


def check_endpoints(recipe: Any, places: LineNumbers) -> None:
    """Whether a recipe holds a key, before anything else of it is read, told or written."""
    if not isinstance(recipe, Mapping):
        return  # which is told where it is read
    for section, name in (("policy", "url"), ("train", "server"), ("policy", "key_variable")):
        table = recipe.get(section)
        value = table.get(name) if isinstance(table, Mapping) else None
        each = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        check = checked_variable if name == "key_variable" else checked_url
        for text in filter(None, each):
            try:
                check(text if isinstance(text, str) else " ")
            except UserError as error:
                raise UserError(f"{places.of(name)}: {error}") from None
    store = recipe.get("store")
    if isinstance(store, str) and re.match("[^/@]+://[^/@]*:[^/@]*@", store):
        raise UserError(
            f"{places.of('store')}: store holds a password: leave it to the environment, where its"
            " library looks for it"
        )
