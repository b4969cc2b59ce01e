"""What training is told: [train] and its tables, for learning from items or from games.

What both have stands in one record, which that of items extends: a setting that has no effect on
games is not there to be given.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from puzzlemill.core.settings import Length, Level, Needs, OneOf, Range, ReadBy, Share
from puzzlemill.difficulty.curricula import CURRICULA
from puzzlemill.trainer.advantages import ADVANTAGES
from puzzlemill.trainer.corrections import CORRECTIONS
from puzzlemill.trainer.credits import CREDITS
from puzzlemill.trainer.learning_rates import RATE_SCHEDULES
from puzzlemill.trainer.means import MEANS
from puzzlemill.trainer.ratios import RATIOS
from puzzlemill.trainer.shapings import SHAPINGS
from puzzlemill.trainer.token_weights import TOKEN_WEIGHTS

MICRO_BATCH = 8192  # tokens
Temperature = Annotated[float, Range(0.01, 10, "temperature")]  # at which replies differ
GroupSize = Annotated[int, Range(2, 65_536, "group")]
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

    # What length costs right replies of the groups that are right most often (GRPO-lambda).
    grpo_lambda: Annotated[float, Range(0, 1)] = 0.0
    # The share of groups, those that are right most often, in which it costs.
    lambda_share: Annotated[float, Range(0, 1), Needs("grpo_lambda")] = 0.2
    # The weight of Kimi k1.5's length reward: of right and of wrong replies.
    kimi_length: Annotated[float, Range(0, 1000)] = 0.0
    # What the shortest right reply of a group earns more (Observe-R1; 0.2 in the paper).
    shortest_bonus: Annotated[float, Range(0, 1000)] = 0.0
    # Tokens that it must have more than.
    shortest_above: Annotated[int, Range(0, 1_000_000), Needs("shortest_bonus")] = 100
    # What a reply earns that begins with [Easy] or [Hard] and is right about it, and what it costs
    # to begin otherwise (AdaCtrl).
    self_difficulty: Annotated[float, Range(0, 1000)] = 0.0
    # The share of a group that must be right for its problem to be easy.
    easy_from: Annotated[float, Range(0, 1), Needs("self_difficulty")] = 0.5
    # What a right reply that begins with [Easy] earns, the shorter the more (AdaCtrl).
    easy_length: Annotated[float, Range(0, 1000)] = 0.0
    # What a reply earns of which an answer can be read, right or wrong; 0: form is not paid, which
    # suits weak models better (SimpleRL-Zoo).
    form: Annotated[float, Range(0, 1)] = 0.0
    # The share of the reward that a reply earns by exploring, right or wrong: by its steps, each a
    # line that says something new. The rest is the score's (RLSP).
    exploration: Annotated[float, Range(0, 1)] = 0.0
    # Such steps that earn all of it; further ones earn no more.
    exploration_steps: Annotated[int, Range(1, 1_000_000), Needs("exploration")] = 16
    # The cost of a reply that repeats one n-gram of tokens all through (T1).
    ngram_cost: Annotated[float, Range(0, 1000)] = 0.0
    # Tokens of such an n-gram.
    ngram_size: Annotated[int, Range(1, 1000), Needs("ngram_cost")] = 8
    # Whether answers that few replies of a group give earn more than common ones (DARLING).
    darling: bool = False
    # What a reply earns by its nearest replies of earlier steps, for likeness to right ones and
    # unlikeness to wrong ones (Memory-R+).
    episodic: Annotated[float, Range(0, 1000)] = 0.0
    # First steps, in which what shapings add to the score falls to nothing (SPEAR); 0: it stays.
    fade_steps: Annotated[int, Range(0, 10_000_000)] = 0
    # Whose majority vote is the label in place of gold: the group's own (MM-UPT), or that on
    # another wording of the problem (Co-Reward).
    vote: Literal["", "own", "partner"] = ""
    # Of the replies that voted, the share that must agree; groups below are left out.
    vote_share: Annotated[float, Range(0, 1), Needs("vote")] = 0.0
    # Whether a reply to a claim earns only as far as all other forms of it are judged right, too
    # (DeepTheorem).
    forms: bool = False
    # Whether rewards go through a sigmoid, centred at the item's pass rate as scored (PAR).
    par: bool = False
    # Which replies of a group are learned from, by reward (PF-PPO); r2: by the filter whose rewards
    # foretell best what is right.
    pf_ppo: Literal["", "best", "best_random", "best_worst", "r2"] = ""
    # The share of a group that is: rounded, and two replies at least.
    pf_ppo_share: Annotated[float, Range(0, 1), Needs("pf_ppo")] = 0.5
    # Whose error rates correct rewards: this table's, or each family's own, as the build found.
    error_rates: Literal["recipe", "families"] = "recipe"
    # How: backward makes rewards unbiased; forward weighs for the advantage raw.
    noise: Literal["backward", "forward"] = "backward"


@dataclass(frozen=True, slots=True)
class Process:
    """What the steps of a reply earn, its lines: by the value of the reply after each of them."""

    # Where values come from. progress: what the lines establish, as the family tells it;
    # continuation: how often the reply is right when it is gone on with from there; gain: the gold
    # answer's probability there; critique: the share of steps that a reader has not called wrong.
    # But for critique, the value of the whole reply is its score.
    values: Literal["", "progress", "continuation", "gain", "critique"] = ""
    # What is made of them.
    credit: Annotated[str, OneOf(CREDITS), Needs("values")] = "difference"
    weight: Annotated[float, Range(0, 1000), Needs("values")] = 1.0  # beside the reply's own reward
    # Continuations of each step, or critiques of a reply.
    samples: Annotated[int, Range(1, 4096), Needs("values", "continuation", "critique")] = 4
    # The checkpoint's folder of the policy that goes on, or criticises; none: the policy itself.
    prover: Annotated[str, Needs("values", "continuation", "critique")] = ""
    # Of so many continuations the best one counts: a prover that is better than its policy (PAV).
    best_of: Annotated[int, Range(1, 4096), Needs("values", "continuation")] = 1
    # The share of critiques that must call a step wrong.
    votes: Annotated[float, Range(0.01, 1), Needs("values", "critique")] = 0.5
    # The value below which a step costs (clipped).
    eta: Annotated[float, Range(0, 1), ReadBy("credit")] = 0.5
    # Changes of the value that are smaller count as none (vsrm).
    threshold: Annotated[float, Range(0, 1), ReadBy("credit")] = 0.05
    # What a step without a change earns of one that comes so many steps later, for each of them.
    decay: Annotated[float, Range(0, 1), ReadBy("credit")] = 0.7
    # Steps after which it earns nothing of it.
    lookahead: Annotated[int, Range(0, 10_000), ReadBy("credit")] = 3
    # Whether padding pays nothing: vsrm divides a change between its steps, and igpo compares whole
    # returns. If not, as published.
    bounded: Annotated[bool, ReadBy("credit")] = True
    # What the reply's reward counts beside a wrong step (capo); above the weight.
    outcome: Annotated[float, Range(0, 1000), ReadBy("credit")] = 2.0


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
    """What tries after the first are worth, where `tries` allows any (UFO, SCoRe)."""

    # Which replies are tried again: wrong ones, or all, be they right or wrong (SCoRe).
    ask: Literal["wrong", "always"] = "wrong"
    # Of what a reply earns, for every try before it; above 0.
    decay: Annotated[float, Range(0, 1), Needs("ask", "wrong")] = 0.5
    # The cost of giving nothing but the same answer, try after try.
    repeated: Annotated[float, Range(0, 1), Needs("ask", "wrong")] = 0.1
    # Said to a wrong reply, the same whatever was wrong: no hint.
    feedback: Annotated[str, Needs("ask", "wrong")] = "That is not right. Try again."
    # Whether it is followed by the verdict's reason, where that is on the form of answers.
    critique: Annotated[bool, Needs("ask", "wrong")] = False
    # Replies after feedback that join the group of the first ones, right ones first, to be learned
    # without the feedback (Critique-GRPO); 0: a conversation is learned as it was.
    refinements: Annotated[int, Range(0, 1000), Needs("ask", "wrong")] = 0
    # The less, the more unlikely tokens of refinements count: p / (p + gamma) in place of a ratio.
    gamma: Annotated[float, Range(SMALLEST, 1000), Needs("refinements")] = 0.1
    # Said to every reply where all are tried again.
    review: Annotated[str, Needs("ask", "always")] = (
        "There may be an error in this. Check it, correct what is wrong, and answer again."
    )
    # Whether each try has an advantage of its own, beside the group's tries of the same number.
    by_try: bool = False
    # Of what a try scores above the one before, what it earns besides (SCoRe's alpha, 10 there).
    progress: Annotated[float, Range(0, 1000), Needs("ask", "always"), Needs("by_try")] = 0.0
    # The share of what the next try earns that counts for a try too.
    foresight: Annotated[float, Range(0, 1), Needs("ask", "always"), Needs("by_try")] = 0.0
    # First steps, in which only the last try earns its score (SCoRe's first stage).
    first_steps: Annotated[int, Range(0, 10_000_000), Needs("ask", "always"), Needs("by_try")] = 0
    # The weight of the first try's KL divergence in these steps, in place of `kl`.
    first_kl: Annotated[float, Range(0, 1000), Needs("first_steps")] = 0.0
    # What counts besides: a try's return above the mean of the group's tries after the same
    # answers (GiGPO).
    anchor: Annotated[float, Range(0, 1000)] = 0.0


@dataclass(frozen=True, slots=True)
class Rethink:
    """Finished replies that go on behind a trigger, in the same turn (VL-Rethinker)."""

    share: Annotated[float, Range(0, 1)] = 0.0  # of each group; 0: none
    # What they go on behind; it is not learned.
    trigger: Annotated[str, Needs("share")] = "\n\nWait, let me check this again.\n"


@dataclass(frozen=True, slots=True)
class Feedback:
    """Finished replies that a teacher comments on, and that then go on (ThinkTuning)."""

    # Of each group, wrong replies first; 0: none.
    share: Annotated[float, Range(0, 1)] = 0.0
    # Who writes it: the family's worked solution, or the policy itself, which gets to see that.
    teacher: Annotated[Literal["solution", "policy"], Needs("share")] = "solution"
    # Steps in which the share falls in a line to `least`; 0: it stays.
    fall: Annotated[int, Range(0, 10_000_000), Needs("share")] = 0
    least: Annotated[float, Range(0, 1), Needs("fall")] = 0.0  # share that is left of it


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
    # Of the share, by the entropy above `entropy_aim`.
    entropy_rate: Annotated[float, Range(0, 1000), Needs("weight"), Needs("schedule", "meta")] = 0.0
    # The entropy a token above which imitation counts more, and below which less.
    entropy_aim: Annotated[float, Range(0, 1000), Needs("entropy_rate")] = 0.5


@dataclass(frozen=True, slots=True)
class Appeal:
    """Which answers, that the verifier refuses, are written down for a person to look at."""

    # The share of a group's replies that must agree on the answer; 0: none are.
    share: Annotated[float, Range(0, 1)] = 0.0
    # The least mean probability of their tokens.
    confidence: Annotated[float, Range(0, 1), Needs("share")] = 0.0


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


@dataclass(frozen=True, slots=True)
class SelfReward:
    """The policy says itself behind a reply whether it is right (LaSeR)."""

    # Of the squared distance of self-rewards from verdicts, in the loss; 0: there are none.
    weight: Annotated[float, Range(0, 1000)] = 0.0
    # What a log-probability counts in a self-reward.
    beta: Annotated[float, Range(SMALLEST, 1000), Needs("weight")] = 0.1
    # The share of the advantage that is that of self-rewards.
    share: Annotated[float, Range(0, 1), Needs("weight")] = 0.0
    # First steps, in which it is not.
    warmup_steps: Annotated[int, Range(0, 10_000_000), Needs("share")] = 0


@dataclass(frozen=True, slots=True)
class Verify:
    """The policy learns to verify replies too, in steps of their own (RL Tango)."""

    # Steps of solving before each one of verifying, 3 in the paper; 0: it does not verify.
    solving_steps: Annotated[int, Range(0, 1_000_000)] = 0
    # First steps, which are all of verifying.
    warmup_steps: Annotated[int, Range(0, 10_000_000), Needs("solving_steps")] = 0
    # The share of the advantage, in the first step, that is of lines as they were verified; it
    # falls to a hundredth of it.
    process: Annotated[float, Range(0, 1), Needs("solving_steps")] = 0.1
    # What a verification earns that judges every line and the whole.
    form: Annotated[float, Range(0, 1000), Needs("solving_steps")] = 0.8


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
class Alternate:
    """Moves that are judged by themselves, votes above all, are learned apart from all others, in
    stages (Vision-Zero)."""

    # Steps of a stage at least, 5 in the paper; 0: all moves are learned in every step.
    least: Annotated[int, Range(0, 1_000_000)] = 0
    # Steps of a stage at most.
    most: Annotated[int, Range(1, 1_000_000), Needs("least")] = 20
    # Shares of judged moves, averaged: right ones from which the others are learned again,
    good: Annotated[float, Range(0, 1), Needs("least")] = 0.9
    # with no more than these that are neither right nor wrong;
    few_given_up: Annotated[float, Range(0, 1), Needs("least")] = 0.1
    # wrong ones from which judged moves are learned again,
    bad: Annotated[float, Range(0, 1), Needs("least")] = 0.4
    # or so many that are neither.
    many_given_up: Annotated[float, Range(0, 1), Needs("least")] = 0.5
    # Of an average, the share that a further step leaves of it.
    memory: Annotated[float, Range(0, 0.999), Needs("least")] = 0.95


@dataclass(frozen=True, slots=True)
class Play:
    """Games to learn from instead of items: each turn of the policy's own is a text to learn."""

    games: tuple[str, ...] = ()  # names of `generators/games/environments`
    # The difficulties at which games begin.
    levels: Annotated[tuple[Level, ...], Length(1, 1000)] = (0.0,)
    starts: Annotated[int, Range(1, 65_536)] = 16  # a step; each is played once from every seat
    # Who sits in the other seats, and in which share of the starts: self, random, minimax-<depth>,
    # or the folder of an earlier checkpoint, with a / in its name.
    opponents: Mapping[str, float] = field(default_factory=lambda: {"self": 1.0})
    # Of a result, for each turn that the seat had still to come.
    discount: Annotated[float, Range(0, 1)] = 1.0
    # Of each seat's baseline, the share that a further game leaves of it; below 1.
    memory: Annotated[float, Range(0, 1)] = 0.95
    # What counts besides: a turn's discounted result above that of the step's other turns in the
    # same state (GiGPO).
    anchor: Annotated[float, Range(0, 1000)] = 0.0
    alternate: Alternate = Alternate()
    # Opponents that the policy is measured against.
    against: tuple[str, ...] = ("random", "minimax-2")


def is_folder(opponent: str) -> bool:
    """Whether an opponent's name is that of a checkpoint's folder."""
    return "/" in opponent


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
    staleness: Annotated[int, Range(0, 10_000_000)] = 0
    # 1: the next step's replies are sampled while this one's are learned from.
    lag: Annotated[int, Range(0, 1)] = 0
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
        settings.lag
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
    why = "a step is one update from replies of its own: set epochs, minibatches, lag or replay"
    if loss.correction != "off":
        why = f'correction = "{loss.correction}" takes log-probabilities of the trainer for the old'
    listed = ", ".join(names)
    return [f"[train.loss] {listed}: without effect, since every importance ratio is 1: {why}"]
