"""The card and the report: valid, honest about what is missing, and safe to open."""

import json
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from markdown_it import MarkdownIt
from PIL import Image
from typer.testing import CliRunner

import puzzlemill as pm
from puzzlemill.__main__ import app
from puzzlemill.core.errors import UserError
from puzzlemill.core.rows import NO_PICTURES, SCHEMA, SCHEMA_VERSION, fate, row_of, table_of
from puzzlemill.core.storage.files import checksum, write_json
from puzzlemill.core.storage.parquet import write_table
from puzzlemill.difficulty.posterior import jeffreys
from puzzlemill.outputs import overview
from puzzlemill.outputs.card import size_of, write_card
from puzzlemill.outputs.charts import percent
from puzzlemill.outputs.finished_build import rate_of
from puzzlemill.outputs.manifest import FOLDERS
from puzzlemill.outputs.report import write_report
from puzzlemill.outputs.templates import toml

HOSTILE = "<script>alert(1)</script>"
POLICY = "tiny-3f2a9c01/<b>t1</b>"
FAMILIES = ("sorting", "sums", "jigsaw_grid")
RECIPE = {
    "name": "sample",
    "parent": "",
    "seed": 3,
    "make": [{"families": list(FAMILIES), "count": 8, "knobs": {"length": 3}}],
    "policy": {"kind": "endpoint", "model": "m", "url": "https://user:secret@host/v1"},
    "order": {"schedule": "easy_to_hard", "stages": 2},
}


@cache
def items(name: str, split: str, count: int) -> tuple[pm.Item, ...]:
    return tuple(pm.generate(name, level=0.25, n=count, split=split))


def scored(name: str, split: str, successes: Sequence[int | None]) -> list[dict[str, Any]]:
    """A family's items with so many right replies of eight; None: not scored."""
    rows = []
    for item, right in zip(items(name, split, len(successes)), successes, strict=True):
        row = row_of(item)
        if right is not None:
            low, high = jeffreys(8, right)
            row |= {"policy": POLICY, "trials": 8, "successes": right, "within": 0.5}
            row |= {"mean": (right + 0.5) / 9, "low": low, "high": high, "informs": 0.5}
            row["scored_at"] = "2026-11-21T01:35:21Z"
            row["dropped"] = {0: "frontier", 8: "too easy: always solved"}.get(right)
        else:
            row["dropped"] = NO_PICTURES
        rows.append(row)
    return rows


def write_build(folder: Path, rows: list[dict[str, Any]]) -> Path:
    """A finished build of these rows."""
    counts, files = {"made": len(rows)}, {}
    families: dict[str, Counter[str]] = {}
    for row in rows:
        families.setdefault(row["family"], Counter())[fate(row)] += 1
    for name, inner in FOLDERS.items():
        for split in ("train", "test"):
            chosen = [row for row in rows if fate(row) == name and row["split"] == split]
            for rank, row in enumerate(chosen if name == "kept" else ()):
                row |= {"rank": rank, "stage": f"stage-{1 + 2 * rank // len(chosen)}"}
            counts[name] = counts.get(name, 0) + len(chosen)
            if chosen:
                file = f"{inner}/{split}-00000-of-00001.parquet"
                path = folder / "dataset" / file
                write_table(path, table_of(chosen))
                files[file] = {"rows": len(chosen), "sha256": checksum(path)}
    manifest = {
        "name": "sample",
        "puzzlemill": "0.1.0",
        "schema": SCHEMA_VERSION,
        "started": "2026-11-21T01:35:21Z",
        "recipe": RECIPE,
        "policy": POLICY if any(row["trials"] for row in rows) else None,
        "steps": {step: {"version": 1, "shards": []} for step in ("generate", "score")},
        "counts": counts,
        "rejected": {"too easy": counts["rejected"]} if counts["rejected"] else {},
        "unscored": {NO_PICTURES: counts["unscored"]} if counts["unscored"] else {},
        "families": families,
        "versions": {},
        "libraries": {},
        "truth": {},
        "files": files,
        "replies": sum(row["trials"] or 0 for row in rows),
        "notes": [f"a note with {HOSTILE}"],
    }
    write_json(folder / "manifest.json", manifest)
    return folder


def sealed_anew(folder: Path) -> None:
    """Have the manifest say that the dataset's files are as they are."""
    manifest = json.loads((folder / "manifest.json").read_text())
    for name, known in manifest["files"].items():
        known["sha256"] = checksum(folder / "dataset" / name)
    write_json(folder / "manifest.json", manifest)


@pytest.fixture
def build(tmp_path: Path) -> Path:
    rows = scored("sorting", "train", [8, 7, 5, 4, 2, 1, 0, 0])
    rows += scored("sums", "train", [3, 1, 0]) + scored("sums", "test", [6])
    rows += scored("jigsaw_grid", "train", [None, None])
    rows[3]["prompt"] = [{"role": "user", "content": f"Sort: {HOSTILE}"}]
    return write_build(tmp_path / "sample", rows)


