"""Self-Critique and its baselines: scores by hand, and a planted set that is found."""

from random import Random

import pytest
import torch

from puzzlemill.core.item import generate
from puzzlemill.core.rows import row_of
from puzzlemill.difficulty.contamination_audit import (
    Row,
    auc,
    auc_error,
    least_likely,
    memory_scores,
    similarity,
    unseen,
)
from puzzlemill.difficulty.policies.forward_pass import completion_entropies
from puzzlemill.difficulty.policies.loading import load_policy
from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.difficulty.policies.policy import is_local
from puzzlemill.difficulty.scoring import question_of
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.trainer.imitation import Example, example_batches, imitate

SETTINGS = PolicySettings(kind="tiny", max_tokens=12, temperature=0.0)


def test_sequences_of_entropies_are_compared_by_their_cosine() -> None:
    assert similarity(torch.tensor([3.0, 4.0]), torch.tensor([3.0, 4.0])) == pytest.approx(1)
    assert similarity(torch.tensor([3.0, 4.0]), torch.tensor([4.0, 3.0])) == pytest.approx(24 / 25)
    assert similarity(torch.tensor([1.0]), torch.tensor([1.0, 1.0])) == pytest.approx(0.5**0.5)
    assert similarity(torch.zeros(2), torch.zeros(3)) == 1, "a policy that has collapsed twice"
    assert similarity(torch.zeros(2), torch.ones(2)) == 0


def test_auc_counts_pairs_in_which_a_member_has_more() -> None:
    assert auc([0.9, 0.8], [0.8, 0.1]) == 3.5 / 4
    assert auc([0.5], [0.5]) == 0.5


def test_entropies_are_those_of_the_distributions_that_tokens_come_from() -> None:
    policy = load_policy(SETTINGS)
    assert is_local(policy)
    prompt = policy.tokens.ids([{"role": "user", "content": "1 + 1"}])
    reply = policy.tokens.continuation("2 is it")
    (found,) = completion_entropies(policy.model, [(prompt, reply)])
    ids = torch.tensor([[*prompt, *reply]])
    with torch.no_grad():
        logits = policy.model.logits(policy.model(ids)[0]).float()
    own = torch.distributions.Categorical(logits=logits[len(prompt) - 1 : -1]).entropy()
    assert found == pytest.approx(own.numpy(), abs=1e-4)


def test_fresh_items_stand_beside_those_that_may_have_been_seen() -> None:
    row = row_of(generate("sums", level=0.25, seed=1, n=1)[0])
    other = unseen(row, 99)
    assert (other["family"], other["knobs"]) == (row["family"], row["knobs"])
    assert other["puzzle"] != row["puzzle"]
    policy = load_policy(SETTINGS)
    assert is_local(policy)
    scores = memory_scores(policy, [row, other])
    for each in scores:
        assert each is not None
        assert all(0 <= each[name] <= 1 + 1e-6 for name in ("self_critique", "resampled"))
        assert max(each["entropy"], each["min_k"]) <= 0


def test_the_least_likely_tokens_of_an_answer_are_averaged() -> None:
    logps_T = torch.tensor([-0.1, -3.0, -0.2, -1.0, -0.3, -0.1, -0.1, -0.1, -0.1, -0.1])
    assert least_likely(logps_T) == pytest.approx(-2.0), "a fifth of ten tokens are two"
    assert least_likely(torch.tensor([-0.5, -0.1])) == pytest.approx(-0.5), "one at least"


def test_the_error_of_an_auc_is_hanley_s_and_mcneil_s() -> None:
    # Two members above one other, or one above two: 1/3 of triples. 0.25 + 2 x 9 x (1/3 - 0.25).
    assert auc_error(0.5, 10, 10) == pytest.approx(1.75**0.5 / 10)
    assert auc_error(1.0, 10, 10) == 0


def test_what_a_policy_learned_by_heart_is_told_by_its_entropy() -> None:
    """By imitation of its own answers; `benchmarks/difficulty` plants a set by RL."""
    policy = load_policy(SETTINGS)
    assert is_local(policy)
    planted, rest = ([row_of(each) for each in generate("sums", 0.7, seed, 8)] for seed in (1, 2))
    assert entropy_auc(policy, planted, rest) < 0.75
    questions = [question_of(row, "self-critique") for row in planted]
    replies = [reply.tokens for (reply,) in policy.sample(questions, 1) if reply]
    texts = [
        Example(tuple(policy.tokens.ids(list(question.messages))), tuple(reply))
        for question, reply in zip(questions, replies, strict=True)
    ]
    batches = [batch for _ in range(15) for batch in example_batches(texts, 4096, Random(1))]
    optimizer = torch.optim.AdamW(policy.model.parameters(), lr=1e-3)
    with torch.inference_mode(False):
        assert [*imitate(policy.model, batches, [optimizer])][-1] < 0.1
    assert entropy_auc(policy, planted, rest) > 0.9


def entropy_auc(policy: LocalPolicy, members: list[Row], others: list[Row]) -> float:
    both = [memory_scores(policy, rows) for rows in (members, others)]
    one, other = ([each["entropy"] for each in scores if each] for scores in both)
    return auc(one, other)
