"""Builds that are damaged or forged: each command tells in one line what is wrong and with which
file, and writes nothing."""

import io
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from PIL import Image
from test_outputs import scored, sealed_anew, write_build
from test_security import run_here

from puzzlemill.core.errors import UserError
from puzzlemill.core.rows import REPLY, SCHEMA
from puzzlemill.core.storage.files import read_json, write_json
from puzzlemill.core.storage.parquet import read_table, write_table
from puzzlemill.outputs import hub_upload
from puzzlemill.outputs.finished_build import read_build, scored_rows
from puzzlemill.outputs.trainer_files.writer import export
from puzzlemill.outputs.viewer.addresses import answer, site_of
from puzzlemill.pipelines.download import fetch
from puzzlemill.pipelines.integrity import file_faults, row_faults, sample_rows, verify
from puzzlemill.pipelines.regenerate import regeneration_recipe
from puzzlemill.pipelines.rescore import next_block, rescore_recipe
from puzzlemill.trainer.build_items import training_rows

KEPT = "data/train-00000-of-00001.parquet"
FRONTIER = "frontier/train-00000-of-00001.parquet"
DEEP = "[" * 900 + "]" * 900
HUGE = "1" * 6000
PNG = b"\x89PNG\r\n\x1a\n"
Damage = Callable[[Path], object]


def verified(folder: Path) -> None:
    faults = file_faults(folder)
    faults = faults or row_faults(sample_rows(folder, None)[0], lambda done: None)
    if faults:
        raise UserError(faults[0])


def viewed(folder: Path) -> None:
    site = site_of(folder, None)
    for row in read_build(folder).rows:
        answer(site, f"/0/item/{row['uid']}")
    answer(site, "/0/?words=the")


def scored_again(folder: Path) -> None:
    recipe = rescore_recipe(folder, None)
    assert recipe.parent
    next_block(folder, 2)
    scored_rows(folder)


COMMANDS: dict[str, Callable[[Path], object]] = {
    "verify-build": verified,
    "export": lambda folder: export(folder, "trl", unscored=True),
    "view": viewed,
    "export --replies": lambda folder: export(folder, "trl", replies=True),
    "publish": lambda folder: hub_upload.parcel(folder, "me/it"),
    "rescore": scored_again,
    "regenerate": regeneration_recipe,
    "train": training_rows,
}
ALL = tuple(name for name in COMMANDS if name != "export --replies")
PRINTED = ("verify-build", "export", "view", "publish")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = scored("sorting", "train", [8, 5, 4, 2, 0, 0]) + scored("sums", "train", [3, None])
    rows += scored("jigsaw_grid", "train", [4])
    folder = write_build(tmp_path_factory.mktemp("damaged") / "sample", rows)
    recipe = {
        "name": "sample",
        "make": [{"families": ["sorting"], "count": 8}],
        "policy": {"kind": "endpoint", "model": "m", "url": "http://127.0.0.1:9/v1"},
    }
    write_json(folder / "recipe.json", recipe)
    return folder


@pytest.fixture
def build(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "sample"))


def tree(folder: Path) -> dict[str, tuple[int, int]]:
    paths = (path for path in folder.rglob("*") if not path.is_dir())
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_size) for path in paths}


def is_refused(command: str, build: Path, told: str, place: str) -> None:
    """In one line that names the place, and nothing is written."""
    before = tree(build.parent)
    with pytest.raises(UserError) as refused:
        COMMANDS[command](build)
    said = str(refused.value)
    assert told in said, f"{command}: {said}"
    assert place in said, f"{command}: {said}"
    assert "\n" not in said
    assert tree(build.parent) == before


@pytest.mark.parametrize("command", ALL)
def test_a_sound_build_is_taken(command: str, build: Path) -> None:
    COMMANDS[command](build)


def holding(data: bytes | str) -> Damage:
    """The manifest's text is this."""
    data = data if isinstance(data, bytes) else data.encode()
    return lambda build: (build / "manifest.json").write_bytes(data)


def having(*way: str, value: Any = ...) -> Damage:
    """A value of the manifest is another one, or absent."""

    def damage(build: Path) -> None:
        manifest = found = read_json(build / "manifest.json")
        for name in way[:-1]:
            found = found[name]
        if value is ...:
            del found[way[-1]]
        else:
            found[way[-1]] = value
        (build / "manifest.json").write_text(json.dumps(manifest))

    return damage


