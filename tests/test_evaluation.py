"""Evaluation: the model of abilities, the choice of items, and runs that go on."""

import json
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from puzzlemill.__main__ import app
from puzzlemill.core.errors import UserError
from puzzlemill.core.item import generate
from puzzlemill.core.rows import row_of
from puzzlemill.core.storage.files import read_json, write_json
from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.ability import LEVELS, fit, polya_gamma
from puzzlemill.difficulty.item_choice import next_cells
from puzzlemill.difficulty.policies.policy import Question, Reply
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.outputs.leaderboard import page_of, write_leaderboard
from puzzlemill.pipelines.evaluation import Evaluation, evaluate
from puzzlemill.pipelines.evaluation.lm_eval_tasks import process_results, write_tasks
from puzzlemill.pipelines.evaluation.result import cost, fate_of, pass_at

FAMILIES = ("gcd", "lcm", "sorting", "maxima", "reversal", "countdown")
TINY = PolicySettings()


class Replier:
    """Says anything; whether that is right is up to the judge."""

    def __init__(self, name: str = "oracle/t1", pictures: bool = True) -> None:
        self.id, self.pictures = name, pictures

    def takes(self, question: Question) -> bool:
        return self.pictures or not question.images

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        return [[Reply("<answer>7</answer>", counted=5)] * n for _ in questions]


def easy_ones(rows: Sequence[Mapping[str, Any]], replies: Sequence[str]) -> list[Verdict]:
    """Right below a level of .6, by a coin that is loaded."""
    verdicts = []
    for place, row in enumerate(rows):
        rate = 0.9 if row["level"] < 0.6 else 0.05
        right = Random(f"{row['uid']} {place}").random() < rate
        verdicts.append(Verdict(float(right), right, "correct" if right else "wrong"))
    return verdicts


def settings(**changes: Any) -> Evaluation:
    return Evaluation(
        **{"families": FAMILIES, "policy": TINY, "most": 48, "within": 0.0, **changes}
    )


def test_polya_gamma_variables_have_their_mean_and_variance() -> None:
    rng = np.random.default_rng(0)
    shapes, logits = np.full((20_000, 2), [1.0, 3.0]), np.full((20_000, 2), [0.0, 2.0])
    drawn = polya_gamma(shapes, logits, rng)
    # E = b / (2c) tanh(c / 2), which is b / 4 at 0; the variance of PG(1, 0) is 1 / 24.
    assert drawn.mean(0) == pytest.approx([0.25, 0.75 * np.tanh(1.0)], rel=0.02)
    assert drawn[:, 0].var() == pytest.approx(1 / 24, rel=0.06)
    assert not polya_gamma(np.zeros((2, 2)), np.ones((2, 2)), rng).any()


def test_many_replies_give_the_pass_rates_back() -> None:
    rates = np.clip(np.stack([0.95 - 0.9 * LEVELS, 0.6 - 0.5 * LEVELS]), 0.02, 0.98)
    trials = np.full(rates.shape, 200.0)
    ability = fit(["a", "b"], trials, np.round(trials * rates))
    assert ability.rates.mean(0) == pytest.approx(rates, abs=0.08)
    assert ability.of(np.array([0.5, 0.5])).mean() == pytest.approx(rates.mean(), abs=0.01)


def test_a_family_without_a_reply_is_estimated_by_its_category() -> None:
    trials = np.zeros((6, len(LEVELS)))
    trials[:2], trials[3:5] = 4.0, 4.0
    successes = trials * np.array([1, 1, 1, 0, 0, 0])[:, None]
    means = fit(["good"] * 3 + ["bad"] * 3, trials, successes).rates.mean((0, 2))
    assert means[0] > means[2] > means[5] > means[3]


def test_items_are_chosen_where_replies_tell_most() -> None:
    trials = np.full((3, len(LEVELS)), 2.0)
    successes = np.where(LEVELS < 0.5, 2.0, 0.0) * np.ones((3, 1))
    ability = fit(["a"] * 3, trials, successes)
    cells = next_cells(ability.curves, np.full((1, 3), 1 / 3), 9, np.random.default_rng(0))
    assert all(0.2 <= LEVELS[level] <= 0.8 for _, level in cells)
    assert {family for family, _ in cells} == {0, 1, 2}


