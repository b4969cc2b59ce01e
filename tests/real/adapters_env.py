"""Adapters in the hands of their frameworks. Not part of the plain run:

    tools/set-up-loaders.sh
    .venv-loaders/bin/python -m pytest -W ignore tests/real/adapters_env.py

Takes some minutes: each family's easiest item goes through each adapter with the gold answer and
with none, and each game is played to its end. rLLM and slime have no package that could be
installed: their base classes stand in as they are in their repositories.
"""

import asyncio
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import puzzlemill as pm
from puzzlemill.core import registry
from puzzlemill.core.errors import NoPuzzle
from puzzlemill.core.plain_data import thaw
from puzzlemill.serving.adapters.in_process import source
from puzzlemill.serving.adapters.rows import rows
from puzzlemill.serving.sessions import Episode
from puzzlemill.serving.tasks import task_at

NOTHING = "I do not know."
FAMILIES = pm.families()
TEXTS = [name for name in FAMILIES if pm.family(name).category != "visual"]
GAMES = registry.games()
SOME = ("sums", "sudoku", "zebra", "max_flow", "countdown", "equation", "regex", "maze")
SPREAD = [name for name in SOME if name in TEXTS] + TEXTS[::25]


def gold(task: Mapping[str, Any]) -> str:
    return f"So it is <answer>{pm.item(dict(task)).answer}</answer>"


@pytest.fixture(scope="module")
def tasks() -> dict[str, dict[str, Any]]:
    return {name: dict(task_at(name, 0.0, "train", 0, place)) for name, place in sound()}


def sound() -> Iterator[tuple[str, int]]:
    """Each family's first index that has a certified item."""
    for name in FAMILIES:
        for place in range(8):
            try:
                if pm.item(dict(task_at(name, 0.0, "train", 0, place))).certificate:
                    yield name, place
                    break
            except NoPuzzle:
                continue


def deal(game: str, index: int = 0) -> dict[str, Any]:
    held = source(f"play_{game}", levels=[0.0])
    return dict(held.task("train", index))


def legal(episode: Episode) -> str:
    """The first legal move of a position: only this process sees its state."""
    assert episode.position is not None
    game = registry.game(episode.task["game"])
    state = thaw(game.state, episode.position.state)
    return f"<answer>{game.write(game.legal(state)[0])}</answer>"


def played(step: Callable[[str], tuple[float, bool]], episode: Callable[[], Episode]) -> float:
    for _ in range(400):
        reward, done = step(legal(episode()))
        if done:
            return reward
    raise AssertionError("the game has no end")


# --- GEM


@pytest.fixture(scope="module")
def gem() -> Any:
    gem = pytest.importorskip("gem")
    gem.register("puzzlemill", "puzzlemill.serving.adapters.gem:Env")
    return gem


def test_gem_pays_for_gold_alone(gem: Any) -> None:
    env = gem.make("puzzlemill", levels=[0.0], tasks=" ".join(TEXTS))
    for seed in range(len(TEXTS)):
        prompt, info = env.reset(seed=seed)
        assert prompt == pm.item(info["task"]).prompt
        assert env.step(gold(info["task"]))[1:4] == (1.0, True, False), info
        env.reset(seed=seed)
        assert env.step(NOTHING)[1] < 1, info


@pytest.mark.parametrize("game", GAMES)
def test_gem_plays_a_game_to_its_end(gem: Any, game: str) -> None:
    env = gem.make("puzzlemill", tasks=f"play_{game}", levels=[0.0])

    def step(reply: str) -> tuple[float, bool]:
        _, reward, done, _, info = env.step(reply)
        assert not done or info["legal"]
        return reward, done

    env.reset(seed=1)
    assert -1 <= played(step, lambda: env.episode) <= 1
    env.reset(seed=1)
    assert env.step(NOTHING)[1:3] == (-1.0, True)


def test_gem_draws_apart_and_tries_again(gem: Any) -> None:
    vec = gem.make_vec(["puzzlemill"] * 4, tasks="gcd", levels=[0.5], tries=2)
    prompts, _ = vec.reset()
    assert len(set(prompts)) == 4
    env = gem.make("puzzlemill", tasks="gcd", tries=2)
    _, info = env.reset()
    twin = env.spawn(same_state=True)
    for each in (env, twin):
        assert each.step(NOTHING)[1:3] == (0.0, False)
        assert each.step(gold(info["task"]))[1:3] == (1.0, True)