def linked(name: str) -> Damage:
    """A file or a folder of the build lies elsewhere, and a link in its place."""

    def damage(build: Path) -> None:
        (build / name).rename(build.parent / "elsewhere")
        (build / name).symlink_to(build.parent / "elsewhere")

    return damage


def a_folder_in_its_place(build: Path) -> None:
    (build / "manifest.json").unlink()
    (build / "manifest.json").mkdir()


SHA = "a" * 64
MANIFESTS: dict[str, tuple[Damage, str]] = {
    "gone": (lambda build: (build / "manifest.json").unlink(), "no finished build"),
    "empty": (holding(""), "not JSON"),
    "torn": (holding("{"), "not JSON"),
    "no UTF-8": (holding(b'{"name": "\xff"}'), "not JSON"),
    "a list": (holding("[]"), "it is an object"),
    "null": (holding("null"), "it is an object"),
    "a text": (holding('"x"'), "it is an object"),
    "an empty object": (holding("{}"), "schema is missing"),
    "deep": (holding(f'{{"name": {DEEP}}}'), "nested too deeply"),
    "deeper": (holding(DEEP * 300), "not JSON"),
    "a number of 6,000 digits": (holding(f'{{"schema": {HUGE}}}'), "not JSON"),
    "a number of 200 digits": (holding(f'{{"schema": {HUGE[:200]}}}'), "over 100 digits"),
    "not a number": (having("recipe", "seed", value=float("nan")), "holds nan"),
    "half a surrogate pair": (having("notes", value=["\ud800"]), "not JSON"),
    "a link": (linked("manifest.json"), "is a link"),
    "a folder": (a_folder_in_its_place, "not JSON"),
    "no schema": (having("schema"), "schema is missing"),
    "schema as text": (having("schema", value="3"), "schema is a whole number"),
    "another schema": (having("schema", value=2), "row schema 2, but this Puzzlemill has"),
    "no name": (having("name"), "name is missing"),
    "a name that leads away": (having("name", value="../x"), "name is a name"),
    "no counts": (having("counts"), "counts is missing"),
    "counts as a list": (having("counts", value=[1]), "counts is an object"),
    "counts below 0": (having("counts", "made", value=-1), "counts.made is a whole number"),
    "files as a list": (having("files", value=[KEPT]), "files is an object"),
    "files that are null": (having("files", value=None), "files is an object"),
    "a file without checksum": (having("files", KEPT, "sha256"), "sha256 is missing"),
    "a checksum that is none": (having("files", KEPT, "sha256", value="0"), "is a checksum"),
    "rows as text": (having("files", KEPT, "rows", value="9"), "rows is a whole number"),
    "a file elsewhere": (
        having("files", "../../x.parquet", value={"rows": 1, "sha256": SHA}),
        "is the name of a file of a dataset",
    ),
    "a file by its whole path": (
        having("files", "/etc/passwd", value={"rows": 1, "sha256": SHA}),
        "is the name of a file of a dataset",
    ),
    "rejected as a list": (having("rejected", value=[]), "rejected is an object"),
    "families as a list": (having("families", value=[]), "families is an object"),
    "a family that is none": (having("families", "../x", value={}), "is a family's name"),
    "no steps": (having("steps"), "steps is missing"),
    "a step without shards": (having("steps", "score", "shards"), "shards is missing"),
    "a step elsewhere": (
        having("steps", "../../x", value={"version": 1, "shards": []}),
        "is a step's name",
    ),
    "settings that are none": (
        having("steps", "score", "settings", value=[]),
        "settings is an object",
    ),
    "a round that is none": (
        having("steps", "score", "settings", value={"round": "1"}),
        "round is a whole number",
    ),
    "notes that are no texts": (having("notes", value=[{}]), "notes[0] is a text"),
    "a policy that is no text": (having("policy", value=[]), "policy is a text"),
    "no moment": (having("started", value="yesterday"), "started is a moment"),
    "no day": (having("started", value="2026-02-31T00:00:00Z"), "started is no moment"),
    "replies as text": (having("replies", value="9"), "replies is a whole number"),
    "a recipe that is none": (having("recipe", value=[]), "recipe is an object"),
    "a recipe without order": (having("recipe", "order"), "recipe.order is missing"),
    "no stages": (having("recipe", "order", "stages", value=0), "stages is a whole number"),
    "evaluation sets as a number": (
        having("recipe", "decontaminate", value={"against": 1}),
        "against is a list",
    ),
    "truth as a list": (having("truth", value=[]), "truth is an object"),
    "truth without figures": (having("truth", value={"sums": {}}), "right is missing"),
    "versions as text": (having("versions", "sums", value="1"), "versions.sums is a whole"),
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_that_is_damaged_is_told(name: str, build: Path) -> None:
    damage, told = MANIFESTS[name]
    damage(build)
    for command in ALL:
        is_refused(command, build, told, "manifest.json")


def test_a_recipe_of_tables_and_texts_together_can_be_shown(build: Path) -> None:
    having("recipe", "make", value=[{"families": [{}, "sums"]}])(build)
    COMMANDS["publish"](build)


def written(data: Callable[[bytes], bytes], sealed: bool = False) -> Damage:
    """A file's bytes are others; `sealed`: and the manifest says so."""

    def damage(build: Path) -> None:
        path = build / "dataset" / KEPT
        path.write_bytes(data(path.read_bytes()))
        if sealed:
            sealed_anew(build)

    return damage


def swapped(build: Path) -> None:
    one, other = (build / "dataset" / name for name in (KEPT, FRONTIER))
    kept = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(kept)


def swapped_in_the_manifest_too(build: Path) -> None:
    swapped(build)
    manifest = read_json(build / "manifest.json")
    files = manifest["files"]
    files[KEPT], files[FRONTIER] = files[FRONTIER], files[KEPT]
    write_json(build / "manifest.json", manifest)


def added(name: str) -> Damage:
    """A file that the manifest does not name."""

    def damage(build: Path) -> None:
        (build / "dataset" / name).parent.mkdir(exist_ok=True)
        shutil.copy(build / "dataset" / KEPT, build / "dataset" / name)

    return damage


def edited(build: Path) -> None:
    path = build / "dataset" / KEPT
    rows = read_table(path).to_pylist()
    rows[0]["answer"] = "1"
    write_table(path, pa.Table.from_pylist(rows, SCHEMA))


def of_other_columns(change: Callable[[pa.Table], pa.Table]) -> Damage:
    def damage(build: Path) -> None:
        path = build / "dataset" / KEPT
        write_table(path, change(read_table(path)))
        sealed_anew(build)

    return damage


def of_another_type(table: pa.Table) -> pa.Table:
    return table.set_column(5, "level", pa.array(["0.5"] * len(table)))


def with_text_that_is_none(table: pa.Table) -> pa.Table:
    """The answers are bytes that are no UTF-8, under the name of text."""
    raw = pa.array([b"\xff\xfe"] * len(table), pa.binary())
    text = pa.Array.from_buffers(pa.string(), len(raw), raw.buffers())
    place = SCHEMA.get_field_index("uid")
    return table.set_column(place, SCHEMA.field(place), text)


def longer(build: Path) -> None:
    path = build / "dataset" / KEPT
    table = read_table(path)
    write_table(path, pa.concat_tables([table, table.slice(0, 1)]))
    sealed_anew(build)


ONLY = "not the bytes that the manifest names"
FILES: dict[str, tuple[Damage, str]] = {
    "missing": (lambda build: (build / "dataset" / KEPT).unlink(), "missing"),
    "cut off": (written(lambda data: data[:-9]), ONLY),
    "longer by a byte": (written(lambda data: data + b"x"), ONLY),
    "empty": (written(lambda data: b""), ONLY),
    "garbage": (written(lambda data: b"PAR1" + b"\xff" * 64 + b"PAR1"), ONLY),
    "edited": (edited, ONLY),
    "swapped": (swapped, ONLY),
    "swapped, with checksums": (swapped_in_the_manifest_too, "parquet"),
    "cut off, with checksum": (written(lambda data: data[:-9], True), "cannot be read"),
    "empty, with checksum": (written(lambda data: b"", True), "cannot be read"),
    "garbage, with checksum": (
        written(lambda data: b"PAR1" + b"\xff" * 64 + b"PAR1", True),
        "cannot be read",
    ),
    "text, with checksum": (written(lambda data: b"uid,answer\n", True), "cannot be read"),
    "a link": (linked(f"dataset/{KEPT}"), "is a link"),
    "a folder that is a link": (linked("dataset/data"), "is a link"),
    "a dataset that is a link": (linked("dataset"), "is a link"),
    "one shard more": (added("data/train-00001-of-00002.parquet"), "not in the manifest"),
    "one more in the folder": (added("data/xtra.parquet"), "not in the manifest"),
    "one more elsewhere": (added("evil.parquet"), "not in the manifest"),
    "a row more": (longer, "rows, but the manifest says"),
    "a column less": (of_other_columns(lambda table: table.drop_columns("canon")), "columns"),
    "a column of another type": (of_other_columns(of_another_type), "columns"),
    "no columns": (of_other_columns(lambda table: pa.table({"x": [1]})), "columns"),
    "text that is no text": (of_other_columns(with_text_that_is_none), "cannot be read"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_data_file_that_is_damaged_is_told(name: str, build: Path) -> None:
    damage, told = FILES[name]
    damage(build)
    for command in ALL:
        is_refused(command, build, told, "dataset")


def test_rows_to_score_again_are_read_as_the_manifest_says(build: Path) -> None:
    from puzzlemill import pipelines
    from puzzlemill.pipelines.settings import Again

    edited(build)
    with pytest.raises(UserError, match=f"{KEPT}: {ONLY}"):
        pipelines.rescore(build, again=Again(stale=True), builds=build.parent)  # asks nobody yet
    assert not (build.parent / "sample-rescored" / "dataset").exists()


ROWS: dict[str, tuple[dict[str, Any], str, str]] = {
    "uid": ({"uid": None}, "uid is null", "export view publish rescore train"),
    "uid long": ({"uid": "a\nb"}, "uid is no name", "export view publish train"),
    "family": ({"family": None}, "family is null", "export view publish rescore train"),
    "family away": ({"family": "../x"}, "family is no name", "export view publish train"),
    "family deep": ({"family": "sums" + "+claim" * 2000}, "is no name", "export view publish"),
    "category away": ({"category": "a/b"}, "category is no name", "export publish"),
    "stage away": ({"stage": "../../evil"}, "stage is no name", "export publish"),
    "stage null": ({"stage": None}, "its stage is null", "export publish"),
    "split": ({"split": "test"}, "is not of train", "export view publish rescore"),
    "version": ({"version": -1}, "version is below 0", "export publish train"),
    "level": ({"level": float("nan")}, "level is outside 0..1", "export view publish train"),
    "level far": ({"level": 2.0}, "level is outside 0..1", "export view publish train"),
    "tags": ({"tags": [None]}, "tags hold a null", "export view"),
    "knobs": ({"knobs": "[1]"}, "knobs are no JSON object", "view rescore export"),
    "knobs deep": ({"knobs": DEEP}, "knobs are no JSON object", "view rescore export"),
    "puzzle": ({"puzzle": "[1]"}, "puzzle is no JSON object", "view publish export train"),
    "puzzle deep": ({"puzzle": DEEP}, "puzzle is no JSON", "view publish export train"),
    "prompt": ({"prompt": None}, "prompt is no list of messages", "view export"),
    "prompt none": ({"prompt": []}, "prompt is no list of messages", "view export"),
    "content": (
        {"prompt": [{"role": "user", "content": None}]},
        "prompt is no list of messages",
        "view export",
    ),
    "message": ({"prompt": [None]}, "prompt is no list of messages", "view export"),
    "image": ({"images": [{"bytes": b"GIF89a", "path": "x"}]}, "images are no PNG", "export"),
    "image null": ({"images": [{"bytes": None, "path": "x"}]}, "images are no PNG", "export"),
    "answer": ({"answer": None}, "its answer is empty", "export view"),
    "certificate": ({"certificate": "trust me"}, "certificate is unknown", "publish view"),
    "no certificate": ({"certificate": ""}, "its certificate is empty", "publish view"),
    "trials": ({"trials": -5}, "trials is below 0", "publish rescore"),
    "no trials": ({"trials": None}, "its trials is null", "publish rescore"),
    "successes": ({"successes": -5}, "successes is below 0", "publish rescore"),
    "too many": ({"successes": 9}, "more successes than trials", "publish rescore"),
    "mean": ({"mean": 5.0}, "mean is outside 0..1", "export view publish rescore train"),
    "mean nan": ({"mean": float("nan")}, "mean is outside 0..1", "export view publish"),
    "mean inf": ({"mean": float("inf")}, "mean is outside 0..1", "export view publish"),
    "mean null": ({"mean": None}, "mean is null", "publish rescore"),
    "mean far": ({"mean": 0.0}, "mean is far outside low..high", "view publish"),
    "low": ({"low": 0.99}, "low is above high", "view publish"),
    "high": ({"high": None}, "high is null", "publish"),
    "policy": ({"policy": None}, "policy is null", "rescore"),
    "scored_at": ({"scored_at": None}, "scored_at is null", ""),
    "scored_at when": ({"scored_at": "now"}, "scored_at is no moment", ""),
    "trials many": ({"trials": 2**31 - 1}, "trials is beyond all reason", "regenerate publish"),
    "images": ({"images": None}, "its images does not follow", ""),
    "group": ({"variant_group": "x"}, "its variant_group does not follow", ""),
    "policy empty, false": ({"policy": ""}, "policy is 'tiny", ""),
    "within": ({"within": 2.0}, "within is outside 0..1", "view"),
    "guessed": ({"guesses": 1, "guessed": 2}, "more right guesses", "view"),
    "rank": ({"rank": -5}, "rank is below 0", "export publish"),
    "rank null": ({"rank": None}, "its rank is null", "export publish"),
    "dropped": ({"dropped": "too easy: x"}, "has a dropped", "view publish rescore"),
    "history": ({"history": "[1]"}, "history is no list of scores", "export publish rescore"),
    "history deep": ({"history": DEEP}, "history is no list", "export publish rescore view"),
    "history object": ({"history": "{}"}, "history is no list", "export publish rescore view"),
    "history none": ({"history": "[]"}, "history is no list", "export publish rescore view"),
    "history mean": (
        {"history": '[{"mean": "x", "policy": "p"}]'},
        "history is no list",
        "export publish rescore view",
    ),
    "history policy": ({"history": '[{"mean": 0.5}]'}, "history is no list", "view"),
    "policy false": ({"policy": "<script>"}, "policy is 'tiny", ""),
    "rank false": ({"rank": 3}, "has rank 3, and is number 0", ""),
    "stage false": ({"stage": "stage-9"}, "is of stage-9, which does not follow", ""),
    "answer false": ({"answer": "1"}, "its gold is '1'", ""),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_row_that_cannot_be_is_told_although_checksums_fit(name: str, build: Path) -> None:
    change, told, commands = ROWS[name]
    path = build / "dataset" / KEPT
    rows = read_table(path).to_pylist()
    write_table(path, pa.Table.from_pylist([rows[0] | change, *rows[1:]], SCHEMA))
    sealed_anew(build)
    place = KEPT if "does not follow" not in told and "false" not in name else ""
    for command in ("verify-build", *commands.split()):
        is_refused(command, build, told, place)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (having("counts", "made", value=10), "counts is"),
        (having("counts", "kept", value=1), "counts is"),
        (having("rejected", value={"too easy": 2}), "rejected is"),
        (having("families", "sums", value={"kept": 2}), "families is"),
        (having("replies", value=1), "replies is"),
        (having("policy", value="another"), "policy is 'another'"),
        (having("policy", value=None), "policy is None"),
    ],
)
def test_a_manifest_that_does_not_add_up_is_told(damage: Damage, told: str, build: Path) -> None:
    damage(build)
    is_refused("verify-build", build, told, "manifest.json")


@pytest.mark.parametrize("name", ["dataset.py", "data/notes.txt", ".hidden", "more/README.md"])
def test_whatever_the_manifest_does_not_name_is_told(name: str, build: Path) -> None:
    (build / "dataset" / name).parent.mkdir(exist_ok=True)
    (build / "dataset" / name).write_text("x")
    is_refused("verify-build", build, "not in the manifest", name)
    COMMANDS["export"](build)  # which reads what the manifest names, and nothing else


def test_a_reason_that_nobody_gives_is_told(build: Path) -> None:
    path = build / "dataset" / "rejected/train-00000-of-00001.parquet"
    rows = [row | {"dropped": "I say so"} for row in read_table(path).to_pylist()]
    write_table(path, pa.Table.from_pylist(rows, SCHEMA))
    having("rejected", value={"I say so": len(rows)})(build)
    sealed_anew(build)
    is_refused("verify-build", build, "'I say so', which is no reason", "")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (DEEP, "nested too deeply"),
        ("[]", "is a table of keys"),
        ('{"name": "x", "make": [{"families": ["sums"], "count": NaN}]}', "holds nan"),
        ('{"name": "x", "make": 1}', "make is a list"),
        ('{"name": "../x", "make": []}', "becomes a folder"),
        ("{", "not JSON"),
    ],
)
def test_a_recipe_that_is_damaged_is_told(text: str, told: str, build: Path) -> None:
    (build / "recipe.json").write_text(text)
    for command in ("rescore", "regenerate"):
        is_refused(command, build, told, "recipe.json")


