"""The lab's RL of a pretrained model, with the bundled policy in its place."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

import puzzlemill.difficulty.policies
from benchmarks.learning import pretrained
from benchmarks.learning.arms import Scale
from benchmarks.learning.breadth import drawn
from benchmarks.learning.pretrained import ARMS, chosen, division, job, warm, warmed
from benchmarks.learning.solutions import Families
from puzzlemill.core import registry
from puzzlemill.core.storage.files import read_json
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Sampling
from puzzlemill.difficulty.policies.weight_files import version_of

MODEL = Path(puzzlemill.difficulty.policies.__file__).parent / "tiny"
STEPS = 11


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretrained, "FOLDER", tmp_path)
    monkeypatch.setattr(pretrained, "FILE", tmp_path / "runs.json")
    monkeypatch.setattr(pretrained, "RESULT", tmp_path / "result.json")
    monkeypatch.setattr(pretrained, "TOKENS", 512)
    monkeypatch.setattr(pretrained, "EACH", 1)
    monkeypatch.setattr(pretrained, "EVERY", 4)
    scale = Scale(steps=1, prompts=2, group=2, rate=5e-5, items=1, replies=1, dtype="bfloat16")
    monkeypatch.setattr(pretrained, "SCALE", scale)


def test_families_of_many_categories_are_divided() -> None:
    families = division()
    parts = (families.held, families.base, families.sources)
    assert sum(map(len, parts)) == len({name for part in parts for name in part}) >= 36
    assert len({registry.family(name).category for part in parts for name in part}) >= 16
    assert len(families.sources) >= max(arm.families for arm in ARMS)


def test_no_pictures_and_no_long_texts_are_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "categories", lambda: ["basics", "visual", "planning"])
    assert len(chosen()) == pretrained.OF_CATEGORY
    assert {registry.family(name).category for name in chosen()} == {"basics"}


def test_sft_goes_on_where_it_was_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = Families(held=[], base=["sums"], sources=["maxima"])
    monkeypatch.setattr(pretrained, "division", lambda: few)
    policy = NativePolicy.load(MODEL, Sampling(), dtype="float32")
    (tmp_path / "students").mkdir()
    state = tmp_path / "students" / f"{version_of(MODEL)}-{STEPS}.state"
    for step, _ in warm(policy, STEPS, state):
        if step == 6:
            break
    again = warmed(MODEL, STEPS)
    assert not state.exists()
    assert warmed(MODEL, STEPS) == again
    again.rename(tmp_path / "kept")
    assert warmed(MODEL, STEPS).name == again.name  # undisturbed


def test_no_run_learns_what_it_is_measured_by() -> None:
    families = division()
    for arm in ARMS:
        learned = {row["family"] for row in job("", arm, 0, MODEL).rows}
        assert learned <= set(drawn(families, arm.families, 0))
        assert not learned & {*families.held, *families.base}


def test_runs_are_recorded_one_by_one_and_not_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "result.json").write_text("{}")
    line = ["pretrained", str(MODEL), "--warm", str(STEPS), "--seeds", "1", "--arms", "rl-4"]
    monkeypatch.setattr("sys.argv", line)
    pretrained.main()
    runs = read_json(tmp_path / "runs.json")
    assert {key.split(" ", 1)[1] for key in runs} == {"before", f"{pretrained.SETTING} rl-4 0"}
    figures = read_json(tmp_path / "result.json")["pretrained"]
    assert figures["rl-4"]["seeds"] == 1
    assert 0 < figures["before"]["held"]["families"] <= len(division().held)
    capsys.readouterr()
    pretrained.main()
    assert "seconds" not in capsys.readouterr().out
    assert read_json(tmp_path / "runs.json") == runs
