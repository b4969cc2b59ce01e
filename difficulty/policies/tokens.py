"""Tokenizer, chat template and end-of-text tokens: from a question to token ids and back."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlemill.core.errors import UserError
from puzzlemill.core.shapes import listed, maybe, whole
from puzzlemill.core.storage.files import read_json
from puzzlemill.difficulty.policies.policy import IMAGE, Message, Question
from puzzlemill.difficulty.prompt_styles import template_switches


@dataclass(frozen=True, slots=True)
class PicturePrompt:
    """A prompt with pictures, as the processor of a vision-language model takes it."""

    text: str
    images: tuple[bytes, ...]  # PNG


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    tokenizer: Any  # of transformers
    ends: frozenset[int]  # end-of-text tokens: each ends a reply
    processor: Any = None  # of a vision-language model
    switches: Mapping[str, bool] = field(default_factory=dict)  # of the chat template

    def __deepcopy__(self, memo: dict[int, Any]) -> "Tokens":
        return self  # immutable

    @property
    def has_template(self) -> bool:
        """Whether the model has a chat template."""
        return bool(getattr(self.processor or self.tokenizer, "chat_template", None))

    @classmethod
    def load(cls, path: Path) -> "Tokens":
        from transformers import AutoTokenizer

        try:
            tokenizer = AutoTokenizer.from_pretrained(
                str(path), local_files_only=True, trust_remote_code=False
            )
        except (OSError, ValueError, RecursionError) as error:
            raise UserError(f"{path}: no tokenizer that transformers can read: {error}") from error
        return cls(tokenizer, _ends(path, tokenizer))

    @classmethod
    def load_seeing(cls, path: Path) -> "Tokens":
        """With the processor of a vision-language model, which turns pictures into inputs."""
        from transformers import AutoProcessor

        try:
            processor = AutoProcessor.from_pretrained(
                str(path), local_files_only=True, trust_remote_code=False
            )
        except (OSError, ValueError, ImportError) as error:
            raise UserError(f"{path}: no processor that transformers can read: {error}") from error
        if not getattr(processor, "chat_template", None):
            raise UserError(f"{path}: its processor has no chat template, which says where pictures"
                            " stand")  # fmt: skip
        return cls(processor.tokenizer, _ends(path, processor.tokenizer), processor)

    def in_style(self, style: str) -> "Tokens":
        """With the chat template as a prompt style sets it."""
        return replace(self, switches=template_switches(style))

    def save(self, folder: Path) -> None:
        (self.processor or self.tokenizer).save_pretrained(str(folder))
        ends = json.dumps({"eos_token_id": sorted(self.ends)}, indent=2)
        (folder / "generation_config.json").write_text(ends + "\n")

    def prompt(self, question: Question) -> list[int]:
        if question.tokens:
            return [*question.tokens]
        shown = self.shown(question)
        if shown is None:
            return self.ids(question.messages)
        return list(self.processed([shown])["input_ids"][0].tolist())

    def shown(self, question: Question) -> PicturePrompt | None:
        """The question for a processor, where it has pictures."""
        if not question.images:
            return None
        if self.processor is None:
            raise UserError(
                "this policy reads text only, and this question has a picture;"
                " leave out visual families, or ask a policy that sees (transformers with a model"
                " that sees, vllm, endpoint)"
            )
        marks = sum(message["content"].count(IMAGE) for message in question.messages)
        if marks != len(question.images):
            raise UserError(
                f"{len(question.images)} pictures for {marks} marks {IMAGE} in a question"
            )
        turns, begun = _begun(question.messages)
        return PicturePrompt(self._rendered(turns) + begun, question.images)

    def processed(self, shown: Sequence[PicturePrompt], side: str = "right") -> Any:
        """The inputs of a vision-language model, padded on that side."""
        from PIL import Image

        pictures = [
            [Image.open(BytesIO(image)).convert("RGB") for image in each.images] for each in shown
        ]
        return self.processor(
            text=[each.text for each in shown],
            images=pictures,
            add_special_tokens=False,  # a template writes them itself
            padding=True,
            padding_side=side,
            return_tensors="pt",
        )

    def _rendered(self, messages: Sequence[Message]) -> str:
        """A conversation by the processor's chat template: texts and pictures in turns."""
        turns = []
        for message in messages:
            first, *others = message["content"].split(IMAGE)
            parts = [{"type": "text", "text": first}]
            for text in others:
                parts += [{"type": "image"}, {"type": "text", "text": text}]
            kept = [part for part in parts if part["type"] == "image" or part["text"]]
            turns.append({"role": message["role"], "content": kept})
        return str(
            self.processor.apply_chat_template(
                turns, tokenize=False, add_generation_prompt=True, **self.switches
            )
        )

    def ids(self, messages: Sequence[Message]) -> list[int]:
        """A conversation by the chat template, up to where the reply begins or goes on."""
        turns, begun = _begun(messages)
        if self.processor is not None:
            return self._ids(self._rendered(turns) + begun, special=False)
        if self.has_template:
            text = self.tokenizer.apply_chat_template(
                list(turns), tokenize=False, add_generation_prompt=True, **self.switches
            )
        else:
            lines = "".join(f"{message['role']}: {message['content']}\n" for message in turns)
            text = f"{lines}assistant:"
        # A template writes special tokens itself.
        return self._ids(text + begun, special=not self.has_template)

    def _ids(self, text: str, special: bool) -> list[int]:
        # Not verbose: callers check the length themselves.
        encoded = self.tokenizer(text, add_special_tokens=special, verbose=False)
        return list(encoded["input_ids"])

    def continuation(self, reply: str) -> list[int]:
        """The tokens of a reply after a prompt."""
        return list(self.tokenizer(reply, add_special_tokens=False, verbose=False)["input_ids"])

    def text(self, ids: Sequence[int]) -> str:
        # The backend at once: transformers checks every id in Python, which is slow in a loop.
        backend = getattr(self.tokenizer, "backend_tokenizer", None)
        if backend is not None:
            return str(backend.decode(list(ids), skip_special_tokens=True))
        return str(
            self.tokenizer.decode(
                list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False
            )
        )

    def may_close(self, stop: tuple[str, ...], vocab: int) -> NDArray[np.bool_]:
        """Which tokens can end a stop string: only after these is one searched for."""
        return _may_close(self, stop, vocab)


