"""Samplers: policies that give a run's rollouts with the weights of the model that is trained."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

import torch
import torch.distributed as dist
from torch import Tensor

from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.policies.model import LocalPolicy, Model, at_most
from puzzlemill.difficulty.policies.policy import Policy, Question, Reply
from puzzlemill.difficulty.scoring import Judge, judge_in_workers
from puzzlemill.trainer.distributed import all_gather, gather_shards, shard, world_size
from puzzlemill.trainer.server_sampler import server_sampler
from puzzlemill.trainer.settings import Training
from puzzlemill.trainer.vllm_sampler import vllm_sampler
from puzzlemill.trainer.weights import full_state_dict, meta_copy, with_weights


@runtime_checkable
class Sampler(Protocol):
    """A policy that replies with the weights of its last update."""

    @property
    def id(self) -> str: ...

    def takes(self, question: Question) -> bool: ...

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]: ...

    def at_most(self, max_tokens: int) -> Policy: ...

    @property
    def weights_dtype(self) -> torch.dtype | None:
        """That it takes weights in; None: it takes none on this rank."""

    def update(self, weights: Mapping[str, Tensor]) -> None: ...

    def rest(self) -> None:
        """Nothing is sampled until the next update: memory may go to learning."""


P = TypeVar("P", bound=Policy)


def sampler_for(
    policy: LocalPolicy, settings: Training, meta_model: Model, run: Path, served_as: str
) -> Sampler | None:
    """The sampler of the recipe's choice; None: the policy samples itself."""
    dtype: torch.dtype = getattr(torch, settings.dtype)
    if settings.sampler == "server":
        return server_sampler(policy, settings, served_as, run / "sampler", dtype)
    if settings.sampler == "vllm":
        merged = with_model(policy, with_weights(meta_model, full_state_dict(policy.model)))
        return vllm_sampler(policy, merged, settings, run / "sampler")
    if dtype != torch.float32 or settings.lora.rank or world_size() > 1:
        return LocalSampler(policy, meta_model, dtype)
    return None


@dataclass(slots=True)
class LocalSampler:
    """The policy with plain weights, unsharded and with adapters merged, in this process."""

    policy: LocalPolicy
    meta_model: Model
    dtype: torch.dtype

    @property
    def id(self) -> str:
        return self.policy.id

    def takes(self, question: Question) -> bool:
        return self.policy.takes(question)

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        return self.policy.sample(questions, n)

    def at_most(self, max_tokens: int) -> Policy:
        return at_most(self.policy, max_tokens)

    @property
    def weights_dtype(self) -> torch.dtype | None:
        return self.dtype

    def update(self, weights: Mapping[str, Tensor]) -> None:
        model = with_weights(self.meta_model, weights, self.dtype)
        self.policy = with_model(self.policy, model)

    def rest(self) -> None:
        """Its weights may be those that are trained."""


def weights_for(sampler: Sampler | None, model: Model) -> dict[str, Tensor]:
    """The weights of now, as a sampler takes them; every rank has to call it."""
    dtype = sampler.weights_dtype if sampler is not None else torch.float32
    return full_state_dict(model, dtype, kept=dtype is not None)


def copied_sampler(policy: LocalPolicy, dtype: torch.dtype = torch.float32) -> LocalSampler:
    """A policy alike, with the weights of its last update."""
    return LocalSampler(policy, meta_copy(policy.model), dtype)


def with_model(policy: LocalPolicy, model: Model) -> LocalPolicy:
    record: Any = policy  # every local policy is a dataclass
    changed: LocalPolicy = replace(record, model=model)
    return changed


@dataclass(frozen=True, slots=True)
class ShardedSampler:
    """A sampler on every rank: each samples its shard of the questions, and gets all replies."""

    sampler: Policy
    each: int = 1  # ranks that follow each other, of which the first samples for all
    # A group of its own: another thread may sample while weights are learned.
    group: "dist.ProcessGroup" = field(default_factory=lambda: dist.new_group(backend="gloo"))

    @property
    def id(self) -> str:
        return self.sampler.id

    def takes(self, question: Question) -> bool:
        return self.sampler.takes(question)

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        mine = self.sampler.sample(shard(questions, self.each), n)
        return gather_shards(mine, self.group, self.each)

    def at_most(self, max_tokens: int) -> Policy:
        return replace(self, sampler=at_most(self.sampler, max_tokens))

    @property
    def weights_dtype(self) -> torch.dtype | None:
        assert isinstance(self.sampler, Sampler), f"{self.id} takes no weights"
        return self.sampler.weights_dtype

    def update(self, weights: Mapping[str, Tensor]) -> None:
        assert isinstance(self.sampler, Sampler), f"{self.id} has no update"
        self.sampler.update(weights)
        all_gather(None, self.group)

    def rest(self) -> None:
        assert isinstance(self.sampler, Sampler), f"{self.id} does not rest"
        self.sampler.rest()


def sharded_judge(judge: Judge, group: "dist.ProcessGroup") -> Judge:
    """Each rank judges its shard of the replies, and gets all verdicts."""

    def judge_shard(rows: Sequence[Mapping[str, Any]], replies: Sequence[str]) -> list[Verdict]:
        return gather_shards(judge(shard(rows), shard(replies)), group)

    return judge_shard


def over_ranks(
    sampler: P, judge: Judge = judge_in_workers, each: int = 1
) -> tuple[P | ShardedSampler, Judge]:
    """Sampling and judging, divided over the ranks if there are several."""
    if world_size() == 1:
        return sampler, judge
    sharded = ShardedSampler(sampler, each)
    return sharded, sharded_judge(judge, sharded.group)
