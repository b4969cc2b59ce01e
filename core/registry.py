"""Finding families by where they lie: a file in a category's folder is a family.

`puzzlemill.generators` is looked through first, then every package that another distribution names
under the entry point `puzzlemill.families`: what is broken there is left out with a warning, and
takes nothing else with it. The folder `variants` holds operators: "gcd+inverse" is the family that
the operator `inverse` makes of `gcd`. The folder `games/environments` holds games that are played
turn by turn.
"""

import pkgutil
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from puzzlemill.core.choices import Choices
from puzzlemill.core.errors import FamilyWarning, UserError, shown, unknown
from puzzlemill.core.family import AnyFamily, Family
from puzzlemill.core.game import AnyGame
from puzzlemill.core.guard import Failure, guarded
from puzzlemill.core.variants import Operator

HOME = "puzzlemill.generators"
VARIANTS = "variants"  # the folder of operators
GAMES = Choices("game", f"{HOME}.games.environments", "GAME")
OPERATORS = Choices("operator", f"{HOME}.{VARIANTS}", "OPERATOR")
ENTRY_POINT = "puzzlemill.families"
SAMPLE = 8  # families of a category that a message names


def names(category: str | None = None) -> list[str]:
    """All families' names in order, or those of one category."""
    if category is not None and category not in categories():
        if category in list(_modules()):  # whatever it is: a list has no hash
            raise UserError(
                f"{category} is a family, no category: `puzzlemill families {category}` tells of it"
            )
        raise unknown("category", category, categories())
    return sorted(name for name, (folder, _) in _modules().items() if category in (None, folder))


def categories() -> list[str]:
    """All categories, in order."""
    return sorted({category for category, _ in _modules().values()})


def about(category: str) -> str:
    """What a category's folder says of itself."""
    names(category)  # says what is wrong with the name
    folders = [*_folders(), *((point.name, point.value) for point in _points())]
    package = next(package for name, package in folders if name == category)
    return (import_module(package).__doc__ or "").partition("\n")[0]


def folder_of(name: str) -> Path:
    """Where the file of a family lies, or of the one that a variant is made of."""
    _, module = _modules()[name.partition("+")[0]]
    return Path(import_module(module).__file__ or "").parent


def family(name: str) -> AnyFamily:
    """One family, imported when first asked for."""
    if not isinstance(name, str):
        raise UserError(f"a family has a name, such as 'sudoku'; {shown(name)} is none")
    return _family(name)


@cache
def _family(name: str) -> AnyFamily:
    if "+" in name:
        return _variant(*name.rsplit("+", 1))
    modules = _modules()
    if name in categories() and name not in modules:
        some = names(name)
        more = ", …" if len(some) > SAMPLE else ""
        raise UserError(f"{name} is a category; its families: {', '.join(some[:SAMPLE])}{more}")
    if name not in modules:
        raise unknown("family", name, modules)
    category, module = modules[name]
    code = import_module(module)
    family = getattr(code, "FAMILY", None)
    if not isinstance(family, Family):
        raise UserError(f"{module} is in a folder of families but sets no FAMILY")
    rule = " ".join((code.__doc__ or "").partition("\n\n")[0].split())
    theme = family.theme or name
    return replace(family, name=name, category=category, theme=theme, rule=rule)


@cache
def games() -> tuple[str, ...]:
    """The names of all games that can be played, in order."""
    return GAMES.names()


@cache
def game(name: str) -> AnyGame:
    """One game, imported when first asked for."""
    loaded: AnyGame = GAMES.load(name)
    return replace(loaded, name=name)


@cache
def operators() -> tuple[str, ...]:
    """All operators' names in order."""
    return OPERATORS.names()


def _files(package: str) -> tuple[str, ...]:
    """The names of a folder's files, in order, but for helpers."""
    modules = pkgutil.iter_modules(import_module(package).__path__)
    names = (each.name for each in modules if not each.ispkg)
    return tuple(sorted(name for name in names if not name.startswith("_")))


def operator(name: str, place: str = "") -> Operator:
    loaded: Operator = OPERATORS.load(name, place)
    return loaded


def about_operator(name: str) -> str:
    """What an operator's file says of itself."""
    return OPERATORS.about(name).partition(": ")[2]


def variants(name: str) -> list[str]:
    """The variants that can be made of a family."""
    parent = family(name)
    return [f"{name}+{each}" for each in operators() if not operator(each).lack(parent)]


