"""Games between sessions: they meet at a deal, wait for each other, and end together."""

import asyncio
from contextlib import ExitStack
from random import Random
from typing import Any

import pytest
from starlette.testclient import TestClient
from test_serving import opened, served, small, submit, task_of

from puzzlemill.core import registry
from puzzlemill.core.game import begin as first_state
from puzzlemill.core.plain_data import thaw
from puzzlemill.serving.episodes import Server, begin, reply_to
from puzzlemill.serving.sessions import Episode, Finished


def between(*games: str, **options: Any) -> Server:
    return small(*games, opponent="session", **options)


def say(socket: Any, kind: str, **data: Any) -> None:
    socket.send_json({"type": kind, "data": data})


def heard(socket: Any) -> Any:
    return socket.receive_json()["data"]


def a_move(episode: Episode, rng: Random) -> str:
    """A legal one, of those that its position has."""
    game = registry.game(episode.task["game"])
    assert episode.position is not None
    moves = game.legal(thaw(game.state, episode.position.state))
    return f"<answer>{game.write(rng.choice(moves))}</answer>"


async def played(server: Server, name: str, index: int, sessions: int) -> list[Episode]:
    """All sessions ask for one task, and play at random to the end."""
    environment = server.environments[name]

    async def one(number: int) -> Episode:
        episode = await begin(server, environment, environment.task("train", index), f"s{number}")
        rng = Random(number)
        while not episode.done:
            turn = await reply_to(server, episode, a_move(episode, rng))
            assert turn.done == episode.done
        return episode

    return await asyncio.gather(*map(one, range(sessions)))


@pytest.mark.parametrize("name", [f"play_{name}" for name in registry.games()])
def test_sessions_play_every_game_to_its_end(name: str) -> None:
    game = registry.game(name.removeprefix("play_"))
    server = between(name, levels=[0.0], wait=60.0)
    episodes = asyncio.run(played(server, name, 1, game.players))
    server.close()
    assert {each.task["seat"] for each in episodes} == set(range(game.players))
    last = max(episodes, key=lambda each: each.position.moves if each.position else 0)
    assert last.position is not None
    state = thaw(game.state, last.position.state)
    assert not game.legal(state)
    for each in episodes:
        assert each.reward == float(game.score(state)[each.task["seat"]])
    assert not server.tables


def test_more_sessions_than_seats_play_at_several_tables() -> None:
    server = between("play_nim", levels=[0.0])
    episodes = asyncio.run(played(server, "play_nim", 3, 8))
    server.close()
    assert sum(each.reward or 0 for each in episodes) == 0
    assert len({id(each.table) for each in episodes}) == 4


def first_heap(prompt: str) -> str:
    heap = next(line for line in prompt.splitlines() if line.startswith("heap "))
    return f"<answer>{heap.split()[1].rstrip(':')}, 1</answer>"


def test_two_clients_of_different_protocols_play_each_other() -> None:
    with served(between("play_nim", levels=[0.0])) as client:
        deal = task_of(client, "play_nim", 0)
        assert deal["seat"] == 0
        headers = opened(client, env_name="play_nim", task_spec=deal)
        with client.websocket_connect("ws://127.0.0.1/ws") as socket:
            say(socket, "reset", task=deal)  # its seat is taken: it gets the other, and waits
            prompt = client.get("/play_nim/prompt", headers=headers).json()[0]["text"]
            assert prompt == _prompt_of(deal)
            with ExitStack() as stack:
                said = _in_a_thread(stack, lambda: submit(client, headers, first_heap(prompt)))
                second = heard(socket)
                assert second["metadata"]["task"] == deal | {"seat": 1}
                assert second["metadata"]["opponent"] == "session"
                say(socket, "step", reply="<answer>99, 99</answer>")
                lost = heard(socket)
                won = said()["output"]
        assert (lost["reward"], lost["done"], lost["metadata"]["legal"]) == (-1.0, True, False)
        assert (won["reward"], won["finished"]) == (1.0, True)
        assert won["blocks"][0]["text"] == "The game is over."


