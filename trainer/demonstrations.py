"""Demonstrations: right texts that join the replies of a group, and are in its advantage.

They are a family's worked solutions (LUFFY, RL-PLUS), the policy's own right replies of earlier
steps (RAPO), or what it says once it sees the answer (ExPO) or the solution (EGSR).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan

from puzzlemill.core.errors import UserError
from puzzlemill.core.item import worked
from puzzlemill.core.plain_data import thaw
from puzzlemill.core.registry import family
from puzzlemill.difficulty.answer_gain import OPEN, reasoning_of
from puzzlemill.difficulty.hints import steps_of
from puzzlemill.difficulty.policies.forward_pass import Ids, completion_logps
from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.difficulty.policies.policy import Reply
from puzzlemill.difficulty.policies.tokens import Tokens
from puzzlemill.difficulty.scoring import Judge
from puzzlemill.trainer.conversations import Attempt, Conversation, discounted_return
from puzzlemill.trainer.rollouts import Prompt, Rollouts, padded_with_nan
from puzzlemill.trainer.settings.teaching import Demonstrations
from puzzlemill.trainer.settings.turns import Retry

JOINED = ("demonstration", "explanation")  # the sources of what joins a group

Texts = list[list[Conversation]]  # for each of some prompts


def demonstrated_places(groups: Rollouts, settings: Demonstrations) -> list[int]:
    """Which groups demonstrations join: of plain prompts, by the share of right replies."""
    places = []
    for place, (prompt, group) in enumerate(zip(groups.prompts, groups.conversations, strict=True)):
        right = sum(each.verdict.correct for each in group) / len(group)
        wanted = {"failed": not right, "hard": right < settings.hard, "always": True}
        if wanted[settings.when] and prompt.plain:
            places.append(place)
    return places


def joined(groups: Rollouts, texts: Mapping[int, Sequence[Conversation]], retry: Retry) -> Rollouts:
    """The groups, with what joins them, by place; tries before the last count as they do."""
    conversations = [
        [*group, *texts.get(place, ())] for place, group in enumerate(groups.conversations)
    ]
    scores = [
        [*own, *(discounted_return(each, retry) for each in texts.get(place, ()))]
        for place, own in enumerate(groups.scores())
    ]
    return Rollouts(groups.prompts, conversations, padded_with_nan(scores))


def solutions(prompts: Sequence[Prompt], tokens: Tokens, judge: Judge, most: int) -> Texts:
    """Each item's worked solution, if its family tells steps and the policy could say as much."""
    rows = [prompt.row for prompt in prompts]
    texts = []
    for row in rows:
        own = family(row["family"])
        texts.append(worked(own, thaw(own.puzzle, row["puzzle"]), row["answer"]))
    found: Texts = []
    for row, text, verdict in zip(rows, texts, judge(rows, texts), strict=True):
        ids = (*tokens.continuation(text), *sorted(tokens.ends)[:1])
        fits = verdict.correct and len(ids) <= most and steps_of(row)
        attempt = Attempt(tuple(row["prompt"]), Reply(text, True, ids, (nan,) * len(ids)))
        found.append([Conversation((attempt,), verdict, source="demonstration")] if fits else [])
    return found


def told_replies(prompts: Sequence[Prompt], told: Rollouts) -> Texts:
    """Right replies to prompts that told more, as replies to the plain ones: behind these, their
    log-probabilities are unknown."""
    found: Texts = []
    for prompt, group in zip(prompts, told.conversations, strict=True):
        found.append(
            [
                replace(
                    each,
                    attempts=(Attempt(tuple(prompt.row["prompt"]), _unread(each.last)),),
                    source="explanation",
                )
                for each in group
                if each.verdict.correct and each.last.finished and each.last.tokens
            ]
        )
    return found


def _unread(reply: Reply) -> Reply:
    return replace(reply, logps=(nan,) * len(reply.tokens))


