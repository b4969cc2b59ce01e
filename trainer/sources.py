"""Where a run's items come from: a finished build, or fresh ones without end."""

from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from puzzlemill.core.errors import UserError
from puzzlemill.core.plain_data import canonical_json
from puzzlemill.core.registry import family
from puzzlemill.outputs.advice import expect_kept
from puzzlemill.outputs.finished_build import read_rows
from puzzlemill.outputs.manifest import read_manifest, sound_files
from puzzlemill.pipelines.recipe import Recipe
from puzzlemill.trainer.course import Source, Stored
from puzzlemill.trainer.endless import Endless, unseen_of


def source_of(folder: Path, recipe: Recipe) -> tuple[Source, str]:
    """Where items come from, and the fingerprint of it."""
    settings = recipe.items
    if settings.source == "endless":
        makes = [asdict(make) for make in recipe.make]
        endless = Endless(recipe)
        versions = sorted({(cell[0], family(cell[0]).version) for cell in endless.cells})
        return endless, sha256(canonical_json([makes, versions, recipe.seed]).encode()).hexdigest()
    rows, data = training_rows(folder)
    leave = unseen_of(settings)
    kept = [
        row
        for row in rows
        if row["family"] not in leave and row["level"] not in settings.unseen_levels
    ]
    if not kept:
        raise UserError(f"{folder}: nothing is left to train on: [train] unseen holds all there is")
    return Stored(kept), data


def training_rows(folder: Path) -> tuple[list[dict[str, Any]], str]:
    """The kept training rows in rank order, and the fingerprint of them all."""
    files = sound_files(folder, read_manifest(folder), "kept")
    files = [file for file in files if file.split == "train"]
    if not files:
        expect_kept(folder)
        raise UserError(
            f"{folder}: no kept training items (dataset/data/train-*.parquet); build it to its end,"
            ' with items of the split "train"'
        )
    columns = ["uid", "family", "version", "level", "prompt", "images", "puzzle", "answer", "mean"]
    kept = [*columns, "split", "rank", "dropped"]  # by which they are known as kept
    rows = [row for file in files for row in read_rows(file, kept).select(columns).to_pylist()]
    return rows, sha256("".join(row["uid"] for row in rows).encode()).hexdigest()
