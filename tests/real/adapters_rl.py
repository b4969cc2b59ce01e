"""Adapters in the hands of the frameworks themselves, on the CPU. Not part of the plain run:

    .venv-loaders/bin/python -m pytest -W ignore tests/real/adapters_rl.py

`make loaders` makes the environment and runs it. Takes some minutes. Gold earns 1 and nothing earns
less than 1 in Reasoning Gym, TRL and verifiers, for every family, each at one of five levels.
"""

import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1"}
os.environ |= {"HF_HUB_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1", "WANDB_DISABLED": "true"}

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import puzzlemill as pm
from puzzlemill.core import registry
from puzzlemill.core.item import certified
from puzzlemill.core.plain_data import thaw
from puzzlemill.serving.settings import Serve

LEVELS = Serve().levels
GAMES = [f"play_{name}" for name in registry.games() if name != "spy_pictures"]  # has pictures
TEXTS = [name for name in pm.families() if name not in pm.families("visual")]
WRONG = "I cannot say. <answer>no</answer>"


def level_of(family: str) -> float:
    """One of the levels, so that all families together have all of them."""
    return LEVELS[TEXTS.index(family) % len(LEVELS)]


# Reasoning Gym


@pytest.fixture(scope="module")
def gym() -> Any:
    import reasoning_gym

    pm.register_to_reasoning_gym()
    return reasoning_gym


@pytest.fixture(scope="module")
def entries(gym: Any) -> list[dict[str, Any]]:
    """An entry of every family without pictures."""
    names = pm.register_to_reasoning_gym()
    assert names == [f"puzzlemill_{name}" for name in names_by_category()]
    return [
        gym.create_dataset(f"puzzlemill_{name}", seed=3, level=level_of(name))[5] for name in TEXTS
    ]


def names_by_category() -> list[str]:
    return [
        name for each in registry.categories() if each != "visual" for name in pm.families(each)
    ]


def test_reasoning_gym_scores_every_family_after_json_and_parquet(
    gym: Any, entries: list[dict[str, Any]], tmp_path: Path
) -> None:
    pq.write_table(pa.Table.from_pylist(entries), tmp_path / "entries.parquet")
    from_parquet = pq.read_table(tmp_path / "entries.parquet").to_pylist()
    from_json = json.loads(json.dumps(entries))
    faults = []
    for fresh, read, loaded in zip(entries, from_parquet, from_json, strict=True):
        score = gym.get_score_answer_fn(read["metadata"]["source_dataset"])
        answer = fresh["answer"]
        scores = [
            score(answer, read),  # as its own trainers extract it
            score(f"<think>So it is.</think>\n<answer>{answer}</answer>", loaded),
            *(score(nothing, read) for nothing in (None, "", "I cannot say.")),
        ]
        if scores[:2] != [1.0, 1.0] or max(scores[2:]) >= 1:
            faults.append((read["metadata"]["source_dataset"], scores))
    assert not faults


def test_an_entry_of_reasoning_gym_is_the_item_at_its_address(
    entries: list[dict[str, Any]],
) -> None:
    for entry in entries[::25]:
        item = pm.item(entry["metadata"])
        assert (item.prompt, item.answer) == (entry["question"], entry["answer"])
        assert (item.seed, item.index, item.split) == (3, 5, "train")


def test_reasoning_gym_composes_reseeds_and_pickles_our_datasets(gym: Any) -> None:
    from reasoning_gym.composite import DatasetSpec
    from reasoning_gym.dataset import ReseedingDataset

    specs = [
        DatasetSpec("puzzlemill_sums", 1, {"level": 0.0}),
        DatasetSpec("puzzlemill_sudoku", 1, {"level": 0.0, "split": "test"}),
        DatasetSpec("gcd", 1, {}),  # one of its own
    ]
    mixed = gym.create_dataset("composite", seed=1, size=12, datasets=specs)
    sources = set()
    for entry in mixed:
        sources.add(entry["metadata"]["source_dataset"])
        assert mixed.score_answer(entry["answer"], entry) == 1.0
        assert mixed.score_answer("", entry) == 0.0
    assert sources == {"puzzlemill_sums", "puzzlemill_sudoku", "gcd"}
    sums = gym.create_dataset("puzzlemill_sums", seed=1, size=3)
    assert [pickle.loads(pickle.dumps(sums))[place] for place in range(3)] == list(sums)
    endless = iter(ReseedingDataset(sums, chunk_size=4))
    questions = [next(endless)["question"] for _ in range(12)]
    assert len(set(questions)) == 12, "neighbouring seeds share items"
    with pytest.raises(pm.UserError, match="level is a number from 0 to 1, not 3"):
        gym.create_dataset("puzzlemill_sums", level=3)


