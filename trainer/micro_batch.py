"""Micro-batches: training samples as tensors, replies to one prompt side by side, padded right.

Suffixes: Q prompts, P tokens of prompts, B replies, T tokens of replies, N tokens of all replies,
one after the other.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from math import nan
from typing import Literal, TypeAlias

import torch
from torch import Tensor

from puzzlemill.difficulty.policies.tokens import PicturePrompt
from puzzlemill.trainer.off_policy import OffPolicy

# Where a sample comes from: the policy's own reply, one of an earlier step in its group or alone,
# one to a prompt with a hint, one that saw the answer or a critique, or one that goes on from a
# prefix; another text that joined a group, and a teacher's; a verification.
Source: TypeAlias = Literal[
    "own",
    "replay",
    "self_imitation",
    "hint",
    "explanation",
    "prefix",
    "refinement",
    "demonstration",
    "teacher",
    "verifier",
]


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a teacher makes of a reply."""

    logps: tuple[float, ...]  # of each token
    weight: float  # of the KL divergence from the teacher, beside the policy's loss


@dataclass(frozen=True, slots=True)
class Aim:
    """A token behind a reply, which is not learned as part of it: the log-probability it is to
    have, and the weight of the squared distance from that."""

    logp: float
    weight: float
    right: bool  # whether the reply is


@dataclass(frozen=True, slots=True)
class Sample:
    """One reply to train on."""

    prompt: tuple[int, ...]
    reply: tuple[int, ...]
    logps: tuple[float, ...]  # when it was sampled; NaN where unknown
    advantage: float | tuple[float, ...]  # one number, or one for each token of the reply
    weight: float = 1.0  # of each of its tokens in the loss
    kl_weight: float = 1.0  # of its KL divergence, beside the others'
    shown: PicturePrompt | None = None  # its prompt, where it has pictures
    source: Source = "own"
    # Whether it is learned by the importance ratio of the policy, by likelihood alone, or by the
    # ratio of a teacher's feedback, which the advantage shapes.
    loss: Literal["policy", "imitation", "feedback"] = "policy"
    rate: float = nan  # of right replies in its group; NaN where that is unknown
    lesson: Lesson | None = None
    off_policy: OffPolicy | None = None  # how, where it was not sampled behind this prompt

    aim: Aim | None = None  # of its last token, which then is no part of the reply

    @property
    def learned(self) -> int:
        """Tokens of the reply."""
        return len(self.reply) - bool(self.aim)

    @property
    def advantages(self) -> tuple[float, ...]:
        """Of each token."""
        if isinstance(self.advantage, tuple):
            return self.advantage
        return (self.advantage,) * self.learned + (0.0,) * bool(self.aim)

    @property
    def weights(self) -> tuple[float, ...]:
        """Of each token."""
        return (self.weight,) * self.learned + (0.0,) * bool(self.aim)


@dataclass(frozen=True, slots=True)
class MicroBatch:
    prompts_QP: Tensor
    length_Q: Tensor  # tokens of each prompt
    replies_BT: Tensor
    question_B: Tensor  # whose prompt is each reply's
    mask_BT: Tensor  # True where a token is the reply's, and no padding
    targets_N: Tensor  # those tokens
    old_logp_N: Tensor  # when they were sampled; NaN where unknown
    advantage_N: Tensor
    weight_N: Tensor
    imitated_N: Tensor  # True where a token is learned by its likelihood alone
    feedback_N: Tensor  # True where a token is a teacher's feedback
    rate_N: Tensor  # of right replies in its group; NaN where that is unknown
    teacher_logp_N: Tensor  # NaN where nothing is taught
    teacher_weight_N: Tensor  # 0 where nothing is taught
    reply_N: Tensor  # which of the replies each token belongs to
    kl_weight_N: Tensor  # of the KL divergence at each token, beside the others'
    aim_logp_N: Tensor  # that a token behind a reply is to have; NaN elsewhere
    aim_weight_N: Tensor
    shown_Q: tuple[PicturePrompt | None, ...] = ()  # the prompts, if they have pictures
    # The trainer's, before the first of a step's updates; None: those of now, for a single update.
    trainer_logp_N: Tensor | None = None
    off_policy_B: tuple[OffPolicy | None, ...] = ()  # how each reply is learned, if off-policy

    def learned_by(self, chosen: OffPolicy) -> Tensor:
        """Which tokens are, N."""
        chosen_B = [each == chosen for each in self.off_policy_B]
        return torch.tensor(chosen_B, device=self.reply_N.device)[self.reply_N]

    @property
    def off_policy_N(self) -> Tensor:
        """Which tokens were not sampled behind this prompt."""
        chosen_B = [each is not None for each in self.off_policy_B]
        return torch.tensor(chosen_B, device=self.reply_N.device)[self.reply_N]


