"""Our trainer beside TRL's GRPOTrainer: the same tiny Qwen2, prompts, groups and tokens, in turns.

    make loaders   # once: the environment with TRL
    python benchmarks/trainer/beside_trl.py [--turns 4] [--steps 20]

A step is 4 prompts x 8 replies of exactly 32 tokens, by a random model of 1.9 million weights; the
reward is a shaped one that a random model earns some of. Every run is a process of its own, on one
thread, and every turn a seed of its own. CPU seconds a step leave out the first step. The figures
go to result.json beside this file.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import fmean, median
from typing import Any

HERE = Path(__file__).parent
RESULT = HERE / "result.json"
PROMPTS, GROUP, TOKENS, RATE = 4, 8, 32, 1e-3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--peer", type=Path, default=Path(".venv-loaders/bin/python"))
    parser.add_argument("--run", choices=["ours", "trl", "model"], help="one run, in this process")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    if asked.run:
        print(json.dumps({"ours": ours, "trl": trl, "model": made}[asked.run](asked)))
        return
    peer = asked.peer.absolute()  # each run has a folder of its own; not resolved: it is a link
    with tempfile.TemporaryDirectory() as folder:
        told: dict[str, list[dict[str, Any]]] = {"ours": [], "trl": []}
        run("model", peer, folder, asked.steps, 0)
        for seed in range(asked.turns):
            told["ours"].append(run("ours", Path(sys.executable), folder, asked.steps, seed))
            told["trl"].append(run("trl", peer, folder, asked.steps, seed))
    keep(compared(told) | {"steps": asked.steps, "turns": asked.turns})
    print(RESULT.read_text())


def run(which: str, python: Path, folder: str, steps: int, seed: int) -> dict[str, Any]:
    environment = os.environ | {
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "TOKENIZERS_PARALLELISM": "false",
    }
    command = [str(python), __file__, "--run", which, "--model", folder, "--steps", str(steps)]
    command += ["--seed", str(seed)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        sys.exit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def compared(told: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    cpu, memory = (
        {which: median(each[name] for each in runs) for which, runs in told.items()}
        for name in ("cpu_seconds_a_step", "mebibytes")
    )
    rewards = {which: [each["rewards"] for each in runs] for which, runs in told.items()}
    print(json.dumps(rewards))
    return {
        "cpu_ratio_trl": round(cpu["ours"] / cpu["trl"], 3),
        "rss_ratio_trl": round(memory["ours"] / memory["trl"], 3),
        **{f"cpu_seconds_a_step_{which}": round(value, 4) for which, value in cpu.items()},
        **{f"mebibytes_{which}": round(value) for which, value in memory.items()},
        **{
            f"reward_{when}_{which}": round(fmean(fmean(each[part]) for each in curves), 3)
            for which, curves in rewards.items()
            for when, part in (("first", slice(0, 5)), ("last", slice(-5, None)))
        },
    }


def keep(figures: dict[str, Any]) -> None:
    known = json.loads(RESULT.read_text()) if RESULT.is_file() else {}
    RESULT.write_text(json.dumps(dict(sorted((known | figures).items())), indent=2) + "\n")


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
    trainer = trainers.BpeTrainer(
        vocab_size=512,
        special_tokens=["<pad>", "<eos>", "<user>", "<assistant>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    pieces.train_from_iterator([*lines, *["0123456789 " * 4] * 20], trainer)
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
        hidden_size=192,
        intermediate_size=576,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=512,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = Qwen2ForCausalLM(shape)
    model.save_pretrained(asked.model)
    tokenizer.save_pretrained(asked.model)
    return {"weights": sum(weight.numel() for weight in model.parameters())}


def measured(clock: list[float], rewards: list[float]) -> dict[str, Any]:
    """From the process's CPU seconds when each step ended."""
    spent = [later - earlier for earlier, later in pairwise(clock[1:])]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"cpu_seconds_a_step": fmean(spent), "mebibytes": peak, "rewards": rewards}


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
    from puzzlemill.trainer.settings import Train
    from puzzlemill.trainer.settings.losses import Loss

    torch.set_num_threads(1)
    loaded = NativePolicy.load(asked.model, Sampling(max_tokens=TOKENS, stop=()), device="cpu")
    policy = replace(loaded, tokens=replace(loaded.tokens, ends=frozenset()))  # of one length
    optimizer = AdamW(policy.model.parameters(), RATE)

    def judge(some: Any, replies: Any) -> list[Verdict]:
        scores = [earned(reply, row["answer"]) for row, reply in zip(some, replies, strict=True)]
        return [Verdict(score, False, "partial") for score in scores]

    schedule = Schedule(BuildItems([row | ROW for row in rows(asked.seed)]), "uniform")
    settings = Train(
        steps=asked.steps,
        prompts=PROMPTS,
        group=GROUP,
        learning_rate=RATE,
        loss=Loss(advantage="grpo"),
        gradient=1.0,
    )
    clock, rewards = [time.process_time()], []
    for step in steps(ItemTask(settings, schedule), policy, optimizer, judge=judge):
        clock.append(time.process_time())
        rewards.append(step.reward)
    return measured(clock, rewards)


ROW = {"family": "sums", "level": 0.0, "mean": None, "images": []}


def trl(asked: argparse.Namespace) -> dict[str, Any]:
    import torch
    from datasets import Dataset
    from transformers import TrainerCallback
    from trl import GRPOConfig, GRPOTrainer

    torch.set_num_threads(1)
    clock, rewards = [time.process_time()], []

    class Clock(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, *given: Any, **named: Any) -> None:
            clock.append(time.process_time())

    def reward(completions: Any, answer: Any, **others: Any) -> list[float]:
        texts = [each[0]["content"] for each in completions]
        found = [earned(text, gold) for text, gold in zip(texts, answer, strict=True)]
        rewards.append(fmean(found))
        return found

    config = GRPOConfig(
        output_dir=str(asked.model / "out"),
        use_cpu=True,
        bf16=False,
        fp16=False,
        report_to=[],
        per_device_train_batch_size=PROMPTS * GROUP,
        gradient_accumulation_steps=1,
        num_generations=GROUP,
        max_completion_length=TOKENS,
        max_steps=asked.steps,
        learning_rate=RATE,
        lr_scheduler_type="constant",
        weight_decay=0.0,
        max_grad_norm=1.0,
        save_strategy="no",
        gradient_checkpointing=False,
        beta=0.0,
        loss_type="dapo",
        generation_kwargs={"min_new_tokens": TOKENS},
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
    return measured(clock, rewards)


if __name__ == "__main__":
    main()
