"""The final files of a build: the dataset's folder and its manifest, from files and keys alone."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import puzzlemill
from puzzlemill.core import registry
from puzzlemill.core.address import digest
from puzzlemill.core.errors import UserError
from puzzlemill.core.plain_data import canonical_json
from puzzlemill.core.rows import SCHEMA_VERSION, fate
from puzzlemill.core.storage.files import also_at, read_json, whole_folder, write_json
from puzzlemill.filters.contaminated import file_and_way
from puzzlemill.outputs.finished_build import kind_of
from puzzlemill.pipelines.arrangement import Arrangement
from puzzlemill.pipelines.folder import Build
from puzzlemill.pipelines.parallel_audit import rows_to_probe
from puzzlemill.pipelines.recipe import Recipe
from puzzlemill.pipelines.remembered_probes import remembered_truth
from puzzlemill.pipelines.shards import Done, table
from puzzlemill.pipelines.steps import asks

UNPROBED = "verifiers were not probed (verifier_probes = 0): how often they err here is not known"
# What solves, draws and writes.
LIBRARIES = ("networkx", "numpy", "pillow", "pyarrow", "python-sat", "sympy")


def library_versions() -> dict[str, str]:
    return {name: version(name) for name in LIBRARIES}


BESIDE = ("recipe.json", "timings.json", "report.html")  # that go into the store too


def finish(build: Build, arrangement: Arrangement, done: Sequence[Done]) -> Done:
    """Write dataset/ and manifest.json from the files that were written; what probing took."""
    manifest, probing = manifest_of(build, arrangement, dataset(arrangement))
    write_json(build.folder / "manifest.json", manifest)
    write_json(build.folder / "timings.json", timings_of([*done, probing]))
    for path in arrangement.sorted_path(0).parent.glob("*.arrow"):  # of an earlier try, too
        path.unlink()
    return probing


def dataset(arrangement: Arrangement) -> dict[str, dict[str, Any]]:
    """The dataset's files, all new or all old: put beside and swapped in."""
    files = {}
    with whole_folder(arrangement.build.folder / "dataset") as beside:
        for number, (name, _, _) in enumerate(arrangement.files):
            path = arrangement.file_path(number)
            also_at(path, beside / name)
            rows = pq.read_metadata(path).num_rows
            files[name] = {"rows": rows, "sha256": path.with_suffix(".sha256").read_text().strip()}
    return files


def upload(build: Build) -> None:
    """Put a finished build into its store: the manifest last, so that where it is, all is."""
    if build.store:
        folder = build.folder
        files = [path for path in (folder / "dataset").rglob("*") if path.is_file()]
        beside = (folder / name for name in BESIDE)
        build.store.put(*sorted(files), *(path for path in beside if path.is_file()))
        build.store.put(folder / "manifest.json")


@dataclass(frozen=True, slots=True)
class Tallies:
    """What the rows of a build add up to."""

    fates: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)  # by the kind of reason
    unscored: Counter[str] = field(default_factory=Counter)  # by the same
    families: Counter[tuple[str, str]] = field(default_factory=Counter)  # and fate
    replies: Counter[str] = field(default_factory=Counter)
    requested: Counter[tuple[str, float]] = field(default_factory=Counter)  # by family and level
    short: Counter[tuple[str, float]] = field(default_factory=Counter)
    contaminated: Counter[tuple[str, str]] = field(default_factory=Counter)  # by file and way

    def add(self, row: Mapping[str, Any]) -> None:
        became, setting = fate(row), (row["family"], row["level"])
        kind = kind_of(row["dropped"]) if row["dropped"] is not None else ""
        self.fates[became] += 1
        self.families[row["family"], became] += 1
        self.replies["all"] += row["trials"] or 0
        self.requested[setting] += 1
        if became == "rejected":
            self.rejected[kind] += 1
        if became == "unscored" and kind:
            self.unscored[kind] += 1
        if kind in _SHORT:
            self.short[setting] += 1
        if kind == "contaminated":
            self.contaminated[file_and_way(row["dropped"])] += 1


def counted(tallies: Tallies) -> dict[str, Any]:
    """What the manifest says of the rows together."""
    families: dict[str, dict[str, int]] = {}
    for (name, became), count in sorted(tallies.families.items()):
        families.setdefault(name, {})[became] = count
    return {
        "counts": {"made": tallies.fates.total(), **tallies.fates},
        "rejected": dict(tallies.rejected),
        "unscored": dict(tallies.unscored),
        "families": families,
        "replies": tallies.replies["all"],
    }


