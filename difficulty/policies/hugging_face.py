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
from torch.utils.checkpoint import checkpoint as computed_again

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.native import draw
from puzzlemill.difficulty.policies.policy import Question, Reply, Sampling, check_sampling
from puzzlemill.difficulty.policies.tokens import Shown, Tokens

ROWS = 64  # replies under way at a time
BUDGET = 1 << 16  # tokens in their cache


@dataclass(frozen=True, slots=True)
class Limits:
    """What is asked of the shape of such a model."""

    positions: int
    vocab: int


class HuggingFaceModel(nn.Module):
    """A module of transformers under the names that the trainer uses."""

    reads_prompts_once = False
    arithmetic = torch.float32
    recompute = False

    def __init__(self, inner: Any, tokens: Tokens) -> None:
        super().__init__()
        self.inner, self.tokens = inner, tokens
        config = inner.config.get_text_config()
        positions = getattr(config, "max_position_embeddings", None) or 4096
        self.shape = Limits(positions, inner.get_output_embeddings().weight.shape[0])
        self.cap = getattr(config, "final_logit_softcapping", None)  # Gemma
        # Cohere multiplies what comes out, Granite divides it.
        self.scale = getattr(config, "logit_scale", 1.0) or 1.0
        self.scale /= getattr(config, "logits_scaling", 1.0) or 1.0
        self.sees = hasattr(inner.config, "vision_config")

    @property
    def device(self) -> torch.device:
        found: torch.device = self.inner.get_input_embeddings().weight.device
        return found

    def forward(self, tokens_BT: Tensor) -> Tensor:
        """The hidden state at every token of texts padded on the right."""
        hidden_BTD: Tensor = self._read({"input_ids": tokens_BT})
        return hidden_BTD

    def logits(self, hidden: Tensor) -> Tensor:
        found: Tensor = self.inner.get_output_embeddings()(hidden) * self.scale
        return found if self.cap is None else self.cap * torch.tanh(found / self.cap)

    def foretelling(
        self,
        prompts_QP: Tensor,
        length_Q: Tensor,
        replies_BT: Tensor,
        question_B: Tensor,
        said_BT: Tensor,
        shown_Q: Sequence[Shown | None] = (),
    ) -> Tensor:
        """The hidden state before every token that is said in replies, each behind its prompt,
        which is read anew for each."""
        prompts_BP, length_B1 = prompts_QP[question_B], length_Q[question_B][:, None]
        inputs: dict[str, Tensor] = {"input_ids": prompts_BP}
        shown_B = [shown_Q[question] for question in question_B.tolist()] if shown_Q else []
        if any(shown_B):
            told = self.tokens.seen([each for each in shown_B if each is not None])
            inputs = {name: value.to(self.device) for name, value in told.items()}
            assert torch.equal(inputs["input_ids"], prompts_BP[:, : inputs["input_ids"].shape[1]])
        heard_BT = replies_BT[:, :-1]
        at_BT = length_B1 + torch.arange(replies_BT.shape[1], device=self.device)
        aligned = inputs["input_ids"].shape
        for name, value in inputs.items():
            if value.shape == aligned:  # a value a token: of text, where it is not the token itself
                told_BT = {"input_ids": heard_BT, "attention_mask": torch.ones_like(heard_BT)}.get(
                    name, torch.zeros_like(heard_BT)
                )
                longer = nn.functional.pad(value, (0, heard_BT.shape[1]))
                inputs[name] = longer.scatter(1, at_BT[:, :-1], told_BT)
        hidden_BSD = self._read(inputs)
        row_B1 = torch.arange(len(at_BT), device=self.device)[:, None]
        return hidden_BSD[row_B1, at_BT - 1][said_BT]

    def _read(self, inputs: dict[str, Tensor]) -> Tensor:
        again = self.recompute and torch.is_grad_enabled()
        for module in self.inner.modules():
            if hasattr(module, "gradient_checkpointing") and module is not self.inner:
                # A block asks itself alone whether it is training: nothing in it drops anything.
                module.gradient_checkpointing = module.training = again
                module._gradient_checkpointing_func = _COMPUTED_AGAIN
        found: Tensor = self.inner.base_model(**inputs, use_cache=False).last_hidden_state
        return found

    def blocks(self) -> Iterator[nn.Module]:
        names = set(self.inner._no_split_modules or ())
        for module in self.inner.modules():
            if type(module).__name__ in names:
                yield module

    def adaptable(self) -> list[str]:
        """The matrices of the blocks that read text."""
        inside = {id(module) for module in self.inner.get_decoder().modules()}
        return [
            name
            for name, module in self.named_modules()
            if isinstance(module, nn.Linear) and id(module) in inside
        ]

    def write(self, folder: Path) -> None:
        self.inner.save_pretrained(str(folder))


