"""Process credit: values of steps, what is made of them, and that steps pay nobody for nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import exp, isnan, sqrt
from pathlib import Path
from typing import Any

import pytest
import torch

from puzzlemill.core import registry
from puzzlemill.core.errors import UserError
from puzzlemill.core.item import generate
from puzzlemill.core.plain_data import thaw
from puzzlemill.core.progress import progress_by_line
from puzzlemill.core.rows import row_of
from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.hints import steps_of
from puzzlemill.difficulty.policies import tiny_policy
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.policy import Question, Reply
from puzzlemill.difficulty.scoring import judge_here
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.pipelines.recipe import recipe_from
from puzzlemill.trainer import task_items
from puzzlemill.trainer.advantages import conversation_advantages, step_credits
from puzzlemill.trainer.build_items import BuildItems
from puzzlemill.trainer.conversations import Attempt, Conversation
from puzzlemill.trainer.credits import (
    CREDITS,
    Credit,
    capo,
    clipped,
    delta,
    gains,
    igpo,
    renorm,
    rlpr,
    to_go,
    trust,
    vsrm,
)
from puzzlemill.trainer.credits._joint import StepsOf, normalised
from puzzlemill.trainer.item_task import ItemTask
from puzzlemill.trainer.rollout_json import _conversation_from_json, _conversation_to_json
from puzzlemill.trainer.rollouts import Prompt
from puzzlemill.trainer.schedule import Schedule, Ticket
from puzzlemill.trainer.settings import Train, without_effect
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.settings.rewards import Process, Shaping
from puzzlemill.trainer.shapings import Groups, Rewards, rewards, updated_memory
from puzzlemill.trainer.shapings.episodic import cosine, intrinsic
from puzzlemill.trainer.step_values import StepValuer, progress_in_workers
from puzzlemill.trainer.step_values.continuations import best_of
from puzzlemill.trainer.step_values.critiques import values, wrong_by_votes, wrong_lines
from puzzlemill.trainer.step_values.likelihoods import likelihood_values
from puzzlemill.trainer.step_values.lines import lined_replies, parted, token_ends

ROW = row_of(generate("sums", level=0.25, seed=1, n=1)[0])  # three steps
POLICY: Any = new_policy(PolicySettings(max_tokens=48))
RIGHT = "\n".join([*steps_of(ROW), f"<answer>{ROW['answer']}</answer>"])


def replied(text: str, row: Mapping[str, Any] = ROW) -> Conversation:
    tokens = tuple(POLICY.tokens.continuation(text))
    (verdict,) = judge_here([row], [text])
    reply = Reply(text, tokens=tokens, logps=(-0.5,) * len(tokens))
    return Conversation((Attempt(tuple(row["prompt"]), reply),), verdict)


def stepped(score: float, *known: float, tokens: int = 1) -> Conversation:
    """A conversation of known values, the prompt's first, whose steps have so many tokens each."""
    count = tokens * (len(known) - 1)
    status = "correct" if score == 1 else "wrong"
    reply = Reply("", tokens=(0,) * count, logps=(-0.5,) * count)
    steps = tuple((tokens * place, value) for place, value in enumerate(known))
    return Conversation((Attempt((), reply),), Verdict(score, score == 1, status), values=steps)  # type: ignore[arg-type]


def groups(*some: Sequence[Conversation], step: int = 0, **settings: Any) -> Groups:
    scores_PG = torch.tensor([[float(each.verdict.score) for each in group] for group in some])
    rows = [{"uid": str(place), "family": "sums"} for place in range(len(some))]
    return Groups(rows, some, scores_PG, Train(**settings), 100, step)


def credited(*group: Conversation, step: int = 0, **process: Any) -> list[list[tuple[int, float]]]:
    """The credits of one group."""
    seen = groups(group, step=step, process=Process(values="gain", **process))
    found = rewards(seen).credits
    return [[*found.get((0, at), ())] for at in range(len(group))]


def amounts(steps: Sequence[tuple[int, float]]) -> list[float]:
    return [credit for _, credit in steps]


