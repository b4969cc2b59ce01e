"""Whether a Prefect server is configured, told without importing Prefect."""

import os
import re
import tomllib
from pathlib import Path
from typing import Any

ADDRESS = "PREFECT_API_URL"


def server_configured() -> bool:
    """By what Prefect reads: the environment, files of this folder, and the active profile."""
    return any((os.environ.get(ADDRESS), _in_dotenv(), _in_settings(), _profile().get(ADDRESS)))


def _in_dotenv() -> bool:
    try:
        text = Path(".env").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
    return bool(
        re.search(rf"^\s*(?:export\s+)?{ADDRESS}\s*=\s*['\"]?[^\s'\"#]", text, re.MULTILINE)
    )


def _in_settings() -> bool:
    return any(_inner(table, "api").get("url") for table in _settings())


def _settings() -> list[dict[str, Any]]:
    """Prefect's tables in the files of this folder, the one that counts first."""
    project = _table(Path("pyproject.toml"))
    return [_table(Path("prefect.toml")), _inner(_inner(project, "tool"), "prefect")]


def _inner(table: dict[str, Any], name: str) -> dict[str, Any]:
    inner = table.get(name)
    return inner if isinstance(inner, dict) else {}


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # Prefect says what is wrong with its own file
        return {}


def _profile() -> dict[str, Any]:
    """The settings of the active profile; none where the file is missing, or none is active."""
    home = Path(os.environ.get("PREFECT_HOME") or Path.home() / ".prefect").expanduser()
    named = [
        os.environ.get("PREFECT_PROFILES_PATH"),
        *(it.get("profiles_path") for it in _settings()),
    ]
    path = next((Path(str(each)) for each in named if each), home / "profiles.toml")
    table = _table(path.expanduser())
    active = os.environ.get("PREFECT_PROFILE") or table.get("active")
    return _inner(_inner(table, "profiles"), str(active))
