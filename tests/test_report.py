"""What the report adds up: calibration, reasons, costs, replies; against numbers made by hand."""

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from test_outputs import add_training, scored, seen, write_build

from puzzlemill.core.rows import REPLY
from puzzlemill.core.storage.files import write_json
from puzzlemill.core.storage.parquet import write_table
from puzzlemill.outputs.finished_build import read_build
from puzzlemill.outputs.report import write_report
from puzzlemill.outputs.sections import SECTIONS, calibration
from puzzlemill.outputs.sections.prompts import family_shares
from puzzlemill.outputs.truth import trust

FAMILIES = ("sums", "sorting", "reversal")


class Told:
    """A report's words, found in each other whatever white space stands between them."""

    def __init__(self, folder: Path) -> None:
        self.words = _bare(seen(folder).words)

    def __contains__(self, text: str) -> bool:
        return _bare(text) in self.words


def _bare(text: str) -> str:
    return re.sub(r"\s+", "", text)


def add_rounds(folder: Path, rounds: list[list[dict[str, Any]]]) -> None:
    """Rounds in which a policy was asked, as a build keeps them."""
    manifest = read_build(folder).manifest
    for number, rows in enumerate(rounds, 1):
        manifest["steps"][f"ask-{number}"] = a_round(number)
        write_table(
            folder / "stages" / f"ask-{number}" / "00000-a.parquet", pa.table(columns(rows))
        )
    write_json(folder / "manifest.json", manifest)


def a_round(number: int) -> dict[str, Any]:
    return {"version": 1, "settings": {"round": number}, "shards": ["00000-a.parquet"]}


def columns(rows: list[dict[str, Any]]) -> dict[str, pa.Array]:
    kinds = {"trials": pa.int32(), "successes": pa.int32(), "signal": pa.float64()}
    return {name: pa.array([row[name] for row in rows], kinds.get(name)) for name in rows[0]}


def asked(rates: dict[tuple[str, float], float], count: int, skew: float) -> list[list[Any]]:
    """Two rounds of four replies to each item; in the second the rates lie higher by so much."""
    source, rounds = Random(1), [list[Any](), list[Any]()]
    for (family, level), rate in rates.items():
        for number in range(count):
            right = [sum(source.random() < rate + more for _ in range(4)) for more in (0, skew)]
            known = {"uid": f"{family}-{level}-{number}", "family": family, "level": level}
            for place in (0, 1):
                told = {"trials": 4 * (place + 1), "successes": sum(right[: place + 1])}
                rounds[place].append(known | {"signal": None} | told)
    return rounds


RATES = {
    (family, level): 0.85 - 0.7 * level for family in FAMILIES for level in (0.0, 0.25, 0.5, 0.75)
}


def test_sections_stand_in_the_order_of_their_places(tmp_path: Path) -> None:
    places = [SECTIONS.load(name).place for name in SECTIONS.names()]
    assert len(set(places)) == len(places)
    write_report(folder := write_build(tmp_path / "b", scored("sums", "train", [3, 1, 8, 0])))
    anchors = re.findall(r'<section id="(.+?)">', (folder / "report.html").read_text())
    assert anchors == sorted(anchors, key=lambda name: SECTIONS.load(name).place)
    assert {"cells", "families", "turned-away", "origin"} <= set(anchors)


@pytest.mark.parametrize(("skew", "holds"), [(0.0, True), (-0.15, False)])
def test_calibration_tells_whether_later_replies_come_as_foretold(
    tmp_path: Path, skew: float, holds: bool
) -> None:
    folder = write_build(tmp_path / "b", scored("sums", "train", [3, 1]))
    assert calibration.calibration(read_build(folder)) is None
    add_rounds(folder, asked(RATES, 20, skew))
    found = calibration.calibration(read_build(folder))
    assert found
    assert found.replies == 4 * 20 * len(RATES) == sum(each.replies for each in found.bins)
    assert (found.observed.low <= found.predicted <= found.observed.high) is holds
    assert (found.off < 0.06) is holds
    assert "calibration" in seen(folder).ids


def test_a_damaged_or_missing_round_leaves_calibration_out(tmp_path: Path) -> None:
    folder = write_build(tmp_path / "b", scored("sums", "train", [3, 1]))
    add_rounds(folder, asked(RATES, 5, 0.0))
    (folder / "stages" / "ask-2" / "00000-a.parquet").unlink()
    assert "calibration" not in seen(folder).ids


