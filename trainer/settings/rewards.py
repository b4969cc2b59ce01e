"""Rewards: [train.reward] and [train.process]."""

from dataclasses import dataclass
from typing import Annotated, Literal

from puzzlemill.core.settings import Needs, OneOf, Range, ReadBy
from puzzlemill.trainer.credits import CREDITS
from puzzlemill.trainer.shapings import SHAPINGS


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
    # Over the tokens of the gold answer, what their probabilities' mean is (RLPR: arithmetic).
    token_mean: Annotated[Literal["geometric", "arithmetic"], Needs("values", "gain")] = "geometric"
    # Steps of a reply at most, each of as many lines as the others; 0: every line is one.
    most_steps: Annotated[int, Range(0, 10_000), Needs("values", "continuation", "gain")] = 0
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
