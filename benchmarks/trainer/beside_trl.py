"""Our trainer beside TRL's GRPOTrainer: the same random Qwen2, prompts and groups, in turns.

    make loaders   # once: the environment with TRL
    python benchmarks/trainer/beside_trl.py [--turns 4] [--steps 20]
    python benchmarks/trainer/beside_trl.py --device cuda --peer $(which python) --turns 2 --steps 6

A step on a CPU is 4 prompts x 8 replies of exactly 32 tokens, by a model of 1.9 million weights; on
a GPU 8 x 8 of 256, by one of the shape of Qwen2.5-0.5B, with products in bfloat16 and weights in
float32. The reward is a shaped one that a random model earns some of. Every run is a process of its
own, on one thread, and every turn a seed of its own. Seconds a step, of the CPU or on a GPU of the
clock, leave out the first steps. The figures go to result.json beside this file, or to
benchmarks/gpu/cuda/beside_trl.json.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import fmean, median
from typing import Any, Literal

HERE = Path(__file__).parent
RESULTS = {
    "cpu": HERE / "result.json",
    "cuda": HERE.parent / "gpu" / "cuda" / "beside_trl.json",
}


@dataclass(frozen=True, slots=True)
class Workload:
    prompts: int
    group: int
    tokens: int
    rate: float
    dtype: Literal["float32", "bfloat16"]
    skipped: int  # first steps that are not counted
    vocab: int  # 0: as many as the tokenizer has pieces
    shape: dict[str, int]


WORKLOADS = {
    "cpu": Workload(
        prompts=4,
        group=8,
        tokens=32,
        rate=1e-3,
        dtype="float32",
        skipped=1,
        vocab=0,
        shape={
            "hidden_size": 192,
            "intermediate_size": 576,
            "num_hidden_layers": 4,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "max_position_embeddings": 512,
        },
    ),
    "cuda": Workload(
        prompts=8,
        group=8,
        tokens=256,
        rate=1e-6,
        dtype="bfloat16",
        skipped=2,
        vocab=151_936,
        shape={
            "hidden_size": 896,
            "intermediate_size": 4864,
            "num_hidden_layers": 24,
            "num_attention_heads": 14,
            "num_key_value_heads": 2,
            "max_position_embeddings": 8192,
        },
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--peer", type=Path, default=Path(".venv-loaders/bin/python"))
    parser.add_argument("--run", choices=["ours", "trl", "model"], help="one run, in this process")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", choices=WORKLOADS, default="cpu")
    asked = parser.parse_args()
    if asked.run:
        print(json.dumps({"ours": ours, "trl": trl, "model": made}[asked.run](asked)))
        return
    peer = asked.peer.absolute()  # each run has a folder of its own; not resolved: it is a link
    with tempfile.TemporaryDirectory() as folder:
        told: dict[str, list[dict[str, Any]]] = {"ours": [], "trl": []}
        run("model", peer, folder, asked, 0)
        for seed in range(asked.turns):
            told["ours"].append(run("ours", Path(sys.executable), folder, asked, seed))
            told["trl"].append(run("trl", peer, folder, asked, seed))
    figures = compared(told, "cpu" if asked.device == "cpu" else "clock")
    keep(RESULTS[asked.device], figures | {"steps": asked.steps, "turns": asked.turns})


def run(
    which: str, python: Path, folder: str, asked: argparse.Namespace, seed: int
) -> dict[str, Any]:
    environment = os.environ | {
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }
    if asked.device == "cpu":
        environment["CUDA_VISIBLE_DEVICES"] = ""
    command = [str(python), __file__, "--run", which, "--model", folder]
    command += ["--steps", str(asked.steps), "--seed", str(seed), "--device", asked.device]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        sys.exit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def compared(told: dict[str, list[dict[str, Any]]], timed_by: str) -> dict[str, Any]:
    seconds, memory = (
        {which: median(each[name] for each in runs) for which, runs in told.items()}
        for name in ("seconds_a_step", "mebibytes")
    )
    memory_name = "rss" if timed_by == "cpu" else "memory"
    rewards = {which: [each["rewards"] for each in runs] for which, runs in told.items()}
    print(json.dumps(rewards))
    return {
        f"{timed_by}_ratio_trl": round(seconds["ours"] / seconds["trl"], 3),
        f"{memory_name}_ratio_trl": round(memory["ours"] / memory["trl"], 3),
        **{
            f"{timed_by}_seconds_a_step_{which}": round(value, 4)
            for which, value in seconds.items()
        },
        **{f"mebibytes_{which}": round(value) for which, value in memory.items()},
        **{
            f"reward_{when}_{which}": round(fmean(fmean(each[part]) for each in curves), 3)
            for which, curves in rewards.items()
            for when, part in (("first", slice(0, 5)), ("last", slice(-5, None)))
        },
    }


def keep(file: Path, figures: dict[str, Any]) -> None:
    known = json.loads(file.read_text()) if file.is_file() else {}
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(dict(sorted((known | figures).items())), indent=2) + "\n")
    print(file.read_text())


def rows(seed: int) -> list[dict[str, Any]]:
    source, found = Random(seed), []
    for number in range(256):
        x, y = source.randint(0, 49), source.randint(0, 49)
        question = f"What is {x} + {y}? Reply with the number."
        message = {"role": "user", "content": question}
        found.append({"uid": f"add-{seed}-{number}", "prompt": [message], "answer": str(x + y)})
    return found


def earned(reply: str, answer: str) -> float:
    """Half for the share of digits, half for holding the answer."""
    return 0.5 * sum(sign.isdigit() for sign in reply) / max(len(reply), 1) + 0.5 * (
        answer in reply
    )


def made(asked: argparse.Namespace) -> dict[str, Any]:
    """The model and the tokenizer of all runs."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

    lines = [text for row in rows(0) for text in (row["prompt"][0]["content"], row["answer"])]
    pieces = Tokenizer(models.BPE(unk_token=None))
    pieces.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pieces.decoder = decoders.ByteLevel()
    work = WORKLOADS[asked.device]
    trainer = trainers.BpeTrainer(
        vocab_size=512,
        special_tokens=["<pad>", "<eos>", "<user>", "<assistant>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    pieces.train_from_iterator([*lines, *["0123456789 " * 4] * 20], trainer)
    described = json.loads(pieces.to_str())
    known = described["model"]["vocab"]
    # No text has these pieces, but replies of a random model do: half of them are digits.
    known |= {f"x{each}" if each % 2 else str(each): each for each in range(len(known), work.vocab)}
    pieces = Tokenizer.from_str(json.dumps(described))
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=pieces, pad_token="<pad>", eos_token="<eos>", padding_side="left"
    )
    tokenizer.chat_template = (
        "{% for m in messages %}<user>{{ m['content'] }}{% endfor %}"
        "{% if add_generation_prompt %}<assistant>{% endif %}"
    )
    torch.manual_seed(0)
    shape = Qwen2Config(
        vocab_size=len(tokenizer),
        **work.shape,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = Qwen2ForCausalLM(shape)
    model.save_pretrained(asked.model)
    tokenizer.save_pretrained(asked.model)
    return {"weights": sum(weight.numel() for weight in model.parameters())}


def clock_of(device: str) -> Callable[[], float]:
    """The process's CPU seconds; on a GPU those of the clock, once the device is done."""
    import torch

    def now() -> float:
        torch.cuda.synchronize()
        return time.perf_counter()

    return time.process_time if device == "cpu" else now


def measured(device: str, clock: list[float], rewards: list[float]) -> dict[str, Any]:
    """From the clock when each step ended."""
    import torch

    spent = [later - earlier for earlier, later in pairwise(clock[WORKLOADS[device].skipped :])]
    if device == "cpu":
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    else:
        peak = torch.cuda.max_memory_allocated() / 2**20
    return {"seconds_a_step": median(spent), "mebibytes": peak, "rewards": rewards}


def ours(asked: argparse.Namespace) -> dict[str, Any]:
    from dataclasses import replace

    import torch

    from puzzlemill.core.verdict import Verdict
    from puzzlemill.difficulty.policies.native import NativePolicy
    from puzzlemill.difficulty.policies.policy import Sampling
    from puzzlemill.trainer.adamw import AdamW
    from puzzlemill.trainer.build_items import BuildItems
    from puzzlemill.trainer.item_task import ItemTask
    from puzzlemill.trainer.loop import steps
    from puzzlemill.trainer.schedule import Schedule
    from puzzlemill.trainer.settings import MICRO_BATCH, Train
    from puzzlemill.trainer.settings.losses import Loss
    from puzzlemill.trainer.train_state import prepare

    torch.set_num_threads(1)
    work, now = WORKLOADS[asked.device], clock_of(asked.device)
    sampling = Sampling(max_tokens=work.tokens, stop=())
    loaded = NativePolicy.load(asked.model, sampling, device=asked.device)
    policy = replace(loaded, tokens=replace(loaded.tokens, ends=frozenset()))  # of one length

    def judge(some: Any, replies: Any) -> list[Verdict]:
        scores = [earned(reply, row["answer"]) for row, reply in zip(some, replies, strict=True)]
        return [Verdict(score, False, "partial") for score in scores]

    schedule = Schedule(BuildItems([row | ROW for row in rows(asked.seed)]), "uniform")
    settings = Train(
        steps=asked.steps,
        prompts=work.prompts,
        group=work.group,
        learning_rate=work.rate,
        loss=Loss(advantage="grpo"),
        gradient=1.0,
        dtype=work.dtype,
        micro_batch=MICRO_BATCH if asked.device == "cpu" else work.group * work.prompts * 512,
    )
    state = prepare(policy, settings, asked.model / "run")
    optimizer = AdamW(state.trainable, work.rate)
    clock, rewards = [now()], []
    for step in steps(
        ItemTask(settings, schedule), policy, optimizer, judge=judge, sampler=state.sampler
    ):
        clock.append(now())
        rewards.append(step.reward)
    return measured(asked.device, clock, rewards)


ROW = {"family": "sums", "level": 0.0, "mean": None, "images": []}


def trl(asked: argparse.Namespace) -> dict[str, Any]:
    import torch
    from datasets import Dataset
    from transformers import TrainerCallback
    from trl import GRPOConfig, GRPOTrainer

    torch.set_num_threads(1)
    work, now = WORKLOADS[asked.device], clock_of(asked.device)
    clock, rewards = [now()], []

    class Clock(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, *given: Any, **named: Any) -> None:
            clock.append(now())

    def reward(completions: Any, answer: Any, **others: Any) -> list[float]:
        texts = [each[0]["content"] for each in completions]
        found = [earned(text, gold) for text, gold in zip(texts, answer, strict=True)]
        rewards.append(fmean(found))
        return found

    config = GRPOConfig(
        output_dir=str(asked.model / "out"),
        use_cpu=asked.device == "cpu",
        bf16=work.dtype == "bfloat16",
        fp16=False,
        report_to=[],
        per_device_train_batch_size=work.prompts * work.group,
        gradient_accumulation_steps=1,
        num_generations=work.group,
        max_completion_length=work.tokens,
        max_steps=asked.steps,
        learning_rate=work.rate,
        lr_scheduler_type="constant",
        weight_decay=0.0,
        max_grad_norm=1.0,
        save_strategy="no",
        gradient_checkpointing=False,
        beta=0.0,
        loss_type="dapo",
        generation_kwargs={"min_new_tokens": work.tokens},
        disable_tqdm=True,
        temperature=1.0,
        seed=asked.seed,
    )
    GRPOTrainer(
        model=str(asked.model),
        reward_funcs=reward,
        args=config,
        train_dataset=Dataset.from_list(rows(asked.seed)),
        callbacks=[Clock()],
    ).train()
    return measured(asked.device, clock, rewards)


if __name__ == "__main__":
    main()
