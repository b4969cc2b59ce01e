"""Two policies' pass rates beside each other, and kept replies that are judged again (Guru)."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from puzzlemill import pipelines
from puzzlemill.__main__ import app
from puzzlemill.core.errors import UserError
from puzzlemill.core.rows import FRONTIER
from puzzlemill.core.storage.files import read_json, write_json
from puzzlemill.core.storage.parquet import read_table, write_table
from puzzlemill.difficulty.bands import BANDS, agreement, band_of
from puzzlemill.difficulty.policies.loading import load_policy
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.filters.two_policies import Settings, reason
from puzzlemill.outputs.row_rules import history_of
from puzzlemill.pipelines.integrity import file_faults
from puzzlemill.pipelines.kept_replies import changed, rejudge_recipe
from puzzlemill.pipelines.recipe import Recipe, recipe_of
from puzzlemill.pipelines.rescore import checkpoint_policy, items_to_score
from puzzlemill.pipelines.settings import Make

RECIPE = """name = "pair"
seed = 5
[[make]]
families = ["sums", "reversal"]
count = 10
levels = [0.0, 0.5]
[policy]
max_tokens = 64
[score]
most = 4
rounds = 2
signal = "none"
keep_replies = true
[filters]
weak = [0.0, 0.6]
strong = [0.3, 1.0]
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pair")
    (folder / "pair.toml").write_text(RECIPE)
    return pipelines.build(folder / "pair.toml", folder)


def rows_of(folder: Path) -> dict[str, dict[str, Any]]:
    files = sorted((folder / "dataset").rglob("*.parquet"))
    return {row["uid"]: row for file in files for row in read_table(file).to_pylist()}


def test_guru_has_seven_bands_of_pass_rates() -> None:
    rates = (0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99)
    assert [band_of(rate) for rate in rates] == list(BANDS)
    assert [band_of(cut) for cut in (0.2, 0.4, 0.6, 0.8)] == list(BANDS[2:6])


def test_what_only_the_stronger_policy_solves_is_kept() -> None:
    """Tool-Star's bucket: the weaker policy has no tools, the stronger one has."""
    only_with_tools = Settings(weak=(0.0, 0.1), strong=(0.5, 1.0))
    pairs = ((0.0, 1.0), (0.1, 0.5), (0.9, 1.0), (0.0, 0.2))
    reasons = [reason({"weak": weak, "strong": strong}, only_with_tools) for weak, strong in pairs]
    assert reasons[:2] == [None, None]
    assert reasons[2] == "too easy: over 0.1 solved by the weaker policy"
    assert reasons[3] == FRONTIER


def test_two_policies_agree_as_their_ranks_do() -> None:
    both = agreement([0.0, 0.5, 0.5, 1.0], [0.1, 0.4, 0.6, 1.0])
    # Ranks -1.5, 0, 0, 1.5 and -1.5, -0.5, 0.5, 1.5: 4.5 / sqrt(4.5 x 5).
    assert both.correlation == pytest.approx(4.5 / (4.5 * 5) ** 0.5)
    assert both.better == 0.75
    assert agreement([0.5, 0.5], [0.1, 0.2]).correlation is None


@pytest.mark.parametrize(
    ("weak", "strong", "why"),
    [
        (0.5, 0.8, None),
        (0.95, 0.99, "too easy: over 0.9 solved by the weaker policy"),
        (0.0, 0.05, FRONTIER),
        (None, 0.05, FRONTIER),
        (0.0, 0.97, "too easy: over 0.95 solved by the stronger policy"),
        (0.01, 0.5, "too hard: under 0.02 solved by the weaker policy"),
        (None, None, None),
    ],
)
def test_an_item_is_filtered_by_both(
    weak: float | None, strong: float | None, why: str | None
) -> None:
    settings = Settings((0.02, 0.9), (0.1, 0.95))
    assert reason({"weak": weak, "strong": strong}, settings) == why


def test_the_pass_rates_of_two_policies_stand_beside_each_other(
    built: Path, tmp_path: Path
) -> None:
    greedy = PolicySettings(max_tokens=64, temperature=0.3)
    folder = pipelines.rescore(built, greedy, items_to_score(built, False, 0, "strong"), tmp_path)
    rows = [row for row in rows_of(folder).values() if row["trials"]]
    assert rows
    for row in rows:
        assert row["strong"] == row["mean"]
        assert row["weak"] == history_of(row["history"])[-1]["mean"]
        assert row["dropped"] == reason(row, Settings((0.0, 0.6), (0.3, 1.0)))
    assert "A weaker and a stronger policy" in (folder / "report.html").read_text()
    assert not file_faults(folder)
    assert all(row["weak"] is row["strong"] is None for row in rows_of(built).values())


