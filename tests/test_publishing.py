"""Publishing, with the Hub's real clients and a small Hub of our own on the loopback."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hub_server import OWNER, TOKEN, Blob, Fault, Hub, hub

import puzzlemill
from puzzlemill import pipelines
from puzzlemill.core.errors import UserError
from puzzlemill.core.guard import Failure, guarded
from puzzlemill.core.item import generate
from puzzlemill.core.rows import row_of, table_of
from puzzlemill.core.storage.parquet import read_table, write_table
from puzzlemill.outputs import hub_upload
from puzzlemill.outputs.hub_upload import Published, parcel
from puzzlemill.outputs.summary import say_published

# The Hub's client uploads in a way that its HTTP library has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=<...>':DeprecationWarning")

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
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A Hub that this process's client publishes to, without ever sleeping."""
    from huggingface_hub import constants

    with hub() as here:
        template = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace(constants.ENDPOINT, here.url)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "ENDPOINT", here.url)
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        monkeypatch.setattr(time, "sleep", lambda seconds: here.waits.append(seconds))
        yield here


def publish(build: Path, repo: str = REPO, **settings: bool) -> Published:
    return hub_upload.publish(build, repo, **settings)


def head(server: Hub, repo: str = REPO) -> dict[str, Blob]:
    return server.repos[repo].commits[-1].files


