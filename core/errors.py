"""What a user or a file got wrong, told in one line that names the place and the remedy."""

from collections.abc import Iterable
from difflib import get_close_matches


class UserError(ValueError):
    """The input is at fault, not the code. The command line prints it and exits with 1."""


class NoPuzzle(UserError):
    """What was asked of a family it does not have: too few puzzles are of a kind."""


def unknown(what: str, name: str, known: Iterable[str], place: str = "") -> UserError:
    """The error for a misspelt name: the nearest valid one, else all there are."""
    names = sorted(known)
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    remedy = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(names)}"
    return UserError(f"{place + ': ' if place else ''}unknown {what} {name!r}; {remedy}")