def test_no_number_of_rows_below_0_is_made_again(build: Path) -> None:
    with pytest.raises(UserError, match="-n -1: make 0 rows or more again"):
        sample_rows(build, -1)
    assert sample_rows(build, 0)[0] == []


CELL = {"family": "sums", "level": 0.5, "before": {"trials": 1, "successes": 0}}
RUN = {"cells": [CELL], "steps": 1, "seconds": 1, "replies": 1, "policy_after": "p"}


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("training.json", "[]", "it is an object"),
        ("training.json", json.dumps(RUN | {"cells": 1}), "cells is a list"),
        ("training.json", json.dumps(RUN), "cells[0].after is missing"),
        ("training.json", DEEP, "nested too deeply"),
        ("regeneration.json", '{"build": 1}', "low is missing"),
        ("training/metrics.jsonl", "{", "1: "),
        ("training/metrics.jsonl", '{"loss": NaN}\n[]', "2: it is an object"),
        ("training/metrics.jsonl", '{"loss": "x"}', "loss is a number"),
        ("training/metrics.jsonl", '{"asked": {"sums": [1, 2]}}', "no family and level"),
        ("training/heldout.jsonl", '{"done": 1, "cells": [[1]]}', "a list of 4 or more"),
        ("training/heldout.jsonl", DEEP, "nested too deeply"),
    ],
)
def test_what_lies_beside_the_dataset_is_told_where_it_is_damaged(
    name: str, text: str, told: str, build: Path
) -> None:
    (build / name).parent.mkdir(exist_ok=True)
    (build / name).write_text(text)
    is_refused("publish", build, told, name)