class Sight(HTMLParser):
    """What a browser would see: elements, anchors, and the words between them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: set[str] = set()
        self.addresses: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            assert not name.startswith("on"), f"{tag} runs code at {name}"
            if name == "id":
                self.ids.add(value or "")
            if name in ("href", "src"):
                self.addresses.append(value or "")

    def handle_data(self, data: str) -> None:
        self.words += data


def seen(folder: Path) -> Sight:
    write_report(folder)
    sight = Sight()
    sight.feed((folder / "report.html").read_text())
    return sight


def test_a_hostile_prompt_is_shown_and_not_run(build: Path) -> None:
    sight = seen(build)
    assert "script" not in sight.tags
    assert f"Sort: {HOSTILE}" in sight.words
    assert f"a note with {HOSTILE}" in sight.words
    assert POLICY in sight.words


@pytest.mark.parametrize(
    "name",
    ["<b>m</b>", "a`b`", "``", "`<img src=x>`", "[x](http://there)", "|*m*|_m_", "my_model-2"],
)
def test_a_policys_name_is_shown_on_the_card_and_not_obeyed(build: Path, name: str) -> None:
    policy = f"endpoint-{name}/t1-p1-m256"
    manifest = json.loads((build / "manifest.json").read_text())
    write_json(build / "manifest.json", manifest | {"policy": policy})
    write_card(build)
    card = (build / "dataset" / "README.md").read_text()
    sight = Sight()
    sight.feed(MarkdownIt("commonmark").render(card.split("---", 2)[2]))
    assert not {"b", "em"} & set(sight.tags)
    assert not {"http://there", "x"} & set(sight.addresses)
    assert sight.words.count(policy) == 2


def test_the_report_needs_no_network(build: Path) -> None:
    sight = seen(build)
    assert all(each.startswith(("#", "data:image/png;base64,")) for each in sight.addresses)
    assert {each[1:] for each in sight.addresses if each[0] == "#"} <= sight.ids
    assert "link" not in sight.tags
    assert "@import" not in sight.words
    assert "url(" not in sight.words


def test_the_report_tells_of_every_family_and_shows_pictures(build: Path) -> None:
    sight = seen(build)
    for name in FAMILIES:
        assert name in sight.words
    assert any(each.startswith("data:") for each in sight.addresses)


CELL = {
    "family": "sorting",
    "level": 0.25,
    "before": {"trials": 20, "successes": 4},
    "after": {"trials": 20, "successes": 15},
}


def add_training(folder: Path) -> None:
    record = {"policy_before": POLICY, "policy_after": "tiny-77", "steps": 3, "seconds": 9.5}
    record |= {"pass_at": [{"k": 1, "before": 0.2, "after": 0.4}], "expansion": 0.25}
    write_json(folder / "training.json", record | {"replies": 96, "cells": [CELL]})


def add_metrics(folder: Path) -> None:
    (folder / "training").mkdir()
    steps = [{"step": step, "reward": 0.4, "loss": float("nan")} for step in range(3)]
    text = "\n".join(map(json.dumps, steps))
    (folder / "training" / "metrics.jsonl").write_text(text)


def add_regeneration(folder: Path) -> None:
    record = {"build": "sample-2", "low": 0.25, "high": 0.75, "made": 40}
    shares = {"share_before": 0.3, "share_after": 0.7, "levels": {"sorting": [0.4, 0.6]}}
    write_json(folder / "regeneration.json", record | shares)


@pytest.mark.parametrize(
    ("section", "add"),
    [
        ("training", add_training),
        ("learning", add_metrics),
        ("regeneration", add_regeneration),
    ],
)
def test_a_section_appears_only_with_its_data(
    build: Path, section: str, add: Callable[[Path], None]
) -> None:
    assert section not in seen(build).ids
    add(build)
    assert section in seen(build).ids


def test_a_build_that_was_not_scored_has_a_card_and_a_report(tmp_path: Path) -> None:
    folder = write_build(tmp_path / "sample", scored("sums", "train", [None] * 3))
    assert {"cells", "spread", "order"}.isdisjoint(seen(folder).ids)
    write_card(folder)
    assert "no item here has been scored" in (folder / "dataset" / "README.md").read_text()
    with pytest.raises(ValueError, match="Config name is missing"):  # though there is only one
        loaded(folder, None, tmp_path)
    assert loaded(folder, "unscored", tmp_path)["train"].num_rows == 3


def test_the_same_build_gives_the_same_bytes(build: Path) -> None:
    add_training(build)
    pages = [build / "report.html", build / "dataset" / "README.md"]
    written = []
    for _ in range(2):
        write_report(build)
        write_card(build)
        written.append([page.read_bytes() for page in pages])
    assert written[0] == written[1]


def loaded(folder: Path, config: str | None, cache: Path) -> Any:
    import datasets  # takes seconds

    return datasets.load_dataset(str(folder / "dataset"), config, cache_dir=str(cache / "cache"))


def test_the_configs_load_with_their_splits(build: Path, tmp_path: Path) -> None:
    write_card(build)
    rows = {
        config: {split: part.num_rows for split, part in loaded(build, config, tmp_path).items()}
        for config in (None, "frontier", "unscored", "rejected")
    }
    assert rows == {
        None: {"train": 7, "test": 1},
        "frontier": {"train": 3},
        "unscored": {"train": 2},
        "rejected": {"train": 1},
    }
    picture = loaded(build, "unscored", tmp_path)["train"][0]["images"][0]
    assert picture.width > 0


def test_the_front_matter_is_what_the_hub_takes(build: Path) -> None:
    import datasets
    import huggingface_hub

    write_card(build)
    card = huggingface_hub.DatasetCard.load(build / "dataset" / "README.md")
    assert card.data.license == "apache-2.0"
    assert card.data.language == ["en"]
    assert card.data.size_categories == ["n<1K"]
    assert {"puzzlemill", "reasoning", "synthetic", "visual"} <= set(card.data.tags)
    assert "visual-question-answering" in card.data.task_categories
    names = [config["config_name"] for config in card.data.configs]
    assert names == ["default", "frontier", "unscored", "rejected"]
    known = datasets.Features.from_arrow_schema(SCHEMA)._to_yaml_list()
    assert [info["features"] for info in card.data.dataset_info] == [known] * 4
    for plot in ("plots/pass_rates.png", "plots/families.png"):
        assert f"]({plot})" in card.text
        with Image.open(build / "dataset" / plot) as drawn:
            assert drawn.width > 100
    assert "\n\n\n" not in card.text


def test_an_endpoints_address_stays_private(build: Path) -> None:
    write_card(build)
    write_report(build)
    for page in (build / "dataset" / "README.md", build / "report.html"):
        assert "secret" not in page.read_text()


def test_a_recipe_is_written_as_toml() -> None:
    assert toml({"name": "a", "make": [{"knobs": {"n": 3}, "seed": None}], "score": {"x": 1}}) == (
        'name = "a"\n\n[[make]]\nknobs = { n = 3 }\n\n[score]\nx = 1\n'
    )


def test_a_recipe_of_any_text_and_names_is_read_back_from_its_toml() -> None:
    recipe = {"name": 'a\x7f"\\\n', "b c": "é 😀", "make": [{"weights": {"gcd+inverse": 2.5}}]}
    assert tomllib.loads(toml(recipe)) == recipe


def test_items_that_differ_widen_the_interval() -> None:
    def rows(successes: Sequence[int]) -> list[dict[str, float]]:
        return [{"trials": 8, "successes": right, "mean": right / 8} for right in successes]

    alike, apart = rate_of(rows([4] * 10)), rate_of(rows([0, 8] * 5))
    assert alike.mean == apart.mean == 0.5
    # No more is known than from ten replies where each item always goes the same way.
    assert (apart.low, apart.high) == pytest.approx(jeffreys(10, 5))
    assert alike.high - alike.low < apart.high - apart.low
    never = rate_of(rows([0] * 10))
    assert never.low == 0 < never.high


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0%"), (0.001, "<1%"), (0.5, "50%"), (0.999, ">99%"), (1, "100%")]
)
def test_only_all_is_written_as_all(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("rows", "size"), [(0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (123456, "100K<n<1M")]
)
def test_sizes_are_the_hubs_words(rows: int, size: str) -> None:
    assert size_of(rows) == size


def test_the_report_says_whether_variants_are_solved_like_their_originals(tmp_path: Path) -> None:
    rows = scored("word_problem", "train", [7, 7, 1, 5])
    rows += scored("word_problem+claim", "train", [7, 2, 1, 6])
    sight = seen(write_build(tmp_path / "sample", rows))
    assert "variants" in sight.ids
    assert "claim 4 pairs" in sight.words
    assert "75% alike" in sight.words


@pytest.mark.parametrize("name", ["jigsaw_hole", "sorting"])
def test_a_sheet_shows_four_items_at_each_of_three_levels(name: str, tmp_path: Path) -> None:
    file = tmp_path / "sheet.png"
    told = CliRunner().invoke(app, ["preview", name, "--overview", str(file)])
    assert told.exit_code == 0, told.output
    page = Image.open(file).convert("RGB")
    assert page.width == overview.EACH * overview.WIDE
    pixels = np.array(page).reshape(page.height, overview.EACH, overview.WIDE, 3)
    starts = np.flatnonzero((pixels == overview.RULE).all(axis=(1, 2, 3)))
    assert len(starts) == len(overview.LEVELS)
    for start in starts:  # of a level: under its heading, in each column, something is drawn
        assert (pixels[start + 40 : start + 120] < 128).any(axis=(0, 2, 3)).all()


def test_a_sheet_is_a_png(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="an overview is a PNG"):
        overview.write_overview("sorting", 0, tmp_path / "overview.jpg")


def test_long_words_are_broken_into_lines() -> None:
    lines = overview._lines("a " + "x" * 500, 200)
    assert lines[0] == "a"
    assert "".join(lines[1:]) == "x" * 500
