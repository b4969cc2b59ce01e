"""Protocols of a causal language model: what the trainer and the signals need of one.

Suffixes as in transformer.py.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from puzzlemill.difficulty.policies.policy import Policy, Question, Reply, Sampling
from puzzlemill.difficulty.policies.tokens import Tokens


class Limits(Protocol):
    @property
    def positions(self) -> int:
        """The longest text it is meant for."""

    @property
    def vocab(self) -> int: ...


class Reader(Protocol):
    """A model to be read, not trained: hidden states of texts, and logits of hidden states."""

    @property
    def shape(self) -> Limits: ...

    @property
    def device(self) -> torch.device: ...

    @property
    def shares_prompts(self) -> bool:
        """Whether a prompt is computed once for all replies to it."""

    @property
    def compute_dtype(self) -> torch.dtype:
        """Of the matrix products in training; weights are float32."""

    # The hidden state at every token of texts padded on the right.
    __call__: Callable[..., Tensor]

    def reply_states(self, *texts: Any, **others: Any) -> Tensor:
        """The hidden state that predicts each reply token, ND: from prompts_QP, length_Q,
        replies_BT, prompt_B, reply_mask_BT, and shown_Q if there are pictures. All is padded on
        the right.
        """

    def logits(self, hidden: Tensor) -> Tensor: ...


class Model(Reader, Protocol):
    """A torch module that can be trained."""

    compute_dtype: torch.dtype
    recompute: bool  # gradient checkpointing: of a block its inputs alone are kept

    def blocks(self) -> Iterator[nn.Module]:
        """The layers in order: each is sharded, and recomputed for the gradient, on its own."""

    def lora_targets(self) -> list[str]:
        """The names of the matrices that adapters go to."""

    def eval(self) -> Any: ...
    def train(self, mode: bool = True) -> Any: ...
    def float(self) -> Any: ...
    def requires_grad_(self, requires_grad: bool = True) -> Any: ...
    def parameters(self, recurse: bool = True) -> Iterator[nn.Parameter]: ...
    def named_parameters(self) -> Iterator[tuple[str, nn.Parameter]]: ...
    def named_modules(self) -> Iterator[tuple[str, nn.Module]]: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any: ...


@runtime_checkable
class Limited(Protocol):
    """A policy that is not in this process, or that holds one which is."""

    def at_most(self, max_tokens: int) -> Policy:
        """It, with replies of so many tokens at most."""


class LocalPolicy(Protocol):
    """A policy whose model is in this process: it can be trained, and gives log-probabilities."""

    @property
    def model(self) -> Model: ...

    @property
    def tokens(self) -> Tokens: ...

    @property
    def sampling(self) -> Sampling: ...

    @property
    def version(self) -> str: ...

    @property
    def id(self) -> str: ...

    def takes(self, question: Question) -> bool: ...

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]: ...


def at_most(policy: Policy, max_tokens: int) -> Policy:
    """The policy, whose replies have so many tokens at most."""
    if isinstance(policy, Limited):
        return policy.at_most(max_tokens)
    record: Any = policy  # every local policy is a dataclass
    changed: Policy = replace(record, sampling=replace(record.sampling, max_tokens=max_tokens))
    return changed


def at_temperature(policy: LocalPolicy, temperature: float) -> LocalPolicy:
    record: Any = policy  # every local policy is a dataclass
    sampling = replace(policy.sampling, temperature=temperature)
    changed: LocalPolicy = replace(record, sampling=sampling)
    return changed
