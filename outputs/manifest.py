"""The manifest of a finished build, and the data files that it names, checked against it.

A build may come from anywhere. All that reads one begins here, so that a fault is
reported in one line, and no file is read that the manifest does not vouch for.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from puzzlemill.core.address import SPLITS
from puzzlemill.core.errors import UserError
from puzzlemill.core.rows import FATES, SCHEMA_VERSION, Fate
from puzzlemill.core.shapes import (
    Shape,
    fields,
    listed,
    maybe,
    named,
    number,
    text,
    whole,
)
from puzzlemill.core.storage.files import checksum, read_json

# Where the rows of each fate lie: kept ones under `data`, as the Hub's loaders expect.
FOLDERS: dict[Fate, str] = {name: "data" if name == "kept" else name for name in FATES}

MANIFEST = "manifest.json"
DATASET = "dataset"
REMEDY = "build it again; `puzzlemill verify-build` tells all that is wrong with it"
ANEW = "build it again, or bring it anew from where it came"
_SPLITS = tuple(SPLITS)
_DATA = re.compile(rf"({'|'.join(FOLDERS.values())})/({'|'.join(SPLITS)})-\d+-of-\d+\.parquet")


@dataclass(frozen=True, slots=True)
class DataFile:
    """A Parquet file of the dataset, as the manifest has it."""

    name: str
    path: Path
    fate: Fate
    split: str
    rows: int
    sha256: str


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a finished build, of the shape that it must have."""
    path = folder / MANIFEST
    if not path.exists():
        raise UserError(f"{folder}: no finished build (no {MANIFEST}); build it first")
    if path.is_symlink():
        raise UserError(f"{path}: is a link, and no build has one; put the file itself there")
    try:
        data = read_json(path)
    except UserError as error:
        raise UserError(f"{error}; {ANEW}") from None
    if fault := fields({"schema": whole(), "puzzlemill": _VERSION})(data, ""):
        raise UserError(f"{path}: not the manifest of a build: {fault}; {ANEW}")
    if data["schema"] != SCHEMA_VERSION:
        raise UserError(
            f"{path}: row schema {data['schema']}, but this Puzzlemill has {SCHEMA_VERSION}: read"
            f" it with Puzzlemill {data['puzzlemill']}"
        )
    if fault := _MANIFEST(data, ""):
        raise UserError(f"{path}: not the manifest of a build: {fault}; {ANEW}")
    manifest: dict[str, Any] = data
    return manifest


def data_files(folder: Path, manifest: Mapping[str, Any], *fates: Fate) -> list[DataFile]:
    """The dataset's files of these fates, or all, in the order of the dataset."""
    files = []
    for name, entry in manifest["files"].items():
        inner, _, rest = name.partition("/")
        fate = next(each for each in FATES if FOLDERS[each] == inner)
        path = folder / DATASET / name
        split = rest.partition("-")[0]
        if not fates or fate in fates:
            files.append(DataFile(name, path, fate, split, entry["rows"], entry["sha256"]))
    return sorted(
        files, key=lambda each: (FATES.index(each.fate), _SPLITS.index(each.split), each.name)
    )


def rounds_in(manifest: Mapping[str, Any]) -> list[str]:
    """The steps that are rounds of asking the policy, in their order."""
    steps = manifest["steps"]
    numbers = {name: steps[name].get("settings", {}).get("round") for name in steps}
    return sorted(filter(numbers.get, numbers), key=numbers.__getitem__)


def sound_files(folder: Path, manifest: Mapping[str, Any], *fates: Fate) -> list[DataFile]:
    """The dataset's files of these fates, or all, once their checksums are as the manifest says."""
    for fault in damages(folder, manifest, *fates):
        raise UserError(f"{fault}; {REMEDY}")
    return data_files(folder, manifest, *fates)


