"""Exports: rows in order and whole, a reward that is right and hard to break, nothing lost."""

import importlib.util
import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import pytest
from test_outputs import scored, sealed_anew, write_build
from typer.testing import CliRunner

import puzzlemill as pm
from puzzlemill.__main__ import app
from puzzlemill.core.errors import UserError
from puzzlemill.core.replies import reply_text
from puzzlemill.core.rows import row_of
from puzzlemill.core.storage import pool
from puzzlemill.outputs.exports import EXPORTS
from puzzlemill.outputs.exports.openrlhf import reply_of
from puzzlemill.outputs.exports.trl import reward, thinking_reward
from puzzlemill.outputs.exports.verl import compute_score
from puzzlemill.outputs.rewards import label_of, score, score_all
from puzzlemill.outputs.trainer_files import writer
from puzzlemill.outputs.trainer_files.writer import export

ROOT = Path(__file__).parent.parent
KEYS = ["score", "correct", "status", "reason"]


@cache
def item_row() -> dict[str, Any]:
    return row_of(pm.generate("sorting", level=0.25)[0])


def gold(answer: str) -> str:
    return f"<answer>{answer}</answer>"


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """Kept: 6 sorting, 2 linear equations, a picture; a frontier; a few not scored."""
    rows = scored("sorting", "train", [7, 2, 5, 4, 1, 6, 0, 8])
    rows += scored("linear_equation", "train", [4, 3, 0, 0]) + scored("sums", "test", [6, 5])
    rows += scored("jigsaw_grid", "train", [4, None, None])
    return write_build(tmp_path / "sample", rows)