def test_every_reason_is_told_with_its_families(tmp_path: Path) -> None:
    rows = scored("sums", "train", [8, 8, 3]) + scored("sorting", "train", [8, 4])
    rows[0]["dropped"], rows[3]["dropped"] = "duplicate of sums-1", "contaminated: a.jsonl: x"
    told = Told(write_build(tmp_path / "b", rows))
    assert "too easy solved too often to learn from 1 20% sums 1" in told
    assert "duplicate the same puzzle as an earlier one 1 20% sums 1" in told
    assert "No evaluation set was named in the recipe" in told
    assert "2 of 5 kept" in told  # by level: no family has five


def keep_replies(
    folder: Path, rows: list[dict[str, Any]], said: list[tuple[str, str, int | None]]
) -> None:
    """One round of the same replies to each row: text, verdict and length in tokens."""
    replies = [
        {"text": text, "finished": True, "tokens": tokens, "score": 0.0, "status": status}
        for text, status, tokens in said
    ]
    known = {"uid": [row["uid"] for row in rows]}
    known |= {"replies": pa.array([replies] * len(rows), pa.list_(REPLY))}
    write_table(folder / "stages" / "ask-1" / "00000-a.parquet", pa.table(known))
    manifest = read_build(folder).manifest
    manifest["steps"]["ask-1"] = a_round(1)
    manifest["recipe"]["score"] = {"keep_replies": True}
    write_json(folder / "manifest.json", manifest)


def test_sample_items_show_a_reply_of_each_verdict(tmp_path: Path) -> None:
    rows = scored("sums", "train", [3])
    folder = write_build(tmp_path / "b", rows)
    said = [("I say one", "wrong", 3), ("I say two", "wrong", 3), ("I say three", "correct", 3)]
    keep_replies(folder, rows, said)
    told = Told(folder)
    assert "a wrong reply I say one" in told
    assert "a correct reply I say three" in told
    assert "I say two" not in told
    manifest = read_build(folder).manifest
    manifest["recipe"]["score"] = {}
    write_json(folder / "manifest.json", manifest)
    assert "I say one" not in Told(folder)


def test_costs_are_told_for_each_kept_item(tmp_path: Path) -> None:
    folder = write_build(tmp_path / "b", scored("sums", "train", [4, 4, 8, 0]))
    step = {"rows": 4, "made": 1, "found": 0}
    steps = {"generate": {"seconds": 3.0}, "score": {"seconds": 1.0}, "ask-1": {"seconds": 2.0}}
    steps["ask-1"]["asks"] = True
    times = {name: step | each for name, each in steps.items()}
    write_json(folder / "timings.json", times)
    told = Told(folder)
    assert "16.0 replies for each kept item" in told
    assert "3.00 s of work for each kept item" in told
    assert "6.0 seconds of work, 2.0 of them the policy's" in told
    write_json(folder / "timings.json", times | {"generate": step | {"seconds": 3.0, "found": 1}})
    told = Told(folder)
    assert "of work for each kept item" not in told  # what was there already is not known
    assert "the rest was there already" in told


def test_training_tells_what_it_never_trained_on_apart(tmp_path: Path) -> None:
    folder = write_build(tmp_path / "b", scored("sums", "train", [3]))
    add_training(folder)
    told = Told(folder)
    assert "pass@k" in told
    assert "20% of replies were right before, 75% after" in told
    assert "never trained on" not in told
    record = json.loads((folder / "training.json").read_text())
    other = {"trials": 20, "successes": 6}
    unseen = {"family": "lcm", "level": 0.5, "seen": False, "before": other, "after": other}
    record["unseen"] = {"pass_at": [{"k": 2, "before": 0.3, "after": 0.3}], "expansion": 0.0}
    write_json(folder / "training.json", record | {"cells": [*record["cells"], unseen]})
    told = Told(folder)
    assert "20% of replies were right before, 75% after" in told
    assert "never trained on 30% of replies were right before, 30% after" in told


def test_what_a_run_was_asked_is_told_by_family_and_level(tmp_path: Path) -> None:
    folder = write_build(tmp_path / "b", scored("sums", "train", [3]))
    steps = [
        {"step": 0, "reward": 0.25, "asked": {"sums 0.25": [3, 0.5], "gcd 0.5": [1, 0.0]}},
        {"step": 1, "reward": 0.5, "asked": {"sums 0.25": [1, 0.5], "sums 0.75": [1, 0.5]}},
        {"step": 2, "reward": 0.75, "asked": {"sums 1": [2, 0.75]}},
    ]
    points = [
        {"done": done, "cells": [["sums", 0.5, right, 8]]} for done, right in ((1, 2), (3, 6))
    ]
    (folder / "training").mkdir()
    for name, lines in (("metrics", steps), ("heldout", points)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / "training" / f"{name}.jsonl").write_text(text)
    assert [(row["family"], row["share"], row["levels"]) for row in family_shares(steps)] == [
        ("sums", 7 / 8, [0.25, 1.0]),
        ("gcd", 1 / 8, [0.5]),
    ]
    told = Told(folder)
    assert "sums 88% of the prompts" in told
    assert "sums, 67% to 100% of the run: 100% of the prompts level 0.25 → 1.00" in told
    assert "gcd, 67% to 100% of the run: 0% of the prompts level 0.50" in told
    assert "held-out items 25% → 75%" in told
    assert "measured 2 times, the last time after step 3" in told


