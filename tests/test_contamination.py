"""Decontamination and near-duplicates: what is turned away, and what stays."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import puzzlemill as pm
from puzzlemill import pipelines
from puzzlemill.core.errors import UserError
from puzzlemill.core.rows import row_of
from puzzlemill.core.storage.parquet import read_table
from puzzlemill.filters import contaminated, similar
from puzzlemill.filters._words import runs, words_of
from puzzlemill.filters.similar import later_likes
from puzzlemill.pipelines.recipe import read_recipe

RECIPE = """name = "clean"
seed = 5
shard = 20
[[make]]
families = ["sums", "jigsaw_pair"]
count = 30
levels = [0.25]
[policy]
kind = "none"
"""


def rows_of(folder: Path) -> list[dict[str, Any]]:
    files = sorted((folder / "dataset").rglob("*.parquet"))
    return [row for file in files for row in read_table(file).to_pylist()]


def recipe(folder: Path, more: str) -> Path:
    path = folder / "clean.toml"
    path.write_text(RECIPE + more)
    return path


def test_what_is_in_an_evaluation_set_is_turned_away_and_told(tmp_path: Path) -> None:
    sums, pairs = (pm.generate(name, 0.25, seed=5, n=9) for name in ("sums", "jigsaw_pair"))
    lines = [{"id": 0, "question": "What is the capital of France?"}]
    lines += [{"question": f"  {item.prompt.upper()}\n"} for item in sums[:2]]
    plain = tmp_path / "eval.jsonl"
    plain.write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    ours = tmp_path / "eval.parquet"
    told = [row_of(item) | {"prompt": "something else"} for item in (sums[3], pairs[3])]
    kept = ("prompt", "canon")
    pq.write_table(pa.Table.from_pylist([{n: row[n] for n in kept} for row in told]), ours)
    seen = tmp_path / "seen.parquet"
    pictures = [{"bytes": each} for each in pairs[4].images]
    asked = [{"problem": pairs[4].prompt, "images": pictures}]
    pq.write_table(pa.Table.from_pylist(asked), seen)
    against = json.dumps([str(plain), str(ours), str(seen)])
    more = f"[decontaminate]\nagainst = {against}\nngram = 0\n"
    folder = pipelines.build(recipe(tmp_path, more), tmp_path)
    gone = {row["uid"]: row["dropped"] for row in rows_of(folder) if row["dropped"]}
    assert gone == {
        sums[0].uid: f"contaminated: {plain.name}: the same prompt of row 2",
        sums[1].uid: f"contaminated: {plain.name}: the same prompt of row 3",
        sums[3].uid: f"contaminated: {ours.name}: the same puzzle of row 1",
        pairs[3].uid: f"contaminated: {ours.name}: the same puzzle of row 2",
        pairs[4].uid: f"contaminated: {seen.name}: the same prompt of row 1",
    }
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["rejected"] == {"contaminated": len(gone)}
    assert any("eval.jsonl: 2 items were turned away" in note for note in manifest["notes"])
    assert "too like it: 2 by the same puzzle" in (folder / "report.html").read_text()
    before = (folder / "manifest.json").read_bytes()
    pipelines.build(recipe(tmp_path, more), tmp_path)
    assert (folder / "manifest.json").read_bytes() == before
    plain.write_text(json.dumps(lines[0]))  # what the file holds is part of the step
    pipelines.build(recipe(tmp_path, more), tmp_path)
    assert sum(row["dropped"] is not None for row in rows_of(folder)) == len(gone) - 2


def row(text: str, images: Any = ()) -> dict[str, Any]:
    prompt = [{"role": "user", "content": text}]
    return {"uid": text, "prompt": prompt, "images": images, "canon": f"of {text}"}


def found(rows: list[dict[str, Any]], path: str, *settings: Any) -> dict[str, str]:
    return contaminated.found_in(rows, contaminated.sums_of([path]), *settings)


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        # 12 of the 20 words stand in a run of 8 that both have: more than a half.
        ("w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 then something of our own", True),
        ("w0 w1 w2 w3 w4 w5 w6 w7 x8 w9 w10 w11 w12 w13 w14 w15 w16 x17 w18 w19", True),
        ("w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 x10 x11 x12", False),  # 10 of 20: no more than a half
        ("w0 w1 w2 w3 w4 w5 w6 x7 w8 w9 w10 w11 w12 w13 x14 w15 w16 w17 w18 w19", False),  # 7, 6, 5
        ("w19 w18 w17 w16 w15 w14 w13 w12 w11 w10 w9 w8 w7 w6 w5 w4 w3 w2 w1 w0", False),
    ],
)
def test_more_than_the_share_in_runs_of_words_is_too_much(
    text: str, gone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "eval.jsonl"
    held = " ".join(f"w{number}" for number in range(20))
    others = [f"nothing alike in number {number} of a long line" for number in range(50)]
    file.write_text("\n".join(json.dumps({"prompt": each}) for each in [*others, held]))
    met = found([row(text)], str(file), "", 8, 0.5)
    assert met == ({text: f"{file.name}: runs of words in common of row 51"} if gone else {})
    monkeypatch.setattr(contaminated, "BLOCK", 30)  # in many blocks: the same
    assert found([row(text)], str(file), "prompt", 8, 0.5) == met


def test_numbers_and_signs_tell_prompts_apart(tmp_path: Path) -> None:
    file = tmp_path / "eval.jsonl"
    file.write_text(json.dumps({"prompt": [{"role": "user", "content": "What is 1 + 2?"}]}))
    texts = ("What is 1 - 2?", "What is 1 + 3?", "what is  1 + 2?")
    met = found([row(text) for text in texts], str(file), "", 8, 0.5)
    assert list(met) == [texts[2]]


def test_the_same_words_over_other_pictures_are_another_prompt(tmp_path: Path) -> None:
    file = tmp_path / "eval.parquet"
    asked = {"prompt": "Which?", "images": [{"bytes": b"one", "path": "1.png"}]}
    pq.write_table(pa.Table.from_pylist([asked]), file)
    one, two = ([{"bytes": name, "path": ""}] for name in (b"one", b"two"))
    for images, gone in ((one, 1), (two, 0), ((), 0)):
        met = found([row("Which?", images)], str(file), "", 1, 0.1)
        assert len(met) == gone


@pytest.mark.parametrize(
    ("name", "text", "column", "told"),
    [
        ("eval.jsonl", '{"prompt": "a"}\n[1]', "", "eval.jsonl:2: not a JSON object"),
        ("eval.jsonl", '{"a": 1}', "", "no column prompt"),
        ("eval.jsonl", '{"prompt": "a"}', "promt", "did you mean 'prompt'"),
        ("eval.parquet", "no parquet", "", "cannot be read"),
        ("eval.csv", "a,b", "", "is no .jsonl or .parquet file"),
        ("", "", "", "no file or folder"),
    ],
)
def test_what_is_wrong_with_an_evaluation_file_is_told(
    name: str, text: str, column: str, told: str, tmp_path: Path
) -> None:
    if name:
        (tmp_path / name).write_text(text)
    path = str(tmp_path / (name or "absent.jsonl"))
    with pytest.raises(UserError, match=told):
        found([row("a")], path, column, 8, 0.5)


def test_a_misspelt_key_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="did you mean 'against'"):
        read_recipe(recipe(tmp_path, "[decontaminate]\nagaints = []\n"))


def test_runs_of_words_are_numbered_alike_wherever_they_stand() -> None:
    first, second = (runs(words_of(text), 3) for text in ("a b c d", "x A  b c d y"))
    assert set(first) <= set(second)
    assert len(set(second)) == 4
    assert len(runs(words_of("a b"), 3)) == 0
    assert runs(["a", "b"], 2) != runs(["b", "a"], 2)


def likes(texts: list[str], least: float) -> dict[str, str]:
    found = later_likes(lambda: texts, least)
    return {str(place): f"{first}, {share:.0%} alike" for place, first, share in found}


def test_nearly_the_same_prompts_are_found_and_the_first_stands() -> None:
    tale = "Anna has 3 red apples and Ben has 5 green pears in a box; how many are there?"
    texts = [tale, "Something else altogether, with 7 things.", tale.replace("Anna", "Zoe"), tale]
    assert likes(texts, 0.8) == {"2": "0, 89% alike", "3": "0, 100% alike"}
    assert likes(texts, 0.95) == {"3": "0, 100% alike"}
    assert likes(["5", "5", "6", ""], 1.0) == {"1": "0, 100% alike"}


@pytest.mark.parametrize("fresh", [similar.FRESH, 20])
def test_all_pairs_are_found_that_comparing_all_would_find(
    fresh: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(similar, "FRESH", fresh)  # few: most of the index is sorted parts
    source = Random(3)
    texts = [
        " ".join(source.choice("abcdef") for _ in range(source.randrange(3, 14)))
        for _ in range(300)
    ]
    sets = [set(runs(words_of(text), 3).tolist()) for text in texts]
    for least in (0.3, 0.6, 0.9):
        standing: list[int] = []
        wanted = {}
        for place, here in enumerate(sets):
            near = [s for s in standing if len(sets[s] & here) >= least * len(sets[s] | here)]
            if near:
                wanted[str(place)] = str(near[0])
            else:
                standing.append(place)
        assert {
            uid: first.partition(",")[0] for uid, first in likes(texts, least).items()
        } == wanted
        assert wanted


def test_a_build_turns_away_what_is_much_like_an_earlier_prompt(tmp_path: Path) -> None:
    folder = pipelines.build(recipe(tmp_path, "[filters]\nsimilar = 0.5\n"), tmp_path)
    rows = rows_of(folder)
    gone = [row for row in rows if row["dropped"]]
    assert {row["family"] for row in gone} == {"sums"}
    assert all(row["dropped"].startswith("similar: to sums-") for row in gone)
    standing = {row["uid"] for row in rows if not row["dropped"]}
    assert {row["dropped"].split()[2].rstrip(",") for row in gone} <= standing
    assert 0 < len(gone) < 30
