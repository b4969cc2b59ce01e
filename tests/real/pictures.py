"""The whole way of pictures, with a real model that sees, on the CPU. Not part of the plain run:

    tools/set-up-loaders.sh && .venv-loaders/bin/python -m pytest -W ignore tests/real/pictures.py

Takes a few minutes. A small LLaVA is made here from random weights and taught the answers to a few
jigsaws whose prompts are all alike, so that only the pictures tell them apart. It answers
behind an OpenAI-compatible server; a build asks it, and its export goes to TRL and verl.
"""

import base64
import io
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1"}
os.environ |= {"WANDB_DISABLED": "true", "HF_HUB_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1"}

import pyarrow.parquet as pq
import pytest
import torch
from PIL import Image

import puzzlemill as pm
from puzzlemill.core.item import Item
from puzzlemill.core.verdict import check
from puzzlemill.difficulty.policies.endpoint import EndpointPolicy
from puzzlemill.difficulty.policies.policy import Question, Sampling
from puzzlemill.outputs.trainer_files.writer import export

torch.set_num_threads(1)

COUNT = 8  # items
TRIALS = 3  # replies to each
STEPS = 800  # of teaching, at most
SIDE, PATCH = 56, 14  # pixels of what the model sees of a picture, and of a patch of it
RECIPE = """
name = "wholes"
seed = 3
[[make]]
families = ["jigsaw_whole"]
count = {count}
levels = [0.0]
knobs = {{ phrasings = [0] }}
[policy]
kind = "endpoint"
model = "small-eyes"
url = "{url}"
sees = true
max_tokens = 24
[score]
until = "budget"
budget = {trials}.0
first = {trials}
most = {trials}
[filters]
band = [0.0, 1.0]
"""
BEGIN, END, PAD = "<|im_start|>", "<|im_end|>", "<image>"
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}"
    "{% else %}{% for part in message['content'] %}"
    "{% if part['type'] == 'text' %}{{ part['text'] }}"
    "{% else %}<image>{% endif %}"
    "{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@pytest.fixture(scope="session")
