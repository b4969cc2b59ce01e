"""Prefect flows and deployments around pipelines and trainer; nothing is worked out here."""

import os
from pathlib import Path

# Read by Prefect when it is imported, so they must be set before. A user's own settings win.
_DEFAULTS = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
}
for _name, _value in _DEFAULTS.items():
    os.environ.setdefault(_name, _value)
if not (Path.home() / ".prefect" / "profiles.toml").exists():
    os.environ.setdefault("PREFECT_HOME", str(Path.cwd() / ".prefect"))


def quiet() -> None:
    """Keep Prefect's log off the terminal, where a bar and our own line about an error stand.

    All of it goes to flows.log in Prefect's home instead. Call it before Prefect is imported.
    """
    os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")

    import logging

    from prefect.logging.configuration import setup_logging
    from prefect.settings import PREFECT_HOME

    setup_logging()  # later calls only add to it, and leave our handler alone
    path = Path(PREFECT_HOME.value()) / "flows.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    file = logging.FileHandler(path, delay=True)
    file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.getLogger("prefect").addHandler(file)
