"""What training is told: [train] and its tables, for learning from items or from games.

What both have stands in one record, which that of items extends: a setting that has no effect on
games is not there to be given.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from puzzlemill.core.settings import Length, Level, Needs, OneOf, Range, ReadBy
from puzzlemill.difficulty.curricula import CURRICULA
from puzzlemill.trainer.advantages import ADVANTAGES
from puzzlemill.trainer.corrections import CORRECTIONS
from puzzlemill.trainer.means import MEANS
from puzzlemill.trainer.ratios import RATIOS
from puzzlemill.trainer.shapings import SHAPINGS

SMALLEST, LARGEST = 1e-12, 1e9  # of what must be above 0, and of what may be anything above


@dataclass(frozen=True, slots=True)
class TokenLoss:
    """Of the loss, what holds for any text that has an advantage: [train.loss] of games."""

    # The weight of advantages above 0; 0.1 learns mostly from what is wrong.
    positives: Annotated[float, Range(0, 1000)] = 1.0
    # How the importance ratio of each token enters the loss.
    ratio: Annotated[str, OneOf(RATIOS)] = "clip"
    # How far below 1 the importance ratio is clipped.
    clip_low: Annotated[float, Range(0, 1), ReadBy("ratio")] = 0.2
    # How far above 1 the importance ratio is clipped.
    clip_high: Annotated[float, Range(0, 1000), ReadBy("ratio")] = 0.28
    # The ratio at which what is wrong is cut off too (dual clip); 0: nowhere, 3 is usual.
    dual: Annotated[float, Range(0, 1000), ReadBy("ratio")] = 0.0
    # What a token of each reply weighs.
    mean: Annotated[str, OneOf(MEANS)] = "tokens"
    # The weight of the KL divergence from the reference: the policy at the beginning.
    kl: Annotated[float, Range(0, 1000)] = 0.0
    # Steps after which the policy becomes its own reference; 0: never.
    reference_every: Annotated[int, Range(0, 10_000_000), Needs("kl")] = 0
    # The share that stays of the reference at each step (EMA); the rest is the policy's: 0.99, say.
    reference_kept: Annotated[float, Range(0, 1), Needs("kl")] = 1.0
    # The weight of an entropy bonus.
    entropy: Annotated[float, Range(0, 1000)] = 0.0
    # The share of tokens, those of highest entropy, that are learned from; above 0.
    open_share: Annotated[float, Range(0, 1)] = 1.0
    # What a token counts where the sampler's probabilities differ from the trainer's.
    correction: Annotated[str, OneOf(CORRECTIONS)] = "off"
    # The smallest importance weight that counts.
    least: Annotated[float, Range(0, LARGEST), ReadBy("correction")] = 0.5
    # The largest importance weight that counts.
    most: Annotated[float, Range(SMALLEST, LARGEST), ReadBy("correction")] = 2.0


@dataclass(frozen=True, slots=True)
class Loss(TokenLoss):
    """The loss of groups of replies: three choices that do not depend on each other, and more."""

    # What a reply's reward becomes beside the others of its group.
    advantage: Annotated[str, OneOf(ADVANTAGES)] = "batch_std"
    k: Annotated[int, Range(1, 65_536), ReadBy("advantage")] = 4  # of passk; below group
    kl_in: Annotated[Literal["loss", "reward"], Needs("kl")] = "loss"  # where the KL term stands
    # The bonus's weight grows below this entropy and shrinks above; 0: it stays as it is.
    entropy_aim: Annotated[float, Range(0, 1000)] = 0.0
    # By which the bonus's weight grows or shrinks towards the aim.
    entropy_step: Annotated[float, Range(0, 1000), Needs("entropy_aim")] = 0.005


@dataclass(frozen=True, slots=True)
class TextReward:
    """Of what a trainer makes of results, what holds for any text: [train.reward] of games."""

    # Tokens before the longest reply within which length costs; 0: it costs nothing.
    overlong: Annotated[int, Range(0, 1_000_000)] = 0
    # Whether replies that were not finished are learned from.
    cut_off: Literal["learn", "leave"] = "learn"


@dataclass(frozen=True, slots=True)
class Shaping(TextReward):
    """What a trainer makes of scores: the score itself says how right a reply is."""

    # Shapings of other packages, by name, beside those that the keys here set.
    also: Annotated[tuple[str, ...], OneOf(SHAPINGS, others=True)] = ()
    # The share of wrong replies that the verifier pays (rho 0).
    paid_wrong: Annotated[float, Range(0, 0.5)] = 0.0
    # The share of right replies that the verifier refuses (rho 1).
    refused_right: Annotated[float, Range(0, 0.5)] = 0.0
    # What the shortest right reply of a group earns above the longest.
    brevity: Annotated[float, Range(0, 1000)] = 0.0
    # The share of a group that must be right before brevity counts.
    brief_from: Annotated[float, Range(0, 1), Needs("brevity")] = 0.5


@dataclass(frozen=True, slots=True)
class Warm:
    """Imitation before the first step: of solutions, or of the policy's own right replies."""

    steps: Annotated[int, Range(0, 10_000_000)] = 0  # of imitation; 0: none
    # What is imitated.
    source: Annotated[Literal["solutions", "replies"], Needs("steps")] = "solutions"
    learning_rate: Annotated[float, Range(SMALLEST, 1), Needs("steps")] = 3e-4  # of AdamW
    tokens: Annotated[int, Range(1, 100_000_000), Needs("steps")] = 4096  # a step
    # Replies asked of each item, of which the right ones are imitated.
    tries: Annotated[int, Range(1, 65_536), Needs("steps"), Needs("source", "replies")] = 4