def test_a_picture_that_is_none_is_told(build: Path) -> None:
    path = build / "dataset" / KEPT
    rows = read_table(path).to_pylist()
    for row in rows:
        row["images"] = row["images"] and [{"bytes": PNG + b"no more", "path": "x"}]
    write_table(path, pa.Table.from_pylist(rows, SCHEMA))
    sealed_anew(build)
    is_refused("publish", build, "cannot be read", "the picture of jigsaw_grid-")


def test_a_picture_is_verified_by_what_it_shows(build: Path) -> None:
    def repacked(png: bytes, change: bool) -> bytes:
        picture, buffer = Image.open(io.BytesIO(png)).convert("RGB"), io.BytesIO()
        if change:
            picture.putpixel((0, 0), (1, 2, 3))
        picture.save(buffer, "PNG", optimize=True)
        assert buffer.getvalue() != png
        return buffer.getvalue()

    path = build / "dataset" / KEPT
    rows = read_table(path).to_pylist()
    pictured = sum(bool(row["images"]) for row in rows)
    assert pictured
    for changed, faults in ((False, 0), (True, pictured)):
        for row in rows:
            for image in row["images"]:
                image["bytes"] = repacked(image["bytes"], changed)
        write_table(path, pa.Table.from_pylist(rows, SCHEMA))
        sealed_anew(build)
        found = verify(build, None).faults
        assert len(found) == faults
        assert all("its images does not follow" in fault for fault in found)


