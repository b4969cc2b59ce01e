"""The learning lab of benchmarks/learning, with a student of twenty thousand weights."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from benchmarks.learning import bad_data, breadth, influence, mixture, solutions, students
from benchmarks.learning.records import Records, interval, rank_correlation
from benchmarks.learning.solutions import Families, divided, solution, wrong_solution
from benchmarks.learning.students import Size, Student, Warmth, student, tokens_of, unwarmed, warm
from puzzlemill.core.registry import family
from puzzlemill.core.verdict import judge

FAMILIES = Families(held=["maxima"], base=["sums"], sources=["reversal", "sorting"])
SIZE = Size(hidden=32, layers=1, heads=2, kv_heads=1, intermediate=48)
STEPS = 4


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Student]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(students, "TOKENS", 256)
        yield student(tmp_path_factory.mktemp("lab"), "small", SIZE, FAMILIES, Warmth(STEPS))


def killed_after(steps: int, path: Path) -> None:
    tokens = tokens_of(FAMILIES)
    for step, _ in warm(unwarmed(SIZE, tokens), tokens, FAMILIES.base, Warmth(STEPS), path):
        if step == steps:
            return


def test_a_student_is_small_and_named_for_its_weights(small: Student) -> None:
    assert 15_000 < sum(weight.numel() for weight in small.model.parameters()) < 25_000
    assert small.name.startswith(f"small-{STEPS}-")


def test_warming_goes_on_where_it_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(students, "EVERY", 2)
    monkeypatch.setattr(students, "TOKENS", 256)
    undisturbed = student(tmp_path / "one", "small", SIZE, FAMILIES, Warmth(STEPS))
    (tmp_path / "two").mkdir()
    killed_after(3, tmp_path / "two" / f"small-{STEPS}.state")
    again = student(tmp_path / "two", "small", SIZE, FAMILIES, Warmth(STEPS))
    assert again.name == undisturbed.name
    unlike = student(tmp_path / "three", "small", SIZE, FAMILIES, Warmth(STEPS + 1))
    assert unlike.name.rpartition("-")[2] != again.name.rpartition("-")[2]


def test_a_student_that_is_there_is_not_warmed_again(small: Student, tmp_path: Path) -> None:
    first = student(tmp_path, "small", SIZE, FAMILIES, Warmth(1))
    kept = (tmp_path / first.name / "model.safetensors").stat().st_mtime_ns
    assert student(tmp_path, "small", SIZE, FAMILIES, Warmth(1)).name == first.name
    assert (tmp_path / first.name / "model.safetensors").stat().st_mtime_ns == kept


def test_a_recorded_run_is_not_done_again(tmp_path: Path) -> None:
    records = Records.read(tmp_path / "runs.json")
    assert records.of("a", lambda: [0.5]) == [0.5]
    assert Records.read(tmp_path / "runs.json").of("a", lambda: [1 / 0]) == [0.5]
    assert json.loads((tmp_path / "runs.json").read_text()) == {"a": [0.5]}


def test_held_out_families_are_in_no_other_part() -> None:
    names = [f"family {at}" for at in range(100)]
    parts = divided(names)
    assert sorted([*parts.held, *parts.base, *parts.sources]) == sorted(names)
    assert len(parts.held) == solutions.HELD
    assert len(parts.base) == solutions.BASE


def test_a_worked_solution_is_right_and_a_wrong_one_is_not() -> None:
    for index in range(5):
        puzzle = solutions._item("sums", "train", index).puzzle
        prompt, reply = solution("sums", "train", index)
        its_prompt, wrong = wrong_solution("sums", "train", index)
        assert its_prompt == prompt
        assert judge(family("sums"), puzzle, reply).correct
        assert not judge(family("sums"), puzzle, wrong).correct
        assert wrong.split("<answer>")[0] == reply.split("<answer>")[0]


def test_the_share_of_wrong_golds_is_as_asked_and_grows_by_inclusion() -> None:
    clean = bad_data.lessons(["sums", "sorting"], 0.0, seed=0)
    few = bad_data.lessons(["sums", "sorting"], 0.05, seed=0)
    more = bad_data.lessons(["sums", "sorting"], 0.11, seed=0)
    differ = [{at for at, pair in enumerate(each) if pair != clean[at]} for each in (few, more)]
    assert [len(each) for each in differ] == [round(0.05 * 256), round(0.11 * 256)]
    assert differ[0] < differ[1]


def test_the_loss_by_wrong_golds_is_to_the_same_seed_s_clean_run(
    small: Student, tmp_path: Path
) -> None:
    runs = {"0.0 0": [-1.0, -1.0], "0.05 0": [-1.25, -1.5], "0.0 1": [-2.0, -2.0]}
    runs["0.05 1"] = [-2.25, -2.5]
    start = f"{small.name} {bad_data.SETTING}"
    records = Records(tmp_path / "none", {f"{start} {key}": run for key, run in runs.items()})
    figures = bad_data.figures(small, FAMILIES, records)
    assert list(figures) == ["0.05"]
    assert figures["0.05"]["held_by_seed"] == [0.25, 0.25]
    assert figures["0.05"]["learned"]["value"] == 0.5


def test_wrong_golds_are_measured_on_held_out_and_on_learned_families(
    small: Student, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bad_data, "REPLIES", 8)
    monkeypatch.setattr(bad_data, "FAMILIES", 2)
    records = Records.read(tmp_path / "bad_data.json")
    bad_data.run(small, FAMILIES, records, seed=0)
    figures = bad_data.figures(small, FAMILIES, records)
    assert [*figures] == ["0.01", "0.05", "0.11"]
    assert figures["0.01"]["held"]["value"] == 0  # of 8 replies, none is wrong
    assert figures["0.11"]["learned"]["value"] != 0


def test_learning_a_family_raises_its_own_solutions_most(small: Student, tmp_path: Path) -> None:
    held = Families(held=["reversal", "sorting"], base=["sums"], sources=["reversal", "sorting"])
    records = Records.read(tmp_path / "influence.json")
    for seed in range(2):
        influence.run(small, held, records, seed)
    influence.align(small, held, records)
    names, changes_SFH = influence.matrix(small.name, held, records)
    assert changes_SFH.shape == (2, 2, 2)
    own = [held.held.index(name) for name in names]
    mean_FH = changes_SFH.mean(axis=0)
    assert mean_FH[0, own[0]] > mean_FH[1, own[0]]
    assert mean_FH[1, own[1]] > mean_FH[0, own[1]]
    figures = influence.figures(small, held, records)
    assert figures["sources"] == figures["repeated"]["sources"] == 2
    assert figures["seeds"] == figures["repeated"]["seeds"] == 2
    assert figures["alignment"]["rank_correlation_cells"]["value"] > 0


def test_an_unfinished_seed_waits_until_all_its_sources_are_there(
    small: Student, tmp_path: Path
) -> None:
    records = Records.read(tmp_path / "influence.json")
    influence.run(small, FAMILIES, records, 0)
    begun = f"{small.name} {influence.SETTING} 1"
    records.of(f"{begun} {influence.CONTROL}", lambda: [0.0])
    records.of(f"{begun} sorting", lambda: [0.5])
    names, changes_SFH = influence.matrix(small.name, FAMILIES, records)
    assert (sorted(names), len(changes_SFH)) == (["reversal", "sorting"], 1)
    names, changes_SFH = influence.matrix(small.name, FAMILIES, records, finished=False)
    assert (names, changes_SFH[1].tolist()) == (["sorting"], [[0.5]])


def test_breadths_see_as_many_replies_and_wider_ones_hold_narrower_ones(
    small: Student, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(breadth, "REPLIES", 8)
    records = Records.read(tmp_path / "breadth.json")
    breadth.run(small, FAMILIES, records, seed=0)
    figures = breadth.figures(small, records)
    assert list(figures) == ["1"]  # of 2 sources, no more can be drawn
    assert (
        figures["1"]["gain"]["low"] <= figures["1"]["gain"]["value"] <= figures["1"]["gain"]["high"]
    )
    assert breadth.drawn(FAMILIES, 1, 3) == breadth.drawn(FAMILIES, 2, 3)[:1]


def test_fine_tuning_leaves_the_student_as_it_is(small: Student, tmp_path: Path) -> None:
    before = [weight.clone() for weight in small.model.parameters()]
    influence.run(small, FAMILIES, Records.read(tmp_path / "runs.json"), 0)
    after = small.model.parameters()
    assert all(torch.equal(one, other) for one, other in zip(before, after, strict=True))


def test_an_interval_covers_its_value_and_shrinks_with_the_units() -> None:
    few, many = np.arange(4.0), np.tile(np.arange(4.0), 25)
    narrow = interval(100, lambda at: float(many[at].mean()))
    wide = interval(4, lambda at: float(few[at].mean()))
    assert narrow["value"] == wide["value"] == 1.5
    assert wide["low"] < narrow["low"] < 1.5 < narrow["high"] < wide["high"]


def test_rank_correlation_is_of_ranks() -> None:
    values = np.array([3.0, 1.0, 2.0, 9.0])
    assert rank_correlation(values, values**3) == pytest.approx(1)
    assert rank_correlation(values, -values) == pytest.approx(-1)


def test_a_mixture_is_chosen_by_one_half_of_the_held_out_families(
    small: Student, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Families(["reversal", "sorting"], base=["sums"], sources=["reversal", "sorting"])
    monkeypatch.setattr(mixture, "REPLIES", 16)
    monkeypatch.setattr(mixture, "CHOSEN", 1)
    known = Records.read(tmp_path / "influence.json")
    influence.run(small, held, known, 0)
    influence.align(small, held, known)
    for half, name in enumerate(held.held):
        assert mixture.chosen(small, held, known, "influence", half) == [name]
    records = Records.read(tmp_path / "mixture.json")
    mixture.run(small, held, records, known, seeds=2)
    figures = mixture.figures(small, records)
    # What is chosen by the other half is worse for a half than both families are.
    assert figures["influence"]["gain"]["value"] < 0
    assert figures["influence"]["replies_share"]["value"] == 1.0
    assert figures["influence"]["seeds"] == 2


def test_the_share_of_replies_is_where_a_curve_comes_to_the_goal() -> None:
    uniform = np.linspace(0.1, 0.8, mixture.CHECKS)
    assert mixture._share(uniform, uniform) == 1.0
    assert mixture._share(2 * uniform, uniform) == pytest.approx(0.5)
    assert mixture._share(uniform / 2, uniform) == 1.0
