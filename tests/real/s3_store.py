"""S3: a build is put into a real S3-compatible server, and found there again, killed or not.

make scale
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
import s3fs

from puzzlemill import pipelines
from puzzlemill.core.errors import UserError
from puzzlemill.pipelines.download import fetch
from puzzlemill.pipelines.recipe import recipe_from

BUCKET = "s3://mill/builds"
RECIPE = """name = "stored"
seed = 3
shard = 20
store = "{store}"
[[make]]
families = ["gcd", "sums"]
count = 60
levels = [0.25, 0.5]
[policy]
kind = "none"
"""


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    told = tmp_path_factory.mktemp("server") / "log"
    with told.open("w") as log:  # a pipe that nobody reads would fill, and stop the server
        server = subprocess.Popen([sys.executable, "-m", "moto.server", "-p", "0"], stderr=log)
    while not (found := re.search(r"http://127.0.0.1:\d+", told.read_text())):
        assert server.poll() is None
        time.sleep(0.1)
    os.environ |= {
        "AWS_ENDPOINT_URL": found[0],
        "AWS_ACCESS_KEY_ID": "us",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "SOURCE_DATE_EPOCH": "1700000000",
    }
    client = boto3.client("s3")
    client.create_bucket(Bucket="mill")
    yield client
    server.terminate()
    server.wait()


def held(folder: Path) -> dict[str, bytes]:
    files = [folder / "manifest.json", *(folder / "dataset").rglob("*")]
    return {str(each.relative_to(folder)): each.read_bytes() for each in files if each.is_file()}


def test_a_build_that_is_killed_goes_on_at_another_machine(s3: Any, tmp_path: Path) -> None:
    for name, store in (("plain", ""), ("one", BUCKET), ("two", BUCKET)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "stored.toml").write_text(RECIPE.format(store=store))
    wanted = held(pipelines.build(tmp_path / "plain" / "stored.toml", tmp_path / "plain"))

    def shards() -> list[str]:
        found = s3.list_objects_v2(Bucket="mill", Prefix="builds/stored/stages/certify/")
        return [each["Key"] for each in found.get("Contents", ()) if "sha256" in each["Key"]]

    command = [sys.executable, "-m", "puzzlemill", "build", "stored.toml", "--plain"]
    start = subprocess.Popen([*command, "--builds", "."], cwd=tmp_path / "one")
    while start.poll() is None and len(shards()) < 3:
        time.sleep(0.01)
    start.send_signal(signal.SIGKILL)
    start.wait()
    before = set(shards())
    assert 3 <= len(before) <= 12
    told: list[Any] = []
    folder = pipelines.build(
        tmp_path / "two" / "stored.toml",
        tmp_path / "two",
        tell=lambda done, _: told.append(done),
    )
    assert held(folder) == wanted
    again = [done for done in told if done.step == "certify" and not done.made]
    assert len(again) == len(before)
    assert not any(done.made for done in told if done.step == "generate" and done.shard < 3)
    assert held(fetch(f"{BUCKET}/stored", tmp_path / "three")) == wanted


def test_what_is_wrong_with_a_store_is_told(
    s3: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {"families": ["gcd"], "count": 4}
    table = {"name": "wrong", "make": [made], "policy": {"kind": "none"}}
    with pytest.raises(UserError, match="nobucket"):
        pipelines.build(recipe_from(table | {"store": "s3://nobucket/x"}), tmp_path / "one")
    with pytest.raises(UserError, match=r"no finished build"):
        fetch(f"{BUCKET}/nothing", tmp_path / "two")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    s3fs.S3FileSystem.clear_instance_cache()  # which would still talk to the server of before
    with pytest.raises(UserError, match="store: "):
        fetch(f"{BUCKET}/stored", tmp_path / "three")
