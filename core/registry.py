"""Finding families by where they lie: a file in a category's folder is a family.

`puzzlemill.generators` is looked through first, then every package that another distribution names
under the entry point `puzzlemill.families`. The folder `variants` holds operators: "gcd+inverse" is
the family that the operator `inverse` makes of `gcd`. The folder `games/environments` holds games
that are played turn by turn.
"""

import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from puzzlemill.core.errors import UserError, unknown
from puzzlemill.core.family import AnyFamily, Family
from puzzlemill.core.game import AnyGame, Game
from puzzlemill.core.variants import Operator

HOME = "puzzlemill.generators"
VARIANTS = "variants"  # the folder of operators
ENVIRONMENTS = f"{HOME}.games.environments"
ENTRY_POINT = "puzzlemill.families"


def names(category: str | None = None) -> list[str]:
    """All families' names in order, or those of one category."""
    return sorted(name for name, (found, _) in _modules().items() if category in (None, found))


def categories() -> list[str]:
    return sorted({category for category, _ in _modules().values()})


def about(category: str) -> str:
    """What a category's folder says of itself."""
    package = import_module(dict(_folders())[category])
    return (package.__doc__ or "").partition("\n")[0]


@cache
def family(name: str) -> AnyFamily:
    """One family, imported when first asked for."""
    if "+" in name:
        return _variant(*name.rsplit("+", 1))
    modules = _modules()
    if name not in modules:
        raise unknown("family", name, modules)
    category, module = modules[name]
    found = getattr(import_module(module), "FAMILY", None)
    if not isinstance(found, Family):
        raise UserError(f"{module} is in a folder of families but sets no FAMILY")
    return replace(found, name=name, category=category)


@cache
def games() -> tuple[str, ...]:
    """The names of all games that can be played, in order."""
    return _files(ENVIRONMENTS)


@cache
def game(name: str) -> AnyGame:
    """One game, imported when first asked for."""
    if name not in games():
        raise unknown("game", name, games())
    found = import_module(f"{ENVIRONMENTS}.{name}").GAME
    assert isinstance(found, Game), f"{name} sets no GAME"
    return replace(found, name=name)


@cache
def operators() -> tuple[str, ...]:
    """All operators' names in order."""
    return _files(f"{HOME}.{VARIANTS}")


def _files(package: str) -> tuple[str, ...]:
    """The names of a folder's files, in order, but for helpers."""
    found = (each.name for each in pkgutil.iter_modules(import_module(package).__path__))
    return tuple(sorted(name for name in found if not name.startswith("_")))


def operator(name: str, place: str = "") -> Operator:
    if name not in operators():
        raise unknown("operator", name, operators(), place)
    found = import_module(f"{HOME}.{VARIANTS}.{name}").OPERATOR
    assert isinstance(found, Operator), f"{name} sets no OPERATOR"
    return found


def about_operator(name: str) -> str:
    """What an operator's file says of itself."""
    module = import_module(f"{HOME}.{VARIANTS}.{name}")
    return (module.__doc__ or "").partition("\n")[0].partition(": ")[2]


def variants(name: str) -> list[str]:
    """The variants that can be made of a family."""
    found = family(name)
    return [f"{name}+{each}" for each in operators() if not operator(each).lack(found)]


def _variant(base: str, name: str) -> AnyFamily:
    parent, how = family(base), operator(name)
    if lack := how.lack(parent):
        raise UserError(f"there is no {base}+{name}: {base} {lack}")
    made = how.of(parent)
    # Rises whenever one of the versions does.
    version = parent.version + how.version + made.version - 2
    return replace(made, name=f"{base}+{name}", category=parent.category, version=version)


def matching(pattern: str, place: str = "") -> list[str]:
    """The families that a word in a recipe stands for: a family, all of a category, or with
    "like:G1" all that have the like in that suite. With "+twin" or "+*" behind it, the variants
    that can be made of them."""
    base, plus, name = pattern.rpartition("+")
    if plus:
        if name != "*":
            operator(name, place)
        made = [each for parent in matching(base, place) for each in variants(parent)]
        if found := [each for each in made if name in ("*", each.rpartition("+")[2])]:
            return found
        raise UserError(f"{place + ': ' if place else ''}no family of {base!r} has a {name}")
    if pattern.startswith("like:"):
        suite = pattern.removeprefix("like:")
        suites = {name: {peer.partition("/")[0] for peer in family(name).peers} for name in names()}
        if found := [name for name in names() if suite in suites[name]]:
            return found
        raise unknown("suite", suite, set().union(*suites.values()), place)
    if pattern in categories():
        return names(pattern)
    if pattern in _modules():
        return [pattern]
    raise unknown("family or category", pattern, [*_modules(), *categories()], place)


@cache
def _modules() -> dict[str, tuple[str, str]]:
    """name → (category, module), without importing any family."""
    found: dict[str, tuple[str, str]] = {}
    for category, package in _folders():
        for module in pkgutil.iter_modules(import_module(package).__path__):
            if module.ispkg or module.name.startswith("_"):
                continue
            here = f"{package}.{module.name}"
            if module.name in found:
                raise UserError(
                    f"two families are named {module.name!r}: {found[module.name][1]} and {here};"
                    " rename one"
                )
            found[module.name] = (category, here)
    return found


def _folders() -> Iterator[tuple[str, str]]:
    for folder in pkgutil.iter_modules(import_module(HOME).__path__):
        if folder.ispkg and folder.name != VARIANTS:
            yield folder.name, f"{HOME}.{folder.name}"
    for point in sorted(entry_points(group=ENTRY_POINT), key=lambda point: point.name):
        yield point.name, point.value
