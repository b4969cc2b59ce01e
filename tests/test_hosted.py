"""Models of transformers: whatever the architecture, what is trained and sampled is its own."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import tiny_models
import torch
from PIL import Image

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies import native, tiny_policy
from puzzlemill.difficulty.policies.hugging_face import HuggingFacePolicy
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.policy import Question, Sampling
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.trainer.logps import logps
from puzzlemill.trainer.micro_batch import Sample, micro_batches
from puzzlemill.trainer.optimizer_step import optimizer_step
from puzzlemill.trainer.settings.losses import Loss

ARCHITECTURES = {"gemma2": {}, "gemma3_text": {}, "mistral": {}, "phi3": {}, "cohere": {}}
SEEN = Sampling(max_tokens=8, temperature=0.8)


@pytest.fixture(scope="module")
def seeing(tmp_path_factory: pytest.TempPathFactory) -> HuggingFacePolicy:
    folder = tiny_models.seeing_model(tmp_path_factory.mktemp("models") / "seeing")
    return HuggingFacePolicy.load(folder, SEEN)


def asked(text: str, seed: int = 0, *colours: str) -> Question:
    return Question(({"role": "user", "content": text},), seed, tuple(map(picture, colours)))


def picture(colour: str) -> bytes:
    found = BytesIO()
    Image.new("RGB", (40, 30), colour).save(found, "PNG")
    return found.getvalue()


@pytest.mark.parametrize("kind", ARCHITECTURES)
def test_every_architecture_is_trained_as_it_is_by_transformers(kind: str, tmp_path: Path) -> None:
    policy = HuggingFacePolicy.load(tiny_models.text_model(tmp_path / kind, kind), SEEN)
    questions = [asked("one", 1), asked("another one", 2)]
    check_training(policy, questions, lambda model, ids, _: model(input_ids=ids))


def test_a_model_that_sees_is_trained_as_it_is_by_transformers(seeing: HuggingFacePolicy) -> None:
    questions = [
        asked("what <image> is", 1, "red"),
        asked("what <image> is", 2, "blue"),
        asked("<image> and <image>?", 3, "green", "white"),
        asked("no picture", 4),
    ]

    def plain(model: Any, ids: Any, question: Question) -> Any:
        if not question.images:
            return model(input_ids=ids)
        shown = seeing.tokens.shown(question)
        assert shown is not None
        told = dict(seeing.tokens.processed([shown]))
        return model(**(told | {"input_ids": ids, "attention_mask": torch.ones_like(ids)}))

    check_training(seeing, questions, plain)


def check_training(policy: HuggingFacePolicy, questions: list[Question], plain: Any) -> None:
    """Log-probabilities and gradients of a batch, against one whole text at a time."""
    texts, wanted = [], []
    for question, group in zip(questions, policy.sample(questions, 3), strict=True):
        prompt = tuple(policy.tokens.prompt(question))
        for reply in group:
            shown = policy.tokens.shown(question)
            texts.append(Sample(prompt, reply.tokens, reply.logps, 1.0, shown=shown))
            out = plain(policy.model.inner, torch.tensor([[*prompt, *reply.tokens]]), question)
            logits_TV = out.logits[0, len(prompt) - 1 : -1] / policy.sampling.temperature
            said_T1 = torch.tensor(reply.tokens)[:, None]
            told_T = logits_TV.log_softmax(dim=1).gather(1, said_T1)[:, 0]
            assert torch.allclose(told_T, torch.tensor(reply.logps), atol=1e-4), "as sampled"
            wanted.append(told_T)
    policy.model.zero_grad(set_to_none=True)
    torch.cat(wanted).square().sum().backward()
    gradients = {name: each.grad for name, each in policy.model.named_parameters()}
    largest = max(each.norm().item() for each in gradients.values() if each is not None)
    policy.model.zero_grad(set_to_none=True)
    total = 0
    for batch in micro_batches(texts, 200, policy.model.device, policy.model.shares_prompts):
        found_N, _ = logps(policy.model, batch, policy.sampling.temperature, False)
        assert torch.allclose(found_N, batch.old_logp_N, atol=1e-4)
        found_N.square().sum().backward()
        total += len(batch.replies_BT)
    assert total == len(texts)
    for name, weight in policy.model.named_parameters():
        if gradients[name] is None:
            assert weight.grad is None, name
        else:
            assert (weight.grad - gradients[name]).abs().max() < 1e-5 * largest, name
    before = [weight.clone() for weight in policy.model.parameters()]
    told = optimizer_step(
        policy, torch.optim.SGD(policy.model.parameters(), 0.1), texts, Loss(ratio="none"), 1.0
    )
    assert told["gradient"] > 0
    assert told["mismatch_most"] < 1e-3
    moved = [
        (weight != was).any().item()
        for weight, was in zip(policy.model.parameters(), before, strict=True)
    ]
    assert sum(moved) > len(moved) / 3


def test_pictures_that_make_the_same_tokens_are_not_taken_for_each_other(
    seeing: HuggingFacePolicy,
) -> None:
    prompts = [asked("what <image> is", 1, colour) for colour in ("red", "blue")]
    ids = {tuple(seeing.tokens.prompt(question)) for question in prompts}
    assert len(ids) == 1
    texts = [
        Sample(next(iter(ids)), (9, 9), (0.0, 0.0), 1.0, shown=seeing.tokens.shown(question))
        for question in prompts
    ]
    (batch,) = micro_batches(texts, 1000, torch.device("cpu"))
    assert len(batch.prompts_QP) == 2
    logp_N, _ = logps(seeing.model, batch, 1.0, False)
    assert not torch.allclose(logp_N[:2], logp_N[2:])


def test_replies_hang_on_the_seed_alone(seeing: HuggingFacePolicy) -> None:
    questions = [
        asked("short", 5),
        asked("a longer one, to be padded", 6),
        asked("<image>", 7, "red"),
        asked("two: <image>, <image>", 8, "red", "blue"),
    ]
    together = seeing.sample(questions, 2)
    for question, replies in zip(questions, together, strict=True):
        ((first, second),) = seeing.sample([question], 2)
        assert [first.tokens, second.tokens] == [reply.tokens for reply in replies]
        assert first.tokens != second.tokens


def test_a_checkpoint_replies_the_same_in_either_engine() -> None:
    sampling = Sampling(max_tokens=48)
    theirs = HuggingFacePolicy.load(
        Path(tiny_policy.__file__).parent / "tiny", sampling, device="cpu"
    )
    ours = tiny_policy.tiny(sampling)
    questions = [
        asked(f"Add up: {n}, {n + 3}, 5.\n\nAnswer with one integer, between <answer> and"
              " </answer>.", n)
        for n in range(6)
    ]  # fmt: skip
    for one, other in zip(ours.sample(questions, 3), theirs.sample(questions, 3), strict=True):
        for mine, reply in zip(one, other, strict=True):
            assert (mine.text, mine.tokens, mine.finished) == (
                reply.text, reply.tokens, reply.finished
            )  # fmt: skip
            assert mine.logps == pytest.approx(reply.logps, abs=1e-4)
    assert any(reply.finished for group in theirs.sample(questions, 3) for reply in group)


def test_an_architecture_that_is_not_ours_is_told_where_it_runs(tmp_path: Path) -> None:
    folder = tiny_models.text_model(tmp_path / "phi", "phi3")
    with pytest.raises(UserError, match='kind "transformers"'):
        native.NativePolicy.load(folder, SEEN)
    assert isinstance(new_policy(PolicySettings("transformers", str(folder))), HuggingFacePolicy)


def test_code_and_pickles_of_a_checkpoint_are_refused(tmp_path: Path) -> None:
    folder = tiny_models.text_model(tmp_path / "model", "mistral")
    config = json.loads((folder / "config.json").read_text())
    strange = config | {"model_type": "strange", "auto_map": {"AutoConfig": "evil.Config"}}
    (folder / "config.json").write_text(json.dumps(strange))
    (folder / "evil.py").write_text("raise SystemExit('it was run')")
    with pytest.raises(UserError, match="transformers cannot load it"):
        HuggingFacePolicy.load(folder, SEEN)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(UserError, match="pickle"):
        HuggingFacePolicy.load(folder, SEEN)


def test_a_checkpoint_with_weights_missing_is_refused(tmp_path: Path) -> None:
    folder = tiny_models.text_model(tmp_path / "model", "mistral")
    config = json.loads((folder / "config.json").read_text())
    for change, told in (("num_hidden_layers", "layers.2"), ("intermediate_size", "mismatch")):
        changed = config | {change: config[change] + 1}
        (folder / "config.json").write_text(json.dumps(changed))
        with pytest.raises(UserError, match=told):
            HuggingFacePolicy.load(folder, SEEN)


def test_an_architecture_whose_logits_are_made_in_another_way_is_refused(tmp_path: Path) -> None:
    folder = tiny_models.text_model(tmp_path / "model", "mistral")
    policy = HuggingFacePolicy.load(folder, SEEN)
    from puzzlemill.difficulty.policies.hugging_face import _check

    policy.model.scale = 2.0
    with pytest.raises(UserError, match="a way of its own"):
        _check(policy.model, folder)


def test_a_question_with_a_picture_is_not_for_a_model_of_text(tmp_path: Path) -> None:
    policy = HuggingFacePolicy.load(tiny_models.text_model(tmp_path / "model", "mistral"), SEEN)
    assert not policy.takes(asked("<image>", 1, "red"))
    with pytest.raises(UserError, match="reads text only"):
        policy.sample([asked("<image>", 1, "red")], 1)
