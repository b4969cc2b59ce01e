"""What joins a group, and what is learned behind a prompt that it was not sampled from: by hand."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import exp, isnan, log, nan
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from puzzlemill.core.errors import UserError
from puzzlemill.core.item import generate
from puzzlemill.core.rows import row_of
from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.hints import hinted, reworded, steps_of
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.policy import Question, Reply
from puzzlemill.difficulty.scoring import judge_here
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.pipelines.recipe import recipe_from
from puzzlemill.trainer.adamw import AdamW
from puzzlemill.trainer.advantages import advantages
from puzzlemill.trainer.build_items import BuildItems
from puzzlemill.trainer.collector import Collector, group_std
from puzzlemill.trainer.conversations import Attempt, Conversation
from puzzlemill.trainer.demonstrations import likeliest_explanations
from puzzlemill.trainer.item_log import first_replies
from puzzlemill.trainer.item_task import ItemTask
from puzzlemill.trainer.micro_batch import Sample
from puzzlemill.trainer.off_policy import OffPolicy, off_policy_loss
from puzzlemill.trainer.optimizer_step import optimizer_step
from puzzlemill.trainer.prefixes import drawn_prefixes
from puzzlemill.trainer.ratios import Tokens
from puzzlemill.trainer.rollout_json import buffers_from_json, buffers_to_json
from puzzlemill.trainer.rollouts import Buffers, Prompt, Rollouts, groups_of
from puzzlemill.trainer.scaffold import scaffold_shares
from puzzlemill.trainer.schedule import Schedule, Ticket
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.settings.teaching import Demonstrations, Prefixes, Scaffold
from puzzlemill.trainer.shapings import rewards
from puzzlemill.trainer.train_samples import samples_of

ROWS = [
    row_of(item) | {"mean": 0.5} for item in generate("sums", level=0.5, seed=1, n=4)
]  # of four steps each
POLICY: Any = new_policy(PolicySettings(max_tokens=100))
WRONG, RIGHT = "wrong", "right"


def judge(rows: Sequence[Mapping[str, Any]], replies: Sequence[str]) -> list[Verdict]:
    """A reply that ends in "right" is right, and so is one that ends in the answer."""
    right = [
        text.endswith((RIGHT, f"<answer>{row['answer']}</answer>"))
        for row, text in zip(rows, replies, strict=True)
    ]
    return [Verdict(float(each), each, "correct" if each else "wrong") for each in right]


def collector(reply: Callable[[str, int], str], **settings: Any) -> Collector:
    """Of a policy that gives these replies: by the prompt, and how often that was asked."""
    asked: dict[str, int] = {}

    def sample(questions: Sequence[Question], n: int) -> list[list[Reply]]:
        return [
            [said("\n".join(each["content"] for each in question.messages)) for _ in range(n)]
            for question in questions
        ]

    def said(prompt: str) -> Reply:
        asked[prompt] = asked.get(prompt, -1) + 1
        return Reply(reply(prompt, asked[prompt]), tokens=(5, 6), logps=(-0.5, -0.25))

    policy: Any = SimpleNamespace(sample=sample, takes=lambda question: True)
    train = Train(**{"prompts": 4, "group": 4} | settings)
    schedule = Schedule(BuildItems(ROWS), "ranked")
    return Collector(policy, schedule, train, judge, Buffers(), 100, POLICY.tokens)


@pytest.mark.parametrize(
    "settings",
    [
        {"hints": (0.5,)},
        {"scaffold": Scaffold(0.9, middle=1.0)},
        {"demonstrations": Demonstrations(1, source="rewordings")},
        {"demonstrations": Demonstrations(1, source="explanations")},
    ],
)
def test_a_prompt_is_told_nothing_for_which_it_has_no_room(settings: Any) -> None:
    prompts = {row["prompt"][-1]["content"] for row in ROWS}
    asked = set[str]()

    def reply(prompt: str, _: int) -> str:
        asked.add(prompt)
        return WRONG

    it = collector(reply, **settings)
    policy: Any = SimpleNamespace(
        sample=it.policy.sample,
        takes=lambda question: question.messages[-1]["content"] in prompts,
    )
    replace(it, policy=policy).collect(0)
    assert asked
    assert asked <= prompts


def through_json(it: Collector) -> Buffers:
    data = json.loads(json.dumps(buffers_to_json(it.buffers), allow_nan=False))
    return buffers_from_json(data, it.schedule)


def sources(groups: Rollouts) -> list[list[str]]:
    return [[each.source for each in group] for group in groups.conversations]


def losses(chosen: OffPolicy, probability: float, old: float, advantage: float = 2.0) -> float:
    logp_N, old_N = torch.tensor([log(probability)]), torch.tensor([log(old)])
    tokens = Tokens(logp_N, old_N, torch.tensor([advantage]), torch.tensor([0]))
    return off_policy_loss(tokens, old_N, chosen, Loss()).item()


def test_off_policy_ratios_are_what_their_papers_say() -> None:
    assert losses(OffPolicy("luffy"), 0.5, 0.3) == pytest.approx(-2 * 0.5 / 0.6)
    assert losses(OffPolicy("luffy", gamma=0.5), 0.5, 0.3) == pytest.approx(-1.0)
    # The writer is taken for (pi_old + 1) / 2: 2 · .5 / (.3 + .65).
    assert losses(OffPolicy("rl_plus"), 0.5, 0.3) == pytest.approx(-2 * 1 / 0.95)
    assert losses(OffPolicy("rl_plus"), 1.0, 1.0) == pytest.approx(-2.0)
    unlikely = OffPolicy("rl_plus", explore=0.5)
    assert losses(unlikely, 0.75, 0.75) == pytest.approx(-2 * 1.5 / 1.625 * 0.25**0.5)
    assert losses(unlikely, 0.75, 0.75, -2.0) == pytest.approx(2 * 1.5 / 1.625), "not what is wrong"
    # By the recipe's own: PPO's clip at 1.28.
    assert losses(OffPolicy(), 0.6, 0.3) == pytest.approx(-2 * 1.28)


def test_the_gradient_goes_through_the_ratio_and_not_through_what_explores() -> None:
    logp_N = torch.tensor([log(0.4)], requires_grad=True)
    tokens = Tokens(logp_N, logp_N.detach(), torch.tensor([1.0]), torch.tensor([0]))
    for chosen, wanted in (
        (OffPolicy("luffy"), -0.4 * 0.1 / 0.5**2),  # pi · gamma / (pi + gamma)²
        (OffPolicy("rl_plus", explore=1.0), -0.6 * 0.8 / 1.1),
    ):
        loss_N = off_policy_loss(tokens, logp_N.detach(), chosen, Loss())
        (gradient_N,) = torch.autograd.grad(loss_N.sum(), logp_N)
        assert gradient_N.item() == pytest.approx(wanted)


def test_a_reply_to_a_hint_has_its_ratio_to_the_plain_prompt_whatever_the_correction() -> None:
    """Guide: of a positive advantage nothing is clipped below, so the loss is the mean ratio."""
    bare = Sample((3, 4), (5, 6), (nan, nan), 1.0, weight=0.5)
    found = optimizer_step(POLICY, still(), [bare], Loss(), 1.0)
    assert found["loss"] == pytest.approx(-1.0), "unknown: the ratio is 1"
    plain = logps_of(bare)
    told = replace(bare, logps=tuple(logp + 1 for logp in plain), off_policy=OffPolicy())
    for correction in ("off", "tis"):
        found = optimizer_step(POLICY, still(), [told], Loss(correction=correction), 1.0)
        assert found["loss"] == pytest.approx(-exp(-1), rel=1e-4)
        assert found["mismatch"] == 0, "it says nothing of the engines"
    luffy = replace(told, off_policy=OffPolicy("luffy"))
    found = optimizer_step(POLICY, still(), [luffy, told], Loss(), 1.0)
    shaped = sum(exp(each) / (exp(each) + 0.1) for each in plain) / 2
    assert found["loss"] == pytest.approx(-shaped - exp(-1), rel=1e-4), "each by its own"


def still() -> Any:
    return AdamW(POLICY.model.parameters(), 0.0)


def logps_of(sample: Sample) -> list[float]:
    from puzzlemill.difficulty.policies.forward_pass import completion_logps

    (found,) = completion_logps(POLICY.model, [(sample.prompt, sample.reply)])
    return [float(each) for each in found]


def test_a_solution_joins_a_group_without_a_right_reply_and_is_in_its_advantage() -> None:
    first = ROWS[0]["prompt"][0]["content"]
    told = Demonstrations(number=1, ratio="luffy")
    it = collector(
        lambda prompt, number: RIGHT if prompt == first and not number else WRONG,
        demonstrations=told,
        loss=Loss(advantage="dr_grpo"),
    )
    found = it.collect(0)
    assert sources(found.kept) == [["own"] * 4, *[["own"] * 4 + ["demonstration"]] * 3]
    worth = advantages(found.kept.scores_PG, it.settings.loss)
    assert worth[1].tolist() == pytest.approx([-0.2] * 4 + [0.8])
    assert len(found.sampled.replies) == 16, "solutions are not sampled"
    (solution,) = found.kept.conversations[1][4].attempts
    assert solution.reply.text.startswith("\n".join(steps_of(ROWS[1])))
    assert POLICY.tokens.text(solution.reply.tokens) == solution.reply.text
    assert solution.reply.tokens[-1] in POLICY.tokens.ends
    groups = groups_of(found.kept, it.settings, 100, 0)
    samples = samples_of(POLICY, found.kept, groups, rewards(groups))
    joined = [each for each in samples if each.source == "demonstration"]
    assert [each.off_policy for each in joined] == [OffPolicy("luffy")] * 3
    assert all(isnan(logp) for each in joined for logp in each.logps)
    assert not any(each.off_policy for each in samples if each.source == "own")
    short = replace(it, max_tokens=5, policy=collector(lambda *_: WRONG).policy)
    assert not len(short.collect(1).kept), "longer than a reply may be"


def test_demonstrations_join_hard_groups_or_all() -> None:
    order = {row["prompt"][0]["content"]: place for place, row in enumerate(ROWS)}

    def reply(prompt: str, number: int) -> str:
        return RIGHT if number < order[prompt] + 1 else WRONG  # of 4: 1, 2, 3 and all

    for when, wanted in (("hard", 1), ("always", 4)):
        told = Demonstrations(number=1, when=when, hard=0.5)  # type: ignore[arg-type]
        loss = Loss(advantage="raw")
        kept = collector(reply, demonstrations=told, loss=loss).collect(0).kept
        assert sum("demonstration" in group for group in sources(kept)) == wanted


def test_several_right_replies_of_earlier_steps_join_and_the_latest_come_first() -> None:
    told = Demonstrations(number=3, when="always", source="replies", ratio="rl_plus")
    it = collector(lambda prompt, number: f"{number} {RIGHT}" if number % 2 else WRONG,
                   demonstrations=told)  # fmt: skip
    assert sources(it.collect(0).kept) == [["own"] * 4] * 4, "there are none yet"
    it = replace(it, buffers=through_json(it))
    second = it.collect(1).kept
    texts = [each.last.text for each in second.conversations[0]]
    assert texts[4:] == ["1 right", "3 right"]
    assert second.conversations[0][4].last.logps == (-0.5, -0.25), "known"
    texts = [each.last.text for each in it.collect(2).kept.conversations[0]]
    assert texts[4:] == ["5 right", "7 right", "1 right"]


def test_explanations_join_the_group_behind_the_plain_prompt() -> None:
    told = Demonstrations(number=1, source="explanations")
    it = collector(
        lambda prompt, number: RIGHT if "The right answer is" in prompt and number else WRONG,
        demonstrations=told,
        max_staleness=1,
    )
    found = it.collect(0)
    assert sources(found.kept) == [["own"] * 4 + ["explanation"] * 3] * 4, "one is chosen later"
    one = found.kept.conversations[0][4]
    assert "The right answer" not in str(one.attempts[0].messages)
    assert all(map(isnan, one.last.logps))
    it.buffers.prefetched = [found]
    (again,) = through_json(it).prefetched
    assert again.kept.conversations[0][4].attempts[0].messages == one.attempts[0].messages
    assert sources(again.kept) == sources(found.kept)


def test_the_explanation_that_is_likeliest_and_makes_the_answer_likelier_stays() -> None:
    """The bundled policy was taught the worked steps; it does not expect the answer after noise."""
    own = steps_of(ROWS[0])
    solved = "\n".join([*own, f"<answer>{ROWS[0]['answer']}</answer>"])
    noise = f"zzzz qqqq\nzzzz\n<answer>{ROWS[0]['answer']}</answer>"
    unlike = solved.replace(own[0], f"{own[0]} #", 1)

    def group(*texts: str) -> Rollouts:
        said = [explained(text) for text in texts]
        wrong = replace(explained("<answer>0</answer>"), source="own")
        return Rollouts(
            [Prompt(Ticket(0), ROWS[0])],
            [[wrong, *said]],
            torch.tensor([[0.0, *[1.0] * len(said)]]),
        )

    def left(groups: Rollouts, number: int = 1) -> list[str]:
        return [each.last.text for each in likeliest_explanations(POLICY, groups, number)
                .conversations[0][1:]]  # fmt: skip

    assert left(group(noise, unlike, solved)) == [solved]
    assert left(group(noise, unlike, solved), 2) == [unlike, solved]
    assert left(group(noise)) == [], "it makes the answer no likelier"
    assert likeliest_explanations(POLICY, group(), 1).scores() == [[0.0]]
    pictured = replace(group(solved).prompts[0], row={**ROWS[0], "images": [{"bytes": b""}]})
    with pytest.raises(UserError, match="pictures"):
        likeliest_explanations(POLICY, replace(group(solved), prompts=[pictured]), 1)


def explained(text: str) -> Conversation:
    tokens = tuple(POLICY.tokens.continuation(text))
    attempt = Attempt(tuple(ROWS[0]["prompt"]), Reply(text, True, tokens, (nan,) * len(tokens)))
    return Conversation((attempt,), Verdict(1.0, True, "correct"), source="explanation")


def test_what_all_fail_is_told_in_own_words_when_the_solution_is_shown() -> None:
    told = Demonstrations(number=2, source="rewordings")
    shown: list[str] = []

    def reply(prompt: str, number: int) -> str:
        if "correct solution" not in prompt:
            return WRONG
        shown.append(prompt)
        return RIGHT

    found = collector(reply, demonstrations=told).collect(0)
    assert sources(found.kept) == [["own"] * 4 + ["explanation"] * 2] * 4, "the first right ones"
    for row in ROWS:
        assert any("\n".join(steps_of(row)) in prompt for prompt in shown)
        assert row["answer"] in reworded(row)["prompt"][0]["content"]
    samples = samples_of(
        POLICY, found.kept, seen := groups_of(found.kept, Train(), 9, 0), rewards(seen)
    )
    assert {each.prompt for each in samples} == {
        tuple(POLICY.tokens.ids(row["prompt"])) for row in ROWS
    }, "behind the plain prompts"
    assert not any(each.off_policy for each in samples), "by the recipe's own ratio"


def test_a_scaffold_falls_within_the_group_and_over_the_run() -> None:
    settings = Scaffold(share=0.9, middle=0.2, steepness=125)
    assert scaffold_shares(4, 0.2, settings) == pytest.approx([0.45, 0.3, 0.15, 0])
    assert scaffold_shares(4, 0.0, settings) == pytest.approx([0.9, 0.6, 0.3, 0])
    assert scaffold_shares(2, 0.21, settings)[0] == pytest.approx(0.9 / (1 + exp(1.25)))
    assert scaffold_shares(4, 1.0, settings) == pytest.approx([0, 0, 0, 0])


def test_each_reply_of_a_group_is_told_its_share_and_the_plain_one_is_the_outcome() -> None:
    it = collector(
        lambda prompt, number: RIGHT if "A solution begins so" in prompt else WRONG,
        scaffold=Scaffold(share=0.75, middle=1.0),
        prompts=1,
        steps=10,
        max_staleness=1,
    )
    found = it.collect(0)
    (group,) = found.kept.conversations
    assert [each.hint_share for each in group] == pytest.approx([0.75, 0.5, 0.25, 0])
    row = found.kept.prompts[0].row
    for each in group[:3]:
        said = hinted(row, each.hint_share)
        assert not isinstance(said, str)
        assert [*each.attempts[0].messages] == said["prompt"]
    assert found.kept.scores() == [[1.0, 1.0, 1.0, 0.0]]
    assert found.sampled.of_plain_prompts().scores() == [[0.0]]
    assert first_replies(found.sampled) == {row["uid"]: (1, 0)}
    it.buffers.prefetched = [found]
    (again,) = through_json(it).prefetched
    assert again.kept.conversations == found.kept.conversations


@pytest.mark.parametrize("behind", ["hinted", "plain"])
def test_replies_to_hints_are_learned_behind_the_prompt_of_choice(behind: Any) -> None:
    """With the hint as GHPO, without as Guide; in the whole group, or in a part of it."""
    for told in ({"hints": (0.5,)}, {"scaffold": Scaffold(share=0.75, middle=1.0)}):
        it = collector(
            lambda prompt, number: RIGHT if "begins so" in prompt and not number else WRONG,
            **told,  # type: ignore[arg-type]
            learn_behind=behind,
            prompts=1,
        )
        kept = it.collect(0).kept
        seen = groups_of(kept, it.settings, 9, 0)
        source = it.schedule.source
        samples = samples_of(POLICY, kept, seen, rewards(seen), plain_row=source.row)
        plain = tuple(POLICY.tokens.ids(source.row(kept.prompts[0].ticket)["prompt"]))
        hints = [each for each in samples if each.source == "hint"]
        assert len(hints) == (4 if "hints" in told else 3)
        assert all((each.prompt == plain) == (behind == "plain") for each in hints)
        assert {each.off_policy for each in hints} == {OffPolicy() if behind == "plain" else None}
        assert all(each.logps == (-0.5, -0.25) for each in hints), "as they were sampled"


def test_prefixes_end_with_a_line_and_short_ones_come_more_often() -> None:
    text = "a\nb\nc\nd\ne"
    whole = drawn_prefixes(text, Prefixes(share=1.0), Random(1))
    assert whole == ["a\n", "a\nb\n", "a\nb\nc\n", "a\nb\nc\nd\n"], "never all of it"
    half = [drawn_prefixes(text, Prefixes(share=0.25, decay=0.5), Random(n)) for n in range(800)]
    shares = [sum(each == [prefix] for each in half) / 800 for prefix in whole]
    assert shares == pytest.approx([8 / 15, 4 / 15, 2 / 15, 1 / 15], abs=0.05)
    assert drawn_prefixes("one line", Prefixes(share=1.0), Random(1)) == []


def test_new_groups_go_on_from_prefixes_of_the_best_reply_and_are_judged_with_them() -> None:
    begun = "1 + 1 = 2\n2 + 2 = 4\n"

    def reply(prompt: str, number: int) -> str:
        if "1 + 1" in prompt:
            return f"4 {RIGHT}" if number % 2 else WRONG
        return f"{begun}{RIGHT}" if number == 0 else WRONG

    it = collector(reply, prefixes=Prefixes(share=1.0), prompts=2)
    found = it.collect(0)
    assert [each.prefix for each in found.sampled.prompts] == ["", "", *["1 + 1 = 2\n", begun]]
    assert len(found.kept) == 2
    assert [each.prefix for each in it.buffers.overflow.prompts] == ["1 + 1 = 2\n", begun]
    (attempt,) = it.buffers.overflow.conversations[0][1].attempts
    assert attempt.messages[-1] == {"role": "assistant", "content": "1 + 1 = 2\n"}
    assert it.buffers.overflow.scores() == [[0.0, 1.0, 0.0, 1.0]] * 2
    assert first_replies(found.sampled) == {
        row["uid"]: (4, 1) for row in (each.row for each in found.kept.prompts)
    }
    it = replace(it, buffers=through_json(it))
    second = it.collect(1)
    assert [each.prefix for each in second.kept.prompts] == ["1 + 1 = 2\n", begun]
    assert {each.source for each in second.kept.prompts} == {"prefix"}
    seen = groups_of(second.kept, it.settings, 9, 0)
    one, *_ = samples_of(POLICY, second.kept, seen, rewards(seen))
    prompt = second.kept.prompts[0].row["prompt"]
    assert POLICY.tokens.text(one.prompt).endswith("1 + 1 = 2\n")
    assert one.prompt == tuple(POLICY.tokens.ids(prompt))
    told = ItemTask(it.settings, it.schedule).batch(second, POLICY, None, 1)
    assert told.also == {"of prefix": 1.0}, "nothing was rethought"


def test_what_is_not_good_enough_or_told_has_no_prefixes() -> None:
    it = collector(lambda prompt, number: f"a\n{WRONG}", prefixes=Prefixes(share=1.0),
                   loss=Loss(advantage="raw"))  # fmt: skip
    assert not any(each.prefix for each in it.collect(0).sampled.prompts)
    it = collector(
        lambda prompt, number: f"a\n{RIGHT}" if "begins so" in prompt and number else WRONG,
        prefixes=Prefixes(share=1.0),
        hints=(0.5,),
    )
    assert not any(each.prefix for each in it.collect(0).sampled.prompts)


def test_groups_whose_rewards_hardly_differ_are_left_out() -> None:
    rewards_PG = torch.tensor([[1.0, 1.0, 0.0, nan], [0.5, 0.6, 0.5, 0.6]])
    assert group_std(rewards_PG).tolist() == pytest.approx([2**0.5 / 3, 0.05])
    kept = [
        len(collector(lambda prompt, number: WRONG if number else RIGHT, least_std=each)
            .collect(0).kept) for each in (0.43, 0.44)
    ]  # fmt: skip
    assert kept == [4, 0], "one of four: the square root of 3/16"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"learn_behind": "plain"}, "has an effect only with hints"),
        ({"demonstrations": {"source": "replies"}}, "above 0"),
        ({"demonstrations": {"number": 2}}, "one worked solution"),
        ({"demonstrations": {"number": 1, "gamma": 0.2}}, "'luffy'"),
        ({"demonstrations": {"number": 1, "source": "replies"}, "source": "endless"}, "twice"),
        ({"prefixes": {"share": 0.5}, "tries": 2}, "of one try"),
        ({"prefixes": {"share": 0.5}, "sampler": "vllm"}, "cannot go on"),
        ({"scaffold": {"share": 0.5}, "rethink": {"share": 0.5}}, "a prompt of its own"),
        ({"max_age": 3}, "train.prefixes"),
        ({"explain": 0.5}, "explain"),
    ],
)
def test_settings_without_effect_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        recipe_from({"name": "a", "make": [{"families": ["sums"]}], "train": changes})


def test_a_worked_solution_is_judged_right() -> None:
    it = replace(collector(lambda *_: WRONG, demonstrations=Demonstrations(number=1)),
                 judge=judge_here)  # fmt: skip
    assert it.collect(0).kept.scores() == [[0.0, 0.0, 0.0, 0.0, 1.0]] * 4
