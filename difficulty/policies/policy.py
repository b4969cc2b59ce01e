"""The Policy protocol: anything that replies, under an id that names its weights and sampling."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard, runtime_checkable

from puzzlemill.core.address import digest
from puzzlemill.core.errors import UserError, shown
from puzzlemill.core.rows import NO_PICTURES, NOT_TAKEN, TOO_LONG
from puzzlemill.difficulty.prompt_styles import PLAIN
from puzzlemill.difficulty.settings import PolicySettings

if TYPE_CHECKING:  # it needs torch
    from puzzlemill.difficulty.policies.model import LocalPolicy

IMAGE = "<image>"  # stands in a prompt for a picture
# Between these lies the log-probability of a sampled token; vLLM writes -9999 for -inf.
MIN_LOGP, MAX_LOGP = -1000.0, 0.01

Message = dict[str, str]  # role, content; one IMAGE in the content for each picture


@dataclass(frozen=True, slots=True)
class Sampling:
    temperature: float = 1.0  # 0: greedy
    top_p: float = 1.0
    max_tokens: int = 512
    stop: tuple[str, ...] = ("</answer>",)  # the reply ends behind the first of them
    style: str = PLAIN  # of prompts
    system: str = ""  # the message before each

    def __str__(self) -> str:
        form = [f"+{self.style}"] if self.style != PLAIN else []
        form += [f"+system-{digest(self.system)[:8]}"] if self.system else []
        return f"t{self.temperature:g}-p{self.top_p:g}-m{self.max_tokens}{''.join(form)}"


def sampling_of(settings: PolicySettings) -> Sampling:
    sampled = settings.temperature, settings.top_p, settings.max_tokens
    return Sampling(*sampled, style=settings.style, system=settings.system)


def prompt_form(policy: str) -> tuple[str, str]:
    """A policy's id without the form of its prompts, and that form: style and system message."""
    version, slash, sampling = policy.rpartition("/")
    sampled, _, form = sampling.partition("+")
    return f"{version}{slash}{sampled}", form or PLAIN


def stop_end(text: str, stop: Sequence[str]) -> int | None:
    """Where the first stop string ends."""
    return min((text.find(each) + len(each) for each in stop if each in text), default=None)


def check_sampling(sampling: Sampling) -> None:
    """Refuse what our own engines cannot do."""
    if sampling.max_tokens < 1:
        raise UserError(f"max_tokens is {sampling.max_tokens}; allow 1 token or more")
    if "" in sampling.stop:
        raise UserError("a stop string is empty; leave it out")


@dataclass(frozen=True, slots=True)
class Question:
    """One prompt, and the seed that fixes its replies, whatever else is in the batch."""

    messages: tuple[Message, ...]
    seed: int
    images: tuple[bytes, ...] = ()  # PNG
    # The tokens that the reply goes on behind, in place of the messages': of the prompt, and of a
    # reply that has begun.
    tokens: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    text: str  # with the stop string, if it ended there
    finished: bool = True  # False: cut off at max_tokens
    tokens: tuple[int, ...] = ()
    logps: tuple[float, ...] = ()  # of each token, under the distribution it was sampled from
    error: str = ""  # why there is no reply; it then counts as no trial
    # Tokens as a server counts them, where it does not tell them one by one.
    counted: int = 0
    prompt_tokens: int = 0

    @property
    def token_count(self) -> int:
        return len(self.tokens) or self.counted

    def __post_init__(self) -> None:
        """Half a surrogate pair is no text: neither Arrow nor a tokenizer takes it."""
        if not self.text.isascii():
            halves = self.text.encode("utf-16-le", "surrogatepass")
            object.__setattr__(self, "text", halves.decode("utf-16-le", "replace"))


def checked_logps(
    tokens: Sequence[Any], logps: Sequence[Any]
) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Tokens and their log-probabilities, or a ValueError: training uses them."""
    for token in tokens:
        if type(token) is not int or not 0 <= token < 2**31:
            raise ValueError(f"a token is {_safe(token)}")
    for logp in logps:
        if type(logp) not in (int, float) or not MIN_LOGP < logp < MAX_LOGP:
            raise ValueError(f"a log-probability is {_safe(logp)}")
    return tuple(tokens), tuple(map(float, logps))


def _safe(value: Any) -> str:
    """Only numbers are repeated in a message: a server may send anything."""
    return repr(value)[:20] if isinstance(value, int | float) else type(value).__name__


def all_received(groups: list[list[Reply]]) -> list[list[Reply]]:
    """The replies, or an error where one was lost: for callers that need all of them."""
    for error in (reply.error for group in groups for reply in group if reply.error):
        raise UserError(f"a reply could not be had: {error}")
    return groups


class Policy(Protocol):
    @property
    def id(self) -> str:
        """Which weights and which sampling settings: `tiny-3f2a9c01/t1-p1-m160`."""

    def takes(self, question: Question) -> bool:
        """Whether it can read the question: a picture, say, or a very long prompt."""

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        """n replies to each question, in order."""


def check_policy(policy: Any) -> None:
    """Refuse an object that is no policy."""
    for name in ("id", "takes", "sample"):
        if not hasattr(policy, name):
            raise UserError(f"a policy has id, takes and sample; {shown(policy)} has no {name}")


def lacking_for_training(policy: Any) -> list[str]:
    """The members of a LocalPolicy that an object has not: with them it can be trained, and read
    for signals."""
    members = ("id", "takes", "sample", "model", "tokens", "sampling", "version")
    return [name for name in members if not hasattr(policy, name)]


def is_local(policy: Any) -> "TypeGuard[LocalPolicy]":
    """Whether the policy's model is in this process."""
    return not lacking_for_training(policy)


@runtime_checkable
class Bounded(Protocol):
    """A policy whose model has a limited context."""

    def lengths(self, question: Question) -> tuple[int, int]:
        """Tokens of the prompt, and how many of them leave room for a whole reply."""


def refusal(policy: Policy, question: Question) -> str | None:
    """Why a policy does not take a question; None if it does."""
    if policy.takes(question):
        return None
    if isinstance(policy, Bounded):
        length, room = policy.lengths(question)
        if length > room:
            return f"{TOO_LONG}: {length} tokens, of which {room} leave room for a reply"
    return NO_PICTURES if question.images else NOT_TAKEN
