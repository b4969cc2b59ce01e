"""Flows: the same work as tasks, one a shard, with no server started."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from puzzlemill import flows

pytest.importorskip("prefect")

RECIPE = """name = "seen"
shard = 4
[[make]]
families = ["odd_one_out"]
count = 6
levels = [0.0]
[score]
rounds = 2
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    from prefect.testing.utilities import prefect_test_harness

    folder = tmp_path_factory.mktemp("flows")
    (folder / "seen.toml").write_text(RECIPE)
    with prefect_test_harness(server_startup_timeout=120):
        yield folder


@pytest.mark.filterwarnings("ignore")  # Prefect's own
def test_a_build_is_one_task_a_shard_and_its_card_is_an_artifact(home: Path) -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterKey

    from puzzlemill.flows import mill

    folder = Path(mill.build(str(home / "seen.toml"), str(home)))
    assert (folder / "report.html").is_file()

    async def asked() -> tuple[set[str], str]:
        async with get_client() as client:
            runs = await client.read_task_runs()
            artifacts = await client.read_artifacts(
                artifact_filter=ArtifactFilter(key=ArtifactFilterKey(any_=["build-seen"]))
            )
            return {run.name for run in runs}, str(artifacts[0].data)

    names, card = asyncio.run(asked())
    # Prefect's recorder lags behind: what it has is a part of what there was.
    asking = (f"ask-{number}" for number in range(1, 3))
    steps = (
        "generate",
        "certify",
        "screen",
        "dedupe",
        "signal",
        *asking,
        "score",
        "sieve",
        "arrange",
    )
    assert names <= {f"{step}-{shard}" for step in steps for shard in range(2)} | {"write-0"}
    assert "odd_one_out" in card


def test_offline_the_terminal_shows_no_word_of_prefect(tmp_path: Path) -> None:
    (tmp_path / "seen.toml").write_text(RECIPE)
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith("PREFECT_")
    }
    done = subprocess.run(
        [sys.executable, "-m", "puzzlemill", "build", "seen.toml"],
        cwd=tmp_path,
        env={**environment, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "unscored" in done.stdout
    for word in ("prefect", "telemetry", "Traceback", "ERROR"):
        assert word not in done.stderr
    assert "Completed" in (tmp_path / ".prefect" / "flows.log").read_text()


def test_prefect_is_told_to_be_silent_before_it_is_imported() -> None:
    assert flows  # importing it sets the variables
    assert os.environ["PREFECT_SERVER_ANALYTICS_ENABLED"] == "false"
    assert os.environ["DO_NOT_TRACK"] == "1"
