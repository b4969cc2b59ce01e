"""Second tries: what each is worth, by hand, and what is said before them."""

from collections.abc import Sequence
from dataclasses import replace
from math import nan
from typing import Any

import pytest
import torch

from puzzlemill.core.errors import UserError
from puzzlemill.core.item import generate, worked
from puzzlemill.core.plain_data import thaw
from puzzlemill.core.registry import family, names
from puzzlemill.core.rows import row_of
from puzzlemill.core.verdict import NO_ANSWER, SEVERAL, Verdict
from puzzlemill.difficulty.policies.forward_pass import completion_logps
from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.difficulty.policies.policy import Question, Reply, Sampling
from puzzlemill.difficulty.policies.reward_token import reward_token
from puzzlemill.difficulty.policies.tiny_policy import tiny
from puzzlemill.difficulty.scoring import judge_here
from puzzlemill.difficulty.signals import signals
from puzzlemill.pipelines.recipe import recipe_from
from puzzlemill.trainer import conversations
from puzzlemill.trainer.adamw import AdamW
from puzzlemill.trainer.conversations import Attempt, Conversation, sample_conversations
from puzzlemill.trainer.critique import critique
from puzzlemill.trainer.micro_batch import Sample
from puzzlemill.trainer.off_policy import OffPolicy
from puzzlemill.trainer.optimizer_step import optimizer_step
from puzzlemill.trainer.refinement import with_refinements
from puzzlemill.trainer.rollouts import Buffers, Prompt, Rollouts, padded_with_nan
from puzzlemill.trainer.schedule import Ticket
from puzzlemill.trainer.self_reward import constant_of, self_rewards, with_aim
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.settings.rewards import Shaping
from puzzlemill.trainer.settings.turns import Retry, SelfReward
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
    *earlier, last = [
        Verdict(score, score == 1, "correct" if score == 1 else "wrong") for _, score in tries
    ]
    return Conversation(attempts, last, earlier=tuple(earlier))


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
            assert [before.score for before in each.earlier] == [spoiled]
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
    with pytest.raises(UserError, match="rewards steps of conversations"):
        credits_of(replace(found, steps={(0, 0): [(1, 1.0)]}), seen)
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


# LaSeR's self-rewards.

LASER = SelfReward(weight=0.5, beta=0.1)


def judged(policy: LocalPolicy, right: bool, reply: tuple[int, ...] = (3, 4)) -> Sample:
    sample = Sample((1, 2), reply, (nan, nan), 1.0, 0.25)
    return with_aim(sample, policy, right, -9.0, LASER)


def test_the_distance_from_verdicts_is_added_to_the_loss_by_hand() -> None:
    policy = tiny(Sampling(max_tokens=4))
    token = reward_token(policy.tokens)
    assert policy.tokens.tokenizer.convert_ids_to_tokens(token) == "<|assistant|>"
    samples = [
        judged(policy, right, reply)
        for right, reply in ((True, (3, 4)), (False, (5, 6)), (False, (7, 8)))
    ]
    assert all(each.learned == 2 and each.reply[-1] == token for each in samples)
    texts = [(each.prompt, each.reply) for each in samples]
    logps = [each[-1].item() for each in completion_logps(policy.model, texts)]
    right, *wrong = [0.1 * (logp + 9.0) for logp in logps]
    expected = 0.5 * ((right - 1) ** 2 + (wrong[0] ** 2 + wrong[1] ** 2) / 2) / 2
    losses = []
    for some in (samples, [replace(each, aim=None, reply=each.reply[:2], logps=(nan, nan))
                           for each in samples]):  # fmt: skip
        nothing = AdamW([*policy.model.parameters()], 0.0, 0.0)
        losses.append(optimizer_step(policy, nothing, some, Loss(entropy=0.1), 1.0))
    assert losses[0]["loss"] - losses[1]["loss"] == pytest.approx(expected, rel=1e-4)


def test_a_policy_learns_to_tell_its_right_replies_from_its_wrong_ones() -> None:
    policy = tiny(Sampling(max_tokens=4))
    samples = [
        replace(judged(policy, right, reply), advantage=0.0)
        for right, reply in ((True, (3, 4)), (False, (5, 6)))
    ]
    optimizer = AdamW([*policy.model.parameters()], 3e-3, 0.0)
    losses = [optimizer_step(policy, optimizer, samples, Loss(), 1.0)["loss"] for _ in range(20)]
    assert losses[-1] < losses[0] / 10
    token = reward_token(policy.tokens)
    texts = [((1, 2), (*reply, token)) for reply in ((3, 4), (5, 6))]
    right, wrong = (0.1 * (each[-1].item() + 9.0) for each in completion_logps(policy.model, texts))
    assert right > 0.5 > wrong


def test_self_rewards_are_a_share_of_the_advantage() -> None:
    settings = Train(loss=Loss(advantage="dr_grpo"), self_reward=SelfReward(weight=0.1, share=0.25))
    group = [talk(("1", 1.0)), talk(("2", 0.0)), talk(("3", 0.0))]
    seen = groups_of(group, settings)
    seen = replace(seen, self_rewards=torch.tensor([[0.5, 0.3, nan]]))
    # Above the verdicts' mean of 1/3, and above the mean of the self-rewards that there are.
    found = credits_of(Rewards(seen.scores_PG), seen)[0]
    assert found == pytest.approx([0.75 * 2 / 3 + 0.25 * 0.1, -0.75 / 3 - 0.25 * 0.1, -1 / 3])


def test_the_constant_of_self_rewards_is_measured_once() -> None:
    buffers = Buffers()
    assert constant_of(buffers, [[nan]]) is None
    assert constant_of(buffers, [[-8.0, nan], [-10.0, -9.0]]) == -9.0
    assert constant_of(buffers, [[-1.0]]) == -9.0
    assert self_rewards([[-9.0, 1.0]], -9.0, LASER) == [[0.0, 1.0]]