def _begun(messages: Sequence[Message]) -> tuple[Sequence[Message], str]:
    """The turns before a reply, and how the reply begins, where the last turn is the assistant's:
    that one goes on, and no new turn is opened."""
    if messages and messages[-1]["role"] == "assistant":
        return messages[:-1], messages[-1]["content"]
    return messages, ""


@lru_cache(maxsize=8)
def _may_close(tokens: Tokens, stop: tuple[str, ...], vocab: int) -> NDArray[np.bool_]:
    lasts = {string[-1] for string in stop}
    if " " in lasts:  # some tokenizers drop a reply's first space
        return np.ones(vocab, dtype=np.bool_)
    # A token may hold only a part of a character that is not ASCII.
    parts = {"\ufffd"} if any(not last.isascii() for last in lasts) else set()
    known = min(vocab, len(tokens.tokenizer))
    pieces = [tokens.text([place]) for place in range(known)]
    may_close = np.zeros(vocab, dtype=np.bool_)
    may_close[:known] = [not (lasts | parts).isdisjoint(piece) for piece in pieces]
    return may_close


def _ends(path: Path, tokenizer: Any) -> frozenset[int]:
    ends = {tokenizer.eos_token_id}
    for name in ("generation_config.json", "config.json"):
        file = path / name
        if file.is_file():
            settings = read_json(file, finite=False)
            own = settings.get("eos_token_id") if isinstance(settings, dict) else None
            several = own if isinstance(own, list) else [own]
            if fault := listed(maybe(whole()))(several, "eos_token_id"):
                raise UserError(f"{file}: {fault}")
            ends.update(several)
    return frozenset(end for end in ends if end is not None)
