"""Adapters in the hands of their frameworks. Not part of the plain run:

    tools/set-up-loaders.sh
    .venv-loaders/bin/python -m pytest -W ignore tests/real/adapters_env.py

Takes some minutes: each family's easiest item goes through each adapter with the gold answer and
with none, and each game is played to its end. rLLM and slime have no package that could be
installed: their base classes stand in as they are in their repositories.
"""

import asyncio
import json
import pickle
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import puzzlemill as pm
from puzzlemill.core import registry
from puzzlemill.core.errors import NoPuzzle
from puzzlemill.core.plain_data import thaw
from puzzlemill.serving.adapters.in_process import server_with, source
from puzzlemill.serving.adapters.rows import rows
from puzzlemill.serving.sessions import Episode
from puzzlemill.serving.tasks import task_at

sys.path.insert(0, str(Path(__file__).parents[1]))
from tiny_models import bytewise

NOTHING = "I do not know."
FAMILIES = pm.families()
TEXTS = [name for name in FAMILIES if pm.family(name).category != "visual"]
PICTURED = "spy_pictures"  # which these adapters refuse
GAMES = tuple(name for name in registry.games() if name != PICTURED)
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
    moves = game.legal(state)  # none where the opponent's first move has ended the game
    return f"<answer>{game.write(moves[0])}</answer>" if moves else NOTHING


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
    reward = env.reset(seed=1) and env.episode.reward
    assert env.step(NOTHING)[1:3] == (-1.0 if reward is None else reward, True)


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
        row = {"task": json.dumps(tasks[name]), "index": 0, "data_source": "x"}
        row["options"] = {"tries": 2}
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


def test_a_reward_of_areal_is_given_in_its_processes(tasks: dict[str, Any]) -> None:
    """Its AsyncRewardWrapper calls the function so; its package brings what is not installed."""
    from puzzlemill.serving.adapters.areal import reward

    with ProcessPoolExecutor(1) as pool:
        for name in SPREAD:
            row: dict[str, Any] = {
                "task": json.dumps(tasks[name]),
                "messages": [],
                "index": 3,
                "split": "train",
            }
            found = [
                pool.submit(partial(reward, "", reply, [], [], **row)).result()
                for reply in (gold(tasks[name]), NOTHING)
            ]
            assert found[0] == 1.0, name
            assert found[1] < 1, name


class Proxy:
    """A model behind AReaL's proxy, played by rule."""

    def __init__(self, replies: Callable[[list[dict[str, str]]], str]):
        import httpx

        self.replies, self.calls = replies, list[list[dict[str, str]]]()
        self.client = httpx.AsyncClient(transport=httpx.MockTransport(self.answer))

    def answer(self, request: Any) -> Any:
        import httpx

        messages = json.loads(request.content)["messages"]
        self.calls.append(messages)
        message = {"role": "assistant", "content": self.replies(messages)}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        body = {"id": "x", "object": "chat.completion", "created": 0, "model": "default"}
        return httpx.Response(200, json={**body, "choices": [choice]})


def nim(messages: list[dict[str, str]]) -> str:
    heap = re.findall(r"^heap (\d+): \d+", messages[-1]["content"], re.MULTILINE)[0]
    return f"<answer>{heap}, 1</answer>"


def test_an_agent_of_areal_plays_and_tries_again(tasks: dict[str, Any]) -> None:
    pytest.importorskip("openai")
    from puzzlemill.serving.adapters.areal import Agent

    async def reward(task: Mapping[str, Any], proxy: Proxy, **options: Any) -> float:
        extra = {"base_url": "http://127.0.0.1:9/v1", "api_key": "k", "http_client": proxy.client}
        data = {"task": json.dumps(dict(task)), "messages": []}
        return await Agent(options, temperature=1.0).run(data, **extra)

    proxy = Proxy(nim)
    assert asyncio.run(reward(deal("nim"), proxy)) in (-1.0, 1.0)
    assert len(proxy.calls[-1]) == 2 * len(proxy.calls) - 1
    task = tasks["sums"]
    again = Proxy(lambda said: gold(task) if len(said) > 1 else NOTHING)
    assert asyncio.run(reward(task, again, tries=2)) == 1.0
    assert asyncio.run(reward(task, Proxy(lambda said: NOTHING))) == 0.0


# --- tinker-cookbook


@pytest.fixture(scope="module")
def tinker() -> Any:
    pytest.importorskip("tinker_cookbook")
    from tinker_cookbook.tokenizer_utils import register_tokenizer

    register_tokenizer("bytes", bytewise)
    from puzzlemill.serving.adapters import tinker

    return tinker


def said(text: str) -> list[int]:
    tokens: list[int] = bytewise().encode(f" {text}\n\nUser:", add_special_tokens=False)
    return tokens


async def first_batch(tinker: Any, **fields: Any) -> list[Any]:
    builder = tinker.Tasks(model_name="bytes", renderer_name="role_colon", **fields)
    train, _ = await builder()
    return [pickle.loads(pickle.dumps(group)) for group in train.get_batch(0)]


