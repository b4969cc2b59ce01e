"""Small random checkpoints of several architectures, made here: nothing is downloaded."""

import sys
from pathlib import Path
from typing import Any

import torch

WORDS = ("<pad>", "<end>", "<user>", "<assistant>", "<image>", "<other>")
TEMPLATE = (
    "{% for message in messages %}<user>{{ message['content'] }}{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
SEEING = (
    "{% for message in messages %}<user>{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}{% endfor %}"
    "{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"
)
SMALL = {
    "vocab_size": 300,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 2048,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 1,
    "initializer_range": 0.3,  # wide, so that replies differ
}


def bytewise(template: str = TEMPLATE, **named: str) -> Any:
    """A tokenizer of single bytes; some processors look for special tokens under names."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {word: place for place, word in enumerate([*WORDS, *alphabet])}
    pieces = Tokenizer(models.BPE(vocabulary, []))
    pieces.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pieces.decoder = decoders.ByteLevel()
    pieces.add_special_tokens(list(WORDS))
    found = PreTrainedTokenizerFast(
        tokenizer_object=pieces, pad_token="<pad>", eos_token="<end>", extra_special_tokens=named
    )
    found.chat_template = template
    return found


def text_model(folder: Path, kind: str, **changes: Any) -> Path:
    """A checkpoint of one of the architectures that transformers knows."""
    from transformers import AutoConfig, AutoModelForCausalLM

    config = AutoConfig.for_model(kind, **(SMALL | changes))
    with torch.random.fork_rng():
        torch.manual_seed(1)
        AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    bytewise().save_pretrained(folder)
    return folder


def seeing_model(folder: Path) -> Path:
    """A checkpoint that takes pictures: SmolVLM's architecture."""
    import transformers
    from transformers import Idefics3Config, Idefics3ForConditionalGeneration

    config = Idefics3Config(
        text_config={"model_type": "llama", **SMALL, "head_dim": 8},
        vision_config={
            "hidden_size": 16,
            "intermediate_size": 24,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "image_size": 32,
            "patch_size": 8,
            "initializer_range": 0.3,
        },
        image_token_id=WORDS.index("<image>"),
        scale_factor=2,
        pad_token_id=0,
    )
    with torch.random.fork_rng():
        torch.manual_seed(2)
        Idefics3ForConditionalGeneration(config).save_pretrained(folder)
    pictures = transformers.Idefics3ImageProcessorPil(
        size={"longest_edge": 32}, max_image_size={"longest_edge": 32}, do_image_splitting=False
    )
    words = bytewise(SEEING)
    transformers.Idefics3Processor(
        pictures, words, image_seq_len=4, chat_template=SEEING
    ).save_pretrained(folder)
    return folder


if __name__ == "__main__":  # of recipes/papers: python tests/tiny_models.py FOLDER
    seeing_model(Path(sys.argv[1]))
