"""Second tries: what each is worth, by hand, and what is said before them."""

from collections.abc import Sequence
from dataclasses import replace
from math import nan
from typing import Any

import pytest
import torch

from puzzlemill.core.errors import UserError
from puzzlemill.core.item import generate
from puzzlemill.core.rows import row_of
from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.policies.policy import Question, Reply, Sampling
from puzzlemill.difficulty.policies.tiny_policy import tiny
from puzzlemill.difficulty.scoring import judge_here
from puzzlemill.trainer import conversations
from puzzlemill.trainer.adamw import AdamW
from puzzlemill.trainer.conversations import Attempt, Conversation, sample_conversations
from puzzlemill.trainer.micro_batch import Sample
from puzzlemill.trainer.optimizer_step import optimizer_step
from puzzlemill.trainer.rollouts import padded_with_nan
from puzzlemill.trainer.settings import Loss, Retry, Shaping, Train
from puzzlemill.trainer.shapings import Groups, Rewards, rewards
from puzzlemill.trainer.shapings.self_difficulty import tag
from puzzlemill.trainer.try_credit import (
    check_by_try,
    credits_of,
    kl_weight,
    mixed_by_try,
    try_returns,
)


class Scripted:
    """A policy that says the same to every prompt of so many messages."""

    def __init__(self, *said: str) -> None:
        self.id, self.said = "scripted", said

    def takes(self, question: Question) -> bool:
        return True

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        return [[Reply(self.said[len(each.messages) // 2], tokens=(1,))] * n for each in questions]


def rows_of(*families: str, count: int = 1) -> list[dict[str, Any]]:
    return [row_of(item) for name in families for item in generate(name, level=0.5, n=count)]


def talk(*tries: tuple[str, float]) -> Conversation:
    """The answers of a conversation with their scores; each reply has two tokens."""
    attempts = tuple(
        Attempt((), Reply(f"<answer>{answer}</answer>", tokens=(1, 2))) for answer, _ in tries
    )
    scores = [score for _, score in tries]
    verdict = Verdict(scores[-1], scores[-1] == 1, "correct" if scores[-1] == 1 else "wrong")
    return Conversation(attempts, verdict, tuple(scores[:-1]))


def groups_of(group: list[Conversation], settings: Train, step: int = 0) -> Groups:
    scores = [conversations.discounted_return(each, settings.retry) for each in group]
    rows = rows_of("sums")
    return Groups(rows, [group], padded_with_nan([scores]), settings, 9, step)


ALWAYS = Retry(ask="always", by_try=True, progress=10.0, first_steps=2, first_kl=0.5)


def test_every_reply_is_asked_again_without_a_word_on_which_are_right() -> None:
    (row,) = rows_of("sums")
    right, wrong = (f"<answer>{each}</answer>" for each in (row["answer"], "gibberish"))
    for first, second, corrected, spoiled in ((wrong, right, 1, 0), (right, wrong, 0, 1)):
        policy = Scripted(first, second)
        held = sample_conversations(policy, [row], "try", 2, judge_here, 2, ALWAYS)
        for each in held[0]:
            assert len(each.attempts) == 2
            assert each.attempts[1].messages[-1] == {"role": "user", "content": ALWAYS.review}
            assert each.earlier == (spoiled,)
        changed = conversations.changed_answers(held, ALWAYS)
        assert changed == {"corrected": corrected, "spoiled": spoiled}
        assert conversations.solved_within(held, 2) == [[2 * spoiled, 2 * corrected]]
    assert not conversations.changed_answers(held, Retry())


def test_score_pays_the_last_try_first_and_then_every_try_and_its_progress() -> None:
    better, worse, alone = (
        talk(("1", 0.0), ("2", 1.0)),
        talk(("2", 1.0), ("1", 0.0)),
        talk(("2", 1)),
    )
    for step, returns in ((1, [0.0, 1.0]), (2, [0.0, 11.0])):
        assert try_returns(better, ALWAYS, step) == returns
    for step, returns in ((1, [0.0, 0.0]), (2, [1.0, -10.0])):
        assert try_returns(worse, ALWAYS, step) == returns
    assert try_returns(alone, ALWAYS, 1) == [0.0], "there was no room for a second try"
    assert try_returns(alone, ALWAYS, 2) == [1.0]
    ahead = replace(ALWAYS, foresight=0.5)
    assert try_returns(better, ahead, 2) == [5.5, 11.0]
    assert try_returns(better, ahead, 2, more=-1.0) == [5.0, 10.0], "what shapings add"
    assert try_returns(better, Retry(decay=0.5), 0) == [0.5, 1.0]


def test_each_try_has_an_advantage_beside_the_group_s_tries_of_its_number() -> None:
    settings = Train(tries=2, loss=Loss(advantage="dr_grpo", kl=0.01), retry=ALWAYS)
    group = [talk(("1", 0.0), ("2", 1.0)), talk(("2", 1.0), ("2", 1.0)), talk(("2", 1.0))]
    seen = groups_of(group, settings, step=2)
    found = Rewards(seen.scores_PG)
    # First tries: 0, 1 and 1. Second ones: 1 + 10 and 1.
    one, two, three = credits_of(found, seen)[0]
    assert one == pytest.approx((-2 / 3, -2 / 3, 5.0, 5.0))
    assert two == pytest.approx((1 / 3, 1 / 3, -5.0, -5.0))
    assert three == pytest.approx((1 / 3, 1 / 3))
    assert mixed_by_try(found, seen) == {0}, "though all of them are right in the end"
    left_out = Rewards(torch.tensor([[nan, 1.0, 1.0]]))
    assert credits_of(left_out, seen)[0][1:] == [(0, 0, 0, 0), (0, 0)]
    assert not mixed_by_try(found, groups_of(group, replace(settings, retry=Retry())))


def test_a_try_is_compared_with_those_after_the_same_answers() -> None:
    retry = Retry(decay=0.5, anchor=2.0)
    settings = Train(tries=2, loss=Loss(advantage="dr_grpo"), retry=retry)
    group = [
        talk(("1", 0.0), ("2", 1.0)),
        talk(("1", 0.0), ("3", 0.0)),
        talk(("3", 0.0), ("2", 1.0)),
        talk(("2", 1.0)),
    ]
    seen = groups_of(group, settings)
    # Returns of first tries: 1/2, 0, 1/2 and 1, above a mean of 1/2 in the whole group, which is
    # one state too. Of the second ones, two follow the answer 1: 1 and 0.
    found = credits_of(Rewards(seen.scores_PG), seen)[0]
    assert found[0] == pytest.approx((0.0, 0.0, 1.0, 1.0))
    assert found[1] == pytest.approx((-1.5, -1.5, -1.5, -1.5))
    assert found[2] == pytest.approx((0.0, 0.0, 0.0, 0.0))
    assert found[3] == pytest.approx((1.5, 1.5))


def test_an_advantage_of_whole_conversations_is_refused_by_try() -> None:
    check_by_try(Train(tries=2, loss=Loss(advantage="tempo")))
    with pytest.raises(UserError, match="leave by_try out"):
        check_by_try(Train(tries=2, loss=Loss(advantage="tempo"), retry=Retry(by_try=True)))


def test_the_first_try_has_a_divergence_weight_of_its_own_in_the_first_steps() -> None:
    settings = Train(tries=2, loss=Loss(kl=0.01), retry=ALWAYS)
    assert [kl_weight(settings, step, 0) for step in (0, 1, 2)] == [50.0, 50.0, 1.0]
    assert kl_weight(settings, 0, 1) == 1.0
    policy = tiny(Sampling(max_tokens=4))
    other = tiny(Sampling(max_tokens=4)).model
    with torch.no_grad():
        for weight in other.parameters():
            weight.mul_(1.1)
    losses = []
    for weights in ((1.0, 1.0), (3.0, 1.0), (1.0, 3.0), (3.0, 3.0)):
        samples = [Sample((1, 2), (3, 4), (nan, nan), 0.0, 0.5, kl_weight=each) for each in weights]
        samples[1] = replace(samples[1], prompt=(5,))
        nothing = AdamW([*policy.model.parameters()], 0.0, 0.0)
        metrics = optimizer_step(policy, nothing, samples, Loss(kl=1.0), 1.0, other)
        losses.append(metrics["loss"])
    plain, first, second, both = losses
    assert first - plain > 0
    assert both == pytest.approx(3 * plain, rel=1e-4)
    assert first + second == pytest.approx(both + plain, rel=1e-4)


# AdaCtrl's tags.


def tagged(reply: str, score: float, tokens: int) -> Conversation:
    verdict = Verdict(score, score == 1, "correct" if score == 1 else "wrong")
    return Conversation((Attempt((), Reply(reply, tokens=(1,) * tokens)),), verdict)


def test_a_tag_is_right_where_it_agrees_with_the_group() -> None:
    assert [tag(each) for each in (" [EASY] 2", "[hard]", "it is [Easy]", "")] == [
        "easy",
        "hard",
        "",
        "",
    ]
    settings = Train(reward=Shaping(self_difficulty=0.5, easy_from=0.5))
    said = ("[Easy] a", "[Hard] b", "c", "[Easy] d")
    for scores, earned in (
        ((1.0, 1.0, 0.0, 0.0), [1.5, 1.0, -0.5, 0.5]),
        ((1.0, 0.0, 0.0, 0.0), [1.0, 0.5, -0.5, 0.0]),
    ):
        group = [tagged(text, score, 4) for text, score in zip(said, scores, strict=True)]
        shaped = rewards(groups_of(group, settings)).replies_PG
        assert shaped.tolist() == [pytest.approx(earned)]


def test_right_replies_tagged_easy_earn_by_shortness() -> None:
    settings = Train(reward=Shaping(easy_length=2.0))
    group = [
        tagged("[Easy] a", 1.0, 8),  # the longest
        tagged("[Easy] b", 1.0, 4),
        tagged("[Easy] c", 0.0, 4),
        tagged("[Hard] d", 1.0, 4),
        tagged("e", 1.0, 2),
    ]
    shaped = rewards(groups_of(group, settings)).replies_PG
    assert shaped.tolist() == [pytest.approx([1.0, 2.0, 0.0, 1.0, 1.0])]
    short = [tagged("[Easy] a", 1.0, 9), tagged("[Easy] b", 1.0, 3)]
    shaped = rewards(groups_of(short, settings)).replies_PG
    assert shaped.tolist() == [pytest.approx([1.0, 2.5])], "cos(pi / 3) = 1/2"
