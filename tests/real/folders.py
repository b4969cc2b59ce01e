"""Exported folders in the hands of Harbor, NeMo Gym and OpenEnv. Not part of the plain run; needs
Python 3.12:

    tools/set-up-gyms.sh && .venv-gyms/bin/python -m pytest -W ignore tests/real/folders.py

Harbor's own oracle and verifier run a task's scripts; the containers are namespaces of this machine
that have no network, since a container engine may be missing. Takes a minute or two.
"""

import asyncio
import json
import os
import shlex
import shutil
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import puzzlemill as pm
from puzzlemill.core.errors import NoPuzzle
from puzzlemill.core.rows import row_of
from puzzlemill.outputs.trainer_files.writer import export
from puzzlemill.serving.tasks import task_at

BIN = Path(sys.executable).parent
RECIPE = """
name = "small"
seed = 5
[[make]]
families = ["sorting", "sums", "sudoku", "zebra", "jigsaw_grid"]
count = 6
levels = [0.0, 0.5]
[policy]
kind = "none"
"""
PATHS = ("app", "tests", "solution", "logs")
# A root like this machine's, but for the folders of one container; and no network.
ENTER = """
set -e
mount -t tmpfs tmpfs "$ROOTS"
for each in /*; do
    [ -d "$each" ] && [ ! -L "$each" ] || { cp -a "$each" "$ROOTS/" 2>/dev/null || true; continue; }
    mkdir "$ROOTS$each"; mount --rbind "$each" "$ROOTS$each"
done
for each in app tests solution logs; do
    mkdir -p "$ROOTS/$each"; mount --bind "$BOX/$each" "$ROOTS/$each"
done
exec chroot "$ROOTS" bash -c "cd /app && $COMMAND"
"""


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("builds")
    (folder / "small.toml").write_text(RECIPE)
    return pm.build(folder / "small.toml", builds=folder)


def written(build: Path, to: str, out: Path) -> Path:
    return export(build, to, out, unscored=True).folder


class Box:
    """As much of a Harbor environment as its oracle and its verifier use."""

    default_user = None

    def __init__(self, folder: Path):
        from harbor.models.task.config import TaskOS

        self.folder, self.os = folder, TaskOS.LINUX
        for name in (*PATHS, "roots"):
            (folder / name).mkdir(parents=True)
        for name in ("agent", "verifier"):
            (folder / "logs" / name).mkdir()

    async def upload_dir(self, source_dir: Any, target_dir: str) -> None:
        shutil.copytree(source_dir, self.folder / target_dir[1:], dirs_exist_ok=True)

    async def download_dir(self, source_dir: str, target_dir: Any) -> None:
        shutil.copytree(self.folder / source_dir[1:], target_dir, dirs_exist_ok=True)

    async def download_file(self, source_path: str, target_path: Any) -> None:
        Path(target_path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.folder / source_path[1:], target_path)

    async def exec(self, command: str, **_: Any) -> Any:
        names = {"ROOTS": self.folder / "roots", "BOX": self.folder, "COMMAND": command}
        path = f"{BIN}:{os.environ['PATH']}"
        done = subprocess.run(
            ["unshare", "--map-root-user", "--mount", "--net", "bash", "-c", ENTER],
            env={**os.environ, "PATH": path, **{name: str(each) for name, each in names.items()}},
            capture_output=True, text=True,
        )  # fmt: skip
        return SimpleNamespace(return_code=done.returncode, stdout=done.stdout, stderr=done.stderr)

    def is_path_mounted(self, *_: Any) -> bool:
        return False

    def scoped_exec_env(self, _: Any) -> Any:
        return nullcontext()


def trial(task: Any, folder: Path, oracle: bool) -> float:
    """Their oracle, or nobody, in the agent's box; then their verifier in its own."""
    from harbor.agents.oracle import OracleAgent
    from harbor.models.trial.paths import TrialPaths
    from harbor.verifier.verifier import Verifier

    agent, judge, paths = Box(folder / "agent"), Box(folder / "judge"), TrialPaths(folder / "trial")
    paths.mkdir()
    answer = agent.folder / "app" / "answer.txt"
    answer.touch()  # as environment/Dockerfile does
    if oracle:
        runner = OracleAgent(folder / "logs", task.paths.task_dir, paths)
        asyncio.run(runner.run(task.instruction, agent, None))  # type: ignore[arg-type]
    assert not any((agent.folder / "tests").iterdir()), "the agent sees no tests"
    shutil.copy(answer, judge.folder / "app")  # the artifact that task.toml names
    shutil.copytree(task.paths.tests_dir, judge.folder / "tests", dirs_exist_ok=True)
    verifier = Verifier(task, paths, judge, skip_tests_upload=True)  # type: ignore[arg-type]
    return float(asyncio.run(verifier.verify()).rewards["reward"])  # type: ignore[index]


def test_harbors_oracle_earns_all_and_nobody_nothing(build: Path, tmp_path: Path) -> None:
    from harbor.models.task.task import Task
    from harbor.models.task.verifier_mode import resolve_verifier_environment_definition

    if subprocess.run(["unshare", "-rmn", "true"]).returncode:
        pytest.skip("this system gives no namespaces")
    folders = sorted((written(build, "harbor", tmp_path / "tasks") / "train").iterdir())
    assert len(folders) >= 5
    for place, folder in enumerate(folders[:5]):
        task = Task(folder)
        definition = resolve_verifier_environment_definition(task.config, task.paths)
        assert definition is not None
        assert definition.bundled_tests
        assert task.config.environment.network_mode == "no-network"
        assert trial(task, tmp_path / f"{place}-oracle", oracle=True) == 1.0
        assert trial(task, tmp_path / f"{place}-nop", oracle=False) == 0.0
        seen = [folder / "instruction.md", *(folder / "environment").iterdir()]
        gold = (folder / "solution" / "answer.txt").read_text()
        assert not any(gold in file.read_text() for file in seen)