# --- SkyRL-Gym


@pytest.fixture(scope="module")
def skyrl() -> Any:
    skyrl = pytest.importorskip("skyrl_gym")
    skyrl.register(id="puzzlemill", entry_point="puzzlemill.serving.adapters.skyrl_gym:Env")
    return skyrl


def test_skyrl_pays_for_gold_alone(skyrl: Any, tasks: dict[str, Any]) -> None:
    for name in TEXTS:
        extras = {"task": json.dumps(tasks[name])}
        for reply, right in ((gold(tasks[name]), True), (NOTHING, False)):
            env = skyrl.make("puzzlemill", env_config={}, extras=extras)
            (message,), _ = env.init([{"role": "user", "content": "as the row has it"}])
            assert message["content"] == pm.item(tasks[name]).prompt
            step = env.step(reply)
            assert (step["reward"] == 1.0, step["done"]) == (right, True), name
            assert env.get_metrics()["correct"] == float(right)


@pytest.mark.parametrize("game", GAMES)
def test_skyrl_plays_a_game_to_its_end(skyrl: Any, game: str) -> None:
    (row,) = rows(f"play_{game}", [0], levels=[0.0])
    env = skyrl.make("puzzlemill", env_config={"opponent": "random"}, extras=row)
    prompt, _ = env.init(row["prompt"])
    assert prompt == row["prompt"]

    def step(reply: str) -> tuple[float, bool]:
        found = env.step(reply)
        return found["reward"], found["done"]

    assert -1 <= played(step, lambda: env.episode) <= 1


# --- rLLM and slime, whose packages are on no registry


@pytest.fixture
def rllm(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Their base class has no code that ours calls: four methods to override, and `idx`."""
    base = ModuleType("rllm.environments.base.base_env")
    base.BaseEnv = type("BaseEnv", (), {})  # type: ignore[attr-defined]
    for name in ("rllm", "rllm.environments", "rllm.environments.base"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, base.__name__, base)
    from puzzlemill.serving.adapters import rllm

    return rllm


def test_rllm_pays_for_gold_alone(rllm: Any, tasks: dict[str, Any]) -> None:
    for name in TEXTS:
        row = {"task": json.dumps(tasks[name]), "index": 0, "data_source": "x", "tries": 2}
        env = rllm.Env.from_dict(row)
        question, _ = env.reset()
        assert question == {"question": pm.item(tasks[name]).prompt}
        assert env.step(NOTHING)[1:3] == (0.0, False), name
        assert env.step(SimpleNamespace(action=gold(tasks[name])))[1:3] == (1.0, True), name


@pytest.mark.parametrize("game", GAMES)
def test_rllm_plays_a_game_to_its_end(rllm: Any, game: str) -> None:
    env = rllm.Env.from_dict({"task": deal(game)})
    env.reset()
    assert -1 <= played(lambda reply: env.step(reply)[1:3], lambda: env.episode) <= 1


def test_slime_pays_for_gold_alone(tasks: dict[str, Any]) -> None:
    from puzzlemill.serving.adapters.slime import reward

    def sample(name: str, reply: str) -> Any:
        return SimpleNamespace(label=json.dumps(tasks[name]), response=reply)

    async def both() -> tuple[list[float], list[float]]:
        right = await reward(None, [sample(name, gold(tasks[name])) for name in TEXTS])
        wrong = [await reward(None, sample(name, NOTHING)) for name in TEXTS]
        return right, wrong

    right, wrong = asyncio.run(both())
    assert right == [1.0] * len(TEXTS)
    assert max(wrong) < 1


# --- AReaL


def test_areal_calls_the_reward_in_its_processes(tasks: dict[str, Any]) -> None:
    wrapper = pytest.importorskip("areal.api.reward_api").AsyncRewardWrapper
    from puzzlemill.serving.adapters.areal import reward

    async def rewards() -> list[float]:
        score = wrapper(reward, max_workers=1)
        found = []
        for name in SPREAD:
            row = {"task": json.dumps(tasks[name]), "messages": [], "index": 3, "split": "train"}
            found += [await score("", gold(tasks[name]), [], [], **row)]
            found += [await score("", NOTHING, [], [], **row)]
        return found

    found = asyncio.run(rewards())
    assert found[::2] == [1.0] * len(SPREAD)
    assert max(found[1::2]) < 1
