"""Whether a Prefect server is configured, told without importing Prefect."""

import os
import tomllib
from pathlib import Path

ADDRESS = "PREFECT_API_URL"


def server_configured() -> bool:
    """By the environment, or by the active one of Prefect's profiles."""
    return bool(os.environ.get(ADDRESS) or _profile().get(ADDRESS))


def _profile() -> dict[str, str]:
    """The settings of the active profile; none where the file is missing, or none is active."""
    home = Path(os.environ.get("PREFECT_HOME") or Path.home() / ".prefect").expanduser()
    path = Path(os.environ.get("PREFECT_PROFILES_PATH") or home / "profiles.toml").expanduser()
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # Prefect says what is wrong with its own file
        return {}
    active, profiles = (
        os.environ.get("PREFECT_PROFILE") or table.get("active"),
        table.get("profiles"),
    )
    profile = profiles.get(str(active)) if isinstance(profiles, dict) else None
    return profile if isinstance(profile, dict) else {}
