"""A policy that verifies, trained beside the one that solves (RL Tango).

It reads a problem and a reply, judges each line of it, and the whole. It is paid for agreeing with
the verdict on the whole, and for judging every line; no line has a label. What it says of lines is
a process reward of the reply: its share of the advantage falls from step to step. Solving and
verifying are learned in steps of their own, by one policy in both parts.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from math import isnan, nan
from statistics import fmean, pstdev

from puzzlemill.core.replies import answer_text
from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.difficulty.policies.policy import Message, Policy, Question, Reply
from puzzlemill.difficulty.scoring import question_of
from puzzlemill.trainer.advantages import Credit, advantages, weighed
from puzzlemill.trainer.micro_batch import Sample
from puzzlemill.trainer.rollouts import Rollouts, Verification, padded_with_nan
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.settings.turns import Verify

LINE = re.compile(r"^\s*(\d{1,4})\s*[:.)]\s*(right|wrong)\b", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is read out of a verification."""

    lines: tuple[bool, ...]  # whether each line of the reply is right; empty where some have none
    whole: bool | None  # None: it does not say


def learns_to_verify(settings: Verify, step: int) -> bool:
    """Whether a step is one of verifying: the first ones, and one after so many of solving."""
    if not settings.solving_steps:
        return False
    later = step - settings.warmup_steps
    return later < 0 or later % (settings.solving_steps + 1) == settings.solving_steps


def process_share(settings: Verify, step: int, steps: int) -> float:
    """The share of the advantage that is of lines: it falls from the first step to a hundredth of
    it at the last one."""
    falls: float = 0.01 ** (step / max(steps - 1, 1))
    return settings.process * falls


def verifications(policy: Policy, kept: Rollouts, settings: Train, step: int) -> list[Verification]:
    """One of each reply to train on, where the step needs any."""
    verify = settings.verify
    if not verify.solving_steps or not (learns_to_verify(verify, step) or verify.process):
        return []
    questions: dict[tuple[int, int], Question] = {}
    for place, (prompt, group) in enumerate(zip(kept.prompts, kept.conversations, strict=True)):
        for number, each in enumerate(group):
            text = each.text
            row = {**prompt.row, "prompt": _verifying_prompt(prompt.row["prompt"], text)}
            question = question_of(row, "")
            key = f"verify {step} {number}\0{prompt.row['uid']}".encode()
            seed = int.from_bytes(blake2b(key, digest_size=7).digest())
            question = replace(question, seed=seed)
            if text.strip() and each.verdict.status != "error" and policy.takes(question):
                questions[place, number] = question
    replies = policy.sample([*questions.values()], 1) if questions else []
    return [
        Verification(*key, question.messages, reply)
        for (key, question), (reply,) in zip(questions.items(), replies, strict=True)
    ]


def _verifying_prompt(prompt: Sequence[Message], reply: str) -> list[Message]:
    """The problem, and the reply with its lines numbered."""
    problem = prompt[-1]["content"]
    lines = "\n".join(f"{number}: {line}" for number, (_, line) in enumerate(lines_of(reply), 1))
    text = (
        f"{problem}\n\nSomebody replied:\n{lines}\n\nWrite, for each of these lines, its number and"
        ' whether it is right, such as "1: right" or "2: wrong". Answer with right or wrong, of the'
        " whole reply, between <answer> and </answer>."
    )
    return [*prompt[:-1], {"role": "user", "content": text}]


def read_judgement(verification: Verification, reply: str) -> Judgement:
    """What a verification says of the reply; nothing of lines unless of each of them."""
    said = (answer_text(verification.reply.text) or "").strip().casefold()
    whole = {"right": True, "wrong": False}.get(said)
    before = verification.reply.text.partition("<answer>")[0]
    found = [(int(number), word.casefold() == "right") for number, word in LINE.findall(before)]
    count = len(lines_of(reply))
    judged = [number for number, _ in found] == [*range(1, count + 1)]
    return Judgement(tuple(right for _, right in found) if judged else (), whole)


def read_judgements(
    given: Sequence[Verification], kept: Rollouts
) -> dict[tuple[int, int], Judgement]:
    """By the place of the prompt, and the number of the reply."""
    return {
        (each.place, each.number): read_judgement(
            each, kept.conversations[each.place][each.number].text
        )
        for each in given
    }


def lines_of(text: str) -> list[tuple[int, str]]:
    """The lines that are not blank, each with the characters of the text up to its end."""
    found, at = [], 0
    for whole in text.splitlines(keepends=True):
        if line := whole.strip():
            found.append((at + len(whole.rstrip()), line))
        at += len(whole)
    return found


def outcome_counts(
    earlier: Sequence[float],
    judgements: Mapping[tuple[int, int], Judgement],
    kept: Rollouts,
    memory: float,
) -> tuple[float, float]:
    """Of a step's replies that are verified, how many are right and wrong: moving averages."""
    right = float(sum(_label(kept, key) for key in judgements))
    wrong = len(judgements) - right
    if not earlier:
        return right, wrong
    before_right, before_wrong = earlier
    return (
        memory * before_right + (1 - memory) * right,
        memory * before_wrong + (1 - memory) * wrong,
    )


