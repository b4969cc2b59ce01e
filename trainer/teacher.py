"""Teachers (KDRL): the KL divergence from another policy, on the replies that the policy sampled.

That is the reverse KL, of the student from the teacher, estimated like the one from a reference.
A teacher reads the reply behind the same prompt; the policy as its own teacher reads it behind a
prompt with a worked solution.
"""

from collections.abc import Mapping, Sequence
from math import exp
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.hints import solved
from puzzlemill.difficulty.policies import checkpoint, hugging_face
from puzzlemill.difficulty.policies.forward_pass import completion_logps
from puzzlemill.difficulty.policies.hugging_face import HuggingFaceModel
from puzzlemill.difficulty.policies.model import LocalPolicy, Model, Reader
from puzzlemill.difficulty.policies.tokens import Tokens
from puzzlemill.difficulty.policies.weight_files import weight_files
from puzzlemill.trainer.conversations import Attempt, Conversation
from puzzlemill.trainer.distributed import shard_model, world_size
from puzzlemill.trainer.micro_batch import Lesson
from puzzlemill.trainer.rollouts import Prompt, Rollouts
from puzzlemill.trainer.settings.teaching import Teacher

HINTED = "hinted"
# By prompt, conversation and attempt.
Lessons: TypeAlias = Mapping[tuple[int, int, int], Lesson]


def load_teacher(policy: LocalPolicy, settings: Teacher) -> Model | None:
    """A teacher with weights of its own; None: there is no teacher, or it is the policy."""
    if settings.model in ("", HINTED):
        return None
    folder, of_transformers = Path(settings.model), isinstance(policy.model, HuggingFaceModel)
    dtype, device = "float32", str(policy.model.device)
    _check_tokens(policy.tokens, folder)
    model: Model
    if of_transformers:
        model = hugging_face.load(folder, dtype, device)
    else:
        model, _ = checkpoint.load(folder, dtype, device)
    model.eval().requires_grad_(requires_grad=False)
    model.compute_dtype = policy.model.compute_dtype
    if world_size() > 1:
        shard_model(model)
    return model


def _check_tokens(own: Tokens, folder: Path) -> None:
    """A reply's tokens have to be the same text to both."""
    weight_files(folder)  # says what is wrong with the folder
    other = Tokens.load(folder)
    if own.tokenizer.get_vocab() != other.tokenizer.get_vocab():
        raise UserError(
            f"[train.teacher] model: {folder} has another tokenizer than the policy: name a"
            " checkpoint of the same family of models"
        )


def weight_at(settings: Teacher, step: int) -> float:
    """Of the divergence: it falls in a line, and not below the least."""
    fallen = settings.weight - settings.fall * step
    return max(fallen, settings.least) if settings.fall else settings.weight


def taught_groups(groups: Rollouts, settings: Teacher) -> set[int]:
    """The places of groups with replies to teach: they are trained on, whatever their rewards."""
    return {
        place
        for place, group in enumerate(groups.conversations)
        if any(is_taught(each, group, settings) for each in group)
    }


def is_taught(conversation: Conversation, group: Sequence[Conversation], settings: Teacher) -> bool:
    if not settings.model or conversation.source != "own":
        return False
    if settings.where == "failed_groups":
        return not any(each.verdict.correct for each in group)
    return settings.where == "all" or not conversation.verdict.correct


def lessons_for(
    policy: LocalPolicy, teacher: Reader | None, kept: Rollouts, settings: Teacher, step: int
) -> dict[tuple[int, int, int], Lesson]:
    """What the teacher, or the policy with a solution, makes of the replies that are taught.

    Replies that leave it no room are not taught."""
    weight = weight_at(settings, step)
    if not settings.model or not weight:
        return {}
    reader = teacher or policy.model
    texts: dict[tuple[int, int, int], tuple[list[int], tuple[int, ...]]] = {}
    for place, (prompt, group) in enumerate(zip(kept.prompts, kept.conversations, strict=True)):
        if prompt.row["images"]:
            raise UserError(
                "[train.teacher] is not for items with pictures: leave out visual families, or the"
                " teacher"
            )
        for at, conversation in enumerate(group):
            if not is_taught(conversation, group, settings):
                continue
            for number, attempt in enumerate(conversation.attempts):
                tokens = attempt.reply.tokens
                before = policy.tokens.ids(_messages(prompt, attempt, settings))
                if tokens and len(before) + len(tokens) <= reader.shape.positions:
                    texts[place, at, number] = before, tokens
    logps = completion_logps(reader, [*texts.values()], policy.sampling.temperature)
    return {
        place: Lesson(tuple(values.tolist()), weight)
        for place, values in zip(texts, logps, strict=True)
    }


def _messages(prompt: Prompt, attempt: Attempt, settings: Teacher) -> list[dict[str, Any]]:
    """What the teacher reads before a reply."""
    if settings.model != HINTED:
        return [*attempt.messages]
    before: Any = solved(prompt.row)["prompt"]
    return [*before, *attempt.messages[len(before) :]]


def divergence_from_teacher(kept: Rollouts, lessons: Lessons) -> dict[str, float]:
    """The mean over the tokens that are taught of the k3 estimate, by name, if there are any; by
    the log-probabilities of the sampler."""
    found = []
    for (place, at, number), lesson in lessons.items():
        reply = kept.conversations[place][at].attempts[number].reply
        for own, other in zip(reply.logps, lesson.logps, strict=True):
            found.append(exp(min(other - own, 80.0)) - 1 + own - other)
    return {"from teacher": fmean(found)} if found else {}
