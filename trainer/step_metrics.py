"""Metrics of a step on items: of the groups that were picked first, and of those learned."""

from collections.abc import Mapping, Sequence

from puzzlemill.trainer.conversations import Conversation, changed_answers, solved_by_try
from puzzlemill.trainer.feedback import share_with_feedback
from puzzlemill.trainer.micro_batch import Sample
from puzzlemill.trainer.rethinking import share_rethought
from puzzlemill.trainer.self_reward import agreement
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import share_left_out
from puzzlemill.trainer.step_groups import StepGroups
from puzzlemill.trainer.step_values.lines import share_valued
from puzzlemill.trainer.teacher import divergence_from_teacher
from puzzlemill.trainer.train_samples import source_shares
from puzzlemill.trainer.verifying import Judgement, verifier_metrics


def picked_metrics(picked: Sequence[Sequence[Conversation]], settings: Train) -> dict[str, float]:
    return (
        solved_by_try(picked, 1 if settings.retry.refinements else settings.tries)
        | changed_answers(picked, settings.retry)
        | share_rethought(picked)
        | share_with_feedback(picked)
        | (share_valued(picked) if settings.process.values else {})
    )


def learned_metrics(
    learned: StepGroups,
    judgements: Mapping[tuple[int, int], Judgement],
    samples: Sequence[Sample],
) -> dict[str, float]:
    kept, own_rewards = learned.kept, learned.self_rewards
    return (
        source_shares(samples)
        | share_left_out(learned.groups, learned.rewards)
        | divergence_from_teacher(kept, learned.lessons)
        | verifier_metrics(judgements, kept)
        | (agreement(own_rewards, kept) if own_rewards else {})
    )