def known_progress(rows: Sequence[Any], replies: Sequence[str]) -> list[list[tuple[int, float]]]:
    """Of sums: each running total counts once, in order."""

    def progress(chain: Any, lines: Sequence[str]) -> float:
        assert family.steps is not None
        wanted = [*family.steps(chain), str(family.solve(chain))]
        done = 0
        for line in lines:
            done += done < len(wanted) and line == wanted[done]
        return done / len(wanted)

    family = replace(registry.family("sums"), progress=progress)
    puzzles = [thaw(family.puzzle, row["puzzle"]) for row in rows]
    return [progress_by_line(family, *each) for each in zip(puzzles, replies, strict=True)]


def with_values(*texts: str, policy: Any = POLICY, **settings: Any) -> list[Conversation]:
    said = [[replied(text) for text in texts]]
    process = Process(**settings)
    valuer = StepValuer(policy, POLICY.tokens, judge_here, process, 48, known_progress)
    (found,) = valuer.with_values([ROW], said, "test")
    return found


def test_a_step_ends_at_the_token_that_ends_its_line() -> None:
    for text in (
        "1+2=3\n3+4=7\n<answer>7</answer>",
        "a\n\n  \nbc\n",
        "été\n→ 5\n<answer>5</answer>",
    ):
        (each,) = lined_replies([ROW], [[replied(text)]])
        found = token_ends(POLICY.tokens, each.reply, each.ends)
        said = [POLICY.tokens.text(each.reply.tokens[:end]) for end in found]
        assert found[-1] == len(each.reply.tokens)
        for whole, end in zip(said, each.ends, strict=True):
            assert whole.startswith(text[:end]), "no token of the line is missing"
        for end, place in zip(found[:-1], each.ends, strict=False):
            assert len(POLICY.tokens.text(each.reply.tokens[: end - 1])) < place, "nor one too many"
    assert not lined_replies([ROW], [[replied("<image>\n5")]]), "it would be taken for a picture"
    assert not lined_replies([ROW], [[replied("<answer></answer>")]])


def test_credits_of_steps_stand_at_their_tokens_beside_the_reply_s_advantage() -> None:
    assert step_credits([(2, 1.0), (3, -0.5)], 4) == [1.0, 1.0, -0.5, 0.0]
    seen = groups(
        [stepped(1, 0.5, 1, tokens=2), stepped(0, 0.5, 0)], loss=Loss(advantage="dr_grpo")
    )
    both = {(0, 0): [(2, 0.25)], (0, 1): [(1, -0.25)]}
    beside = conversation_advantages(Rewards(seen.scores_PG, credits=both), seen)
    assert beside == [[(0.75, 0.75), (-0.75,)]]
    alone = conversation_advantages(Rewards(seen.scores_PG, credits=both, joint=True), seen)
    assert alone == [[(0.25, 0.25), (-0.25,)]]


def test_differences_add_up_to_the_last_value_less_the_first() -> None:
    assert gains([0.25, 0.5, 0.5, 0.0]) == [0.25, 0.0, -0.5]
    assert to_go([0.25, 0.0, -0.5]) == [-0.25, -0.5, -0.5]
    assert credited(stepped(0, 0.25, 0.5, 0.5, 0.0, tokens=2), weight=2.0) == [
        [(2, 0.5), (4, 0.0), (6, -1.0)]
    ]


def test_a_best_of_prover_is_right_where_any_of_its_replies_is() -> None:
    assert best_of(0.5, 1) == 0.5
    assert best_of(0.5, 3) == 0.875
    # PAV: the advantage of a step from 1/4 to 1/2 under Bo2 is 3/4 - 7/16.
    assert best_of(0.5, 2) - best_of(0.25, 2) == 0.3125


def test_vsrm_gives_a_step_without_a_change_a_share_of_the_next_one() -> None:
    plain = Process(
        values="gain", credit="vsrm", threshold=0.1, decay=0.5, lookahead=2, bounded=False
    )
    # Steps 0, 0, 0, then +.5; the first is further away than the lookahead. Then nothing follows.
    found = vsrm.rewards([0.0, 0.0, 0.05, 0.5, 0.0], plain)
    assert found == [0.0, 0.125, 0.25, 0.5, 0.0]
    assert vsrm.rewards([0.0, -0.5], plain) == [-0.25, -0.5]
    divided = vsrm.rewards([0.0, 0.0, 0.5], replace(plain, bounded=True))
    assert divided == pytest.approx([0.5 / 7, 1 / 7, 2 / 7])
    assert sum(vsrm.rewards([0.0, 0.05, 0.5, 0.0], replace(plain, bounded=True))) == pytest.approx(
        0.55
    )


