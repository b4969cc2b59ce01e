"""The loss: [train.loss], of games and of items."""

from dataclasses import dataclass
from typing import Annotated, Literal

from puzzlemill.core.settings import Needs, OneOf, Range, ReadBy
from puzzlemill.trainer.advantages import ADVANTAGES
from puzzlemill.trainer.corrections import CORRECTIONS
from puzzlemill.trainer.means import MEANS
from puzzlemill.trainer.ratios import RATIOS
from puzzlemill.trainer.settings.ranges import LARGEST, SMALLEST
from puzzlemill.trainer.token_weights import TOKEN_WEIGHTS


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
    # The weight of the KL divergence from the reference.
    kl: Annotated[float, Range(0, 1000)] = 0.0
    # Folders of checkpoints whose average is the reference; none: the policy at the beginning.
    reference: Annotated[str | tuple[str, ...], Needs("kl")] = ()
    # Steps after which the policy becomes its own reference; 0: never.
    reference_every: Annotated[int, Range(0, 10_000_000), Needs("kl")] = 0
    # Whether AdamW begins anew whenever the policy becomes its own reference (ProRL).
    reset_optimizer: Annotated[bool, Needs("reference_every")] = False
    # The share that stays of the reference at each step (EMA); the rest is the policy's: 0.99, say.
    reference_kept: Annotated[float, Range(0, 1), Needs("kl")] = 1.0
    # The weight of an entropy bonus.
    entropy: Annotated[float, Range(0, 1000)] = 0.0
    # The share of tokens, those of highest entropy, that are learned from; above 0.
    open_share: Annotated[float, Range(0, 1)] = 1.0
    # What each token counts in the policy's loss, by what it is among all; the product of these.
    token_weights: Annotated[tuple[str, ...], OneOf(TOKEN_WEIGHTS)] = ()
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
    # The weight of the entropy's distance from the aim, in place of a bonus that follows it (TER).
    entropy_distance: Annotated[float, Range(0, 1000), Needs("entropy_aim")] = 0.0
    # By which the bonus's weight grows or shrinks towards the aim.
    entropy_step: Annotated[float, Range(0, 1000), Needs("entropy_aim")] = 0.005

    # How sharply copo goes over to the group's own judgement as its answers differ.
    copo_slope: Annotated[float, Range(0, 1000), ReadBy("advantage")] = 20.0
    # The entropy of a group's answers, in bits, at which both judgements weigh one half.
    copo_middle: Annotated[float, Range(0, 100), ReadBy("advantage")] = 0.5
    # Whether a group's mean counts less, the more its answers differ.
    copo_consistent: Annotated[bool, ReadBy("advantage")] = False
    # Of bnpo: the score and what each shaping adds are normalised apart, and summed.
    decompose: Annotated[bool, ReadBy("advantage")] = False
    # Of observe_r1: the weight of groups of which one half is right.
    sigma: Annotated[float, Range(0, 1000), ReadBy("advantage")] = 1.8