def a_round(number: int) -> dict[str, Any]:
    return {"version": 1, "settings": {"round": number}, "shards": ["00000-a.parquet"]}


def with_replies(build: Path, columns: dict[str, Any]) -> None:
    """A build that says it kept its policy's replies, and these as its only shard of them."""
    manifest = read_json(build / "manifest.json")
    manifest["recipe"]["score"] = {"keep_replies": True}
    manifest["steps"]["ask-1"] = a_round(1)
    write_json(build / "manifest.json", manifest)
    write_table(build / "stages" / "ask-1" / "00000-a.parquet", pa.table(columns))


@pytest.mark.parametrize(
    "replies",
    [
        pa.array([["I say one"]]),
        pa.array([1]),
        pa.array([[None]], pa.list_(REPLY)),
        pa.array([[{"text": "one"}]]),
    ],
)
def test_replies_that_are_none_are_told(replies: pa.Array, build: Path) -> None:
    uid = read_table(build / "dataset" / KEPT)["uid"][0].as_py()
    with_replies(build, {"uid": [uid], "replies": replies})
    for command in ("export --replies", "view"):
        is_refused(command, build, "build it again", "00000-a.parquet")


def test_rounds_that_do_not_follow_each_other_are_told(build: Path) -> None:
    uids = read_table(build / "dataset" / KEPT)["uid"].to_pylist()[:2]
    manifest = read_json(build / "manifest.json")
    known = {"uid": uids, "family": ["sums"] * 2, "level": [0.5] * 2}
    for number, trials in ((1, [8, 8]), (2, [40, 4])):
        name = f"ask-{number}"
        manifest["steps"][name] = a_round(number)
        counts = {"signal": pa.nulls(2, pa.float64()), "trials": trials, "successes": [1, 2]}
        write_table(build / "stages" / name / "00000-a.parquet", pa.table(known | counts))
    write_json(build / "manifest.json", manifest)
    is_refused("publish", build, "does not follow the round before", "ask-2/00000-a.parquet")