def micro_batches(
    samples: Sequence[Sample], most: int, device: torch.device, once: bool = True
) -> Iterator[MicroBatch]:
    """Micro-batches of at most `most` tokens, padding included (or one reply, if that is more).

    Replies to one prompt stay together while there is room, longer ones go with longer ones. A
    prompt costs its tokens once, or else for every reply; prompts with pictures go by themselves.
    """
    by_prompt = sorted(samples, key=_prompt_key)
    groups = [
        part
        for _, group in groupby(by_prompt, key=_prompt_key)
        for part in _parts(list(group), most, once)
    ]
    groups.sort(key=lambda group: (_pictured(group), _longest(group), len(group[0].prompt)))
    collected: list[list[Sample]] = []
    for group in groups:
        differ = collected and _pictured(collected[0]) != _pictured(group)
        if collected and (differ or _padded_size([*collected, group], once) > most):
            yield micro_batch_of(collected, device)
            collected = []
        collected.append(group)
    if collected:
        yield micro_batch_of(collected, device)


def _prompt_key(sample: Sample) -> tuple[tuple[int, ...], tuple[bytes, ...]]:
    """By which prompts differ: their tokens do not say what is on a picture."""
    return sample.prompt, sample.shown.images if sample.shown else ()


def _pictured(group: Sequence[Sample]) -> bool:
    return group[0].shown is not None


def _parts(group: Sequence[Sample], most: int, once: bool) -> Iterator[list[Sample]]:
    """The replies to one prompt, cut where they are too many for one batch."""
    part: list[Sample] = []
    for sample in sorted(group, key=lambda sample: len(sample.reply)):
        if part and _padded_size([[*part, sample]], once) > most:
            yield part
            part = []
        part.append(sample)
    yield part


def _longest(group: Sequence[Sample]) -> int:
    return max(len(sample.reply) for sample in group)


def _padded_size(groups: Sequence[Sequence[Sample]], once: bool) -> int:
    """Tokens, padding included."""
    rows = sum(map(len, groups))
    prompts = (len(groups) if once else rows) * max(len(group[0].prompt) for group in groups)
    return prompts + rows * max(map(_longest, groups))


def micro_batch_of(groups: Sequence[Sequence[Sample]], device: torch.device) -> MicroBatch:
    samples = [sample for group in groups for sample in group]
    prompts = [group[0].prompt for group in groups]
    lengths = [len(sample.reply) for sample in samples]
    question = [place for place, group in enumerate(groups) for _ in group]

    def tensor(values: Iterable[float]) -> Tensor:
        return torch.tensor([*values], device=device)

    def of_tokens(values: Iterable[Sequence[float]]) -> Tensor:
        return tensor(chain.from_iterable(values))

    reply_N = tensor(range(len(samples))).repeat_interleave(tensor(lengths))
    return MicroBatch(
        prompts_QP=_padded(prompts, device),
        length_Q=tensor(map(len, prompts)),
        replies_BT=_padded([sample.reply for sample in samples], device),
        question_B=tensor(question),
        mask_BT=_padded([[1] * length for length in lengths], device).bool(),
        targets_N=of_tokens(sample.reply for sample in samples),
        old_logp_N=of_tokens(sample.logps for sample in samples),
        advantage_N=of_tokens(sample.advantages for sample in samples),
        weight_N=of_tokens(sample.weights for sample in samples),
        imitated_N=tensor(sample.loss == "imitation" for sample in samples)[reply_N],
        feedback_N=tensor(sample.loss == "feedback" for sample in samples)[reply_N],
        rate_N=tensor(sample.rate for sample in samples)[reply_N],
        teacher_logp_N=of_tokens(_taught(sample) for sample in samples),
        teacher_weight_N=tensor(each.lesson.weight if each.lesson else 0.0 for each in samples)[
            reply_N
        ],
        reply_N=reply_N,
        kl_weight_N=tensor(sample.kl_weight for sample in samples)[reply_N],
        aim_logp_N=_at_ends(samples, nan, lambda aim: aim.logp, device),
        aim_weight_N=_at_ends(samples, 0.0, lambda aim: aim.weight, device),
        shown_Q=tuple(group[0].shown for group in groups) if _pictured(groups[0]) else (),
        off_policy_B=tuple(sample.off_policy for sample in samples),
    )


def _taught(sample: Sample) -> tuple[float, ...]:
    """A teacher's log-probability of each token; NaN where nothing is taught."""
    return sample.lesson.logps if sample.lesson else (nan,) * len(sample.reply)


def _padded(rows: Sequence[Sequence[int]], device: torch.device) -> Tensor:
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows], device=device)


def _at_ends(
    samples: Sequence[Sample],
    elsewhere: float,
    of_aim: Callable[[Aim], float],
    device: torch.device,
) -> Tensor:
    """What the aim of each reply's last token says, at that token; N."""
    values = [
        value
        for each in samples
        for value in (elsewhere,) * each.learned + ((of_aim(each.aim),) if each.aim else ())
    ]
    return torch.tensor(values, device=device)