@dataclass(frozen=True, slots=True)
class Lora:
    """Adapters are trained in place of all weights, if their rank is above 0."""

    rank: Annotated[int, Range(0, 65_536)] = 0  # of the adapters; 0: all weights are trained
    # What adapters add is times alpha / rank; 0: twice the rank.
    alpha: Annotated[int, Range(0, 1_000_000), Needs("rank")] = 0
    # Names of matrices, such as q_proj; none: all of the blocks.
    targets: Annotated[tuple[str, ...], Needs("rank")] = ()


@dataclass(frozen=True, slots=True)
class Retry:
    """What tries after the first are worth, where `tries` allows any (UFO)."""

    # Of what a reply earns, for every try before it; above 0.
    decay: Annotated[float, Range(0, 1)] = 0.5
    # The cost of giving nothing but the same answer, try after try.
    repeated: Annotated[float, Range(0, 1)] = 0.1
    # Said to a wrong reply, the same whatever was wrong: no hint.
    feedback: str = "That is not right. Try again."


@dataclass(frozen=True, slots=True)
class Play:
    """Games to learn from instead of items: each turn of the policy's own is a text to learn."""

    games: tuple[str, ...] = ()  # names of `generators/games/environments`
    # The difficulties at which games begin.
    levels: Annotated[tuple[Level, ...], Length(1, 1000)] = (0.0,)
    starts: Annotated[int, Range(1, 65_536)] = 16  # a step; each is played once from every seat
    # Who sits in the other seats, and in which share of the starts: self, random, minimax-<depth>.
    opponents: Mapping[str, float] = field(default_factory=lambda: {"self": 1.0})
    # Of a result, for each turn that the seat had still to come.
    discount: Annotated[float, Range(0, 1)] = 1.0
    # Of each seat's baseline, the share that a further game leaves of it; below 1.
    memory: Annotated[float, Range(0, 1)] = 0.95
    # Opponents that the policy is measured against.
    against: tuple[str, ...] = ("random", "minimax-2")


@dataclass(frozen=True, slots=True)
class Training:
    """[train], what learning from items and from games have in common."""

    steps: Annotated[int, Range(1, 10_000_000)] = 60  # of the optimizer
    learning_rate: Annotated[float, Range(SMALLEST, 1)] = 3e-4  # of AdamW, the same at every step
    loss: TokenLoss = TokenLoss()
    reward: TextReward = TextReward()
    # What replies: the policy itself, or vLLM with the weights of each step, in this process or as
    # servers of the same checkpoint.
    sampler: Literal["itself", "vllm", "server"] = "itself"
    server: str | tuple[str, ...] = ""  # the servers' addresses, up to /v1
    # The norm above which a gradient is scaled down.
    gradient: Annotated[float, Range(SMALLEST, LARGEST)] = 1.0
    decay: Annotated[float, Range(0, 10)] = 0.0  # of the weights, by AdamW
    lora: Lora = Lora()
    # Of matrix products, and of the weights that are sampled with; trained weights are float32.
    dtype: Literal["float32", "bfloat16"] = "float32"
    # Activations are computed again for the gradient: slower, in less memory.
    recompute: bool = False
    save_every: Annotated[int, Range(1, 1_000_000)] = 20  # steps between checkpoints
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
    # Times as many prompts as a step learns from; mixed groups beyond a step's go to the next.
    oversample: Annotated[float, Range(1, 100)] = 1.0
    # Rounds of new prompts in place of those whose replies are all alike.
    refills: Annotated[int, Range(0, 1000)] = 0
    # Shares of the solution, between 0 and 1, with which a prompt that all replies fail is asked
    # again.
    hints: tuple[float, ...] = ()
    # The advantage of an explained answer to what all replies fail; 0: none is asked for.
    explain: Annotated[float, Range(0, 100)] = 0.0
    # Replies at most to hard prompts, so that they weigh as others; 0: no more than to others.
    extra: Annotated[int, Range(0, 65_536)] = 0
    # Whether hard prompts weigh as much as others, or twice as much.
    extra_for: Annotated[Literal["equal", "hard"], Needs("extra")] = "equal"
    # Mixed groups that are kept, to learn from again where new ones are missing.
    replay: Annotated[int, Range(0, 1_000_000)] = 0
    # 1: the next step's replies are sampled while this one's are learned from.
    lag: Annotated[int, Range(0, 1)] = 0
    # At an item, in one conversation: a wrong reply is told so, and no more.
    tries: Annotated[int, Range(1, 100)] = 1
    retry: Annotated[Retry, Needs("tries", above=1)] = Retry()
    keep_replies: bool = False  # all of them, beside the metrics


def without_effect(settings: Training) -> list[str]:
    """What is chosen and changes nothing, to be told before a build or a run begins."""
    loss, usual = settings.loss, TokenLoss()
    names = [
        name
        for name in ("ratio", "clip_low", "clip_high", "dual")
        if getattr(loss, name) != getattr(usual, name) and RATIOS.ours(loss.ratio)
    ]
    older = isinstance(settings, Train) and (
        settings.lag or settings.replay or settings.oversample > 1
    )
    if not names or (loss.correction == "off" and (older or settings.sampler != "itself")):
        return []
    why = "a step is one update from replies of its own: set lag, replay or oversample"
    if loss.correction != "off":
        why = f'correction = "{loss.correction}" takes log-probabilities of the trainer for the old'
    listed = ", ".join(names)
    return [f"[train.loss] {listed}: without effect, since every importance ratio is 1: {why}"]
