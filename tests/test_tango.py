"""RL Tango: a policy that verifies, what it is paid, and what its judgements of lines are worth."""

from math import isnan, nan
from typing import Any

import pytest
import torch

from puzzlemill.core.errors import UserError
from puzzlemill.core.item import generate
from puzzlemill.core.rows import row_of
from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.policies.policy import Reply, Sampling
from puzzlemill.difficulty.policies.tiny_policy import tiny
from puzzlemill.pipelines.recipe import recipe_from
from puzzlemill.trainer.conversations import Attempt, Conversation
from puzzlemill.trainer.rollouts import Prompt, Rollouts, Verification
from puzzlemill.trainer.schedule import Ticket
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.settings.turns import Verify
from puzzlemill.trainer.verifying import (
    Judgement,
    learns_to_verify,
    line_credits,
    outcome_counts,
    process_share,
    read_judgement,
    token_ends,
    verifications,
    verifier_rewards,
    verifier_samples,
    with_lines,
)

POLICY = tiny(Sampling(max_tokens=8))
SAID = "One line.\n\n  Two, \n<answer>4</answer>"


def kept(*scores: float) -> Rollouts:
    row = row_of(generate("sums", level=0.3, n=1)[0])
    tokens = tuple(POLICY.tokens.continuation(SAID))
    reply = Reply(SAID, tokens=tokens, logps=(-1.0,) * len(tokens))
    group = [
        Conversation((Attempt(tuple(row["prompt"]), reply),), Verdict(score, score == 1, "partial"))
        for score in scores
    ]
    return Rollouts([Prompt(Ticket(0), row)], [group], torch.tensor([scores]))


def said(text: str, number: int = 0) -> Verification:
    messages = ({"role": "user", "content": "judge"},)
    return Verification(0, number, messages, Reply(text, tokens=(1, 2), logps=(-1.0, -1.0)))


def test_steps_of_solving_and_of_verifying_take_turns() -> None:
    settings = Verify(solving_steps=3, warmup_steps=2, process=0.5)
    turns = [learns_to_verify(settings, step) for step in range(10)]
    assert turns == [True, True, False, False, False, True, False, False, False, True]
    assert not any(learns_to_verify(Verify(), step) for step in range(5))
    shares = [process_share(settings, step, 3) for step in range(3)]
    assert shares == pytest.approx([0.5, 0.05, 0.005])


def test_a_verifier_reads_the_problem_and_the_numbered_lines_and_no_verdict() -> None:
    class Parrot:
        id = "parrot"

        def takes(self, question: Any) -> bool:
            return True

        def sample(self, questions: Any, n: int) -> list[list[Reply]]:
            return [[Reply(str(question.seed))] for question in questions]

    right, wrong = (kept(score) for score in (1.0, 0.0))
    settings = Train(verify=Verify(solving_steps=1))
    (one,), (other,) = (verifications(Parrot(), each, settings, 0) for each in (right, wrong))
    assert one == other, "whether it is right makes no difference"
    text = one.messages[-1]["content"]
    assert right.prompts[0].row["prompt"][-1]["content"] in text
    assert "1: One line.\n2: Two,\n3: <answer>4</answer>" in text
    assert len({each.reply.text for each in verifications(Parrot(), kept(1, 0), settings, 0)}) == 2
    assert not verifications(Parrot(), right, Train(), 0)
    alone = Train(verify=Verify(solving_steps=1, process=0.0))
    assert not verifications(Parrot(), right, alone, 0), "no solving step needs them"
    assert verifications(Parrot(), right, alone, 1)


def test_lines_count_only_where_each_is_judged() -> None:
    full = "1: right\n2) Wrong, since\n3. right\n<answer> Right </answer>"
    assert read_judgement(said(full), SAID) == Judgement((True, False, True), True)
    for text, whole in (
        ("1: right\n3: right\n<answer>wrong</answer>", False),
        ("1: right\n2: right\n3: right\n4: right", None),
        ("<answer>maybe</answer>", None),
    ):
        assert read_judgement(said(text), SAID) == Judgement((), whole)


