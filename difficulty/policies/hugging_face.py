"""Any causal language model that transformers can load, text alone or text and pictures.

Slower than the native policy, and for every architecture. Its weights are safetensors; code that
comes with a checkpoint is never run.

Suffixes as in transformer.py.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint as gradient_checkpoint

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.policy import (
    Question,
    Reply,
    Sampling,
    check_sampling,
    stop_end,
)
from puzzlemill.difficulty.policies.token_draw import draw
from puzzlemill.difficulty.policies.tokens import PicturePrompt, Tokens
from puzzlemill.difficulty.policies.weight_files import version_of, weight_files

ROWS = 64  # replies under way at a time
BUDGET = 1 << 16  # tokens in their cache


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes that such a model gives of itself."""

    positions: int
    vocab: int


class HuggingFaceModel(nn.Module):
    """A module of transformers with the members of `model.Model`."""

    shares_prompts = False
    compute_dtype = torch.float32
    recompute = False

    def __init__(self, inner: Any, tokens: Tokens) -> None:
        super().__init__()
        self.inner, self.tokens = inner, tokens
        config = inner.config.get_text_config()
        positions = getattr(config, "max_position_embeddings", None) or 4096
        self.shape = Sizes(positions, inner.get_output_embeddings().weight.shape[0])
        self.cap = getattr(config, "final_logit_softcapping", None)  # Gemma
        # Cohere multiplies what comes out, Granite divides it.
        self.scale = getattr(config, "logit_scale", 1.0) or 1.0
        self.scale /= getattr(config, "logits_scaling", 1.0) or 1.0
        self.sees = hasattr(inner.config, "vision_config")

    @property
    def device(self) -> torch.device:
        device: torch.device = self.inner.get_input_embeddings().weight.device
        return device

    def forward(self, tokens_BT: Tensor) -> Tensor:
        """The hidden state at every token of texts padded on the right."""
        hidden_BTD: Tensor = self._hidden({"input_ids": tokens_BT})
        return hidden_BTD

    def logits(self, hidden: Tensor) -> Tensor:
        logits: Tensor = self.inner.get_output_embeddings()(hidden) * self.scale
        return logits if self.cap is None else self.cap * torch.tanh(logits / self.cap)

    def reply_states(
        self,
        prompts_QP: Tensor,
        length_Q: Tensor,
        replies_BT: Tensor,
        prompt_B: Tensor,
        reply_mask_BT: Tensor,
        shown_Q: Sequence[PicturePrompt | None] = (),
    ) -> Tensor:
        """The hidden state that predicts each reply token. A prompt is computed again for each of
        its replies."""
        prompts_BP, length_B1 = prompts_QP[prompt_B], length_Q[prompt_B][:, None]
        inputs: dict[str, Tensor] = {"input_ids": prompts_BP}
        shown_B = [shown_Q[prompt] for prompt in prompt_B.tolist()] if shown_Q else []
        if any(shown_B):
            processed = self.tokens.processed([each for each in shown_B if each is not None])
            inputs = {name: value.to(self.device) for name, value in processed.items()}
            assert torch.equal(inputs["input_ids"], prompts_BP[:, : inputs["input_ids"].shape[1]])
        input_BT = replies_BT[:, :-1]  # the last token predicts nothing
        at_BT = length_B1 + torch.arange(replies_BT.shape[1], device=self.device)
        shape_BP = inputs["input_ids"].shape
        for name, value in inputs.items():
            # Processors give further values for each token, such as its type: 0 is text.
            if value.shape == shape_BP:
                value_BT = {"input_ids": input_BT, "attention_mask": torch.ones_like(input_BT)}.get(
                    name, torch.zeros_like(input_BT)
                )
                longer = nn.functional.pad(value, (0, input_BT.shape[1]))
                inputs[name] = longer.scatter(1, at_BT[:, :-1], value_BT)
        hidden_BSD = self._hidden(inputs)
        row_B1 = torch.arange(len(at_BT), device=self.device)[:, None]
        return hidden_BSD[row_B1, at_BT - 1][reply_mask_BT]

    def _hidden(self, inputs: dict[str, Tensor]) -> Tensor:
        recompute = self.recompute and torch.is_grad_enabled()
        for module in self.inner.modules():
            if hasattr(module, "gradient_checkpointing") and module is not self.inner:
                # A block checkpoints only in training mode; that changes nothing else, since no
                # block has dropout here.
                module.gradient_checkpointing = module.training = recompute
                module._gradient_checkpointing_func = _CHECKPOINT
        hidden: Tensor = self.inner.base_model(**inputs, use_cache=False).last_hidden_state
        return hidden

    def blocks(self) -> Iterator[nn.Module]:
        names = set(self.inner._no_split_modules or ())
        for module in self.inner.modules():
            if type(module).__name__ in names:
                yield module

    def lora_targets(self) -> list[str]:
        """The matrices of the blocks that read text."""
        inside = {id(module) for module in self.inner.get_decoder().modules()}
        return [
            name
            for name, module in self.named_modules()
            if isinstance(module, nn.Linear) and id(module) in inside
        ]

    def write(self, folder: Path) -> None:
        self.inner.save_pretrained(str(folder))


