"""The trainer: its maths by hand, and a run that stops and goes on as if it had not."""

import json
import shutil
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from math import inf, nan
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from puzzlemill import pipelines
from puzzlemill.commands.train import train as command
from puzzlemill.core.errors import UserError
from puzzlemill.core.item import generate
from puzzlemill.core.rows import row_of
from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.item_history import read_item_history
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.forward_pass import completion_logps
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.policy import Question, Reply
from puzzlemill.difficulty.policies.transformer import Shape, fresh
from puzzlemill.difficulty.scoring import judge_here
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.outputs.report import write_report
from puzzlemill.trainer.adamw import AdamW
from puzzlemill.trainer.build_items import BuildItems
from puzzlemill.trainer.collector import Collector
from puzzlemill.trainer.logps import logps
from puzzlemill.trainer.loop import StepRecord
from puzzlemill.trainer.micro_batch import Sample, micro_batches
from puzzlemill.trainer.optimizer_step import optimizer_step
from puzzlemill.trainer.rollouts import Buffers
from puzzlemill.trainer.run import train
from puzzlemill.trainer.schedule import Schedule
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.train_samples import kl_of_conversations

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
        Sample((1,) * (3 + n % 5), (2,) * (1 + n % 7), (0.0,) * (1 + n % 7), n) for n in range(40)
    ]
    found = list(micro_batches(texts, 70, torch.device("cpu")))
    assert sum(len(batch.replies_BT) for batch in found) == 40
    assert sum(len(batch.prompts_QP) for batch in found) == 5, "each prompt once"
    advantages = [value for batch in found for value in batch.advantage_N.tolist()]
    assert sorted(set(advantages)) == list(range(40))
    for batch in found:
        assert batch.mask_BT.sum() == len(batch.targets_N) == len(batch.advantage_N)
        assert (batch.targets_N == 2).all()
    assert all(batch.prompts_QP.numel() + batch.replies_BT.numel() <= 70 for batch in found)


def test_a_group_too_large_for_a_batch_is_cut() -> None:
    texts = [Sample((1,) * 10, (2,) * length, (0.0,) * length, 0.0) for length in range(1, 31)]
    found = list(micro_batches(texts, 60, torch.device("cpu")))
    assert sum(len(batch.replies_BT) for batch in found) == 30
    assert all(batch.prompts_QP.numel() + batch.replies_BT.numel() <= 60 for batch in found)


