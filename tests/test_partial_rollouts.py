"""Partial rollouts: what goes on in a later step, under which weights, and when a batch is due."""

import json
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from puzzlemill.core.errors import UserError
from puzzlemill.core.item import generate
from puzzlemill.core.rows import row_of
from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.policies.forward_pass import completion_logps
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Question, Reply, Sampling
from puzzlemill.difficulty.policies.tiny_policy import tiny
from puzzlemill.trainer.build_items import BuildItems
from puzzlemill.trainer.collector import Collector
from puzzlemill.trainer.conversations import Attempt
from puzzlemill.trainer.partial_rollouts import Rounds, beginnings, check_partial, joined
from puzzlemill.trainer.rollout_json import buffers_from_json, buffers_to_json
from puzzlemill.trainer.rollouts import Buffers, Prompt
from puzzlemill.trainer.schedule import Schedule, Ticket
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.settings.teaching import Scaffold
from puzzlemill.trainer.settings.turns import Retry

ROWS = [
    row_of(item) | {"mean": 0.5}
    for level in (0.0, 0.5, 1.0)
    for item in generate("sums", level=level, seed=1, n=4)
]
END = 0


def wrong(rows: Sequence[Any], texts: Sequence[str]) -> list[Verdict]:
    return [Verdict(0.0, False, "wrong") for _ in texts]


@pytest.fixture(scope="module")
def policy() -> NativePolicy:
    return tiny(Sampling(max_tokens=96))


def shifted(policy: NativePolicy, seed: int) -> NativePolicy:
    """With other weights, near enough for replies that make sense."""
    model, source = deepcopy(policy.model), torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in model.parameters():
            noise = torch.randn(weight.shape, generator=source)
            weight.add_(0.1 * weight.std(unbiased=False) * noise)
    return replace(policy, model=model)


def test_tokens_keep_the_log_probabilities_of_the_weights_that_sampled_them(
    policy: NativePolicy,
) -> None:
    """Held against a forward pass over the whole reply, under the weights of each part."""
    versions = [shifted(policy, seed) for seed in range(4)]
    settings = Train(prompts=2, group=4, steps=4, oversample=2.0, partial_rollouts=8)
    schedule = Schedule(BuildItems(ROWS), "ranked")
    task = schedule, settings, wrong, Buffers(), policy.sampling.max_tokens, policy.tokens
    seen = set()
    for step, at_step in enumerate(versions):
        found = Collector(at_step, *task).collect(step)
        attempts = [each.attempts[0] for group in found.sampled.conversations for each in group]
        for attempt in attempts:
            tokens, logps = attempt.reply.tokens, attempt.reply.logps
            assert sum(count for count, _ in attempt.parts) == len(tokens) == len(logps)
            text = (policy.tokens.ids(attempt.messages), tokens)
            start = 0
            for count, version in attempt.parts:
                assert version <= step
                here = slice(start, start := start + count)
                for number, other in enumerate(versions):
                    (under,) = completion_logps(other.model, [text], 1.0)
                    apart = (under[here] - torch.tensor(logps[here])).abs().max().item()
                    assert (apart < 1e-4) == (number == version)
            seen.add(len(attempt.parts))
        assert all(each.last.finished or len(each.last.tokens) == 96
                   for group in found.kept.conversations for each in group)  # fmt: skip
    assert max(seen) > 1, "no reply went on under other weights"