def read(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    found: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return found


def ranks(path: Path) -> list[int]:
    return [row["rank"] for row in read(path)]


@pytest.mark.parametrize("to", EXPORTS.names())
def test_an_export_tells_what_it_wrote_and_what_not(build: Path, to: str) -> None:
    done = export(build, to)
    found = EXPORTS.load(to)
    page = (done.folder / "README.md").read_text()
    for file, count in done.files.items():
        assert len(read(done.folder / file)) == count
        assert f"`{file}`" in page
        text = read(done.folder / file)[0]
        form = found.pictures if "pictures" in file else found.texts
        assert form is not None
        assert list(text) == [name for name, _ in form.columns]
    assert "$" not in page.replace("$ ", "")
    assert all(reason in page for reason in done.left_out)
    assert sum(done.files.values()) + sum(done.left_out.values()) == 6 + 2 + 2 + 1 + 2
    assert ("this trainer takes no pictures" in done.left_out) == (found.pictures is None)
    if found.hook:
        module, name = found.hook.split(":")
        assert f"from {module} import {name}" in (done.folder / "reward.py").read_text()


def test_rows_keep_the_order_of_training(build: Path) -> None:
    done = export(build, "trl")
    rows = read(done.folder / "train.parquet") + read(done.folder / "train-pictures.parquet")
    kept = pq.read_table(build / "dataset" / "data" / "train-00000-of-00001.parquet").to_pylist()
    assert sorted(row["rank"] for row in rows) == list(range(9))
    assert ranks(done.folder / "train.parquet") == sorted(ranks(done.folder / "train.parquet"))
    assert {row["uid"]: row["rank"] for row in rows} == {row["uid"]: row["rank"] for row in kept}


def test_stages_are_files_of_their_own(build: Path) -> None:
    done = export(build, "verl", stages=True)
    found = [name for name in done.files if "pictures" not in name and "train" in name]
    assert found == ["train-stage-1.parquet", "train-stage-2.parquet"]
    for name in found:
        stages = {row["extra_info"]["stage"] for row in read(done.folder / name)}
        assert stages == {name.removeprefix("train-").removesuffix(".parquet")}


def test_easy_to_hard_goes_by_the_pass_rate(build: Path) -> None:
    rows = read(export(build, "trl", curriculum="easy-to-hard").folder / "train.parquet")
    means = [row["mean"] for row in rows]
    assert means == sorted(means, reverse=True)
    assert means != [row["mean"] for row in read(export(build, "trl").folder / "train.parquet")]


def test_rows_come_in_any_order_from_many_row_groups(
    build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = read(export(build, "trl", curriculum="easy-to-hard").folder / "train.parquet")
    monkeypatch.setattr("puzzlemill.outputs.trainer_files.keys.AT_ONCE", 2)
    file = build / "dataset" / "data" / "train-00000-of-00001.parquet"
    pq.write_table(pq.read_table(file), file, row_group_size=3, write_page_checksum=True)
    sealed_anew(build)
    pieces = export(build, "trl", build / "pieces", curriculum="easy-to-hard").folder
    assert read(pieces / "train.parquet") == whole


def test_the_frontier_is_exported_apart(build: Path) -> None:
    rows = read(export(build, "trl", curriculum="frontier").folder / "train.parquet")
    assert {row["family"] for row in rows} == {"sorting", "linear_equation"}
    assert len(rows) == 3


def test_hints_tell_fewer_steps_from_stage_to_stage(build: Path) -> None:
    done = export(build, "trl", curriculum="hints")
    rows = read(done.folder / "train.parquet")
    assert len({row["uid"] for row in rows}) == len(rows)
    lengths: dict[str, list[int]] = {}
    for row in rows:
        (message,) = row["prompt"]
        lengths.setdefault(row["uid"].partition("+")[0], []).append(len(message["content"]))
        assert message["content"].endswith("between <answer> and </answer>.")
        assert score(row, gold(row["answer"]))["correct"]
        assert ("A solution begins so:" in message["content"]) == (row["stage"] != "hint-0")
    assert len(lengths) == 2
    assert all(each == sorted(each, reverse=True) and len(each) > 1 for each in lengths.values())
    assert done.left_out["its family tells no steps"] == 4  # one item at four ratios


def test_a_tiny_set_has_as_many_skills_as_can_be(build: Path) -> None:
    done = export(build, "verl", curriculum="tiny:3", unscored=False)
    chosen = [
        *read(done.folder / "train.parquet"),
        *read(done.folder / "train-pictures.parquet"),
    ]
    assert {row["extra_info"]["family"] for row in chosen} == {
        "sorting",
        "linear_equation",
        "jigsaw_grid",
    }
    assert done.files["test.parquet"] == 2  # what is measured on stays whole


def test_worked_replies_are_judged_before_they_are_taught(build: Path) -> None:
    done = export(build, "sft")
    for row in read(done.folder / "train.parquet"):
        question, reply = row["messages"]
        assert [question["role"], reply["role"]] == ["user", "assistant"]
        assert score(row, reply["content"])["correct"]
        assert reply["content"].count("\n") > 0
    assert done.left_out["its family tells no steps"] == 6


def test_a_reply_that_goes_astray_finds_back_and_is_right(build: Path) -> None:
    done = export(build, "sft-backtracks")
    rows = read(done.folder / "train.parquet")
    whole = {row["uid"]: row["messages"][1]["content"] for row in read_sft(build)}
    assert {row["uid"] for row in rows} == set(whole)
    for row in rows:
        reply = row["messages"][1]["content"]
        assert score(row, reply)["correct"]
        before, back, after = reply.partition("No, I misread that. Once more:\n")
        assert back
        right = whole[row["uid"]].splitlines()
        shared = len(right) - len(after.splitlines())
        assert before.splitlines()[:shared] == right[:shared]
        wrong = before.splitlines()[shared:]
        assert wrong
        assert not set(wrong) & set(right)  # what is taken back is really wrong
        assert right[shared:] == after.splitlines()


def read_sft(build: Path) -> list[dict[str, Any]]:
    return read(export(build, "sft").folder / "train.parquet")


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Items with options and with open answers, of three domains; some were scored before."""
    rows = scored("sorting", "train", [2, 1]) + scored("gcd", "train", [6, 5, 4])
    rows += scored("gcd+options", "train", [3, 7]) + scored("sums", "test", [6, 5])
    rows += scored("gcd+claim", "train", [4])
    for row, earlier in zip(rows, (0.9, 0.3, 0.65, None, 0.1), strict=False):
        scores = [{"mean": earlier, "policy": "p"}]
        row["history"] = json.dumps(scores) if earlier is not None else None
    return write_build(tmp_path_factory.mktemp("mixed") / "mixed", rows)


def test_yes_or_no_and_options_come_before_open_answers(mixed: Path) -> None:
    rows = read(export(mixed, "trl", curriculum="formats").folder / "train.parquet")
    stages = ["yes-no"] + ["choice"] * 2 + ["open"] * 5 + ["retention"]
    assert [row["stage"] for row in rows] == stages
    assert [row["family"] for row in rows[:3]] == ["gcd+claim"] + ["gcd+options"] * 2
    means = [row["mean"] for row in rows[3:8]]
    assert means == sorted(means, reverse=True)
    assert rows[-1]["uid"].removesuffix("*2") in {row["uid"] for row in rows[:-1]}


def test_domains_come_one_after_another(mixed: Path) -> None:
    rows = read(export(mixed, "trl", curriculum="domains").folder / "train.parquet")
    number_theory = rows[0]["category"]
    assert [row["stage"] for row in rows] == [number_theory] * 6 + ["basics"] * 2
    page = (mixed / "exports/trl-domains/README.md").read_text()
    assert "| domain | items | characters of a reply | milliseconds of a verdict |" in page
    assert f"| {number_theory} | 6 | not kept | " in page
    done = export(mixed, "trl", curriculum="domains:basics", stages=True)
    assert done.folder.name == "trl-domains-basics-stages"
    assert [name for name in done.files if "train" in name] == [
        "train-basics.parquet",
        f"train-{number_theory}.parquet",  # nothing is lost
    ]
    with pytest.raises(UserError, match="unknown domain 'logik'"):
        export(mixed, "trl", curriculum="domains:logik")


def test_the_items_whose_pass_rate_varied_most_are_chosen_and_repeated(mixed: Path) -> None:
    done = export(mixed, "trl", curriculum="varied:2x3")
    rows = read(done.folder / "train.parquet")
    assert [round(row["mean"], 2) for row in rows] == [0.28, 0.5] * 3  # were 0.9 and 0.1
    assert len({row["uid"] for row in rows}) == 6
    assert [row["rank"] for row in rows] == list(range(6))
    assert all(score(row, gold(row["answer"]))["correct"] for row in rows)
    assert done.files["test.parquet"] == 2
    assert "2 of the kept items to train on whose" in (done.folder / "README.md").read_text()
    assert len(read(export(mixed, "trl", curriculum="varied:99").folder / "train.parquet")) == 4


def test_an_ablation_is_of_a_size_a_diversity_and_a_band(mixed: Path) -> None:
    def families(preset: str) -> list[str]:
        done = export(mixed, "trl", curriculum=f"ablation:{preset}")
        return [row["family"] for row in read(done.folder / "train.parquet")]

    assert families("3:narrow:mixed") == ["gcd"] * 3
    # Two of each set of skills: variants have their origin's.
    roots = [family.partition("+")[0] for family in families("4:broad:mixed")]
    assert Counter(roots) == {"gcd": 2, "sorting": 2}
    # Of eight replies 7 and 6 were right, (n + 1/2) / 9: .83 and .72; and 2 and 1: .28 and .17.
    assert sorted(families("2:broad:easy")) == ["gcd", "gcd+options"]
    assert families("2:narrow:hard") == ["sorting"] * 2
    page = (mixed / "exports/trl-ablation-2-narrow-hard/README.md").read_text()
    assert "2 items of 1 families" in page
    assert "pass rates of 0.22 on average, with a standard deviation of 0.06." in page
    with pytest.raises(UserError, match="2 items to train on are hard"):
        families("3:broad:hard")
    with pytest.raises(UserError, match="it is ablation:N"):
        families("3:deep:hard")


def test_what_was_scored_once_has_not_varied(build: Path) -> None:
    with pytest.raises(UserError, match="scored more than once"):
        export(build, "trl", curriculum="varied:3")


def test_each_stage_is_a_config(mixed: Path, tmp_path: Path) -> None:
    import datasets  # takes seconds

    folder = str(export(mixed, "verl", curriculum="formats", stages=True).folder)
    cache = str(tmp_path / "cache")
    stages = ["yes-no", "choice", "open", "retention"]
    assert datasets.get_dataset_config_names(folder) == stages
    rows = datasets.load_dataset(folder, "choice", cache_dir=cache)["train"]
    assert {row["extra_info"]["stage"] for row in rows} == {"choice"}


def test_what_the_policy_said_goes_beside_the_items(tmp_path: Path) -> None:
    (tmp_path / "said.toml").write_text(
        'name = "said"\nseed = 2\n[[make]]\nfamilies = ["sums"]\ncount = 12\nlevels = [0.5]\n'
        '[policy]\nkind = "tiny"\n[score]\nfirst = 2\nmost = 4\nkeep_replies = true\n'
    )
    folder = pm.build(tmp_path / "said.toml", builds=tmp_path)
    done = export(folder, "trl", replies=True)
    items = {row["uid"]: row for row in read(done.folder / "train.parquet")}
    replies = read(done.folder / "replies.parquet")
    assert done.files["replies.parquet"] == len(replies)
    assert {reply["uid"] for reply in replies} == set(items)
    rows = read(folder / "dataset/data/train-00000-of-00001.parquet")
    for row in rows:
        own = [reply for reply in replies if reply["uid"] == row["uid"]]
        assert len(own) == row["trials"]
        assert sum(reply["status"] == "correct" for reply in own) == row["successes"]
        assert all(score(row, each["reply"])["score"] == each["score"] for each in own)
    assert "- config_name: replies" in (done.folder / "README.md").read_text()


def test_replies_that_were_not_kept_cannot_be_exported(build: Path) -> None:
    with pytest.raises(UserError, match="keep_replies = true"):
        export(build, "trl", replies=True)


def test_items_that_were_not_scored_come_after_the_others(build: Path) -> None:
    done = export(build, "trl", unscored=True)
    rows = read(done.folder / "train-pictures.parquet")
    assert [row["stage"] for row in rows[1:]] == ["unscored"] * 2
    assert [row["rank"] for row in rows[1:]] == [9, 10]
    assert not done.left_out


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"to": "verll"}, "--to: unknown export 'verll'; did you mean 'verl'"),
        ({"curriculum": "easy_to_hard"}, "--curriculum: .* did you mean 'easy-to-hard'"),
        ({"curriculum": "tiny:0"}, "it is tiny:N"),
        ({"curriculum": "varied:3x"}, "it is varied:N"),
        ({"curriculum": "ranked:3"}, "it is ranked"),
        ({"curriculum": "domains:a,,b"}, "name each domain once"),
        ({"to": "sft", "curriculum": "hints"}, "need no hints"),
        ({"curriculum": "frontier", "unscored": True}, "--unscored goes with"),
    ],
)
def test_what_is_asked_wrongly_is_told_before_anything_is_written(
    build: Path, settings: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(UserError, match=complaint):
        export(build, **{"to": "trl", **settings})
    assert not (build / "exports").exists()


def test_only_a_finished_build_is_exported(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no finished build"):
        export(tmp_path, "trl")


def test_a_build_of_another_version_of_a_family_is_refused(tmp_path: Path) -> None:
    rows = scored("sorting", "train", [4])
    rows[0]["version"] += 1
    with pytest.raises(UserError, match="sorting is of version 2 there and 1 here"):
        export(write_build(tmp_path / "sample", rows), "trl")


def test_nothing_to_export_is_an_error(tmp_path: Path) -> None:
    folder = write_build(tmp_path / "sample", scored("jigsaw_grid", "train", [4]))
    with pytest.raises(UserError, match="nothing that nemo-rl takes is left: 1 row"):
        export(folder, "nemo-rl")
    with pytest.raises(UserError, match="no item to export as 'frontier'"):
        export(folder, "trl", curriculum="frontier")
    assert list((folder / "exports").iterdir()) == []


def test_only_an_export_of_ours_is_replaced(build: Path, tmp_path: Path) -> None:
    for folder in (build, tmp_path):
        with pytest.raises(UserError, match="no export; name another folder"):
            export(build, "trl", folder)
    other = tmp_path / "other"
    other.mkdir()
    for text in ("{}", "[]", "not JSON"):
        (other / "export.json").write_text(text)
        with pytest.raises(UserError, match="no export; name another folder"):
            export(build, "trl", other)
    out = tmp_path / "out"
    export(build, "trl", out)
    (out / "__pycache__").mkdir()
    (out / "__pycache__" / "reward.pyc").touch()
    assert "compute_score" in (export(build, "verl", out).folder / "reward.py").read_text()
    (out / "checkpoint.bin").touch()
    with pytest.raises(UserError, match=r"holds checkpoint\.bin, which no export wrote"):
        export(build, "trl", out)
    assert (out / "checkpoint.bin").is_file()


def test_an_export_that_fails_leaves_the_old_one(
    build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = export(build, "trl").folder
    before = (folder / "export.json").read_bytes()
    monkeypatch.setattr(writer, "_page", lambda *given: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        export(build, "trl")
    assert (folder / "export.json").read_bytes() == before
    assert [each.name for each in folder.parent.iterdir()] == ["trl"]


def test_the_command_says_what_was_left_out(build: Path) -> None:
    told = CliRunner().invoke(app, ["export", str(build), "--to", "open-instruct"])
    assert told.exit_code == 0, told.output
    assert "left out: 1 rows, as this trainer takes no pictures" in told.output
    assert "left out: 2 rows, as they were not scored" in told.output
    assert "README.md" in told.output


def test_the_same_build_gives_the_same_bytes(build: Path, tmp_path: Path) -> None:
    found = [export(build, "verl", tmp_path / name).folder for name in ("one", "two")]
    for path in found[0].glob("*.parquet"):
        assert path.read_bytes() == (found[1] / path.name).read_bytes()


# The reward

ODD = (
    *("", " ", "\ud800", "\x00" * 9, "<answer>" * 9999, "\\boxed{" * 9999, "9" * 1_000_000),
    *(None, 7, b"<answer>1</answer>", [], {}, [None], [[]], {"content": None}, ({},), object()),
    *([{"role": "assistant"}], [{"role": "assistant", "content": [{"type": "image"}, 3]}]),
    {"role": "assistant", "content": {"text": "<answer>1</answer>"}},
)


def test_no_reply_makes_the_scorer_raise_and_the_keys_are_always_the_same() -> None:
    row = item_row()
    replies = [*ODD, gold(row["answer"])]
    found = score_all([row] * len(replies), replies)
    assert [list(each) for each in found] == [KEYS] * len(replies)
    assert [each["correct"] for each in found] == [False] * len(ODD) + [True]
    assert {each["status"] for each in found[:-1]} == {"unparsed"}


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("a", "a"),
        ({"role": "assistant", "content": "a"}, "a"),
        ([{"role": "assistant", "content": "a"}], "a"),
        ([{"role": "assistant", "content": "b"}, {"role": "assistant", "content": "a"}], "a"),
        ([{"role": "assistant", "content": "a"}, {"role": "tool", "content": "b"}], "a"),
        ([{"role": "user", "content": "<answer>1</answer>"}], ""),
        ([{"content": "a"}], "a"),
        (
            [{"role": "assistant", "content": [{"text": "a"}, {"type": "image"}, {"text": "b"}]}],
            "ab",
        ),
    ],
)
def test_a_reply_may_be_text_or_messages(reply: Any, text: str) -> None:
    assert reply_text(reply) == text


def test_what_stands_in_a_thought_is_no_answer_even_if_the_template_opened_it() -> None:
    row = item_row()
    right = gold(row["answer"])
    columns = {name: [row[name]] for name in ("uid", "family", "version", "puzzle")}
    for reply, whole, thought in (
        (right, 1.0, 0.0),
        (f"Hm.</think>{right}", 1.0, 1.0),
        (f"<think>Hm.</think>{right}", 1.0, 1.0),
        (f"{right}</think>", 0.0, 0.0),
    ):
        assert score(row, reply)["score"] == whole
        assert score(row, reply, thinking=True)["score"] == thought
        assert thinking_reward([reply], **columns) == [thought]
        assert compute_score("", reply, "", row, thinking=True)["score"] == thought


def test_a_row_that_cannot_be_judged_is_told_and_not_scored_as_wrong() -> None:
    row = item_row()
    for changed, complaint in (
        ({"version": 99}, "made by version 99"),
        ({"puzzle": "{}"}, "is no puzzle of sorting"),
        ({"family": "sortng"}, "did you mean 'sorting'"),
    ):
        with pytest.raises(UserError, match=complaint):
            score(row | changed, gold(row["answer"]))
    with pytest.raises(UserError, match="lacks version, puzzle"):
        score({"uid": "a", "family": "sorting"}, "")


def test_many_threads_share_the_workers() -> None:
    row = item_row()
    replies = [gold(row["answer"]), "<answer>1</answer>"] * 20
    with ThreadPoolExecutor(20) as threads:
        found = list(threads.map(lambda reply: score(row, reply)["score"], replies))
    assert found == [1.0, 0.0] * 20
    assert len(pool._resting) <= 8


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # there are threads
def test_a_forked_child_scores_and_leaves_its_parents_workers_alone() -> None:
    row = item_row()
    reply = gold(row["answer"])
    assert score(row, reply)["correct"]
    child = os.fork()
    if child == 0:
        try:
            right = score(row, reply)["correct"]
            pool._send_home()
            os._exit(0 if right else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert all(worker.process.poll() is None for worker in pool._resting)
    assert score(row, reply)["correct"]


HANGING = Template(
    """
import sys, time
from dataclasses import replace
from pathlib import Path

import puzzlemill.outputs.rewards as rewards

rewards.SECONDS = 1.5
row = {"uid": "a", "family": "trouble", "version": 1, "puzzle": $puzzle}
start = time.monotonic()
found = rewards.score_all([row] * 3, [f"<answer>{n}</answer>" for n in ("$right", "7", "8")])
print([(each["status"], each["score"]) for each in found], time.monotonic() - start < 15)
print(not {"torch", "pyarrow", "transformers", "pandas", "datasets"} & set(sys.modules))
"""
)
TROUBLE = """

from dataclasses import replace as _replace
from time import sleep as _sleep


def _troubled(puzzle, answer):
    if list(answer) == [7]:
        _sleep(60)
    if list(answer) == [8]:
        raise RuntimeError("a verifier of ours crashed")
    return verify(puzzle, answer)


FAMILY = _replace(FAMILY, verify=_troubled)
"""


def test_a_verifier_that_hangs_or_crashes_costs_its_own_reply_only(tmp_path: Path) -> None:
    """And nothing heavy was imported on the way."""
    families = tmp_path / "guests" / "families"
    families.mkdir(parents=True)
    for folder in (families, families.parent):
        (folder / "__init__.py").touch()
    sorting = (ROOT / "generators" / "basics" / "sorting.py").read_text()
    (families / "trouble.py").write_text(sorting + TROUBLE)
    metadata = tmp_path / "guests-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: guests\nVersion: 1.0\n")
    points = "[puzzlemill.families]\nvisitors = guests.families\n"
    (metadata / "entry_points.txt").write_text(points)
    code = HANGING.substitute(puzzle=repr(item_row()["puzzle"]), right=item_row()["answer"])
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    told = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert told.stdout.splitlines() == [
        "[('correct', 1.0), ('error', 0.0), ('error', 0.0)] True",
        "True",
    ], told.stderr


# The hooks


def test_trl_gets_none_where_our_own_code_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    row = item_row()
    columns = {name: [row[name]] * 2 for name in ("uid", "family", "version", "puzzle", "level")}
    logged: dict[str, float] = {}
    replies = [gold(row["answer"]), "none"]
    given = {"prompts": ["", ""], "completions": replies, "log_metric": logged.__setitem__}
    assert reward(**given, **columns) == [1.0, 0.0]
    assert logged == {"correct": 0.5, "unparsed": 0.5, "error": 0.0}
    failed = {"score": 0.0, "correct": False, "status": "error", "reason": ""}
    monkeypatch.setattr(
        "puzzlemill.outputs.exports.trl.score_all", lambda rows, replies, _: [failed] * len(replies)
    )
    assert reward(replies, **columns) == [None, None]


def test_trl_is_told_when_the_columns_do_not_reach_the_reward() -> None:
    with pytest.raises(UserError, match="lacks uid, family"):
        reward(["<answer>1</answer>"], prompts=[""])


def test_verl_gets_numbers_under_the_same_keys() -> None:
    row = item_row()
    for reply, right in ((gold(row["answer"]), 1.0), ("<answer>0</answer>", 0.0), ("none", 0.0)):
        found = compute_score("puzzlemill/sorting", reply, row["answer"], row, more=1)
        assert list(found) == ["score", "acc", "unparsed", "error"]
        assert found["score"] == found["acc"] == right


@pytest.mark.parametrize(
    ("prompt", "query", "reply"),
    [
        ("<answer> and </answer>. A:", "<answer> and </answer>. A:5", "5"),
        ("x <image> </answer>. A:", "x <pad><pad> </answer>. A:5", "5"),
        ("x <image>", "x <pad>5", None),
        ("y" * 99 + "</answer>. A:", "y" * 70 + "</answer>. A:5", "5"),
        ("</answer><think>\n", "</answer><think>\n5", "<think>5"),
        ("q", "q q</answer>", " q</answer>"),
        ("gone", "5", None),
        ("", "5", None),
    ],
)
def test_openrlhf_s_prompt_is_no_part_of_the_reply(
    prompt: str, query: str, reply: str | None
) -> None:
    assert reply_of(query, prompt) == reply


class Tensor(list[float]):
    """As much of torch's as is asked for; the real one is in tests/real."""

    def tolist(self) -> list[float]:
        return list(self)


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch takes seconds to import."""
    held = SimpleNamespace(tensor=Tensor, ones=lambda count: Tensor([1.0] * count))
    monkeypatch.setitem(sys.modules, "torch", held)


@pytest.mark.usefixtures("torch")
def test_openrlhf_pays_for_the_reply_and_not_for_the_prompt() -> None:
    from puzzlemill.outputs.exports.openrlhf import reward_func

    row = item_row()
    prompt = f"<|user|>{row['prompt'][0]['content']}<|end|><|assistant|>"
    told = f"Is it {gold(row['answer'])}? <|assistant|>"  # a prompt that tells the answer
    queries = [prompt + gold(row["answer"]), prompt + "I pass.", told + "I pass.", "cut"]
    found = reward_func(queries, [prompt, prompt, told, prompt], [label_of(row)] * 4)
    assert found["scores"].tolist() == [1.0, 0.0, 0.0, 0.0]
    assert found["extra_logs"]["error"].tolist() == [0.0, 0.0, 0.0, 1.0]


@dataclass
class Result:
    score: float


class VerifierFunction:
    """As in open-instruct's ground_truth_utils."""

    def __init__(self, name: str, weight: float = 1.0, verifier_config: Any = None) -> None:
        self.name, self.weight = name, weight


class EnvironmentReturn(NamedTuple):
    """As in NeMo-RL's interfaces."""

    observations: list[dict[str, str]]
    metadata: list[Any]
    next_stop_strings: list[Any]
    rewards: Any
    terminateds: Any
    answers: Any = None


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, **held: Any) -> None:
    """A module that is on no registry, as its source has it."""
    for place in range(1, name.count(".") + 2):
        path = ".".join(name.split(".")[:place])
        if path not in sys.modules:
            monkeypatch.setitem(sys.modules, path, ModuleType(path))
    for key, value in held.items():
        monkeypatch.setattr(sys.modules[name], key, value, raising=False)


def hook(name: str) -> ModuleType:
    """A hook, imported anew."""
    path = ROOT / "outputs" / "exports" / name / "reward.py"
    spec = importlib.util.spec_from_file_location(f"hook_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_open_instruct_finds_the_verifier_by_its_name(
    build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = {"VerifierFunction": VerifierFunction, "VerificationResult": Result}
    stand_in(monkeypatch, "open_instruct.ground_truth_utils", **held)
    hook("open_instruct")
    (kind,) = VerifierFunction.__subclasses__()
    verifier = kind(SimpleNamespace())  # type: ignore[arg-type]
    row = read(export(build, "open-instruct").folder / "train.parquet")[0]
    assert verifier.name.lower() == row["dataset"]
    given = {"tokenized_prediction": [1], "label": row["ground_truth"], "query": None}
    right = gold(answers(build)[json.loads(row["ground_truth"])["uid"]])
    assert verifier(prediction=right, **given).score == 1.0  # type: ignore[operator]
    assert verifier(prediction="none", **given).score == 0.0  # type: ignore[operator]
    given["query"] = "<|assistant|><think>\n"
    assert verifier(prediction=right, **given).score == 0.0  # type: ignore[operator]


def answers(build: Path) -> dict[str, str]:
    rows = read(build / "dataset" / "data" / "train-00000-of-00001.parquet")
    return {row["uid"]: row["answer"] for row in rows}


@pytest.mark.usefixtures("torch")
def test_nemo_rl_s_environment_scores_a_batch(build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    actors: dict[str, str] = {}
    known: dict[str, str] = {}
    stand_in(monkeypatch, "ray", remote=lambda kind: kind)
    where = "nemo_rl.distributed"
    stand_in(
        monkeypatch,
        f"{where}.ray_actor_environment_registry",
        ACTOR_ENVIRONMENT_REGISTRY=actors,
    )
    stand_in(
        monkeypatch, f"{where}.virtual_cluster", PY_EXECUTABLES=SimpleNamespace(SYSTEM="python")
    )
    interfaces = {"EnvironmentInterface": object, "EnvironmentReturn": EnvironmentReturn}
    stand_in(monkeypatch, "nemo_rl.environments.interfaces", **interfaces)
    utilities = {"ENV_REGISTRY": known, "register_env": known.__setitem__}
    stand_in(monkeypatch, "nemo_rl.environments.utils", **utilities)
    module = hook("nemo_rl")
    module.register()
    module.register()
    assert list(known) == ["puzzlemill"]
    assert list(actors) == list(known.values())
    rows = read(export(build, "nemo-rl").folder / "train.jsonl")
    question, truth = rows[0]["messages"]
    uid = json.loads(truth["content"])["uid"]
    logs = [
        [question, {"role": "assistant", "content": reply}]
        for reply in (gold(answers(build)[uid]), "none")
    ]
    metadata = [{"ground_truth": truth["content"]}] * 2
    found = module.PuzzlemillEnvironment({}).step(logs, metadata)
    assert found.rewards.tolist() == [1.0, 0.0]
    assert found.terminateds.tolist() == [1.0, 1.0]
    assert [each["content"] for each in found.observations] == ["correct", "unparsed"]
