"""Exports in the hands of the real trainers, on the CPU. Not part of the plain run:

    tools/set-up-loaders.sh && .venv-loaders/bin/python -m pytest -W ignore tests/real/loaders.py

Takes a few minutes. Each export of a small build is loaded by its trainer's own loader, right and
wrong replies go through the reward as the trainer calls it, and TRL takes two steps.
"""

import asyncio
import importlib.util
import io
import json
import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1"}
os.environ |= {"WANDB_DISABLED": "true", "HF_HUB_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1"}

import pyarrow.parquet as pq
import pytest
import torch
from PIL import Image
from transformers import AutoModelForCausalLM, AutoTokenizer

import puzzlemill as pm
from puzzlemill.outputs.trainer_files.writer import export

torch.set_num_threads(1)

TINY = Path(__file__).parents[2] / "difficulty" / "policies" / "tiny"
RECIPE = """
name = "small"
seed = 5
[[make]]
families = ["sorting", "sums", "maxima", "jigsaw_grid"]
count = 12
levels = [0.0, 0.25, 0.5]
[policy]
kind = "tiny"
max_tokens = 200
[score]
first = 2
most = 4
"""
WRONG = "<answer>no</answer>"


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("builds")
    (folder / "small.toml").write_text(RECIPE)
    return pm.build(folder / "small.toml", builds=folder)


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    return AutoTokenizer.from_pretrained(TINY)


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loaders keep caches; each test begins with none."""
    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "datasets")


def written(build: Path, to: str, out: Path, **settings: Any) -> Path:
    return export(build, to, out, unscored=True, **settings).folder


def rows_of(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return found


def gold(answer: str) -> str:
    return f"So it is <answer>{answer}</answer>"


def module_at(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def site() -> Path:
    return Path(sysconfig.get_paths()["purelib"])


# TRL


def loaded(path: Path) -> Any:
    from datasets import load_dataset

    return load_dataset("parquet", data_files=str(path), split="train")


def test_trl_takes_two_steps(build: Path, tmp_path: Path) -> None:
    from trl import GRPOConfig, GRPOTrainer

    from puzzlemill.outputs.exports.trl import reward

    folder = written(build, "trl", tmp_path / "trl")
    rows = loaded(folder / "train.parquet")
    assert [row["rank"] for row in rows] == list(range(len(rows)))
    seen: list[list[str]] = []
    given: list[list[float | None]] = []

    def watched(prompts: Any, completions: Any, uid: list[str], **others: Any) -> Any:
        seen.append(uid)
        found = reward(completions=completions, uid=uid, **others)
        given.append([None, *found[1:]])  # as if one of our verifiers had failed
        return given[-1]

    config = GRPOConfig(
        output_dir=str(tmp_path / "out"),
        use_cpu=True,
        bf16=False,
        shuffle_dataset=False,
        per_device_train_batch_size=8,
        num_generations=4,
        max_completion_length=120,
        max_steps=2,
        learning_rate=1e-3,
        logging_steps=1,
        save_strategy="no",
        report_to=[],
    )
    model = AutoModelForCausalLM.from_pretrained(TINY, dtype=torch.float32)
    before = next(model.parameters()).detach().clone()
    trainer = GRPOTrainer(
        model,
        reward_funcs=watched,
        args=config,
        train_dataset=rows,
        processing_class=AutoTokenizer.from_pretrained(TINY),
    )
    trainer.train()
    order = list(dict.fromkeys(uid for batch in seen for uid in batch))
    assert order == rows["uid"][: len(order)], "the curriculum's order is lost"
    assert len(order) == 4
    assert sum(score for batch in given for score in batch if score is not None) > 0
    assert not torch.equal(before, next(model.parameters()))
    losses = [log["loss"] for log in trainer.state.log_history if "loss" in log]
    assert len(losses) == 2
    assert all(map(isfinite, losses))
    logs = {name for log in trainer.state.log_history for name in log}
    assert {"correct", "unparsed", "error"} <= logs


def test_trl_scores_messages_and_leaves_out_what_failed(build: Path, tmp_path: Path) -> None:
    folder = written(build, "trl", tmp_path / "trl")
    reward = module_at(folder / "reward.py", "trl_reward").reward
    rows = loaded(folder / "train.parquet")
    columns = {name: rows[name][:4] for name in rows.column_names if name != "prompt"}
    replies = [gold(answer) for answer in columns["answer"][:2]] + [WRONG, ""]
    messages = [[{"role": "assistant", "content": reply}] for reply in replies]
    for completions in (replies, messages):
        found = reward(prompts=rows["prompt"][:4], completions=completions, **columns)
        assert found == [1.0, 1.0, 0.0, 0.0]


def test_trl_puts_pictures_where_the_prompt_has_them(build: Path, tmp_path: Path) -> None:
    from trl.data_utils import is_conversational, prepare_multimodal_messages

    folder = written(build, "trl", tmp_path / "trl")
    row = loaded(folder / "train-pictures.parquet")[0]
    assert is_conversational(row)
    (message,) = prepare_multimodal_messages(row["prompt"], row["images"])
    shown = [block for block in message["content"] if block["type"] == "image"]
    assert [type(block["image"]) for block in shown] == [type(image) for image in row["images"]]
    assert all(isinstance(block["image"], Image.Image) for block in shown)
    assert "<image>" not in "".join(block.get("text") or "" for block in message["content"])


def test_trl_learns_from_worked_replies(tmp_path: Path) -> None:
    from trl import SFTConfig, SFTTrainer

    recipe = tmp_path / "worked.toml"
    recipe.write_text(
        'name = "worked"\n[[make]]\nfamilies = ["linear_equation"]\ncount = 20\n'
        '[policy]\nkind = "none"\n'
    )
    folder = written(pm.build(recipe, builds=tmp_path), "sft", tmp_path / "sft")
    rows = loaded(folder / "train.parquet").select_columns(["messages"])
    config = SFTConfig(
        output_dir=str(tmp_path / "out"),
        use_cpu=True,
        bf16=False,
        max_steps=2,
        per_device_train_batch_size=4,
        shuffle_dataset=False,
        save_strategy="no",
        report_to=[],
    )
    model = AutoModelForCausalLM.from_pretrained(TINY, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(TINY)
    trainer = SFTTrainer(model, args=config, train_dataset=rows, processing_class=tokenizer)
    assert trainer.train().global_step == 2


# verl


def verl_config(**settings: Any) -> Any:
    from omegaconf import OmegaConf

    base = {"prompt_key": "prompt", "image_key": "images", "max_prompt_length": 1024}
    base |= {"filter_overlong_prompts": True, "filter_overlong_prompts_workers": 1}
    return OmegaConf.create({**base, "return_raw_chat": True, **settings})


def test_verl_loads_and_scores(build: Path, tmp_path: Path, tokenizer: Any) -> None:
    from omegaconf import OmegaConf
    from verl.trainer.ppo.reward import get_custom_reward_fn
    from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn

    folder = written(build, "verl", tmp_path / "verl")
    rows = rows_of(folder / "train.parquet")
    config = verl_config(cache_dir=str(tmp_path / "verl-cache"))
    data = RLHFDataset(str(folder / "train.parquet"), tokenizer, config)
    assert [item["extra_info"]["uid"] for item in data] == [
        row["extra_info"]["uid"] for row in rows
    ], "verl dropped or reordered rows"
    batch = collate_fn([data[0], data[1]])
    settings = {"path": str(folder / "reward.py"), "name": "compute_score"}
    for path in (settings["path"], "pkg://puzzlemill.outputs.exports.verl"):
        chosen = {"reward": {"custom_reward_function": {**settings, "path": path}}}
        compute = get_custom_reward_fn(OmegaConf.create(chosen))
        keys = set()
        for reply, score in ((None, 1.0), (WRONG, 0.0), ("", 0.0), ("\ud800", 0.0)):
            truth = batch["reward_model"][0]["ground_truth"]
            found = compute(
                data_source=batch["data_source"][0],
                solution_str=gold(truth) if reply is None else reply,
                ground_truth=truth,
                extra_info=batch["extra_info"][0] | {"num_turns": 2, "rollout_reward_scores": {}},
            )
            assert found["score"] == found["acc"] == score
            keys.add(tuple(found))
        assert len(keys) == 1, "keys that differ from sample to sample crash verl"


def test_verl_knows_the_settings_that_the_page_names(build: Path, tmp_path: Path) -> None:
    import re

    import verl
    from hydra import compose, initialize_config_dir

    page = (written(build, "verl", tmp_path / "verl") / "README.md").read_text()
    settings = re.findall(r"[`+ ]((?:\+?[a-z]\w+)(?:\.\w+)+=[^\s`:]+)", page)
    assert len(settings) >= 6
    config = str(Path(verl.__file__).parent / "trainer" / "config")
    with initialize_config_dir(config, version_base=None):
        made = compose("ppo_trainer", overrides=settings)
    assert made.data.shuffle is False
    assert made.reward.custom_reward_function.reward_kwargs.thinking is True


def test_verl_s_reward_manager_takes_what_the_reward_gives(
    build: Path, tmp_path: Path, tokenizer: Any
) -> None:
    from omegaconf import OmegaConf
    from verl import DataProto
    from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager

    from puzzlemill.outputs.exports.verl import compute_score

    folder = written(build, "verl", tmp_path / "verl")
    row = rows_of(folder / "train.parquet")[0]
    answer = row["reward_model"]["ground_truth"]
    tokens = tokenizer(gold(answer), return_tensors="pt")["input_ids"]

    async def run() -> Any:
        manager = NaiveRewardManager(OmegaConf.create({}), tokenizer, compute_score)
        data = DataProto.from_single_dict(
            {
                "responses": tokens,
                "attention_mask": torch.ones_like(tokens),
                **{name: objects(row[name]) for name in ("data_source", "reward_model")},
                "extra_info": objects(row["extra_info"]),
            }
        )
        return await manager.run_single(data)

    found = asyncio.run(run())
    assert found["reward_score"] == 1.0
    assert set(found["reward_extra_info"]) == {"score", "acc", "unparsed", "error"}


def objects(value: Any) -> Any:
    import numpy

    held = numpy.empty(1, dtype=object)
    held[0] = value
    return held


def test_verl_shows_pictures_in_their_places(build: Path, tmp_path: Path, tokenizer: Any) -> None:
    from verl.utils.dataset.rl_dataset import RLHFDataset

    folder = written(build, "verl", tmp_path / "verl")
    path = folder / "train-pictures.parquet"
    processor = SimpleNamespace(image_processor=SimpleNamespace(patch_size=14), tokenizer=tokenizer)
    config = verl_config(cache_dir=str(tmp_path / "c"), filter_overlong_prompts=False)
    data = RLHFDataset(str(path), tokenizer, config, processor=processor)
    rows = rows_of(path)
    assert len(data) == len(rows)
    content = data[0]["raw_prompt"][0]["content"]
    shown = [block["image"] for block in content if block["type"] == "image"]
    assert len(shown) == len(rows[0]["images"])
    assert all(isinstance(image, Image.Image) for image in shown)


# OpenRLHF


def openrlhf_data(path: Path, tokenizer: Any) -> Any:
    prompts = module_at(site() / "openrlhf/datasets/prompts_dataset.py", "openrlhf_prompts")
    tools = module_at(site() / "openrlhf/datasets/utils.py", "openrlhf_utils")
    data = {"input_key": "prompt", "label_key": "label", "image_key": "images"}
    args = SimpleNamespace(data=SimpleNamespace(**data, apply_chat_template=True), use_ms=False)
    strategy = SimpleNamespace(args=args, print=print, is_rank_0=lambda: False)
    rows = tools.blending_datasets(str(path), None, strategy, dataset_split="train")
    return prompts.PromptDataset(rows, tokenizer, strategy)


def test_openrlhf_loads_and_scores(build: Path, tmp_path: Path, tokenizer: Any) -> None:
    folder = written(build, "openrlhf", tmp_path / "openrlhf")
    rows = rows_of(folder / "train.parquet")
    data = openrlhf_data(folder / "train.parquet", tokenizer)
    assert [data[place][2] for place in range(len(data))] == [row["label"] for row in rows]
    _, prompt, label, _ = data[0]
    uid = json.loads(label)["uid"]
    answers = {row["uid"]: row["answer"] for row in rows_of(trl_rows(build, tmp_path))}
    reward_func = module_at(folder / "reward.py", "reward_func").reward_func  # as OpenRLHF does
    asked = tokenizer(text=prompt, add_special_tokens=False)["input_ids"]
    for reply, score in ((gold(answers[uid]), 1.0), (WRONG, 0.0), ("", 0.0), ("I pass.", 0.0)):
        said = tokenizer(text=reply + "<|end|>", add_special_tokens=False)["input_ids"]
        for tokens in (asked + said, asked[-60:] + said):  # whole, and cut as too long
            query = tokenizer.decode(tokens, skip_special_tokens=False)
            found = reward_func([query], [prompt], [label])
            assert found["rewards"].tolist() == found["scores"].tolist() == [score]
            assert set(found["extra_logs"]) == {"correct", "unparsed", "error"}
            assert found["extra_logs"]["error"].item() == 0


def trl_rows(build: Path, tmp_path: Path) -> Path:
    return written(build, "trl", tmp_path / "trl") / "train.parquet"


@dataclass
class Engine:
    """A stand-in for the one part that needs a GPU: it replies what it was made for."""

    tokens: list[int]

    async def generate(self, prompt: list[int], settings: Any, **others: Any) -> Any:
        reply = SimpleNamespace(token_ids=self.tokens, finish_reason="stop", logprobs=None)
        return SimpleNamespace(outputs=[reply])


def test_openrlhf_s_own_executor_runs_the_file(build: Path, tmp_path: Path, tokenizer: Any) -> None:
    agent = module_at(site() / "openrlhf/utils/agent.py", "openrlhf_agent")
    folder = written(build, "openrlhf", tmp_path / "openrlhf")
    _, prompt, label, _ = openrlhf_data(folder / "train.parquet", tokenizer)[0]
    answers = {row["uid"]: row["answer"] for row in rows_of(trl_rows(build, tmp_path))}
    executor = agent.SingleTurnAgentExecutor(str(folder / "reward.py"))
    settings = SimpleNamespace(max_tokens=100, logprobs=None)
    for reply, score in ((gold(answers[json.loads(label)["uid"]]), 1.0), (WRONG, 0.0), ("", 0.0)):
        engine = Engine(tokenizer(text=reply + "<|end|>")["input_ids"])
        found = asyncio.run(executor.execute(prompt, label, settings, 1024, tokenizer, engine))
        assert torch.tensor([found["reward"]]).tolist() == [score]  # what OpenRLHF makes of it
        assert {name: value.item() for name, value in found["extra_logs"].items()} == {
            "correct": score,
            "unparsed": 1.0 - score,
            "error": 0.0,
        }


def test_openrlhf_opens_the_pictures(build: Path, tmp_path: Path, tokenizer: Any) -> None:
    tools = module_at(site() / "openrlhf/utils/vlm_utils.py", "openrlhf_vlm")
    folder = written(build, "openrlhf", tmp_path / "openrlhf")
    rows = loaded(folder / "train-pictures.parquet")
    for row in rows:
        assert len(tools.load_images(row["images"])) == len(row["images"]) > 0
        assert row["prompt"][0]["content"].count("<image>") == len(row["images"])


# verifiers


@pytest.fixture(scope="session")
def taskset(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, installed beside the others."""
    folder = written(build, "verifiers", tmp_path_factory.mktemp("verifiers") / "small")
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(target)]
    subprocess.run([*command, "--no-build-isolation", str(folder)], check=True)
    sys.path.insert(0, str(target))
    return folder


