"""The viewer's server: a build's pages for a browser on this machine.

It answers only under a name that cannot be another site's (so that no site reaches it by pointing
its own name here), takes answers to check only from its own pages, and serves no file by its path:
all that an address can name is a page, a picture of a row, or one of three fixed files.
"""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
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
from puzzlemill.outputs.templates import FOLDER
from puzzlemill.outputs.viewer.catalogue import picture, place_of
from puzzlemill.outputs.viewer.pages import Site, catalogue_at, compare_page, item_page, items_page
from puzzlemill.outputs.viewer.row_query import terms_of

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
class Request:
    site: Site
    words: Sequence[str]  # that the address names: a build's number, a uid, a picture's number
    parameters: Mapping[str, str]
    said: Mapping[str, str] | None  # what was posted

    @property
    def number(self) -> int:
        """Of the build."""
        return int(self.words[0])


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    body: bytes
    kind: str = "text/html; charset=utf-8"
    policy: str = _POLICY
    headers: tuple[tuple[str, str], ...] = ()


def plain(status: int, text: str) -> Response:
    return Response(status, f"{text}\n".encode("utf-8", "replace"), "text/plain; charset=utf-8")


def page(text: str | None) -> Response:
    if text is None:
        return plain(404, "no such item in this build")
    return Response(200, text.encode("utf-8", "replace"))  # a row may hold half a surrogate pair


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
                request.shutdown(SHUT_RD)  # requests under way are answered
            thread.join(max(0.0, until - monotonic()))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that a browser has closed is no error."""
        error = exception()
        if not isinstance(error, OSError):
            _LOG.warning("viewer: %s", _line(error))


def listen(site: Site, host: str, port: int) -> Server:
    """A server that listens; `serve_forever` answers. Port 0 is any that is free."""
    try:
        return Server((host, port), partial(_Handler, site, host))
    except OverflowError:
        raise UserError(f"port {port} is outside 0..65535") from None
    except OSError as error:
        reason = error.strerror or error
        raise UserError(f"cannot listen at {host}, port {port}: {reason}; choose another") from None


def address(server: Server) -> str:
    host, port = server.server_address[:2]
    return f"http://{host if isinstance(host, str) else host.decode()}:{port}/"


def answer(site: Site, target: str, said: Mapping[str, str] | None = None) -> Response:
    """What an address gives; `said` is what was posted to it."""
    path, _, query = target.partition("?")
    parameters = dict(parse_qsl(query))
    if len(terms_of(parameters.get("words", ""))) > WORDS:
        return plain(400, f"search for {WORDS} words at most")
    for pattern, route in _ROUTES:
        if match := re.fullmatch(pattern, path):
            if said is not None and route is not _item:
                return plain(405, "only an item takes an answer")
            words = [unquote(each) for each in match.groups()]
            if words and int(words[0]) >= len(site.folders):
                break
            return route(Request(site, words, parameters, said))
    return plain(404, "there is no such page")


def _first(request: Request) -> Response:
    return Response(302, b"", headers=(("Location", "/0/"),))


def _items(request: Request) -> Response:
    return page(items_page(request.site, request.number, request.parameters))


def _item(request: Request) -> Response:
    call = (request.site, request.number, request.words[1], request.parameters, request.said)
    if request.said is None and not request.parameters.get("steps"):
        return page(item_page(*call))
    with _checking:
        return page(item_page(*call))


def _picture(request: Request) -> Response:
    catalogue = catalogue_at(request.site, request.number)
    place = place_of(catalogue, request.words[1])
    data = None if place is None else picture(catalogue, place, int(request.words[2]))
    if data is None or not data.startswith(PNG):
        return plain(404, "no such picture")
    return Response(200, data, "image/png")


def _report(request: Request) -> Response:
    path = request.site.folders[request.number] / "report.html"
    if not path.is_file() or path.is_symlink():
        return plain(404, "this build has no report")
    return Response(200, path.read_bytes(), policy=_REPORT)


def _compare(request: Request) -> Response:
    if len(request.site.folders) < 2:
        return plain(404, "name a second build to compare with")
    return page(compare_page(request.site, request.parameters))


def _nothing(request: Request) -> Response:
    return Response(204, b"")


def _style(request: Request) -> Response:
    styles = _fixed("look.css") + _fixed("viewer/viewer.css")
    return Response(200, styles, "text/css; charset=utf-8")


def _script(request: Request) -> Response:
    return Response(200, _fixed("viewer/viewer.js"), "text/javascript; charset=utf-8")


@cache
def _fixed(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


_ROUTES: tuple[tuple[str, Callable[[Request], Response]], ...] = (
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
            self._send(self._answer(None))

    do_HEAD = do_GET

    def do_POST(self) -> None:
        if not self._trusted():
            return
        if not self._own():
            self.close_connection = True
            self._send(plain(403, "answers are taken from this server's own pages only"))
            return
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,9}", length) or int(length) > HEAVIEST:
            self.close_connection = True
            self._send(plain(413, f"an answer has at most {HEAVIEST:,} bytes, and says how many"))
            return
        body = self.rfile.read(int(length)).decode("utf-8", "replace")
        said = dict(parse_qsl(body, keep_blank_values=True))
        text = said.get("text", "").replace("\r\n", "\n")
        self._send(self._answer({"text": text, "as": said.get("as", "answer")}))

    def _answer(self, said: Mapping[str, str] | None) -> Response:
        try:
            return answer(self.site, self.path, said)
        except UserError as error:  # the build is gone, or is being written anew
            return plain(503, str(error))
        except _DAMAGE as error:
            _LOG.warning("viewer: %s cannot be shown: %s", _plain_of(self.path), _line(error))
            return plain(500, f"the build cannot be read: {_line(error)}")

    def _trusted(self) -> bool:
        """Whether the request names this machine, and is not from a page of another site."""
        fault = None
        if not trusted_name(self.headers.get("Host", ""), self.host):
            fault = plain(421, "open this by its number, such as 127.0.0.1, or as localhost")
        elif self.headers.get("Sec-Fetch-Site") == "cross-site" and (
            self.headers.get("Sec-Fetch-Mode") != "navigate"
        ):
            fault = plain(403, "pages of other sites get nothing from here")
        if fault:
            self.close_connection = True
            self._send(fault)
        return fault is None

    def _own(self) -> bool:
        """Whether a page of this server sent it: browsers say so, and pages cannot forge it."""
        origin = self.headers.get("Origin")
        return origin == f"http://{self.headers.get('Host', '')}"

    def _send(self, response: Response) -> None:
        with suppress(ConnectionError):  # the browser has closed the connection
            self._write(response)

    def _write(self, response: Response) -> None:
        self.send_response(response.status, HTTPStatus(response.status).phrase)
        self.send_header("Content-Type", response.kind)
        self.send_header("Content-Length", str(len(response.body)))
        self.send_header("Content-Security-Policy", response.policy)
        for name, value in (*_HEADERS.items(), *response.headers):
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(response.body)

    def log_message(self, *_: object) -> None:
        """Say nothing: the terminal is the user's."""


def _line(error: BaseException | None) -> str:
    return f"{type(error).__name__}: {_plain_of(str(error))}"


def _plain_of(text: str) -> str:
    """One short line of it, without control characters."""
    return "".join(filter(str.isprintable, " ".join(text.split())))[:300]


def site_of(build: Path, other: Path | None) -> Site:
    """The builds to look at; each is read, so that a faulty one is reported at once."""
    site = Site((build, other) if other else (build,))
    for number in range(len(site.folders)):
        catalogue_at(site, number)
    return site
