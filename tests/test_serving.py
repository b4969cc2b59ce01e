"""The server: each protocol's routes, the same bytes behind every door, and no gold before the
verdict."""

import asyncio
import base64
import json
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from test_outputs import scored, write_build

import puzzlemill as pm
from puzzlemill.core.errors import UserError
from puzzlemill.core.guard import Failure
from puzzlemill.serving.app import app_of
from puzzlemill.serving.episodes import Server
from puzzlemill.serving.judging import run_here
from puzzlemill.serving.sessions import Sessions
from puzzlemill.serving.start import server_of

WHAT = ["sums", "sorting", "jigsaw_grid", "gcd+twin", "play_nim", "play_quest"]
HOSTS = "http://127.0.0.1"


@contextmanager
def served(server: Server, key: str = "") -> Iterator[TestClient]:
    with TestClient(app_of(server, key), base_url=HOSTS, raise_server_exceptions=False) as client:
        yield client


def small(*what: str, band: str = "", **options: Any) -> Server:
    return server_of(what or WHAT, options, band, run=run_here)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with served(small()) as client:
        yield client


def task_of(client: TestClient, environment: str, index: int, split: str = "train") -> Any:
    answer = client.post(f"/{environment}/task", json={"split": split, "index": index})
    assert answer.status_code == 200, answer.text
    return answer.json()["task"]


def events(text: str) -> list[tuple[str, str]]:
    blocks = [block.split("\r\n") for block in text.split("\r\n\r\n") if block.strip()]
    return [(first.removeprefix("event: "), data.removeprefix("data: ")) for first, data in blocks]


def opened(client: TestClient, **body: Any) -> dict[str, str]:
    """The header of a session of Open Reward Standard."""
    (_, name), end = events(client.post("/create_session").text)
    assert end == ("end", "")
    headers = {"X-Session-ID": name}
    answer = client.post("/create", json=body, headers=headers)
    assert answer.json() == {"sid": name}, answer.text
    return headers


def called(client: TestClient, headers: dict[str, str], **body: Any) -> Any:
    said = events(client.post("/puzzlemill/call", json=body, headers=headers).text)
    assert said[0][0] == "task_id"
    assert said[-1][0] == "end"
    return json.loads("".join(data for _, data in said[1:]))


def submit(client: TestClient, headers: dict[str, str], reply: str) -> Any:
    return called(client, headers, name="submit", input={"reply": reply})


def response_with(reply: str) -> dict[str, Any]:
    """What NeMo Gym sends of a model's reply."""
    content = [{"type": "output_text", "text": reply, "annotations": []}]
    return {"id": "r", "output": [{"type": "reasoning"}, {"type": "message", "content": content}]}


# Tasks


def test_a_task_is_an_address_that_python_makes_the_same_item_of(client: TestClient) -> None:
    for index in (0, 7, 999_999):
        task = task_of(client, "puzzlemill", index, "test")
        asked = client.post("/reset", json={"task": task}).json()["observation"]
        assert asked["prompt"] == pm.item(task).prompt
        assert pm.item(task).split == "test"


def test_neighbouring_tasks_go_through_the_families_and_then_the_levels(client: TestClient) -> None:
    tasks = [task_of(client, "puzzlemill", index) for index in range(8)]
    assert [task["family"] for task in tasks[:4]] == WHAT[:4]
    assert [task["level"] for task in tasks] == [0.0] * 4 + [0.25] * 4
    assert len({json.dumps(task) for task in tasks}) == 8


def test_the_task_routes_are_those_of_both_standards(client: TestClient) -> None:
    assert client.get("/list_environments").json() == [
        *("puzzlemill", "sums", "sorting", "jigsaw_grid", "gcd+twin", "play_nim", "play_quest")
    ]
    wanted = [{"name": name, "type": name} for name in ("train", "validation", "test")]
    assert client.get("/sums/splits").json() == wanted
    assert client.get("/splits").json() == wanted  # of the default environment
    assert client.post("/sums/num_tasks", json={"split": "train"}).json() == {
        "num_tasks": 1_000_000
    }
    ranged = client.post("/sums/task_range", json={"split": "train", "start": 3, "stop": 5}).json()
    assert ranged["tasks"] == [task_of(client, "sums", 3), task_of(client, "sums", 4)]
    assert ranged["env_name"] == "sums"
    assert client.post("/sums/tasks", json={"split": "train"}).status_code == 501
    with served(small("sums", tasks=3)) as few:
        assert len(few.post("/sums/tasks", json={"split": "test"}).json()["tasks"]) == 3


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/sums/task", {"split": "train", "index": 1_000_000}, 400),
        ("/sums/task", {"split": "train", "index": -1}, 400),
        ("/sums/task", {"split": "no", "index": 0}, 400),
        ("/sums/task", {"split": "train"}, 422),
        ("/sums/task", {"split": "train", "index": True}, 422),
        ("/sums/task", {"split": ["train"], "index": 0}, 422),
        ("/sums/task_range", {"split": "train", "start": 5, "stop": 2}, 400),
        ("/sums/task_range", {"split": "train"}, 400),
        ("/no_such/task", {"split": "train", "index": 0}, 404),
        ("/reset", {"environment": "no_such"}, 400),
        ("/reset", {"index": 10**9}, 400),
        ("/reset", {"seed": -1}, 400),
        ("/reset", {"split": ["train"]}, 400),
        ("/reset", {"task": {"family": "sums"}}, 400),
        ("/reset", {"task": "sums"}, 400),
        ("/step", {"action": {"reply": "x"}}, 400),
        ("/step", {"action": {"reply": "x"}, "session_id": "none"}, 404),
        ("/step", {"action": "x"}, 422),
        ("/verify", {"items": [{"reply": "x"}]}, 422),
        ("/verify", {"items": "x"}, 422),
        ("/verify", {"items": [{"row": {"family": "sums"}, "reply": "x"}]}, 422),
        ("/verify", {"responses_create_params": {}, "response": {}}, 422),
        ("/create", {"split": "train", "index": 0}, 400),
        ("/aggregate_metrics", {"verify_responses": 3}, 422),
        ("/rows", {"start": 0, "stop": 10**6}, 422),
        ("/puzzlemill/score_group", {"candidates": []}, 404),
    ],
)
def test_what_is_malformed_is_refused_in_one_line(
    client: TestClient, path: str, body: Any, status: int
) -> None:
    answer = client.post(path, json=body)
    assert (answer.status_code, list(answer.json())) == (status, ["detail"]), answer.text
    assert len(str(answer.json()["detail"]).splitlines()) == 1


