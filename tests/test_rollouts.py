"""What a step asks and learns from: by hand, with policies that say what a test tells them to."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import cos, exp, isnan, nan, pi
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from puzzlemill.core.errors import UserError
from puzzlemill.core.item import generate
from puzzlemill.core.knobs import axes
from puzzlemill.core.registry import family
from puzzlemill.core.rows import row_of
from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.behaviour import behaviour_of, habits
from puzzlemill.difficulty.policies.forward_pass import completion_logps
from puzzlemill.difficulty.policies.policy import Question, Reply, Sampling
from puzzlemill.difficulty.policies.tiny_policy import tiny
from puzzlemill.difficulty.scoring import question_of
from puzzlemill.pipelines.recipe import Recipe, recipe_from
from puzzlemill.trainer.advantages import ADVANTAGES, advantages, mixed_groups
from puzzlemill.trainer.build_items import BuildItems
from puzzlemill.trainer.collector import Collector
from puzzlemill.trainer.conversations import Attempt, Conversation
from puzzlemill.trainer.endless_items import EndlessItems
from puzzlemill.trainer.loop import next_entropy_weight, update_reference
from puzzlemill.trainer.rollout_json import buffers_from_json, buffers_to_json
from puzzlemill.trainer.rollouts import Buffers, Prompt, Rollouts, groups_of
from puzzlemill.trainer.schedule import Schedule, Ticket
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.settings.rewards import Shaping
from puzzlemill.trainer.settings.teaching import Demonstrations, SelfImitation
from puzzlemill.trainer.shapings import rewards
from puzzlemill.trainer.step_samples import within_perplexities
from puzzlemill.trainer.train_samples import perplexities_of_conversations
from puzzlemill.trainer.warm_start import warm_up

ROWS = [
    row_of(item) | {"mean": 0.5}
    for level in (0.0, 0.5)
    for item in generate("sums", level=level, seed=1, n=6)
]


HINTED = ROWS[6:]  # long enough for hints
LONGEST = 80  # tokens of a reply


def collector(
    right: Callable[[str, int], bool], length: Callable[[int], int] = lambda _: 2, **settings: Any
) -> Collector:
    """Of a policy whose reply `number` to a prompt is right where `right` says so, and so long."""
    asked: dict[str, int] = {}

    def sample(questions: Sequence[Question], n: int) -> list[list[Reply]]:
        return [
            [said(question.messages[-1]["content"]) for _ in range(n)] for question in questions
        ]

    def said(prompt: str) -> Reply:
        asked[prompt] = asked.get(prompt, -1) + 1
        text = "right" if right(prompt, asked[prompt]) else "wrong"
        tokens = length(asked[prompt])
        return Reply(text, tokens=(1,) * tokens, logps=(-0.5,) * tokens)

    def judge(rows: Any, replies: Sequence[str]) -> list[Verdict]:
        return [Verdict(float(text == "right"), text == "right", "wrong") for text in replies]

    policy: Any = SimpleNamespace(sample=sample, takes=lambda question: True)
    schedule = Schedule(BuildItems(ROWS), "ranked")
    train = Train(**{"prompts": 4, "group": 4} | settings)
    return Collector(policy, schedule, train, judge, Buffers(), LONGEST)


def shaped(groups: Rollouts, it: Collector) -> torch.Tensor:
    return rewards(groups_of(groups, it.settings, LONGEST, 0)).replies_PG


def test_mixed_groups_that_a_step_has_no_room_for_are_the_next_ones_first() -> None:
    it = collector(lambda prompt, number: number % 2 == 0, oversample=1.5)
    first, second = it.collect(0), it.collect(1)
    assert [len(first.sampled), len(first.kept)] == [6, 4]
    assert len(second.sampled) == 4, "two of six were there"
    assert second.kept.prompts[:2] == first.sampled.prompts[4:]


def test_a_step_without_enough_mixed_groups_learns_from_earlier_ones() -> None:
    it = collector(lambda prompt, number: number == 0, replay=8)
    assert len(it.collect(0).kept) == 4
    it = replace(it, policy=collector(lambda prompt, number: False).policy)
    again = it.collect(1)
    assert len(again.kept) == 4
    assert all(sum(scores) == 1 for scores in again.kept.scores())
    assert mixed_groups(again.sampled.scores_PG).sum() == 0


def test_an_item_that_all_replies_fail_learns_from_its_own_last_success() -> None:
    told = Demonstrations(number=1, source="replies")
    it = collector(lambda prompt, number: number == 0, demonstrations=told, prompts=12)
    first = it.collect(0)
    assert first.kept.scores() == [[1.0, 0.0, 0.0, 0.0]] * 12
    data = json.loads(json.dumps(buffers_to_json(it.buffers)))
    it = replace(it, buffers=buffers_from_json(data, it.schedule))
    assert len(it.buffers.successes) == 12
    it = replace(it, policy=collector(lambda prompt, number: False).policy)
    again = it.collect(1)
    assert again.kept.scores() == [[0.0, 0.0, 0.0, 0.0, 1.0]] * 12
    assert all(sum(scores) == 0 for scores in again.sampled.scores()), "it was not sampled now"
    earlier, kept = (
        {prompt.row["uid"]: group[number] for prompt, group in zip(*pair, strict=True)}
        for number, pair in (
            (0, (first.kept.prompts, first.kept.conversations)),
            (-1, (again.kept.prompts, again.kept.conversations)),
        )
    )
    assert kept == {uid: replace(each, source="demonstration") for uid, each in earlier.items()}


def test_an_item_that_is_saturated_is_not_picked_again() -> None:
    schedule = Schedule(BuildItems(ROWS), "ranked", prune=0.75)
    places = [ticket.place for ticket in schedule.pick(4, 0.0, "one")]
    scores = [[1.0, 1.0], [1.0, 0.0], [1.0, 0.5], [0.0, 0.0]]
    schedule.update([(Ticket(place), each) for place, each in zip(places, scores, strict=True)])
    assert schedule.pruned == {places[0], places[2]}
    again = Schedule(BuildItems(ROWS), "ranked", prune=0.75)
    again.restore(json.loads(json.dumps(schedule.state())))
    for number in range(6):
        picked = [ticket.place for ticket in again.pick(8, 0.0, f"step {number}")]
        assert len(picked) == 8
        assert not {*picked} & schedule.pruned
    again.update([(Ticket(place), [1.0]) for place in range(len(ROWS))])
    assert not again.pruned, "all would be left out, so none is"


def test_a_block_is_put_in_order_by_replies_of_the_current_policy() -> None:
    texts = [row["prompt"][0]["content"] for row in ROWS]
    easiest = {text: place for place, text in enumerate(texts)}
    it = collector(lambda prompt, number: number < easiest[prompt], prompts=3)
    schedule = Schedule(BuildItems(ROWS), {"name": "adcl", "blocks": 2, "replies": 8})
    it = replace(it, schedule=schedule)
    picked = [
        [prompt.ticket.place for prompt in it.collect(step).sampled.prompts] for step in (0, 1)
    ]
    assert picked == [[5, 4, 3], [2, 1, 0]], "scored 5/8, 4/8 … when the block began"
    assert schedule.rescored_items == 6, "once"
    third = [prompt.ticket.place for prompt in it.collect(2).sampled.prompts]
    assert set(third) <= set(range(6, 12)), "the next block"
    assert schedule.rescored_items == 12
    again = Schedule(BuildItems(ROWS), schedule.choice)
    again.restore(json.loads(json.dumps(schedule.state())))
    assert again.state() == schedule.state()


def test_earlier_groups_come_back_in_proportion_to_the_spread_of_their_rewards() -> None:
    even = ROWS[0]["prompt"][0]["content"]
    it = collector(
        lambda prompt, number: number < (4 if prompt == even else 1), replay=2, prompts=1, group=8
    )
    assert [len(it.collect(step).kept) for step in (0, 1)] == [1, 1]
    it = replace(it, policy=collector(lambda prompt, number: False).policy)
    again = [it.collect(step).kept.prompts[0].row["prompt"][0]["content"] for step in range(2, 802)]
    # Standard deviations of 4 and of 1 right in 8: 1/2 and sqrt(7)/8.
    share = sum(prompt == even for prompt in again) / len(again)
    assert share == pytest.approx(0.5 / (0.5 + 7**0.5 / 8), abs=0.05)


def test_kept_replies_too_familiar_or_too_strange_are_not_learned_again() -> None:
    """WebRL: between perplexities, those of the policy that learns."""
    policy, rows = tiny(Sampling(max_tokens=60)), ROWS[:3]
    first, _, last = policy.sample([question_of(row, "test") for row in rows], 1)
    strange = policy.tokens.continuation("zebra zebra zebra")
    replies = [*first, Reply("zebra zebra zebra", tokens=strange), *last]
    pairs = [*zip(rows, replies, strict=True)]
    right = Verdict(1.0, True, "correct")
    kept = Rollouts(
        [Prompt(Ticket(place), row) for place, row in enumerate(rows)],
        [[Conversation((Attempt(row["prompt"], reply),), right)] for row, reply in pairs],
        torch.ones(3, 1),
    )
    texts = [(policy.tokens.ids(row["prompt"]), reply.tokens) for row, reply in pairs]
    surprise = [-logps.mean().item() for logps in completion_logps(policy.model, texts)]
    found = perplexities_of_conversations(policy, kept)
    assert [each for (each,) in found] == pytest.approx([exp(each) for each in surprise], rel=1e-4)
    assert found[1][0] > 10 * max(found[0][0], found[2][0])

    def chosen(**bounds: float) -> list[str]:
        some = within_perplexities(policy, kept, SelfImitation(replies=3, **bounds))
        return [group[0].last.text for group in some.conversations]

    texts_of = [reply.text for reply in replies]
    between = found[1][0] / 2
    assert chosen() == texts_of
    assert chosen(perplexity_high=between) == [texts_of[0], texts_of[2]]
    assert chosen(perplexity_low=between) == [texts_of[1]]
    assert chosen(perplexity_low=between, perplexity_high=between) == []


def test_good_replies_are_learned_again_while_recent_groups_are_worse() -> None:
    """SPEAR: of four replies the first alone is right, then all are wrong, then all are right."""
    settings = SelfImitation(replies=6, groups=8, percentile=0.5, rise=4)
    it = collector(lambda prompt, number: number == 0, prompts=4, self_imitation=settings)
    assert not len(it.collect(0).imitated), "there are none yet"
    assert it.buffers.good.scores() == [[1.0]] * 4
    second = it.collect(1).imitated
    # The median of the means is 1/4; the weight (1 - cos(pi/4)) / 2.
    weight = (1 - cos(pi / 4)) / 2
    assert second.scores() == [[pytest.approx(0.75 * weight)]] * 4
    assert {prompt.source for prompt in second.prompts} == {"self_imitation"}
    assert len(it.buffers.good) == 6, "the oldest gave way"
    assert it.buffers.group_means == [0.25] * 8
    it = replace(it, policy=collector(lambda prompt, number: False).policy)
    # Four of eight means are 0 now: the median is 1/8.
    assert it.collect(4).imitated.scores() == [[pytest.approx(0.875)]] * 6
    it = replace(it, policy=collector(lambda prompt, number: True).policy)
    assert it.collect(5).imitated.scores() == [[pytest.approx(0.5)]] * 6, "the median is 1/2"
    assert not len(it.collect(6).imitated), "they are no better than what is sampled now"


def test_what_shapings_add_fades_and_the_score_stays() -> None:
    reward = Shaping(kimi_length=1.0, fade_steps=4, paid_wrong=0.2)
    it = collector(lambda prompt, number: number < 2, by_tens, prompts=1, reward=reward)
    kept = it.collect(0).kept
    # Kimi's lengths: 1/2, 1/6, and for the wrong ones -1/6 and -1/2; denoised, 1 and -1/4.
    for step, left in ((0, 1.0), (1, (1 + cos(pi / 4)) / 2), (2, 0.5), (4, 0.0), (9, 0.0)):
        found = rewards(groups_of(kept, it.settings, LONGEST, step)).replies_PG[0].tolist()
        wanted = [1 + left / 2, 1 + left / 6, -0.25 - left / 6, -0.25 - left / 2]
        assert found == pytest.approx(wanted, abs=1e-6)


def test_groups_that_are_stale_are_not_learned_from_again() -> None:
    """Those of step 0 are of use up to step 2."""
    it = collector(lambda prompt, number: number == 0, replay=8, max_age=2)
    it.collect(0)
    it = replace(it, policy=collector(lambda prompt, number: False).policy)
    assert [len(it.collect(step).kept) for step in (1, 2, 3)] == [4, 4, 0]
    assert not it.buffers.replay.prompts
    spare = collector(lambda prompt, number: number % 2 == 0, oversample=2.0, max_age=1)
    spare.collect(0)
    assert [prompt.step for prompt in spare.collect(1).kept.prompts] == [0] * 4
    spare.collect(2)
    assert [prompt.step for prompt in spare.collect(4).kept.prompts] == [4] * 4


def test_groups_that_are_all_right_or_all_wrong_are_not_drawn_again() -> None:
    """W-REINFORCE keeps them, but there is no spread of rewards to draw them by."""
    it = collector(lambda prompt, number: number == 0, replay=8, loss=Loss(advantage="raw"))
    assert len(it.collect(0).kept) == 4
    it = replace(it, policy=collector(lambda prompt, number: True).policy)
    assert len(it.collect(1).kept) == 4
    it = replace(it, settings=replace(it.settings, loss=Loss()))
    again = it.collect(2).kept
    assert [sum(scores) for scores in again.scores()] == [1] * 4
    assert {prompt.source for prompt in again.prompts} == {"replay"}


def by_tens(number: int) -> int:
    """10, 30, 50 and 70 tokens, and over again."""
    return 10 + 20 * (number % 4)


def test_groups_that_are_all_right_are_kept_where_brevity_tells_them_apart() -> None:
    it = collector(lambda prompt, number: True, by_tens, reward=Shaping(brevity=0.5), refills=2)
    found = it.collect(0)
    assert [len(found.sampled), len(found.kept), found.discarded] == [4, 4, {}]
    worth = advantages(shaped(found.kept, it), it.settings.loss)
    assert worth[0].tolist() == pytest.approx([1.3416, 0.4472, -0.4472, -1.3416], abs=1e-3)
    later = replace(it, policy=collector(lambda prompt, number: True).policy)  # all equally long
    assert [len(later.collect(1).kept), sum(later.collect(2).discarded.values())] == [0, 12]


def test_groups_that_are_all_wrong_are_kept_where_some_replies_are_overlong() -> None:
    it = collector(lambda prompt, number: False, by_tens, reward=Shaping(overlong=20), replay=8)
    found = it.collect(0)
    assert shaped(found.kept, it)[0].tolist() == pytest.approx([0, 0, 0, -0.5])
    it = replace(it, policy=collector(lambda prompt, number: False).policy)
    assert len(it.collect(1).kept) == 4, "they are as good as others to learn from again"


def test_copo_learns_from_as_many_prompts_as_a_step_has_each_with_all_its_replies() -> None:
    easy, hard = (row["prompt"][0]["content"] for row in HINTED[:2])
    it = collector(
        lambda prompt, number: prompt == easy or (prompt == hard and number == 0),
        loss=Loss(advantage="copo"),
        extra=6,
        hints=(0.5,),
        refills=2,
    )
    found = replace(it, schedule=Schedule(BuildItems(HINTED), "ranked")).collect(0)
    assert sorted(len(group) for group in found.kept.groups) == [4, 6, 6, 6]
    assert len(found.kept) == 4
    assert sorted(sum(scores) for scores in found.kept.scores()) == [0, 0, 1, 4]
    assert sum(found.discarded.values()) == 2, "which gave way to hints"


def test_a_prompt_that_more_replies_make_useful_is_not_counted_as_discarded() -> None:
    it = collector(lambda prompt, number: number == 4, extra=8)
    found = it.collect(0)
    assert [len(found.kept), found.discarded] == [4, {}]
    it = collector(lambda prompt, number: False, hints=(0.5,), refills=1)
    found = it.collect(0)
    assert sum(found.discarded.values()) == len(found.sampled)


def test_hard_prompts_get_more_replies_and_weigh_as_others() -> None:
    hard = ROWS[1]["prompt"][0]["content"]
    it = collector(
        lambda prompt, number: number == 0 if prompt == hard else number % 2 == 0, extra=16
    )
    found = it.collect(0)
    assert sorted(len(group) for group in found.kept.groups) == [4, 4, 4, 6]
    assert len(found.sampled.replies) == 18
    scores_PG = found.kept.scores_PG
    place = [each.row["prompt"][0]["content"] for each in found.kept.prompts].index(hard)
    assert int(scores_PG[place].isnan().sum()) == 0
    weight_P = advantages(scores_PG, Loss(advantage="dr_grpo")).abs().nansum(dim=1)
    assert weight_P.tolist() == pytest.approx([2, 2 if place != 1 else 10 / 6, 2, 2], abs=0.4)


@pytest.mark.parametrize("choice", ADVANTAGES.names())
def test_an_advantage_is_the_same_when_a_wider_group_stands_beside(choice: Any) -> None:
    """Batch-wide choices see the other group too, so that must be without effect on them."""
    narrow = torch.tensor([[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0]])
    wide = torch.cat((narrow, torch.full((2, 2), nan)), dim=1)
    settings = Loss(advantage=choice, k=2)
    found = advantages(wide, settings)
    assert torch.allclose(found[:, :4], advantages(narrow, settings))
    assert found[:, 4:].isnan().all()
    assert mixed_groups(torch.tensor([[1.0, 1.0, nan], [1.0, 0.0, nan]])).tolist() == [False, True]


def test_what_a_run_carries_over_goes_through_a_checkpoint_and_back() -> None:
    it = collector(
        lambda prompt, number: number == 0,
        oversample=2.0,
        replay=3,
        extra=8,
        demonstrations=Demonstrations(number=2, when="hard", hard=1.0, source="explanations"),
        hints=(0.5,),
    )
    it.buffers.memory = {"novelty": {"0": 1}}
    it.buffers.prefetched = [it.collect(0)]
    it.buffers.memory = {"novelty": {"0": 2}}
    it.buffers.entropy_weight = 0.25
    data = buffers_to_json(it.buffers)
    again = buffers_from_json(json.loads(json.dumps(data)), it.schedule)
    assert buffers_to_json(again) == data
    assert again.prefetched[0].sampled.prompts == it.buffers.prefetched[0].sampled.prompts
    kept = [each.memory["novelty"]["0"] for each in (*again.prefetched, again)]
    assert kept == [1, 2], "what its rewards were shaped with, and what came of it"
    assert [isnan(value) for value in again.overflow.scores_PG.flatten().tolist()] == [
        isnan(value) for value in it.buffers.overflow.scores_PG.flatten().tolist()
    ]


def endless(**train: Any) -> Recipe:
    table = {"families": ["maxima", "sums"], "levels": [0.0, 0.5]}
    return recipe_from({"name": "endless", "make": [table], "train": {"source": "endless"} | train})


def test_endless_items_are_new_and_the_same_after_a_break() -> None:
    source = EndlessItems(endless())
    first = source.tickets([0, 0, 1, 2, 3, 3])
    state = json.loads(json.dumps(source.state()))
    then = source.tickets([0, 1, 1, 3])
    forms = [source.row(ticket)["canon"] for ticket in first + then]
    assert len({*forms}) == len(forms)
    assert all(source.row(ticket)["certificate"] for ticket in first)
    other = EndlessItems(endless())
    other.restore(state)
    assert other.tickets([0, 1, 1, 3]) == then
    assert [other.row(ticket) for ticket in then] == [source.row(ticket) for ticket in then]


def test_endless_items_for_a_teacher_of_knobs_have_them_turned_one_by_one() -> None:
    choice = {"name": "adr", "axes": "knobs"}
    schedule = Schedule(EndlessItems(endless(curriculum=choice)), choice)
    pool = schedule.source.pool
    assert {name: len({*axes(family(name).ladder)}) for name in ("maxima", "sums")}["sums"] == 2
    points = [
        point for (name, _), point in zip(pool.cells, pool.points, strict=True) if name == "sums"
    ]
    assert len({*points}) > 30
    assert any(first < 0.3 < 0.7 < second for first, second in points), "not by level alone"
    tickets = schedule.pick(6, 0.0, "first")
    schedule.update([(ticket, [1.0, 0.0]) for ticket in tickets])
    state = json.loads(json.dumps(schedule.state()))
    for ticket in tickets:
        row = schedule.source.row(ticket)
        assert json.loads(row["knobs"]) == pool.knobs[ticket.place]
        assert row["certificate"]
    then = schedule.pick(6, 0.0, "second")
    other = Schedule(EndlessItems(endless(curriculum=choice)), choice)
    other.restore(state)
    assert other.pick(6, 0.0, "second") == then


def test_a_cell_whose_knobs_give_nothing_gives_way_to_one_of_the_recipe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("puzzlemill.trainer.endless_items.SKIPPED", 2)
    source = EndlessItems(endless(curriculum={"name": "adr", "axes": "knobs"}))
    place = next(n for n in range(source.plain, len(source.cells)) if source.cells[n][0] == "sums")
    source.rows |= {Ticket(place, serial): None for serial in range(10)}
    (ticket,) = source.tickets([place])
    assert source.cells[ticket.place][0] == "sums"
    assert ticket.place < source.plain


def test_a_cell_with_too_few_puzzles_begins_anew_and_says_so() -> None:
    source = EndlessItems(endless())
    source.used = {row["canon"] for n in range(60) if (row := source.row(Ticket(0, n)))}
    assert len(source.tickets([0] * 4)) == 4
    assert 0 < source.repeats <= 4


def test_a_family_that_is_kept_unseen_is_not_trained_on() -> None:
    assert {name for name, _ in EndlessItems(endless(unseen=["sums"])).pool.cells} == {"maxima"}
    with pytest.raises(UserError, match="nothing is left"):
        EndlessItems(endless(unseen=["basics"]))


def test_the_bonus_for_entropy_grows_below_the_aim_and_shrinks_above() -> None:
    loss = Loss(entropy_aim=0.5, entropy_step=0.01)
    assert next_entropy_weight(0.02, 0.4, loss) == pytest.approx(0.03)
    assert next_entropy_weight(0.005, 0.6, loss) == 0.0


def test_an_averaged_reference_follows_the_policy() -> None:
    old, new = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    before = old.weight.detach().clone()
    update_reference(old, new, Loss(kl=1.0, reference_kept=0.75), 1)  # type: ignore[arg-type]
    assert torch.allclose(old.weight, 0.75 * before + 0.25 * new.weight)


def test_a_warm_start_makes_solutions_likelier() -> None:
    from puzzlemill.difficulty.policies.loading import new_policy
    from puzzlemill.difficulty.settings import PolicySettings
    from puzzlemill.trainer.settings.teaching import Warm

    policy: Any = new_policy(PolicySettings(max_tokens=80))
    losses = list(warm_up(policy, ROWS[6:], Warm(steps=6, learning_rate=1e-3, tokens=512)))
    assert len(losses) == 6
    assert losses[-1] < losses[0]


def test_behaviour_is_told_by_words() -> None:
    assert behaviour_of("Wait, that is wrong. Let me check: 2 + 2.") == ["checks", "goes back"]
    assert behaviour_of("<answer>4</answer>") == []
    assert behaviour_of("Working backwards, to reach 24 we need 8 * 3.") == ["works backwards"]


def test_behaviours_are_counted_with_how_often_they_are_right() -> None:
    replies = [("Let me check.", True), ("Let me verify: no.", False), ("7", True), ("8", True)]
    found = {habit.name: habit for habit in habits(replies)}
    checks = found["checks"]
    assert (checks.replies, checks.share, checks.right_with, checks.right_without) == (
        2,
        0.5,
        0.5,
        1,
    )
    assert found["tries cases"].right_with is None
