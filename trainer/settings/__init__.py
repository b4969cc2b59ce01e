"""What training is told: [train] and its tables, for learning from items or from games.

What both have stands in one record, which that of items extends: a setting that has no effect on
games is not there to be given.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from puzzlemill.core.settings import Length, Level, Needs, OneOf, Range, Share
from puzzlemill.difficulty.curricula import CURRICULA
from puzzlemill.trainer.credits import CREDITS
from puzzlemill.trainer.learning_rates import RATE_SCHEDULES
from puzzlemill.trainer.ratios import RATIOS
from puzzlemill.trainer.settings.games import Play
from puzzlemill.trainer.settings.losses import Loss, TokenLoss
from puzzlemill.trainer.settings.placement import Placement
from puzzlemill.trainer.settings.ranges import LARGEST, SMALLEST, GroupSize, Temperature
from puzzlemill.trainer.settings.rewards import Process, Shaping, TextReward
from puzzlemill.trainer.settings.teaching import (
    Demonstrations,
    Imitate,
    Prefixes,
    Scaffold,
    SelfImitation,
    Teacher,
    Warm,
)
from puzzlemill.trainer.settings.turns import Feedback, Rethink, Retry, SelfReward, Verify

MICRO_BATCH = 8192  # tokens


@dataclass(frozen=True, slots=True)
class Lora:
    """Adapters are trained in place of all weights, if their rank is above 0."""

    rank: Annotated[int, Range(0, 65_536)] = 0  # of the adapters; 0: all weights are trained
    # What adapters add is times alpha / rank; 0: twice the rank.
    alpha: Annotated[int, Range(0, 1_000_000), Needs("rank")] = 0
    # Names of matrices, such as q_proj; none: all of the blocks.
    targets: Annotated[tuple[str, ...], Needs("rank")] = ()


@dataclass(frozen=True, slots=True)
class Appeal:
    """Which answers, that the verifier refuses, are written down for a person to look at."""

    # The share of a group's replies that must agree on the answer; 0: none are.
    share: Annotated[float, Range(0, 1)] = 0.0
    # The least mean probability of their tokens.
    confidence: Annotated[float, Range(0, 1), Needs("share")] = 0.0


@dataclass(frozen=True, slots=True)
class Balance:
    """A probe before the first step chooses how replies are sampled (B-STaR)."""

    # That are tried, in place of [policy] temperature; none: it stays.
    temperatures: tuple[Temperature, ...] = ()
    groups: tuple[GroupSize, ...] = ()  # replies to a prompt that are tried; none: `group` stays
    items: Annotated[int, Range(1, 1_000_000)] = 32  # that are probed
    # Different right replies to an item that are enough.
    wanted: Annotated[int, Range(1, 65_536)] = 4


@dataclass(frozen=True, slots=True)
class Training:
    """[train], what learning from items and from games have in common."""

    steps: Annotated[int, Range(1, 10_000_000)] = 60  # of the optimizer
    learning_rate: Annotated[float, Range(SMALLEST, 1)] = 3e-4  # of AdamW, the highest
    # How the learning rate falls from step to step.
    learning_rate_schedule: Annotated[str, OneOf(RATE_SCHEDULES)] = "constant"
    # First steps, in which the learning rate rises in a line.
    warmup_steps: Annotated[int, Range(0, 10_000_000)] = 0
    loss: TokenLoss = TokenLoss()
    reward: TextReward = TextReward()
    # What replies: the policy itself, or vLLM with the weights of each step, in this process or as
    # servers of the same checkpoint.
    sampler: Literal["itself", "vllm", "server"] = "itself"
    server: str | tuple[str, ...] = ""  # the servers' addresses, up to /v1
    placement: Annotated[Placement, Needs("sampler", "vllm")] = Placement()
    # How what samples gets the weights of a step. "direct": from device to device, where the
    # trainer has a GPU; servers are to be started for it. By default vLLM in this process gets them
    # so, and servers by a file.
    handover: Literal["", "direct", "file"] = ""
    # The norm above which a gradient is scaled down.
    gradient: Annotated[float, Range(SMALLEST, LARGEST)] = 1.0
    decay: Annotated[float, Range(0, 10)] = 0.0  # of the weights, by AdamW
    lora: Lora = Lora()
    # Times that a step learns from its samples.
    epochs: Annotated[int, Range(1, 1000)] = 1
    # Parts that a step's samples are divided into, by prompt, each with an update of its own.
    minibatches: Annotated[int, Range(1, 65_536)] = 1
    # Tokens at most that are computed at once, padding included; memory alone depends on it.
    micro_batch: Annotated[int, Range(1, 100_000_000)] = MICRO_BATCH
    # Of matrix products, and of the weights that are sampled with; trained weights are float32.
    dtype: Literal["float32", "bfloat16"] = "float32"
    # Activations are computed again for the gradient: slower, in less memory.
    recompute: bool = False
    save_every: Annotated[int, Range(1, 1_000_000)] = 20  # steps between checkpoints
    keep: Annotated[int, Range(1, 1_000_000)] = 1  # checkpoints that are kept, the last ones
    # Whether the checkpoint that was best on held-out items is kept besides.
    keep_best: Annotated[bool, Needs("measure_every")] = False
    track: Literal["", "tensorboard", "wandb", "trackio"] = ""  # where the metrics go too
    # Items of each family and level, or starts of each game, to measure on.
    heldout: Annotated[int, Range(1, 100_000)] = 20
    # Steps between measurements; 0: before and after the run.
    measure_every: Annotated[int, Range(0, 10_000_000)] = 0


@dataclass(frozen=True, slots=True)
class TrainGames(Training):
    """[train] of a recipe that plays games."""

    play: Play = Play()


@dataclass(frozen=True, slots=True)
class Train(Training):
    """[train] of a recipe that learns from items."""

    loss: Loss = Loss()
    reward: Shaping = Shaping()
    process: Process = Process()
    # Kept items of the build, or fresh items without end of what the recipe makes.
    source: Literal["build", "endless"] = "build"
    prompts: Annotated[int, Range(1, 65_536)] = 32  # a step
    # How prompts are picked: a name, or the table [train.curriculum] of a `name` and settings of
    # that curriculum.
    curriculum: Annotated[str | Mapping[str, Any], OneOf(CURRICULA, own=True)] = "uniform"
    unseen: tuple[str, ...] = ()  # families that are measured and not trained on
    # Levels that are measured and not trained on.
    unseen_levels: Annotated[tuple[Level, ...], Length(0, 1000)] = ()
    group: Annotated[int, Range(2, 65_536)] = 8  # replies to a prompt
    warm: Warm = Warm()
    balance: Balance = Balance()
    # Times as many prompts as a step learns from; mixed groups beyond a step's go to the next.
    oversample: Annotated[float, Range(1, 100)] = 1.0
    # Tokens by which replies grow until it is looked whether enough groups for the step are whole;
    # the others go on in the next step, under its weights. 0: all are sampled to their ends.
    partial_rollouts: Annotated[int, Range(0, 1_000_000), Needs("oversample", above=1)] = 0
    # The share of a group's replies at whose ends it is whole: those that are still under way then
    # are broken off, and not learned from. 1: a group waits for its slowest reply.
    enough_replies: Annotated[float, Range(SMALLEST, 1), Needs("partial_rollouts")] = 1.0
    # Rounds of new prompts in place of those whose replies are all alike.
    refills: Annotated[int, Range(0, 1000)] = 0
    # Shares of the solution, between 0 and 1, with which a prompt that all replies fail is asked
    # again.
    hints: tuple[Share, ...] = ()
    scaffold: Scaffold = Scaffold()
    # Behind which prompt replies to `hints` and `scaffold` are learned: the one with the hint, or
    # the plain one, by the importance ratio from the one to the other (Guide).
    learn_behind: Literal["hinted", "plain"] = "hinted"
    demonstrations: Demonstrations = Demonstrations()
    prefixes: Prefixes = Prefixes()
    # The standard deviation of a group's rewards below which it is not learned from (ReST-RL).
    least_std: Annotated[float, Range(0, 1000)] = 0.0
    # Replies at most to hard prompts, so that they weigh as others; 0: no more than to others.
    extra: Annotated[int, Range(0, 65_536)] = 0
    # Whether hard prompts weigh as much as others, or twice as much.
    extra_for: Annotated[Literal["equal", "hard"], Needs("extra")] = "equal"
    # Mixed groups that are kept, to learn from again where new ones are missing.
    replay: Annotated[int, Range(0, 1_000_000)] = 0
    # The share of right replies in a group from which its item is not picked again; 0: none is left
    # out (RAPO).
    prune: Annotated[float, Range(0, 1)] = 0.0
    # Finished builds with training runs: the curriculum begins from the outcomes of the one whose
    # pass rates are nearest to this build's (AGAIN).
    traces: tuple[str, ...] = ()
    # Steps after which groups of `replay` and `oversample` are no longer learned from; 0: never.
    max_age: Annotated[int, Range(0, 10_000_000)] = 0
    # Steps that sampling is ahead: a step learns from replies that were sampled with the weights of
    # so many steps before, while those steps were learned from.
    max_staleness: Annotated[int, Range(0, 100)] = 0
    # At an item, in one conversation: a wrong reply is told so, and no more.
    tries: Annotated[int, Range(1, 100)] = 1
    retry: Annotated[Retry, Needs("tries", above=1)] = Retry()
    rethink: Rethink = Rethink()
    feedback: Feedback = Feedback()
    teacher: Teacher = Teacher()
    imitate: Imitate = Imitate()
    self_imitation: SelfImitation = SelfImitation()
    self_reward: SelfReward = SelfReward()
    verify: Verify = Verify()
    appeals: Appeal = Appeal()
    keep_replies: bool = False  # all of them, beside the metrics


def without_effect(settings: Training) -> list[str]:
    """What is chosen and changes nothing, to be told before a build or a run begins."""
    return _without_joint(settings) + _without_ratios(settings)


def _without_joint(settings: Training) -> list[str]:
    """A credit that normalises a reply's reward itself leaves no advantage to be made."""
    if not isinstance(settings, Train) or not settings.process.values:
        return []
    credit, usual = settings.process.credit, Loss()
    if not CREDITS.load(credit).joint:
        return []
    return [
        f'[train.loss] {name} = "{getattr(settings.loss, name)}": without effect beside'
        f' [train.process] credit = "{credit}", which normalises a reply\'s reward with its steps'
        for name in ("advantage", "kl_in")
        if getattr(settings.loss, name) != getattr(usual, name)
    ]


def _without_ratios(settings: Training) -> list[str]:
    loss, usual = settings.loss, TokenLoss()
    names = [
        name
        for name in ("ratio", "clip_low", "clip_high", "dual")
        if getattr(loss, name) != getattr(usual, name) and RATIOS.ours(loss.ratio)
    ]
    older = isinstance(settings, Train) and (
        settings.max_staleness
        or settings.partial_rollouts
        or settings.replay
        or settings.self_imitation.replies
        or settings.oversample > 1
        or settings.prefixes.share
        or (settings.demonstrations.number and settings.demonstrations.source == "replies")
        or settings.learn_behind == "plain"
    )
    if not names or settings.epochs > 1 or settings.minibatches > 1:
        return []
    if loss.correction == "off" and (older or settings.sampler != "itself"):
        return []
    why = (
        "a step is one update from replies of its own: set epochs, minibatches, max_staleness or"
        " replay"
    )
    if loss.correction != "off":
        why = f'correction = "{loss.correction}" takes log-probabilities of the trainer for the old'
    listed = ", ".join(names)
    return [f"[train.loss] {listed}: without effect, since every importance ratio is 1: {why}"]
