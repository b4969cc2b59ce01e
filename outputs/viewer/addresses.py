"""The viewer's addresses: what each of them gives, from a build's rows to bytes for a browser.

No file is served by its path: all that an address can name is a page, a picture of a row, or one of
three fixed files.
"""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import BoundedSemaphore
from urllib.parse import parse_qsl, unquote

from jinja2 import TemplateError
from pyarrow import ArrowException

from puzzlemill.core.errors import UserError
from puzzlemill.outputs.templates import FOLDER, fill
from puzzlemill.outputs.viewer.catalogue import picture, place_of
from puzzlemill.outputs.viewer.compare_pages import compare_page, pair_page
from puzzlemill.outputs.viewer.downloads import download
from puzzlemill.outputs.viewer.item_page import item_page
from puzzlemill.outputs.viewer.list_page import items_page
from puzzlemill.outputs.viewer.notes import add_note
from puzzlemill.outputs.viewer.page_parts import Site, catalogue_at, item_address, tabs_of
from puzzlemill.outputs.viewer.row_query import read_query, terms_of

HEAVIEST = 200_000  # bytes of what is posted
WORDS = 64  # that are searched for at once
PNG = b"\x89PNG\r\n\x1a\n"

_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self';"
    " img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# The report is a page of its own, with its styles inside; whoever wrote it, it runs nothing.
_REPORT = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
HEADERS = {  # of every response
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


def answer(site: Site, target: str, said: Mapping[str, str] | None = None) -> Response:
    """What an address gives; `said` is what was posted to it."""
    path, _, query = target.partition("?")
    parameters = dict(parse_qsl(query))
    if len(terms_of(parameters.get("words", ""))) > WORDS:
        return plain(400, f"search for {WORDS} words at most")
    for pattern, route in _ROUTES:
        if match := re.fullmatch(pattern, path):
            if said is not None and route not in (_item, _note):
                return plain(405, "only an item takes an answer or a note")
            words = [unquote(each) for each in match.groups()]
            if route is not _pair and words and int(words[0]) >= len(site.folders):
                break
            return route(Request(site, words, parameters, said))
    return plain(404, "there is no such page")


def shown(site: Site, target: str, said: Mapping[str, str] | None = None) -> Response:
    """The same, where what is refused is a page with a way back, and a build that cannot be read is
    told in a line."""
    try:
        told = answer(site, target, said)
        return _as_page(site, told) if told.status in (400, 404) else told
    except UserError as error:  # the build is gone, or is being written anew
        return plain(503, str(error))
    except _DAMAGE as error:
        _LOG.warning("viewer: %s cannot be shown: %s", _plain_of(target), _line(error))
        return plain(500, f"the build cannot be read: {_line(error)}")


def _as_page(site: Site, told: Response) -> Response:
    reason = told.body.decode().strip()
    title = "There is nothing here" if told.status == 404 else "This cannot be shown"
    text = fill("viewer/refused.jinja", title=title, tabs=tabs_of(site, ""), reason=reason)
    return Response(told.status, text.encode())


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


def _note(request: Request) -> Response:
    catalogue, uid = catalogue_at(request.site, request.number), request.words[1]
    if request.said is None or place_of(catalogue, uid) is None:
        return plain(404, "no such item in this build")
    try:
        add_note(catalogue.folder, uid, request.said)
    except UserError as error:
        return plain(400, str(error))
    address = item_address(request.number, uid, read_query(request.parameters))
    return Response(303, b"", headers=(("Location", f"{address}#notes"),))


def _download(request: Request) -> Response:
    catalogue, kind = catalogue_at(request.site, request.number), request.words[1]
    with _checking:
        try:
            data = download(catalogue, read_query(request.parameters), kind)
        except UserError as error:
            return plain(400, str(error))
    named = (("Content-Disposition", f'attachment; filename="rows.{kind}"'),)
    return Response(200, data, "application/octet-stream", headers=named)


def _pair(request: Request) -> Response:
    if len(request.site.folders) < 2:
        return plain(404, "name a second build to compare with")
    return page(pair_page(request.site, request.words[0]))


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
    (r"/([01])/note/([^/]{1,400})", _note),
    (r"/([01])/rows\.(jsonl|parquet)", _download),
    (r"/compare", _compare),
    (r"/compare/item/([^/]{1,400})", _pair),
    (r"/favicon\.ico", _nothing),
    (r"/viewer\.css", _style),
    (r"/viewer\.js", _script),
)


def _line(error: Exception) -> str:
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