def test_vsrm_whitens_returns_over_all_tokens_of_the_batch() -> None:
    # Returns 1.5 and 1 of a right reply of two steps, 0 of two tokens of a wrong one: mean .625.
    found = credited(stepped(1, 0.5, 1.0, 1.0), stepped(0, 0.0, 0.0, tokens=2), credit="vsrm")
    spread = sqrt((0.875**2 + 0.375**2 + 2 * 0.625**2) / 4)
    assert amounts(found[0]) == pytest.approx([0.875 / spread, 0.375 / spread])
    assert found[1][0][0] == 2
    assert amounts(found[1]) == pytest.approx([-0.625 / spread])


def test_clip_bounds_a_step_by_nothing_and_delta_a_reply_by_one_step() -> None:
    assert clipped.rewards([0.25, 0.75, 0.9], 0.5) == [-0.25, 0.0, 0.0]
    assert delta.rewards([0.25, 0.75, 0.75, 1.0]) == [-0.5, 0.0, 0.75, 0.0]
    # From each step on they add up to its own value; the last is the score's.
    assert to_go(delta.rewards([0.25, 0.75, 0.75, 1.0])) == [0.25, 0.75, 0.75, 0.0]
    assert delta.rewards([1.0]) == clipped.rewards([0.0], 0.5) == [0.0]
    assert credited(stepped(1, 0, 0.5, 1), credit="delta") == [[(1, 0.5), (2, 0.0)]]
    assert credited(stepped(1, 0, 0.5, 1), credit="clipped", eta=0.75) == [[(1, -0.25), (2, 0.0)]]


def test_renorm_lifts_steps_of_right_replies_and_sinks_those_of_wrong_ones() -> None:
    found = credited(stepped(1, 0, 0.25, 1), stepped(0, 0, 0.75, 0), credit="renorm")
    assert found == [[(1, 0.25), (2, 1.0)], [(1, -0.25), (2, -1.0)]]


def test_capo_takes_from_the_tokens_of_wrong_steps() -> None:
    assert capo.wrong_steps([1.0, 1.0, 0.5, 0.5], "critique") == [False, True, False]
    assert capo.wrong_steps([0.0, 0.5, 0.5, 1.0], "progress") == [False, True, False]
    # W_whole 2 and W_process 1: a right reply earns 2 and 1, a wrong one 0 and -1. Mean .5.
    found = credited(stepped(1, 1, 1, 0.5), stepped(0, 1, 1, 0.5), credit="capo", outcome=2.0)
    spread = sqrt((1.5**2 + 0.5**2 + 0.5**2 + 1.5**2) / 4)
    assert amounts(found[0]) == pytest.approx([1.5 / spread, 0.5 / spread])
    assert amounts(found[1]) == pytest.approx([-0.5 / spread, -1.5 / spread])


def test_igpo_normalises_gains_and_outcomes_together() -> None:
    # Rewards: .5 and 1 of the right reply, 0 and 0 of the wrong one. Mean .375.
    group = stepped(1, 0.25, 0.75, 1), stepped(0, 0.25, 0.25, 0)
    found = credited(*group, credit="igpo", bounded=False)
    spread = sqrt((0.125**2 + 0.625**2 + 2 * 0.375**2) / 4)
    assert amounts(found[0]) == pytest.approx([0.75 / spread, 0.625 / spread])
    assert amounts(found[1]) == pytest.approx([-0.75 / spread, -0.375 / spread])
    # Bounded: what is still to come, 1.5 and 1 of the one, above the replies' mean of .75.
    found = credited(*group, credit="igpo")
    assert amounts(found[0]) == pytest.approx([0.75 / spread, 0.25 / spread])
    assert amounts(found[1]) == pytest.approx([-0.75 / spread] * 2)
    same = StepsOf((0, 0), [3], [], 0.5)
    assert igpo.rewards(same, Process()) == [0.5], "of unknown steps, the outcome alone"
    assert normalised([[0.1], [0.1]], [[1], [7]]) == [[0.0], [0.0]]


