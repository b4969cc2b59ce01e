"""Earlier checkpoints as opponents in self-play."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.policy import Sampling
from puzzlemill.difficulty.policies.tiny_policy import tiny
from puzzlemill.difficulty.policies.transformer import fresh
from puzzlemill.pipelines.recipe import recipe_from
from puzzlemill.trainer.frozen_policy import frozen_policies
from puzzlemill.trainer.game_evaluation import measure_games
from puzzlemill.trainer.selfplay import fingerprint, play_step, samples_of
from puzzlemill.trainer.settings import TrainGames
from puzzlemill.trainer.settings.games import Play


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of the bundled policy that has gone its own way."""
    folder = tmp_path_factory.mktemp("runs") / "checkpoint-000001"
    policy = tiny(Sampling(max_tokens=4))
    with torch.no_grad():
        for weight in policy.model.parameters():
            weight.mul_(0.5)
    checkpoint.save(policy.model, folder, policy.tokens)
    return folder


def test_an_earlier_checkpoint_plays_and_is_not_learned(earlier: Path) -> None:
    policy = tiny(Sampling(max_tokens=4))
    name = str(earlier)
    frozen = frozen_policies(["self", name, "random"], policy)
    assert [*frozen] == [name]
    ours, theirs = policy.model.state_dict(), frozen[name].policy.model.state_dict()  # type: ignore[attr-defined]
    assert all(torch.equal(theirs[key], ours[key] * 0.5) for key in ours)
    settings = Play(games=("kuhn_poker",), starts=2, opponents={name: 1.0}, against=(name,))
    games = play_step(policy, settings, 0, frozen)
    players = {each.transcript.players for each in games}
    assert players == {(policy.id, frozen[name].id), (frozen[name].id, policy.id)}
    own = sum(len(each.turns(seat)) for each in games for seat in each.results)
    assert len(samples_of(policy, games, {}, TrainGames(play=settings))) == own
    assert {row["against"] for row in measure_games(policy, settings, 1, 0, frozen)} == {name}


def test_other_weights_of_an_opponent_are_another_run(earlier: Path) -> None:
    alone = Play(games=("kuhn_poker",))
    against = replace(alone, opponents={str(earlier): 1.0})
    before = fingerprint(against)
    assert before != fingerprint(alone)
    assert fingerprint(replace(alone, opponents={"random": 1.0})) == fingerprint(alone)


def test_an_opponent_that_is_no_checkpoint_is_refused(earlier: Path, tmp_path: Path) -> None:
    policy = tiny(Sampling(max_tokens=4))
    with pytest.raises(UserError, match="runs/none' is no checkpoint"):
        frozen_policies(["runs/none"], policy)
    shape = policy.model.shape
    for layers in (shape.layers - 1, shape.layers + 1):
        other = tmp_path / f"layers-{layers}"
        model: Any = fresh(replace(shape, layers=layers), 0)
        checkpoint.save(model, other, policy.tokens)
        with pytest.raises(UserError, match="not of the policy's architecture"):
            frozen_policies([str(other)], policy)


def test_a_name_without_a_slash_is_no_folder() -> None:
    table = {"name": "games", "train": {"play": {"games": ["nim"], "opponents": {"earlier": 1}}}}
    with pytest.raises(UserError, match="a checkpoint's folder, with a / in its name"):
        recipe_from(table)
    table["train"]["play"]["opponents"] = {"runs/earlier": 1}  # type: ignore[index]
    assert recipe_from(table).train