def kept_replies(prompts: Sequence[Prompt], successes: Rollouts) -> Texts:
    """Each item's right replies of earlier steps."""
    stored = _by_uid(successes)
    return [
        [replace(each, source="demonstration") for each in stored.get(prompt.row["uid"], ())]
        for prompt in prompts
    ]


def with_successes(successes: Rollouts, groups: Rollouts, number: int, retry: Retry) -> Rollouts:
    """The last right replies to each plain prompt, so many at most; the oldest items first."""
    kept = {prompt.row["uid"]: prompt for prompt in successes.prompts}
    stored = _by_uid(successes)
    for prompt, group in zip(groups.prompts, groups.conversations, strict=True):
        right = [each for each in group if each.verdict.correct and not each.hint_share]
        if right and prompt.plain:
            uid = prompt.row["uid"]
            stored[uid] = [*right, *stored.get(uid, ())][:number]
            kept.pop(uid, None)
            kept[uid] = prompt
    conversations = [stored[uid] for uid in kept]
    scores = [[discounted_return(each, retry) for each in some] for some in conversations]
    return Rollouts([*kept.values()], conversations, padded_with_nan(scores))


def likeliest_explanations(policy: LocalPolicy, groups: Rollouts, number: int) -> Rollouts:
    """The groups, each with no more than so many of its explanations (ExPO): the likeliest behind
    the plain prompt, of those that make the gold answer likelier than it is without them."""
    places = [
        (place, at)
        for place, group in enumerate(groups.conversations)
        for at, each in enumerate(group)
        if each.source == "explanation"
    ]
    if not places:
        return groups
    if any(groups.prompts[place].row["images"] for place, _ in places):
        raise UserError(
            '[train.demonstrations] source = "explanations" is not for items with pictures: set'
            ' "rewordings"'
        )
    rates = _explanation_logps(policy, [_explanation(groups, *each) for each in places])
    chosen: dict[int, list[tuple[float, int]]] = {}
    for (place, at), rate in zip(places, rates, strict=True):
        if rate is not None:
            chosen[place] = sorted([*chosen.get(place, ()), (rate, -at)])[-number:]
    dropped = {*places} - {(place, -at) for place, some in chosen.items() for _, at in some}
    return groups.only(
        [
            [at for at in range(len(group)) if (place, at) not in dropped]
            for place, group in enumerate(groups.conversations)
        ]
    )


def _explanation(groups: Rollouts, place: int, at: int) -> tuple[Prompt, Reply]:
    return groups.prompts[place], groups.conversations[place][at].last


def _explanation_logps(
    policy: LocalPolicy, said: Sequence[tuple[Prompt, Reply]]
) -> list[float | None]:
    """The mean log-probability of each explanation's tokens; None where the answer after it is not
    likelier, or too long to read."""
    texts, answers = list[tuple[Ids, Ids]](), list[tuple[Ids, Ids]]()
    for prompt, reply in said:
        texts.append((policy.tokens.ids(prompt.row["prompt"]), reply.tokens))
        answer = policy.tokens.continuation(prompt.row["answer"])
        for reasoning in ("", reasoning_of(reply.text)):
            turn = {"role": "assistant", "content": f"{reasoning}{OPEN}"}
            answers.append((policy.tokens.ids([*prompt.row["prompt"], turn]), answer))
    most = policy.model.shape.positions
    readable = [len(before) + len(answer) <= most for before, answer in answers]
    short = [each for each, fits in zip(answers, readable, strict=True) if fits]
    own = completion_logps(policy.model, texts, policy.sampling.temperature)
    read = iter(completion_logps(policy.model, short))
    likelihoods = [next(read).sum().item() if fits else None for fits in readable]
    found: list[float | None] = []
    for number, logps in enumerate(own):
        before, after = likelihoods[2 * number : 2 * number + 2]
        raised = before is not None and after is not None and after > before
        found.append(logps.mean().item() if raised else None)
    return found


def _by_uid(successes: Rollouts) -> dict[str, list[Conversation]]:
    pairs = zip(successes.prompts, successes.conversations, strict=True)
    return {prompt.row["uid"]: group for prompt, group in pairs}