def items() -> list[Item]:
    made = pm.generate("jigsaw_whole", level=0.0, n=COUNT, seed=3, knobs={"phrasings": [0]})
    return list(made)


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory, items: list[Item]) -> Path:
    """Random weights, and the answers learnt by heart from the pictures."""
    folder = tmp_path_factory.mktemp("checkpoint")
    processor = made_processor()
    model = made_model(processor)
    batch = taught(processor, items)
    optimiser = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for step in range(STEPS):  # noqa: B007
        loss = model(**batch).loss
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if loss.item() < 0.003:
            break
    print(f"\nloss {loss.item():.3f} after {step + 1} steps")
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def made_processor() -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import CLIPImageProcessorPil, LlavaProcessor, PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {letter: place for place, letter in enumerate(letters)}
    tokenizer = Tokenizer(models.BPE(vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=END,
        pad_token="<|endoftext|>",
        additional_special_tokens=[BEGIN, PAD],
        padding_side="left",
    )
    square = {"height": SIDE, "width": SIDE}
    return LlavaProcessor(
        image_processor=CLIPImageProcessorPil(size=square, do_center_crop=False),
        tokenizer=fast,
        patch_size=PATCH,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        image_token=PAD,
        chat_template=TEMPLATE,
    )


def made_model(processor: Any) -> Any:
    from transformers import (
        CLIPVisionConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        Qwen2Config,
    )

    number = processor.tokenizer.convert_tokens_to_ids
    torch.manual_seed(0)
    text = Qwen2Config(
        vocab_size=len(processor.tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=2048,
        bos_token_id=None,
        eos_token_id=number(END),
        pad_token_id=number("<|endoftext|>"),
    )
    eyes = CLIPVisionConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        image_size=SIDE,
        patch_size=PATCH,
    )
    config = LlavaConfig(
        text_config=text,
        vision_config=eyes,
        image_token_id=number(PAD),
        vision_feature_layer=-1,
        image_seq_length=(SIDE // PATCH) ** 2,
    )
    return LlavaForConditionalGeneration(config)


def inputs(processor: Any, messages: list[dict[str, Any]], images: list[Image.Image]) -> Any:
    text = processor.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
    return processor(text=[text], images=images, return_tensors="pt")


def taught(processor: Any, items: list[Item]) -> Any:
    """One batch of all items, with the answers as what is to be said."""
    texts, images = [], []
    for item in items:
        told = processor.apply_chat_template(
            [{"role": "user", "content": parts(item)}], add_generation_prompt=True, tokenize=False
        )
        texts.append(f"{told}<answer>{item.answer}</answer>{END}")
        images.append([opened(image) for image in item.images])
    batch = processor(text=texts, images=images, return_tensors="pt", padding=True)
    labels = torch.full_like(batch["input_ids"], -100)
    for row, item in enumerate(items):
        said = len(processor.tokenizer(f"<answer>{item.answer}</answer>{END}")["input_ids"])
        labels[row, -said:] = batch["input_ids"][row, -said:]
    return {**batch, "labels": labels}


def parts(item: Item) -> list[dict[str, str]]:
    first, *rest = item.prompt.split("<image>")
    found = [{"type": "text", "text": first}]
    for text in rest:
        found += [{"type": "image"}, {"type": "text", "text": text}]
    return [part for part in found if part.get("text", "-")]


def opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


@dataclass
class Served:
    """A server in front of the checkpoint, which keeps what it was sent and what it said."""

    model: Any
    processor: Any
    blind: bool = False  # whether the pictures are made grey before the model sees them
    lock: Lock = field(default_factory=Lock)
    sent: list[tuple[tuple[bytes, ...], list[str]]] = field(default_factory=list)
    patches: dict[str, torch.Tensor] = field(default_factory=dict)  # by a digest of the pictures
    url: str = ""

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        pictures, messages = [], []
        for message in body["messages"]:
            content = []
            for part in message["content"]:
                if part["type"] == "text":
                    content.append(part)
                    continue
                head, data = part["image_url"]["url"].split(",")
                assert head == "data:image/png;base64"
                pictures.append(base64.b64decode(data, validate=True))
                content.append({"type": "image"})
            messages.append({"role": message["role"], "content": content})
        images = [opened(png) for png in pictures]
        if self.blind:
            images = [Image.new("RGB", image.size, (127, 127, 127)) for image in images]
        seen = inputs(self.processor, messages, images)
        with self.lock:
            torch.manual_seed(body["seed"])
            drawn = self.model.generate(
                **seen,
                do_sample=body["temperature"] > 0,
                temperature=body["temperature"] or None,
                top_k=0,
                max_new_tokens=body["max_tokens"],
                num_return_sequences=body["n"],
            )
            tokens = drawn[:, seen["input_ids"].shape[1] :]
            texts = self.processor.tokenizer.batch_decode(tokens, skip_special_tokens=True)
            self.sent.append((tuple(pictures), texts))
            if not self.blind:
                self.patches[digest(pictures)] = seen["pixel_values"]
        end = self.processor.tokenizer.eos_token_id
        choices = [
            {
                "index": place,
                "message": {"role": "assistant", "content": text},
                "finish_reason": "stop" if end in tokens[place].tolist() else "length",
            }
            for place, text in enumerate(texts)
        ]
        return {"object": "chat.completion", "model": body["model"], "choices": choices}


def digest(pictures: list[bytes] | tuple[bytes, ...]) -> str:
    return sha256(b"".join(pictures)).hexdigest()


@pytest.fixture(scope="session")
def served(checkpoint: Path) -> Iterator[Served]:
    from transformers import AutoProcessor, LlavaForConditionalGeneration

    model = LlavaForConditionalGeneration.from_pretrained(checkpoint).eval()
    found = Served(model, AutoProcessor.from_pretrained(checkpoint, backend="pil"))

    class Post(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            text = json.dumps(found.answer(json.loads(self.rfile.read(size)))).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Post)
    Thread(target=server.serve_forever, daemon=True).start()
    found.url = f"http://127.0.0.1:{server.server_port}/v1"
    yield found
    server.shutdown()


@pytest.fixture(scope="session")
def build(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("builds")
    file = folder / "wholes.toml"
    file.write_text(RECIPE.format(url=served.url, count=COUNT, trials=TRIALS))
    served.sent.clear()
    return pm.build(file, builds=folder)


def rows_of(build: Path) -> list[dict[str, Any]]:
    files = sorted(build.rglob("*.parquet"))
    rows = [
        row
        for file in files
        for row in pq.read_table(file).to_pylist()
        if {"uid", "images", "trials"} <= row.keys()
    ]
    return list({row["uid"]: row for row in rows if row["trials"]}.values())


def test_the_model_s_replies_to_the_pictures_are_the_build_s_verdicts(
    served: Served, build: Path
) -> None:
    rows = {digest([it["bytes"] for it in row["images"]]): row for row in rows_of(build)}
    assert len(rows) == COUNT
    said: dict[str, list[str]] = {}
    for pictures, texts in served.sent:
        said.setdefault(digest(pictures), []).extend(texts)
    assert said.keys() == rows.keys(), "pictures were changed on their way"
    for name, row in rows.items():
        right = sum(check(row, text).correct for text in said[name])
        assert (row["trials"], row["successes"]) == (len(said[name]), right)
    total = sum(row["successes"] for row in rows.values())
    print(f"\nright: {total} of {COUNT * TRIALS}")
    assert total > 0.7 * COUNT * TRIALS


def test_without_its_pictures_the_model_can_only_guess(served: Served, items: list[Item]) -> None:
    policy = EndpointPolicy(served.url, "small-eyes", Sampling(max_tokens=24), sees=True)
    asked = [
        Question(tuple(item.messages), place, tuple(item.images))
        for place, item in enumerate(items)
    ]
    rates = {}
    for served.blind in (False, True):
        found = policy.sample(asked, TRIALS)
        rates[served.blind] = sum(
            check(item, reply.text).correct
            for item, replies in zip(items, found, strict=True)
            for reply in replies
        ) / (TRIALS * COUNT)
    served.blind = False
    print(f"\nright with pictures {rates[False]:.2f}, without {rates[True]:.2f}")
    assert rates[False] > 0.7
    assert rates[True] < 0.6


def test_trl_trains_the_model_on_what_was_scored(
    build: Path, checkpoint: Path, tmp_path: Path
) -> None:
    from datasets import load_dataset
    from transformers import AutoProcessor, LlavaForConditionalGeneration
    from trl import GRPOConfig, GRPOTrainer

    from puzzlemill.outputs.exports.trl import reward

    folder = export(build, "trl", tmp_path / "trl", unscored=True).folder
    file = next(folder.glob("*-pictures.parquet"))
    rows = load_dataset("parquet", data_files=str(file), split="train")
    given: list[float] = []

    def watched(**columns: Any) -> Any:
        found = [score or 0.0 for score in reward(**columns)]  # None: a verifier failed
        given.extend(found)
        return [score * (place % 2) for place, score in enumerate(found)]  # or nothing is learnt

    config = GRPOConfig(
        output_dir=str(tmp_path / "out"),
        use_cpu=True,
        bf16=False,
        shuffle_dataset=False,
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=24,
        max_steps=2,
        learning_rate=1e-3,
        save_strategy="no",
        report_to=[],
    )
    model = LlavaForConditionalGeneration.from_pretrained(checkpoint)
    eyes = model.model.multi_modal_projector.linear_1.weight
    before = eyes.detach().clone()
    GRPOTrainer(
        model,
        reward_funcs=watched,
        args=config,
        train_dataset=rows,
        processing_class=AutoProcessor.from_pretrained(checkpoint, backend="pil"),
    ).train()
    assert len(given) == 8
    assert sum(given) >= 4, "it knew the answers, so what it was shown was not the item's pictures"
    assert not torch.equal(before, eyes), "what the model sees by did not learn"


def test_verl_shows_the_model_what_the_endpoint_did(
    build: Path, served: Served, tmp_path: Path
) -> None:
    from omegaconf import OmegaConf
    from verl.utils.dataset.rl_dataset import RLHFDataset

    folder = export(build, "verl", tmp_path / "verl", unscored=True).folder
    file = next(folder.glob("*-pictures.parquet"))
    config = OmegaConf.create(
        {"prompt_key": "prompt", "image_key": "images", "max_prompt_length": 1024,
         "filter_overlong_prompts": False, "return_raw_chat": True,
         "cache_dir": str(tmp_path / "cache")}
    )  # fmt: skip
    data = RLHFDataset(str(file), served.processor.tokenizer, config, processor=served.processor)
    rows = pq.read_table(file).to_pylist()
    assert len(data) == len(rows) > 0
    for place, row in enumerate(rows):
        messages = list(data[place]["raw_prompt"])
        images = [part["image"] for part in messages[0]["content"] if part["type"] == "image"]
        seen = inputs(served.processor, messages, [image.convert("RGB") for image in images])
        there = served.patches[digest([image["bytes"] for image in row["images"]])]
        assert torch.equal(seen["pixel_values"], there)
