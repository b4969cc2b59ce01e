"""A step's groups as they are learned: their rewards, and what models say of their replies."""

from dataclasses import dataclass, replace

from puzzlemill.difficulty.policies.model import LocalPolicy, Reader
from puzzlemill.trainer.advantages import chosen_advantage
from puzzlemill.trainer.demonstrations import likeliest_explanations
from puzzlemill.trainer.rollouts import Buffers, Rollouts, StepRollouts, groups_of
from puzzlemill.trainer.self_reward import constant_of, last_logps, self_rewards, tensor_of
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, Rewards, rewards
from puzzlemill.trainer.teacher import Lessons, lessons_for
from puzzlemill.trainer.train_samples import (
    certainty_of_conversations,
    kl_of_conversations,
    ranks_of_conversations,
)


@dataclass(frozen=True, slots=True)
class Readers:
    """Whose log-probabilities of the replies count."""

    policy: LocalPolicy  # that is trained
    reference: Reader | None
    teacher: Reader | None  # with weights of its own


@dataclass(frozen=True, slots=True)
class StepGroups:
    kept: Rollouts
    groups: Groups
    rewards: Rewards
    lessons: Lessons
    self_rewards: list[list[float]]  # of each group; empty where there are none
    constant: float | None  # of the self-rewards


def step_groups(
    readers: Readers, rollouts: StepRollouts, settings: Train, buffers: Buffers, step: int
) -> StepGroups:
    policy, kept = readers.policy, rollouts.kept
    if settings.demonstrations.source == "explanations":
        kept = likeliest_explanations(policy, kept, settings.demonstrations.number)
    groups = groups_of(kept, settings, policy.sampling.max_tokens, step, rollouts.memory)
    rewarded = _with_kl(rewards(groups), readers, kept, settings)
    groups = _with_certainty(groups, policy, kept)
    own_rewards, constant = _self_rewards(policy, kept, settings, buffers)
    own = settings.self_reward
    if own_rewards and own.share and step >= own.warmup_steps:
        groups = replace(groups, self_rewards=tensor_of(own_rewards, kept))
    lessons = lessons_for(policy, readers.teacher, kept, settings.teacher, step)
    return StepGroups(kept, groups, rewarded, lessons, own_rewards, constant)


def _with_kl(rewarded: Rewards, readers: Readers, kept: Rollouts, settings: Train) -> Rewards:
    """Less the KL divergence from the reference, where it is a part of the reward."""
    loss = settings.loss
    if readers.reference is None or loss.kl_in != "reward":
        return rewarded
    kl_PG = kl_of_conversations(readers.policy, readers.reference, kept)
    return replace(rewarded, replies_PG=rewarded.replies_PG - loss.kl * kl_PG)


def _with_certainty(groups: Groups, policy: LocalPolicy, kept: Rollouts) -> Groups:
    """With what the advantage reads from the policy's model."""
    chosen = chosen_advantage(groups.settings.loss)
    if chosen.reads_certainty:
        groups = replace(groups, certainty=certainty_of_conversations(policy, kept))
    if chosen.reads_ranks:
        groups = replace(groups, ranks=ranks_of_conversations(policy, kept))
    return groups


def _self_rewards(
    policy: LocalPolicy, kept: Rollouts, settings: Train, buffers: Buffers
) -> tuple[list[list[float]], float | None]:
    if not (settings.self_reward.weight and len(kept)):
        return [], None
    logps = last_logps(policy, kept)
    constant = constant_of(buffers, logps)
    if constant is None:
        return [], None
    return self_rewards(logps, constant, settings.self_reward), constant