def test_a_build_that_is_exchanged_while_it_is_looked_at_is_told(build: Path) -> None:
    site = site_of(build, None)
    path = build / "dataset" / KEPT
    uid = read_table(path)["uid"][0].as_py()
    path.write_bytes(b"PAR1")
    with pytest.raises(UserError, match="cannot be read"):
        answer(site, f"/0/item/{uid}")


@pytest.mark.parametrize("command", [["export", "--to", "trl"], ["view"], ["verify-build"]])
def test_a_terminal_gets_one_line(
    command: list[str],
    build: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (build / "manifest.json").write_text("{")
    name, *more = command
    said = run_here([name, str(build), *more], build.parent, monkeypatch, capsys)
    assert said.count("\n") == 1
    assert said.startswith(f"puzzlemill: {build / 'manifest.json'}: not JSON")


def test_a_number_of_rows_below_0_is_one_line(
    build: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["verify-build", str(build), "-n", "-1"]
    said = run_here(command, build.parent, monkeypatch, capsys)
    assert said == "puzzlemill: -n -1: make 0 rows or more again\n"


@pytest.mark.parametrize("name", ["a list", "files as a list", "a file elsewhere", "deep", "gone"])
def test_a_damaged_manifest_in_a_store_is_told_and_leaves_no_build(name: str, build: Path) -> None:
    pytest.importorskip("fsspec")
    damage, told = MANIFESTS[name]
    damage(build)
    here = build.parent / "here"
    with pytest.raises(UserError, match=re.escape(told)):
        fetch(f"file://{build}", here)
    assert not (here / "sample" / "manifest.json").exists()
    assert not list(here.rglob("*.parquet"))


def test_only_what_a_build_holds_is_brought_from_a_store(build: Path) -> None:
    pytest.importorskip("fsspec")
    (build / "dataset" / "dataset.py").write_text("raise SystemExit")
    (build / "dataset" / "evil.parquet").write_bytes(b"PAR1")
    old = build.parent / "here" / "sample" / "dataset" / "data" / "train-00007-of-00008.parquet"
    old.parent.mkdir(parents=True)
    old.write_bytes(b"PAR1")
    brought = fetch(f"file://{build}", build.parent / "here")
    assert file_faults(brought) == []
    edited(build)
    (brought / "dataset" / KEPT).unlink()
    with pytest.raises(UserError, match="not the bytes that the manifest names: it is so in file"):
        fetch(f"file://{build}", build.parent / "here")
    assert not (brought / "manifest.json").exists()