def run(server: Hub, home: Path, *command: str, token: str = TOKEN) -> tuple[int, str]:
    """A command in a process of its own, as a user runs it."""
    settings = {
        "HF_ENDPOINT": server.url,
        "HF_HOME": str(home / "hf"),
        "HF_TOKEN": token,
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_DEBUG": "1",  # the client tells all that it can
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


LOADING = f"""
import datasets, json
found = {{}}
for config in ("default", None):
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
    status, said = run(server, build.parent, "-m", "puzzlemill", "publish", str(build), REPO)
    assert status == 0, said
    assert "published: " in said
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


def test_a_build_is_published_from_python_as_by_the_command(server: Hub, build: Path) -> None:
    address = puzzlemill.publish(str(build), REPO)
    assert REPO in address
    assert publish(build).sent == 0
    with pytest.raises(UserError, match="a pull request changes no settings"):
        puzzlemill.publish(build, REPO, private=True, create_pr=True)


def test_a_user_s_mistake_is_one_clear_line(server: Hub, build: Path) -> None:
    command = ("-m", "puzzlemill", "publish", str(build), "stranger/small")
    status, said = run(server, build.parent, *command)
    assert status == 1
    assert "puzzlemill: stranger/small was not published: You don't have the rights" in said


@pytest.mark.parametrize(
    ("repo", "token", "told"),
    [
        ("small", TOKEN, "OWNER/NAME"),
        ("a/b/c", TOKEN, "OWNER/NAME"),
        ("a/../b", TOKEN, "OWNER/NAME"),
        (REPO, "", "hf auth login"),
        (REPO, "hf_wrong", "password; the Hub does not know this token: log in anew"),
        ("stranger/small", TOKEN, "may not write"),
    ],
)
def test_a_mistake_is_told_with_its_remedy(
    server: Hub,
    build: Path,
    repo: str,
    token: str,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    from huggingface_hub import constants

    monkeypatch.setenv("HF_TOKEN", token)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "none"))
    with pytest.raises(UserError, match=told):
        publish(build, repo)


def test_publishing_again_changes_nothing(server: Hub, build: Path) -> None:
    publish(build, gated=True)
    before = len(server.asked)
    again = publish(build, gated=True)
    assert (again.sent, again.removed) == (0, 0)
    assert len(server.repos[REPO].commits) == 2
    assert server.repos[REPO].gated == "auto"
    assert not [each for each in server.asked[before:] if "/lfs/" in each or "/commit/" in each]
    assert publish(build).sent == 0  # what a repo asks of its readers is left as it is
    assert server.repos[REPO].gated == "auto"


def test_nothing_can_be_read_before_a_gate_is_closed(server: Hub, build: Path) -> None:
    publish(build, gated=True, private=True)
    asked = [each.split("/")[-1] for each in server.asked]
    assert asked.index("settings") < next(
        place for place, each in enumerate(server.asked) if "/lfs/" in each or "/commit/" in each
    )
    assert server.repos[REPO].private


def test_a_repo_that_is_public_is_not_taken_for_private(server: Hub, build: Path) -> None:
    server.create(REPO)
    with pytest.raises(UserError, match="is there already and public"):
        publish(build, private=True)
    assert len(server.repos[REPO].commits) == 1


def without_test_split(build: Path) -> None:
    """The build, as if it had no test split."""
    (build / "dataset/data/test-00000-of-00001.parquet").unlink()
    manifest = json.loads((build / "manifest.json").read_text())
    del manifest["files"]["data/test-00000-of-00001.parquet"]
    (build / "manifest.json").write_text(json.dumps(manifest))


def test_another_build_takes_the_place_of_the_first(server: Hub, build: Path) -> None:
    first = publish(build)
    notes = Blob(b"mine", large=False)
    server.commit(REPO, "by hand", head(server) | {"NOTES.md": notes})
    before = len(server.asked)
    without_test_split(build)
    second = publish(build)
    files = head(server)
    assert "data/test-00000-of-00001.parquet" not in files
    assert files["NOTES.md"] == notes
    assert list(server.repos[REPO].tags) == [first.tag, second.tag]
    # The rows that stayed are not sent anew: only the pages that tell of them are.
    assert not [each for each in server.asked[before:] if "/lfs/" in each and ".parquet" in each]
    tagged = server.repos[REPO].at(first.tag)
    assert tagged is not None
    assert "data/test-00000-of-00001.parquet" in tagged.files  # for good


@pytest.mark.parametrize(
    "faults",
    [
        [Fault("PUT", "/lfs/", 0, times=40)],  # the upload breaks off for good
        [Fault("PUT", "/lfs/", 503, times=40)],
        [Fault("POST", "/commit/", 503), Fault("POST", "/tag/", 500)],
        [
            Fault("POST", "/create", 429, headers={"Retry-After": "7"}),
            Fault("POST", "/commit/", 429, headers={"Retry-After": "7"}),
        ],
        [Fault("POST", "/commit/", 0)],  # no answer
        [Fault("GET", "/tree/", 502, times=40)],
        [Fault("GET", "/refs", 0, times=40)],  # when all but the tag was there
    ],
    ids=["upload", "storage", "server", "patience", "silence", "listing", "tag"],
)
def test_a_break_is_survived_or_ended_by_running_it_again(
    server: Hub, build: Path, faults: list[Fault]
) -> None:
    server.faults = faults
    try:
        publish(build)
    except UserError as error:
        assert "run the same command again" in str(error)  # noqa: PT017
        for each in server.faults:
            each.times = 0
        publish(build)
    assert len(server.repos[REPO].commits) == 2
    assert len(server.repos[REPO].tags) == 1
    assert set(parcel(build, REPO).files) <= set(head(server))
    if faults[0].headers:
        assert 7 in server.waits  # as long as it was asked to


def test_what_was_sent_before_a_break_is_not_sent_twice(server: Hub, build: Path) -> None:
    server.faults = [Fault("POST", "/commit/", 503, times=40)]
    with pytest.raises(UserError, match="run the same command again"):
        publish(build)
    sent = sum("PUT /lfs/" in each for each in server.asked)
    assert sent
    server.faults = []
    publish(build)
    assert sum("PUT /lfs/" in each for each in server.asked) == sent


@pytest.mark.parametrize("status", [400, 403, 413])
def test_a_refused_upload_ends_in_one_line_without_its_address(
    server: Hub, build: Path, status: int
) -> None:
    server.faults = [Fault("PUT", "/lfs/", status, times=40)]
    with pytest.raises(UserError, match="was not published") as told:
        publish(build)
    assert "/lfs/" not in str(told.value)  # where a file goes is signed: a secret
    assert "\n" not in str(told.value)
    assert len(server.repos[REPO].commits) == 1


def test_a_full_store_is_told(server: Hub, build: Path) -> None:
    server.full = True
    with pytest.raises(UserError, match="storage limit"):
        publish(build)


def test_somebody_else_s_commit_in_between_is_kept(server: Hub, build: Path) -> None:
    mine = {"NOTES.md": Blob(b"mine", large=False)}
    server.faults = [Fault("POST", "/commit/", first=lambda: server.commit(REPO, "mine", mine))]
    publish(build)
    assert [commit.title for commit in server.repos[REPO].commits][1] == "mine"
    assert {"NOTES.md", "README.md"} <= set(head(server))
    assert sum("/commit/" in each for each in server.asked) == 2  # the first is refused


def test_who_commits_without_end_is_given_way_to(server: Hub, build: Path) -> None:
    def another() -> None:
        server.commit(REPO, "mine", {"NOTES.md": Blob(b"mine", large=False)})

    server.faults = [Fault("POST", "/commit/", times=9, first=another)]
    with pytest.raises(UserError, match="somebody else keeps committing"):
        publish(build)
    assert not server.repos[REPO].tags


def test_a_build_may_be_offered_to_another_s_repo(server: Hub, build: Path) -> None:
    repo = "stranger/small"
    server.create(repo)
    server.faults = [Fault("POST", "/commit/", 503)]
    offered = publish(build, repo, create_pr=True)
    assert offered.url.endswith("/discussions/1")
    (pull,) = server.repos[repo].pulls
    assert set(parcel(build, repo).files) <= set(pull.commits[-1].files)
    assert len(server.repos[repo].commits) == 1  # nothing of theirs has changed
    assert not server.repos[repo].tags
    again = publish(build, repo, create_pr=True)
    assert (again.url, again.sent) == (offered.url, 0)
    assert len(server.repos[repo].pulls) == 1
    pull.author = "somebody else"  # whose pull request is not ours to write to
    publish(build, repo, create_pr=True)
    assert len(server.repos[repo].pulls) == 2


def test_a_pull_request_needs_a_repo_and_changes_no_settings(server: Hub, build: Path) -> None:
    with pytest.raises(UserError, match="check the name"):
        publish(build, create_pr=True)
    assert not server.repos
    with pytest.raises(UserError, match="changes no settings"):
        publish(build, create_pr=True, gated=True)


def test_no_network_and_no_build_are_told(
    server: Hub, build: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    with pytest.raises(UserError, match="build it first"):
        publish(tmp_path / "none")
    monkeypatch.setattr(constants, "ENDPOINT", "http://user:secret@127.0.0.1:9")
    with pytest.raises(UserError, match="cannot be reached") as told:
        publish(build)
    assert "secret" not in str(told.value)


def renamed(build: Path, name: str) -> Path:
    """The build under another name, with other rows: without its test split."""
    without_test_split(build)
    manifest = json.loads((build / "manifest.json").read_text())
    (build / "manifest.json").write_text(json.dumps(manifest | {"name": name}))
    return build


def test_a_repo_of_another_build_is_replaced_only_when_told(server: Hub, build: Path) -> None:
    publish(build)
    files = head(server)
    renamed(build, "other")
    told = r"holds build small \(11 rows\), which is not of the series of other: .*--replace"
    with pytest.raises(UserError, match=told):
        publish(build)
    assert head(server) == files
    done = publish(build, replacing=True)
    assert done.replaced == "build small (11 rows)"
    assert "data/test-00000-of-00001.parquet" not in head(server)


@pytest.mark.parametrize("name", ["small", "small-0002", "small-0001-rescored", "small-again"])
def test_builds_of_a_series_take_each_other_s_place_and_it_is_said(
    name: str, server: Hub, build: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = publish(build)
    assert not first.replaced
    say_published(publish(renamed(build, name)))
    assert "replaces build small (11 rows)" in capsys.readouterr().out


def test_an_offer_to_the_repo_of_another_build_is_refused_too(server: Hub, build: Path) -> None:
    publish(build)
    with pytest.raises(UserError, match="--replace"):
        publish(renamed(build, "other"), create_pr=True)
    assert not server.repos[REPO].pulls


def test_a_build_that_is_not_there_is_told_before_a_client_that_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_upload, "find_spec", lambda name: None)
    with pytest.raises(UserError, match="no finished build"):
        publish(tmp_path / "none")


@pytest.mark.parametrize("manifest", [None, b"{}", b"not JSON", b'["puzzlemill"]'])
def test_a_repo_with_another_dataset_is_left_alone(
    server: Hub, build: Path, manifest: bytes | None
) -> None:
    server.create(REPO)
    files = {"data/train.csv": Blob(b"1,2", large=False)}
    if manifest is not None:  # a name that others use too
        files["manifest.json"] = Blob(manifest, large=False)
    server.commit(REPO, "mine", files)
    with pytest.raises(UserError, match="holds another dataset"):
        publish(build)
    assert head(server) == files


def test_a_break_in_asking_whose_dataset_it_is_is_told(server: Hub, build: Path) -> None:
    publish(build)
    without_test_split(build)
    server.faults = [Fault("HEAD", "/resolve/", 0, times=99)]
    with pytest.raises(UserError, match="run the same command again"):
        publish(build)
    server.faults = []
    assert publish(build).removed == 1


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
        "shards": [],
        "settings": {"against": [["/home/me/e", 1]]},
    }
    (build / "manifest.json").write_text(json.dumps(manifest))
    for name, each in parcel(build, REPO).files.items():
        data = each if isinstance(each, bytes) else each.read_bytes()
        for secret in (b"secret", b"SECRET", b"/home/me", str(build).encode()):
            assert secret not in data, name


def test_what_fails_is_told_on_its_row_without_the_machine_s_folders() -> None:
    told = guarded(Path("/home/me/my-pictures/one.png").read_bytes)
    assert told == Failure("FileNotFoundError: [Errno 2] No such file or directory: 'one.png'")
    fine = "x = 1/2/3, a/b/c and //x"

    def fail() -> None:
        raise ValueError(fine)

    assert guarded(fail) == Failure(f"ValueError: {fine}")


def test_many_files_go_in_the_resumable_way(
    server: Hub, build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_upload, "ATOMIC", 2)
    server.faults = [Fault("POST", "/commit/", 503), Fault("PUT", "/lfs/", 0)]
    publish(build)
    assert set(parcel(build, REPO).files) <= set(head(server))
    assert publish(build).sent == 0


def test_a_build_that_was_only_looked_at_again_is_the_same(build: Path) -> None:
    before = parcel(build, REPO)
    (build / "timings.json").write_text("{}")
    assert parcel(build, REPO) == before


def test_a_dry_run_asks_nobody_and_writes_nothing(server: Hub, build: Path) -> None:
    def state() -> dict[Path, Any]:
        return {path: path.stat().st_mtime_ns for path in build.rglob("*")}

    before = state()
    command = ("-m", "puzzlemill", "publish", str(build), REPO, "--dry-run")
    status, said = run(server, build.parent, *command, token="")
    assert status == 0
    assert "files would go to" in said
    assert not server.asked
    assert state() == before


def chunks(data: bytes) -> dict[bytes, int]:
    """A file in pieces that end where the bytes before say so, as the Hub's store cuts it up."""
    window = np.lib.stride_tricks.sliding_window_view(np.frombuffer(data, np.uint8), 8)
    hashes = np.ascontiguousarray(window).view(np.uint64)[:, 0] * np.uint64(0x9E3779B97F4A7C15)
    ends = np.flatnonzero(hashes >> np.uint64(52) == 0) + 8  # 4 KiB on average
    pieces = np.split(np.frombuffer(data, np.uint8), ends)
    return {piece.tobytes(): len(piece) for piece in pieces}


def moved(folder: Path, before: pa.Table, after: pa.Table) -> float:
    """The share of the second table's bytes that a store of the first one lacks."""
    pieces = []
    for table in (before, after):
        write_table(folder / "one.parquet", table)
        pieces.append(chunks((folder / "one.parquet").read_bytes()))
    old, new = pieces
    return sum(size for piece, size in new.items() if piece not in old) / sum(new.values())


def many(count: int, picture: int = 0) -> list[dict[str, Any]]:
    """Rows with a puzzle each that is like no other, and a picture of so many bytes."""
    source = np.random.default_rng(1)
    rows = [row_of(item) for item in generate("sums", n=count)]
    for row in rows:
        row |= {"puzzle": f'"{source.bytes(400).hex()}"', "mean": 0.5}
        row["images"] = [{"bytes": source.bytes(picture), "path": ""}] if picture else []
    return rows


@pytest.mark.parametrize("change", [{"answer": "7"}, {"mean": 0.75, "low": 0.6, "successes": 3}])
def test_one_changed_row_in_a_thousand_moves_few_bytes(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    rows = many(2000)
    changed = [row | change if place in (3, 1003) else row for place, row in enumerate(rows)]
    assert moved(tmp_path, table_of(rows), table_of(changed)) < 0.1


def test_a_row_that_is_gone_does_not_move_the_pictures_behind_it(tmp_path: Path) -> None:
    rows = many(600, picture=8000)
    assert moved(tmp_path, table_of(rows), table_of([*rows[:3], *rows[4:]])) < 0.25
