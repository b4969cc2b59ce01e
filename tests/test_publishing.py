"""Publishing, with the Hub's real clients and a small Hub of our own on the loopback."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hub_server import OWNER, TOKEN, Blob, Fault, Hub, hub

from puzzlemill import pipelines
from puzzlemill.core.errors import UserError
from puzzlemill.core.parquet import read_table
from puzzlemill.outputs.publishing import parcel

REPO = f"{OWNER}/small"
RECIPE = """name = "small"
seed = 5
[[make]]
families = ["sums", "jigsaw_pair"]
count = 4
levels = [0.0]
[[make]]
families = ["sums"]
count = 3
split = "test"
[policy]
kind = "none"
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    (folder / "small.toml").write_text(RECIPE)
    return pipelines.build(folder / "small.toml", folder)


@pytest.fixture
def build(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "small"))


@pytest.fixture
def server() -> Iterator[Hub]:
    with hub() as here:
        yield here


def run(server: Hub, home: Path, *command: str, token: str = TOKEN) -> tuple[int, str]:
    """A command in a process of its own: the Hub's clients read their settings at import."""
    settings = {
        "HF_ENDPOINT": server.url,
        "HF_HOME": str(home / "hf"),
        "HF_TOKEN": token,
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }
    kept = {name: text for name, text in os.environ.items() if not name.startswith("HF_")}
    done = subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        env=kept | settings,
        timeout=120,
        cwd=home,
        check=False,
    )
    said = done.stdout + done.stderr
    assert TOKEN not in said
    assert "Traceback" not in said, said
    return done.returncode, said


def publish(server: Hub, build: Path, *options: str, token: str = TOKEN) -> tuple[int, str]:
    command = ("-m", "puzzlemill", "publish", str(build), REPO, *options)
    return run(server, build.parent, *command, token=token)


LOADING = f"""
import datasets, json
found = {{}}
for config in ("default", "unscored", None):
    if config in (None, *datasets.get_dataset_config_names({REPO!r})):
        for split, part in datasets.load_dataset({REPO!r}, config).items():
            found[f"{{config}} {{split}}"] = part.cast_column(
                "images", datasets.List(datasets.Image(decode=False))
            ).to_list()
            assert all(image.size for row in part for image in row["images"])
streamed = datasets.load_dataset({REPO!r}, split="train", streaming=True, revision="main")
assert [row["uid"] for row in streamed] == [row["uid"] for row in found["None train"]]
for rows in found.values():
    for row in rows:
        for image in row["images"]:
            image["bytes"] = image["bytes"].hex()
print("ROWS" + json.dumps(found))
"""


def test_what_is_published_loads_as_it_was_built(server: Hub, build: Path) -> None:
    status, said = publish(server, build)
    assert status == 0, said
    repo = server.repos[REPO]
    assert [commit.title.split(":")[0] for commit in repo.commits[1:]] == list(repo.tags)
    assert not repo.private
    status, said = run(server, build.parent, "-c", LOADING)
    assert status == 0, said
    rows = json.loads(said.partition("ROWS")[2].splitlines()[0])
    for split in ("train", "test"):
        here = read_table(build / f"dataset/data/{split}-00000-of-00001.parquet").to_pylist()
        for row in here:
            for image in row["images"]:
                image["bytes"] = image["bytes"].hex()
        assert rows[f"default {split}"] == rows[f"None {split}"] == here
    assert any(row["images"] for row in rows["default train"])


def test_publishing_again_changes_nothing_and_says_so(server: Hub, build: Path) -> None:
    publish(server, build, "--gated")
    before = len(server.asked)
    status, said = publish(server, build, "--gated")
    assert status == 0
    assert "nothing was changed" in said
    assert len(server.repos[REPO].commits) == 2
    assert server.repos[REPO].gated == "auto"
    assert not [each for each in server.asked[before:] if "/lfs/" in each or "/commit/" in each]


def test_a_repo_may_be_private(server: Hub, build: Path) -> None:
    publish(server, build, "--private")
    assert server.repos[REPO].private
    server.repos[REPO].private = False
    status, said = publish(server, build, "--private")
    assert status == 1
    assert "is there already and public" in said


def test_another_build_takes_the_place_of_the_first(server: Hub, build: Path) -> None:
    publish(server, build)
    notes = Blob(b"mine", large=False)
    server.commit(REPO, "by hand", server.repos[REPO].commits[-1].files | {"NOTES.md": notes})
    (build / "dataset/data/test-00000-of-00001.parquet").unlink()
    manifest = json.loads((build / "manifest.json").read_text())
    del manifest["files"]["data/test-00000-of-00001.parquet"]
    (build / "manifest.json").write_text(json.dumps(manifest))
    status, said = publish(server, build)
    assert status == 0, said
    files = server.repos[REPO].commits[-1].files
    assert "data/test-00000-of-00001.parquet" not in files
    assert files["NOTES.md"] == notes
    assert len(server.repos[REPO].tags) == 2


