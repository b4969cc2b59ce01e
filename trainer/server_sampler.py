"""A sampler: vLLM servers, which get the weights of each step.

They serve the checkpoint that is trained, run with VLLM_SERVER_DEV_MODE=1, and see the run's folder
under the same path.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.endpoint import EndpointPolicy
from puzzlemill.difficulty.policies.hugging_face import as_in_checkpoint, sees
from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.difficulty.policies.policy import Question, Reply, all_received


@dataclass(frozen=True, slots=True)
class ServerSampler:
    endpoint: EndpointPolicy
    policy: LocalPolicy  # whose model the servers have
    folder: Path  # through which weights reach the servers
    dtype: torch.dtype = torch.float32  # in which they are written

    @property
    def id(self) -> str:
        return f"{self.policy.id} by {self.endpoint.id}"

    def takes(self, question: Question) -> bool:
        return self.policy.takes(question)

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        groups = all_received(self.endpoint.sample(questions, n))
        if any(reply.text and not reply.tokens for group in groups for reply in group):
            raise UserError(
                f"{self.endpoint.model}: the server tells no tokens with their log-probabilities,"
                " which a trainer learns from; is it vLLM 0.11 or newer?"
            )
        return groups

    def at_most(self, max_tokens: int) -> "ServerSampler":
        return replace(self, endpoint=self.endpoint.at_most(max_tokens))

    def update(self, weights: Mapping[str, Tensor]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        named = as_in_checkpoint(self.policy.model, weights)
        checkpoint.save_weights(checkpoint.rounded(named, self.dtype), self.folder)
        self.endpoint.reload(self.folder)

    def rest(self) -> None:
        """Servers have devices of their own."""


def server_sampler(
    policy: LocalPolicy,
    url: str | tuple[str, ...],
    model: str,
    folder: Path,
    dtype: torch.dtype = torch.float32,
) -> ServerSampler:
    """The servers of a policy's model, which they know under this name."""
    endpoint = EndpointPolicy(
        url,
        model,
        policy.sampling,
        api="chat" if policy.tokens.has_template else "completions",
        sees=sees(policy.model),
        logps=True,
    )
    return ServerSampler(endpoint, policy, folder, dtype)