def test_the_audit_is_quoted_for_families_of_the_same_version_only(tmp_path: Path) -> None:
    each = {"tried": 100, "refused": 1, "taken": 2, "paid": 3}
    record = {"version": 2, "right": each, "wrong": each, "hacks": each}
    write_json(tmp_path / "audit" / "basics.json", {"families": {"sums": record}})
    write_json(tmp_path / "audit" / "strings.json", {"families": {"sorting": record}})
    rate = {"rate": 0.0, "high": 0.1}
    tried = {"right": each, "wrong": each, "hacks": each, "rho0": rate, "rho1": rate}
    build = {"sums": tried, "sorting": tried, "reversal": {"failed": "it crashed"}}
    found = trust(build, {"sums": 2, "sorting": 1, "reversal": 1}, tmp_path / "audit")
    assert found
    quoted = {row["family"]: row.get("audit") for row in found["rows"]}
    assert quoted == {"sums": "6 of 300", "sorting": None, "reversal": None}
    bare = trust(build, {"sums": 2}, tmp_path / "none")
    assert bare
    assert not bare["audited"]


def test_the_report_begins_with_what_to_do(tmp_path: Path) -> None:
    rows = scored("sums", "train", [0, 0]) + scored("sorting", "train", [3, 4])
    told = Told(write_build(tmp_path / "a", rows + scored("reversal", "train", [8, 8])))
    assert "1 family is beyond this policy (sums), with none of 16 replies right" in told
    assert "1 family is too easy (reversal): raise levels, or leave them out" in told
    told = Told(write_build(tmp_path / "b", scored("sums", "train", [3, 4])))
    assert "What to do next" not in told


def test_where_nothing_was_solved_the_tries_are_told_and_no_prior(tmp_path: Path) -> None:
    rows = scored("sums", "train", [0, 0]) + scored("sorting", "train", [3, 4])
    write_report(folder := write_build(tmp_path / "b", rows))
    charts = re.findall(
        r'aria-label="pass rate by level".*?</svg>', (folder / "report.html").read_text()
    )
    sums = [chart for chart in charts if "sums at level" in chart]
    assert len(sums) == 1
    assert ">0/16</text>" in sums[0]
    assert "always" not in sums[0]


def test_families_stand_in_their_categories(tmp_path: Path) -> None:
    rows = scored("sums", "train", [3, 1]) + scored("sorting", "train", [4])
    write_report(folder := write_build(tmp_path / "b", rows + scored("gcd", "train", [2])))
    page = (folder / "report.html").read_text()
    rates, kept = re.findall(r'<details class="group".*?</details>', page, re.DOTALL)
    assert "2 families" in rates
    assert "sorting at level" in rates
    assert "gcd at level" not in rates
    assert "gcd at level" in page
    assert re.findall(r"<b>(\d)</b> of (\d) kept", kept) == [("3", "3"), ("2", "2"), ("1", "1")]
    assert "2 families" in kept
    assert "gcd" not in kept


def test_lengths_are_in_tokens_where_they_were_counted_and_else_in_characters(
    tmp_path: Path,
) -> None:
    rows = scored("sums", "train", [3, 1])
    folder = write_build(tmp_path / "b", rows)
    assert "set keep_replies = true in [score]" in Told(folder)
    counts = [(3, "correct"), (7, "wrong"), (9, "wrong"), (11, "wrong")]
    keep_replies(folder, rows, [("ab" * count, status, count) for count, status in counts])
    told = Told(folder)
    assert "Replies are measured in tokens." in told
    assert "wrong 6 7 9 11 0%" in told
    assert "correct 2 3 3 3 0%" in told
    keep_replies(folder, rows, [("ab" * count, status, None) for count, status in counts])
    told = Told(folder)
    assert "Replies are measured in characters: the policy's engine counts no tokens" in told
    assert "wrong 6 14 18 22 0%" in told
    some = [("abc", "correct", 5), ("lost count", "wrong", None)]
    keep_replies(folder, rows, some)
    assert "in tokens: 2 of 4, since the others were not counted" in Told(folder)