def test_a_body_that_is_no_json_object_or_is_too_large_is_refused(client: TestClient) -> None:
    for raw in (b"{", b"[1]", b"[" * 100_000, b"\xff\xfe", b'{"a": 1' + b"0" * 5000 + b"}"):
        assert client.post("/verify", content=raw).status_code == 422
    with served(small("sums", body=1024)) as narrow:
        assert narrow.post("/verify", content=b" " * 1025).status_code == 413
        assert narrow.post("/verify", content=iter([b" " * 800] * 2)).status_code == 413
        assert narrow.post("/verify", content=b" " * 800).status_code == 422


def test_a_task_of_another_family_is_none_of_an_environment(client: TestClient) -> None:
    task = task_of(client, "sums", 0)
    for wrong in (
        task | {"family": "sudoku"},
        task | {"knobs": '{"most":10}'},
        task | {"version": 99},
        task | {"index": "0"},
        task | {"index": 2**80},
        task | {"level": "high"},
        task | {"split": "no"},
    ):
        assert client.post("/reset", json={"environment": "sums", "task": wrong}).status_code == 400
    deal = task_of(client, "play_nim", 0)
    for change in ({"seat": 7}, {"game": "quest"}, {"level": 3}, {"index": "x"}, {"more": 1}):
        body = {"environment": "play_nim", "task": deal | change}
        assert client.post("/reset", json=body).status_code == 400


# Open Reward Standard


def test_open_reward_grades_the_first_plain_message(client: TestClient) -> None:
    about = client.get("/puzzlemill/tools").json()
    assert about["tools"] == []
    assert (about["terminal_tool"]["name"], about["terminal_tool"]["arg"]) == ("submit", "reply")
    assert about["supports_score_group"] is False
    task = task_of(client, "sorting", 2)
    headers = opened(client, env_name="sorting", task_spec=task)
    assert client.post("/ping", headers=headers).json() == {"status": "ok"}
    item = pm.item(task)
    prompt = client.get("/sorting/prompt", headers=headers).json()
    assert prompt == [{"text": item.prompt, "detail": None, "type": "text"}]
    messages = client.get("/sorting/messages", headers=headers).json()
    assert messages == [{"role": "user", "blocks": prompt, "detail": None}]
    assert client.get("/sorting/task_tools", headers=headers).json() == about
    said = submit(client, headers, f"So: <answer>{item.answer}</answer>")
    assert said["ok"] is True
    output = said["output"]
    assert set(output) == {"blocks", "metadata", "reward", "finished"}
    assert (output["reward"], output["finished"]) == (1.0, True)
    again = submit(client, headers, f"<answer>{item.answer}</answer>")
    assert (again["ok"], again["reason"]) == (False, "episode_finished")
    assert client.post("/delete", headers=headers).json() == {"sid": headers["X-Session-ID"]}
    assert client.post("/ping", headers=headers).status_code == 404


def test_open_reward_says_what_is_wrong_with_a_call(client: TestClient) -> None:
    headers = opened(client, split="train", index=0)
    assert called(client, headers, name="bash", input={})["reason"] == "not_found"
    assert called(client, headers, name="submit", input={})["reason"] == "input_validation"
    wrong = called(client, headers, name="submit", input={"reply": 7})
    assert wrong["reason"] == "input_validation"
    assert client.post("/call", json={"name": "submit"}, headers=headers).status_code == 422
    assert client.post("/create", json={"split": "train"}, headers=headers).status_code == 422
    both = {"split": "train", "index": 0, "task_spec": {}}
    assert client.post("/create", json=both, headers=headers).status_code == 422
    more = {"split": "train", "index": 0, "other": 1}
    assert client.post("/create", json=more, headers=headers).status_code == 422
    twice = client.post("/create", json={"split": "train", "index": 0}, headers=headers)
    assert twice.status_code == 400
    nowhere = {"env_name": "no", "split": "train", "index": 0}
    assert client.post("/create", json=nowhere, headers={"X-Session-ID": "n"}).status_code == 404


def test_the_result_of_a_call_may_be_asked_for_again(client: TestClient) -> None:
    headers = opened(client, split="train", index=0)
    body = {"name": "submit", "input": {"reply": "<answer>no</answer>"}}
    first = events(client.post("/call", json=body, headers=headers).text)
    body["task_id"] = first[0][1]
    assert events(client.post("/call", json=body, headers=headers).text) == first
    body["task_id"] = "another"
    (error,) = events(client.post("/call", json=body, headers=headers).text)
    assert error[0] == "error"


