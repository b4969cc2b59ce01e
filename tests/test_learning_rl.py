"""RL in the learning lab, with a student of twenty thousand weights."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from time import time
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("torch")

from benchmarks.learning import bundled, items, rates, reinforce, runner, students, summary
from benchmarks.learning.arms import Arm, Scale
from benchmarks.learning.gains_plot import drawing
from benchmarks.learning.items import Place, places, row, with_wrong_golds
from benchmarks.learning.learners import aimed_rows, paying
from benchmarks.learning.runner import Job
from benchmarks.learning.solutions import Families, solution
from benchmarks.learning.students import Size, Warmth, student, tokens_of
from benchmarks.trainer.curricula import KNOWN
from puzzlemill.core.storage.files import read_json, write_json
from puzzlemill.core.verdict import check

FAMILIES = Families(held=["maxima"], base=["sums"], sources=["reversal", "sorting"])
SIZE = Size(hidden=32, layers=1, heads=2, kv_heads=1, intermediate=48)
SCALE = Scale(steps=2, prompts=2, group=2, items=1, replies=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(students, "TOKENS", 256)
        path = tmp_path_factory.mktemp("lab")
        small = student(path, "small", SIZE, FAMILIES, Warmth(2, broad=True))
        yield path / small.name


def rows_of(name: str, count: int, split: str = "train") -> list[items.Row]:
    found = [row(place) for place in places([name], count, split)]
    return [each for each in found if each is not None]


def test_an_item_is_fixed_by_its_place() -> None:
    place = Place("sums", 0.1, "train", 3)
    assert row(place) == row(place)
    others = [replace(place, number=4), replace(place, split="test"), replace(place, level=0.2)]
    assert len({each["uid"] for each in map(row, [place, *others]) if each}) == 4


def test_longer_lists_of_places_begin_with_shorter_ones() -> None:
    few, many = (places(["sums", "sorting"], count, "train") for count in (7, 40))
    assert many[:7] == few
    counts = [sum(place.family == name for place in many) for name in ("sums", "sorting")]
    assert max(counts) - min(counts) <= 1


def test_a_wording_that_is_measured_is_never_learned() -> None:
    learned = {text for at in range(30) for text in _first_words(Place("sums", 0.0, "train", at))}
    other = {
        text
        for at in range(30)
        for text in _first_words(Place("sums", 0.0, "train", at, items.OTHER_WORDINGS))
    }
    assert learned
    assert other
    assert not learned & other
    warmed = {_start(solution("sums", "train", at, (0, 1))[0]) for at in range(30)}
    assert not warmed & other


def _first_words(place: Place) -> list[str]:
    found = row(place)
    return [_start(found["prompt"][0]["content"])] if found else []


def _start(prompt: str) -> str:
    return "".join(letter for letter in prompt.split("\n\nAnswer")[0] if not letter.isdigit())[:12]


def test_a_wrong_gold_does_not_pay_the_right_answer() -> None:
    rows = rows_of("sums", 12)
    few, many = (with_wrong_golds(rows, share, seed=0) for share in (0.25, 0.5))
    unpaid = [
        {at for at, each in enumerate(changed) if not check(each, each["solution"]).correct}
        for changed in (rows, few, many)
    ]
    assert [len(each) for each in unpaid] == [0, 3, 6]
    assert unpaid[1] < unpaid[2]
    assert all(one["prompt"] == other["prompt"] for one, other in zip(rows, many, strict=True))


def job(folder: Path, arm: Arm | None, **others: Any) -> Job:
    measured = {"base": rows_of("sums", 1, "test"), "own 0": rows_of("sorting", 1, "test")}
    learned = rows_of("sorting", 4)
    made = Job("key", arm, 0, learned, measured, folder, SCALE, "cpu", float("inf"))
    return replace(made, **others)


ARMS = [Arm("rl", 1), Arm("sft", 1, imitates=True), Arm("new", 1, regenerates=True), None]


@pytest.mark.parametrize("arm", ARMS)
def test_a_run_tells_what_was_learned_and_every_set(folder: Path, arm: Arm | None) -> None:
    result = runner.run(job(folder, arm))
    assert result is not None
    assert result["rates"].keys() == {"base", "own 0"}
    assert result["rates"]["base"]["sums"][1] == SCALE.replies
    learned = {"reward"} if arm and not arm.imitates else {"loss"}
    assert all(learned <= each.keys() for each in result["curve"])
    assert len(result["curve"]) == (0 if arm is None else 2 if not arm.imitates else 1)


def test_new_items_lie_where_pass_rates_are_in_the_band() -> None:
    levels = ((0.0, 1.0), (0.25, 0.9), (0.5, 0.5), (0.75, 0.1), (1.0, 0.0))
    seen = [("sums", level, 0.0, 80, round(80 * rate)) for level, rate in levels]
    rows = aimed_rows(["sums"], seen, 6, number=3)
    assert len({each["uid"] for each in rows}) == 6
    assert all(0.3 < each["level"] < 0.7 for each in rows)


def test_a_constant_is_paid_and_nothing_else_changes() -> None:
    rows = rows_of("sums", 1) * 3
    right = rows[0]["solution"]
    replies = [right, "<answer>none</answer>", "<answer>-77777</answer>"]
    assert [bool(each) for each in paying("none")(rows, replies)] == [True, True, False]


def test_a_run_without_time_gives_up(folder: Path) -> None:
    assert runner.run(job(folder, Arm("rl", 1), until=time() - 1)) is None


def test_what_is_recorded_is_not_run_again_and_nothing_begins_too_late(
    folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "rl.json"
    write_json(file, {"key": {"rates": {}}})
    jobs = [job(folder, None), job(folder, None, key="other")]
    with ProcessPoolExecutor(1) as workers:  # which begins no process until it is given work
        at_once = reinforce.Limits(1, until=float("inf"), reserve=0)
        assert not [*reinforce.done(workers, jobs[:1], file, at_once)]
        late = reinforce.Limits(1, until=time() + 5, reserve=10)
        assert not [*reinforce.done(workers, jobs, file, late)]
    assert read_json(file).keys() == {"key"}


def test_a_run_that_fails_does_not_end_the_others(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs = [job(folder / "absent", None, key="absent"), job(folder, None, key="there")]
    limits = reinforce.Limits(2, until=float("inf"), reserve=0)
    with ThreadPoolExecutor(1) as workers:  # of the same interface
        its_workers = cast("ProcessPoolExecutor", workers)
        keys = [key for key, _ in reinforce.done(its_workers, jobs, tmp_path / "rl.json", limits)]
    assert keys == ["there"]
    assert "absent: UserError" in capsys.readouterr().out


def test_warming_ends_with_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(students, "TOKENS", 256)
    monkeypatch.setattr(students, "EVERY", 1)
    warmth = Warmth(10_000, seconds=0.2)
    model = students.unwarmed(SIZE, tokens_of(FAMILIES))
    steps = [*students.warm(model, tokens_of(FAMILIES), ["sums"], warmth, tmp_path / "state")]
    assert 0 < len(steps) < 10_000


def test_solutions_made_by_other_processes_are_the_same() -> None:
    tokens = tokens_of(FAMILIES)
    here, there = (
        next(students._batches(tokens, ["sums"], Warmth(1, 512, broad=True, processes=processes)))
        for processes in (0, 1)
    )
    assert here.tokens_BT.equal(there.tokens_BT)
    assert here.mask_BT.equal(there.mask_BT)


def result(base: float, own: float) -> dict[str, Any]:
    """Right replies of ten: of one family each, and of two that the seed learns."""
    names = {"held": "maxima", "base": "sums"}
    shared = {name: {family: [round(10 * base), 10]} for name, family in names.items()}
    both = {"reversal": [round(10 * own), 10], "sorting": [round(10 * own), 10]}
    sets = {f"{name} {seed}": both for name in rates.OF_SEED for seed in (0, 1)}
    return {"rates": shared | sets, "curve": [{"reward": 0.1}, {"reward": 0.3}]}


RUNS = {
    "s before": result(0.1, 0.2),
    **{f"s x rl-4 {seed}": result(0.2, 0.5) for seed in (0, 1)},
    "s x rl-64 0": result(0.4, 0.3),
    "s x rl-64 1": result(0.6, 0.3),
}


def test_a_gain_is_over_the_student_before_and_a_difference_over_another_arm() -> None:
    found = rates.figures(RUNS, FAMILIES, "s", "x")
    assert found["before"]["own 0"] == {"mean": 0.2, "families": 2, "between": 2}
    assert found["rl-64"]["base"]["by_seed"] == [0.3, 0.5]
    assert found["rl-64"]["base"]["gain"] == {"value": 0.4, "low": 0.3, "high": 0.5}
    assert found["rl-4"]["own"]["gain"]["value"] == 0.3
    compared = rates.differences(RUNS, FAMILIES, "s x")
    assert compared["breadth_gain"]["base"]["by_seed"] == [0.2, 0.4]
    assert compared["breadth_gain"]["own"]["gain"]["value"] == -0.2
    assert compared["band_gain"]["base"] == {}


def test_the_interval_holds_seeds_and_families() -> None:
    alike = [np.array([0.0, 0.2]), np.array([0.0, 0.2])]
    apart = [np.array([0.0, 0.2]), np.array([0.4, 0.6])]
    narrow, wide = (rates.interval(gains, shared=True) for gains in (alike, apart))
    assert narrow == {"value": 0.1, "low": 0.0, "high": 0.2}
    assert wide["high"] - wide["low"] > narrow["high"] - narrow["low"]


def test_the_bundled_policy_s_gains_are_over_it_and_over_another_arm() -> None:
    trained, others = bundled.divided(0)
    assert sorted([*trained, *others]) == sorted(KNOWN)

    def run(own: int, other: int) -> dict[str, Any]:
        rates_ = {
            "others": {name: [other, 10] for name in others},
            "own": {name: [own, 10] for name in trained},
            "levels": {name: [own, 10] for name in trained},
        }
        return {"rates": rates_, "curve": [{"reward": 0.5}]}

    runs = {"before 0": run(5, 4), "rl-4 0": run(8, 6), "rl-1 0": run(9, 3)}
    found = bundled.figures(runs)
    assert found["before"]["others"] == [0.4]
    assert found["arms"]["rl-4"]["others"]["gain"] == {"value": 0.2, "low": 0.2, "high": 0.2}
    assert found["arms"]["rl-4"]["own"]["by_seed"] == [0.3]
    assert found["compared"]["breadth_gain"]["others"]["by_seed"] == [0.3]
    assert found["compared"]["breadth_gain"]["own"]["by_seed"] == [-0.1]
    assert found["inflation"] == {"leaked": {}, "sft-leaked": {}}
    flat = summary.summary({"bundled": found})
    assert flat["heldout_family_gain"] == flat["heldout_family_gain_low"] == 0.2
    assert "proxy_correlation" not in flat


def test_inflation_is_what_leaked_items_gain_more_than_fresh_ones() -> None:
    trained, others = bundled.divided(0)

    def run(own: int, fresh: int) -> dict[str, Any]:
        sets = {"own": own, "fresh": fresh, "levels": 1, "wordings": 1}
        rates_ = {name: {each: [right, 10] for each in trained} for name, right in sets.items()}
        rates_["others"] = {each: [1, 10] for each in others}
        return {"rates": rates_, "curve": [{"reward": 0.5}]}

    runs = {"before 0": run(1, 1), "rl-4 0": run(4, 5), "leaked 0": run(8, 6)}
    assert bundled.figures(runs)["inflation"]["leaked"]["by_seed"] == [0.3]  # 4 of 10, less 1


def test_the_plot_has_a_point_for_each_gain() -> None:
    gain = {"gain": {"value": 0.1, "low": -0.2, "high": 0.3}}
    arms_ = {"rl-1": {"others": gain, "own": gain}}
    text = drawing({"0.5m": {"breadth": {"1": gain, "64": gain}}, "bundled": {"arms": arms_}})
    assert text.count("<circle") == 2 + 2 + 4  # points of both panels, and the legends
