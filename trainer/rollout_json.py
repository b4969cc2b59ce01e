"""A run's buffers of rollouts as plain data: a checkpoint goes on from it exactly.

Rows are not written: a ticket brings its row back, and a share of the solution the hint.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isnan, nan
from typing import Any

from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.hints import hinted
from puzzlemill.difficulty.policies.policy import Reply
from puzzlemill.trainer.conversations import Attempt, Conversation
from puzzlemill.trainer.prefixes import begun
from puzzlemill.trainer.rollouts import (
    Buffers,
    Prompt,
    Rollouts,
    StepRollouts,
    Verification,
    padded_with_nan,
)
from puzzlemill.trainer.schedule import Row, Schedule, Ticket


def buffers_to_json(buffers: Buffers) -> dict[str, Any]:
    return {
        "spare": _rollouts_to_json(buffers.overflow),
        "unfinished": _rollouts_to_json(buffers.unfinished),
        "replay": _rollouts_to_json(buffers.replay),
        "good": _rollouts_to_json(buffers.good),
        "group_means": buffers.group_means,
        "successes": _rollouts_to_json(buffers.successes),
        "ahead": [_step_to_json(each) for each in buffers.prefetched],
        "entropy": buffers.entropy_weight,
        "imitation": buffers.imitation_weight,
        "self_reward": buffers.self_reward_constant,
        "outcome_counts": buffers.outcome_counts,
        "memory": buffers.memory,
    }


def buffers_from_json(data: Mapping[str, Any], schedule: Schedule) -> Buffers:
    return Buffers(
        overflow=_rollouts_from_json(data["spare"], schedule),
        unfinished=_rollouts_from_json(data.get("unfinished", ()), schedule),
        replay=_rollouts_from_json(data["replay"], schedule),
        good=_rollouts_from_json(data["good"], schedule),
        group_means=list(data["group_means"]),
        successes=_rollouts_from_json(data["successes"], schedule),
        prefetched=[_step_from_json(each, schedule) for each in data["ahead"]],
        entropy_weight=data["entropy"],
        imitation_weight=data["imitation"],
        self_reward_constant=data["self_reward"],
        outcome_counts=list(data.get("outcome_counts", ())),
        memory=data["memory"],
    )


def _step_to_json(rollouts: StepRollouts) -> dict[str, Any]:
    return {
        "asked": _rollouts_to_json(rollouts.sampled),
        "kept": _rollouts_to_json(rollouts.kept),
        "discarded": rollouts.discarded,
        "memory": rollouts.memory,
        "imitated": _rollouts_to_json(rollouts.imitated),
        "others": _rollouts_to_json(rollouts.others),
        "verifications": [
            [each.place, each.number, each.messages, _reply_to_json(each.reply)]
            for each in rollouts.verifications
        ],
        "schedule": rollouts.schedule,
        "version": rollouts.version,
    }


def _step_from_json(data: Mapping[str, Any], schedule: Schedule) -> StepRollouts:
    return StepRollouts(
        _rollouts_from_json(data["asked"], schedule),
        _rollouts_from_json(data["kept"], schedule),
        data["discarded"],
        data["memory"],
        _rollouts_from_json(data["imitated"], schedule),
        _rollouts_from_json(data["others"], schedule),
        [
            Verification(place, number, tuple(messages), _reply_from_json(reply))
            for place, number, messages, reply in data["verifications"]
        ],
        data["schedule"],
        data["version"],
    )


def _rollouts_to_json(rollouts: Rollouts) -> list[Any]:
    return [
        [
            _prompt_to_json(prompt),
            [_conversation_to_json(prompt, each) for each in group],
            scores,
        ]
        for prompt, group, scores in zip(
            rollouts.prompts, rollouts.conversations, rollouts.scores(), strict=True
        )
    ]


def _rollouts_from_json(data: Sequence[Any], schedule: Schedule) -> Rollouts:
    prompts, conversations, scores = [], [], []
    for prompt_data, group, group_scores in data:
        prompt = _prompt_from_json(prompt_data, schedule)
        prompts.append(prompt)
        conversations.append([_conversation_from_json(prompt, each) for each in group])
        scores.append(group_scores)
    return Rollouts(prompts, conversations, padded_with_nan(scores))


def _conversation_to_json(prompt: Prompt, conversation: Conversation) -> list[Any]:
    """Without the prompt, with which each of its attempts begins."""
    length = len(prompt.row["prompt"])
    attempts = [
        [
            attempt.messages[length:],
            _reply_to_json(attempt.reply),
            attempt.teacher,
            *([attempt.parts] if attempt.parts else []),
        ]
        for attempt in conversation.attempts
    ]
    return [
        attempts,
        asdict(conversation.verdict),
        conversation.source,
        conversation.hint_share,
        [*map(list, conversation.values)],
        [asdict(verdict) for verdict in conversation.earlier],
    ]


def _conversation_from_json(prompt: Prompt, data: Sequence[Any]) -> Conversation:
    attempts, verdict, source, share, values, earlier = data
    row = _hinted(prompt.row, share) if share else prompt.row
    messages = tuple(row["prompt"])
    read = [
        Attempt((*messages, *more), _reply_from_json(reply), teacher, _parts_from_json(*parts))
        for more, reply, teacher, *parts in attempts
    ]
    steps = tuple((end, value) for end, value in values)
    before = tuple(Verdict(**each) for each in earlier)
    return Conversation(
        tuple(read),
        Verdict(**verdict),
        source=source,
        hint_share=share,
        values=steps,
        earlier=before,
    )


def _parts_from_json(parts: Sequence[Any] = ()) -> tuple[tuple[int, int], ...]:
    return tuple((count, version) for count, version in parts)


def _prompt_to_json(prompt: Prompt) -> list[Any]:
    return [
        prompt.ticket.place,
        prompt.ticket.serial,
        prompt.hint_share,
        prompt.step,
        prompt.source,
        prompt.prefix,
    ]


def _prompt_from_json(data: Sequence[Any], schedule: Schedule) -> Prompt:
    place, serial, share, step, source, prefix = data
    row = schedule.source.row(Ticket(place, serial))
    prompted = _hinted(row, share) if share else row
    if prefix:
        prompted = begun(prompted, prefix)
    return Prompt(Ticket(place, serial), prompted, share, step, source, prefix)


def _hinted(row: Row, share: float) -> Row:
    prompted = hinted(row, share)
    assert not isinstance(prompted, str), f"{row['uid']} had a hint once: {prompted}"
    return prompted


def _reply_to_json(reply: Reply) -> list[Any]:
    """Log-probabilities that are unknown (NaN) are none."""
    logps = [] if any(map(isnan, reply.logps)) else list(reply.logps)
    return [reply.text, reply.finished, list(reply.tokens), logps]


def _reply_from_json(data: Sequence[Any]) -> Reply:
    text, finished, tokens, logps = data
    return Reply(text, finished, tuple(tokens), tuple(logps) or (nan,) * len(tokens))
