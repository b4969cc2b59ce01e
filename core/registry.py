"""Finding families by where they lie: a file in a category's folder is a family.

`puzzlemill.generators` is looked through first, then every package that another distribution names
under the entry point `puzzlemill.families`.
"""

import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from puzzlemill.core.errors import UserError, unknown
from puzzlemill.core.family import AnyFamily, Family

HOME = "puzzlemill.generators"
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
    modules = _modules()
    if name not in modules:
        raise unknown("family", name, modules)
    category, module = modules[name]
    found = getattr(import_module(module), "FAMILY", None)
    if not isinstance(found, Family):
        raise UserError(f"{module} is in a folder of families but sets no FAMILY")
    return replace(found, name=name, category=category)


def matching(pattern: str, place: str = "") -> list[str]:
    """The families that a word in a recipe stands for: a family, all of a category, or with
    "like:G1" all that have the like in that suite."""
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
        if folder.ispkg:
            yield folder.name, f"{HOME}.{folder.name}"
    for point in sorted(entry_points(group=ENTRY_POINT), key=lambda point: point.name):
        yield point.name, point.value
