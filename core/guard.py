"""The one place that catches everything: what fails inside becomes a value that says so."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

T = TypeVar("T")
Args = ParamSpec("Args")


@dataclass(frozen=True, slots=True)
class Failure:
    reason: str


def guarded(call: Callable[Args, T], *args: Args.args, **kwargs: Args.kwargs) -> T | Failure:
    """The result, or the failure of code that is not trusted to be right: a verifier, a family."""
    try:
        return call(*args, **kwargs)
    except Exception as error:  # noqa: BLE001  (recorded on the row by every caller)
        return Failure(f"{type(error).__name__}: {error}".rstrip(": ")[:500])
