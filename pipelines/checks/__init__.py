"""Checks of a recipe: what settings say of each other, and of the families and games there are.

A file here is a check by its name, and is held when a recipe is read. What one field says of itself
stands in its annotation, and is held when its table is read.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from puzzlemill.core.choices import Choices
from puzzlemill.core.tables import LineNumbers

if TYPE_CHECKING:
    from puzzlemill.pipelines.recipe import Recipe

Where: TypeAlias = Callable[[str], str]  # in the file a word stands

CHECKS = Choices("check", __name__, "check")


def check_tables(recipe: "Recipe", places: LineNumbers) -> None:
    for name in CHECKS.names():
        CHECKS.load(name)(recipe, places)
