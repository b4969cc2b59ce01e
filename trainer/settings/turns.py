"""Further turns and texts of a conversation: what follows a reply."""

from dataclasses import dataclass
from typing import Annotated, Literal

from puzzlemill.core.settings import Needs, Range
from puzzlemill.trainer.settings.ranges import SMALLEST


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
    # Of the moving average of how many replies are right and wrong, by which rare ones weigh more,
    # the share that a further step of verifying leaves.
    memory: Annotated[float, Range(0, 0.999), Needs("solving_steps")] = 0.8
    # What a verification earns that judges every line and the whole.
    form: Annotated[float, Range(0, 1000), Needs("solving_steps")] = 0.8
