"""What a policy is: anything that replies, under an id that names its weights and sampling."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from puzzlemill.core.errors import UserError

IMAGE = "<image>"  # stands in a prompt for a picture

Message = dict[str, str]  # role, content; one IMAGE in the content for each picture


@dataclass(frozen=True, slots=True)
class Sampling:
    temperature: float = 1.0  # 0 takes the likeliest token
    top_p: float = 1.0
    max_tokens: int = 512
    stop: tuple[str, ...] = ("</answer>",)  # the reply ends behind the first of them

    def __str__(self) -> str:
        return f"t{self.temperature:g}-p{self.top_p:g}-m{self.max_tokens}"


def check_sampling(sampling: Sampling) -> None:
    """What no engine of our own can do."""
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


@dataclass(frozen=True, slots=True)
class Reply:
    text: str  # with the stop string, if it ended there
    finished: bool = True  # False: cut off at max_tokens
    tokens: tuple[int, ...] = ()
    logps: tuple[float, ...] = ()  # of each token, under the distribution it was drawn from


class Policy(Protocol):
    @property
    def id(self) -> str:
        """Which weights and which sampling settings: `tiny-3f2a9c01/t1-p1-m160`."""

    def takes(self, question: Question) -> bool:
        """Whether it can read the question: a picture, say, or a very long prompt."""

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        """n replies to each question, in order."""
