"""The tiny policy's tokenizer: whole words of the prompts it is taught on, digits one by one."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
from tokenizers.trainers import BpeTrainer

POSITIONS = 1024  # the longest text
MOST = 640  # pairs and bytes; training stops before where every word is whole
END = "<|end|>"  # of a turn
MARKS = (END, "<|system|>", "<|user|>", "<|assistant|>")
TAGS = ("<answer>", "</answer>")  # a token each, and no special ones: they are part of a reply
# How every prompt ends (core/family.py), in few tokens: a third of a short prompt otherwise.
ENDING = ("\n\nAnswer with", ", between <answer> and </answer>.")

# transformers gives every checkpoint of the kind qwen2 this division into words, whatever its
# tokenizer.json says; with another one here, spaces would be lost without an error.
WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}<|end|>"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


@dataclass(frozen=True, slots=True)
class TinyTokens:
    tokenizer: Tokenizer

    @property
    def end(self) -> int:
        found = self.tokenizer.token_to_id(END)
        assert found is not None, f"the tokenizer has no {END}"
        return int(found)

    @property
    def count(self) -> int:
        return int(self.tokenizer.get_vocab_size())

    def prompt_text(self, prompt: str) -> str:
        """A question alone, as the template puts it."""
        return f"<|user|>{prompt}{END}<|assistant|>"

    def reply_text(self, reply: str) -> str:
        return f"{reply}{END}"

    def encode(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        return [tuple(coded.ids) for coded in self.tokenizer.encode_batch(list(texts))]

    def save(self, folder: Path) -> None:
        """As transformers reads it."""
        settings = {
            "tokenizer_class": "Qwen2Tokenizer",
            "chat_template": TEMPLATE,
            "eos_token": END,
            "pad_token": END,
            "unk_token": END,
            "add_prefix_space": False,
            "clean_up_tokenization_spaces": False,
            "model_max_length": POSITIONS,
        }
        ends = {"eos_token_id": [self.end], "pad_token_id": self.end}
        self.tokenizer.save(str(folder / "tokenizer.json"))
        (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n")
        (folder / "generation_config.json").write_text(json.dumps(ends, indent=2) + "\n")


def build_tokens(prompts: Iterable[str], most: int = MOST) -> TinyTokens:
    """Byte pairs, merged until the prompts' words are whole."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(WORDS), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = BpeTrainer(
        vocab_size=most,
        special_tokens=list(MARKS),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(map(_without_ending, prompts), trainer)
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in (*ENDING, *TAGS)])
    return TinyTokens(tokenizer)


def _without_ending(prompt: str) -> str:
    question, form = prompt.removesuffix(ENDING[1]).split(ENDING[0])
    return f"{question}\n{form}"
