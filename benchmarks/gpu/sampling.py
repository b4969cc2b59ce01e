"""How fast replies are sampled on a device: the native engine beside `generate` of transformers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor

from puzzlemill.difficulty.policies.cuda_graphs import DecodeGraphs
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Question, Sampling
from puzzlemill.difficulty.policies.tokens import Tokens
from puzzlemill.difficulty.policies.transformer import Transformer

GROUP = 8


@dataclass(frozen=True, slots=True)
class Work:
    prompts: int
    length: int  # tokens of a prompt
    most: int  # tokens of a reply
    ends: frozenset[int] = frozenset()  # each token of these ends a reply


def equal(tiny: bool) -> Work:
    """Replies of one length."""
    return Work(4, 16, 8) if tiny else Work(64, 128, 256)


def ending(tiny: bool, vocab: int) -> Work:
    """Replies of 100 tokens in the mean, and of 512 at most: a random model ends them by chance."""
    ends = frozenset(range(1, vocab, 100))
    return Work(8, 16, 32, ends) if tiny else Work(256, 128, 512, ends)


@dataclass(frozen=True, slots=True, eq=False)
class RandomTokens(Tokens):
    """Prompts of drawn tokens, since a random model has no tokenizer; replies are not read."""

    drawn: Sequence[Sequence[int]] = ()

    def prompt(self, question: Question) -> list[int]:
        return [*self.drawn[question.seed]]

    def text(self, ids: Sequence[int]) -> str:
        return ""

    def may_close(self, stop: tuple[str, ...], vocab: int) -> Any:
        return torch.zeros(vocab, dtype=torch.bool).numpy()


def drawn(model: Transformer, rows: int, length: int) -> Tensor:
    source = torch.Generator().manual_seed(1)
    tokens = torch.randint(2, model.shape.vocab, (rows, length), generator=source)
    return tokens.to(model.device)


def ours(model: Transformer, work: Work, group: int = GROUP) -> dict[str, Any]:
    prompts = drawn(model, work.prompts, work.length).tolist()
    tokens = RandomTokens(None, work.ends, drawn=prompts)
    policy = NativePolicy(model, tokens, Sampling(max_tokens=work.most, stop=()), "random")
    questions = [Question((), place) for place in range(work.prompts)]
    policy.sample(questions[:2], 2)
    start = perf_counter()
    replies = policy.sample(questions, group)
    return figures(sum(len(each.tokens) for group in replies for each in group), start)


def figures(tokens: int, start: float) -> dict[str, Any]:
    """What was sampled is on the CPU, so the device is done."""
    seconds = perf_counter() - start
    return {"tokens": tokens, "seconds": seconds, "tokens_a_second": tokens / seconds}


@torch.inference_mode()
def sampling(model: Transformer, tiny: bool) -> dict[str, Any]:
    """The native engine, 8 replies to each prompt: replies of one length, and such that end."""
    work = equal(tiny)
    found = ours(model, work)
    with patch.object(DecodeGraphs, "__call__", launched):
        without = ours(model, work)
    wide = replace(work, prompts=4 * work.prompts)
    return found | {
        "without_graphs": without["tokens_a_second"],
        "four_times_the_prompts": ours(model, wide)["tokens_a_second"],
        "one_reply": ours(model, replace(work, prompts=1), group=1)["tokens_a_second"],
        "ending": ours(model, ending(tiny, model.shape.vocab)),
    }


def launched(graphs: DecodeGraphs, inputs: Tensor) -> Tensor:
    return graphs.work(inputs.to(graphs.device))


@torch.inference_mode()
def generate(model: Transformer, tiny: bool) -> dict[str, Any]:
    """The same by `generate` of transformers, which has the prompts' keys for every reply."""
    theirs = as_theirs(model)
    work = ending(tiny, model.shape.vocab)
    fewer = replace(work, prompts=work.prompts // 4)  # one batch: it takes as long as its longest
    return generated(theirs, model, equal(tiny)) | {"ending": generated(theirs, model, fewer)}


def as_theirs(model: Transformer) -> Any:
    from transformers import Qwen2Config, Qwen2ForCausalLM

    shape = model.shape
    config = Qwen2Config(
        vocab_size=shape.vocab,
        hidden_size=shape.hidden,
        intermediate_size=shape.intermediate,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        max_position_embeddings=shape.positions,
        tie_word_embeddings=True,
    )
    return Qwen2ForCausalLM(config).to(model.device, model.dtype).eval()


def generated(theirs: Any, model: Transformer, work: Work) -> dict[str, Any]:
    """In batches of 512 rows, which fill the device; a batch waits for its longest reply."""
    rows = drawn(model, work.prompts, work.length).repeat_interleave(GROUP, dim=0)
    settings: dict[str, Any] = {
        "max_new_tokens": work.most,
        "do_sample": True,
        "top_k": 0,
        "pad_token_id": 0,
    }
    settings |= {"eos_token_id": sorted(work.ends)} if work.ends else {"eos_token_id": None}
    theirs.generate(rows[:4], attention_mask=torch.ones_like(rows[:4]), **settings)
    made, start = 0, perf_counter()
    for batch in rows.split(512):
        out = theirs.generate(batch, attention_mask=torch.ones_like(batch), **settings)
        made += int((out[:, work.length :] != 0).sum())  # 0 is behind an end
    return figures(made, start)


@torch.inference_mode()
def kernels(model: Transformer, tiny: bool) -> dict[str, Any]:
    """Where a device's time goes in sampling: the kernels that take the most, in milliseconds."""
    from torch.profiler import ProfilerActivity, profile

    work = replace(equal(tiny), most=8 if tiny else 64)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        ours(model, work)
    spent = sorted(profiler.key_averages(), key=lambda each: -each.self_device_time_total)
    return {
        f"{each.key[:90]} x{each.count}": round(each.self_device_time_total / 1000, 2)
        for each in spent[:25]
        if each.self_device_time_total > 0
    }
