"""Adapters in the hands of the frameworks themselves, on the CPU. Not part of the plain run:

    .venv-loaders/bin/python -m pytest -W ignore tests/real/adapters_rl.py

`make loaders` makes the environment and runs it. Takes some minutes. Gold earns 1 and nothing earns
less than 1 in Reasoning Gym, TRL and verifiers, for every family, each at one of five levels.
"""

import json
import os
import pickle
from pathlib import Path
from typing import Any

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1"}
os.environ |= {"HF_HUB_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1", "WANDB_DISABLED": "true"}

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import puzzlemill as pm
from puzzlemill.core import registry
from puzzlemill.serving.settings import Serve

LEVELS = Serve().levels
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