def test_with_several_tries_the_feedback_is_the_same_until_one_is_right() -> None:
    with served(small("sums", "sorting", tries=3)) as client:
        tools = client.get("/tools").json()
        assert tools["terminal_tool"] is None
        assert tools["tools"][0]["name"] == "submit"
        headers = opened(client, split="train", index=5)
        answer = pm.item(task_of(client, "puzzlemill", 5)).answer
        wrong = submit(client, headers, "<answer>no</answer>")["output"]
        assert (wrong["reward"], wrong["finished"]) == (0.0, False)
        assert wrong["metadata"]["tries_left"] == 2
        unread = submit(client, headers, "I do not know")["output"]
        assert unread["blocks"] == wrong["blocks"]
        right = submit(client, headers, f"<answer>{answer}</answer>")["output"]
        assert (right["reward"], right["finished"]) == (1.0, True)


def test_a_client_without_terminal_tools_is_offered_the_tool() -> None:
    with served(small("sums", tool=True)) as client:
        tools = client.get("/tools").json()
        assert tools["terminal_tool"] is None
        assert [tool["name"] for tool in tools["tools"]] == ["submit"]


# OpenEnv


def test_an_openenv_websocket_is_a_session(client: TestClient) -> None:
    with client.websocket_connect("ws://127.0.0.1/ws") as socket:

        def say(kind: str, **data: Any) -> Any:
            socket.send_json({"type": kind, "data": data} if data else {"type": kind})
            return socket.receive_json()

        assert say("state") == {"type": "state", "data": {"episode_id": None, "step_count": 0}}
        assert say("step", reply="x")["data"]["code"] == "EXECUTION_ERROR"
        first = say("reset", seed=6)
        assert first["type"] == "observation"
        assert (first["data"]["done"], first["data"]["reward"]) == (False, None)
        item = pm.item(first["data"]["metadata"]["task"])
        assert first["data"]["observation"]["prompt"] == item.prompt
        assert say("reset", seed=6)["data"]["observation"]["prompt"] == item.prompt
        assert say("reset", seed=1_000_006)["data"]["observation"]["prompt"] == item.prompt
        assert say("step", nonsense=1)["data"]["code"] == "VALIDATION_ERROR"
        assert say("dance")["data"]["code"] == "UNKNOWN_TYPE"
        socket.send_text("{")
        assert socket.receive_json()["data"]["code"] == "INVALID_JSON"
        done = say("step", answer=item.answer)["data"]
        assert (done["reward"], done["done"]) == (1.0, True)
        assert say("state")["data"]["step_count"] == 1
        assert say("step", answer=item.answer)["data"]["code"] == "EXECUTION_ERROR"
        assert say("mcp", jsonrpc="2.0", id=1, method="tools/list")["type"] == "mcp"
        socket.send_json({"type": "close"})
        with pytest.raises(WebSocketDisconnect):
            socket.receive_json()


def test_openenv_answers_over_http_with_its_schemas(client: TestClient) -> None:
    assert client.get("/health").json() == {"status": "healthy"}
    assert {"name", "description"} <= client.get("/metadata").json().keys()
    shapes = client.get("/schema").json()
    assert set(shapes) == {"action", "observation", "state", "reset_observation"}
    assert shapes["action"]["required"] == ["reply"]
    assert {"/reset", "/step", "/state"} <= client.get("/openapi.json").json()["paths"].keys()
    reset = client.post("/reset", json={"environment": "sums", "index": 3})
    name = reset.headers["X-Session-ID"]
    observation = reset.json()["observation"]
    assert set(observation) <= shapes["observation"]["properties"].keys()
    assert client.get("/state", headers={"X-Session-ID": name}).json()["episode_id"] == name
    body = {"action": {"reply": "no answer in it"}, "session_id": name}
    done = client.post("/step", json=body).json()
    assert (done["done"], done["reward"]) == (True, 0.0)
    assert done["metadata"]["status"] == "unparsed"
    assert client.post("/step", json=body).status_code == 409


def test_without_an_index_each_reset_is_the_next_task() -> None:
    with served(small("sums")) as client:
        tasks = [client.post("/reset").json()["metadata"]["task"] for _ in range(3)]
        assert tasks == [task_of(client, "sums", index) for index in range(3)]


# MCP


