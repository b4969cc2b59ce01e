"""From a question to token ids and back: tokenizer, chat template, the tokens that end a reply."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlemill.core.errors import UserError
from puzzlemill.core.files import read_json
from puzzlemill.difficulty.policies.policy import Message, Question


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    tokenizer: Any  # of transformers
    ends: frozenset[int]  # each ends a reply

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

    def save(self, folder: Path) -> None:
        self.tokenizer.save_pretrained(str(folder))
        ends = json.dumps({"eos_token_id": sorted(self.ends)}, indent=2)
        (folder / "generation_config.json").write_text(ends + "\n")

    def prompt(self, question: Question) -> list[int]:
        if question.images:
            raise UserError(
                "the native policy reads text only, and this question has a picture;"
                " leave out visual families, or ask a policy that sees (vllm, endpoint)"
            )
        return self.ids(question.messages)

    def ids(self, messages: Sequence[Message]) -> list[int]:
        """A conversation in the model's own form, up to where its reply begins."""
        if getattr(self.tokenizer, "chat_template", None):
            text = self.tokenizer.apply_chat_template(
                list(messages), tokenize=False, add_generation_prompt=True
            )
        else:
            said = "".join(f"{message['role']}: {message['content']}\n" for message in messages)
            text = f"{said}assistant:"
        # A template writes the special tokens itself.
        special = not getattr(self.tokenizer, "chat_template", None)
        return list(self.tokenizer(text, add_special_tokens=special)["input_ids"])

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
            ends = read_json(file).get("eos_token_id")
            found.update(ends if isinstance(ends, list) else [ends])
    return frozenset(end for end in found if end is not None)
