"""A step's samples: of its groups or of verifications, with solutions beside them."""

from collections.abc import Mapping
from dataclasses import replace
from math import inf

from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.trainer.imitation_weight import (
    averaged,
    balanced,
    is_due,
    meta_gradient,
    next_weight,
    solutions_of,
    weight_at,
)
from puzzlemill.trainer.micro_batch import Sample
from puzzlemill.trainer.rollouts import Buffers, Rollouts, StepRollouts, groups_of
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.settings.teaching import SelfImitation
from puzzlemill.trainer.shapings import rewards
from puzzlemill.trainer.step_groups import StepGroups
from puzzlemill.trainer.train_samples import (
    PlainRow,
    perplexities_of_conversations,
    samples_of,
    weighed_samples,
)
from puzzlemill.trainer.verifying import (
    Judgement,
    learns_to_verify,
    line_credits,
    outcome_counts,
    process_share,
    verifier_samples,
)


def step_samples(
    policy: LocalPolicy,
    learned: StepGroups,
    rollouts: StepRollouts,
    judgements: Mapping[tuple[int, int], Judgement],
    plain_row: PlainRow,
    buffers: Buffers,
) -> list[Sample]:
    """Of the groups, or of what the policy says of them in a step of verifying."""
    kept, groups, settings = learned.kept, learned.groups, learned.groups.settings
    if learns_to_verify(settings.verify, groups.step):
        memory, given = settings.verify.memory, rollouts.verifications
        counts = outcome_counts(buffers.outcome_counts, judgements, kept, memory)
        buffers.outcome_counts = [*counts]
        samples = verifier_samples(policy, given, judgements, kept, settings, counts)
        return weighed_samples(samples, settings.loss, policy.sampling.max_tokens)
    if judgements:
        share = process_share(settings.verify, groups.step, settings.steps)
        lines = line_credits(policy, judgements, kept)
        groups = replace(groups, lines=lines, line_share=share)
    return samples_of(
        policy,
        kept,
        groups,
        learned.rewards,
        within_perplexities(policy, rollouts.imitated, settings.self_imitation),
        plain_row,
        learned.lessons,
        learned.constant,
    )


def within_perplexities(
    policy: LocalPolicy, imitated: Rollouts, settings: SelfImitation
) -> Rollouts:
    """The kept replies that are neither too familiar to the policy nor too strange (WebRL)."""
    low, high = settings.perplexity_low, settings.perplexity_high or inf
    if not len(imitated) or (low, high) == (0.0, inf):
        return imitated
    found = perplexities_of_conversations(policy, imitated)
    return imitated.select([place for place, (each,) in enumerate(found) if low <= each <= high])


def beside_solutions(
    policy: LocalPolicy,
    rl: list[Sample],
    rollouts: StepRollouts,
    settings: Train,
    buffers: Buffers,
    step: int,
) -> tuple[list[Sample], dict[str, float]]:
    """The samples of RL with solutions that are imitated beside them, and metrics of that."""
    imitate, loss, max_tokens = settings.imitate, settings.loss, policy.sampling.max_tokens
    if not imitate.weight:
        return rl, {}
    weight = weight_at(imitate, step, settings.steps, buffers.imitation_weight)
    found = solutions_of(policy, rollouts.sampled.prompts[: settings.prompts])
    solutions = averaged(found, loss, max_tokens)
    metrics = {"weight of imitation": weight}
    if imitate.schedule == "meta":
        gradient = 0.0
        if is_due(imitate, step):
            groups = groups_of(rollouts.others, settings, max_tokens, step, rollouts.memory)
            others = samples_of(policy, rollouts.others, groups, rewards(groups))
            gradient = meta_gradient(policy, rl, solutions, others, loss)
        replies = rollouts.sampled.replies
        surprise = [-logp for reply in replies for logp in reply.logps]
        entropy = sum(surprise) / max(len(surprise), 1)
        buffers.imitation_weight = next_weight(weight, gradient, entropy, imitate)
        metrics["meta-gradient"] = gradient
    return balanced(rl, solutions, weight), metrics
