"""The one place that catches everything: what fails inside becomes a value that says so."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

T = TypeVar("T")
Args = ParamSpec("Args")

# A reason stands on the row, and rows are published: where a file lies is nobody's business.
_FOLDERS = re.compile(r"(?<![\w./])/(?:[^/\s'\":]+/)+")


@dataclass(frozen=True, slots=True)
class Failure:
    reason: str


def guarded(call: Callable[Args, T], *args: Args.args, **kwargs: Args.kwargs) -> T | Failure:
    """The result, or the failure of code that is not trusted to be right: a verifier, a family."""
    try:
        return call(*args, **kwargs)
    except Exception as error:  # noqa: BLE001  (recorded on the row by every caller)
        return Failure(_FOLDERS.sub("", f"{type(error).__name__}: {error}").rstrip(": ")[:500])