@pytest.mark.parametrize("most", [1, 2, 5])
def test_a_prompt_that_is_read_once_gives_the_same_as_one_read_for_each_reply(most: int) -> None:
    """With padding between tokens, with hardly any, and with replies of a single token."""
    model = fresh(Shape(32, 2, 4, 2, 8, 48, 50), seed=1)
    texts = [
        Sample(prompt, reply[:most], (0.0,) * len(reply[:most]), 0.0)
        for prompt in ((3, 4, 5, 6), (7, 8))
        for reply in ((9, 10, 11), (12,), (13, 14, 15, 16, 17))
    ]
    (batch,) = micro_batches(texts, 1000, torch.device("cpu"))
    found_N, _ = logps(model, batch, 1.0, False)
    found_N.square().sum().backward()
    found = [weight.grad for weight in model.parameters()]
    model.zero_grad(set_to_none=True)
    whole = []
    replies = batch.replies_BT.tolist()
    for row, place in enumerate(batch.question_B.tolist()):
        prompt = batch.prompts_QP[place, : batch.length_Q[place]].tolist()
        reply = replies[row][: int(batch.mask_BT[row].sum())]
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

    policy: Any = SimpleNamespace(sample=sample, takes=lambda question: True)
    settings = Train(prompts=1, group=2, hints=(0.25, 0.5, 0.75))
    schedule = Schedule(BuildItems([row]), "uniform")
    found = Collector(policy, schedule, settings, judge, Buffers(), 64).collect(0)
    assert [text.count("A solution begins so") for text in asked] == [0, 1, 1]
    assert len(found.sampled) == 3
    assert len(found.kept) == 1, "the half of the solution is enough"
    assert found.kept.prompts[0].row["prompt"][0]["content"] == asked[-1]


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
    "demonstrations": {"number": 1, "source": "replies", "when": "hard", "ratio": "rl_plus"},
    "learn_behind": "plain",
    "scaffold": {"share": 0.5, "middle": 0.5, "steepness": 8.0},
    "extra": 8,
    "replay": 6,
    "max_staleness": 2,  # a checkpoint is written every other step
    "tries": 2,
    "epochs": 2,
    "minibatches": 2,
    "loss": {
        "kl": 0.01,
        "reference_every": 3,
        "entropy": 0.01,
        "ratio": "gspo",
        "advantage": "tempo",
    },
    "appeals": {"share": 0.25},
    "self_imitation": {"replies": 8, "groups": 4, "rise": 3, "perplexity_high": 100.0},
    "reward": {
        "overlong": 16,
        "fade_steps": 4,
        "darling": True,
        "kimi_length": 0.1,
        "pf_ppo": "best_random",
    },
}
ENDLESS = {
    "source": "endless",
    "curriculum": "raising",
    "learning_rate_schedule": "cosine",
    "warmup_steps": 2,
    "warm": {"steps": 2},
    "loss": {
        "kl": 0.01,
        "reference_kept": 0.9,
        "entropy_aim": 1.0,
        "correction": "tis",
        "advantage": "copo",
    },
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
    queues = [folder / "training" / "appeals.jsonl" for folder in (broken, straight)]
    assert [each.is_file() for each in queues] == ["appeals" in changes] * 2
    assert "appeals" not in changes or queues[0].read_bytes() == queues[1].read_bytes()
    both = [folder / "training" / "items.parquet" for folder in (broken, straight)]
    assert both[0].read_bytes() == both[1].read_bytes()
    steps = {each["step"] for some in read_item_history(both[0]).values() for each in some}
    assert steps == {*range(6)}


def records(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "training" / "metrics.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    return [{name: line[name] for name in line if name != "seconds"} for line in found]


@pytest.mark.parametrize("sampling", [{"temperature": 0.7}, {"temperature": 1.3}, {"top_p": 0.9}])
def test_a_policy_has_not_drifted_from_itself(sampling: dict[str, float]) -> None:
    policy: Any = new_policy(PolicySettings(**sampling, max_tokens=24))  # type: ignore[arg-type]
    rows = [row_of(item) | {"mean": 0.5} for item in generate("sums", level=0.0, seed=3, n=3)]
    schedule = Schedule(BuildItems(rows), "ranked")
    settings = Train(prompts=3, group=3)
    kept = Collector(policy, schedule, settings, judge_here, Buffers(), 24).collect(0).sampled
    reference = deepcopy(policy.model)
    assert kl_of_conversations(policy, reference, kept).abs().max() < 1e-4
    if "temperature" in sampling:
        texts = [
            (policy.tokens.ids(asked.row["prompt"]), reply.tokens)
            for asked, group in zip(kept.prompts, kept.groups, strict=True)
            for reply in group
        ]
        read = completion_logps(policy.model, texts, policy.sampling.temperature)
        said = [reply.logps for group in kept.groups for reply in group]
        for one, other in zip(read, said, strict=True):
            assert one.tolist() == pytest.approx(list(other), abs=1e-3)
    with torch.no_grad():
        for weight in reference.parameters():
            weight *= 1.01
    assert kl_of_conversations(policy, reference, kept).abs().max() > 1e-3


def test_only_the_fifth_of_tokens_with_the_highest_entropy_is_learned_from() -> None:
    policy: Any = new_policy(PolicySettings())
    model, size = policy.model, 10
    replies = [tuple(range(start, start + size)) for start in (5, 40, 75)]
    samples = [
        Sample((3, 4), reply, (nan,) * size, advantage, 0.1)
        for reply, advantage in zip(replies, (1.0, -0.5, 2.0), strict=True)
    ]
    logp, entropy, worth = [], [], []
    for sample in samples:
        hidden_TD = model(torch.tensor([[*sample.prompt, *sample.reply]]))[0, 1:-1]
        all_TV = model.logits(hidden_TD).log_softmax(dim=1)
        logp.append(all_TV.gather(1, torch.tensor(sample.reply)[:, None])[:, 0])
        entropy.append(-(all_TV.exp() * all_TV).sum(dim=1).detach())
        worth += [sample.advantage] * size
    highest = torch.cat(entropy).topk(6).indices  # of 30
    wanted = -(0.1 * torch.cat(logp) * torch.tensor(worth))[highest].sum()
    gradients = torch.autograd.grad(wanted, [*model.parameters()])
    step = optimizer_step(policy, AdamW(model.parameters(), 0.0), samples, HIGHEST, inf)
    assert step["gradient"] == pytest.approx(
        torch.stack([each.norm() for each in gradients]).norm().item(), rel=1e-3
    )
    for weight, gradient in zip(model.parameters(), gradients, strict=True):
        assert weight.grad is not None
        assert torch.allclose(weight.grad, gradient, atol=1e-5)


HIGHEST = Loss(open_share=0.2)


def test_a_step_whose_loss_is_not_finite_is_skipped_and_the_next_one_is_learned() -> None:
    policy: Any = new_policy(PolicySettings())
    optimizer = AdamW(policy.model.parameters(), 1e-3)
    before = deepcopy(policy.model.state_dict())
    good = Sample((3, 4), (5, 6), (-1.0, -1.0), 1.0)
    for advantage in (inf, -inf, nan):
        found = optimizer_step(
            policy, optimizer, [good, replace(good, advantage=advantage)], Loss(), 1.0
        )
        assert found["skipped"] == 1
    after = policy.model.state_dict()
    assert all(torch.equal(after[name], before[name]) for name in before)
    assert not any(optimizer.state.values()), "nor do its moments know of it"
    assert optimizer_step(policy, optimizer, [good], Loss(), 1.0)["skipped"] == 0
    assert any((policy.model.state_dict()[name] != before[name]).any() for name in before)


def test_an_update_that_breaks_the_weights_is_told() -> None:
    policy: Any = new_policy(PolicySettings())
    optimizer = AdamW(policy.model.parameters(), inf)
    with pytest.raises(UserError, match="learning rate inf made weights that are not finite"):
        optimizer_step(policy, optimizer, [Sample((3, 4), (5, 6), (-1.0, -1.0), 1.0)], Loss(), 1.0)


def test_weights_that_are_not_finite_are_never_written(tmp_path: Path) -> None:
    model = fresh(Shape(32, 2, 4, 2, 8, 48, 50), seed=1)
    checkpoint.save(model, tmp_path / "model")
    kept = (tmp_path / "model" / "model.safetensors").read_bytes()
    with torch.no_grad():
        next(iter(model.parameters()))[0, 0] = nan
    with pytest.raises(UserError, match="not written, since the weight"):
        checkpoint.save(model, tmp_path / "model")
    assert (tmp_path / "model" / "model.safetensors").read_bytes() == kept
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_run_of_skipped_steps_stops_with_its_last_good_checkpoint(
    built: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "broken"
    shutil.copytree(built, folder)
    loss = Loss(positives=1e300, ratio="gspo")
    settings = Train(steps=20, prompts=2, group=4, save_every=2, heldout=1, refills=4, loss=loss)
    told: list[StepRecord] = []
    with pytest.raises(UserError, match="of 8 steps in a row was not finite"):
        train(folder, lambda step, _: told.append(step), settings)
    assert [step.skipped for step in told] == [1.0] * 8
    assert [len(step.notes) for step in told] == [1, *[0] * 7], "that a ratio has no effect"
    assert [line["skipped"] for line in records(folder)] == [1.0] * 8
    (last,) = (folder / "training").glob("checkpoint-*")
    weights = load_file(last / "model.safetensors")
    assert all(weight.isfinite().all() for weight in weights.values())


@pytest.mark.parametrize(
    ("sampling", "told"),
    [({"temperature": 0.0}, "temperature = 0"), ({"top_p": 0.9}, "top_p = 0.9")],
)
def test_sampling_that_nothing_can_be_learned_from_is_refused_at_once(
    built: Path, tmp_path: Path, sampling: dict[str, float], told: str
) -> None:
    folder = tmp_path / "build"
    shutil.copytree(built, folder)
    recipe = json.loads((folder / "recipe.json").read_text())
    recipe["policy"] |= sampling
    (folder / "recipe.json").write_text(json.dumps(recipe))
    with pytest.raises(UserError, match=told):
        train(folder)
    assert not (folder / "training").exists()
    with pytest.raises(UserError, match=told):
        command(folder, flow=False)


def test_going_on_with_other_settings_or_data_is_refused(built: Path, tmp_path: Path) -> None:
    folder = tmp_path / "changed"
    shutil.copytree(built, folder)
    train(folder)
    recipe = json.loads((folder / "recipe.json").read_text())
    recipe["train"]["learning_rate"] = 0.5
    (folder / "recipe.json").write_text(json.dumps(recipe))
    with pytest.raises(UserError, match="other settings"):
        train(folder)