def test_trust_falls_where_wrong_replies_have_the_higher_values() -> None:
    assert trust.trust([0.75], [0.25, 0.5]) == 1.0
    assert trust.trust([0.25], [0.75]) == exp(-1)
    assert trust.trust([], [0.5]) == trust.trust([0.5], []) == 0.0
    process = Process(values="gain", credit="trust", weight=0.3)
    group = [stepped(1, 0, 0.5, 1), stepped(0, 0, 0.25, 0)]
    found = rewards(groups(group, step=30, steps=60, process=process)).replies_PG
    assert found.tolist() == [pytest.approx([1 + 0.15 * exp(-0.5), 0.075 * exp(-0.5)])]
    wrong = rewards(groups([group[1], group[1]], process=process)).replies_PG
    assert wrong.tolist() == [[0.0, 0.0]]


class Continuing:
    """It goes on as it is told, by what a reply begins with."""

    id = "continuing"
    sampling = POLICY.sampling

    def __init__(self, by_prefix: Mapping[str, Sequence[str]], refused: str = "-") -> None:
        self.by_prefix, self.refused, self.asked = by_prefix, refused, list[Question]()

    def takes(self, question: Question) -> bool:
        return question.messages[-1]["content"] != self.refused

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        self.asked += questions
        begun = [question.messages[-1]["content"] for question in questions]
        return [[Reply(text) for text in self.by_prefix[each][:n]] for each in begun]


def test_the_value_of_a_step_is_how_often_it_is_gone_on_with_to_the_right_answer() -> None:
    right, wrong = f"<answer>{ROW['answer']}</answer>", "<answer>-1</answer>"
    one, two = "first\n", "first\n\nsecond\n"
    policy = Continuing({one: [right, wrong], two: [right, right]}, refused="so\n")
    found = with_values(
        f"{two}{wrong}", f"so\n{right}", policy=policy, values="continuation", samples=2
    )
    assert [value for _, value in found[0].values] == [0.5, 0.5, 1.0, 0.0]
    assert [value for _, value in found[1].values] == [0.5, 0.5, 1.0], "no room: as before"
    assert {question.messages[-1]["role"] for question in policy.asked} == {"assistant"}
    assert found[0].values[-1][0] == len(found[0].last.tokens)
    better = with_values(
        f"{one}{wrong}", policy=policy, values="continuation", samples=2, best_of=2
    )
    assert [value for _, value in better[0].values] == [0.0, 0.75, 0.0]


def test_the_policy_goes_on_with_its_own_replies_as_often_as_it_is_told() -> None:
    begun = RIGHT.splitlines()[0] + "\n"
    (found, again) = (
        with_values(RIGHT, f"{begun}?", values="continuation", samples=2) for _ in "ab"
    )
    assert found == again, "continuations follow from the purpose"
    assert [value for _, value in found[0].values][-1] == 1.0
    assert len(found[0].values) == len(RIGHT.splitlines()) + 1
    assert {value for _, value in found[0].values} <= {0.0, 0.5, 1.0}


def test_a_prover_goes_on_from_the_prompt_too() -> None:
    folder = str(Path(tiny_policy.__file__).parent / "tiny")
    (found,) = with_values(RIGHT, values="continuation", samples=2, prover=folder)
    begun = with_values("<answer>-1</answer>", values="continuation", samples=2, prover=folder)[0]
    assert begun.values[0][1] == found.values[0][1], "the prompt is worth as much to all replies"
    assert begun.values[0][1] in {0.5, 1.0}, "the group's mean is 0"


def test_the_gain_of_a_step_is_the_gold_answer_s_probability_after_it() -> None:
    (found,) = with_values(RIGHT, values="gain")
    known = [value for _, value in found.values]
    assert 0 < known[0] < known[-2] <= 1, "the worked solution makes the answer likelier"
    assert known[-1] == 1.0
    (pictured,) = lined_replies([{**ROW, "images": [{"bytes": b""}]}], [[replied(RIGHT)]])
    with pytest.raises(UserError, match="not for items with pictures"):
        likelihood_values(POLICY, [pictured], Process(values="gain"))


