"""The bundled model under an id of this package, to be trained."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from puzzlemill.difficulty.policies.kinds import Kind
from puzzlemill.difficulty.policies.policy import Question, Reply, Sampling, sampling_of
from puzzlemill.difficulty.settings import PolicySettings


@dataclass(frozen=True, slots=True)
class Borrowed:
    """Nothing of our classes is inherited: the trainer wants the members of a LocalPolicy."""

    model: Any
    tokens: Any
    sampling: Sampling
    version: str = "borrowed"

    @property
    def id(self) -> str:
        return f"{self.version}/{self.sampling}"

    def takes(self, question: Question) -> bool:
        return not question.images

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        from puzzlemill.difficulty.policies.native import NativePolicy

        engine = NativePolicy(self.model, self.tokens, self.sampling, self.version)
        return engine.sample(questions, n)


def load(settings: PolicySettings) -> Borrowed:
    from puzzlemill.difficulty.policies.tiny_policy import tiny

    bundled = tiny(sampling_of(settings))
    return Borrowed(bundled.model, bundled.tokens, bundled.sampling)


POLICY = Kind(load, ("torch", "transformers"), "train", model=False, here=True)
