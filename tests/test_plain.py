"""Plain where a person waits, Prefect where it is scheduled."""

from pathlib import Path

import pytest

from puzzlemill.commands._prefect import as_flow
from puzzlemill.core.errors import UserError
from puzzlemill.pipelines.rounds import run_rounds

ADDRESS = "http://127.0.0.1:4200/api"
PROFILES = f"""active = "here"
[profiles.here]
PREFECT_API_URL = "{ADDRESS}"
[profiles.ephemeral]
PREFECT_SERVER_ALLOW_EPHEMERAL_MODE = "true"
"""


@pytest.fixture(autouse=True)
def no_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Prefect's home, an empty folder."""
    for name in ("PREFECT_API_URL", "PREFECT_PROFILE", "PREFECT_PROFILES_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_a_server_a_command_runs_plainly() -> None:
    assert not as_flow(None)


def test_with_a_server_in_the_environment_a_command_is_a_flow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PREFECT_API_URL", ADDRESS)
    assert as_flow(None)
    assert not as_flow(False)


@pytest.mark.parametrize(
    ("profile", "flow"), [("", True), ("here", True), ("ephemeral", False), ("nowhere", False)]
)
def test_the_active_profile_tells_of_a_server(
    no_server: Path, monkeypatch: pytest.MonkeyPatch, profile: str, flow: bool
) -> None:
    (no_server / "profiles.toml").write_text(PROFILES)
    if profile:
        monkeypatch.setenv("PREFECT_PROFILE", profile)
    assert as_flow(None) is flow
    assert as_flow(True)


@pytest.mark.parametrize(
    ("file", "text", "flow"),
    [
        (".env", f"PREFECT_API_URL={ADDRESS}", True),
        (".env", f"# PREFECT_API_URL={ADDRESS}", False),
        ("prefect.toml", f'[api]\nurl = "{ADDRESS}"', True),
        ("prefect.toml", 'api = "x"', False),
        ("pyproject.toml", f'[tool.prefect.api]\nurl = "{ADDRESS}"', True),
        ("pyproject.toml", "[tool.other]", False),
    ],
)
def test_files_of_the_folder_tell_of_a_server_as_prefect_reads_them(
    no_server: Path, file: str, text: str, flow: bool
) -> None:
    (no_server / file).write_text(text)
    assert as_flow(None) is flow


@pytest.mark.parametrize("text", ["active =", 'active = "x"', "profiles = 3", 'active = ["x"]'])
def test_a_damaged_file_of_profiles_names_no_server(no_server: Path, text: str) -> None:
    (no_server / "profiles.toml").write_text(text)
    assert not as_flow(None)


def test_each_round_trains_on_the_newest_build_and_scores_it_before_new_items_are_made() -> None:
    builds = run_rounds(
        2,
        lambda: "x",
        lambda build: f"policy of {build}",
        lambda build, checkpoint: f"{build} under the {checkpoint}",
        lambda build: f"[{build}]",
    )
    first = "x under the policy of x"
    assert builds == ["x", first, f"[{first}]", f"[{first}] under the policy of [{first}]",
                      f"[[{first}] under the policy of [{first}]]"]  # fmt: skip


def test_a_step_that_fails_ends_the_loop() -> None:
    def train(build: str) -> str:
        raise UserError(f"{build} kept nothing")

    with pytest.raises(UserError, match="x kept nothing"):
        run_rounds(1, lambda: "x", train, lambda build, _: build, lambda build: build)