_COMPUTED_AGAIN = partial(computed_again, use_reentrant=False)


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

    checkpoint.weight_files(path)  # says what is wrong with the folder
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
        inner, told = kind.from_pretrained(
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
    if missing := sorted(told["missing_keys"]):  # transformers would draw them at random
        raise UserError(f"{path}: the weight {missing[0]} is missing, by config.json")
    inner.generation_config = transformers.GenerationConfig()  # sampling is as the recipe says
    tokens = Tokens.load_seeing(path) if sees else Tokens.load(path)
    model = HuggingFaceModel(inner.to(device), tokens).eval()
    _check(model, path)
    return model


@torch.no_grad()
def _check(model: HuggingFaceModel, path: Path) -> None:
    """Whether logits come of hidden states as we know it: an architecture may do more."""
    tokens = torch.arange(8, device=model.device)[None] % model.shape.vocab
    told = {"input_ids": tokens, "attention_mask": torch.ones_like(tokens)}
    wanted = model.inner(**told, use_cache=False).logits.float()
    found = model.logits(model(tokens)).float()
    near = 0.05 if wanted.dtype != torch.float32 else 1e-3
    if not torch.allclose(found, wanted, atol=near * (1 + wanted.abs().max().item())):
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
        version = f"{path.resolve().name}-{checkpoint.digest(path)}"
        return cls(model, model.tokens, sampling, version)

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
        # Of like length go together; a row with pictures never with one without.
        order = sorted(
            ((place, sample) for place in range(len(questions)) for sample in range(n)),
            key=lambda row: (bool(questions[row[0]].images), len(prompts[row[0]]), row),
        )
        found: dict[tuple[int, int], Reply] = {}
        while order:
            first, most = order[0][0], self.sampling.max_tokens
            count = max(min(ROWS, BUDGET // (len(prompts[order[-1][0]]) + most)), 1)
            some = [
                row
                for row in order[:count]
                if bool(questions[row[0]].images) == bool(questions[first].images)
            ]
            order = order[len(some) :]
            asked = [(questions[place], prompts[place], sample) for place, sample in some]
            found |= zip(some, sampled(self, asked, n), strict=True)
        return [[found[place, sample] for sample in range(n)] for place in range(len(questions))]


Row = tuple[Question, list[int], int]  # what is asked, its tokens, which of its replies


@torch.no_grad()
def sampled(policy: HuggingFacePolicy, rows: Sequence[Row], n: int) -> list[Reply]:
    """Replies side by side, with the model's own cache."""
    from transformers import GenerationConfig, LogitsProcessorList, StoppingCriteriaList

    model, most = policy.model, policy.sampling.max_tokens
    told = _inputs(policy.tokens, rows)
    uniforms_BT = np.stack(
        [
            np.random.Generator(np.random.Philox(question.seed)).random((n, most))[sample]
            for question, _, sample in rows
        ]
    )
    drawing = Drawing(policy, torch.from_numpy(uniforms_BT).to(model.device), rows)
    model.inner.generate(
        **{name: value.to(model.device) for name, value in told.items()},
        generation_config=GenerationConfig(
            do_sample=False, max_new_tokens=most, eos_token_id=None, pad_token_id=0
        ),
        logits_processor=LogitsProcessorList([drawing.draw]),
        stopping_criteria=StoppingCriteriaList([drawing.over]),
    )
    return [drawing.reply(row) for row in range(len(rows))]


def _inputs(tokens: Tokens, rows: Sequence[Row]) -> dict[str, Tensor]:
    """Prompts padded on the left."""
    shown = [tokens.shown(question) for question, _, _ in rows]
    if any(shown):
        return dict(tokens.seen([each for each in shown if each is not None], "left"))
    longest = max(len(prompt) for _, prompt, _ in rows)
    blank = [longest - len(prompt) for _, prompt, _ in rows]
    padded = [[0] * gap + prompt for gap, (_, prompt, _) in zip(blank, rows, strict=True)]
    mask = [[0] * gap + [1] * (longest - gap) for gap in blank]
    return {"input_ids": torch.tensor(padded), "attention_mask": torch.tensor(mask)}


class Drawing:
    """Replies under way: generation asks it for every next token, and whether all are over."""

    def __init__(self, policy: HuggingFacePolicy, uniforms_BT: Tensor, rows: Sequence[Row]) -> None:
        self.tokens, self.sampling = policy.tokens, policy.sampling
        self.uniforms_BT = uniforms_BT
        self.said: list[list[int]] = [[] for _ in rows]
        self.logps: list[list[float]] = [[] for _ in rows]
        self.room = [policy.model.shape.positions - len(prompt) for _, prompt, _ in rows]
        self.done = [False] * len(rows)
        self.may_close = self.tokens.may_close(self.sampling.stop, policy.model.shape.vocab)
        self.drawn = 0

    def draw(self, _: Tensor, scores_BV: Tensor) -> Tensor:
        """The drawn token of each row alone is left possible."""
        found_2B = draw(scores_BV, self.uniforms_BT[:, self.drawn], self.sampling)
        self.drawn += 1
        token_B1 = found_2B[0].long()[:, None]
        for row, (token, logp) in enumerate(found_2B.T.tolist()):
            if not self.done[row]:
                self.said[row].append(int(token))
                self.logps[row].append(logp)
                self.done[row] = self._ended(row)
        return torch.full_like(scores_BV, -torch.inf).scatter(1, token_B1, 0.0)

    def over(self, tokens_BT: Tensor, _: Any, **others: Any) -> Tensor:
        return torch.tensor(self.done, device=tokens_BT.device)

    def _ended(self, row: int) -> bool:
        said = self.said[row]
        if said[-1] in self.tokens.ends or len(said) >= self.room[row]:
            return True
        return bool(self.may_close[said[-1]]) and self._stop(self.tokens.text(said)) is not None

    def reply(self, row: int) -> Reply:
        said = self.said[row]
        ended = said[-1] in self.tokens.ends
        text = self.tokens.text(said[:-1] if ended else said)
        end = self._stop(text)
        finished = ended or end is not None
        return Reply(text[:end], finished, tuple(said), tuple(self.logps[row]))

    def _stop(self, text: str) -> int | None:
        """Where the first stop string ends."""
        ends = [text.find(each) + len(each) for each in self.sampling.stop if each in text]
        return min(ends, default=None)