class Calculator(BaseHTTPRequestHandler):
    """An OpenAI-compatible server whose model adds up the numbers of a prompt by a tool."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        numbers = re.findall(r"[+-]?\d+", request["messages"][-1]["content"])
        message = {"content": f"<answer>{sum(map(int, numbers))}</answer>"}
        choices = [
            {"index": place, "finish_reason": "stop", "message": message}
            for place in range(request["n"])
        ]
        body = json.dumps({"choices": choices}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def calculator(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("no_proxy", "*")
    with ThreadingHTTPServer(("127.0.0.1", 0), Calculator) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def test_a_model_at_a_server_is_the_second_policy(
    built: Path, calculator: str, tmp_path: Path
) -> None:
    """Tool-Star: pass rates without tools and with them."""
    server = ["--url", calculator, "--model", "calculator", "--as", "strong"]
    command = ["rescore", str(built), *server, "--builds", str(tmp_path), "--plain"]
    told = CliRunner().invoke(app, command)
    assert told.exit_code == 0, told.output
    folder = tmp_path / "pair-rescored"
    policy = recipe_of(folder).policy
    assert (policy.kind, policy.model, policy.max_tokens) == ("endpoint", "calculator", 64)
    by_family: dict[str, list[float]] = {"sums": [], "reversal": []}
    for row in rows_of(folder).values():
        if row["trials"]:
            by_family[row["family"]].append(row["successes"] / row["trials"])
            assert row["weak"] == history_of(row["history"])[-1]["mean"]
    assert set(by_family["sums"]) == {1.0}
    assert set(by_family["reversal"]) == {0.0}


TINY = PolicySettings(max_tokens=9)
SERVED = PolicySettings("endpoint", "m", "http://a/v1", "K", max_tokens=9)


def other_policy(folder: Path, policy: PolicySettings, **changes: Any) -> PolicySettings | None:
    recipe = Recipe("a", make=(Make(("sums",)),), policy=policy)
    write_json(folder / "recipe.json", asdict(recipe))
    return checkpoint_policy(folder, changes.pop("checkpoint", None), changes)


def test_another_policy_has_what_is_not_said_from_the_recipe(tmp_path: Path) -> None:
    assert other_policy(tmp_path, SERVED, model="n") == replace(SERVED, model="n")
    moved = other_policy(tmp_path, SERVED, url="http://b/v1")
    assert moved == replace(SERVED, url="http://b/v1", key_variable=""), "a key is for one server"
    native = PolicySettings("native", "folder", max_tokens=9)
    assert other_policy(tmp_path, SERVED, kind="native", model="folder") == native
    assert other_policy(tmp_path, TINY, checkpoint="folder", style="think") == replace(
        native, style="think"
    )


@pytest.mark.parametrize(
    ("fault", "policy", "changes"),
    [
        ("of kind native needs `model`", SERVED, {"kind": "native"}),
        ("of kind endpoint needs `model`", TINY, {"url": "http://b/v1"}),
        ("model has an effect only where kind is", TINY, {"model": "m"}),
        ("max_tokens = 0 is outside", TINY, {"max_tokens": 0}),
        ("looks like http", TINY, {"url": "b", "model": "m"}),
        ("leave out model, url", TINY, {"url": "http://b", "model": "m", "checkpoint": "c"}),
    ],
)
def test_another_policy_is_checked_as_in_a_recipe(
    fault: str, policy: PolicySettings, changes: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=fault):
        other_policy(tmp_path, policy, **changes)


def test_only_a_weak_or_a_strong_policy_is_one_of_a_pair(built: Path) -> None:
    with pytest.raises(UserError, match='the "weak" or the "strong" one'):
        items_to_score(built, False, 0, "stronger")


def test_kept_replies_are_judged_again_without_a_model(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rows_of(built)
    # A reply that was right, as an older verifier would have it, and is not.
    path = next(iter(sorted((built / "stages" / "ask-1").glob("*.parquet"))))
    whole = read_table(path)
    lists, uids = whole["replies"].to_pylist(), whole["uid"].to_pylist()
    place = next(n for n, said in enumerate(lists) if said and said[0]["status"] == "correct")
    uid, text = uids[place], lists[place][0]["text"]
    lists[place][0]["text"] = "<answer>no answer</answer>"
    column = pa.array(lists, whole["replies"].type)
    write_table(path, whole.set_column(whole.column_names.index("replies"), "replies", column))

    def fails(settings: PolicySettings) -> None:
        raise AssertionError("a model was loaded")

    load_policy.cache_clear()
    monkeypatch.setattr("puzzlemill.difficulty.policies.loading.new_policy", fails)
    folder = pipelines.rejudge(built, tmp_path)
    after = rows_of(folder)
    assert after.keys() == before.keys()
    asked = [row for row in before.values() if row["trials"]]
    for row in asked:
        now = after[row["uid"]]
        assert (now["trials"], now["policy"]) == (row["trials"], row["policy"])
        assert now["successes"] == row["successes"] - (row["uid"] == uid)
        assert history_of(now["history"])[-1]["successes"] == row["successes"]
    assert after[uid]["mean"] < before[uid]["mean"]
    assert changed(folder) == (len(asked), 1)
    assert not file_faults(folder)
    assert text


def test_what_cannot_be_judged_again_is_refused(built: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not a build"):
        rejudge_recipe(tmp_path)
    copy = tmp_path / "pair"
    copy.mkdir()
    for name in ("recipe.json", "manifest.json"):
        (copy / name).write_bytes((built / name).read_bytes())
    with pytest.raises(UserError, match="keep_replies = true"):
        rejudge_recipe(copy)
    (copy / "stages").symlink_to(built / "stages")
    manifest = read_json(copy / "manifest.json")
    manifest["versions"]["sums"] += 1
    write_json(copy / "manifest.json", json.loads(json.dumps(manifest)))
    with pytest.raises(UserError, match="its items of sums are of version"):
        rejudge_recipe(copy)