def test_a_curriculum_of_reasoning_gym_moves_the_level(gym: Any) -> None:
    from reasoning_gym.coaching.curriculum_config import (
        CurriculumAttributeConfig,
        CurriculumExperimentConfig,
    )
    from reasoning_gym.coaching.experiment import CurriculumExperiment

    name = "puzzlemill_sums"
    attributes = {name: CurriculumAttributeConfig(attribute_levels={"*": 1}, weight=1.0)}
    config = CurriculumExperimentConfig(curricula=attributes)
    experiment = CurriculumExperiment("levels", config, size=4, seed=0)
    moves = ((0.25, "increment"), (0.5, "decrement"), (0.25, "decrement"), (0.0, "decrement"))
    for level, move in moves:
        entry = experiment.get_dataset_entry(2)
        assert entry["metadata"]["difficulty"] == {"level": level}
        number = entry["metadata"]["entry_id"]
        assert experiment.score_answer_with_id(entry["answer"], number) == 1.0
        experiment.update_difficulty(name, move)
    assert experiment.score_board.aggregate()[name].total_scores == 4


# TRL


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    from trl.chat_template_utils import qwen3_chat_template

    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tiny_models import bytewise

    return bytewise(qwen3_chat_template)


def trainer_on(tasks: Any, tokenizer: Any, folder: Path, **settings: Any) -> Any:
    """GRPOTrainer with a small random model, for two steps."""
    import torch
    from tiny_models import SMALL
    from transformers import AutoConfig, AutoModelForCausalLM
    from trl import GRPOConfig, GRPOTrainer

    torch.set_num_threads(1)
    torch.manual_seed(1)
    shape = SMALL | {"max_position_embeddings": 65_536, "head_dim": 8}
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model("qwen3", **shape))
    options: dict[str, Any] = {
        "per_device_train_batch_size": 8,
        "num_generations": 4,
        "max_steps": 2,
    }
    options |= {"max_completion_length": 24, "use_cpu": True, "bf16": False, "report_to": []}
    options |= {"save_strategy": "no", "logging_steps": 1, "learning_rate": 1e-3}
    return GRPOTrainer(
        model,
        args=GRPOConfig(output_dir=str(folder), **(options | settings)),
        train_dataset=tasks.train_dataset,
        environment_factory=tasks.environment_factory,
        reward_funcs=tasks.reward_funcs,
        processing_class=tokenizer,
    )


def gold_of(fields: Mapping[str, Any]) -> str:
    """The gold answer to a puzzle in a row."""
    family = registry.family(fields["family"])
    return certified(family, thaw(family.puzzle, fields["puzzle"]))


def legal_move(game: str, state: str) -> str:
    rules = registry.game(game)
    before = thaw(rules.state, state)
    return rules.write(rules.legal(before)[-1])


def test_trl_scores_every_family(tokenizer: Any) -> None:
    from puzzlemill.serving.adapters.trl import environments

    faults = []
    for level in LEVELS:
        families = [name for name in TEXTS if level_of(name) == level]
        tasks = environments(families, count=len(families), levels=[level], seed=3)
        (make,) = [tasks.environment_factory["problem"]]
        problems = [make() for _ in families]
        for row, problem in zip(tasks.train_dataset, problems, strict=True):
            assert problem.reset(**{name: row[name] for name in row if name != "environment"})
        golds = [f"<answer>{gold_of(each.item.fields)}</answer>" for each in problems]
        for replies, right in ((golds, True), (["I cannot say."] * len(golds), False)):
            for problem in problems:
                problem.verdict = None
            messages = [[{"role": "assistant", "content": reply}] for reply in replies]
            scores = tasks.reward(messages, environments=problems)
            faults += [
                (family, score, right)
                for family, score in zip(families, scores, strict=True)
                if (score == 1) != right
            ]
    assert not faults


def test_trl_trains_on_problems_aimed_at_a_band(tokenizer: Any, tmp_path: Path) -> None:
    from puzzlemill.serving.adapters.trl import environments

    tasks = environments(["sums", "gcd"], count=32, band=(0.2, 0.8))
    trainer = trainer_on(tasks, tokenizer, tmp_path)
    before = next(trainer.model.parameters()).detach().clone()
    trainer._generate_single_turn = scripted(trainer, tokenizer, wrong_every=2)
    trainer.train()
    assert not before.equal(next(trainer.model.parameters()))
    logs = [log for log in trainer.state.log_history if "loss" in log]
    assert len(logs) == 2
    assert {"correct", "unparsed", "error"} <= set(logs[0])
    assert all(log["reward"] == 0.5 for log in logs)
    assert tasks.server.band is not None
    tallies = [tally for each in tasks.server.band.tallies.values() for tally in each.values()]
    assert [tally[1:] for tally in tallies] == [[4, 2]] * 4  # a group to an item, two a step