def _variant(base: str, name: str) -> AnyFamily:
    parent, how = family(base), operator(name)
    if lack := how.lack(parent):
        raise UserError(f"there is no {base}+{name}: {base} {lack}")
    variant = how.of(parent)
    # Rises whenever one of the versions does.
    version = parent.version + how.version + variant.version - 2
    rule = f"{parent.rule} Variant: {about_operator(name)}"
    named = replace(variant, name=f"{base}+{name}", category=parent.category, theme=parent.theme)
    return replace(named, version=version, rule=rule)


def families_of(patterns: Sequence[str], operators: Sequence[str] = ()) -> list[str]:
    """The families that are named, each once and behind it its variants by these operators."""
    families: dict[str, None] = {}
    for name in (name for pattern in patterns for name in matching(pattern)):
        possible = variants(name) if operators else []
        wanted = [each for each in possible if {each.rpartition("+")[2], "*"} & {*operators}]
        families |= dict.fromkeys([name, *wanted])
    return list(families)


def matching(pattern: str, place: str = "") -> list[str]:
    """The families that a word in a recipe stands for: a family, all of a category, "*" for all, or
    with "like:G1" all that have the like in that suite. With "+twin" or "+*" behind it, the
    variants that can be made of them."""
    base, plus, name = pattern.rpartition("+")
    if plus:
        if name != "*":
            operator(name, place)
        possible = [each for parent in matching(base, place) for each in variants(parent)]
        if matches := [each for each in possible if name in ("*", each.rpartition("+")[2])]:
            return matches
        raise UserError(f"{place + ': ' if place else ''}no family of {base!r} has a {name}")
    if pattern.startswith("like:"):
        suite = pattern.removeprefix("like:")
        suites = {name: {peer.partition("/")[0] for peer in family(name).peers} for name in names()}
        if matches := [name for name in names() if suite in suites[name]]:
            return matches
        raise unknown("suite", suite, set().union(*suites.values()), place)
    if pattern == "*":
        return names()
    if pattern in categories():
        return names(pattern)
    if pattern in _modules():
        return [pattern]
    raise unknown("family or category", pattern, [*_modules(), *categories()], place)


@cache
def _modules() -> Mapping[str, tuple[str, str]]:
    """name → (category, module). Families of this package are not imported for it; those of others
    are, to leave out what is broken."""
    modules: dict[str, tuple[str, str]] = {}
    for category, package in _folders():
        for name in _files(package):
            module = f"{package}.{name}"
            assert name not in modules, (
                f"two families are named {name!r}: {modules[name][1]}, {module}"
            )
            modules[name] = (category, module)
    for point in _points():
        for name in _guests(point):
            module = f"{point.value}.{name}"
            if name in modules:
                why: str | None = f"{modules[name][1]} has the name too, and goes first: rename it"
            else:
                why = _fault(module)
            if why is None:
                modules[name] = (point.name, module)
            else:
                _left_out(point, module, why)
    return modules


def _folders() -> Iterator[tuple[str, str]]:
    for folder in pkgutil.iter_modules(import_module(HOME).__path__):
        if folder.ispkg and folder.name != VARIANTS:
            yield folder.name, f"{HOME}.{folder.name}"


@cache
def _points() -> tuple[EntryPoint, ...]:
    """Of the packages of others; each is named for a category."""
    return tuple(sorted(entry_points(group=ENTRY_POINT), key=lambda point: point.name))


def _guests(point: EntryPoint) -> tuple[str, ...]:
    """The names of the files in another's package."""
    package = guarded(import_module, point.value)
    if not isinstance(package, Failure) and hasattr(package, "__path__"):
        return _files(point.value)
    why = package.reason if isinstance(package, Failure) else "a file, no folder of families"
    _left_out(point, point.value, why)
    return ()


def _fault(module: str) -> str | None:
    """What is wrong with another's file; None if it is a family."""
    code: Any = guarded(import_module, module)
    if isinstance(code, Failure):
        return code.reason
    is_family = isinstance(getattr(code, "FAMILY", None), Family)
    return None if is_family else "sets no FAMILY; a helper's name begins with _"


def _left_out(point: EntryPoint, module: str, why: str) -> None:
    package = point.dist.name if point.dist else point.value
    message = f"{module} of the package {package} is left out: {' '.join(why.split())}"
    warnings.warn(message, FamilyWarning, stacklevel=2)
