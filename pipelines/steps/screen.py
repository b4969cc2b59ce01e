"""Screen: what has no solution, or too long a prompt, is turned away before anybody is asked."""

from puzzlemill.pipelines.row_filters import chosen
from puzzlemill.pipelines.steps._filtering import filtering

SCREEN = filtering(
    "screen",
    lambda recipe: chosen(recipe.filters, "before"),
    wanted=lambda recipe: not recipe.parent,
)
