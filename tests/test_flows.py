"""Flows: the same work as tasks, one a shard, with no server started."""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from puzzlemill import flows
from puzzlemill.core.errors import NothingKept, UserError

# Not imported here: each process of a run collects these tests, and one runs them.
pytestmark = pytest.mark.skipif(find_spec("prefect") is None, reason="there is no Prefect")

RECIPE = """name = "seen"
shard = 8
[[make]]
families = ["sums"]
count = 10
[policy]
max_tokens = 48
[score]
most = 2
rounds = 1
[regenerate]
count = 12
band = [0.1, 0.95]
"""
PLAIN = """name = "plain"
[[make]]
families = ["odd_one_out"]
count = 2
[policy]
kind = "none"
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    from prefect.testing.utilities import prefect_test_harness

    folder = tmp_path_factory.mktemp("flows")
    (folder / "seen.toml").write_text(RECIPE)
    with prefect_test_harness(server_startup_timeout=120):
        yield folder


@pytest.mark.filterwarnings("ignore")  # Prefect's own
def test_a_night_and_a_week_are_tasks_artifacts_and_messages(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from prefect.client.orchestration import get_client

    from puzzlemill.flows import mill
    from puzzlemill.flows.notification import VARIABLE

    told = home / "told.jsonl"
    append = f"import sys; open({str(told)!r}, 'a').write(sys.stdin.read() + chr(10))"
    monkeypatch.setenv(VARIABLE, f'{sys.executable} -c "{append}"')
    folder = Path(mill.nightly(str(home / "seen.toml"), str(home)))
    assert folder.name == "seen-0001"
    again = Path(mill.weekly(str(home / "seen.toml"), str(home), least=1.01))
    assert again.name == "seen-0001-rescored-again"
    assert Path(mill.weekly(str(home / "seen.toml"), str(home), least=0.0)).name == (
        "seen-0001-rescored"
    )
    with pytest.raises(UserError, match="no finished build"):
        mill.weekly.with_options(retries=0)(str(home / "seen.toml"), str(home / "nowhere"))

    async def asked() -> tuple[set[str], dict[str, Any]]:
        async with get_client() as client:
            runs = await client.read_task_runs()
            artifacts = await client.read_artifacts()
            return {run.name for run in runs}, {each.key: each for each in artifacts}

    names, artifacts = asyncio.run(asked())
    # Prefect's recorder lags behind: what it has is a part of what there was.
    steps = ("generate", "certify", "screen", "dedupe", "signal", "ask-1", "score", "sieve")
    assert names <= {
        f"{step}-{shard}"
        for step in (*steps, "adopt", "arrange", "write", "truth")
        for shard in range(9)
    }
    assert "sums" in str(artifacts["build-seen"].data)
    assert artifacts["report-seen"].type == "markdown"
    assert '"replies a second"' in str(artifacts["figures-seen"].data)
    assert '"family": "sums"' in str(artifacts["families-seen"].data)
    assert "data:image/png;base64," in str(artifacts["families-plot-seen"].data)
    assert '"share in the band"' in str(artifacts["refresh"].data)
    ended = [json.loads(line) for line in told.read_text().splitlines()]
    assert [(each["flow"], each["state"]) for each in ended] == [
        ("nightly", "Completed"),
        ("weekly", "Completed"),
        ("weekly", "Completed"),
        ("weekly", "Failed"),
    ]


ROUNDS = """name = "rounds"
[[make]]
families = ["sums", "reversal"]
count = 9
levels = [0.25, 0.5, 0.75]
[policy]
max_tokens = 64
[score]
most = 2
rounds = 1
[train]
steps = 1
prompts = 2
group = 2
heldout = 1
[regenerate]
band = "teaches"
count = 10
"""


@pytest.mark.filterwarnings("ignore")  # Prefect's own
def test_each_round_of_the_loop_scores_and_trains_the_policy_of_the_round_before(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plainly; and the first round again as a flow, which gives the same bytes."""
    plain, flow = (looped(home / way, way, monkeypatch) for way in ("--plain", "--flow"))
    names = ["rounds", *(f"rounds{'-rescored-again' * n}" for n in (1, 2))]
    order = [names[0], f"{names[0]}-rescored", names[1], f"{names[1]}-rescored", names[2]]
    policies = [json.loads((plain / each / "recipe.json").read_text())["policy"] for each in order]
    last = [str(Path("builds") / name / "training" / "checkpoint-000001") for name in names[:2]]
    assert [each["model"] for each in policies[1:]] == [last[0], last[0], last[1], last[1]]
    assert {path.name for path in flow.iterdir()} == {*order[:3]}
    for name in order[:3]:
        assert content(flow / name) == content(plain / name)


