"""The bundled tiny policy, and the lessons that made it."""

from itertools import islice
from pathlib import Path
from random import Random
from statistics import fmean

import pytest

pytest.importorskip("torch")

import torch

from puzzlemill.core import registry
from puzzlemill.core.item import generate, worked
from puzzlemill.core.verdict import check
from puzzlemill.difficulty.misreading import misread
from puzzlemill.difficulty.policies.kinds import kind_of
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Question, Sampling
from puzzlemill.difficulty.policies.tiny_policy import tiny
from puzzlemill.difficulty.policies.transformer import fresh
from puzzlemill.difficulty.policies.weight_files import digest
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.generators.basics import sums
from puzzlemill.trainer import tiny as lessons_of_tiny
from puzzlemill.trainer.imitation import cross_entropy, example_batches, imitate, optimizers_for
from puzzlemill.trainer.muon import orthogonal
from puzzlemill.trainer.tiny import Phase, demonstrations, encoded, shape, train_tiny
from puzzlemill.trainer.tiny_tokens import TinyTokens, build_tokens

FOLDER = Path(__file__).parents[1] / "difficulty" / "policies" / "tiny"


@pytest.fixture(scope="module")
def policy() -> NativePolicy:
    return tiny(Sampling(max_tokens=160))


@pytest.fixture(scope="module")
def tokens() -> TinyTokens:
    return build_tokens(prompt for prompt, _ in islice(demonstrations(Phase(0, 1.0), 0), 600))


def pass_rate(policy: NativePolicy, name: str, level: float) -> float:
    items = generate(name, level=level, seed=11, n=12, split="test")
    asked = [Question(tuple(item.messages), at) for at, item in enumerate(items)]
    return fmean(
        check(item, reply.text).correct
        for item, replies in zip(items, policy.sample(asked, 8), strict=True)
        for reply in replies
    )


def test_it_is_small(policy: NativePolicy) -> None:
    assert sum(file.stat().st_size for file in FOLDER.glob("*.*")) <= 3_000_000
    assert 450_000 < sum(weight.numel() for weight in policy.model.parameters()) < 650_000
    assert policy.id == f"tiny-{digest(FOLDER)}/t1-p1-m160"


@pytest.mark.parametrize("kind", ["tiny", "native", "transformers"])
def test_the_id_of_a_policy_is_known_without_loading_it(kind: str) -> None:
    model = "" if kind == "tiny" else str(FOLDER)
    settings = PolicySettings(kind=kind, model=model, max_tokens=40, style="plain", system="Think.")
    id_of = kind_of(settings).id
    assert id_of
    assert id_of(settings) == new_policy(settings).id


def test_it_does_easy_sums_and_fails_at_hard_ones(policy: NativePolicy) -> None:
    assert pass_rate(policy, "sums", 0.0) > 0.6
    assert pass_rate(policy, "sums", 1.0) < 0.3


def test_its_tokenizer_gives_back_every_prompt(policy: NativePolicy) -> None:
    for name in registry.names("basics"):
        for level in (0.0, 1.0):
            prompt = generate(name, level=level)[0].prompt
            ids = policy.tokens.tokenizer(prompt)["input_ids"]
            assert policy.tokens.text(ids) == prompt
            assert len(ids) < len(prompt) / 2, "words are whole"
    odd = "Zoë: 12,5 € — 数\n\t<answer>x</answer>"
    assert policy.tokens.text(policy.tokens.tokenizer(odd)["input_ids"]) == odd


def test_digits_and_tags_are_one_token_each(policy: NativePolicy) -> None:
    ids = policy.tokens.tokenizer("<answer>1024</answer>")["input_ids"]
    assert len(ids) == 6


def test_lessons_are_put_as_the_chat_template_puts_them(policy: NativePolicy) -> None:
    shipped = TinyTokens(policy.tokens.tokenizer.backend_tokenizer)
    prompt, _ = next(demonstrations(Phase(0, 1.0), 0))
    asked = policy.tokens.prompt(Question(({"role": "user", "content": prompt},), 0))
    assert [tuple(asked)] == shipped.encode([shipped.prompt_text(prompt)])
    system = {"role": "system", "content": "Be brief."}
    told = Question((system, {"role": "user", "content": prompt}), 0)
    assert policy.tokens.prompt(told)[-len(asked) :] == asked


def test_five_steps_of_imitation_lower_the_loss(tokens: TinyTokens) -> None:
    examples = encoded(tokens, list(islice(demonstrations(Phase(0, 3.0), 1), 90)))
    batches = example_batches(examples, 2048, Random(0))
    model = fresh(shape(tokens), 0)
    before = cross_entropy(model, batches[0]).item()
    list(imitate(model, (batches * 5)[:5], optimizers_for(model)))
    assert cross_entropy(model, batches[0]).item() < before - 1.0


def test_only_the_reply_is_learned(tokens: TinyTokens) -> None:
    (example,) = encoded(tokens, [("What is 1 + 2?", "<answer>3</answer>")])
    (batch,) = example_batches([example], 100, Random(0))
    learned = batch.tokens_BT[batch.mask_BT].tolist()
    assert (
        tokens.tokenizer.decode(learned, skip_special_tokens=False) == "<answer>3</answer><|end|>"
    )


def test_training_writes_a_whole_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lessons_of_tiny, "POOL", 50)
    steps: list[float] = []
    lessons = (Phase(1, 3.0), Phase(1, 3.0, slips=(0.1, 0.1)))
    folder = train_tiny(
        tmp_path / "new", lessons=lessons, report=lambda step, _, __: steps.append(step)
    )
    assert steps == [1, 2]
    made = NativePolicy.load(folder, Sampling(max_tokens=4), device="cpu")
    assert made.sample([Question(({"role": "user", "content": "What is 1 + 2?"},), 0)], 1)


def test_a_misreading_is_carried_on_to_the_answer() -> None:
    chain = sums.Chain(12, (30, -7))
    wrong = misread(chain, 1.0, Random(0))
    assert all(read != true for read, true in zip(wrong.numbers, chain.numbers, strict=True))
    answer = sums.solve(wrong)
    assert answer == 12 + sum(wrong.numbers)
    assert worked(registry.family("sums"), wrong, str(answer)).endswith(
        f"<answer>{answer}</answer>"
    )
    assert misread(chain, 0.0, Random(0)) == chain


def test_orthogonal_matrices_keep_their_directions() -> None:
    stack = torch.randn(2, 6, 4, generator=torch.Generator().manual_seed(0))
    values = torch.linalg.svdvals(orthogonal(stack))
    assert values.min() > 0.6
    assert values.max() < 1.3
    left, _, right = torch.linalg.svd(stack, full_matrices=False)
    assert torch.allclose(orthogonal(stack), left @ right, atol=0.4)