def verifier_rewards(
    judgements: Mapping[tuple[int, int], Judgement],
    kept: Rollouts,
    settings: Verify,
    counts: tuple[float, float],
) -> dict[tuple[int, int], float]:
    """For agreeing with the verdict, rare verdicts more than common ones, and for form."""
    right, wrong = counts
    rewards = {}
    for key, judgement in judgements.items():
        label = _label(kept, key)
        share = (right if label else wrong) / (right + wrong)
        agrees = judgement.whole is not None and judgement.whole == label
        formed = judgement.whole is not None and bool(judgement.lines)
        rewards[key] = (0.5 / share) ** 0.5 * agrees + settings.form * formed
    return rewards


def verifier_samples(
    policy: LocalPolicy,
    given: Sequence[Verification],
    judgements: Mapping[tuple[int, int], Judgement],
    kept: Rollouts,
    settings: Train,
    counts: tuple[float, float],
) -> list[Sample]:
    """Each verification with its advantage beside those of the other replies to the problem."""
    rewards = verifier_rewards(judgements, kept, settings.verify, counts)
    rewards_PG = padded_with_nan(
        [
            [rewards.get((place, number), nan) for number in range(len(group))]
            for place, group in enumerate(kept.conversations)
        ]
    )
    some_P = (~rewards_PG.isnan()).any(dim=1)
    found_PG = rewards_PG.clone()
    if some_P.any():
        found_PG[some_P] = advantages(rewards_PG[some_P], settings.loss)
    samples = []
    for each in given:
        advantage = found_PG[each.place, each.number].item()
        if isnan(advantage) or not each.reply.tokens:
            continue
        images = kept.prompts[each.place].row["images"] or ()
        question = Question(each.messages, 0, tuple(image["bytes"] for image in images))
        samples.append(
            Sample(
                tuple(policy.tokens.prompt(question)),
                each.reply.tokens,
                each.reply.logps,
                weighed(advantage, settings.loss.positives),
                shown=policy.tokens.shown(question),
                source="verifier",
            )
        )
    return samples


def line_credits(
    policy: LocalPolicy, judgements: Mapping[tuple[int, int], Judgement], kept: Rollouts
) -> dict[tuple[int, int], tuple[float, ...]]:
    """Of each token of a reply, the sum of what its line and later ones earn: 1 / lines for a right
    one and -1 / lines for a wrong one, normalised over the lines of the group (GRPO with process
    supervision)."""
    found_by_reply = {}
    for place, group in enumerate(kept.conversations):
        earned = {
            number: [(1.0 if right else -1.0) / len(found.lines) for right in found.lines]
            for number in range(len(group))
            if (found := judgements.get((place, number))) and found.lines
        }
        all_lines = [value for values in earned.values() for value in values]
        spread = pstdev(all_lines) if all_lines else 0.0
        if not spread:
            continue
        mean = fmean(all_lines)
        for number, values in earned.items():
            reply = group[number].last
            ends = token_ends(policy, reply)[: len(values)]
            tokens = [0.0] * len(reply.tokens)
            for end, value in zip(ends, values, strict=True):
                for token in range(min(end, len(tokens))):
                    tokens[token] += (value - mean) / spread
            found_by_reply[place, number] = tuple(tokens)
    return found_by_reply


def token_ends(policy: LocalPolicy, reply: Reply) -> list[int]:
    """Tokens up to the end of each line of a reply."""
    ends = [end for end, _ in lines_of(policy.tokens.text(reply.tokens))]
    places = range(1, len(reply.tokens) + 1)
    return [
        bisect_left(places, end, key=lambda count: len(policy.tokens.text(reply.tokens[:count])))
        + 1
        for end in ends
    ]


def with_lines(
    credits_PG: Sequence[Sequence[Credit]],
    lines: Mapping[tuple[int, int], tuple[float, ...]],
    share: float,
) -> list[list[Credit]]:
    """The advantages of replies, of which lines are a share."""

    def mixed(key: tuple[int, int], credit: Credit) -> Credit:
        own = lines.get(key)
        if own is None or (isinstance(credit, float) and isnan(credit)):
            return credit
        base = credit if isinstance(credit, tuple) else (credit,) * len(own)
        return tuple((1 - share) * a + share * b for a, b in zip(base, own, strict=True))

    return [
        [mixed((place, number), credit) for number, credit in enumerate(group)]
        for place, group in enumerate(credits_PG)
    ]


def verifier_metrics(
    judgements: Mapping[tuple[int, int], Judgement], kept: Rollouts
) -> dict[str, float]:
    if not judgements:
        return {}
    return {
        "verifier agrees": fmean(
            each.whole is not None and each.whole == _label(kept, key)
            for key, each in judgements.items()
        ),
        "verifier judges lines": fmean(bool(each.lines) for each in judgements.values()),
    }


def _label(kept: Rollouts, key: tuple[int, int]) -> bool:
    place, number = key
    return kept.conversations[place][number].verdict.correct