def test_the_mean_over_an_answer_s_tokens_is_geometric_or_arithmetic() -> None:
    means = {
        name: [value for _, value in with_values(RIGHT, values="gain", token_mean=name)[0].values]
        for name in ("geometric", "arithmetic")
    }
    assert len(POLICY.tokens.continuation(ROW["answer"])) > 1
    for geometric, arithmetic in zip(*(each[:-1] for each in means.values()), strict=True):
        assert geometric < arithmetic


def test_a_reply_of_many_lines_has_no_more_steps_than_asked_for() -> None:
    assert parted((3, 5, 9), 0) == parted((3, 5, 9), 3) == (3, 5, 9)
    assert parted((3, 5, 9), 1) == (9,)
    assert parted((1, 2, 3, 4, 5), 2) == (2, 5)
    assert parted(tuple(range(1, 11)), 4) == (2, 5, 7, 10)
    (found,) = with_values(RIGHT, values="continuation", samples=2, most_steps=2)
    assert len(found.values) == 3, "the prompt's, and those of two steps"
    assert found.values[-1] == (len(found.last.tokens), 1.0)


def test_rlpr_pays_for_a_likelier_answer_in_place_of_the_score() -> None:
    assert rlpr.reward([0.2, 0.3, 0.6, 1.0]) == pytest.approx(0.4), "not by the score"
    assert rlpr.reward([0.2, 0.1, 0.0]) == 0.0, "cut"
    assert rlpr.reward([0.2, 1.0]) == 0.0, "an answer without reasoning"
    said = with_values(RIGHT, "<answer>-1</answer>", values="gain")
    unread = replace(said[1], values=())
    seen = groups([*said, unread], process=Process(values="gain", credit="rlpr"))
    shaped = rewards(seen).replies_PG[0].tolist()
    known = [value for _, value in said[0].values]
    assert shaped[:2] == pytest.approx([known[-2] - known[0], 0.0])
    assert isnan(shaped[2]), "left out: nothing is known of it"


def test_critiques_are_read_strictly_and_vote() -> None:
    assert wrong_lines("I see.\n<answer>2, 3</answer>") == frozenset({2, 3})
    assert wrong_lines("<answer>none</answer>") == frozenset()
    for text in ("2, 3", "<answer>all</answer>", "<answer>2 and 3</answer>", "<answer></answer>"):
        assert wrong_lines(text) is None
    votes = [frozenset({1}), frozenset({1, 2}), frozenset()]
    assert wrong_by_votes(votes, 3, 0.5) == [True, False, False]
    assert wrong_by_votes(votes, 3, 1.0) == [False] * 3
    assert wrong_by_votes(votes, 2, 0.01) == [True, True]
    assert values([False, True, True, False]) == [1.0, 1.0, 0.75, 0.5, 0.5]


def test_a_reader_is_shown_numbered_lines_and_its_votes_are_values() -> None:
    class Reader(Continuing):
        def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
            self.asked += questions
            return [[Reply("<answer>2</answer>"), Reply("<answer>7</answer>"), Reply("?")][:n]]

    reader = Reader({})
    (found,) = with_values(
        "one\n\ntwo\n<answer>-1</answer>", policy=reader, values="critique", samples=3
    )
    assert "1. one\n2. two\n3. -1" in reader.asked[0].messages[-1]["content"]
    assert [value for _, value in found.values] == pytest.approx([1, 1, 2 / 3, 2 / 3])
    (silent,) = with_values("one", policy=Reader({}), values="critique", samples=3, votes=0.6)
    assert [value for _, value in silent.values] == [1.0, 1.0]


ADVERSARIES = {
    "repetition": "so\n" * 12 + "<answer>-1</answer>",
    "padding": "\n".join(f"Let me think about line {n}." for n in range(9)),
    "the prompt copied": ROW["prompt"][-1]["content"],
    "a step repeated": f"{steps_of(ROW)[0]}\n" * 8 + "<answer>-1</answer>",
    "all but the answer": "\n".join([*steps_of(ROW), "<answer>-1</answer>"]),
}
CREDITED = [name for name in CREDITS.names() if CREDITS.ours(name)]


