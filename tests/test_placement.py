"""Placement: which engines are whose, and on which devices.

No device is a GPU here. `test_together.py` trains with stand-ins for engines; `make vllm` has the
real ones on a CPU.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch

from puzzlemill import pipelines
from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.engine_environment import VISIBLE, environment_of_engine
from puzzlemill.difficulty.policies.policy import Question, Reply, Sampling
from puzzlemill.difficulty.policies.tiny_policy import tiny
from puzzlemill.pipelines.recipe import recipe_from
from puzzlemill.trainer import distributed
from puzzlemill.trainer.placement import engine_places, ranks_of_an_engine
from puzzlemill.trainer.run import train
from puzzlemill.trainer.sampler import Sampler
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.settings.placement import Placement
from puzzlemill.trainer.vllm_sampler import Memory, VllmSampler

RECIPE = """name = "run"
[[make]]
families = ["sums"]
levels = [0.25]
[policy]
kind = "tiny"
[train]
source = "endless"
MORE
"""


@pytest.fixture
def rank(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], None]:
    """Be one of several ranks of a host."""

    def become(number: int, ranks: int) -> None:
        monkeypatch.setattr(distributed, "rank", lambda: number)
        monkeypatch.setattr(distributed, "world_size", lambda: ranks)
        monkeypatch.setenv("LOCAL_RANK", str(number))
        monkeypatch.setenv("LOCAL_WORLD_SIZE", str(ranks))

    return become


def places(placement: Placement, rank: Any, ranks: int) -> list[tuple[tuple[int, ...], ...]]:
    found = []
    for number in range(ranks):
        rank(number, ranks)
        found.append(engine_places(placement, ahead=False).mine)
    return found


def test_engines_on_the_trainers_devices_are_one_for_so_many_ranks(rank: Any) -> None:
    assert places(Placement(), rank, 2) == [((0,),), ((1,),)]
    assert places(Placement(parallel=2), rank, 4) == [((0, 1),), (), ((2, 3),), ()]


def test_engines_on_other_devices_are_the_first_ranks(rank: Any) -> None:
    apart = Placement(engines=2, parallel=2)
    assert places(apart, rank, 3) == [((3, 4), (5, 6)), (), ()]
    assert places(Placement(engines=1), rank, 1) == [((1,),)]


def test_ranks_that_make_no_whole_engine_are_refused(rank: Any) -> None:
    rank(0, 3)
    with pytest.raises(UserError, match="a multiple of 2"):
        engine_places(Placement(parallel=2), ahead=False)


def test_too_few_devices_are_refused(rank: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    rank(0, 2)
    assert engine_places(Placement(engines=2), ahead=True).apart
    with pytest.raises(UserError, match="are 5 devices, and this host has 4"):
        engine_places(Placement(engines=3), ahead=True)


def test_ranks_that_take_turns_are_not_ahead(rank: Any) -> None:
    rank(0, 2)
    with pytest.raises(UserError, match="max_staleness"):
        engine_places(Placement(), ahead=True)
    rank(0, 1)
    assert engine_places(Placement(), ahead=True).mine == ((0,),)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"placement": {"engines": 1}}, "sampler is 'vllm'"),
        ({"sampler": "vllm", "placement": {"parallel": 0}}, "outside 1..1024"),
        ({"sampler": "vllm", "placement": {"engine": 1}}, "engines"),
        ({"handover": "direct"}, "handover"),
        ({"sampler": "vllm", "handover": "nccl"}, "handover"),
    ],
)
def test_a_placement_is_checked_when_it_is_read(said: dict[str, Any], why: str) -> None:
    with pytest.raises(UserError, match=why):
        recipe_from({"name": "x", "make": [{"families": ["sums"]}], "train": said})


@pytest.mark.parametrize(
    "sampler", ['"server"\nserver = "http://127.0.0.1:9/v1"', '"vllm"'], ids=["server", "vllm"]
)
def test_weights_go_directly_from_a_gpu_alone(sampler: str, tmp_path: Path) -> None:
    more = f'sampler = {sampler}\nhandover = "direct"'
    (tmp_path / "run.toml").write_text(RECIPE.replace("MORE", more))
    with pytest.raises(UserError, match="no GPU to send weights from"):
        train(pipelines.ready_to_train(tmp_path / "run.toml", tmp_path))


def test_an_engines_processes_see_their_devices_and_nothing_of_torchrun(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With torchrun's store in the environment they would wait for it for ever."""
    monkeypatch.setenv(VISIBLE, "4,5,7")
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("TORCHELASTIC_USE_AGENT_STORE", "True")
    with environment_of_engine((1, 2)):
        assert os.environ[VISIBLE] == "5,7"
        assert not {"RANK", "TORCHELASTIC_USE_AGENT_STORE"} & os.environ.keys()
    assert os.environ[VISIBLE] == "4,5,7"
    assert os.environ["RANK"] == "1"
    monkeypatch.delenv(VISIBLE)
    with environment_of_engine((3,)):
        assert os.environ[VISIBLE] == "3"
    assert VISIBLE not in os.environ


@dataclass
class Numbered:
    """An engine whose replies tell which one it is, and the seeds that it was asked."""

    number: int
    dtype: torch.dtype = torch.float32
    asked: list[int] = field(default_factory=list)

    def sample(self, questions: list[Question], n: int) -> list[list[Reply]]:
        self.asked += [each.seed for each in questions]
        return [[Reply(f"{self.number} {each.seed}")] * n for each in questions]


def test_questions_are_dealt_to_engines_and_replies_come_in_order() -> None:
    engines: Any = (Numbered(0), Numbered(1), Numbered(2))
    sampler = VllmSampler(engines, tiny(Sampling()), Memory(sleeps=False))
    assert isinstance(sampler, Sampler)
    questions = [Question((), seed) for seed in range(7)]
    found = sampler.sample(questions, 2)
    assert [group[0].text for group in found] == [f"{seed % 3} {seed}" for seed in range(7)]
    assert [len(each.asked) for each in engines] == [3, 2, 2]
    none = VllmSampler((), tiny(Sampling()), Memory(sleeps=False))
    assert none.sample([], 2) == []


def test_shares_go_to_the_first_of_the_ranks_of_an_engine(rank: Any) -> None:
    shards = []
    for number in range(4):
        rank(number, 4)
        shards.append(distributed.shard("abcdefg", 2))
    assert shards == [[*"aceg"], [], [*"bdf"], []]
    rank(0, 4)
    distributed_all = distributed.all_gather
    try:
        vars(distributed)["all_gather"] = lambda value, group=None: shards
        assert distributed.gather_shards(shards[0], each=2) == [*"abcdefg"]
    finally:
        vars(distributed)["all_gather"] = distributed_all
    settings = Train(sampler="vllm", placement=Placement(parallel=2))
    assert ranks_of_an_engine(settings) == 2
    assert ranks_of_an_engine(Train(sampler="vllm", placement=Placement(engines=3))) == 4
    assert ranks_of_an_engine(Train()) == 1
