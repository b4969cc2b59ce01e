"""The learning lab beside Reasoning Gym, with a few items in its place and a very small student."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

from benchmarks.learning import beside_gym
from benchmarks.learning.beside_gym import Division, Source
from benchmarks.learning.records import Records
from benchmarks.learning.students import SIZES, Size
from puzzlemill.core.storage.files import write_json
from puzzlemill.trainer.imitation import ExampleBatch, padded
from puzzlemill.trainer.tiny import encoded
from puzzlemill.trainer.tiny_tokens import build_tokens

SMALL = Size(hidden=32, layers=1, heads=2, kv_heads=1, intermediate=48)
PAIRS = [(f"How many letters has {'a' * size}?", str(size)) for size in range(1, 9)]
SPLITS = {"train": PAIRS, "test": PAIRS[:2]}


@pytest.fixture(autouse=True)
def gym(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    names = ("letter_counting", "chain_sum", "basic_arithmetic", "number_sorting")
    write_json(tmp_path / "gym.json", dict.fromkeys(names, SPLITS))
    monkeypatch.setattr(beside_gym, "FOLDER", tmp_path)
    monkeypatch.setattr(beside_gym, "THIRD", 1)
    monkeypatch.setattr(beside_gym, "WARM", 1)
    beside_gym.gym.cache_clear()
    yield
    beside_gym.gym.cache_clear()


def small_division() -> Division:
    gym_sources = [Source(f"reasoning-gym/{name}") for name in ("letter_counting", "chain_sum")]
    return Division(
        gym_sources[:1], [Source("letter_count")], gym_sources[1:], [Source("sums")], gym_sources
    )


def test_a_kind_is_whole_and_in_one_part() -> None:
    kinds = beside_gym.shared_kinds()
    assert (
        ["reasoning-gym/basic_arithmetic", "reasoning-gym/chain_sum"],
        ["arithmetic_chain"],
    ) in kinds
    assert len(kinds) == 3
    division = beside_gym.divided()
    parts = [division.theirs, division.ours, division.third_theirs, division.third_ours]
    names = [each.name for part in [*parts, division.warm] for each in part]
    assert len(names) == len({*names})
    assert sorted(names) == sorted(name for kind in kinds for part in kind for name in part)
    assert all(parts)
    gym_names = {name for kind in kinds for name in kind[0]}
    assert {each.name for each in division.theirs + division.third_theirs} <= gym_names
    assert {each.name.startswith("reasoning-gym/") for each in division.warm} == {True, False}


def test_both_suites_ask_for_an_answer_in_the_same_form() -> None:
    for name in ("reasoning-gym/letter_counting", "letter_count"):
        [(prompt, reply)] = Source(name).pairs("train", 0, 1)
        assert prompt.endswith("between <answer> and </answer>.")
        assert reply.startswith("<answer>")
        assert reply.endswith("</answer>")
    [(_, solved)] = Source("letter_count", worked=True).pairs("train", 0, 1)
    assert len(solved) > len(reply)


def test_an_answer_counts_as_whole_when_all_its_tokens_are_the_likeliest() -> None:
    tokens = build_tokens(prompt + beside_gym.ENDING for prompt, _ in PAIRS)
    [batch] = [padded(encoded(tokens, [PAIRS[0], PAIRS[1]]))]

    class Knows:
        """Gives the next tokens of one row, and wrong ones of the other."""

        def __call__(self, tokens_BT: torch.Tensor) -> torch.Tensor:
            return tokens_BT

        def logits(self, tokens_BT: torch.Tensor) -> torch.Tensor:
            next_BT = batch.tokens_BT[:, 1:].clone()
            next_BT[1] = (next_BT[1] + 1) % tokens.count
            return torch.nn.functional.one_hot(next_BT, tokens.count).float() * 50

    likelihood, whole = beside_gym._score(Knows(), batch)  # type: ignore[arg-type]
    assert whole == 0.5
    assert likelihood == pytest.approx(-25, abs=8)  # one row costs nothing, the other 50 a token


def test_an_arm_learns_and_is_told_beside_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beside_gym, "WARM_STEPS", 2)
    monkeypatch.setattr(beside_gym, "STEPS", 2)
    monkeypatch.setitem(SIZES, "0.5m", SMALL)
    division, records = small_division(), Records.read(tmp_path / "runs.json")
    name, model, tokens = beside_gym.warmed(division, tmp_path)
    again, loaded, _ = beside_gym.warmed(division, tmp_path)
    assert again == name
    held: list[ExampleBatch] = [
        padded(encoded(tokens, source.pairs("test", 0, 2)))
        for source in beside_gym.measured(division)
    ]
    before = beside_gym.scores(model, held)
    assert beside_gym.scores(loaded, held) == pytest.approx(before, abs=1e-4)
    assert len(before) == 2 * len(held)
    records.of(f"{name} before", lambda: before)
    for arm, gain in (("theirs", 0.1), ("ours", 0.3)):
        after = [value + gain for value in before]
        records.of(f"{name} 2@{beside_gym.RATE} 0 {arm}", lambda after=after: after)
    told = beside_gym.figures(name, division, records)
    assert told["gain"]["ours"]["third, ours"]["nats"]["value"] == pytest.approx(0.3, abs=1e-3)
    assert told["ours over theirs"]["by_seed"] == pytest.approx([0.2], abs=1e-3)


def test_seeds_of_an_arm_learn_from_other_items() -> None:
    tokens = build_tokens(prompt + beside_gym.ENDING for prompt, _ in PAIRS)
    one, other = (
        next(islice(beside_gym.batches(tokens, [Source("sums")], f"ours {seed}"), 1))
        for seed in (0, 1)
    )
    assert one.tokens_BT.shape != other.tokens_BT.shape or not one.tokens_BT.equal(other.tokens_BT)
