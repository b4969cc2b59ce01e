"""Builds that nobody watches: numbered, refreshed when they no longer teach, tidied up."""

import fcntl
import json
import logging
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest

from puzzlemill.core.errors import UserError
from puzzlemill.pipelines.recipe import Recipe
from puzzlemill.pipelines.series import (
    current_checkpoint,
    newest,
    next_recipe,
    tidy,
)
from puzzlemill.pipelines.settings import Make

RECIPE = Recipe("mine", make=(Make(("sums",)),), seed=40)


def made(builds: Path, name: str, finished: bool = True, **recipe: object) -> Path:
    folder = builds / name
    folder.mkdir()
    (folder / "recipe.json").write_text(json.dumps(recipe))
    if finished:
        (folder / "manifest.json").write_text("{}")
        (folder / "report.html").write_text("")
    return folder


def test_a_series_goes_on_where_it_was_stopped_and_then_to_the_next_number(tmp_path: Path) -> None:
    assert next_recipe(RECIPE, tmp_path).name == "mine-0001"
    made(tmp_path, "mine-0001")
    begun = made(tmp_path, "mine-0002", finished=False)
    made(tmp_path, "mine-0001-rescored-again")
    made(tmp_path, "mine-other-0009")
    assert next_recipe(RECIPE, tmp_path).name == "mine-0002"
    assert newest("mine", tmp_path).name == "mine-0001"
    (begun / "manifest.json").write_text("{}")
    (begun / "report.html").write_text("")
    third = next_recipe(RECIPE, tmp_path)
    assert (third.name, third.seed) == ("mine-0003", 43)


def test_dates_say_nothing_of_which_build_is_the_newest(tmp_path: Path) -> None:
    for number, day in (("0009", 2), ("0010", 1)):
        os.utime(made(tmp_path, f"mine-{number}"), (day, day))
    assert newest("mine", tmp_path).name == "mine-0010"
    assert [each.name for each in tidy("mine", 1, tmp_path)] == ["mine-0009"]


def test_old_builds_end_but_not_those_that_are_wanted_or_under_way(tmp_path: Path) -> None:
    for number in range(1, 10):
        made(tmp_path, f"mine-000{number}")
    (tmp_path / "mine-0001" / "keep").touch()
    (tmp_path / "mine-0002" / "published.json").write_text("{}")
    made(tmp_path, "mine-0003-rescored", parent=str(tmp_path / "mine-0003"))
    (tmp_path / "mine-0003-rescored" / "keep").touch()  # and with it what it was made from
    made(tmp_path, "mine-0004-rescored", score={"earlier": str(tmp_path / "mine-0004")})
    made(tmp_path, "mine-0010", finished=False)
    made(tmp_path, "other-0001")
    (tmp_path / "mine-0005-notes").mkdir()
    with (tmp_path / "mine-0006" / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # somebody scores it again
        removed = {folder.name for folder in tidy("mine", 2, tmp_path)}
    assert removed == {"mine-0004", "mine-0004-rescored", "mine-0005", "mine-0007"}
    assert {path.name for path in tmp_path.iterdir()} == {
        *(f"mine-000{number}" for number in (1, 2, 3, 6, 8, 9)),
        *("mine-0003-rescored", "mine-0005-notes", "mine-0010", "other-0001"),
    }
    with pytest.raises(UserError, match="keep 1 build or more"):
        tidy("mine", 0, tmp_path)


def test_the_current_checkpoint_is_the_last_one_of_the_last_build_trained_on(
    tmp_path: Path,
) -> None:
    assert current_checkpoint("mine", tmp_path) is None
    for name, step in (("mine-0001", 90), ("mine-0002", 20), ("mine-0002", 40)):
        checkpoint = tmp_path / name / "training" / f"checkpoint-{step:06d}"
        checkpoint.mkdir(parents=True)
        (checkpoint / "run.json").write_text("{}")
    (tmp_path / "mine-0002" / "training" / "checkpoint-000060").mkdir()  # torn
    found = current_checkpoint("mine", tmp_path)
    assert found
    assert found.parent.parent.name == "mine-0002"
    assert found.name == "checkpoint-000040"


def test_whoever_is_named_is_told_by_command_or_by_post_and_no_secret_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("prefect")
    from puzzlemill.flows.notification import VARIABLE, notify

    posted: list[bytes] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            posted.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(500 if "broken" in self.path else 200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    ended = (
        SimpleNamespace(name="nightly"),
        SimpleNamespace(name="calm-fox"),
        SimpleNamespace(name="Failed", message="disk full"),
    )
    out = tmp_path / "told.json"
    copy = f"import sys; open({str(out)!r}, 'wb').write(sys.stdin.buffer.read())"
    monkeypatch.setenv(VARIABLE, f'{sys.executable} -c "{copy}"')
    notify(*ended)
    expected = {"flow": "nightly", "run": "calm-fox", "state": "Failed", "message": "disk full"}
    assert json.loads(out.read_text()) == expected
    monkeypatch.setenv("no_proxy", "*")
    with HTTPServer(("127.0.0.1", 0), Hook) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        with caplog.at_level(logging.WARNING):
            for path in ("hook", "broken?token=verysecret"):
                monkeypatch.setenv(VARIABLE, f"http://127.0.0.1:{server.server_port}/{path}")
                notify(*ended)
        server.shutdown()
    assert [json.loads(each) for each in posted] == [expected] * 2
    assert "nobody was told: HTTPError" in caplog.text
    assert "verysecret" not in caplog.text
