"""A build behind the server, and trainers' own loops in front of it. Not part of the plain run:

    tools/set-up-loaders.sh
    .venv-loaders/bin/python -m pytest -W ignore tests/real/served_build.py

On the CPU, in two minutes: TRL trains by GRPO over Open Reward Standard, verifiers plays through
OpenEnv, and OpenEnv's client goes through the whole build. Where a model is to be right or wrong it
is played by rule.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

os.environ |= {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "TRL_EXPERIMENTAL_SILENCE": "1"}

import pytest
from adapters_rl import tokenizer, trainer_on
from adapters_verifiers import episodes_of, model
from doors import started

import puzzlemill as pm

__all__ = ["model", "tokenizer"]  # fixtures
RECIPE = """
name = "small"
[[make]]
families = ["sums", "gcd", "sorting"]
count = 8
levels = [0.0, 0.5]
[policy]
kind = "none"
"""


# OpenEnv wants version 1 of `mcp` and verifiers version 2. What OpenEnv imports of `fastmcp`, which
# keeps it to the first, nothing here calls.
for name, attributes in {
    "fastmcp": ("Client", "FastMCP"), "fastmcp.client": (), "fastmcp.client.client":
    ("CallToolResult",),
}.items():  # fmt: skip
    module = sys.modules.setdefault(name, ModuleType(name))
    for attribute in attributes:
        setattr(module, attribute, object)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("builds")
    (folder / "small.toml").write_text(RECIPE)
    build = pm.build(folder / "small.toml", builds=folder)
    yield from started("--workers", "1", "--tool", what=[str(build)])


def gold(task: Any) -> str:
    return f"<answer>{pm.item(task).answer}</answer>"


def test_trl_trains_by_grpo(
    served: str, tokenizer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENREWARD_SESSION_URL", served)
    from trl.experimental.openreward import OpenRewardSpec

    spec = OpenRewardSpec(served, num_tasks=8)
    named = ("prompt", "task_index")
    tasks = [{key: row[key] for key in row if key not in named} for row in spec.train_dataset]
    golds = {pm.item(task).prompt: gold(task) for task in tasks}
    trainer = trainer_on(spec, tokenizer, tmp_path, max_completion_length=400)
    weights = next(trainer.model.parameters())
    before = weights.detach().clone()

    def generate(prompt_ids: Any, *_: Any, **__: Any) -> Any:
        """Every second of a group submits gold."""
        replies = []
        for place, ids in enumerate(prompt_ids):
            asked = tokenizer.decode(ids)
            right = next(answer for prompt, answer in golds.items() if prompt in asked)
            submits = {"name": "submit", "arguments": {"reply": "no" if place % 2 else right}}
            call = f"<tool_call>\n{json.dumps(submits)}\n</tool_call>"
            text = "Done." if "<tool_response>" in asked else call
            replies.append([*tokenizer(text, add_special_tokens=False)["input_ids"], 1])
        return replies, None

    trainer._generate_single_turn = generate
    trainer.train()
    logs = [log for log in trainer.state.log_history if "loss" in log]
    assert [log["reward"] for log in logs] == [0.5, 0.5]
    assert not before.equal(weights)


def test_verifiers_plays_through_openenv(served: str, model: Any) -> None:
    golds = {}

    def right(messages: Any) -> str:
        said = json.loads(next(each["content"] for each in messages if each["role"] == "user"))
        task = said["observation"]["metadata"]["task"]
        golds[said["observation"]["prompt"]] = gold(task)
        return golds[said["observation"]["prompt"]]

    resets = [{"split": "train", "index": index} for index in range(4)]
    player = {"harness": {"id": "null"}, "runtime": {"type": "subprocess"}}
    taskset = {"id": "openenv", "base_url": served, "resets": resets}
    environment = {"taskset": taskset, "player": player}
    for reply, reward in ((right, 1.0), (lambda messages: "I cannot say.", 0.0)):
        found = episodes_of(model, reply, 4, environment)
        assert [trace.reward for each in found for trace in each.traces] == [reward] * 4
    assert len(golds) == 4


def test_openenv_s_client_goes_through_the_build(served: str) -> None:
    from openenv import GenericEnvClient

    with GenericEnvClient(base_url=served).sync() as client:
        for index in range(8):
            for is_gold in (True, False):
                first = client.reset(split="train", index=index)
                task = first.observation["metadata"]["task"]
                assert first.observation["prompt"] == pm.item(task).prompt
                said = client.step({"reply": gold(task) if is_gold else "I cannot say."})
                assert (said.reward, said.done) == (float(is_gold), True)