def test_each_family_makes_a_task_that_harbor_reads(tmp_path: Path) -> None:
    from harbor.models.task.task import Task

    from puzzlemill.outputs.exports.harbor import task_files, text_row
    from puzzlemill.outputs.exports.harbor.reward import main

    for name in pm.families():
        if pm.family(name).category == "visual":
            continue
        for place in range(8):
            try:
                item = pm.item(dict(task_at(name, 0.0, "train", 0, place)))
            except NoPuzzle:
                continue
            if item.certificate:
                break
        folder = tmp_path / name
        for path, text in task_files(text_row(row_of(item)), f"x-{name}").items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        assert item.prompt in Task(folder).instruction
        row, reward = str(folder / "tests" / "row.json"), folder / "reward.txt"
        assert main(row, str(folder / "solution" / "answer.txt"), str(reward)) == 0
        assert float(reward.read_text()) == 1.0, name
        assert main(row, str(folder / "nothing.txt"), str(reward)) == 0
        assert float(reward.read_text()) < 1, name


def test_nemo_gym_takes_the_folder_and_judges_its_examples(
    build: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from nemo_gym.cli.env import TestConfig, _validate_data_single

    folder = written(build, "nemo-gym", tmp_path / "gym")
    monkeypatch.chdir(folder)
    server = Path("resources_servers") / "puzzlemill_small"
    config, tests = server / "configs" / "puzzlemill_small.yaml", server / "tests"
    for command in (
        [str(BIN / "gym"), "env", "validate", "--config", str(config)],
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-W",
            "ignore",
            "-p",
            "no:cacheprovider",
            str(tests),
        ],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    _validate_data_single(TestConfig(entrypoint=str(server), should_validate_data=True))


def test_the_commands_of_the_page_run(build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for those that start containers."""
    page = (Path(__file__).parents[2] / "docs" / "adapters-more.md").read_text()
    sections = [page.partition(f"\n## {name}\n")[2] for name in ("Harbor", "NeMo Gym", "OpenEnv")]
    blocks = [section.partition("```console\n")[2].partition("```")[0] for section in sections]
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    home, count = build.parent.parent, 0
    shutil.copytree(build, home / "builds" / "demo")
    monkeypatch.chdir(home)
    for line in lines:
        command, *rest = shlex.split(line.replace("puzzlemill_demo", "puzzlemill_small"))
        if command == "cd":
            monkeypatch.chdir(rest[0])
        elif command not in ("docker", "harbor"):
            more = ["--unscored"] if rest[0] == "export" else []
            done = subprocess.run([BIN / command, *rest, *more], capture_output=True, text=True)
            assert done.returncode == 0, line + done.stdout + done.stderr
            count += 1
        if command == "gym":
            monkeypatch.chdir(home)
    assert count == 5


def test_the_examples_statistics_are_those_of_nemo_gym(build: Path, tmp_path: Path) -> None:
    from nemo_gym.train_data_utils import (
        DatasetMetrics,
        aggregate_other_metrics,
        compute_sample_metrics,
        postprocess_other_metrics,
    )

    data = (
        written(build, "nemo-gym", tmp_path / "gym")
        / "resources_servers"
        / "puzzlemill_small"
        / "data"
    )
    metrics, others = DatasetMetrics(), dict[str, Any]()
    for line in (data / "example.jsonl").read_text().splitlines():
        found, is_damaged = compute_sample_metrics(line)
        assert not is_damaged
        metrics.add(found)
        aggregate_other_metrics(others, json.loads(line))
    theirs = metrics.aggregate()
    postprocess_other_metrics(theirs, others)
    ours = json.loads((data / "example_metrics.json").read_text())
    wanted = json.loads(theirs.model_dump_json(by_alias=True))
    for name, each in wanted.items():
        assert ours[name] == pytest.approx(each), name


def test_openenv_validates_the_package_and_its_client_plays(
    build: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = written(build, "openenv", tmp_path / "export")
    package = tmp_path / "puzzlemill_small"
    shutil.copytree(folder, package)
    validate = [str(BIN / "openenv"), "validate"]
    # The other levels start a container.
    done = subprocess.run([*validate, str(package), "--level", "static"], capture_output=True)
    assert b"Verdict: PASS" in done.stdout, done.stdout + done.stderr
    monkeypatch.syspath_prepend(tmp_path)
    from puzzlemill_small import PuzzleAction, PuzzleEnv

    command = [sys.executable, "-u", "-m", "server.app", "--port", "0"]
    with subprocess.Popen(command, cwd=package, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[0].rstrip("/")
            done = subprocess.run([*validate, address], capture_output=True)
            assert b"Verdict: PASS" in done.stdout, done.stdout + done.stderr
            with PuzzleEnv(base_url=address).sync() as env:
                for index in range(6):
                    first = env.reset(split="train", index=index)
                    item = pm.item(first.observation.metadata["task"])
                    assert first.observation.prompt == item.prompt
                    assert len(first.observation.images) == len(item.images)
                    right = env.step(PuzzleAction(reply=f"<answer>{item.answer}</answer>"))
                    assert (right.reward, right.done) == (1.0, True)
                    env.reset(split="train", index=index)
                    assert env.step(PuzzleAction(reply="I do not know.")).reward == 0.0
        finally:
            server.terminate()