def earned(credit: str, known: list[float], score: float, others: list[Conversation]) -> float:
    """All that a reply earns before it is compared with others: its reward and its steps'."""
    process = Process(values="progress", credit=credit)
    if credit == "difference":
        return sum(gains(known)) + known[0]
    if credit == "vsrm":
        return sum(vsrm.rewards(gains(known), process))
    if credit == "clipped":
        return sum(clipped.rewards(known[1:], process.eta)) + score
    if credit == "delta":
        return sum(delta.rewards(known[1:])) + score
    if credit == "renorm":
        return max(renorm.of_steps(known, score, process)) + score
    reply = StepsOf((0, 0), [*range(1, len(known))], known, score)
    if credit == "capo":
        return max(capo.rewards(reply, process)) / process.outcome
    if credit == "igpo":
        return sum(igpo.rewards(reply, process))
    if credit == "rlpr":
        return rlpr.reward(known)
    assert credit == "trust", f"{credit}: say what a reply earns by it"
    seen = groups(others, process=process)
    return rewards(seen).replies_PG[0, 0].item()


@pytest.mark.parametrize("credit", CREDITED)
def test_replies_that_solve_nothing_earn_no_more_than_guesses(credit: str) -> None:
    guess_rate = registry.family("sums").guess_rate
    for name in ("repetition", "padding", "the prompt copied"):
        for source in ("progress", "gain"):
            said = with_values(ADVERSARIES[name], values=source)
            known = [value for _, value in said[0].values]
            assert said[0].verdict.score == 0
            assert earned(credit, known, 0.0, said * 2) <= guess_rate + 1e-9, (name, source)


@pytest.mark.parametrize("credit", CREDITED)
def test_a_right_step_said_again_earns_nothing_more(credit: str) -> None:
    once, often = with_values(
        f"{steps_of(ROW)[0]}\n<answer>-1</answer>",
        ADVERSARIES["a step repeated"],
        values="progress",
    )
    known = [[value for _, value in each.values] for each in (once, often)]
    assert known[0] == [0.0, 0.25, 0.0]
    first, second = (earned(credit, each, 0.0, [once, often]) for each in known)
    assert second <= first + 1e-9


@pytest.mark.parametrize("credit", ["difference", "vsrm"])
@pytest.mark.parametrize("name", ADVERSARIES)
def test_where_rewards_add_up_to_the_score_even_a_whole_solution_pays_by_its_answer(
    credit: str, name: str
) -> None:
    (said,) = with_values(ADVERSARIES[name], values="progress")
    assert earned(credit, [value for _, value in said.values], 0.0, []) == pytest.approx(0.0)


def test_as_published_vsrm_pays_for_padding_and_bounded_it_does_not() -> None:
    padded, plain = [0.0] * 3 + [1.0], [1.0]
    published = Process(values="gain", credit="vsrm", bounded=False)
    assert sum(vsrm.rewards(padded, published)) == pytest.approx(1 + 0.7 + 0.49 + 0.343)
    bounded = replace(published, bounded=True)
    assert sum(vsrm.rewards(padded, bounded)) == pytest.approx(sum(vsrm.rewards(plain, bounded)))


def test_as_published_igpo_pays_for_padding_and_bounded_it_does_not() -> None:
    # Two wrong replies, the first step of each of which makes the answer unlikelier.
    short, padded = [-0.3, 0.0], [-0.3, *[0.0] * 8, 0.0]
    published = [steps[0] for steps in igpo.advantages([short, padded], bounded=False)]
    assert published == pytest.approx([-1.79, 1.79], abs=0.01)
    assert [steps[0] for steps in igpo.advantages([short, padded], bounded=True)] == [0.0, 0.0]