_CHECKPOINT = partial(gradient_checkpoint, use_reentrant=False)


def sees(model: Any) -> bool:
    """Whether a model takes pictures."""
    return isinstance(model, HuggingFaceModel) and model.sees


def as_in_checkpoint(model: Any, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """A model's weights under the names that they have in its checkpoint."""
    prefix = "inner." if isinstance(model, HuggingFaceModel) else ""
    return {name.removeprefix(prefix): value for name, value in weights.items()}


def load(path: Path, dtype: str | None = None, device: str = "cpu") -> HuggingFaceModel:
    """The model of a folder, in the checkpoint's own dtype if none is given."""
    import transformers

    weight_files(path)  # says what is wrong with the folder
    transformers.utils.logging.disable_progress_bar()
    try:
        config = transformers.AutoConfig.from_pretrained(
            str(path), local_files_only=True, trust_remote_code=False
        )
        if getattr(config, "quantization_config", None) is not None:
            raise UserError(f"{path}: its weights are quantised, and cannot be trained")
        sees = hasattr(config, "vision_config")
        kind = transformers.AutoModelForImageTextToText if sees else (
            transformers.AutoModelForCausalLM
        )  # fmt: skip
        inner, loaded = kind.from_pretrained(
            str(path),
            config=config,
            dtype=dtype or "auto",
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            output_loading_info=True,
        )
    except (OSError, ValueError, KeyError, ImportError, RuntimeError) as error:
        raise UserError(f"{path}: transformers cannot load it: {error}") from error
    if missing := sorted(loaded["missing_keys"]):  # transformers would draw them at random
        raise UserError(f"{path}: the weight {missing[0]} is missing, by config.json")
    inner.generation_config = transformers.GenerationConfig()  # sampling is as the recipe says
    tokens = Tokens.load_seeing(path) if sees else Tokens.load(path)
    model = HuggingFaceModel(inner.to(device), tokens).eval()
    _check(model, path)
    return model


@torch.no_grad()
def _check(model: HuggingFaceModel, path: Path) -> None:
    """Whether our logits are the model's own: an architecture may do more to hidden states."""
    tokens = torch.arange(8, device=model.device)[None] % model.shape.vocab
    inputs = {"input_ids": tokens, "attention_mask": torch.ones_like(tokens)}
    wanted = model.inner(**inputs, use_cache=False).logits.float()
    ours = model.logits(model(tokens)).float()
    near = 0.05 if wanted.dtype != torch.float32 else 1e-3
    if not torch.allclose(ours, wanted, atol=near * (1 + wanted.abs().max().item())):
        raise UserError(
            f"{path}: {type(model.inner).__name__} makes its logits in a way of its own, which"
            " cannot be computed a part at a time; use another model"
        )


@dataclass(frozen=True, slots=True, eq=False)
class HuggingFacePolicy:
    """For a model in memory: its weights as they are when `sample` is called."""

    model: HuggingFaceModel
    tokens: Tokens
    sampling: Sampling
    version: str

    @classmethod
    def load(cls, path: Path, sampling: Sampling, device: str | None = None) -> "HuggingFacePolicy":
        """From a checkpoint's folder; float32 on a CPU, else as the checkpoint is."""
        device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        model = load(path, "float32" if device == "cpu" else None, device)
        version = version_of(path)
        return cls(model, model.tokens.in_style(sampling.style), sampling, version)

    @property
    def id(self) -> str:
        return f"{self.version}/{self.sampling}"

    def takes(self, question: Question) -> bool:
        """Pictures if it sees; with room for a whole reply behind it."""
        if question.images and self.tokens.processor is None:
            return False
        length, room = self.lengths(question)
        return length <= room

    def lengths(self, question: Question) -> tuple[int, int]:
        tokens, sees = self.tokens, self.tokens.processor is not None
        prompt = tokens.prompt(question) if sees else tokens.ids(question.messages)
        return len(prompt), self.model.shape.positions - self.sampling.max_tokens

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        check_sampling(self.sampling)
        prompts = [self.tokens.prompt(question) for question in questions]
        longest = max(map(len, prompts), default=0)
        if longest >= self.model.shape.positions:
            raise UserError(
                f"a prompt of {longest} tokens leaves no room for a reply in the"
                f" {self.model.shape.positions} positions of {self.version}; drop the longest items"
            )
        # Prompts of like length share a batch; prompts with pictures share none with text alone.
        order = sorted(
            ((place, sample) for place in range(len(questions)) for sample in range(n)),
            key=lambda row: (bool(questions[row[0]].images), len(prompts[row[0]]), row),
        )
        replies: dict[tuple[int, int], Reply] = {}
        while order:
            first, most = order[0][0], self.sampling.max_tokens
            count = max(min(ROWS, BUDGET // (len(prompts[order[-1][0]]) + most)), 1)
            batch = [
                row
                for row in order[:count]
                if bool(questions[row[0]].images) == bool(questions[first].images)
            ]
            order = order[len(batch) :]
            rows = [(questions[place], prompts[place], sample) for place, sample in batch]
            replies |= zip(batch, generate(self, rows, n), strict=True)
        return [[replies[place, sample] for sample in range(n)] for place in range(len(questions))]


SampleRequest = tuple[Question, list[int], int]  # a question, its tokens, which of its samples


@torch.no_grad()
def generate(policy: HuggingFacePolicy, rows: Sequence[SampleRequest], n: int) -> list[Reply]:
    """One batch, with the KV cache of transformers."""
    from transformers import GenerationConfig, LogitsProcessorList, StoppingCriteriaList

    model, most = policy.model, policy.sampling.max_tokens
    inputs = _inputs(policy.tokens, rows)
    uniforms_BT = np.stack(
        [
            np.random.Generator(np.random.Philox(question.seed)).random((n, most))[sample]
            for question, _, sample in rows
        ]
    )
    sampler = BatchSampler(policy, torch.from_numpy(uniforms_BT).to(model.device), rows)
    model.inner.generate(
        **{name: value.to(model.device) for name, value in inputs.items()},
        generation_config=GenerationConfig(
            do_sample=False, max_new_tokens=most, eos_token_id=None, pad_token_id=0
        ),
        logits_processor=LogitsProcessorList([sampler.draw]),
        stopping_criteria=StoppingCriteriaList([sampler.over]),
    )
    return [sampler.reply(row) for row in range(len(rows))]


def _inputs(tokens: Tokens, rows: Sequence[SampleRequest]) -> dict[str, Tensor]:
    """Prompts padded on the left."""
    shown = [tokens.shown(question) for question, _, _ in rows]
    if any(shown):
        return dict(tokens.processed([each for each in shown if each is not None], "left"))
    longest = max(len(prompt) for _, prompt, _ in rows)
    gaps = [longest - len(prompt) for _, prompt, _ in rows]
    padded = [[0] * gap + prompt for gap, (_, prompt, _) in zip(gaps, rows, strict=True)]
    mask = [[0] * gap + [1] * (longest - gap) for gap in gaps]
    return {"input_ids": torch.tensor(padded), "attention_mask": torch.tensor(mask)}


class BatchSampler:
    """Logits processor and stopping criterion of a batch: `generate` of transformers calls it for
    every next token. It samples by the policy's own rule, so that seeds and log-probabilities are
    those of the native engine."""

    def __init__(
        self, policy: HuggingFacePolicy, uniforms_BT: Tensor, rows: Sequence[SampleRequest]
    ) -> None:
        self.tokens, self.sampling = policy.tokens, policy.sampling
        self.uniforms_BT = uniforms_BT
        self.replies: list[list[int]] = [[] for _ in rows]
        self.logps: list[list[float]] = [[] for _ in rows]
        self.room = [policy.model.shape.positions - len(prompt) for _, prompt, _ in rows]
        self.done = [False] * len(rows)
        self.may_close = self.tokens.may_close(self.sampling.stop, policy.model.shape.vocab)
        self.length = 0

    def draw(self, _: Tensor, scores_BV: Tensor) -> Tensor:
        """Scores in which each row's sampled token alone is left: greedy decoding then takes it."""
        sampled_2B = draw(scores_BV, self.uniforms_BT[:, self.length], self.sampling)
        self.length += 1
        token_B1 = sampled_2B[0].long()[:, None]
        for row, (token, logp) in enumerate(sampled_2B.T.tolist()):
            if not self.done[row]:
                self.replies[row].append(int(token))
                self.logps[row].append(logp)
                self.done[row] = self._ended(row)
        return torch.full_like(scores_BV, -torch.inf).scatter(1, token_B1, 0.0)

    def over(self, tokens_BT: Tensor, _: Any, **others: Any) -> Tensor:
        return torch.tensor(self.done, device=tokens_BT.device)

    def _ended(self, row: int) -> bool:
        tokens = self.replies[row]
        if tokens[-1] in self.tokens.ends or len(tokens) >= self.room[row]:
            return True
        if not self.may_close[tokens[-1]]:
            return False
        return stop_end(self.tokens.text(tokens), self.sampling.stop) is not None

    def reply(self, row: int) -> Reply:
        tokens = self.replies[row]
        ended = tokens[-1] in self.tokens.ends
        text = self.tokens.text(tokens[:-1] if ended else tokens)
        end = stop_end(text, self.sampling.stop)
        finished = ended or end is not None
        return Reply(text[:end], finished, tuple(tokens), tuple(self.logps[row]))
