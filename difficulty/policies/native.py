"""The native engine: a causal language model sampled in plain torch, on a CPU or a GPU.

The policy is here; batching is in scheduler.py, the memory of keys and values in kv_cache.py, a
decoding step in decoding.py, and what a GPU does in its place in cuda_graphs.py and
decode_kernel.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.policy import Question, Reply, Sampling, check_sampling
from puzzlemill.difficulty.policies.scheduler import Scheduler, Work
from puzzlemill.difficulty.policies.tokens import Tokens
from puzzlemill.difficulty.policies.transformer import Transformer
from puzzlemill.difficulty.policies.weight_files import version_of


@dataclass(frozen=True, slots=True, eq=False)
class NativePolicy:
    """For a model in memory: its weights as they are when `sample` is called."""

    model: Transformer
    tokens: Tokens
    sampling: Sampling
    version: str  # which weights; whoever changes them changes it
    cache_tokens: int | None = None  # size of the KV cache: sequences x length

    @classmethod
    def load(
        cls,
        path: Path,
        sampling: Sampling,
        *,
        name: str = "",
        device: str | None = None,
        dtype: str | None = None,
        cache_tokens: int | None = None,
    ) -> "NativePolicy":
        """From a checkpoint's folder; float32 on a CPU, else as the checkpoint is."""
        device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        dtype = dtype or ("float32" if device == "cpu" else None)
        model, _ = checkpoint.load(path, dtype, device)
        version = version_of(path, name)
        tokens = Tokens.load(path).in_style(sampling.style)
        return cls(model.eval(), tokens, sampling, version, cache_tokens)

    @property
    def id(self) -> str:
        return f"{self.version}/{self.sampling}"

    @property
    def gpus(self) -> int:
        return int(self.model.device.type == "cuda")

    def takes(self, question: Question) -> bool:
        """Text alone, with room for a whole reply behind it."""
        if question.images:
            return False
        length, room = self.lengths(question)
        return length <= room

    def lengths(self, question: Question) -> tuple[int, int]:
        room = self.model.shape.positions - self.sampling.max_tokens
        return len(self.tokens.ids(question.messages)), room

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        check_sampling(self.sampling)
        prompts = [self.tokens.prompt(question) for question in questions]
        longest = max(map(len, prompts), default=0)
        if longest >= self.model.shape.positions:
            raise UserError(
                f"a prompt of {longest} tokens leaves no room for a reply in the"
                f" {self.model.shape.positions} positions of {self.version}; drop the longest items"
            )
        if not prompts or n < 1:
            return [[] for _ in questions]
        seeds = [question.seed for question in questions]
        work = Work(self.model, self.tokens, self.sampling, prompts, seeds, n, self.cache_tokens)
        with torch.inference_mode():
            scheduler = Scheduler(work)
            replies = {(prompt, sample): reply for prompt, sample, reply in scheduler.run()}
        return [[replies[prompt, sample] for sample in range(n)] for prompt in range(len(prompts))]
