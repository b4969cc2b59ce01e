"""Adapters: which task an index is, what a reply earns, what is refused; folders written out."""

import asyncio
import json
import multiprocessing
from pathlib import Path
from types import SimpleNamespace

import pytest
from test_outputs import scored, write_build

import puzzlemill as pm
from puzzlemill.core.errors import UserError
from puzzlemill.serving.adapters.in_process import (
    copied,
    opened,
    replied,
    server_with,
    source,
    task_in,
    wait,
)
from puzzlemill.serving.adapters.openenv import server_of_export
from puzzlemill.serving.adapters.rows import rows
from puzzlemill.serving.adapters.slime import reward

NOTHING = "I do not know."


def test_a_round_has_a_task_of_each_family_and_game_and_begins_again() -> None:
    held = source("sums gcd play_nim", levels=[0.2], tasks=5)
    tasks = [held.task("train", index) for index in range(9)]
    assert [task.get("family", task.get("game")) for task in tasks] == ["sums", "gcd", "nim"] * 3
    assert [task["index"] for task in tasks] == [0, 0, 0, 1, 1, 1, 0, 0, 2]
    assert source(["sums"], tasks=1).task("train", 7)["index"] == 0


def test_an_index_is_the_same_task_as_behind_the_server() -> None:
    held = source(["sums", "gcd"], levels=[0.0, 0.5])
    served = held.server.environments["puzzlemill"].task("test", 3)
    assert held.task("test", 3) == served
    assert (served["family"], served["level"], served["split"]) == ("gcd", 0.5, "test")
    for index in (-1, 0.5):
        with pytest.raises(UserError, match="index is a whole number"):
            held.task("train", index)  # type: ignore[arg-type]


def test_neighbouring_seeds_draw_apart() -> None:
    held = source("gcd")
    drawn = {json.dumps(held.drawn("train", seed, n)) for seed in range(8) for n in range(8)}
    assert len(drawn) == 64
    assert held.drawn("train", 3, 5) == held.drawn("train", 3, 5)


def test_a_row_begins_its_task_and_replies_earn_their_score() -> None:
    (row,) = rows("gcd", [3], levels=[0.5], columns={"env_class": "puzzlemill"})
    item = pm.item(task_in(row["task"]))
    assert row["prompt"] == [{"role": "user", "content": item.prompt}]
    assert row["env_class"] == "puzzlemill"
    server = server_with({"tries": 2})
    episode = wait(opened(server, task_in(row["task"])))
    twin = copied(episode)
    assert wait(replied(server, episode, NOTHING)).done is False
    assert wait(replied(server, episode, NOTHING)).reward == 0.0
    assert wait(replied(server, twin, f"<answer>{item.answer}</answer>")).reward == 1.0
    assert not server.sessions.episodes, "an episode lasts as long as its adapter"


def test_slime_asks_for_one_reward_or_for_many() -> None:
    (row,) = rows("gcd", [3])
    answer = f"<answer>{pm.item(task_in(row['task'])).answer}</answer>"
    right, wrong = (SimpleNamespace(label=row["task"], response=said) for said in (answer, NOTHING))
    assert asyncio.run(reward(None, right)) == 1.0
    assert asyncio.run(reward(None, [wrong, right])) == [0.0, 1.0]


def _rewarded(task: str, reply: str) -> float:
    server = server_with({})
    return wait(replied(server, wait(opened(server, task_in(task))), reply)).reward


def test_a_forked_process_judges_too() -> None:
    (row,) = rows("gcd", [3])
    answer = f"<answer>{pm.item(task_in(row['task'])).answer}</answer>"
    assert _rewarded(row["task"], answer) == 1.0
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(_rewarded, (row["task"], answer)) == 1.0


def test_a_game_that_is_over_at_once_pays_at_the_first_reply() -> None:
    held = source("play_chomp", levels=[0.0])
    server = held.server
    for index in range(64):
        episode = wait(opened(server, held.task("train", index)))
        if episode.done:
            break
    turn = wait(replied(server, episode, NOTHING))
    assert (turn.reward, turn.done) == (episode.reward, True)


def test_what_an_adapter_cannot_do_is_told() -> None:
    with pytest.raises(UserError, match="shows pictures, and this adapter only text"):
        rows("jigsaw_grid", [0])
    with pytest.raises(UserError, match="spy_pictures shows pictures"):
        source("play_spy_pictures", pictures=True)
    assert "play_spy_pictures" not in source().server.environments
    with pytest.raises(UserError, match="against a rule"):
        server_with({"opponent": "session"})
    with pytest.raises(UserError, match="band"):
        rows("gcd", [0], band="0.2:0.8")
    with pytest.raises(UserError, match="tires"):
        server_with({"tires": 2})
    with pytest.raises(UserError, match="address"):
        task_in("[1]")


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = scored("sorting", "train", [7, 2, 5, 4, 1, 6]) + scored("sums", "train", [4])
    return write_build(tmp_path_factory.mktemp("builds") / "small", rows)


def test_a_folder_of_harbor_keeps_gold_to_itself(build: Path) -> None:
    from puzzlemill.outputs.exports.harbor.reward import main

    folder = pm.export(build, "harbor")
    tasks = sorted((folder / "train").iterdir())
    assert tasks
    for task in tasks:
        gold = (task / "solution" / "answer.txt").read_text()
        others = [
            file for file in task.rglob("*") if file.is_file() and "solution" not in str(file)
        ]
        assert not any(gold in file.read_text() for file in others)
    row, out = str(task / "tests" / "row.json"), task.parent.parent / "reward.txt"
    for file, score in ((task / "solution" / "answer.txt", 1.0), (task / "no-file", 0.0)):
        assert main(row, str(file), str(out)) == 0
        assert float(out.read_text()) == score


def test_a_package_of_openenv_serves_its_tasks_in_order(build: Path) -> None:
    folder = pm.export(build, "openenv")
    texts = "".join(file.read_text() for file in folder.rglob("*") if file.is_file())
    assert '"answer"' not in texts
    (environment,) = server_of_export(folder).environments.values()
    assert environment.count("train") > 0
    for index in range(environment.count("train")):
        item = pm.item(dict(environment.task("train", index)))
        assert item.certificate
        assert f'"{item.answer}"' not in texts


def test_a_folder_of_nemo_gym_has_five_judged_examples(build: Path) -> None:
    folder = pm.export(build, "nemo-gym")
    (data,) = folder.rglob("data")
    lines = (data / "example_rollouts.jsonl").read_text().splitlines()
    rollouts = [json.loads(line) for line in lines]
    assert [rollout["reward"] for rollout in rollouts] == [1.0, 0.0, 1.0, 0.0, 1.0]
    metrics = json.loads((data / "example_metrics.json").read_text())
    assert metrics["Number of examples"] == 5
