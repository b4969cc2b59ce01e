"""The trainer: its maths by hand, and a run that stops and goes on as if it had not."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from puzzlemill import pipelines
from puzzlemill.core.checking import Verdict
from puzzlemill.core.errors import UserError
from puzzlemill.core.recipe import Train
from puzzlemill.difficulty.policies.policy import Question, Reply
from puzzlemill.difficulty.policies.transformer import Shape, fresh
from puzzlemill.outputs.report import write_report
from puzzlemill.trainer.asking import Asker, Memory
from puzzlemill.trainer.batch import Text, batches
from puzzlemill.trainer.course import Course, Stored
from puzzlemill.trainer.grpo import logps
from puzzlemill.trainer.run import train

RECIPE = """name = "train"
seed = 5
[[make]]
families = ["sums", "sorting"]
count = 60
levels = [0.25, 0.5]
[policy]
max_tokens = 64
[score]
most = 8
rounds = 4
[train]
steps = 6
prompts = 4
group = 4
save_every = 2
heldout = 2
"""


def test_batches_hold_every_text_once_and_stay_within_the_tokens() -> None:
    texts = [
        Text((1,) * (3 + n % 5), (2,) * (1 + n % 7), (0.0,) * (1 + n % 7), n) for n in range(40)
    ]
    found = list(batches(texts, 70, torch.device("cpu")))
    assert sum(len(batch.replies_BT) for batch in found) == 40
    assert sum(len(batch.prompts_QP) for batch in found) == 5, "each prompt once"
    advantages = [value for batch in found for value in batch.advantage_N.tolist()]
    assert sorted(set(advantages)) == list(range(40))
    for batch in found:
        assert batch.said_BT.sum() == len(batch.targets_N) == len(batch.advantage_N)
        assert (batch.targets_N == 2).all()
    assert all(batch.prompts_QP.numel() + batch.replies_BT.numel() <= 70 for batch in found)


def test_a_group_too_large_for_a_batch_is_cut() -> None:
    texts = [Text((1,) * 10, (2,) * length, (0.0,) * length, 0.0) for length in range(1, 31)]
    found = list(batches(texts, 60, torch.device("cpu")))
    assert sum(len(batch.replies_BT) for batch in found) == 30
    assert all(batch.prompts_QP.numel() + batch.replies_BT.numel() <= 60 for batch in found)


@pytest.mark.parametrize("most", [1, 2, 5])
def test_a_prompt_that_is_read_once_gives_the_same_as_one_read_for_each_reply(most: int) -> None:
    """With padding between tokens, with hardly any, and with replies of a single token."""
    model = fresh(Shape(32, 2, 4, 2, 8, 48, 50), seed=1)
    texts = [
        Text(prompt, reply[:most], (0.0,) * len(reply[:most]), 0.0)
        for prompt in ((3, 4, 5, 6), (7, 8))
        for reply in ((9, 10, 11), (12,), (13, 14, 15, 16, 17))
    ]
    (batch,) = batches(texts, 1000, torch.device("cpu"))
    found_N, _ = logps(model, batch, 1.0, False)
    found_N.square().sum().backward()
    found = [weight.grad for weight in model.parameters()]
    model.zero_grad(set_to_none=True)
    whole = []
    replies = batch.replies_BT.tolist()
    for row, place in enumerate(batch.question_B.tolist()):
        prompt = batch.prompts_QP[place, : batch.length_Q[place]].tolist()
        reply = replies[row][: int(batch.said_BT[row].sum())]
        hidden_TD = model(torch.tensor([prompt + reply]))[0][len(prompt) - 1 : -1]
        logp_TV = model.logits(hidden_TD).log_softmax(dim=1)
        whole.append(logp_TV.gather(1, torch.tensor(reply)[:, None])[:, 0])
    wanted_N = torch.cat(whole)
    assert torch.allclose(found_N, wanted_N, atol=1e-5)
    wanted_N.square().sum().backward()
    for grad, weight in zip(found, model.parameters(), strict=True):
        assert grad is not None
        assert weight.grad is not None
        assert torch.allclose(grad, weight.grad, atol=1e-4)


def test_what_all_fail_is_asked_again_with_one_hint_at_a_time() -> None:
    row = {
        "uid": "one",
        "family": "sums",
        "level": 0.5,
        "mean": 0.5,
        "images": [],
        "answer": "48",
        "puzzle": '{"start":12,"numbers":[30,-7,5,8]}',
        "prompt": [{"role": "user", "content": "Add up.\n\nAnswer with one integer."}],
    }
    asked: list[str] = []

    def sample(questions: Sequence[Question], n: int) -> list[list[Reply]]:
        asked.extend(question.messages[-1]["content"] for question in questions)
        return [[Reply("", tokens=(1,), logps=(0.0,))] * n for _ in questions]

    def judge(rows: Any, replies: Any) -> list[Verdict]:
        right = "42-7" in asked[-1]
        return [Verdict(float(right and n % 2), False, "partial") for n, _ in enumerate(replies)]

    policy: Any = SimpleNamespace(sample=sample)
    settings = Train(prompts=1, group=2, hints=(0.25, 0.5, 0.75))
    course = Course(Stored([row]), "uniform")
    found = Asker(policy, course, settings, judge, Memory()).gather(0)
    assert [text.count("A solution begins so") for text in asked] == [0, 1, 1]
    assert len(found.asked) == 3
    assert len(found.kept) == 1, "the half of the solution is enough"
    assert found.kept.asked[0].row["prompt"][0]["content"] == asked[-1]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("builds")
    (folder / "train.toml").write_text(RECIPE)
    return pipelines.build(folder / "train.toml", folder)


class Killed(Exception):
    """Stands in for the process ending in the middle of a run."""


EVERYTHING = {
    "curriculum": "thompson",
    "refills": 1,
    "oversample": 1.5,
    "hints": [0.5],
    "explain": 0.5,
    "extra": 8,
    "replay": 6,
    "lag": 1,
    "tries": 2,
    "loss": {"kl": 0.01, "reference_every": 3, "entropy": 0.01, "ratio": "gspo"},
    "reward": {"overlong": 16},
}
ENDLESS = {
    "source": "endless",
    "curriculum": "raising",
    "warm": {"steps": 2},
    "loss": {"kl": 0.01, "reference_kept": 0.9, "entropy_aim": 1.0, "correction": "tis"},
    "unseen": ["sorting"],
}


@pytest.mark.parametrize(
    "changes", [{}, EVERYTHING, ENDLESS], ids=["plain", "with everything on", "endless"]
)
def test_a_run_that_is_killed_goes_on_as_if_it_had_not_been(
    built: Path, tmp_path: Path, changes: dict[str, Any]
) -> None:
    straight = tmp_path / "straight"
    broken = tmp_path / "broken"
    for folder in (straight, broken):
        shutil.copytree(built, folder)
        recipe = json.loads((folder / "recipe.json").read_text())
        recipe["train"] |= changes
        (folder / "recipe.json").write_text(json.dumps(recipe))
    whole = train(straight)

    def kill(step: object, steps: int) -> None:
        if getattr(step, "step", None) == 4:  # past the checkpoint of step 4, before that of 6
            raise Killed

    with pytest.raises(Killed):
        train(broken, kill)
    again = train(broken)

    write_report(straight)  # it takes the record as it is, whatever was switched on
    assert again.name == whole.name
    for name in ("model.safetensors", "optimizer.safetensors"):
        assert (again / name).read_bytes() == (whole / name).read_bytes()
    assert records(broken) == records(straight)


def records(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "training" / "metrics.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    return [{name: line[name] for name in line if name != "seconds"} for line in found]


def test_going_on_with_other_settings_or_data_is_refused(built: Path, tmp_path: Path) -> None:
    folder = tmp_path / "changed"
    shutil.copytree(built, folder)
    train(folder)
    recipe = json.loads((folder / "recipe.json").read_text())
    recipe["train"]["learning_rate"] = 0.5
    (folder / "recipe.json").write_text(json.dumps(recipe))
    with pytest.raises(UserError, match="other settings"):
        train(folder)
