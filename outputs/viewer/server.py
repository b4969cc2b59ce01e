"""The viewer's server: a build's pages for a browser on this machine.

It answers only under a name that cannot be another site's (so that no site reaches it by pointing
its own name here), takes answers to check only from its own pages, and serves no file by its path:
all that an address can name is a page, a picture of a row, or one of three fixed files.
"""

import logging
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from socket import SHUT_RD, socket
from sys import exception
from threading import BoundedSemaphore, Thread, current_thread
from time import monotonic
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from jinja2 import TemplateError
from pyarrow import ArrowException

from puzzlemill.core.errors import UserError
from puzzlemill.outputs.templates import HERE
from puzzlemill.outputs.viewer.pages import Site, compare_page, item_page, items_page, shelf_at
from puzzlemill.outputs.viewer.shelf import picture, place_of
from puzzlemill.outputs.viewer.wishes import terms_of

LOOPBACK = "127.0.0.1"
HEAVIEST = 200_000  # bytes of what is posted
WORDS = 64  # that are searched for at once
LEAVING = 5.0  # seconds that an answer under way may take when the server ends
PATIENCE = 30  # seconds that a browser may take to say what it wants
PNG = b"\x89PNG\r\n\x1a\n"

_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'"
)
# The report is a page of its own, with its styles inside; whoever wrote it, it runs nothing.
_REPORT = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_checking = BoundedSemaphore(2)  # each check may start a worker process


# What reading and showing a row raises that a build should not hold.
_DAMAGE = (
    *(OSError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError),
    *(ArrowException, TemplateError),
)
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Told:
    """What is sent back."""

    status: int
    body: bytes
    kind: str = "text/html; charset=utf-8"
    policy: str = _POLICY
    headers: tuple[tuple[str, str], ...] = ()


def plain(status: int, text: str) -> Told:
    return Told(status, f"{text}\n".encode("utf-8", "replace"), "text/plain; charset=utf-8")


def page(text: str | None) -> Told:
    if text is None:
        return plain(404, "no such item in this build")
    return Told(200, text.encode("utf-8", "replace"))  # a row may hold half a surrogate pair