def _prompt_of(deal: Any) -> str:
    from puzzlemill.serving.jobs import seed_of

    game = registry.game(deal["game"])
    return str(game.shown(first_state(game, seed_of(deal), deal["level"]), 0).text)


def _in_a_thread(stack: ExitStack, call: Any) -> Any:
    from concurrent.futures import ThreadPoolExecutor

    return stack.enter_context(ThreadPoolExecutor(1)).submit(call).result


def test_without_an_index_two_clients_meet_at_the_next_deal() -> None:
    with served(between("play_tic_tac_toe")) as client, ExitStack() as stack:
        connect = client.websocket_connect
        first, second = (stack.enter_context(connect("ws://127.0.0.1/ws")) for _ in range(2))
        say(first, "reset")
        task = heard(first)["metadata"]["task"]
        say(second, "reset")
        say(first, "step", reply="<answer>none</answer>")
        assert heard(first)["reward"] == -1.0
        ended = heard(second)
        assert ended["metadata"]["task"] == task | {"seat": 1}
        assert (ended["done"], ended["observation"]["prompt"]) == (True, "The game is over.")


def test_a_player_that_leaves_ends_the_game_without_a_result() -> None:
    with (
        served(between("play_nim", levels=[0.0])) as client,
        client.websocket_connect("ws://127.0.0.1/ws") as socket,
    ):
        with client.websocket_connect("ws://127.0.0.1/ws") as other:
            say(other, "reset", index=0)
            prompt = heard(other)["observation"]["prompt"]
            say(socket, "reset", index=0)
            say(other, "step", reply=first_heap(prompt))
            prompt = heard(socket)["observation"]["prompt"]
            say(socket, "step", reply=first_heap(prompt))
            assert heard(other)["done"] is False
        assert "without a result: a player has left" in heard(socket)["message"]
        say(socket, "step", reply="<answer>1, 1</answer>")
        assert heard(socket)["code"] == "EXECUTION_ERROR"


def test_a_session_waits_only_so_long_for_another() -> None:
    async def alone(server: Server) -> None:
        environment = server.environments["play_nim"]
        task = dict(environment.task("train", 0)) | {"seat": 1}
        with pytest.raises(Finished, match=r"no other player has moved for 0\.05 seconds"):
            await begin(server, environment, task, "a")
        assert server.sessions.find("a") is None
        first = await begin(server, environment, task | {"seat": 0}, "b")
        with pytest.raises(Finished, match="without a result"):
            await reply_to(server, first, a_move(first, Random(0)))
        assert (first.done, first.reward) == (True, None)

    server = between("play_nim", levels=[0.0], wait=0.05)
    asyncio.run(alone(server))
    server.close()


def test_a_game_shows_its_pictures_behind_each_door() -> None:
    with served(small("play_spy_pictures", levels=[0.0])) as client:
        said = client.post("/reset", json={"index": 0}).json()
        observation = said["observation"]
        assert observation["prompt"].count("<image>") == len(observation["images"]) > 0
        headers = opened(client, task_spec=said["metadata"]["task"])
        blocks = client.get("/prompt", headers=headers).json()
        pictures = [each["data"] for each in blocks if each["type"] == "image"]
        assert pictures == [each["data"] for each in observation["images"]]


def test_tries_and_hints_are_there_behind_openenv() -> None:
    with (
        served(small("sums", tries=2)) as client,
        client.websocket_connect("ws://127.0.0.1/ws") as socket,
    ):
        _try_twice(client, socket)


def _try_twice(client: TestClient, socket: Any) -> None:
    import puzzlemill as pm

    say(socket, "reset", index=3)
    first = heard(socket)
    assert first["metadata"]["tries"] == 2
    say(socket, "step", answer="no")
    again = heard(socket)
    assert (again["done"], again["reward"], again["metadata"]["tries_left"]) == (False, 0.0, 1)
    say(socket, "step", answer=pm.item(first["metadata"]["task"]).answer)
    assert heard(socket)["reward"] == 1.0