def test_a_reply_in_parts_is_the_same_as_one_sampled_whole(policy: NativePolicy) -> None:
    """Where nothing is left to chance, and the weights stay."""
    greedy = replace(policy, sampling=replace(policy.sampling, temperature=0.0))
    prompts = [Prompt(Ticket(place), row) for place, row in enumerate(ROWS)]
    settings = Train(oversample=2.0, partial_rollouts=7)
    rounds = Rounds(greedy, policy.tokens, wrong, settings, 96, 0)
    groups, number = beginnings(prompts, 2), 0
    while not all(rounds.are_whole(groups)):
        groups, number = rounds.next(groups), number + 1
    questions = [Question(tuple(row["prompt"]), 0) for row in ROWS]
    assert groups.groups == greedy.sample(questions, 2)
    longest = max(len(each.tokens) for group in groups.groups for each in group)
    assert number == -(-longest // 7), "as many rounds as the longest reply has parts"


def test_a_stop_string_that_begins_in_one_part_ends_the_reply_in_the_next(
    policy: NativePolicy,
) -> None:
    ids = policy.tokens.continuation("so <answer>4</answer>")
    more = policy.tokens.continuation("5 6 7")
    whole = "so <answer>4</answer>"
    for cut in range(len(ids) - 4, len(ids)):
        begun = Reply("", False, tuple(ids[:cut]), (-1.0,) * cut)
        rest = (*ids[cut:], *more)
        part = Reply("", False, rest, (-2.0,) * len(rest))
        found = joined(begun, part, policy.tokens)
        assert found.finished
        assert found.text == whole
        assert found.tokens == tuple(ids), "what came behind it is no part of the reply"
        assert found.logps == (-1.0,) * cut + (-2.0,) * (len(ids) - cut)
    unfinished = joined(begun, Reply("", False, tuple(more), (-2.0,) * len(more)), policy.tokens)
    assert not unfinished.finished


def test_a_part_without_a_token_ends_the_reply(policy: NativePolicy) -> None:
    begun = Reply("", False, tuple(policy.tokens.continuation("so")), (-1.0,))
    assert joined(begun, Reply("", True), policy.tokens).finished
    assert joined(begun, Reply("", False), policy.tokens).finished


@dataclass(frozen=True)
class Scripted:
    """Its replies to a message are as long as that says; it notes what each call goes on from."""

    calls: list[list[tuple[int, ...]]]
    lengths: dict[str, int]
    sampling: Sampling = field(default_factory=lambda: Sampling(max_tokens=40))

    def takes(self, question: Question) -> bool:
        return True

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        assert n == 1
        self.calls.append([question.tokens[1:] for question in questions])
        return [[self._part(question)] for question in questions]

    def _part(self, question: Question) -> Reply:
        begun, most = len(question.tokens) - 1, self.sampling.max_tokens
        left = self.lengths[question.messages[-1]["content"]] - begun
        tokens = (1,) * min(left, most) if left > most else (*(1,) * (left - 1), END)
        return Reply("", left <= most, tokens, (-0.5,) * len(tokens))


def scripted(lengths: Sequence[int], **settings: Any) -> tuple[Collector, list[Any]]:
    """A collector that picks items in order, whose replies are so long."""
    calls: list[Any] = []
    by_prompt = {row["prompt"][-1]["content"]: each
                 for row, each in zip(ROWS, lengths, strict=True)}  # fmt: skip
    tokens: Any = SimpleNamespace(
        ids=lambda messages: [9], ends={END}, text=lambda ids: "x" * len(ids)
    )
    policy: Any = Scripted(calls, by_prompt | {Retry().feedback: 3})
    schedule = Schedule(BuildItems(ROWS), "ranked")
    train = Train(**{"group": 2, "steps": 8, "partial_rollouts": 4} | settings)
    return Collector(policy, schedule, train, wrong, Buffers(), 40, tokens), calls


def lengths_in(found: Any) -> list[int]:
    return [len(group[0].last.tokens) for group in found.sampled.conversations]


def test_a_batch_is_due_when_enough_groups_are_whole_and_the_others_go_on() -> None:
    it, calls = scripted([10] * 12, prompts=2, oversample=2.0)
    picked = [it.schedule.source.row(each)["prompt"][-1]["content"]
              for each in deepcopy(it.schedule).pick(4, 0.0, "train 0")]  # fmt: skip
    it.policy.lengths.update(zip(picked, [2, 11, 3, 9], strict=True))
    first = it.collect(0)
    assert lengths_in(first) == [2, 3]
    assert [len(call) for call in calls] == [8], "one round, with all that is under way"
    unfinished = it.buffers.unfinished
    assert [len(group[0].last.tokens) for group in unfinished.conversations] == [4, 4]
    second = it.collect(1)
    assert calls[1] == [(1,) * 4] * 4 + [()] * 4, "two more prompts, beside those that go on"
    assert lengths_in(second)[:2] == [11, 9]
    for group in second.sampled.conversations[:2]:
        (attempt,) = group[0].attempts
        assert attempt.parts == ((4, 0), (len(attempt.reply.tokens) - 4, 1))
    assert [prompt.step for prompt in second.sampled.prompts[:2]] == [0, 0]


def test_a_step_ends_without_its_slowest_reply_and_its_tokens_go_on_later() -> None:
    """One of three groups has replies of 20 tokens: the step takes the other two."""
    it, calls = scripted([3] * 12, prompts=2, oversample=1.5)
    slow, *others = deepcopy(it.schedule).pick(3, 0.0, "train 0")
    it.policy.lengths[it.schedule.source.row(slow)["prompt"][-1]["content"]] = 20
    first = it.collect(0)
    assert [each.ticket for each in first.sampled.prompts] == others
    assert len(calls) == 1, "of five rounds that the slowest takes"
    for step in range(1, 5):
        found = it.collect(step)
        assert [each.ticket for each in found.sampled.prompts].count(slow) == (step == 4)
    (attempt,) = found.sampled.conversations[0][0].attempts
    assert attempt.parts == tuple((4, step) for step in range(5))


@dataclass(frozen=True)
class Unequal:
    """The replies to a prompt are as long as these; a reply's tokens tell which it is."""

    lengths: tuple[int, ...]
    sampling: Sampling = field(default_factory=lambda: Sampling(max_tokens=40))

    def takes(self, question: Question) -> bool:
        return True

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        replies = []
        for place, question in enumerate(questions):
            begun = question.tokens[1:]
            which = begun[0] if begun else 1 + place % len(self.lengths)
            left, most = self.lengths[which - 1] - len(begun), self.sampling.max_tokens
            tokens = (which,) * min(left, most) if left > most else (*(which,) * (left - 1), END)
            replies.append([Reply("", left <= most, tokens, (-0.5,) * len(tokens))])
        return replies


def test_a_group_that_has_enough_replies_breaks_off_its_slowest() -> None:
    it, _ = scripted([1] * 12, prompts=2, group=4, oversample=1.5, enough_replies=0.75)
    found = replace(it, policy=Unequal((3, 17, 3, 9))).collect(0)  # type: ignore[arg-type]
    for group in found.sampled.conversations:
        assert [len(each.last.tokens) for each in group] == [3, 3, 9]
    assert found.sampled.scores_PG.shape == (3, 3), "what was broken off has no score"
    assert not len(it.buffers.unfinished)
    waits, _ = scripted([1] * 12, prompts=2, group=4, oversample=1.5)
    found = replace(waits, policy=Unequal((3, 17, 3, 9))).collect(0)  # type: ignore[arg-type]
    assert [len(each.last.tokens) for each in found.sampled.conversations[0]] == [3, 17, 3, 9]


@pytest.mark.parametrize(
    ("share", "replies", "ended", "whole"),
    [
        (1.0, 4, 3, False),
        (0.75, 4, 3, True),
        (0.75, 4, 2, False),
        (0.7, 10, 7, True),
        (0.01, 4, 1, False),
        (0.01, 4, 2, True),
        (0.5, 3, 1, False),
        (0.5, 3, 2, True),
    ],
)
def test_a_group_is_whole_with_a_share_of_its_replies_and_with_two_at_least(
    share: float, replies: int, ended: int, whole: bool, policy: NativePolicy
) -> None:
    settings = Train(oversample=2.0, partial_rollouts=4, enough_replies=share)
    rounds = Rounds(policy, policy.tokens, wrong, settings, 96, 0)
    groups = beginnings([Prompt(Ticket(0), ROWS[0])], replies)
    (group,) = groups.conversations
    for at in range(ended):
        attempt = replace(group[at].attempts[0], reply=Reply("4", True, (1,), (-1.0,)))
        group[at] = replace(group[at], attempts=(attempt,))
    assert rounds.are_whole(groups) == [whole]
    (kept,) = rounds.broken_off(groups).conversations
    assert len(kept) == ended


def test_no_reply_is_under_way_for_ever() -> None:
    """Even where there are always enough groups without it."""
    it, _ = scripted([2] * 12, prompts=1, oversample=4.0, loss=Loss(advantage="copo"))
    (longest,) = deepcopy(it.schedule).pick(1, 0.0, "train 0")
    it.policy.lengths[it.schedule.source.row(longest)["prompt"][-1]["content"]] = 40
    taken = [max(lengths_in(it.collect(step)), default=0) for step in range(10)]
    assert 40 in taken
    assert len(it.buffers.overflow), "a step could do without a round"


def test_a_long_first_turn_holds_up_no_other_conversation() -> None:
    it, calls = scripted([10] * 12, prompts=2, oversample=1.5, tries=3)
    picked = [it.schedule.source.row(each)["prompt"][-1]["content"]
              for each in deepcopy(it.schedule).pick(3, 0.0, "train 0")]  # fmt: skip
    it.policy.lengths.update(zip(picked, [1, 12, 1], strict=True))
    found = it.collect(0)
    assert calls == [
        [()] * 6,  # first turns
        [(), (), (1,) * 4, (1,) * 4, (), ()],  # the second turn of four, the first of two
        [(), (), (1,) * 8, (1,) * 8, (), ()],  # and their third
    ]
    assert [len(group[0].attempts) for group in found.sampled.conversations] == [3, 3]
    (waiting,) = it.buffers.unfinished.conversations
    assert [len(each.attempts) for each in waiting] == [2, 2], "its second turn is to begin"
    assert [each.last.tokens for each in waiting] == [(), ()]
    assert [len(each.earlier) for each in waiting] == [1, 1]


def test_what_is_under_way_goes_through_a_checkpoint_and_back() -> None:
    whole, _ = scripted([2, 30, 10, 17] * 3, prompts=2, oversample=3.0, tries=2)
    whole.collect(0)
    data = json.loads(json.dumps(buffers_to_json(whole.buffers)))
    assert len(whole.buffers.unfinished)
    schedule = deepcopy(whole.schedule)
    again = replace(whole, schedule=schedule, buffers=buffers_from_json(data, schedule))
    assert again.buffers.unfinished.conversations == whole.buffers.unfinished.conversations
    for step in (1, 2):
        assert (
            again.collect(step).sampled.conversations == whole.collect(step).sampled.conversations
        )


def test_pictures_and_scaffolds_are_refused() -> None:
    row = ROWS[0] | {"images": [{"bytes": b""}]}
    with pytest.raises(UserError, match="not for items with pictures"):
        beginnings([Prompt(Ticket(0), row)], 2)
    with pytest.raises(UserError, match="leave one of them out"):
        check_partial(Train(oversample=2.0, partial_rollouts=8, scaffold=Scaffold(share=0.5)))
    assert Attempt((), Reply("")).parts == (), "a reply sampled whole has none"
