"""A Prefect server and worker as they are set up for unattended builds: a cron run fires by itself.

`make schedule` runs it, in two to five minutes. The deployments are those of prefect.yaml, with a
small recipe and every minute instead of every night.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

ROOT = Path(__file__).parent.parent.parent
PREFECT = [sys.executable, "-m", "prefect"]
RECIPE = """name = "cron"
[[make]]
families = ["sums"]
count = 5
[policy]
kind = "none"
"""


@contextmanager
def running(command: list[str], place: Path, environment: dict[str, str]) -> Iterator[None]:
    with (place / "said.txt").open("ab") as said:
        process = subprocess.Popen(command, cwd=place, env=environment, stdout=said, stderr=said)
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def asked(url: str, path: str, body: str = "{}") -> Any:
    request = Request(f"{url}/{path}", body.encode(), {"Content-Type": "application/json"})
    with urlopen(request, timeout=30) as answer:
        return json.load(answer)


def soon(what: Any, seconds: float) -> Any:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if found := what():
                return found
        except OSError:
            pass
        time.sleep(1)
    pytest.fail("it did not come about")


def test_a_scheduled_night_runs_by_itself_and_its_artifacts_are_there(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/api"
    told = tmp_path / "told.jsonl"
    append = f"import sys; open({str(told)!r}, 'a').write(sys.stdin.read() + chr(10))"
    environment = os.environ | {
        "HOME": str(tmp_path),
        "PREFECT_HOME": str(tmp_path / ".prefect"),
        "PREFECT_API_URL": url,
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
        "no_proxy": "*",
        "PUZZLEMILL_NOTIFY": f'{sys.executable} -c "{append}"',
    }
    (tmp_path / "cron.toml").write_text(RECIPE)
    text = (ROOT / "prefect.yaml").read_text().replace("recipes/demo.toml", "cron.toml")
    (tmp_path / "prefect.yaml").write_text(text.replace('"0 3 * * *"', '"* * * * *"'))
    shutil.copytree(ROOT / "recipes", tmp_path / "recipes")
    with ExitStack() as stack:
        server = [*PREFECT, "server", "start", "--port", str(port), "--no-ui"]
        stack.enter_context(running(server, tmp_path, environment))
        soon(lambda: urlopen(f"{url}/health", timeout=5).status == 200, 300)
        for arguments in (
            ["work-pool", "create", "puzzlemill", "--type", "process"],
            ["--no-prompt", "deploy", "--all"],
        ):
            done = subprocess.run(
                [*PREFECT, *arguments],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, done.stdout + done.stderr
        names = {each["name"] for each in asked(url, "deployments/filter")}
        assert names == {"nightly", "weekly", "weekly-loop"}
        worker = [*PREFECT, "worker", "start", "--pool", "puzzlemill", "--limit", "1"]
        stack.enter_context(running(worker, tmp_path, environment))

        def completed() -> list[dict[str, Any]]:
            runs = asked(url, "flow_runs/filter")
            assert not [run for run in runs if run["state_type"] in ("FAILED", "CRASHED")], runs
            return [run for run in runs if run["state_type"] == "COMPLETED"]

        run = soon(completed, 600)[0]
        assert run["auto_scheduled"]
        artifacts = {each["key"]: each for each in asked(url, "artifacts/filter")}
    assert {"build-cron", "report-cron", "families-cron"} <= set(artifacts)
    assert "sums" in str(artifacts["families-cron"]["data"])
    assert (tmp_path / "builds" / "cron-0001" / "report.html").is_file()
    assert '"flow": "nightly"' in told.read_text()
    assert re.search(r'"state": "Completed"', told.read_text())
