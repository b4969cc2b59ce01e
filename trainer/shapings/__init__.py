"""Reward shapings: what a reply earns beside its score. A file here is a choice by its name.

Suffixes: P prompts, G replies to each; NaN where a group has fewer replies than others, and where a
shaping leaves a reply out: it is not trained on, and the others are compared without it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from puzzlemill.core.choices import Choices

if TYPE_CHECKING:
    from torch import Tensor

    from puzzlemill.difficulty.policies.forward_pass import Certainty
    from puzzlemill.trainer.conversations import Conversation
    from puzzlemill.trainer.schedule import Row
    from puzzlemill.trainer.settings import Train

# Tokens of a conversation up to the end of a step, and the reward of that step.
StepReward: TypeAlias = tuple[int, float]
StepRewards: TypeAlias = Mapping[tuple[int, int], Sequence[StepReward]]  # by prompt and reply


@dataclass(frozen=True, slots=True)
class Groups:
    """The conversations of a step, by prompt, and what there is to know of them."""

    rows: "Sequence[Row]"  # as the policy was asked
    conversations: "Sequence[Sequence[Conversation]]"  # replies and verdicts
    scores_PG: "Tensor"  # of a conversation of several tries: its discounted return
    settings: "Train"
    max_tokens: int  # of a reply
    step: int
    # What shapings keep from step to step, by name; `change` and `update` get their own.
    memory: Mapping[str, Any] = field(default_factory=dict)
    # How sure the policy is at each token of a conversation's replies, one after the other; for an
    # advantage that `reads_certainty`.
    certainty: "Sequence[Sequence[Certainty]]" = ()
    # Of each conversation, PG, where they are a share of its advantage; NaN where there is none.
    self_rewards: "Tensor | None" = None
    # Of each token of a reply, by prompt and reply, what its lines earn as they were verified, and
    # the share of that in the advantage.
    lines: Mapping[tuple[int, int], tuple[float, ...]] = field(default_factory=dict)
    line_share: float = 0.0
    # The effective rank of the hidden states up to some tokens of a conversation's last reply; for
    # an advantage that `reads_ranks`.
    ranks: "Sequence[Sequence[Sequence[float]]]" = ()


@dataclass(frozen=True, slots=True)
class Rewards:
    """What replies earn, and what steps of them earn besides."""

    replies_PG: "Tensor"
    steps: StepRewards = field(default_factory=dict)
    # What the tokens of each step have for an advantage beside that of the reply, or where `joint`
    # in its place.
    credits: StepRewards = field(default_factory=dict)
    joint: bool = False

    def stepped(self) -> set[int]:
        """The prompts whose replies have steps that earn something."""
        both = [*self.steps.items(), *self.credits.items()]
        return {place for (place, _), steps in both if any(r for _, r in steps)}


@dataclass(frozen=True, slots=True)
class Shaping:
    """`change` makes rewards of rewards, of replies or of steps too: what it may be set to stands
    in the `settings` of its groups."""

    change: "Callable[[Tensor, Groups], Tensor | Rewards]"
    # By which settings one of ours is on; one of another package is on where a recipe names it.
    wanted: "Callable[[Train], bool] | None" = None
    order: int = 50  # lower ones go first; those of one number by their names
    # What it keeps for the next step, as plain data: of the memory that is in these groups.
    update: "Callable[[Groups], Mapping[str, Any]] | None" = None


SHAPINGS = Choices("shaping", __name__, "SHAPING", "puzzlemill.shapings")


def rewards(groups: Groups) -> Rewards:
    """The reward of each reply: its score, shaped."""
    *_, last = _rewards_by_shaping(groups)
    return last


def reward_parts(groups: Groups) -> "list[Tensor]":
    """The score of each reply, and what each shaping adds to what those before it made."""
    made = [each.replies_PG for each in _rewards_by_shaping(groups)]
    return [made[0], *(after - before for before, after in pairwise(made))]


def _rewards_by_shaping(groups: Groups) -> Iterator[Rewards]:
    """The scores, then what they are after each shaping."""
    shaped = Rewards(groups.scores_PG)
    yield shaped
    if not groups.scores_PG.numel():
        return
    for name, each in applied(groups.settings).items():
        changed = each.change(shaped.replies_PG, _with_memory_of(name, groups))
        if isinstance(changed, Rewards):
            shaped = Rewards(
                changed.replies_PG,
                _joined(shaped.steps, changed.steps),
                {**shaped.credits, **changed.credits},
                shaped.joint or changed.joint,
            )
        else:
            shaped = replace(shaped, replies_PG=changed)
        yield shaped


def share_left_out(groups: Groups, shaped: Rewards) -> dict[str, float]:
    """The share of replies that shapings leave out of training, by name, if there are any."""
    sampled_PG = ~groups.scores_PG.isnan()
    left_out = (sampled_PG & shaped.replies_PG.isnan()).sum().item()
    return {"left out": left_out / sampled_PG.sum().item()} if left_out else {}


def updated_memory(groups: Groups) -> dict[str, Any]:
    """What the shapings keep after a step."""
    memory = dict(groups.memory)
    for name, each in applied(groups.settings).items():
        if each.update is not None:
            memory[name] = dict(each.update(_with_memory_of(name, groups)))
    return memory


def applied(settings: "Train") -> dict[str, Shaping]:
    """Our shapings that the settings turn on, and those of other packages that they name."""
    ours: dict[str, Shaping] = {
        name: SHAPINGS.load(name) for name in SHAPINGS.names() if SHAPINGS.ours(name)
    }
    on = {name: each for name, each in ours.items() if each.wanted and each.wanted(settings)}
    on |= {name: SHAPINGS.load(name) for name in settings.reward.also}
    return {name: on[name] for name in sorted(on, key=lambda name: (on[name].order, name))}


def _with_memory_of(name: str, groups: Groups) -> Groups:
    return replace(groups, memory=groups.memory.get(name, {}))


def _joined(some: StepRewards, others: StepRewards) -> StepRewards:
    return {place: [*some.get(place, ()), *others.get(place, ())] for place in {*some} | {*others}}
