"""What is learned beside the replies to plain prompts: imitation, teachers, demonstrations."""

from dataclasses import dataclass
from typing import Annotated, Literal

from puzzlemill.core.settings import Needs, Range
from puzzlemill.trainer.settings.ranges import SMALLEST


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
class Teacher:
    """A KL divergence from a teacher, on the policy's own replies (KDRL)."""

    # A checkpoint's folder, of the policy's tokenizer; "hinted": the policy itself, which gets to
    # see a worked solution; "": none.
    model: str = ""
    # Of the divergence, beside the policy's loss.
    weight: Annotated[float, Range(0, 1000), Needs("model")] = 0.005
    # By which the weight falls at each step (0.00005 in the paper).
    fall: Annotated[float, Range(0, 1000), Needs("model")] = 0.0
    # Below which it does not fall (0.001 in the paper).
    least: Annotated[float, Range(0, 1000), Needs("fall")] = 0.0
    # Which replies are taught: all, those that fail, or those of groups in which all fail.
    where: Annotated[Literal["all", "failed", "failed_groups"], Needs("model")] = "all"


@dataclass(frozen=True, slots=True)
class Imitate:
    """Solutions of a step's items are imitated beside RL, in one loss (AMFT)."""

    # The share of imitation in the loss, at first; the rest is that of RL. 0: there is none.
    weight: Annotated[float, Range(0, 1)] = 0.0
    # How it changes: by half a cosine to `least` over the run, or as a meta-gradient wants.
    schedule: Annotated[Literal["constant", "cosine", "meta"], Needs("weight")] = "constant"
    # The smallest share.
    least: Annotated[float, Range(0, 1), Needs("weight"), Needs("schedule", "cosine", "meta")] = 0.0
    # The largest share.
    most: Annotated[float, Range(0, 1), Needs("weight"), Needs("schedule", "meta")] = 1.0
    # Of the share, by the meta-gradient: by how well imitation does on items apart, beside RL.
    rate: Annotated[float, Range(0, 1000), Needs("weight"), Needs("schedule", "meta")] = 0.05
    # Steps from one meta-gradient to the next.
    every: Annotated[int, Range(1, 1_000_000), Needs("weight"), Needs("schedule", "meta")] = 1
    # Items that it is measured on.
    items: Annotated[int, Range(1, 65_536), Needs("weight"), Needs("schedule", "meta")] = 8
    # Of the share, by the entropy below `entropy_aim`.
    entropy_rate: Annotated[float, Range(0, 1000), Needs("weight"), Needs("schedule", "meta")] = 0.0
    # The entropy a token below which imitation counts more, and above which less.
    entropy_aim: Annotated[float, Range(0, 1000), Needs("entropy_rate")] = 0.5


@dataclass(frozen=True, slots=True)
class SelfImitation:
    """Good replies of earlier steps are learned from again (SPEAR)."""

    # The last ones of those that scored above their group's mean; 0: none.
    replies: Annotated[int, Range(0, 1_000_000)] = 0
    # Recent groups; a kept reply is worth its score above a percentile of their means.
    groups: Annotated[int, Range(1, 1_000_000), Needs("replies")] = 256
    percentile: Annotated[float, Range(0, 1), Needs("replies")] = (
        0.5  # of these means; 0.5: the median
    )
    # First steps, in which the weight of kept replies rises from 0 to 1.
    rise: Annotated[int, Range(0, 10_000_000), Needs("replies")] = 0
    # Below this perplexity under the policy of the step, a kept reply is not learned from (WebRL).
    perplexity_low: Annotated[float, Range(0, 1e9), Needs("replies")] = 0.0
    # And above this one; 0: no bound.
    perplexity_high: Annotated[float, Range(0, 1e9), Needs("replies")] = 0.0


@dataclass(frozen=True, slots=True)
class Demonstrations:
    """Right texts that join a group, behind its plain prompt and in its advantage."""

    # At most, of a group; 0: none.
    number: Annotated[int, Range(0, 1000)] = 0
    # Which groups they join: those without a right reply, hard ones, or all.
    when: Annotated[Literal["failed", "hard", "always"], Needs("number")] = "failed"
    # The share of right replies below which a group is hard.
    hard: Annotated[float, Range(0, 1), Needs("number"), Needs("when", "hard")] = 0.5
    # What they are: worked solutions (LUFFY, RL-PLUS); an item's last right replies of earlier
    # steps (RAPO); what the policy says if it sees the answer, the likeliest that make the answer
    # likelier (ExPO), or the solution (EGSR).
    source: Annotated[
        Literal["solutions", "replies", "explanations", "rewordings"], Needs("number")
    ] = "solutions"
    # Their importance ratio: by [train.loss] ratio, LUFFY's pi / (pi + gamma), or RL-PLUS's to a
    # mixture of policies.
    ratio: Annotated[Literal["policy", "luffy", "rl_plus"], Needs("number")] = "policy"
    gamma: Annotated[float, Range(SMALLEST, 1000), Needs("number"), Needs("ratio", "luffy")] = 0.1
    # The power of 1 - pi by which their advantage is multiplied at each token (RL-PLUS: 0.5).
    explore: Annotated[float, Range(0, 100), Needs("number")] = 0.0


@dataclass(frozen=True, slots=True)
class Scaffold:
    """Parts of the solution in a group's prompts, less and less over the run (RuscaRL)."""

    # Of the solution that a group's first reply is told when the run begins; each later reply is
    # told less, and the last one nothing. 0: none.
    share: Annotated[float, Range(0, 1)] = 0.0
    # The share of the run after which half of that is left: it falls by a sigmoid.
    middle: Annotated[float, Range(0, 1), Needs("share")] = 0.2
    # Of that sigmoid, over the whole run.
    steepness: Annotated[float, Range(0, 1_000_000), Needs("share")] = 125.0


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Beginnings of good replies, that new groups of replies go on from (ReST-RL)."""

    # Of the lines of a reply, behind which a prefix of its own ends; 0: none.
    share: Annotated[float, Range(0, 1)] = 0.0
    # The least score of a group's best reply that prefixes are taken of.
    best: Annotated[float, Range(0, 1), Needs("share")] = 0.9
    # What each line weighs in the draw beside the one before; above 0.
    decay: Annotated[float, Range(SMALLEST, 1), Needs("share")] = 0.95