def test_verifiers_finds_the_taskset_by_its_id(taskset: Path) -> None:
    import verifiers.v1 as vf
    from verifiers.v1.envs.single_agent import SingleAgentEnvConfig
    from verifiers.v1.utils.loaders import load_environment, load_taskset, taskset_class

    kind = taskset_class("puzzlemill-small")
    settings = kind.__mro__[1].__module__
    assert settings == "puzzlemill.outputs.exports.verifiers.reward"
    config = SingleAgentEnvConfig.model_validate(
        {"taskset": {"id": "puzzlemill-small", "file": "train"}}
    )
    tasks = list(load_taskset(config.taskset))
    rows = rows_of(taskset / "puzzlemill_small" / "train.parquet")
    assert [task.key for task in tasks] == [row["uid"] for row in rows]
    assert isinstance(load_environment(config), vf.Env)
    for task, row in list(zip(tasks, rows, strict=True))[:3]:
        for reply, score in ((gold(row["answer"]), 1.0), (WRONG, 0.0), ("", 0.0)):
            trace = trace_of(task, reply)
            asyncio.run(task.score(trace))
            assert trace.reward == score
            assert trace.metrics == {"unparsed": float(not reply or reply == WRONG), "error": 0.0}
        assert asyncio.run(task.validate(None))


