"""The value of a step: how often a reply is right that goes on from there (Monte Carlo).

What the whole reply scored is the value of its last step. Before the first one it is the mean score
of the group, or of replies of the prover.
"""

from collections.abc import Sequence
from statistics import fmean

from puzzlemill.difficulty.policies.policy import Policy, Question, Reply
from puzzlemill.difficulty.scoring import Judge, judge_groups, question_of
from puzzlemill.trainer.settings.rewards import Process
from puzzlemill.trainer.step_values.lines import LinedReply


def continuation_values(
    policy: Policy, replies: Sequence[LinedReply], purpose: str, judge: Judge, settings: Process
) -> list[list[float]]:
    """Of each reply: the value of its prompt, and of each step. A prefix that leaves no room for a
    continuation is worth what the one before it is."""
    first_of = {each.place[0]: each for each in reversed(replies)}  # of each group
    wanted = [(each, "") for each in first_of.values()] if settings.prover else []
    wanted += [(each, prefix) for each in replies for prefix in each.prefixes]
    means = _mean_scores(policy, wanted, purpose, judge, settings.samples)
    mean_of = {
        (each.place if prefix else each.place[0], prefix): mean
        for (each, prefix), mean in zip(wanted, means, strict=True)
    }
    found = []
    for each in replies:
        start = mean_of.get((each.place[0], ""))
        values = [best_of(each.start if start is None else start, settings.best_of)]
        for prefix in each.prefixes:
            mean = mean_of[each.place, prefix]
            values.append(values[-1] if mean is None else best_of(mean, settings.best_of))
        found.append([*values, each.score])
    return found


def best_of(value: float, count: int) -> float:
    """How often the best of so many independent continuations is right."""
    return 1 - (1 - value) ** count


def _mean_scores(
    policy: Policy,
    prefixes: Sequence[tuple[LinedReply, str]],
    purpose: str,
    judge: Judge,
    count: int,
) -> list[float | None]:
    """Of so many continuations of each prefix; None where the policy does not take it."""
    questions = [_question(each, prefix, purpose) for each, prefix in prefixes]
    places = [place for place, question in enumerate(questions) if policy.takes(question)]
    groups = policy.sample([questions[place] for place in places], count)
    whole = [
        [Reply(prefixes[place][1] + reply.text, error=reply.error) for reply in group]
        for place, group in zip(places, groups, strict=True)
    ]
    rows = [prefixes[place][0].row for place in places]
    found: list[float | None] = [None] * len(prefixes)
    for place, verdicts in zip(places, judge_groups(rows, whole, judge), strict=True):
        found[place] = fmean(verdict.score for verdict in verdicts)
    return found


def _question(reply: LinedReply, prefix: str, purpose: str) -> Question:
    asked = question_of(reply.row, f"{purpose} step {reply.place[1]} {prefix}")
    if not prefix:
        return asked
    begun = {"role": "assistant", "content": prefix}
    return Question((*asked.messages, begun), asked.seed, asked.images)
