"""Some of a recipe's items, made without building it."""

from puzzlemill.core.errors import UserError
from puzzlemill.core.guard import Failure
from puzzlemill.core.item import Item
from puzzlemill.core.storage import pool
from puzzlemill.pipelines.plan import item_count, runs
from puzzlemill.pipelines.recipe import Recipe

MADE = "puzzlemill.core.proof.jobs:made"
SECONDS = 60.0  # that one item may take


def sample(recipe: Recipe, count: int) -> list[Item]:
    """Evenly spread over all that the recipe makes, each as the build would make it."""
    whole = item_count(recipe)
    if not whole:
        raise UserError(f"{recipe.name}: this recipe makes no items: it scores those of `parent`")
    count = min(count, whole)
    places = [(2 * number + 1) * whole // (2 * count) for number in range(count)]
    calls, first = [], 0
    for run in runs(recipe):
        for place in places:
            if first <= place < first + run.count:
                index = run.start + place - first
                address = run.family, run.level, run.knobs, run.split, run.seed
                calls.append((*address, [index]))
        first += run.count
    items = []
    for call, made in zip(calls, pool.run(MADE, calls, seconds=SECONDS, chunk=1), strict=True):
        if isinstance(made, Failure):
            reason = " ".join(made.reason.split())
            raise UserError(f"{call[0]} makes no item at level {call[1]:g}: {reason}")
        items += made[0]
    return items
