"""The items of a training task: those that a run learns from, and those that it is measured on."""

from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from puzzlemill.core.errors import UserError
from puzzlemill.core.plain_data import canonical_json
from puzzlemill.core.registry import family
from puzzlemill.difficulty.curricula import Pool, chosen
from puzzlemill.difficulty.policies.tokens import Tokens
from puzzlemill.difficulty.prompt_styles import in_style
from puzzlemill.trainer.build_items import BuildItems, training_rows, with_error_rates
from puzzlemill.trainer.endless_items import EndlessItems, unseen_of
from puzzlemill.trainer.evaluation import Cell
from puzzlemill.trainer.schedule import ItemSource
from puzzlemill.trainer.settings.rewards import Process

if TYPE_CHECKING:  # it loads all of a build
    from puzzlemill.pipelines.recipe import Recipe


def check_progress(settings: Process, families: Sequence[str]) -> None:
    if settings.values == "progress" and all(family(name).progress is None for name in families):
        raise UserError(
            '[train.process] values = "progress": none of the families tells progress: make items'
            ' of one that does, or set values = "continuation"'
        )


def item_source(folder: Path, recipe: "Recipe", tokens: Tokens | None) -> tuple[ItemSource, str]:
    """Where items come from, and its fingerprint."""
    settings = recipe.items
    if settings.source == "endless":
        makes = [asdict(make) for make in recipe.make]
        endless = EndlessItems(recipe)
        versions = sorted({(cell[0], family(cell[0]).version) for cell in endless.cells})
        return endless, sha256(canonical_json([makes, versions, recipe.seed]).encode()).hexdigest()
    rows, fingerprint = training_rows(folder)
    leave = unseen_of(settings)
    rows = [
        row
        for row in rows
        if row["family"] not in leave and row["level"] not in settings.unseen_levels
    ]
    if not rows:
        raise UserError(f"{folder}: nothing is left to train on: [train] unseen holds all there is")
    if settings.reward.error_rates == "families":
        rows = with_error_rates(rows, folder)
    policy = recipe.policy
    rows = [in_style(row, policy.style, policy.system) for row in rows]
    lengths = []
    if tokens and chosen(settings.curriculum).by_length:
        lengths = [len(tokens.ids(row["prompt"])) for row in rows]
    return BuildItems(rows, lengths), fingerprint


def measured_cells(recipe: "Recipe", pool: Pool) -> tuple[list[Cell], list[Cell]]:
    """Every level that the recipe asks for, of the families that teach something; and the cells
    that the recipe keeps unseen."""
    settings, leave = recipe.items, unseen_of(recipe.items)
    teaching = {family_ for family_, _ in pool.cells}
    levels = {level for make in recipe.make for level in make.levels}
    levels = (levels or {level for _, level in pool.cells}) | {*settings.unseen_levels}
    cells = [(name, level) for name in sorted(teaching | leave) for level in sorted(levels)]
    hidden = {cell for cell in cells if cell[0] in leave or cell[1] in settings.unseen_levels}
    return [cell for cell in cells if cell not in hidden], sorted(hidden)