def test_tinker_pays_for_gold_alone(tinker: Any) -> None:
    async def rewards() -> list[tuple[float, float]]:
        names = " ".join(TEXTS)
        batch = {"batch_size": len(TEXTS), "group_size": 2, "levels": (0.0,)}
        found = []
        for group in await first_batch(tinker, tasks=names, **batch):
            right, wrong = await group.make_envs()
            observation, _ = await right.initial_observation()
            await wrong.initial_observation()
            prompt = bytewise().decode(observation.to_ints())
            assert pm.item(dict(group.task)).prompt in prompt
            steps = await right.step(said(gold(group.task))), await wrong.step(said(NOTHING))
            assert all(step.episode_done for step in steps), group.task
            found.append((steps[0].reward, steps[1].reward))
        return found

    found = asyncio.run(rewards())
    assert [right for right, _ in found] == [1.0] * len(TEXTS)
    assert max(wrong for _, wrong in found) < 1


@pytest.mark.parametrize("game", GAMES)
def test_tinker_plays_a_game_to_its_end(tinker: Any, game: str) -> None:
    async def reward() -> float:
        batch = {"batch_size": 1, "group_size": 1, "levels": (0.0,)}
        (group,) = await first_batch(tinker, tasks=f"play_{game}", **batch)
        (env,) = await group.make_envs()
        await env.initial_observation()
        for _ in range(400):
            step = await env.step(said(legal(env.message_env.episode)))
            if step.episode_done:
                return float(step.reward)
        raise AssertionError("the game has no end")

    assert -1 <= asyncio.run(reward()) <= 1


def test_tinker_shows_pictures_in_their_places(tinker: Any, tasks: dict[str, Any]) -> None:
    for name in [name for name in FAMILIES if name not in TEXTS][::8]:
        item = pm.item(tasks[name])
        talk = tinker.Talk(server_with({}), tasks[name])
        (message,) = asyncio.run(talk.initial_observation())
        kinds = [part["type"] for part in message["content"]]
        assert kinds.count("image") == len(item.images) > 0
        reply = {"role": "assistant", "content": gold(tasks[name])}
        assert asyncio.run(talk.step(reply)).reward == 1.0


# --- verl


class Engine:
    """Where verl's agent loops ask for tokens: a policy that is played by rule."""

    def __init__(self, replies: Callable[[str], str]):
        self.replies = replies

    async def generate(self, request_id: str, prompt_ids: list[int], **_: Any) -> Any:
        from verl.workers.rollout.replica import TokenOutput

        tokenizer = bytewise()
        reply = self.replies(tokenizer.decode(prompt_ids))
        tokens = [*tokenizer.encode(reply, add_special_tokens=False), tokenizer.eos_token_id]
        return TokenOutput(token_ids=tokens, log_probs=[-0.5] * len(tokens))


async def rollout(task: Mapping[str, Any], replies: Callable[[str], str], **options: Any) -> Any:
    import hydra
    from omegaconf import OmegaConf
    from verl.experimental.agent_loop.agent_loop import DictConfigWrap

    lengths = {"prompt_length": 60_000, "response_length": 60_000}
    config = OmegaConf.create({"actor_rollout_ref": {"rollout": lengths}})
    target = "puzzlemill.serving.adapters.verl.AgentLoop"
    loop = hydra.utils.instantiate(
        OmegaConf.create({"name": "puzzlemill", "_target_": target, "options": options}),
        trainer_config=DictConfigWrap(config), server_manager=Engine(replies),
        tokenizer=bytewise(), processor=None, hf_model_type="llama", dataset_cls=None,
        data_config=DictConfigWrap(OmegaConf.create({})), tools=None,
    )  # fmt: skip
    raw = [{"role": "user", "content": "as the row has it"}]
    return await loop.run({"temperature": 1.0}, raw_prompt=raw, task=json.dumps(dict(task)))


def answered(reply: str, _: str) -> str:
    return reply


def test_verl_pays_for_gold_alone(tasks: dict[str, Any]) -> None:
    pytest.importorskip("verl")
    for name in SPREAD:
        right = asyncio.run(rollout(tasks[name], partial(answered, gold(tasks[name]))))
        wrong = asyncio.run(rollout(tasks[name], lambda _: NOTHING))
        assert right.reward_score == 1.0, name
        assert wrong.reward_score < 1, name
        assert pm.item(tasks[name]).prompt in bytewise().decode(right.prompt_ids)
        said = bytewise().decode(right.response_ids, skip_special_tokens=True)
        assert said == gold(tasks[name])
        assert len(right.response_mask) == len(right.response_ids) == len(right.response_logprobs)
        assert right.as_dict()["rm_scores"].sum() == 1


def test_verl_plays_games_and_tries_and_learns_its_own_tokens(tasks: dict[str, Any]) -> None:
    pytest.importorskip("verl")
    task = tasks["sums"]
    again = asyncio.run(
        rollout(task, lambda text: gold(task) if "Try again" in text else NOTHING, tries=2)
    )
    assert (again.reward_score, again.num_turns) == (1.0, 4)
    learned = [token for token, one in zip(again.response_ids, again.response_mask) if one]
    text = bytewise().decode(learned, skip_special_tokens=True)
    assert text == NOTHING + gold(task)
    assert "Try again" in bytewise().decode(again.response_ids)
    for game in GAMES:
        lost = asyncio.run(rollout(deal(game), lambda _: NOTHING))
        assert lost.reward_score == -1, game
    won = asyncio.run(
        rollout(deal("nim"), lambda text: nim([{"content": text.rpartition("<user>")[2]}]))
    )
    assert won.reward_score in (-1.0, 1.0)
