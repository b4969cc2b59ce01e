"""The rows of a build as a test: the same items for every policy."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.errors import UserError
from puzzlemill.core.rows import Fate
from puzzlemill.difficulty.ability import STEPS
from puzzlemill.outputs.finished_build import read_rows
from puzzlemill.outputs.manifest import read_manifest, sound_files

Row = dict[str, Any]
FATES: tuple[Fate, ...] = ("kept", "frontier", "unscored")  # of the rows that are asked


def digest_of(folder: Path) -> str:
    """What tells two builds apart: the checksums of their rows."""
    return " ".join(file.sha256[:12] for file in sound_files(folder, read_manifest(folder), *FATES))


def rows_of(folder: Path, families: Sequence[str] = ()) -> list[Row]:
    """The rows that are asked, in the order of their files; of all families if none is named."""
    files = sound_files(folder, read_manifest(folder), *FATES)
    wanted = registry.families_of(families) if families else []
    rows = [row for file in files for row in read_rows(file).to_pylist()]
    rows = [row for row in rows if not wanted or row["family"].partition("+")[0] in wanted]
    if not rows:
        raise UserError(
            f"{folder} has no row of these families" if wanted else f"{folder} is empty"
        )
    for row in rows:
        if row["version"] != (now := registry.family(row["family"]).version):
            raise UserError(
                f"{folder}: {row['family']} is of version {row['version']}, and this Puzzlemill has"
                f" version {now}; build it again, or install the one that built it"
            )
    return rows


def level_of(row: Row) -> int:
    """The place of the row's level among LEVELS."""
    return round(float(row["level"]) * STEPS)
