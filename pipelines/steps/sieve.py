"""Sieve: what the policy solves always, or never, is turned away."""

from puzzlemill.pipelines.row_filters import chosen
from puzzlemill.pipelines.steps._filtering import filtering

SIEVE = filtering(
    "sieve", lambda recipe: chosen(recipe.filters, "after"), wanted=lambda recipe: True
)