@pytest.mark.parametrize(
    "faults",
    [
        [Fault("PUT", "/lfs/", 0, times=7)],  # the first upload breaks off for good
        [Fault("POST", "/commit/", 503), Fault("POST", "/tag/", 500)],
        [
            Fault("POST", "/create", 429, headers={"Retry-After": "0"}),
            Fault("POST", "/commit/", 429, headers={"Retry-After": "0"}),
        ],
        [Fault("POST", "/commit/", 0)],  # no answer
    ],
    ids=["upload", "server", "patience", "silence"],
)
def test_a_break_is_survived_or_ended_by_running_it_again(
    server: Hub, build: Path, faults: list[Fault]
) -> None:
    server.faults = faults
    status, said = publish(server, build)
    if status:
        assert "run the same command again" in said
        status, said = publish(server, build)
    assert status == 0, said
    assert len(server.repos[REPO].commits) == 2
    assert len(server.repos[REPO].tags) == 1


def test_somebody_else_s_commit_in_between_is_kept(server: Hub, build: Path) -> None:
    mine = {"NOTES.md": Blob(b"mine", large=False)}
    server.faults = [Fault("POST", "/commit/", first=lambda: server.commit(REPO, "mine", mine))]
    status, said = publish(server, build)
    assert status == 0, said
    assert [commit.title for commit in server.repos[REPO].commits][1] == "mine"
    assert {"NOTES.md", "README.md"} <= set(server.repos[REPO].commits[-1].files)
    assert sum("/commit/" in each for each in server.asked) == 2  # the first is refused


@pytest.mark.parametrize(
    ("repo", "token", "told"),
    [
        ("small", TOKEN, "OWNER/NAME"),
        ("a/b/c", TOKEN, "OWNER/NAME"),
        (REPO, "", "hf auth login"),
        (REPO, "hf_wrong", "log in anew"),
        ("stranger/small", TOKEN, "may not write"),
    ],
)
def test_a_user_s_mistake_is_one_clear_line(
    server: Hub, build: Path, repo: str, token: str, told: str
) -> None:
    command = ("-m", "puzzlemill", "publish", str(build), repo)
    status, said = run(server, build.parent, *command, token=token)
    assert status == 1
    assert told in said
    assert len(said.strip().splitlines()) == 1, said


def test_no_network_and_no_build_are_told(build: Path, tmp_path: Path) -> None:
    away = Hub(url="http://127.0.0.1:9")
    status, said = publish(away, tmp_path / "none")
    assert (status, "build it first" in said) == (1, True)
    status, said = run(
        away, tmp_path, "-c", f"from puzzlemill.outputs import publishing as p; p.WAITS = ();"
        f"from pathlib import Path; from puzzlemill.__main__ import main; import sys;"
        f"sys.argv = ['puzzlemill', 'publish', {str(build)!r}, {REPO!r}]; main()"
    )  # fmt: skip
    assert status == 1
    assert "cannot be reached" in said


def test_a_repo_with_another_dataset_is_left_alone(server: Hub, build: Path) -> None:
    server.create(REPO)
    server.commit(REPO, "mine", {"data/train.csv": Blob(b"1,2", large=False)})
    status, said = publish(server, build)
    assert status == 1
    assert "holds another dataset" in said
    assert len(server.repos[REPO].commits) == 2


def test_a_damaged_build_is_not_published(build: Path) -> None:
    file = build / "dataset/data/train-00000-of-00001.parquet"
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    with pytest.raises(UserError, match="build it again"):
        parcel(build, REPO)


def test_nothing_of_the_machine_is_published(build: Path) -> None:
    manifest = json.loads((build / "manifest.json").read_text())
    manifest["recipe"]["policy"] |= {
        "url": "https://user:secret@host/v1", "key_variable": "SECRET", "model": "/home/me/mine",
    }  # fmt: skip
    manifest["recipe"]["decontaminate"]["against"] = ["/home/me/eval.jsonl"]
    manifest["steps"]["decontaminate"] = {
        "version": 1,
        "settings": {"against": [["/home/me/e", 1]]},
    }
    (build / "manifest.json").write_text(json.dumps(manifest))
    for name, each in parcel(build, REPO).files.items():
        data = each if isinstance(each, bytes) else each.read_bytes()
        for secret in (b"secret", b"SECRET", b"/home/me", str(build).encode()):
            assert secret not in data, name


def test_many_files_go_in_the_resumable_way(server: Hub, build: Path) -> None:
    code = (
        "from puzzlemill.outputs import publishing as p; from pathlib import Path; p.ATOMIC = 2;"
        f"print(p.publish(Path({str(build)!r}), {REPO!r}).sent)"
    )
    status, said = run(server, build.parent, "-c", code)
    assert status == 0, said
    assert set(parcel(build, REPO).files) <= set(server.repos[REPO].commits[-1].files)


def test_a_build_that_was_only_looked_at_again_is_the_same(build: Path) -> None:
    before = parcel(build, REPO)
    (build / "timings.json").write_text("{}")
    after = parcel(build, REPO)
    assert before == after


def test_a_dry_run_asks_nobody(server: Hub, build: Path) -> None:
    status, said = publish(server, build, "--dry-run", token="")
    assert status == 0
    assert "files would go to" in said
    assert not server.asked
