"""What a user or a file got wrong, told in one line that names the place and the remedy."""

from collections.abc import Iterable
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Any

FEW, MANY = 12, 60  # names that are all listed beside the nearest one, and without one
LONG = 80  # signs of a value that a message shows


class UserError(ValueError):
    """The input is at fault, not the code. The command line prints it and exits with 1."""


class NoPuzzle(UserError):
    """What was asked of a family it does not have: too few puzzles are of a kind."""


class FamilyWarning(UserWarning):
    """A family of another package is left out, and why."""


class NothingKept(UserError):
    """A build is finished, and there is nothing in it to train on."""

    def __init__(self, folder: Path, message: str) -> None:
        super().__init__(f"{folder}: {message}")
        self.folder = folder


def unknown(
    what: str, name: Any, known: Iterable[str], place: str = "", meant: str = ""
) -> UserError:
    """The error for a misspelt name: the nearest valid one, or what is `meant` by it, and all there
    are where they are few."""
    names = sorted(known)
    near = [meant] if meant in names else get_close_matches(str(name), names, n=1, cutoff=0.5)
    remedy = [f"did you mean {near[0]!r}?"] if near else []
    if not near or len(names) <= FEW:
        more = ", …" if len(names) > MANY else ""
        remedy.append(f"there are: {', '.join(names[:MANY])}{more}")
    where = f"{place}: " if place else ""
    return UserError(f"{where}unknown {what} {shown(name)}; {' '.join(remedy)}")


def shown(value: Any) -> str:
    """A value as a message shows it: not a whole page of it."""
    text = repr(value)
    return text if len(text) <= LONG else f"{text[:LONG]}…"


def need(what: str, *packages: str, extra: str, remedy: str = "") -> None:
    """Refuse what needs packages that a light install is without."""
    for package in packages:
        if find_spec(package) is None:
            more = f", or {remedy}" if remedy else ""
            raise UserError(f"{what} needs {package}: pip install 'puzzlemill[{extra}]'{more}")
