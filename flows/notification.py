"""Notification: a message when a flow has ended.

The variable PUZZLEMILL_NOTIFY names the receiver: an address that takes JSON by POST, or a command
that gets the same JSON on its standard input. It comes from the environment alone, never from a
recipe.
"""

import json
import logging
import os
import shlex
import subprocess
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

VARIABLE = "PUZZLEMILL_NOTIFY"
SECONDS = 30  # that sending may take

log = logging.getLogger(__name__)


def notify(flow: Any, run: Any, state: Any) -> None:
    """Send how a flow ended; a message that cannot be sent fails nothing."""
    receiver = os.environ.get(VARIABLE, "").strip()
    if not receiver:
        return
    message = {
        "flow": flow.name,
        "run": run.name,
        "state": state.name,
        "message": state.message or "",
    }
    try:
        _send(receiver, json.dumps(message).encode())
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        # An address may hold a secret: it is not repeated.
        log.warning("%s: nobody was told: %s", VARIABLE, type(error).__name__)


def _send(receiver: str, message: bytes) -> None:
    if urlsplit(receiver).scheme in ("http", "https"):
        headers = {"Content-Type": "application/json"}
        request = Request(receiver, message, headers, method="POST")
        with urlopen(request, timeout=SECONDS):
            return
    subprocess.run(shlex.split(receiver), input=message, check=True, timeout=SECONDS)