def manifest_of(
    build: Build, arrangement: Arrangement, files: dict[str, dict[str, Any]]
) -> tuple[dict[str, Any], Done]:
    """What was made, how, and what became of it. The same build gives the same manifest."""
    tallies, keys = Tallies(), []
    policies: list[tuple[int, str]] = []  # the first of the dataset's, if there is any
    for shard in range(build.shards):
        rows = table(build, build.steps[-1], shard, _COLUMNS)
        for row, place in zip(rows.to_pylist(), arrangement.of(shard).tolist(), strict=True):
            tallies.add(row)
            if row["policy"]:
                policies = [min([*policies, (place, row["policy"])])]
        keys.append(_probeable(rows, shard))
    names = sorted({name for name, _ in tallies.families})
    truth, probing = _truth(build, pa.concat_tables(keys))
    manifest = {
        "name": build.recipe.name,
        "puzzlemill": puzzlemill.__version__,
        "schema": SCHEMA_VERSION,
        "started": arrangement.started,
        "recipe": content_settings(build.recipe),
        "policy": policies[0][1] if policies else None,
        "steps": {
            step.name: {
                "version": step.version,
                "settings": build.settings(step),
                "shards": [build.path(step, shard).name for shard in range(build.shards)],
            }
            for step in build.steps
        },
        **counted(tallies),
        "versions": {name: registry.family(name).version for name in names},
        "libraries": library_versions(),
        "truth": truth,
        "files": files,
        "notes": notes_of(tallies) + ([] if build.recipe.verifier_probes else [UNPROBED]),
    }
    return manifest, probing


def content_settings(recipe: Recipe) -> dict[str, Any]:
    """The settings that rows depend on: all but where, and by how many workers, it is built."""
    execution = ("runner", "workers", "replicas", "store")
    return {name: each for name, each in asdict(recipe).items() if name not in execution}


def _probeable(rows: pa.Table, shard: int) -> pa.Table:
    """A shard's certified rows: their families, levels and uids, and where they are."""
    keys = rows.select(["family", "level", "uid"])
    keys = keys.append_column("shard", pa.array(np.full(len(rows), shard), pa.int32()))
    keys = keys.append_column("row", pa.array(np.arange(len(rows)), pa.int32()))
    certified = [bool(certificate) for certificate in rows["certificate"].to_pylist()]
    return keys.filter(pa.array(certified, pa.bool_()))


def _truth(build: Build, keys: pa.Table) -> tuple[dict[str, Any], Done]:
    """The verifiers' error rates on some of these items, probed once."""
    start = perf_counter()
    chosen = rows_to_probe(keys, build.recipe.verifier_probes)
    versions = {name: registry.family(name).version for name in sorted(chosen)}
    places = pa.array([place for some in chosen.values() for place in some], pa.int64())
    uids = keys["uid"].take(places).to_pylist()
    key = digest(canonical_json([puzzlemill.__version__, versions, uids]))
    path = build.folder / "stages" / "truth" / f"{key}.json"
    truth: dict[str, Any] = {}
    new = not path.is_file() and not (build.store and build.store.fetch(path))
    if not new:
        with suppress(UserError):  # damaged
            truth = read_json(path)
    if not truth:
        new = True
        rows = {name: keys.select(["shard", "row"]).take(chosen[name]) for name in chosen}
        truth = remembered_truth(
            {name: _whole(build, rows[name]) for name in rows}, library_versions()
        )
        write_json(path, truth)
        if build.store:
            build.store.put(path)
    return truth, Done("truth", 0, len(uids), 0, new, perf_counter() - start, str(path))


def _whole(build: Build, places: pa.Table) -> list[dict[str, Any]]:
    """What a verifier is probed with, of a few rows."""
    columns = ["uid", "prompt", "puzzle", "answer"]
    return [
        table(build, build.steps[-1], place["shard"], columns).slice(place["row"], 1).to_pylist()[0]
        for place in places.to_pylist()
    ]


def notes_of(tallies: Tallies) -> list[str]:
    """What the user should be told: what was in evaluation sets, and settings that have fewer
    distinct puzzles than were asked."""
    notes = contamination_of(tallies.contaminated)
    for (family, level), missing in sorted(tallies.short.items()):
        requested = tallies.requested[family, level]
        if missing > 0.2 * requested:
            notes.append(
                f"{family} at level {level:g}: asked for {requested} items, but only"
                f" {requested - missing} are distinct; ask for fewer or raise the level"
            )
    return notes


def contamination_of(contaminated: Counter[tuple[str, str]]) -> list[str]:
    """What was turned away for being in an evaluation set, a line for each of its files."""
    lines = []
    for file in sorted({file for file, _ in contaminated}):
        counts = {way: count for (each, way), count in sorted(contaminated.items()) if each == file}
        ways = ", ".join(f"{count} by {way}" for way, count in counts.items())
        lines.append(
            f"{file}: {sum(counts.values())} items were turned away, as being in this evaluation"
            f" set or too like it: {ways}"
        )
    return lines


_COLUMNS = ["uid", "family", "level", "certificate", "dropped", "trials", "policy"]
_SHORT = ("duplicate", "no puzzle")


def timings_of(done: Sequence[Done]) -> dict[str, Any]:
    """Seconds and rows by step, of what this run made; the rest was there already. Where a step
    asks, its time is the policy's, on whatever device that runs."""
    steps: dict[str, dict[str, float]] = {}
    for each in done:
        blank = {"seconds": 0.0, "rows": 0, "made": 0, "found": 0, "asks": asks(each.step)}
        step = steps.setdefault(each.step, blank)
        step["seconds"] = round(step["seconds"] + each.seconds, 3)
        step["rows"] += each.rows
        step["made" if each.made else "found"] += 1
    return steps