def test_the_signal_of_self_rewards_reads_a_token_behind_the_solution() -> None:
    policy, rows = tiny(Sampling(max_tokens=4)), rows_of("sums", count=2)
    token = reward_token(policy.tokens)
    for row, value in zip(rows, signals(policy, rows, "self_reward"), strict=True):
        own = family(row["family"])
        solution = worked(own, thaw(own.puzzle, row["puzzle"]), row["answer"])
        text = policy.tokens.ids(row["prompt"]), [*policy.tokens.continuation(solution), token]
        assert value == pytest.approx(completion_logps(policy.model, [text])[0][-1].item())


# Critique-GRPO's refinements.

REFINED = Retry(critique=True, refinements=1, gamma=0.1)


def test_a_wrong_reply_is_told_why_it_has_no_answer() -> None:
    (row,) = rows_of("sums")
    for said, why in (
        ("no idea", " No complete <answer>…</answer> and no \\boxed{…}."),
        ("<answer>1 or 2</answer>", " Several different answers."),
        ("<answer>gibberish</answer>", " Not an integer."),
        ("<answer>-1</answer>", ""),
    ):
        policy = Scripted(said, said)
        ((each,),) = sample_conversations(policy, [row], "try", 1, judge_here, 2, REFINED)
        assert each.attempts[1].messages[-1]["content"] == REFINED.feedback + why


# One of each way to read answers, and both whose answers are read by what the puzzle says.
READ = ("sums", "sorting", "countdown", "sudoku", "zebra", "code_input", "mode_switching",
        "linear_system", "reversal", "lights_out", "syllogism", "jigsaw_grid")  # fmt: skip


@pytest.mark.parametrize("name", [name for name in READ if name in names()])
def test_a_critique_is_one_of_a_family_s_fixed_texts_whatever_the_puzzle(name: str) -> None:
    fixed = {"", NO_ANSWER, SEVERAL, f"not {family(name).answer.form}"}
    rows = [row_of(item) for item in generate(name, level=0.4, n=3)]
    for row in rows:
        others = [other["answer"] for other in rows]
        texts = [*others, f"{row['answer']} or {others[0]}", f"not {row['answer']}", "?!", ""]
        for text in texts:
            (verdict,) = judge_here([row], [f"<answer>{text}</answer>"])
            if not verdict.correct:
                assert critique(row, verdict) in fixed
        told = Verdict(0.0, False, "wrong", f"expected {row['answer']}")
        assert critique(row, told) == "", "a reason that tells gold is not passed on"
        longer = Verdict(0.0, False, "unparsed", f"not {family(name).answer.form}: {row['answer']}")
        assert critique(row, longer) == ""


def test_refinements_join_the_group_right_ones_first() -> None:
    (row,) = rows_of("sums")
    plain = ({"role": "user", "content": "2 + 2?"},)
    group = [
        replace(each, attempts=(replace(each.attempts[0], messages=plain), *each.attempts[1:]))
        for each in (
            talk(("5", 0.0), ("6", 0.0)),
            talk(("5", 0.0), ("4", 1.0)),
            talk(("4", 1.0)),
        )
    ]
    (joined,) = with_refinements([row], [group], "step", 1)
    assert [each.verdict.score for each in joined] == [0.0, 0.0, 1.0, 1.0]
    assert [each.source for each in joined] == ["own", "own", "own", "refinement"]
    assert all(len(each.attempts) == 1 for each in joined)
    assert joined[3].attempts[0].messages == plain, "without the critique"
    assert joined[3].last == group[1].last
    (more,) = with_refinements([row], [group], "step", 5)
    assert [each.verdict.score for each in more[3:]] == [1.0, 0.0]
    rollouts = Rollouts([Prompt(Ticket(0), row)], [joined], torch.tensor([[0.0, 0.0, 1.0, 1.0]]))
    first = rollouts.without_refinements()
    assert first.scores() == [[0.0, 0.0, 1.0]]
    assert first.conversations == [joined[:3]]


def test_a_refinement_is_learned_by_its_shaped_probability() -> None:
    policy = tiny(Sampling(max_tokens=4))
    shaped = OffPolicy("luffy", 0.1)
    sample = Sample((1, 2), (3, 4), (-1.0, -1.0), 1.5, 0.5, off_policy=shaped)
    nothing = AdamW([*policy.model.parameters()], 0.0, 0.0)
    (logps,) = completion_logps(policy.model, [(sample.prompt, sample.reply)])
    metrics = optimizer_step(policy, nothing, [sample], Loss(), 1.0)
    assert metrics["loss"] == pytest.approx(
        0.5 * sum(-1.5 * p / (p + 0.1) for p in logps.exp().tolist()), rel=1e-4
    )
    assert metrics["mismatch"] == 0


def test_what_is_learned_of_conversations_is_refused_beside_refinements() -> None:
    table = {"name": "refined", "make": [{"families": ["sums"], "count": 4}]}
    good = {"tries": 2, "retry": {"refinements": 1, "critique": True}}
    assert recipe_from({**table, "train": good}).items.retry.refinements == 1
    for more, told in (
        ({"retry": {"refinements": 1, "by_try": True}}, "by_try is of conversations"),
        ({"retry": {"refinements": 1}, "extra": 99}, "refinements go with no replies of"),
        ({"retry": {"ask": "always", "critique": True}}, "critique"),
        ({"retry": {"ask": "always", "first_steps": 1, "by_try": True, "first_kl": 1.0}}, "kl_in"),
    ):
        with pytest.raises(UserError, match=told):
            recipe_from({**table, "train": {"tries": 2, **more}})