class Server(ThreadingHTTPServer):
    """Answers each browser in a thread of its own, and leaves none of them inside Arrow at the end:
    a thread that the interpreter stops there ends the process with an abort."""

    request_queue_size = 128  # a page asks for many pictures at once

    def __init__(self, *rest: Any) -> None:
        self.busy: dict[socket, Thread] = {}
        super().__init__(*rest)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        self.busy[request] = current_thread()
        try:
            super().process_request_thread(request, client_address)
        finally:
            del self.busy[request]

    def server_close(self) -> None:
        super().server_close()
        until = monotonic() + LEAVING
        for request, thread in list(self.busy.items()):
            with suppress(OSError):
                request.shutdown(SHUT_RD)  # nothing more is asked; what was asked is answered
            thread.join(max(0.0, until - monotonic()))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that has left need not be told, nor the user of it."""
        error = exception()
        if not isinstance(error, OSError):
            _LOG.warning("viewer: %s", _line(error))


def viewing(site: Site, host: str, port: int) -> Server:
    """A server that listens; `serve_forever` answers. Port 0 is any that is free."""
    try:
        return Server((host, port), partial(_Handler, site, host))
    except OverflowError:
        raise UserError(f"port {port} is outside 0..65535") from None
    except OSError as error:
        told = error.strerror or error
        raise UserError(f"cannot listen at {host}, port {port}: {told}; choose another") from None


def address(server: Server) -> str:
    host, port = server.server_address[:2]
    return f"http://{host if isinstance(host, str) else host.decode()}:{port}/"


def answer(site: Site, target: str, said: Mapping[str, str] | None = None) -> Told:
    """What an address gives; `said` is what was posted to it."""
    path, _, asked = target.partition("?")
    query = dict(parse_qsl(asked))
    if len(terms_of(query.get("words", ""))) > WORDS:
        return plain(400, f"search for {WORDS} words at most")
    for pattern, found in _ROUTES:
        if match := re.fullmatch(pattern, path):
            if said is not None and found is not _item:
                return plain(405, "only an item takes an answer")
            words = [unquote(each) for each in match.groups()]
            if words and int(words[0]) >= len(site.folders):
                break
            return found(site, words, query, said)
    return plain(404, "there is no such page")


Query = Mapping[str, str]


def _first(site: Site, words: list[str], query: Query, said: Query | None) -> Told:
    return Told(302, b"", headers=(("Location", "/0/"),))


def _items(site: Site, words: list[str], query: Query, said: Query | None) -> Told:
    return page(items_page(site, int(words[0]), query))


def _item(site: Site, words: list[str], query: Query, said: Query | None) -> Told:
    if said is None and not query.get("steps"):
        return page(item_page(site, int(words[0]), words[1], query, None))
    with _checking:
        return page(item_page(site, int(words[0]), words[1], query, said))


def _picture(site: Site, words: list[str], query: Query, said: Query | None) -> Told:
    shelf = shelf_at(site, int(words[0]))
    place = place_of(shelf, words[1])
    found = None if place is None else picture(shelf, place, int(words[2]))
    if found is None or not found.startswith(PNG):
        return plain(404, "no such picture")
    return Told(200, found, "image/png")


def _report(site: Site, words: list[str], query: Query, said: Query | None) -> Told:
    path = site.folders[int(words[0])] / "report.html"
    if not path.is_file() or path.is_symlink():
        return plain(404, "this build has no report")
    return Told(200, path.read_bytes(), policy=_REPORT)


def _compare(site: Site, words: list[str], query: Query, said: Query | None) -> Told:
    if len(site.folders) < 2:
        return plain(404, "name a second build to compare with")
    return page(compare_page(site, query))


def _nothing(site: Site, words: list[str], query: Query, said: Query | None) -> Told:
    return Told(204, b"")


def _style(site: Site, words: list[str], query: Query, said: Query | None) -> Told:
    return Told(200, _fixed("look.css") + _fixed("viewer/viewer.css"), "text/css; charset=utf-8")


def _script(site: Site, words: list[str], query: Query, said: Query | None) -> Told:
    return Told(200, _fixed("viewer/viewer.js"), "text/javascript; charset=utf-8")


@cache
def _fixed(name: str) -> bytes:
    return (HERE / name).read_bytes()


_ROUTES: tuple[tuple[str, Callable[[Site, list[str], Query, Query | None], Told]], ...] = (
    (r"/", _first),
    (r"/([01])/", _items),
    (r"/([01])/item/([^/]{1,400})", _item),
    (r"/([01])/picture/([^/]{1,400})/(\d{1,4})\.png", _picture),
    (r"/([01])/report", _report),
    (r"/compare", _compare),
    (r"/favicon\.ico", _nothing),
    (r"/viewer\.css", _style),
    (r"/viewer\.js", _script),
)


def trusted_name(given: str, host: str) -> bool:
    """Whether a Host header names this machine: by number, as localhost, or as was asked for.

    A site that points its own name to this machine sends that name.
    """
    try:
        name = urlsplit(f"//{given}").hostname or ""
        return name in ("localhost", host.lower()) or bool(ip_address(name))
    except ValueError:
        return False


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "puzzlemill", ""
    timeout = PATIENCE

    def __init__(self, site: Site, host: str, *rest: object) -> None:
        self.site, self.host = site, host
        super().__init__(*rest)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        if self._trusted():
            self._tell(self._answer(None))

    do_HEAD = do_GET

    def do_POST(self) -> None:
        if not self._trusted():
            return
        if not self._own():
            self.close_connection = True
            self._tell(plain(403, "answers are taken from this server's own pages only"))
            return
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,9}", length) or int(length) > HEAVIEST:
            self.close_connection = True
            self._tell(plain(413, f"an answer has at most {HEAVIEST:,} bytes, and says how many"))
            return
        body = self.rfile.read(int(length)).decode("utf-8", "replace")
        said = dict(parse_qsl(body, keep_blank_values=True))
        text = said.get("text", "").replace("\r\n", "\n")
        self._tell(self._answer({"text": text, "as": said.get("as", "answer")}))

    def _answer(self, said: Query | None) -> Told:
        try:
            return answer(self.site, self.path, said)
        except UserError as error:  # the build is gone, or is being written anew
            return plain(503, str(error))
        except _DAMAGE as error:
            _LOG.warning("viewer: %s cannot be shown: %s", _plain_of(self.path), _line(error))
            return plain(500, f"the build cannot be read: {_line(error)}")

    def _trusted(self) -> bool:
        """Whether it was asked under a name of this machine, and not by a page of another site."""
        fault = None
        if not trusted_name(self.headers.get("Host", ""), self.host):
            fault = plain(421, "open this by its number, such as 127.0.0.1, or as localhost")
        elif self.headers.get("Sec-Fetch-Site") == "cross-site" and (
            self.headers.get("Sec-Fetch-Mode") != "navigate"
        ):
            fault = plain(403, "pages of other sites get nothing from here")
        if fault:
            self.close_connection = True
            self._tell(fault)
        return fault is None

    def _own(self) -> bool:
        """Whether a page of this server sent it: browsers say so, and pages cannot forge it."""
        origin = self.headers.get("Origin")
        return origin == f"http://{self.headers.get('Host', '')}"

    def _tell(self, told: Told) -> None:
        with suppress(ConnectionError):  # who has left need not be told
            self._send(told)

    def _send(self, told: Told) -> None:
        self.send_response(told.status, HTTPStatus(told.status).phrase)
        self.send_header("Content-Type", told.kind)
        self.send_header("Content-Length", str(len(told.body)))
        self.send_header("Content-Security-Policy", told.policy)
        for name, value in (*_HEADERS.items(), *told.headers):
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(told.body)

    def log_message(self, *_: object) -> None:
        """Say nothing: the terminal is the user's."""


def _line(error: BaseException | None) -> str:
    return f"{type(error).__name__}: {_plain_of(str(error))}"


def _plain_of(text: str) -> str:
    """One short line of it, without what a terminal would obey."""
    return "".join(filter(str.isprintable, " ".join(text.split())))[:300]


def site_of(build: Path, other: Path | None) -> Site:
    """The builds to look at; what is wrong with them is told before anything is opened."""
    site = Site((build, other) if other else (build,))
    for number in range(len(site.folders)):
        shelf_at(site, number)
    return site
