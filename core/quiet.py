"""Whether progress is shown: told by the environment, so that flows and workers know it, too."""

import os

QUIET = "PUZZLEMILL_QUIET"  # 1: no progress is shown


def be_quiet() -> None:
    os.environ[QUIET] = "1"


def is_quiet() -> bool:
    return os.environ.get(QUIET, "") not in ("", "0")