def damages(folder: Path, manifest: Mapping[str, Any], *fates: Fate) -> Iterator[str]:
    """What is wrong with the files of a finished build, a line each."""
    for path in strays(folder, manifest):
        if path.suffix == ".parquet":  # that a loader would take for a part of the dataset
            yield f"{path}: not in the manifest"
    yield from filter(None, map(damage, data_files(folder, manifest, *fates)))


def damage(file: DataFile) -> str:
    """What is wrong with a file beside the manifest; empty where nothing is."""
    for path in (file.path.parent.parent, file.path.parent, file.path):
        if path.is_symlink():  # it may lead anywhere
            return f"{path}: is a link, which is no file of a dataset"
    if not file.path.is_file():
        return f"{file.path}: missing"
    if checksum(file.path) != file.sha256:
        return f"{file.path}: not the bytes that the manifest names"
    return ""


def strays(folder: Path, manifest: Mapping[str, Any]) -> list[Path]:
    """What lies in the dataset's folder and is not named in the manifest."""
    listed = {folder / DATASET / name for name in manifest["files"]}
    unlisted = []
    for place, inner, names in os.walk(folder / DATASET):
        paths = [Path(place, name) for name in names]
        paths += [path for name in inner if (path := Path(place, name)).is_symlink()]
        unlisted += [path for path in paths if path not in listed]
    return sorted(unlisted)


def _moment(value: Any, place: str) -> str:
    fault = text(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "a moment such as 2026-11-21T01:35:21Z")
    if said := fault(value, place):
        return said
    try:
        datetime.fromisoformat(value)
    except ValueError as error:
        return f"{place} is no moment: {error}"
    return ""


_VERSION = text(r"[\w.+-]{1,60}", "a version")
_NAME = text(r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}", "a name of letters, digits, . _ -")
_FAMILY = text(r"\w{1,100}(\+\w{1,100}){0,9}", "a family's name")
_COUNTS = fields({}, {name: whole() for name in FATES})
_TRIED: dict[str, Shape] = {"tried": whole()}
_ERRORS = fields({"rate": number(0, 1), "high": number(0, 1)})
PROBED = fields(
    {
        "right": fields({**_TRIED, "refused": whole()}),
        "wrong": fields({**_TRIED, "taken": whole()}),
        "hacks": fields({**_TRIED, "paid": whole()}),
        "rho0": _ERRORS,
        "rho1": _ERRORS,
    }
)


def _truth(value: Any, place: str) -> str:
    if isinstance(value, dict) and "failed" in value:
        return text()(value["failed"], f"{place}.failed")
    return PROBED(value, place)


_STEP = text(r"[\w-]{1,100}", "a step's name")
# Of a step's settings only which round of asking it is, of one that is.
_SETTINGS: dict[str, Shape] = {"settings": fields({}, {"round": whole(1)})}
# Of a recipe what is used without reading it as one: families of its may not be installed here.
_RECIPE = fields(
    {"order": fields({"stages": whole(1, 1000)})},
    {
        "score": fields({}, {"earlier": text()}),
        "decontaminate": maybe(fields({}, {"against": listed(text())})),
        "parent": text(),
        "policy": fields({}, {"style": text(), "system": text()}),
    },
)
_MANIFEST = fields(
    {
        "name": _NAME,
        "started": _moment,
        "recipe": _RECIPE,
        "policy": maybe(text()),
        "steps": named(fields({"version": whole(), "shards": listed(text())}, _SETTINGS), _STEP),
        "counts": fields({"made": whole()}, {name: whole() for name in FATES}),
        "rejected": named(whole()),
        "unscored": named(whole()),
        "families": named(_COUNTS, _FAMILY),
        "versions": named(whole(), _FAMILY),
        "libraries": named(text()),
        "truth": named(_truth, _FAMILY),
        "replies": whole(),
        "files": named(
            fields({"rows": whole(), "sha256": text("[0-9a-f]{64}", "a checksum")}),
            text(_DATA.pattern, "the name of a file of a dataset"),
        ),
        "notes": listed(text()),
    }
)