def trace_of(task: Any, reply: str) -> Any:
    import verifiers.v1 as vf
    from verifiers.v1.graph import MessageNode
    from verifiers.v1.types import AssistantMessage, UserMessage

    asked = UserMessage(content=task.data.prompt_text)
    nodes = [
        MessageNode(parent=None, message=asked, sampled=False),
        MessageNode(parent=0, message=AssistantMessage(content=reply), sampled=True),
    ]
    known = vf.TraceTask(type="PuzzleTask", data=task.data, key=task.key, hash=task.hash)
    agent = vf.AgentInfo(config=vf.AgentConfig())
    return vf.Trace(agent=agent, task=known, nodes=nodes)


def test_verifiers_shows_pictures(taskset: Path) -> None:
    from verifiers.v1.envs.single_agent import SingleAgentEnvConfig
    from verifiers.v1.utils.loaders import load_taskset

    chosen = {"id": "puzzlemill-small", "file": "train-pictures"}
    config = SingleAgentEnvConfig.model_validate({"taskset": chosen})
    task = next(iter(load_taskset(config.taskset)))
    parts = task.data.prompt[0].content
    urls = [part.image_url.url for part in parts if part.type == "image_url"]
    assert urls
    assert all(url.startswith("data:image/png;base64,") for url in urls)


# Reasoning Gym


def test_reasoning_gym_scores_by_our_verifiers(build: Path, tmp_path: Path) -> None:
    import reasoning_gym
    from reasoning_gym.utils import extract_answer

    folder = written(build, "reasoning-gym", tmp_path / "gym")
    module_at(folder / "reward.py", "gym_reward").register()
    data = reasoning_gym.create_dataset("puzzlemill", path=str(folder / "train.parquet"))
    entries = list(data)
    assert len(entries) == len(data) > 3
    assert [entry["metadata"]["rank"] for entry in entries] == list(range(len(data)))
    entry = entries[0]
    assert data.score_answer(entry["answer"], entry) == 1.0
    assert data.score_answer(extract_answer(gold(entry["answer"])), entry) == 1.0
    for wrong in (None, "", "no", WRONG):
        assert data.score_answer(wrong, entry) == 0.0


def test_pictures_are_whole_files(build: Path, tmp_path: Path) -> None:
    path = written(build, "verl", tmp_path / "verl") / "train-pictures.parquet"
    for row in rows_of(path):
        for image in row["images"]:
            with Image.open(io.BytesIO(image["bytes"])) as picture:
                assert picture.format == "PNG"