def test_mcp_has_two_tools_and_says_errors_by_their_codes(client: TestClient) -> None:
    def rpc(method: str, headers: Any = None, **params: Any) -> Any:
        body = {"jsonrpc": "2.0", "id": 4, "method": method, "params": params}
        return client.post("/mcp", json=body, headers=headers)

    assert client.post("/mcp", content=b"{").json()["error"]["code"] == -32700
    assert client.post("/mcp", json={}).json()["error"]["code"] == -32600
    assert rpc("dance").json()["error"]["code"] == -32601
    assert rpc("tools/call", name="submit").json()["error"]["code"] == -32602
    names = [tool["name"] for tool in rpc("tools/list").json()["result"]["tools"]]
    assert names == ["new_task", "submit"]
    begun = rpc("initialize", protocolVersion="2025-06-18")
    headers = {"Mcp-Session-Id": begun.headers["Mcp-Session-Id"]}
    assert begun.json()["result"]["protocolVersion"] == "2025-06-18"
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert client.post("/mcp", json=note, headers=headers).status_code == 202
    chosen = {"environment": "sums", "index": 4}
    asked = rpc("tools/call", headers, name="new_task", arguments=chosen).json()["result"]
    item = pm.item(task_of(client, "sums", 4))
    assert asked["content"] == [{"type": "text", "text": item.prompt}]
    given = {"reply": f"<answer>{item.answer}</answer>"}
    done = rpc("tools/call", headers, name="submit", arguments=given).json()["result"]
    assert done["structuredContent"]["reward"] == 1.0
    opened = rpc("openenv/session/create").json()["result"]["session_id"]
    for name in (headers["Mcp-Session-Id"], opened):
        assert rpc("openenv/session/close", session_id=name).json()["result"]["closed"] is True
    assert rpc("openenv/session/close", session_id=opened).json()["error"]["code"] == -32602
    with client.websocket_connect("ws://127.0.0.1/mcp") as socket:
        socket.send_json({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert len(socket.receive_json()["result"]["tools"]) == 2


# NeMo Gym


def test_nemo_gym_verifies_a_row_by_itself(client: TestClient) -> None:
    answer = client.post("/sums/rows", json={"split": "train", "start": 2, "stop": 4})
    row, _ = map(json.loads, answer.text.splitlines())
    item = pm.item(row["task"])
    messages = row["responses_create_params"]["input"]
    assert messages == [{"role": "user", "content": item.prompt}]
    body = row | {"response": response_with(f"<answer>{item.answer}</answer>")}
    verdict = client.post("/verify", json=body).json()
    assert (verdict["reward"], verdict["status"]) == (1.0, "correct")
    assert verdict.items() >= body.items()
    assert client.post("/verify", json=body).json() == verdict  # stateless
    strange = body | {"note": "\ud800", "response": response_with("\ud800")}
    assert client.post("/verify", content=json.dumps(strange)).json()["status"] == "unparsed"
    assert client.get("/reverify_mode").json() == "stateless"
    seed = client.post("/seed_session", json={})
    assert seed.json() == {}
    assert seed.cookies
    verdicts = [{"_ng_task_index": place, "reward": place / 2} for place in (0, 1, 1)]
    metrics = client.post("/aggregate_metrics", json={"verify_responses": verdicts}).json()
    assert metrics["key_metrics"] == {"mean/reward": pytest.approx(1 / 3)}
    assert metrics["agent_metrics"]["std/reward"] == pytest.approx(0.2887, abs=1e-4)
    assert [each["mean/reward"] for each in metrics["group_level_metrics"]] == [0.0, 0.5]


def test_nemo_gym_refuses_a_game_whose_pictures_it_cannot_show() -> None:
    with served(small("play_spy_pictures")) as client:
        row = client.post("/play_spy_pictures/rows", json={"start": 0, "stop": 1}).json()
        refused = client.post("/reset", json=row)
        assert refused.status_code == 400
        assert "shows pictures" in refused.json()["detail"]
        assert "puzzlemill_sessions 0" in client.get("/metrics").text.splitlines()
        body = {name: row[name] for name in ("environment", "task")}
        assert client.post("/reset", json=body).json()["observation"]["images"]


def test_a_game_is_played_to_its_end_behind_both_doors(client: TestClient) -> None:
    """A policy that plays by rule, against the opponent, from the same deal."""
    task = task_of(client, "play_nim", 1)
    moves = nim_by_websocket(client, task)
    body = {"responses_create_params": {"input": []}, "environment": "play_nim", "task": task}
    reset = client.post("/reset", json=body).json()
    prompts = [reset["observation"]]
    for prompt, reply, _ in moves:
        assert prompts[-1] == prompt
        said = client.post("/step", json=body | {"response": response_with(reply)}).json()
        prompts.append(said["observation"])
    assert said["terminated"] is True
    assert said["truncated"] is False
    assert said["reward"] == moves[-1][2]
    assert client.post("/step", json=body | {"response": response_with("x")}).status_code == 404


def nim_by_websocket(client: TestClient, task: Any) -> list[tuple[str, str, float]]:
    """Each prompt, the reply to it, and what that earned."""
    moves = []
    with client.websocket_connect("ws://127.0.0.1/ws") as socket:
        socket.send_json({"type": "reset", "data": {"environment": "play_nim", "task": task}})
        said = socket.receive_json()["data"]
        while not said["done"]:
            prompt = said["observation"]["prompt"]
            heap = next(line for line in prompt.splitlines() if line.startswith("heap "))
            reply = f"<answer>{heap.split()[1].rstrip(':')}, 1</answer>"
            socket.send_json({"type": "step", "data": {"reply": reply}})
            said = socket.receive_json()["data"]
            moves.append((prompt, reply, said["reward"]))
    assert moves[-1][2] in (-1.0, 1.0)
    return moves


def test_an_illegal_move_loses(client: TestClient) -> None:
    reset = client.post("/reset", json={"environment": "play_nim", "index": 0}).json()
    name = reset["metadata"]["session_id"]
    body = {"action": {"reply": "<answer>99, 99</answer>"}, "session_id": name}
    said = client.post("/step", json=body).json()
    assert (said["reward"], said["done"], said["metadata"]["legal"]) == (-1.0, True, False)


def test_seats_and_levels_alternate_and_minimax_plays_what_it_sees() -> None:
    with served(small("play_tic_tac_toe", opponent="minimax-2", levels=[0.5])) as client:
        deals = [task_of(client, "play_tic_tac_toe", index) for index in range(10)]
        assert {deal["seat"] for deal in deals} == {0, 1}
        begun = {"environment": "play_tic_tac_toe", "task": deals[5]}
        assert client.post("/reset", json=begun).json()["metadata"]["opponent"] == "minimax-2"
    with pytest.raises(UserError, match="kuhn_poker something is hidden"):
        small("play_kuhn_poker", opponent="minimax-2")
    with pytest.raises(UserError, match="random, minimax-1"):
        small("play_nim", opponent="stockfish")


# Batches


def test_a_batch_is_judged_in_order_by_rows_and_tasks(client: TestClient) -> None:
    task = task_of(client, "sorting", 9)
    item = pm.item(task)
    from puzzlemill.core.rows import row_of

    row = {name: row_of(item)[name] for name in ("uid", "family", "version", "puzzle")}
    items = [
        {"task": task, "reply": f"Hm. <answer>{item.answer}</answer>"},
        {"row": row, "answer": item.answer},
        {"row": row, "reply": item.answer},
        {"row": row | {"version": 99}, "answer": item.answer},
        {"task": task | {"family": "no_such"}, "answer": "1"},
        {"row": row, "reply": "<answer>nothing</answer>"},
    ]
    verdicts = client.post("/verify", json={"items": items}).json()["verdicts"]
    statuses = [verdict["status"] for verdict in verdicts]
    assert statuses == ["correct", "correct", "unparsed", "error", "error", "unparsed"]
    assert [verdict["score"] for verdict in verdicts] == [1.0, 1.0, 0.0, None, None, 0.0]


def test_the_requests_in_the_docs_are_taken(client: TestClient) -> None:
    """The lines for curl; those in Python need the protocols' packages (tests/real/doors.py)."""
    doors = Path(__file__).parents[1] / "docs" / "doors"
    page = "".join((doors / name).read_text() for name in ("nemo-gym.md", "batches.md"))
    posts = re.findall(r"\$ curl -d '(.*)' http://127\.0\.0\.1:8000(/\S+)", page)
    task = task_of(client, "sums", 0)
    assert [path for _, path in posts] == ["/sudoku/rows", "/verify"]
    for body, path in posts:
        body = body.replace('"task": {…}', f'"task": {json.dumps(task)}')
        body = body.replace("<answer>…<", f"<answer>{pm.item(task).answer}<")
        answer = client.post(path.replace("sudoku", "sums"), content=body)
        assert answer.status_code == 200, answer.text
    wanted = re.search(r'^{"verdicts": .*$', page, re.MULTILINE)
    assert wanted
    assert answer.json() == json.loads(wanted[0])


# What holds behind every door


def prompts_behind_doors(client: TestClient, environment: str, index: int) -> list[bytes]:
    """The prompt and its pictures as bytes, by each door."""
    by_index = {"environment": environment, "split": "train", "index": index}
    first = client.post("/reset", json=by_index).json()["observation"]
    found = [_joined(first["prompt"], [each["data"] for each in first["images"]])]
    with client.websocket_connect("ws://127.0.0.1/ws") as socket:
        socket.send_json({"type": "reset", "data": by_index})
        again = socket.receive_json()["data"]["observation"]
        found.append(_joined(again["prompt"], [each["data"] for each in again["images"]]))
    headers = opened(client, env_name=environment, split="train", index=index)
    blocks = client.get(f"/{environment}/prompt", headers=headers).json()
    found.append(_of_blocks(blocks))
    body = {"name": "new_task", "arguments": by_index}
    made = {"jsonrpc": "2.0", "id": 1, "method": "openenv/session/create"}
    name = client.post("/mcp", json=made).json()["result"]["session_id"]
    rpc = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": body | {"session_id": name}}
    found.append(_of_blocks(client.post("/mcp", json=rpc).json()["result"]["content"]))
    ranged = {"split": "train", "start": index, "stop": index + 1}
    row = client.post(f"/{environment}/rows", json=ranged).json()
    content = row["responses_create_params"]["input"][0]["content"]
    if isinstance(content, str):
        found.append(_joined(content, []))
    else:
        urls = [each["image_url"].partition(",")[2] for each in content[1:]]
        found.append(_joined(content[0]["text"], urls))
    return found


def _joined(prompt: str, pictures: list[str]) -> bytes:
    return prompt.encode() + b"".join(base64.b64decode(each) for each in pictures)


def _of_blocks(blocks: list[dict[str, Any]]) -> bytes:
    text = "".join("<image>" if each["type"] == "image" else each["text"] for each in blocks)
    return _joined(text, [each["data"] for each in blocks if each["type"] == "image"])


@pytest.mark.parametrize("environment", WHAT[:4])
def test_an_index_is_the_same_bytes_behind_every_door(client: TestClient, environment: str) -> None:
    item = pm.item(task_of(client, environment, 6))
    wanted = item.prompt.encode() + b"".join(item.images)
    assert prompts_behind_doors(client, environment, 6) == [wanted] * 5
    assert bool(item.images) == (environment == "jigsaw_grid")


def test_blanks_between_two_pictures_are_kept() -> None:
    with served(small("scene_difference", levels=[0.25])) as client:
        item = pm.item(task_of(client, "scene_difference", 0))
        assert re.search("<image>\\s+<image>", item.prompt)
        wanted = item.prompt.encode() + b"".join(item.images)
        assert prompts_behind_doors(client, "scene_difference", 0) == [wanted] * 5


LEAKY = ("answer", "gold", "puzzle", "certificate", "solver", "canon")


def keys_in(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(keys_in, value.values()))
    return set().union(*map(keys_in, value)) if isinstance(value, list) else set()


def test_gold_is_in_no_response() -> None:
    """Neither before the verdict, nor in it: the prompts are the families' own, and of all else
    that is said nothing holds the answer, or a field that would."""
    names = random.Random(11).sample(pm.families(), 30)
    with served(small(*names, tries=2, levels=[0.3])) as client:
        for index, name in enumerate(names):
            body = {"environment": name, "split": "train", "index": index}
            reset = client.post("/reset", json=body)
            assert reset.status_code == 200, (name, reset.text)
            said = reset.json()
            item = pm.item(said["metadata"]["task"])
            step = {"session_id": said["metadata"]["session_id"], "action": {"reply": "no"}}
            turns = [client.post("/step", json=step).json() for _ in range(2)]
            assert turns[1]["done"] is True
            for each in (said, *turns):
                assert not keys_in(each) & set(LEAKY), name
                text = json.dumps(each, ensure_ascii=False).replace(json.dumps(item.prompt), "")
                gold = json.dumps(item.answer)[1:-1]
                if len(gold) >= 6 and gold != "impossible":  # a knob is called so, too
                    assert gold not in text.replace(json.dumps(item.prompt)[1:-1], ""), name


async def leaky(function: str, calls: Any, seconds: float, keep: Any) -> None:
    """Workers whose verifier crashes, and says what the answer was."""
    if function.endswith(":judge"):
        for place in range(len(calls)):
            keep(place, Failure("ValueError: gold is 4711"))
    else:
        await run_here(function, calls, seconds, keep)


def test_a_crash_of_ours_tells_nothing_and_counts_for_nothing() -> None:
    with served(server_of(["sums"], {}, run=leaky)) as client:
        headers = opened(client, split="train", index=0)
        (_, error) = events(
            client.post(
                "/call", json={"name": "submit", "input": {"reply": "x"}}, headers=headers
            ).text
        )
        assert error[0] == "error"
        name = client.post("/reset", json={}).json()["metadata"]["session_id"]
        body = {"action": {"reply": "x"}, "session_id": name}
        broken = client.post("/step", json=body)
        assert broken.status_code == 500
        state = client.get("/state", headers={"X-Session-ID": name}).json()
        assert (state["step_count"], state["done"]) == (0, False)
        task = task_of(client, "sums", 0)
        verdict = client.post("/verify", json={"items": [{"task": task, "reply": "x"}]})
        assert verdict.json()["verdicts"][0]["score"] is None
        for each in (broken, verdict):
            assert "4711" not in each.text
        assert "4711" not in error[1]


def test_overload_is_refused_and_never_judged_wrong() -> None:
    server = small("sums", queue=2)
    with served(server) as client:
        task = task_of(client, "sums", 0)
        item = pm.item(task)
        entry = {"task": task, "answer": item.answer}
        assert client.post("/verify", json={"items": [entry] * 2}).status_code == 200
        refused = client.post("/verify", json={"items": [entry] * 3})
        assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
        name = client.post("/reset", json={"task": task}).json()["metadata"]["session_id"]
        server.judges.most = 0
        body = {"action": {"answer": item.answer}, "session_id": name}
        assert client.post("/step", json=body).status_code == 503
        with client.websocket_connect("ws://127.0.0.1/ws") as socket:
            socket.send_json({"type": "reset", "data": {"task": task}})
            socket.receive_json()
            socket.send_json({"type": "step", "data": {"answer": item.answer}})
            assert socket.receive_json()["data"]["code"] == "EXECUTION_ERROR"
        server.judges.most = 2
        assert client.post("/step", json=body).json()["reward"] == 1.0
        assert "puzzlemill_refused_total 3" in client.get("/metrics").text


def test_sessions_are_limited_and_expire() -> None:
    server = small("sums", sessions=2, idle=100.0)
    now = [0.0]
    server.sessions.clock = lambda: now[0]
    with served(server) as client:
        first = client.post("/reset", json={}).json()["metadata"]["session_id"]
        now[0] = 60.0
        second = client.post("/reset", json={}).json()["metadata"]["session_id"]
        full = client.post("/reset", json={})
        assert (full.status_code, full.headers["Retry-After"]) == (503, "1")
        with client.websocket_connect("ws://127.0.0.1/ws") as socket:
            socket.send_json({"type": "reset", "data": {}})
            assert socket.receive_json()["data"]["code"] == "CAPACITY_REACHED"
        now[0] = 101.0
        assert client.get("/state", headers={"X-Session-ID": first}).status_code == 404
        assert client.get("/state", headers={"X-Session-ID": second}).status_code == 200
        now[0] = 200.0  # it was heard of at 101
        assert client.get("/state", headers={"X-Session-ID": second}).status_code == 200
        assert client.post("/reset", json={}).status_code == 200
        metrics = client.get("/metrics").text
        assert "puzzlemill_sessions_expired_total 1" in metrics
        assert "puzzlemill_sessions 2" in metrics


def test_two_replies_at_once_to_one_session_are_two_turns() -> None:
    from puzzlemill.serving.episodes import begin, reply_to
    from puzzlemill.serving.tasks import environment_of

    async def both() -> list[Any]:
        server = small("sums")
        environment = environment_of(server.environments, "sums")
        episode = await begin(server, environment, environment.task("train", 0))
        replies = (reply_to(server, episode, "<answer>no</answer>") for _ in range(2))
        turns = await asyncio.gather(*replies, return_exceptions=True)
        server.close()
        return turns

    turns = asyncio.run(both())
    assert sorted(type(each).__name__ for each in turns) == ["Finished", "Turn"]


def test_a_group_that_asks_at_once_has_its_item_made_once() -> None:
    from puzzlemill.serving.episodes import item_of

    made = []

    async def counting(function: str, calls: Any, seconds: float, keep: Any) -> None:
        made.extend(calls)
        await run_here(function, calls, seconds, keep)

    async def group() -> list[Any]:
        server = server_of(["sums"], {}, run=counting)
        task = server.environments["sums"].task("train", 0)
        items = await asyncio.gather(*(item_of(server, task) for _ in range(8)))
        assert not server.making
        server.close()
        return items

    assert len({each.prompt for each in asyncio.run(group())}) == len(made) == 1


def test_where_an_address_gives_no_item_a_later_one_does() -> None:
    name, level = "sorting+easier", 0.25  # some of its origins have no easier relative

    def lacks(index: int) -> bool:
        try:
            return not pm.generate(name, level=level)[index].certificate
        except UserError:
            return True

    index = next(filter(lacks, range(40)))
    with served(small(name, levels=[level])) as client:
        told = client.post("/reset", json={"index": index}).json()
        task = told["metadata"]["task"]
        assert task["index"] == index + 1_000_000
        assert told["observation"]["prompt"] == pm.item(task).prompt
        again = client.post("/reset", json={"task": task}).json()
        assert again["observation"] == told["observation"] | {"metadata": again["metadata"]}


def test_a_key_is_asked_for_at_every_door_but_health() -> None:
    with served(small("sums"), key="secret") as client:
        assert client.get("/health").status_code == 200
        for path in ("/metrics", "/list_environments", "/web", "/openapi.json"):
            assert client.get(path).status_code == 401
        assert client.post("/reset", json={}).status_code == 401
        with pytest.raises(WebSocketDisconnect), client.websocket_connect("ws://127.0.0.1/ws"):
            pass
        basic = base64.b64encode(b"anyone:secret").decode()
        for header in ({"Authorization": "Bearer secret"}, {"X-API-Key": "secret"},
                       {"Authorization": f"Basic {basic}"}):  # fmt: skip
            assert client.get("/list_environments", headers=header).status_code == 200
            with client.websocket_connect("ws://127.0.0.1/ws", headers=header) as socket:
                socket.send_json({"type": "state"})
                assert socket.receive_json()["type"] == "state"
        for wrong in ("Bearer secrets", "Bearer", "Basic ====", "Basic bm8="):
            answer = client.get("/list_environments", headers={"Authorization": wrong})
            assert answer.status_code == 401


def test_another_site_gets_nothing_from_a_server_on_this_machine(client: TestClient) -> None:
    assert client.get("/health", headers={"Host": "evil.example"}).status_code == 421
    foreign = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}
    assert client.get("/list_environments", headers=foreign).status_code == 403
    evil = client.websocket_connect("ws://127.0.0.1/ws", headers={"Host": "evil.example"})
    with pytest.raises(WebSocketDisconnect), evil:
        pass


# What is served


def test_the_live_band_aims_at_what_this_server_sees() -> None:
    """A policy that solves `sorting` up to level 0.5 and never beyond."""
    server = small("sorting", band="0.2:0.8")
    assert server.band is not None
    assert next(iter(server.environments)) == "live_band"
    band, rng = server.band, random.Random(3)
    levels = []
    for index in range(80):
        task = band.task("train", index)
        assert band.task("train", index) == task  # for every episode of a group
        levels.append(task["level"])
        right = rng.random() < 1 / (1 + 2.718 ** (20 * (task["level"] - 0.5)))
        band.judged(f"sorting-{index}", "sorting", task["level"], right)
    assert abs(sum(levels[-20:]) / 20 - 0.5) < 0.1 < abs(levels[0] - 0.5)
    with served(server) as client:
        begun = client.post("/reset", json={}).json()["metadata"]
        assert begun["environment"] == "live_band"
        body = {"action": {"reply": "x"}, "session_id": begun["session_id"]}
        before = dict(band.behind)
        client.post("/step", json=body)
        assert band.behind["sorting"] == before.get("sorting", 0) + 1


def test_a_build_is_served_in_the_order_of_its_curriculum(tmp_path: Path) -> None:
    rows = scored("sums", "train", [3, 1, 2]) + scored("sums", "test", [4])
    folder = write_build(tmp_path / "mine", rows)
    ranked = sorted((row for row in rows if row["split"] == "train"), key=lambda row: row["rank"])
    with served(server_of([str(folder)], {}, run=run_here)) as client:
        assert client.get("/list_environments").json() == ["mine"]
        assert client.post("/mine/num_tasks", json={"split": "train"}).json() == {"num_tasks": 3}
        assert [each["name"] for each in client.get("/splits").json()] == ["train", "test"]
        tasks = client.post("/mine/tasks", json={"split": "train"}).json()["tasks"]
        assert [pm.item(task).uid for task in tasks] == [row["uid"] for row in ranked]
        first = client.post("/reset", json={"index": 0}).json()["observation"]["prompt"]
        assert first == ranked[0]["prompt"][0]["content"]
    easy = server_of([str(folder)], {}, curriculum="easy-to-hard", run=run_here)
    hardest = max(ranked, key=lambda row: -row["mean"])
    assert pm.item(easy.environments["mine"].task("train", 2)).uid == hardest["uid"]
    with pytest.raises(UserError, match="the same name"):
        server_of([str(folder), str(folder)], {}, run=run_here)
    unscored = write_build(tmp_path / "sums", scored("sums", "train", [None, None]))
    every = server_of([str(unscored)], {}, run=run_here)
    assert every.environments["sums"].count("train") == 2
    with pytest.raises(UserError, match="name of a family"):
        server_of([str(unscored), "sums"], {}, run=run_here)
    with pytest.raises(UserError, match="name a build's folder"):
        server_of(["sums"], {}, curriculum="easy-to-hard", run=run_here)


def test_styles_and_hints_change_the_prompt_and_never_the_puzzle() -> None:
    with served(small("sorting", "linear_system", style="think", hint=0.5)) as client:
        for name in ("sorting", "linear_system"):
            said = client.post("/reset", json={"environment": name, "index": 4}).json()
            item, prompt = pm.item(said["metadata"]["task"]), said["observation"]["prompt"]
            assert "<think> and </think>" in prompt
            assert ("A solution begins so:" in prompt) == said["metadata"]["hinted"]
            assert prompt.startswith(item.prompt.partition("\n\nAnswer with")[0])
            step = {
                "session_id": said["metadata"]["session_id"],
                "action": {"answer": item.answer},
            }
            assert client.post("/step", json=step).json()["reward"] == 1.0


@pytest.mark.parametrize(
    ("what", "options", "band", "fault"),
    [
        (["no_such"], {}, "", "unknown family or category"),
        (["sums"], {"levels": [2.0]}, "", "outside 0..1"),
        (["sums"], {"style": "loud"}, "", "unknown prompt style"),
        (["sums"], {}, "0.8:0.2", "two pass rates"),
        (["play_nim"], {}, "0.2:0.8", "name families"),
        (["sums"], {"tries": 0}, "", "outside 1..64"),
    ],
)
def test_what_cannot_be_served_is_said_at_the_start(
    what: list[str], options: Any, band: str, fault: str
) -> None:
    with pytest.raises(UserError, match=fault):
        server_of(what, options, band, run=run_here)


def test_the_page_asks_and_judges_without_a_script(client: TestClient) -> None:
    page = client.get("/", follow_redirects=True)
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    asked = client.get("/web?environment=sums&index=2").text
    item = pm.item(task_of(client, "sums", 2))
    name = asked.partition('name="session_id" value="')[2].partition('"')[0]
    said = client.post("/web", data={"session_id": name, "answer": item.answer}).text
    assert "That is right." in said
    assert "<script" not in page.text + asked + said
    picture = client.get("/web?environment=jigsaw_grid&index=0").text
    assert "data:image/png;base64," in picture
    assert "there is no index" in client.get("/web?environment=sums&index=99999999").text
    assert "there is no index" in client.get("/web?environment=sums&index=x").text
    hostile = client.get("/web?environment=<b>x&index=0").text
    assert "<b>" not in hostile
    assert "no such session" in client.post("/web", data={"session_id": "x"}).text


def test_a_verifier_that_hangs_costs_its_own_reply_only() -> None:
    """In worker processes, with their limits."""
    from puzzlemill.serving.judging import Broken, Lane
    from puzzlemill.serving.workers import leave_workers

    async def calls() -> list[Any]:
        lane = Lane(1, 8, 0.3)
        good = lane.call("builtins:abs", -2)
        hangs = lane.call("time:sleep", 60)
        more = lane.call("builtins:abs", -3)
        found = await asyncio.gather(good, hangs, more, return_exceptions=True)
        lane.close()
        leave_workers()
        return found

    first, stuck, last = asyncio.run(calls())
    assert (first, last) == (2, 3)
    assert isinstance(stuck, Broken)


async def from_a_worker(function: str, calls: Any, seconds: float = 20.0) -> list[Any]:
    from puzzlemill.serving.workers import run_in_a_worker

    results = [None] * len(calls)
    await run_in_a_worker(function, calls, seconds, results.__setitem__)
    return results


async def longest_turn(work: "asyncio.Future[Any]") -> float:
    """Seconds for which the loop did nothing else, at most, until something is done."""
    loop, longest = asyncio.get_running_loop(), 0.0
    while not work.done():
        start = loop.time()
        await asyncio.sleep(0)
        longest = max(longest, loop.time() - start)
    return longest


def test_a_loop_goes_on_while_a_worker_starts_dies_or_is_sent_much() -> None:
    """Each of the calls fails or not by itself, and none makes the loop wait."""
    from puzzlemill.core.guard import Failure
    from puzzlemill.serving.workers import leave_workers

    async def calls() -> tuple[list[Any], float]:
        large = ("x" * 4_000_000,)
        many: list[tuple[Any, ...]] = [(-1,), (-2,)]
        work = asyncio.gather(
            from_a_worker("os:_exit", [(3,)]),
            from_a_worker("builtins:len", [large, large]),
            from_a_worker("builtins:abs", many),
            from_a_worker("time:sleep", [(60,), (0,)], 0.3),
        )
        longest = await longest_turn(work)
        leave_workers()
        return await work, longest

    found, longest = asyncio.run(calls())
    assert found == [
        [Failure("its worker process died")], [4_000_000] * 2, [1, 2],
        [Failure("overstayed 0.3 seconds"), None],
    ]  # fmt: skip
    assert longest < 0.3  # a worker takes longer than that to come up, or to be given up


# In a worker: the head of a message and a part of what it announces, and no more.
STOPS = """
import os, re, signal, sys
descriptor = int(re.search(r"serve\\((\\d+)", sys.orig_argv[-1])[1])
os.write(descriptor, bytes([0, 0, 4, 0]) + b"a part")
os.kill(os.getpid(), signal.SIGSTOP)
"""


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_a_worker_that_is_stopped_in_the_middle_of_a_message_makes_nobody_wait(loop: str) -> None:
    from puzzlemill.core.guard import Failure
    from puzzlemill.serving.workers import leave_workers

    async def calls() -> tuple[list[Any], float]:
        await from_a_worker("builtins:abs", [(1,)])
        work = asyncio.gather(
            from_a_worker("builtins:exec", [(STOPS,)], 0.3), from_a_worker("builtins:abs", [(-1,)])
        )
        longest = await longest_turn(work)
        leave_workers()
        return await work, longest

    with asyncio.Runner(loop_factory=pytest.importorskip(loop).new_event_loop) as runner:
        found, longest = runner.run(calls())
    assert found == [[Failure("overstayed 0.3 seconds")], [1]]
    assert longest < 0.3


def test_an_expired_session_is_forgotten_in_the_order_of_silence() -> None:
    now = [0.0]
    sessions = Sessions(10, 5.0, lambda: now[0])
    from puzzlemill.serving.sessions import Episode

    for name in "abc":
        sessions.add(Episode(name, "", {}, None, None, 0))
        now[0] += 1
    sessions.get("a")
    now[0] = 7.0
    assert sessions.find("b") is None
    assert sessions.find("c") is None
    assert sessions.find("a") is not None
    assert sessions.expired == 2