def test_trl_s_own_model_replies_to_problems(tokenizer: Any, tmp_path: Path) -> None:
    from puzzlemill.serving.adapters.trl import environments

    trainer = trainer_on(environments(["sums", "gcd"], count=32), tokenizer, tmp_path)
    trainer.train()
    assert trainer.state.global_step == 2


def test_trl_plays_tries_and_every_game_by_tools(tokenizer: Any, tmp_path: Path) -> None:
    from puzzlemill.serving.adapters.trl import environments

    tasks = environments(["sums", *GAMES], count=1 + len(GAMES), tries=3, levels=[0.0])
    most = {"max_tool_calling_iterations": 60, "max_completion_length": 20_000}
    trainer = trainer_on(tasks, tokenizer, tmp_path, num_generations=2, **most)
    assert {tool.__name__ for tool in trainer.tools} == {"submit", "play"}
    trainer._generate_single_turn = scripted(trainer, tokenizer)
    for row in tasks.train_dataset:
        trainer._generate_and_score_completions([row, row])
        for environment in trainer.environments:
            if row["environment"] == "problem":
                assert (environment.score, environment.left) == (1.0, 0)
                continue
            name = environment.episode.task["game"]
            assert environment.episode.position.reward is not None, f"{name} was left"
            assert not environment.episode.position.fault, name


def scripted(trainer: Any, tokenizer: Any, wrong_every: int = 0) -> Any:
    """In place of the model: gold, at the second of three tries, and legal moves, by tools."""

    def reply(environment: Any, place: int) -> str:
        if hasattr(environment, "play"):
            if environment.episode.position.reward is not None:
                return "Done."
            answer = legal_move(
                environment.episode.task["game"], environment.episode.position.state
            )
            return called("play", answer)
        gold = gold_of(environment.item.fields)
        if not hasattr(environment, "submit"):
            return "no" if wrong_every and place % wrong_every else f"<answer>{gold}</answer>"
        if environment.left == 0:
            return "Done."
        return called("submit", "no" if environment.left == 3 else gold)

    def generate(prompt_ids: Any, *others: Any, **settings: Any) -> Any:
        asked = [tokenizer.decode(ids) for ids in prompt_ids]
        free = list(range(len(trainer.environments)))
        ids = []
        for text in asked:
            (place, *_) = [
                each for each in free if latest_prompt(trainer.environments[each]) in text
            ]
            free.remove(place)
            said = reply(trainer.environments[place], place)
            ids.append([*tokenizer(said, add_special_tokens=False)["input_ids"], 1])
        return ids, None

    return generate


def latest_prompt(environment: Any) -> str:
    if hasattr(environment, "play"):
        return str(environment.episode.position.prompt)
    return str(environment.item.prompt)


def called(tool: str, answer: str) -> str:
    call = json.dumps({"name": tool, "arguments": {"answer": answer}})
    return f"<tool_call>\n{call}\n</tool_call>"


def test_the_live_band_learns_the_same_in_every_process(tmp_path: Path) -> None:
    script = """
import sys
from torch import distributed
from puzzlemill.serving.adapters.trl import environments

rank = int(sys.argv[1])
distributed.init_process_group("gloo", init_method=sys.argv[2], rank=rank, world_size=2)
tasks = environments(["sums", "gcd"], band=(0.2, 0.8))
problems = [tasks.environment_factory["problem"]() for _ in range(4)]
for index, problem in enumerate(problems):
    problem.reset("train", index % 2 + 2 * rank)
tasks.reward(["<answer>1</answer>", "no", "no", "no"], problems)
print({family: dict(items) for family, items in tasks.server.band.tallies.items()})
print([tasks.server.band.task("train", index) for index in range(40, 60)])
"""
    where = f"file://{tmp_path / 'meet'}"
    ranks = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", script, str(rank), where],
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    said = [each.communicate()[0] for each in ranks]
    assert said[0] == said[1]
    assert said[0].count("[") > 4, "nothing was learnt"


# The page


def examples(heading: str) -> list[str]:
    page = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text()
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    found = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    assert found
    return found


def test_the_examples_of_the_page_run(
    gym: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for code in examples("Reasoning Gym"):
        names: dict[str, Any] = {}
        exec(code, names)
        assert names["score"](names["entry"]["answer"], names["entry"]) == 1.0
    monkeypatch.chdir(tmp_path)
    given = trainer_on(narrow(), tokenizer, tmp_path)
    for code in examples("TRL"):
        whole = code.replace('"your-model"', "model, processing_class=tokenizer")
        whole = whole.replace("max_steps=1000", "max_steps=1000, use_cpu=True, bf16=False")
        names = {"model": given.model, "tokenizer": tokenizer}
        exec(whole, names)
        assert len(names["trainer"].train_dataset) == 10_000


def narrow() -> Any:
    from puzzlemill.serving.adapters.trl import environments

    return environments(["sums"], count=8)
