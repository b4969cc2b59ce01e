"""The end of a build: order the kept rows, write the dataset and its manifest."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa

import puzzlemill
from puzzlemill.core.address import SPLITS, digest
from puzzlemill.core.errors import UserError
from puzzlemill.core.files import checksum, read_json, whole_folder, write_json
from puzzlemill.core.parquet import write_table
from puzzlemill.core.plain_data import canonical_json
from puzzlemill.core.registry import family
from puzzlemill.core.rows import FATES, SCHEMA_VERSION, fate, with_columns
from puzzlemill.difficulty.schedules import ranked, stage_of
from puzzlemill.filters.contaminated import file_and_way
from puzzlemill.outputs.finished import FOLDERS, kind_of
from puzzlemill.pipelines.auditing import truth_of
from puzzlemill.pipelines.steps import Build, Done, table

FILE_ROWS = 20_000  # of one dataset file

# What solves, draws and writes.
LIBRARIES = ("networkx", "numpy", "pillow", "pyarrow", "python-sat", "sympy")


def finish(build: Build, done: Sequence[Done], started: str) -> dict[str, Any]:
    """Write dataset/ and manifest.json from the last step's shards; the manifest."""
    rows = ordered(build, started)
    files = write_dataset(build.folder / "dataset", rows)
    manifest = manifest_of(build, rows, files, started)
    write_json(build.folder / "manifest.json", manifest)
    write_json(build.folder / "timings.json", timings_of(done))
    return manifest


def ordered(build: Build, started: str) -> pa.Table:
    """All rows, each split's kept ones ranked by the recipe's schedule, in that order."""
    rows = pa.concat_tables([table(build, build.steps[-1], shard) for shard in range(build.shards)])
    columns = ["uid", "level", "mean", "informs", "dropped", "trials", "split", "scored_at"]
    keys = rows.select(columns).to_pylist()
    order = build.recipe.order
    ranks: list[int | None] = [None] * len(keys)
    stages: list[str | None] = [None] * len(keys)
    arrangement: list[int] = []
    for split in SPLITS:
        kept = [n for n, row in enumerate(keys) if row["split"] == split and fate(row) == "kept"]
        for rank, place in enumerate(ranked([keys[n] for n in kept], order.schedule)):
            ranks[kept[place]] = rank
            stages[kept[place]] = stage_of(rank, len(kept), order.stages)
            arrangement.append(kept[place])
    arrangement += [n for n, row in enumerate(keys) if fate(row) != "kept"]
    scored_at = [row["scored_at"] or (started if row["trials"] else None) for row in keys]
    return with_columns(rows, {"rank": ranks, "stage": stages, "scored_at": scored_at}).take(
        arrangement
    )


def write_dataset(folder: Path, rows: pa.Table) -> dict[str, dict[str, Any]]:
    """The dataset's files, all new or all old: written beside and swapped in."""
    files = {}
    with whole_folder(folder) as beside:
        for name, part in _parts(rows):
            write_table(beside / name, part)
            files[name] = {"rows": part.num_rows, "sha256": checksum(beside / name)}
    return files


