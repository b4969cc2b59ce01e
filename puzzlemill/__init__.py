"""Puzzlemill: reasoning problems that are exactly as hard as a model can use.

import puzzlemill as pm

for item in pm.generate("sudoku", level=0.4, seed=7, n=3):
    print(item.prompt, item.answer)
    print(pm.check(item, "… <answer>1 2 3 4</answer>").score)
"""

from typing import TYPE_CHECKING, Any

from puzzlemill.core.checking import Verdict, check
from puzzlemill.core.errors import UserError
from puzzlemill.core.family import AnyFamily as Family
from puzzlemill.core.item import Item, Items, generate
from puzzlemill.core.registry import categories, family
from puzzlemill.core.registry import names as families

if TYPE_CHECKING:
    from pathlib import Path

__version__ = "0.1.0"
__all__ = [
    "Family",
    "Item",
    "Items",
    "UserError",
    "Verdict",
    "build",
    "categories",
    "check",
    "families",
    "family",
    "generate",
]


def build(recipe: "str | Path", **options: Any) -> "Path":
    """Run a recipe through the whole mill; the folder of the finished build."""
    from puzzlemill.pipelines.build import build as run

    return run(recipe, **options)