@pytest.fixture(scope="module")
def adaptive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evaluations") / "one"
    evaluate(settings(again=("wording", "twin")), folder, Replier(), judge=easy_ones)
    return folder


def test_an_adaptive_test_finds_the_level(adaptive: Path) -> None:
    result = read_json(adaptive / "result.json")
    truth = float(np.mean(np.where(LEVELS < 0.6, 0.9, 0.05)))
    assert result["level"]["low"] - 0.05 < truth < result["level"]["high"] + 0.05
    assert result["replies"]["items"] == 48
    assert result["replies"]["tokens"] == 48 * 5
    assert result["by_difficulty"][0]["mean"] > 0.7 > 0.3 > result["by_difficulty"][-1]["mean"]
    again = result["again"]
    assert again["wording"]["pairs"] == 48
    assert 0 < again["twin"]["pairs"] <= 48


def test_it_goes_on_after_a_kill_to_the_same_bytes(adaptive: Path, tmp_path: Path) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / "evaluation.json").write_bytes((adaptive / "evaluation.json").read_bytes())
    replies = (adaptive / "replies.jsonl").read_bytes()
    (folder / "replies.jsonl").write_bytes(replies[: len(replies) // 2])
    evaluate(settings(again=("wording", "twin")), folder, Replier(), judge=easy_ones)
    assert (folder / "replies.jsonl").read_bytes() == replies
    assert (folder / "result.json").read_bytes() == (adaptive / "result.json").read_bytes()


def test_another_test_under_the_same_name_is_refused(adaptive: Path) -> None:
    with pytest.raises(UserError, match="another most, again: give this one another --name"):
        evaluate(settings(most=32), adaptive, Replier(), judge=easy_ones)
    with pytest.raises(UserError, match="another policy"):
        evaluate(settings(again=("wording", "twin")), adaptive, Replier("b/t1"), judge=easy_ones)


def test_a_private_seed_is_written_down_and_a_public_one_gives_all_the_same(tmp_path: Path) -> None:
    fixed = settings(items="fixed", most=24)
    for name in ("one", "two"):
        evaluate(fixed, tmp_path / name, Replier(name), judge=easy_ones)
    ledger = [json.loads(line) for line in (tmp_path / "ledger.jsonl").read_text().splitlines()]
    assert len({entry["seed"] for entry in ledger}) == 2
    public = settings(items="fixed", most=24, seed=5)
    uids = []
    for name in ("three", "four"):
        evaluate(public, tmp_path / name, Replier(name), judge=easy_ones)
        lines = (tmp_path / name / "replies.jsonl").read_text().splitlines()
        uids.append([json.loads(line)["uid"] for line in lines])
    assert uids[0] == uids[1]
    digests = [
        read_json(tmp_path / name / "result.json")["items"] for name in ("one", "three", "four")
    ]
    assert digests[0] != digests[1] == digests[2]
    assert len(set(uids[0])) == 24


def test_a_fixed_test_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    fixed = settings(items="fixed", most=100, seed=5)
    evaluate(fixed, tmp_path / "whole", Replier(), judge=easy_ones)
    whole = (tmp_path / "whole" / "replies.jsonl").read_bytes()
    told: list[str] = []
    (tmp_path / "half").mkdir()
    settings_file = (tmp_path / "whole" / "evaluation.json").read_bytes()
    (tmp_path / "half" / "evaluation.json").write_bytes(settings_file)
    (tmp_path / "half" / "replies.jsonl").write_bytes(whole[: whole.index(b'"batch": 1') + 200])
    evaluate(fixed, tmp_path / "half", Replier(), judge=easy_ones, tell=told.append)
    assert told == ["64 items asked", "100 items asked"]
    assert (tmp_path / "half" / "replies.jsonl").read_bytes() == whole


def test_families_that_a_policy_does_not_take_are_told_apart(tmp_path: Path) -> None:
    mixed = settings(families=("gcd", "clock_face"), most=20)
    result = evaluate(mixed, tmp_path / "blind", Replier(pictures=False), judge=easy_ones)
    assert list(result["families"]) == ["gcd"]
    assert "picture" in result["not_taken"]["clock_face"]
    only = settings(families=("clock_face",), most=20)
    with pytest.raises(UserError, match="takes no item of these families"):
        evaluate(only, tmp_path / "none", Replier(pictures=False), judge=easy_ones)


def test_replies_without_an_answer_are_told_apart() -> None:
    def reply(text: str, finished: bool = True) -> dict[str, Any]:
        return {"status": "unparsed", "text": text, "finished": finished}

    assert fate_of(reply("I cannot help with that.")) == "refused"
    assert fate_of(reply("I'm sorry, but no.")) == "refused"
    assert fate_of(reply("so we need", finished=False)) == "cut off"
    assert fate_of(reply("the answer is 7")) == "unparsed"
    assert fate_of({**reply("I cannot help"), "status": "wrong"}) == "wrong"


def test_pass_at_k_is_without_bias() -> None:
    def line(right: int) -> dict[str, Any]:
        return {"replies": [{"status": "correct" if at < right else "wrong"} for at in range(4)]}

    # C(4-c, 2)/C(4, 2) for c = 0, 1, 4: 1, 1/2, 0.
    shares = pass_at([line(0), line(1), line(4)], 4)
    assert shares == {
        "1": pytest.approx(5 / 12, abs=1e-4),
        "2": 0.5,
        "4": pytest.approx(2 / 3, abs=1e-4),
    }


def test_what_replies_cost_is_told_where_tokens_were_counted() -> None:
    replies = [{"text": "a", "tokens": 100, "prompt_tokens": 1000}] * 3
    assert cost(replies, (2.0, 10.0)) == pytest.approx(0.009)  # 3 (1,000 * 2 + 100 * 10) / 10^6
    assert cost(replies, (0.0, 0.0)) is None
    assert cost([*replies, {"text": "a", "tokens": 0, "prompt_tokens": 0}], (2.0, 10.0)) is None


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of 12 rows that no policy has scored."""
    home = tmp_path_factory.mktemp("bench")
    recipe = home / "bench.toml"
    recipe.write_text(
        'name = "bench"\n[[make]]\nfamilies = ["gcd", "sorting"]\nsplit = "test"\ncount = 6\n'
        'levels = [0.2, 0.5, 0.8]\n[policy]\nkind = "none"\n'
    )
    told = CliRunner().invoke(app, ["build", str(recipe), "--builds", str(home)])
    assert told.exit_code == 0, told.output
    return home / "bench"


def test_the_rows_of_a_build_are_a_test_that_goes_on_after_a_kill(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("puzzlemill.pipelines.evaluation.run.FIXED", 5)
    whole = Evaluation((), TINY, build=str(built), prices=(1.0, 1000.0))
    result = evaluate(whole, tmp_path / "whole", Replier(), judge=easy_ones)
    assert (result["test"], result["public"]) == ("build", True)
    assert result["replies"]["items"] == 12
    assert {each["items"] for each in result["families"].values()} == {6}
    assert result["replies"]["dollars"] == pytest.approx(12 * 5 / 1000)
    lines = (tmp_path / "whole" / "replies.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "killed").mkdir()
    (tmp_path / "killed" / "evaluation.json").write_bytes(
        (tmp_path / "whole" / "evaluation.json").read_bytes()
    )
    (tmp_path / "killed" / "replies.jsonl").write_text("".join(lines[:7]))
    evaluate(whole, tmp_path / "killed", Replier(), judge=easy_ones)
    assert (tmp_path / "killed" / "replies.jsonl").read_text() == "".join(lines)
    assert read_json(tmp_path / "killed" / "result.json") == result


def test_some_families_of_a_build_can_be_asked(built: Path, tmp_path: Path) -> None:
    part = Evaluation(("gcd",), TINY, build=str(built))
    result = evaluate(part, tmp_path / "part", Replier(), judge=easy_ones)
    assert list(result["families"]) == ["gcd"]
    with pytest.raises(UserError, match="has no row of these families"):
        evaluate(Evaluation(("lcm",), TINY, build=str(built)), tmp_path / "none", Replier())
    with pytest.raises(UserError, match="most has no effect where the rows of a build are asked"):
        Evaluation((), TINY, build=str(built), most=7)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"prices": (-1.0, 0.0)}, "prices are dollars for a million tokens, not -1"),
        ({"most": 0}, "most = 0 is outside"),
        ({"items": "some"}, "items is one of adaptive, fixed"),
        ({"again": ("inverse",)}, "again is some of"),
        ({"families": ("sudoko",)}, "sudoku"),
    ],
)
def test_settings_are_checked(change: dict[str, Any], fault: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=fault):
        evaluate(settings(**change), tmp_path / "none", Replier(), judge=easy_ones)
    assert not (tmp_path / "ledger.jsonl").exists()


class Model(BaseHTTPRequestHandler):
    """An OpenAI-compatible server whose model always says 7."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = {"role": "assistant", "content": "<answer>7</answer>"}
        choices = [
            {"index": place, "finish_reason": "stop", "message": message}
            for place in range(asked.get("n", 1))
        ]
        usage = {"prompt_tokens": 11, "completion_tokens": 3 * len(choices)}
        body = json.dumps({"choices": choices, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.send_error(404)

    def log_message(self, *_: object) -> None:
        pass


def test_the_command_evaluates_a_served_model(tmp_path: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_port}/v1"
        told = CliRunner().invoke(
            app, ["eval", "basics", "--url", url, "--model", "seven", "--folder", str(tmp_path)]
        )
    finally:
        server.shutdown()
        server.server_close()
    assert told.exit_code == 0, told.output
    assert "level 0.0" in told.output
    result = read_json(tmp_path / "seven" / "result.json")
    assert result["replies"]["tokens"] == 3 * result["replies"]["replies"]
    assert result["replies"]["items"] < 200  # narrow enough before
    assert "<h1>Level <em>0.0" in (tmp_path / "seven" / "page.html").read_text()


def test_a_leaderboard_compares_runs(adaptive: Path, tmp_path: Path) -> None:
    write_leaderboard([adaptive, adaptive], tmp_path / "both.html")
    page = (tmp_path / "both.html").read_text()
    assert "<em>2</em> policies compared" in page
    assert "Asked again" in page
    assert len(read_json(tmp_path / "both.json")) == 2
    result = read_json(adaptive / "result.json")
    for name, items in (("old", "a"), ("new", "b")):
        write_json(tmp_path / f"{name}.json", {**result, "items": items})
    assert "not comparable" not in page
    write_leaderboard([tmp_path / "old.json", tmp_path / "new.json"], tmp_path / "builds.html")
    other = (tmp_path / "builds.html").read_text()
    assert "not comparable" in other
    assert "Hardest for all" in other
    assert [run["name"] for run in read_json(tmp_path / "builds.json")] == ["old", "new"]
    with pytest.raises(UserError, match="finish it, or name another"):
        write_leaderboard([tmp_path], tmp_path / "none.html")
    single = page_of([{**read_json(adaptive / "result.json"), "name": "<b>one"}])
    assert "&lt;b&gt;one" in single
    assert "<b>one" not in single


def test_tasks_of_lm_eval_replace_nothing_but_themselves(tmp_path: Path) -> None:
    folder = tmp_path / "tasks"
    assert write_tasks(folder, ["gcd", "clock_face"]) == 1  # pictures are left out
    assert write_tasks(folder, ["gcd", "lcm"]) == 2
    row = row_of(generate("gcd", 0.5, 0, 1, "test")[0])
    assert process_results(row, [f"<answer>{row['answer']}</answer>"])["correct"] == 1
    assert process_results(row, ["no"]) == {"correct": 0, "score": 0, "answered": 0}
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(UserError, match="something else"):
        write_tasks(tmp_path / "mine", ["gcd"])
    assert (tmp_path / "mine" / "notes.txt").read_text() == "mine"
