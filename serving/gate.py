"""The gate: which requests are not taken at all, whatever they ask for."""

import base64
import hmac
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.responses import Response

from puzzlemill.serving.calls import fault

LOOPBACK = ("127.0.0.1", "localhost", "::1")
OPEN = ("/health",)  # paths that need no key


def refusal(
    path: str, headers: Mapping[str, str], key: str, names: Sequence[str]
) -> Response | None:
    """Why a request is refused: it is for none of these names (if any), from another site's page,
    or without the key."""
    given = headers.get("host", "")
    if names and not any(trusted_name(given, name) for name in names):
        return fault(421, "call this by its number, such as 127.0.0.1, or as localhost")
    foreign = headers.get("sec-fetch-site") == "cross-site"
    if foreign and headers.get("sec-fetch-mode") != "navigate":
        return fault(403, "pages of other sites get nothing from here")
    if key and path not in OPEN:
        sent_key = bearer(headers.get("authorization", ""))
        sent_key = sent_key or headers.get("x-api-key", "")
        if not hmac.compare_digest(sent_key.encode(), key.encode()):
            challenge = {"WWW-Authenticate": 'Basic realm="puzzlemill"'}
            return fault(401, "tell the key: Authorization: Bearer …", challenge)
    return None


@lru_cache(maxsize=64)
def trusted_name(given: str, host: str) -> bool:
    """Whether a Host header names this machine: by number, as localhost, or as was asked for.

    A site that points its own name to this machine sends that name.
    """
    try:
        name = urlsplit(f"//{given}").hostname or ""
        return name in ("localhost", host.lower()) or bool(ip_address(name))
    except ValueError:
        return False


def bearer(header: str) -> str:
    """The key in an Authorization header: of the kind Bearer, or Basic with any user."""
    kind, _, rest = header.partition(" ")
    if kind.lower() == "bearer":
        return rest.strip()
    if kind.lower() == "basic" and re.fullmatch(r"[A-Za-z0-9+/=]{1,4000}", rest.strip()):
        try:
            decoded = base64.b64decode(rest.strip(), validate=True)
        except ValueError:
            return ""
        return decoded.decode("utf-8", "replace").partition(":")[2]
    return ""