def _parts(rows: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """(file name, rows): by fate, split and size, empty ones left out."""
    keys = rows.select(["dropped", "trials", "split"]).to_pylist()
    for name in FATES:
        for split in SPLITS:
            chosen = [
                n for n, row in enumerate(keys) if row["split"] == split and fate(row) == name
            ]
            total = (len(chosen) + FILE_ROWS - 1) // FILE_ROWS
            for number in range(total):
                part = rows.take(chosen[number * FILE_ROWS : (number + 1) * FILE_ROWS])
                file = f"{split}-{number:05d}-of-{total:05d}.parquet"
                yield f"{FOLDERS[name]}/{file}", part.combine_chunks()


def manifest_of(
    build: Build, rows: pa.Table, files: dict[str, dict[str, Any]], started: str
) -> dict[str, Any]:
    """What was made, how, and what became of it. The same build gives the same manifest."""
    keys = rows.select(["family", "level", "dropped", "trials", "successes", "policy"]).to_pylist()
    probed = rows.select(["uid", "family", "level", "certificate", "prompt", "puzzle", "answer"])
    return {
        "name": build.recipe.name,
        "puzzlemill": puzzlemill.__version__,
        "schema": SCHEMA_VERSION,
        "started": started,
        "recipe": asdict(build.recipe),
        "policy": next((row["policy"] for row in keys if row["policy"]), None),
        "steps": {
            step: {
                "version": build.stages[step].version,
                "settings": build.stages[step].settings,
                "shards": [build.path(step, shard).name for shard in range(build.shards)],
            }
            for step in build.steps
        },
        "counts": {"made": len(keys), **Counter(fate(row) for row in keys)},
        "rejected": dict(
            Counter(kind_of(row["dropped"]) for row in keys if fate(row) == "rejected")
        ),
        "families": _by_family(keys),
        "versions": {name: family(name).version for name in sorted({r["family"] for r in keys})},
        "libraries": {name: version(name) for name in LIBRARIES},
        "truth": _truth(build, probed.to_pylist()),
        "replies": sum(row["trials"] or 0 for row in keys),
        "files": files,
        "notes": notes_of(keys),
    }


def _truth(build: Build, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The verifiers' error rates on these items, probed once."""
    versions = {name: family(name).version for name in sorted({row["family"] for row in rows})}
    key = digest(canonical_json([puzzlemill.__version__, versions, [row["uid"] for row in rows]]))
    path = build.folder / "stages" / "truth" / f"{key}.json"
    with suppress(UserError):  # absent, or damaged
        found: dict[str, Any] = read_json(path)
        return found
    write_json(path, truth_of(rows))
    return _truth(build, rows)


def _by_family(keys: Sequence[dict[str, Any]]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for row in keys:
        counts.setdefault(row["family"], Counter())[fate(row)] += 1
    return {family: dict(counted) for family, counted in sorted(counts.items())}


def notes_of(keys: Sequence[dict[str, Any]]) -> list[str]:
    """What the user should be told: settings that have fewer distinct puzzles than were asked."""
    asked: Counter[tuple[str, float]] = Counter()
    short: Counter[tuple[str, float]] = Counter()
    for row in keys:
        here = (row["family"], row["level"])
        asked[here] += 1
        short[here] += row["dropped"] is not None and kind_of(row["dropped"]) in _SHORT
    return [*contamination_of(keys)] + [
        f"{family} at level {level:g}: asked for {asked[family, level]} items, but only"
        f" {asked[family, level] - missing} are distinct; ask for fewer or raise the level"
        for (family, level), missing in sorted(short.items())
        if missing > 0.2 * asked[family, level]
    ]


def contamination_of(keys: Sequence[dict[str, Any]]) -> list[str]:
    """What was turned away for being in an evaluation set, a line for each of its files."""
    found: dict[str, Counter[str]] = {}
    for row in keys:
        if row["dropped"] and kind_of(row["dropped"]) == "contaminated":
            file, how = file_and_way(row["dropped"])
            found.setdefault(file, Counter())[how] += 1
    return [
        f"{file}: {counts.total()} items were turned away, as being in this evaluation set or too"
        f" like it: {', '.join(f'{count} by {how}' for how, count in sorted(counts.items()))}"
        for file, counts in sorted(found.items())
    ]


_SHORT = ("duplicate", "no puzzle")


def timings_of(done: Sequence[Done]) -> dict[str, Any]:
    """Seconds and rows by step, of what this run made; the rest was there already."""
    steps: dict[str, dict[str, float]] = {}
    for each in done:
        step = steps.setdefault(each.step, {"seconds": 0.0, "rows": 0, "made": 0, "found": 0})
        step["seconds"] = round(step["seconds"] + each.seconds, 3)
        step["rows"] += each.rows
        step["made" if each.made else "found"] += 1
    return steps
