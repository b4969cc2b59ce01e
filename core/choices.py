"""Choices found by where they lie: a file in a folder is a choice, and the file's name is its name.

Another distribution adds one by an entry point: the group is the folder's, the entry point's name
is the choice's, and its value names the module that holds it. Names are listed without importing
any choice, so that a recipe is checked without the packages that a choice needs.
"""

import ast
import pkgutil
import re
import warnings
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

from puzzlemill.core.errors import UserError, unknown

SETTINGS = "settings"  # the file of a room's settings, which is no choice

_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Choices:
    """The files of one folder, each of which sets the same name, and what entry points add."""

    what: str  # in words, such as "advantage"
    home: str  # the package whose files they are
    attribute: str  # that each file sets, such as ADVANTAGE
    group: str = ""  # of entry points; "": other packages cannot add to it
    hyphens: bool = False  # whether names have hyphens where files have underscores

    def names(self) -> tuple[str, ...]:
        """All names in order, as recipes and the command line have them."""
        return tuple(sorted(_modules(self)))

    def ours(self, name: str) -> bool:
        """Whether it is a file of the folder, and not of another package."""
        return _modules(self).get(name, "").startswith(f"{self.home}.")

    def check(self, name: str, place: str = "") -> None:
        if name not in _modules(self):
            raise unknown(self.what, name, _modules(self), place, _described_by(self, name))

    def load(self, name: str, place: str = "") -> Any:
        """What the file of that name sets. It is imported when it is first asked for."""
        self.check(name, place)
        module = _modules(self)[name]
        try:
            found = getattr(import_module(module), self.attribute, None)
        except ImportError as error:
            raise UserError(
                f"the {self.what} {name!r} of {module} cannot be imported: {error}"
            ) from error
        if found is None:
            raise UserError(
                f"{module} stands for the {self.what} {name!r}, but sets no {self.attribute}"
            )
        return found

    def about(self, name: str) -> str:
        """The first line of a file's docstring, read without importing the file."""
        self.check(name)
        return (ast.get_docstring(_source(_modules(self)[name])) or "").partition("\n")[0]

    def readers(self, setting: str) -> tuple[str, ...]:
        """The files of the folder whose READS names a setting, read without importing any."""
        return tuple(
            name
            for name in self.names()
            if self.ours(name) and setting in _reads(_modules(self)[name])
        )


def _source(module: str) -> ast.Module:
    """A module's file, parsed; an empty one where there is none."""
    try:
        spec = find_spec(module)
    except ImportError:  # of the package around it
        spec = None
    source_of = getattr(spec and spec.loader, "get_source", None)  # from a zip file, too
    return ast.parse((source_of and source_of(module)) or "")


def _reads(module: str) -> tuple[str, ...]:
    """The settings that a file says it reads: those that other choices have no use for."""
    for node in _source(module).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "READS":
            return tuple(ast.literal_eval(node.value))
    return ()


def _described_by(choices: Choices, word: str) -> str:
    """The only choice whose first line has the word, or two words that are the word together: other
    tools may call it so."""
    wanted = "".join(_WORD.findall(str(word).lower()))
    named = []
    for name in choices.names():
        words = _WORD.findall(choices.about(name).lower())
        if wanted in (*words, *(first + second for first, second in pairwise(words))):
            named.append(name)
    return named[0] if len(named) == 1 else ""


@cache
def _modules(choices: Choices) -> dict[str, str]:
    """The module of each name."""
    found = {}
    for file in pkgutil.iter_modules(import_module(choices.home).__path__):
        if not file.name.startswith("_") and file.name != SETTINGS:
            name = file.name.replace("_", "-") if choices.hyphens else file.name
            found[name] = f"{choices.home}.{file.name}"
    for point in entry_points(group=choices.group) if choices.group else ():
        if point.name in found:
            warnings.warn(
                f"{point.value} of the entry point {choices.group} is left out: there is a"
                f" {choices.what} {point.name!r} already, {found[point.name]}",
                stacklevel=2,
            )
            continue
        found[point.name] = point.value
    return found