def test_a_verifier_is_paid_for_agreeing_rare_verdicts_more_and_for_form() -> None:
    rollouts = kept(1.0, 0.0, 0.0, 0.0)
    judgements = {
        (0, 0): Judgement((True,), True),
        (0, 1): Judgement((), False),
        (0, 2): Judgement((True,), True),
        (0, 3): Judgement((True,), None),
    }
    settings = Verify(solving_steps=1, form=0.8)
    counts = outcome_counts((), judgements, rollouts, settings.memory)
    assert counts == (1.0, 3.0)
    rewards = verifier_rewards(judgements, rollouts, settings, counts)
    # A quarter of the replies is right.
    assert [*rewards.values()] == pytest.approx([2**0.5 + 0.8, (2 / 3) ** 0.5, 0.8, 0.0])
    train = Train(verify=settings, loss=Loss(advantage="dr_grpo"))
    given = [said("", number) for number in range(4)]
    samples = verifier_samples(POLICY, given, judgements, rollouts, train, counts)
    mean = sum(rewards.values()) / 4
    assert [each.advantage for each in samples] == pytest.approx(
        [value - mean for value in rewards.values()]
    )
    assert {each.source for each in samples} == {"verifier"}
    assert samples[0].prompt == tuple(POLICY.tokens.ids(given[0].messages))
    # After steps in which all were right, a fifth of the average is of this one: 8.2 and 0.6.
    later = outcome_counts((10.0, 0.0), judgements, rollouts, settings.memory)
    assert later == pytest.approx((8.2, 0.6))
    rare = verifier_rewards(judgements, rollouts, settings, later)
    assert rare[0, 1] == pytest.approx((0.5 / (0.6 / 8.8)) ** 0.5)


def test_lines_as_they_were_verified_are_a_share_of_the_advantage() -> None:
    rollouts = kept(1.0, 0.0)
    reply = rollouts.conversations[0][0].last
    ends = token_ends(POLICY, reply)
    texts = [POLICY.tokens.text(reply.tokens[:end]) for end in ends]
    assert [text.rstrip() for text in texts] == ["One line.", "One line.\n\n  Two,", SAID]
    judgements = {(0, 0): Judgement((True, True, False), True), (0, 1): Judgement((), None)}
    lines = line_credits(POLICY, judgements, rollouts)
    # A third, a third and minus a third: a mean of 1/9, a deviation of sqrt(8) / 9.
    high, low = (1 / 3 - 1 / 9) / (8**0.5 / 9), (-1 / 3 - 1 / 9) / (8**0.5 / 9)
    assert [*lines] == [(0, 0)]
    values = lines[0, 0]
    first, second, third = ends
    assert values[:first] == pytest.approx([2 * high + low] * first)
    assert values[first:second] == pytest.approx([high + low] * (second - first))
    assert values[second:third] == pytest.approx([low] * (third - second))
    mixed = with_lines([[0.5, -0.5]], lines, 0.1)
    assert mixed[0][0] == pytest.approx([0.45 + 0.1 * value for value in values])
    assert mixed[0][1] == -0.5, "of lines that were not all judged nothing is told"
    assert isnan(with_lines([[nan, 0.0]], lines, 0.1)[0][0]), "what is left out stays so"
    same = {(0, 0): Judgement((True, True, True), True)}
    assert not line_credits(POLICY, same, rollouts)


def test_verifying_is_of_single_replies() -> None:
    table = {"name": "it", "make": [{"families": ["sums"], "count": 4}]}
    with pytest.raises(UserError, match="own are verified: leave `tries`"):
        recipe_from({**table, "train": {"tries": 2, "verify": {"solving_steps": 1}}})
    with pytest.raises(UserError, match="form has an effect only where solving_steps"):
        recipe_from({**table, "train": {"verify": {"form": 0.1}}})