def test_memory_pays_for_likeness_to_right_replies_and_in_all_for_nothing() -> None:
    assert cosine([[1, 3], [2, 4]], [[1, 3], [2, 4]]) == pytest.approx(1.0)
    assert cosine([[1, 3], [2, 4]], [[3, 1]]) == 0.0
    assert intrinsic([[1, 1]], [[[1, 1]]], [[[2, 1]]]) == 1.0
    assert intrinsic([[2, 1]], [[[1, 1]]], [[[2, 1]]]) == 0.0
    assert intrinsic([[2, 1]], [], []) == 0.0
    settings = Shaping(episodic=0.5)
    near, far = replied("1 1 1"), replied("fish fowl")
    first = groups([near, replace(far, verdict=Verdict(1.0, True, "correct"))], reward=settings)
    memory = updated_memory(first)
    assert {of: len(kept["sums"]) for of, kept in memory["episodic"].items()} == {
        "right": 1, "wrong": 1,
    }  # fmt: skip
    then = replace(groups([near, far], reward=settings), memory=memory)
    (found,) = rewards(then).replies_PG.tolist()
    assert found[1] > 0 > found[0], "the second is like what was right, unlike what was wrong"
    assert sum(found) == pytest.approx(0.0), "a group that solves nothing earns nothing"


def test_a_step_of_training_learns_from_credits() -> None:
    settings = Train(prompts=1, group=4, process=Process(values="gain", credit="igpo"))
    task = ItemTask(settings, Schedule(BuildItems([ROW]), "uniform"), tokens=POLICY.tokens)
    rollouts = task.collect(POLICY, judge_here, 48, 0)
    (group,) = rollouts.sampled.conversations
    assert all(each.values[0] == group[0].values[0] for each in group), "one prompt, one value"
    assert all(each.values[-1][0] == len(each.last.tokens) for each in group)
    batch = task.batch(rollouts, POLICY, None, 0)
    assert batch.also["valued"] == 1.0
    for sample, conversation in zip(batch.samples, group, strict=True):
        assert isinstance(sample.advantage, tuple)
        assert len(sample.advantage) == len(conversation.last.tokens)


def test_progress_is_asked_of_workers_and_of_families_that_tell_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert progress_in_workers([{"family": "sums", "puzzle": "{"}], ["5"]) == [[]]
    silent = replace(registry.family("sums"), progress=None)
    telling = replace(silent, progress=lambda chain, lines: 0.0)
    families = {"silent": silent, "telling": telling}
    monkeypatch.setattr(task_items, "family", families.__getitem__)
    with pytest.raises(UserError, match="none of the families tells progress"):
        task_items.check_progress(Process(values="progress"), ["silent"])
    task_items.check_progress(Process(values="progress"), ["silent", "telling"])
    task_items.check_progress(Process(values="gain"), ["silent"])


def test_values_come_back_from_a_checkpoint() -> None:
    (found,) = with_values(RIGHT, values="progress")
    prompt = Prompt(Ticket(0), ROW)
    data = _conversation_to_json(prompt, found)
    assert _conversation_from_json(prompt, data) == found


TABLE: dict[str, Any] = {
    "name": "process",
    "make": [{"families": ["sums"], "count": 4}],
    "policy": {"kind": "tiny"},
}


@pytest.mark.parametrize(
    ("train", "fault"),
    [
        ({"process": {"credit": "vsrm"}}, "has an effect only where values is"),
        ({"process": {"values": "gain", "eta": 0.25}}, "eta"),
        ({"process": {"values": "gain", "samples": 2}}, "samples"),
        ({"process": {"values": "gain"}, "tries": 2}, "steps are those of one reply"),
        ({"process": {"values": "gain"}, "sampler": "vllm"}, 'set sampler = "itself"'),
        ({"process": {"values": "critique", "credit": "capo", "outcome": 1.0}}, "worth less"),
    ],
)
def test_a_process_that_has_no_effect_or_no_sense_is_refused(
    train: dict[str, Any], fault: str
) -> None:
    with pytest.raises(UserError, match=fault):
        recipe_from({**TABLE, "train": train})


def test_an_advantage_beside_a_credit_that_normalises_is_told_to_have_no_effect() -> None:
    joint = Train(loss=Loss(advantage="rloo"), process=Process(values="gain", credit="igpo"))
    assert any('advantage = "rloo": without effect' in note for note in without_effect(joint))
    penalty = replace(joint, loss=Loss(kl=0.1, kl_in="reward"))
    assert any('kl_in = "reward": without effect' in note for note in without_effect(penalty))
    beside = replace(joint, process=Process(values="gain"))
    assert not any("advantage" in note for note in without_effect(beside))
    for name in CREDITED:
        chosen: Credit = CREDITS.load(name)
        assert chosen.joint == (name in {"vsrm", "capo", "igpo"})
