"""A package of others that adds one of each part: installed beside ours, its parts are choices."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

OUTSIDE = Path(__file__).parent / "outside"
USES = sorted(path.stem for path in (OUTSIDE / "uses").glob("*.py"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the package is installed into."""
    folder = tmp_path_factory.mktemp("outside")
    shutil.copytree(OUTSIDE, folder / "source")  # setuptools builds where the source lies
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    target = folder / "site"
    run(*command, "--target", str(target), str(folder / "source"))
    return target


@pytest.mark.parametrize("use", USES)
def test_a_part_of_another_package_is_used_like_ours(use: str, site: Path, tmp_path: Path) -> None:
    run(sys.executable, str(OUTSIDE / "uses" / f"{use}.py"), cwd=tmp_path, path=site)


def run(*command: str, cwd: Path | None = None, path: Path | None = None) -> None:
    environment = {**os.environ, "PYTHONPATH": str(path or "")}
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