def looped(folder: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two rounds plainly, or one as a flow; their builds."""
    from typer.testing import CliRunner

    from puzzlemill.__main__ import app

    folder.mkdir()
    monkeypatch.chdir(folder)  # recipes name builds and checkpoints by relative paths
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    Path("rounds.toml").write_text(ROUNDS)
    rounds = "2" if way == "--plain" else "1"
    said = CliRunner().invoke(app, ["loop", "rounds.toml", way, "--rounds", rounds])
    assert said.exit_code == 0, said.output
    return folder / "builds"


def content(build: Path) -> dict[Path, bytes]:
    """What a build holds for good: its dataset and its manifest."""
    paths = [build / "manifest.json", *(build / "dataset").rglob("*")]
    return {path.relative_to(build): path.read_bytes() for path in paths if path.is_file()}


EMPTY = """name = "void"
[[make]]
families = ["sorting"]
count = 2
[filters]
longest = 1
[policy]
kind = "none"
"""


@pytest.mark.filterwarnings("ignore")  # Prefect's own
def test_a_flow_that_keeps_nothing_fails_once_and_nobody_trains_on_it(home: Path) -> None:
    from puzzlemill.flows import mill

    recipe, builds = home / "void.toml", home / "void"
    recipe.write_text(EMPTY)
    with pytest.raises(NothingKept, match="2 turned away") as told:
        mill.nightly(str(recipe), str(builds))
    assert told.value.folder.name == "void-0001"
    assert [path.name for path in builds.iterdir()] == ["void-0001"]  # it was not tried again
    with pytest.raises(NothingKept):
        mill.loop(str(recipe), 1, str(builds))
    assert not (builds / "void" / "training").exists()
    assert mill.build(str(recipe), str(builds), allow_empty=True) == str(builds / "void")
    end = mill.build(str(recipe), str(builds), return_state=True)
    assert end.name == "NothingKept"
    assert "raise `[filters] longest`" in end.message


@pytest.mark.deep  # `make schedule`; it starts a second server
def test_offline_the_terminal_shows_no_word_of_prefect(home: Path, tmp_path: Path) -> None:
    (tmp_path / "plain.toml").write_text(PLAIN)
    (tmp_path / ".prefect").mkdir()
    copy_of_database(tmp_path / ".prefect" / "prefect.db")
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith("PREFECT_")
    }
    done = subprocess.run(
        [sys.executable, "-m", "puzzlemill", "build", "plain.toml", "--flow"],
        cwd=tmp_path,
        env={**environment, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "kept" in done.stdout
    for word in ("prefect", "telemetry", "Traceback", "ERROR"):
        assert word not in done.stderr
    assert "Completed" in (tmp_path / ".prefect" / "flows.log").read_text()


def copy_of_database(path: Path) -> None:
    """The tables that the test server has made already, which takes longer than the rest."""
    from prefect.settings import PREFECT_API_DATABASE_CONNECTION_URL

    url = PREFECT_API_DATABASE_CONNECTION_URL.value()
    name = str(url.get_secret_value() if hasattr(url, "get_secret_value") else url)
    with (
        closing(sqlite3.connect(name.partition(":///")[2])) as there,
        closing(sqlite3.connect(path)) as here,
    ):
        there.backup(here)


def test_prefect_is_told_to_be_silent_before_it_is_imported() -> None:
    assert flows  # importing it sets the variables
    assert os.environ["PREFECT_SERVER_ANALYTICS_ENABLED"] == "false"
    assert os.environ["DO_NOT_TRACK"] == "1"
