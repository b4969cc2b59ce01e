"""A sampler: vLLM servers, which get the weights of each step.

They serve the checkpoint that is trained, run with VLLM_SERVER_DEV_MODE=1, and see the run's folder
under the same path, or get the weights from the trainer's GPU by NCCL.
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
from puzzlemill.difficulty.policies.weight_clients import ServerClient
from puzzlemill.difficulty.policies.weight_transfer import (
    Transfer,
    check_handover,
    connect,
    own_address,
)
from puzzlemill.trainer.distributed import rank
from puzzlemill.trainer.settings import Training


@dataclass(frozen=True, slots=True)
class ServerSampler:
    endpoint: EndpointPolicy
    policy: LocalPolicy  # whose model the servers have
    folder: Path  # through which weights reach the servers
    dtype: torch.dtype = torch.float32  # in which they are handed over
    transfer: Transfer | None = None  # None: they go through the folder

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

    @property
    def weights_dtype(self) -> torch.dtype | None:
        return None if rank() else self.dtype

    def update(self, weights: Mapping[str, Tensor]) -> None:
        """All ranks share the servers, which get the weights from one."""
        if rank():
            return
        named = as_in_checkpoint(self.policy.model, weights)
        if self.transfer is not None:
            self.transfer.send(named)
            self.endpoint.reset_cache()
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        checkpoint.save_weights(checkpoint.rounded(named, self.dtype), self.folder)
        self.endpoint.reload(self.folder)

    def rest(self) -> None:
        """Servers have devices of their own."""


def server_sampler(
    policy: LocalPolicy, settings: Training, model: str, folder: Path, dtype: torch.dtype
) -> ServerSampler:
    """The servers of a policy's model, which they know under this name."""
    endpoint = EndpointPolicy(
        settings.server,
        model,
        policy.sampling,
        api="chat" if policy.tokens.has_template else "completions",
        sees=sees(policy.model),
        logps=True,
    )
    transfer = None
    if settings.handover == "direct" and rank() == 0:
        transfer = _transfer(settings, dtype, policy.model.device)
    return ServerSampler(endpoint, policy, folder, dtype, transfer)


def _transfer(settings: Training, dtype: torch.dtype, device: torch.device) -> Transfer:
    check_handover(settings.handover, device)
    urls = [settings.server] if isinstance(settings.server, str) else settings.server
    clients = [ServerClient(url) for url in urls]
    workers = [each.workers() for each in clients]
    return connect("nccl", clients, workers, dtype, device, own_address(urls[0]))
