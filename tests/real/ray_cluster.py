"""Ray: a cluster of two nodes on this machine gives the same bytes, killed workers or not.

    make scale

Takes a few minutes, most of them to start what Ray needs.
"""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import ray
from ray.cluster_utils import Cluster

from puzzlemill import pipelines
from puzzlemill.core.errors import UserError

RECIPE = """name = "spread"
seed = 5
shard = 20
replicas = 2
runner = "{runner}"
[[make]]
families = ["sums", "sorting", "gcd"]
count = 40
[decontaminate]
against = ["known.jsonl"]
[policy]
max_tokens = 32
[score]
rounds = 2
most = 4
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
    nodes = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False}
    )
    nodes.add_node(num_cpus=2)
    ray.init(address=nodes.address, log_to_driver=False)
    yield
    ray.shutdown()
    nodes.shutdown()


def test_a_build_whose_workers_are_killed_ends_with_the_same_bytes(
    cluster: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where no worker is: a recipe's paths are as seen from here
    here, there = Path("here"), Path("there")
    (tmp_path / "known.jsonl").write_text('{"prompt": "What is two and two?"}\n')
    wanted = pipelines.build(recipe(here, "local"), here)
    over = threading.Event()
    killed: list[str] = []
    killer = threading.Thread(target=kill, args=(there / "spread" / "stages", over, killed))
    killer.start()
    try:
        found = pipelines.build(recipe(there, "ray"), there)
    finally:
        over.set()
        killer.join()
    assert set(killed) == {"ray::_made", "ray::_Asker"}
    for name in ("dataset", "manifest.json", "stages/sieve"):
        assert held(found / name) == held(wanted / name)
    nodes = {node["NodeID"] for node in ray.nodes() if node["Alive"]}
    assert len(nodes) == 2


def test_what_a_user_got_wrong_is_told_as_it_is_without_a_cluster(
    cluster: None, tmp_path: Path
) -> None:
    text = recipe(tmp_path, "ray").read_text().replace("[policy]", '[policy]\nkind = "native"')
    text = text.replace('"known.jsonl"', "")
    (tmp_path / "wrong.toml").write_text(text.replace("[score]", 'model = "nowhere"\n[score]'))
    with pytest.raises(UserError, match="nowhere"):
        pipelines.build(tmp_path / "wrong.toml", tmp_path)


def recipe(folder: Path, runner: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "spread.toml"
    path.write_text(RECIPE.format(runner=runner))
    return path


def held(path: Path) -> dict[str, bytes]:
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return {str(each.relative_to(path)): each.read_bytes() for each in files}


def kill(stages: Path, over: threading.Event, killed: list[str]) -> None:
    """End one worker that makes shards, and one that asks the policy, when each has begun."""
    for name, step in (("ray::_made", "generate"), ("ray::_Asker", "ask-1")):
        while not over.is_set() and not list((stages / step).glob("*.sha256")):
            time.sleep(0.02)
        while not over.is_set() and name not in killed:
            for entry in Path("/proc").iterdir():
                try:
                    title = (entry / "cmdline").read_bytes().split(b"\0")[0].decode()
                except (OSError, UnicodeDecodeError):
                    continue
                if title.startswith(name) and name not in killed:
                    os.kill(int(entry.name), signal.SIGKILL)
                    killed.append(name)
            time.sleep(0.02)
