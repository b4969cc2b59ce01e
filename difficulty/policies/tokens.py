"""From a question to token ids and back: tokenizer, chat template, the tokens that end a reply."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Shown:
    """A prompt with pictures, as the processor of a model that sees takes it."""

    text: str
    images: tuple[bytes, ...]  # PNG


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    tokenizer: Any  # of transformers
    ends: frozenset[int]  # each ends a reply
    processor: Any = None  # of a model that sees

    def __deepcopy__(self, memo: dict[int, Any]) -> "Tokens":
        return self  # it does not change

    @property
    def talks(self) -> bool:
        """Whether conversations have a form of the model's own."""
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
        """Of a model that sees: with what turns pictures into its inputs."""
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

    def save(self, folder: Path) -> None:
        (self.processor or self.tokenizer).save_pretrained(str(folder))
        ends = json.dumps({"eos_token_id": sorted(self.ends)}, indent=2)
        (folder / "generation_config.json").write_text(ends + "\n")

    def prompt(self, question: Question) -> list[int]:
        shown = self.shown(question)
        if shown is None:
            return self.ids(question.messages)
        return list(self.seen([shown])["input_ids"][0].tolist())

    def shown(self, question: Question) -> Shown | None:
        """The question as a processor takes it, where it has pictures."""
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
        return Shown(self._rendered(question.messages), question.images)

    def seen(self, shown: Sequence[Shown], side: str = "right") -> Any:
        """The inputs of a model that sees, padded on that side."""
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
        """A conversation in the form of a processor's template: texts and pictures in turns."""
        said = []
        for message in messages:
            first, *others = message["content"].split(IMAGE)
            parts = [{"type": "text", "text": first}]
            for text in others:
                parts += [{"type": "image"}, {"type": "text", "text": text}]
            kept = [part for part in parts if part["type"] == "image" or part["text"]]
            said.append({"role": message["role"], "content": kept})
        return str(
            self.processor.apply_chat_template(said, tokenize=False, add_generation_prompt=True)
        )

    def ids(self, messages: Sequence[Message]) -> list[int]:
        """A conversation in the model's own form, up to where its reply begins."""
        if self.processor is not None:
            text = self._rendered(messages)
            return self._ids(text, special=False)
        if self.talks:
            text = self.tokenizer.apply_chat_template(
                list(messages), tokenize=False, add_generation_prompt=True
            )
        else:
            said = "".join(f"{message['role']}: {message['content']}\n" for message in messages)
            text = f"{said}assistant:"
        return self._ids(text, special=not self.talks)  # a template writes them itself

    def _ids(self, text: str, special: bool) -> list[int]:
        # Whoever asks looks at the length: transformers need not warn of it.
        found = self.tokenizer(text, add_special_tokens=special, verbose=False)
        return list(found["input_ids"])

    def behind(self, said: str) -> list[int]:
        """A reply's text, as it stands behind a prompt."""
        return list(self.tokenizer(said, add_special_tokens=False)["input_ids"])

    def text(self, ids: Sequence[int]) -> str:
        # transformers looks at every id before it asks the same of its backend: slow, in a loop.
        backend = getattr(self.tokenizer, "backend_tokenizer", None)
        if backend is not None:
            return str(backend.decode(list(ids), skip_special_tokens=True))
        return str(
            self.tokenizer.decode(
                list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False
            )
        )

    def may_close(self, stop: tuple[str, ...], vocab: int) -> NDArray[np.bool_]:
        """Which tokens can be the last of a stop string: only behind these need one be sought."""
        return _may_close(self, stop, vocab)


@lru_cache(maxsize=8)
def _may_close(tokens: Tokens, stop: tuple[str, ...], vocab: int) -> NDArray[np.bool_]:
    lasts = {string[-1] for string in stop}
    if " " in lasts:  # some tokenizers leave out a reply's first space
        return np.ones(vocab, dtype=np.bool_)
    # A token may hold only a part of a character that is not ASCII.
    parts = {"\ufffd"} if any(not last.isascii() for last in lasts) else set()
    known = min(vocab, len(tokens.tokenizer))
    pieces = [tokens.text([place]) for place in range(known)]
    found = np.zeros(vocab, dtype=np.bool_)
    found[:known] = [not (lasts | parts).isdisjoint(piece) for piece in pieces]
    return found


def _ends(path: Path, tokenizer: Any) -> frozenset[int]:
    found = {tokenizer.eos_token_id}
    for name in ("generation_config.json", "config.json"):
        file = path / name
        if file.is_file():
            settings = read_json(file, finite=False)
            ends = settings.get("eos_token_id") if isinstance(settings, dict) else None
            several = ends if isinstance(ends, list) else [ends]
            if fault := listed(maybe(whole()))(several, "eos_token_id"):
                raise UserError(f"{file}: {fault}")
            found.update(several)
    return frozenset(end for end in found if end is not None)
