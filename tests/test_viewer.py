"""The viewer: it finds what is asked for, judges as training does, and lets no other site in."""

import http.client
import json
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from struct import pack
from threading import Thread
from time import monotonic, sleep
from typing import Any
from urllib.parse import quote, urlencode

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from test_outputs import HOSTILE, scored, write_build

from puzzlemill.core.errors import UserError
from puzzlemill.core.rows import REPLY, SCHEMA
from puzzlemill.core.storage.files import write_json
from puzzlemill.core.storage.parquet import read_table, write_table
from puzzlemill.outputs.manifest import read_manifest
from puzzlemill.outputs.viewer import downloads, row_query, verdicts
from puzzlemill.outputs.viewer.addresses import Response, answer, shown, site_of
from puzzlemill.outputs.viewer.catalogue import catalogue_of
from puzzlemill.outputs.viewer.page_parts import snippet_of
from puzzlemill.outputs.viewer.row_query import RowQuery, matches
from puzzlemill.outputs.viewer.typeset import blocks
from puzzlemill.serving.gate import trusted_name
from puzzlemill.serving.listening import bound, http_server
from puzzlemill.serving.start import viewer_of


def rows_of_sample() -> list[dict[str, Any]]:
    rows = scored("sorting", "train", [8, 7, 5, 4, 2, 1, 0, 0])
    rows += scored("sums", "train", [3, 1, 0]) + scored("sums", "test", [6])
    rows += scored("jigsaw_grid", "train", [None, None])
    rows[3]["prompt"] = [{"role": "user", "content": f"Sort: {HOSTILE}"}]
    return rows


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_build(tmp_path_factory.mktemp("viewed") / "sample", rows_of_sample())


def seen(folder: Path, **asked: str) -> list[str]:
    catalogue = catalogue_of(folder)
    found = matches(catalogue, replace(RowQuery(), **asked), 1000)
    assert found.whole
    return [catalogue.uids[place].as_py() for place in found.places.tolist()]


@pytest.mark.parametrize(
    ("asked", "holds"),
    [
        ({"family": "sums"}, lambda row: row["family"] == "sums"),
        ({"outcome": "too easy"}, lambda row: row["dropped"] == "too easy: always solved"),
        ({"outcome": "kept", "split": "test"}, lambda row: row["split"] == "test"),
        ({"tag": "arithmetic"}, lambda row: "arithmetic" in row["tags"]),
        ({"from_rate": "40", "to_rate": "70"}, lambda row: 0.4 <= (row["mean"] or 0) <= 0.7),
        ({"to_level": "0.1"}, lambda row: False),
        ({"words": "<SCRIPT>"}, lambda row: HOSTILE in row["prompt"][0]["content"]),
        ({"words": '"no such phrase"'}, lambda row: False),
        ({"family": "no_such"}, lambda row: False),
    ],
)
def test_a_filter_finds_the_rows_that_it_means(sample: Path, asked: Any, holds: Any) -> None:
    rows = rows_of_sample()
    assert sorted(seen(sample, **asked)) == sorted(row["uid"] for row in rows if holds(row))
    assert any(map(holds, rows)) or not seen(sample, **asked)


def test_rows_are_sorted_by_what_is_known_and_unknown_ones_come_last(sample: Path) -> None:
    means = {row["uid"]: row["mean"] for row in rows_of_sample()}
    for sort, turn in (("hard", 1), ("easy", -1)):
        told = [means[uid] for uid in seen(sample, sort=sort)]
        assert told[-2:] == [None, None]
        assert told[:-2] == sorted(told[:-2], key=lambda mean: turn * mean)


def test_what_a_choice_promises_is_what_it_shows(sample: Path) -> None:
    catalogue, query = catalogue_of(sample), RowQuery(outcome="kept", to_rate="90")
    for name, choices in row_query.counts(catalogue, query).items():
        field = "tag" if name == "tags" else name
        for word, count in choices:
            assert len(seen(sample, **{"outcome": "kept", "to_rate": "90", field: word})) == count


def test_a_search_goes_on_where_it_stopped(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue, query = catalogue_of(sample), RowQuery(words="the", to_rate="99.5")
    every = seen(sample, words="the", to_rate="99.50")
    monkeypatch.setattr(row_query, "SECONDS", 0.0)
    first = matches(catalogue, query, 1000)
    assert not first.whole
    assert not len(first.places)
    monkeypatch.setattr(row_query, "SECONDS", 60.0)
    for enough in range(1, len(every) + 2):
        found = matches(catalogue, query, enough)
        assert len(found.places) >= min(enough, len(every))
    assert [catalogue.uids[place].as_py() for place in found.places.tolist()] == every


def test_a_build_that_was_made_again_is_read_again(tmp_path: Path) -> None:
    folder = write_build(tmp_path / "b", scored("sums", "train", [3, 1]))
    assert len(seen(folder)) == 2
    write_build(folder, scored("sums", "train", [3, 1, 4]))
    assert len(seen(folder)) == 3


class Sight(HTMLParser):
    """What a browser would make of a page: elements, and the words between them."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words = ""
        assert response.status == 200, response.body
        self.feed(response.body.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            assert not name.startswith("on"), f"{tag} runs code at {name}"
            assert name != "style", "the policy allows no styles in elements"
            if name in ("href", "src", "action"):
                assert re.match(r"[/?#]", value or ""), f"{tag} leads to {value}"

    def handle_data(self, data: str) -> None:
        self.words += data


def test_a_hostile_prompt_is_shown_and_not_run(sample: Path) -> None:
    site = site_of(sample, None)
    (uid,) = seen(sample, words="<script>")
    for address in ("/0/", f"/0/?words={quote(HOSTILE)}", f"/0/item/{uid}?words={quote(HOSTILE)}"):
        sight = Sight(answer(site, address))
        assert sight.tags.count("script") == 1  # the viewer's own, in a file
        assert HOSTILE in sight.words
        assert "default-src 'none'" in answer(site, address).policy
        assert "unsafe" not in answer(site, address).policy


@pytest.mark.parametrize(
    "address",
    [
        "/../manifest.json",
        "/0/../../etc/passwd",
        "/0/item/..%2f..%2fmanifest.json",
        "/0/picture/..%2f..%2fsecret/0.png",
        "/0/picture/sums/99999.png",
        "/0/item/" + "a" * 5000,
        "/1/",
        "/compare",
        "//evil.example/0/",
        "/0/item/%00",
    ],
)
def test_an_address_that_names_no_page_gives_nothing(sample: Path, address: str) -> None:
    told = answer(site_of(sample, None), address)
    assert told.status == 404
    assert b"recipe" not in told.body


@pytest.mark.parametrize("address", ["/nope", "/0/item/sums-nope", "/compare"])
def test_a_page_that_is_not_there_has_a_way_back(sample: Path, address: str) -> None:
    told = shown(site_of(sample, None), address)
    assert (told.status, told.kind) == (404, "text/html; charset=utf-8")
    assert '<a href="/0/">All items</a>' in told.body.decode()


@pytest.mark.parametrize(
    ("query", "like"),
    [
        ("from_level=abc&to_level=nan", ""),
        ("page=99999", "page=1"),
        ("page=-3", ""),
        ("page=x", ""),
    ],
)
def test_a_filter_or_page_that_means_nothing_shows_what_there_is(
    sample: Path, query: str, like: str
) -> None:
    def uids(query: str) -> list[str]:
        told = answer(site_of(sample, None), f"/0/?{query}")
        assert told.status == 200
        return re.findall(r'href="/0/item/([^"?]+)', told.body.decode())

    assert uids(query) == uids(like) != []


def test_every_item_has_its_page_and_its_pictures(sample: Path) -> None:
    site = site_of(sample, None)
    for row in rows_of_sample():
        told = answer(site, f"/0/item/{row['uid']}?steps=1")
        page = unescape(told.body.decode())
        assert row["answer"] in page
        for number, image in enumerate(row["images"]):
            picture = f"/0/picture/{row['uid']}/{number}.png"
            assert f'src="{picture}"' in page
            assert answer(site, picture).body == image["bytes"]


def said(site: Any, uid: str, text: str, read: str = "answer") -> str:
    told = answer(site, f"/0/item/{uid}", {"text": text, "as": read})
    match = re.search(r'class="verdict (\w+)"', told.body.decode())
    assert match, told.body
    return match[1]


def test_answers_are_judged_as_replies_are(sample: Path) -> None:
    site = site_of(sample, None)
    row = next(row for row in rows_of_sample() if row["family"] == "sorting")
    assert said(site, row["uid"], row["answer"]) == "correct"
    assert said(site, row["uid"], f"So it is\n<answer>{row['answer']}</answer>") == "correct"
    assert said(site, row["uid"], row["answer"], "reply") == "unparsed"
    assert said(site, row["uid"], "1 2") in ("wrong", "partial")
    assert said(site, row["uid"], "__import__('os').abort()") == "unparsed"
    assert said(site, row["uid"], "") == "unparsed"


@pytest.fixture(scope="module")
def line(sample: Path) -> Iterator[http.client.HTTPConnection]:
    with served(sample) as port:
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        yield client
        client.close()


def test_a_place_that_is_taken_is_said_in_one_line(line: http.client.HTTPConnection) -> None:
    for host, port in (("127.0.0.1", line.port), ("127.0.0.1", 99_999), ("192.0.2.1", 0)):
        with pytest.raises(UserError, match=f"port {port}"):
            bound(host, port)


def sent(
    line: http.client.HTTPConnection,
    method: str,
    path: str,
    headers: Mapping[str, str] | None = None,
    body: str | None = None,
) -> http.client.HTTPResponse:
    line.request(method, path, body, dict(headers or {}))
    response = line.getresponse()
    response.read()
    return response


def test_only_this_machines_own_names_are_answered(line: http.client.HTTPConnection) -> None:
    assert sent(line, "GET", "/0/").status == 200
    assert sent(line, "GET", "/0/", {"Host": f"localhost:{line.port}"}).status == 200
    assert sent(line, "GET", "/0/", {"Host": "evil.example"}).status == 421
    assert sent(line, "GET", "/0/", {"Host": f"evil.example:{line.port}"}).status == 421
    assert sent(line, "GET", "/0/", {"Host": ""}).status == 421
    elsewhere = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert sent(line, "GET", "/0/", elsewhere).status == 403
    assert sent(line, "GET", "/0/", elsewhere | {"Sec-Fetch-Mode": "navigate"}).status == 200


@pytest.mark.parametrize(
    ("given", "trusted"),
    [
        ("localhost", True),
        ("[::1]:80", True),
        ("10.0.0.7:1234", True),
        ("box.lan:80", True),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("127.0.0.1@evil.example", False),
        ("[", False),
    ],
)
def test_a_name_is_trusted_if_no_other_site_can_have_it(given: str, trusted: bool) -> None:
    assert trusted_name(given, "box.lan") is trusted


def test_answers_are_taken_from_its_own_pages_only(
    line: http.client.HTTPConnection, sample: Path
) -> None:
    (uid,) = seen(sample, words="<script>")
    path, body = f"/0/item/{uid}", urlencode({"text": "1", "as": "answer"})
    own = {"Origin": f"http://127.0.0.1:{line.port}"}
    assert sent(line, "POST", path, own, body).status == 200
    assert sent(line, "POST", path, {}, body).status == 403
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{line.port}"):
        assert sent(line, "POST", path, {"Origin": origin}, body).status == 403
    assert sent(line, "POST", path, own, "text=" + "x" * 300_000).status == 413
    assert sent(line, "POST", "/0/", own, body).status == 405
    assert sent(line, "GET", "/0/").status == 200


@contextmanager
def served(folder: Path, other: Path | None = None) -> Iterator[int]:
    """The port at which a build is to be seen."""
    server = http_server(viewer_of(site_of(folder, other)), "127.0.0.1")
    sock = bound("127.0.0.1", 0)
    thread = Thread(target=server.run, args=([sock],))
    thread.start()
    yield sock.getsockname()[1]
    server.should_exit = True
    thread.join()


DEEP = "[" * 5000


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("history", value) for value in (DEEP, "{}", "[1]", '[{"mean": "x"}]', "3")),
        *(("knobs", value) for value in (DEEP, "[]", "3")),
        *(("puzzle", value) for value in (DEEP, "null")),
        ("prompt", None),
        ("prompt", [None]),
        ("mean", None),
        ("answer", None),
        ("family", "no_such"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_row_that_is_damaged_gets_a_page_and_one_line_in_the_terminal(
    column: str, value: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = scored("sums", "train", [3])
    folder = write_build(tmp_path / "b", [row | {column: value} for row in rows])
    with served(folder) as port:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        for address in ("/0/", f"/0/item/{rows[0]['uid']}?steps=1"):
            capfd.readouterr()
            told = sent(line, "GET", address)  # a connection that breaks off would raise
            said = capfd.readouterr().err.splitlines()
            assert told.status in (200, 500, 503)
            assert len(said) <= (told.status == 500)
            assert all(text.startswith("viewer: ") and text.isprintable() for text in said)
        line.close()


def test_a_manifest_that_lacks_something_gets_a_page(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = (write_build(tmp_path / name, scored("sums", "train", [3])) for name in "ab")
    with served(first, second) as port:
        for name, value in (("policy", None), ("policy", 3), ("name", None), ("recipe", [])):
            manifest = json.loads((second / "manifest.json").read_text())
            changed = {key: each for key, each in manifest.items() if key != name}
            write_json(second / "manifest.json", changed | ({name: value} if value else {}))
            for address in ("/compare", "/1/", "/"):
                line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
                assert sent(line, "GET", address).status in (200, 302, 500, 503)
                line.close()
            write_json(second / "manifest.json", manifest)
    assert not [record for record in caplog.records if record.exc_info]


def test_a_browser_that_breaks_off_is_no_news(
    sample: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with served(sample) as port:
        for asked in (b"", b"GET /0/ HT", b"GET /0/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 9):
            with socket.create_connection(("127.0.0.1", port)) as line:
                line.sendall(asked)
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, pack("ii", 1, 0))
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        assert sent(line, "GET", "/0/").status == 200
        line.close()
    assert capfd.readouterr().err == ""


def test_many_browsers_may_knock_at_once() -> None:
    """All of them wait in line, before the server has looked at any."""
    with bound("127.0.0.1", 0) as sock:
        port = sock.getsockname()[1]
        lines = [socket.create_connection(("127.0.0.1", port), timeout=0.5) for _ in range(60)]
        assert len({line.getsockname() for line in lines}) == 60  # none was refused or timed out
        for line in lines:
            line.close()


def test_a_server_that_ends_leaves_no_thread_behind(sample: Path) -> None:
    """One that the interpreter stopped inside Arrow would abort the process."""
    before = set(threading.enumerate())
    with served(sample) as port:
        lines = [http.client.HTTPConnection("127.0.0.1", port, timeout=30) for _ in range(3)]
        for line in lines:
            assert sent(line, "GET", "/0/?words=a").status == 200  # and is kept open
    for line in lines:
        line.close()
    ended_by = monotonic() + 15  # threads that waited for work are told to stop, and take a moment
    while left := set(threading.enumerate()) - before:
        assert monotonic() < ended_by, left
        sleep(0.05)


def test_a_search_for_very_many_words_is_refused(sample: Path) -> None:
    site = site_of(sample, None)
    for words, status in ((" ".join("ab" * 12_500), 400), ('"' * 25_000, 200), ("of and", 200)):
        for page in ("/0/", "/0/item/x"):
            told = answer(site, f"{page}?{urlencode({'words': words})}")
            assert told.status == (400 if status == 400 else 200 if page == "/0/" else 404)


def test_a_length_of_thousands_of_digits_is_refused(line: http.client.HTTPConnection) -> None:
    own = {"Origin": f"http://127.0.0.1:{line.port}", "Content-Length": "9" * 5000}
    assert sent(line, "POST", "/0/", own, "").status == 400
    assert sent(line, "GET", "/0/").status == 200


def keep_replies(folder: Path, statuses: Mapping[str, list[str]]) -> None:
    """The shards of a round with these verdicts on each item's replies, as a build keeps them."""
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["recipe"]["score"] = {"keep_replies": True}
    shards = ["00000-a.parquet", "../../ask-1/00001-b.parquet"]
    manifest["steps"]["ask-1"] = {"version": 1, "settings": {"round": 1}, "shards": shards}
    write_json(folder / "manifest.json", manifest)
    uids = sorted(statuses)
    for name, some in (("00000-a", uids[::2]), ("00001-b", uids[1::2])):
        told = [
            [
                {"text": f"said {status} {HOSTILE}", "finished": True, "score": 0.0}
                | {"status": status, "reason": ""}
                for status in statuses[uid]
            ]
            or None
            for uid in some
        ]
        columns = {"uid": pa.array(some), "replies": pa.array(told, pa.list_(REPLY))}
        write_table(folder / "stages" / "ask-1" / f"{name}.parquet", pa.table(columns))


def test_replies_that_a_build_keeps_are_shown_and_found(tmp_path: Path) -> None:
    rows = scored("sums", "train", [3, 1, 0, 5, None])
    folder = write_build(tmp_path / "b", rows)
    uids = [row["uid"] for row in rows]
    assert verdicts.shards_of(catalogue_of(folder)) is None
    given = [["correct", "wrong"], ["wrong"], ["error"], ["wrong", "unparsed"], []]
    keep_replies(folder, dict(zip(uids, given, strict=True)))
    catalogue = catalogue_of(folder)
    for uid, statuses in zip(uids, given, strict=True):
        assert [reply["status"] for reply in verdicts.replies_in(catalogue, uid)] == statuses
    assert sorted(seen(folder, verdict="wrong")) == sorted([uids[0], uids[1], uids[3]])
    assert seen(folder, verdict="error") == [uids[2]]
    assert seen(folder, verdict="partial") == []
    sight = Sight(answer(site_of(folder, None), f"/0/item/{uids[0]}"))
    assert f"said correct {HOSTILE}" in sight.words


def test_two_builds_are_compared_by_uid(tmp_path: Path) -> None:
    rows = scored("sums", "train", [3, 1, 0, 5]) + scored("sorting", "train", [4])
    later = scored("sums", "train", [3, 8, 0]) + scored("sorting", "train", [4, 2])
    first, second = write_build(tmp_path / "a", rows), write_build(tmp_path / "b", later)
    site = site_of(first, second)

    def uids_of(kind: str) -> set[str]:
        page = answer(site, f"/compare?kind={kind}").body.decode()
        return set(re.findall(r'/compare/item/([^"?]+)', page))

    uids = [row["uid"] for row in rows]
    assert uids_of("new") == {later[4]["uid"]}
    assert uids_of("gone") == {uids[3]}
    assert uids_of("easier") == {uids[1]}  # 1 of 8 before, 8 of 8 after
    assert uids_of("harder") == set()
    assert uids_of("other") == {uids[1]}  # it is too easy now
    assert uids_of("") == {*uids[:3], uids[4]}
    words = re.sub(r"\s+", " ", Sight(answer(site, "/compare")).words)
    # The pass rate comes first: a phone shows no more. Then: before, after, in both.
    assert re.search(r"sums\d+%→\d+%433", words.replace(" ", ""))
    for uid, side in ((uids[1], "pass rate"), (uids[3], "not there")):
        pair = Sight(answer(site, f"/compare/item/{uid}")).words
        assert side in pair
        assert rows[uids.index(uid)]["prompt"][0]["content"].split()[-1] in pair
    assert answer(site, "/compare/item/no-such").status == 404


def test_notes_stand_beside_the_build_and_none_is_lost(tmp_path: Path) -> None:
    rows = scored("sums", "train", [3, 1])
    folder = write_build(tmp_path / "b", rows)
    site, uid = site_of(folder, None), rows[0]["uid"]
    for mark, text in (("wrong", f"first {HOSTILE}"), ("", "from another tab")):
        told = answer(site, f"/0/note/{uid}", {"mark": mark, "text": text})
        assert (told.status, dict(told.headers)["Location"]) == (303, f"/0/item/{uid}#notes")
    words = Sight(answer(site_of(folder, None), f"/0/item/{uid}")).words
    assert f"first {HOSTILE}" in words
    assert "from another tab" in words
    assert "wrong" in Sight(answer(site, "/0/")).words  # the last mark that was given
    assert len((tmp_path / "b.notes.jsonl").read_text().splitlines()) == 2
    assert read_manifest(folder)["files"]  # the build is as it was
    other = rows[1]["uid"]
    reviews = {
        "noted": {uid},
        "wrong": {uid},
        "good": set(),
        "not reviewed": {other},
        "no such": set(),
    }
    for review, uids in reviews.items():
        assert set(seen(folder, review=review)) == uids
    assert answer(site, f"/0/note/{other}", {"mark": "", "text": "text alone"}).status == 303
    assert set(seen(folder, review="noted")) == {uid, other}  # a note that came meanwhile counts
    assert seen(folder, review="not reviewed") == seen(folder, review="good") == []
    word = rows[0]["prompt"][0]["content"].split()[0]
    assert seen(folder, review="wrong", words=word) == [uid]
    assert "noted (2)" in Sight(answer(site, "/0/")).words
    for said_of, mark, text, status in (
        (uid, "", "", 400),
        (uid, "no such", "", 400),
        (uid, "", "x" * 5000, 400),
        ("x", "", "x", 404),
    ):
        given = answer(site, f"/0/note/{said_of}", {"mark": mark, "text": text})
        assert given.status == status
    (tmp_path / "b.notes.jsonl").write_text("[]\n")
    assert b"line 1 is no note" in shown(site, "/0/").body


def test_the_rows_that_are_found_are_downloaded(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, uids = site_of(sample, None), seen(sample, family="sums")
    lines = answer(site, "/0/rows.jsonl?family=sums").body.decode().splitlines()
    assert [json.loads(line)["uid"] for line in lines] == uids
    table = pq.read_table(pa.BufferReader(answer(site, "/0/rows.parquet?words=sums").body))
    assert table.schema.names == SCHEMA.names
    assert set(table["uid"].to_pylist()) == set(seen(sample, words="sums"))
    pictures = answer(site, "/0/rows.jsonl?family=jigsaw_grid").body.decode()
    assert "data:image/png;base64," in pictures
    monkeypatch.setattr(downloads, "MOST", 2)
    told = answer(site, "/0/rows.jsonl?family=sums")
    assert (told.status, b"over 2 rows" in told.body) == (400, True)


def test_the_python_of_an_item_makes_it_again(sample: Path) -> None:
    (uid, *_), site = seen(sample, family="sums"), site_of(sample, None)
    code = re.search(
        r'id="code">(.*?)</pre>', answer(site, f"/0/item/{uid}").body.decode(), re.DOTALL
    )
    assert code
    names: dict[str, Any] = {}
    exec(unescape(code[1]), names)
    assert names["item"].uid == uid


def test_histograms_count_what_is_found(sample: Path) -> None:
    page = answer(site_of(sample, None), "/0/?family=sums").body.decode()
    counts = re.findall(r"<title>pass rate \S+ to \S+: (\d+)</title>", page)
    assert len(counts) == 10
    assert sum(map(int, counts)) == len(seen(sample, family="sums"))
    assert re.findall(r"<title>level (0.3 to 0.4|30% to 40%): ", page) == ["0.3 to 0.4"]


def test_what_is_no_build_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no finished build"):
        site_of(tmp_path, None)
    folder = write_build(tmp_path / "b", scored("sums", "train", [3]))
    (file,) = (folder / "dataset").rglob("*.parquet")
    write_table(file, read_table(file).drop_columns(["puzzle"]))
    with pytest.raises(UserError, match="not the bytes that the manifest names"):
        site_of(folder, None)
    file.write_bytes(b"not parquet")
    write_json(folder / "manifest.json", json.loads((folder / "manifest.json").read_text()))
    with pytest.raises(UserError, match="not the bytes that the manifest names"):
        site_of(folder, None)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Just words.\nAnd more words.", ["prose"]),
        ("Solve it:\n\n#..#\n#.##\n\nSay how.", ["prose", "fixed", "prose"]),
        ("Solve it:\n1 . 3\n. 2 .\n\n3 . 1\nSay how.", ["prose", "fixed", "prose"]),
        ("A grid:\nabcde\nfghij\nklmno\nFind the words in it.", ["prose", "fixed", "prose"]),
        ("def f(x):\n    return x\nWhat is f(1)?", ["prose", "fixed", "prose"]),
        ("1. The first clue.\n2. The second clue.", ["prose"]),
        ("| a | b |\n| 1 | 2 |", ["fixed"]),
        ("The shipments:\n\nM48,sent,408\nN4,waiting,1\n\nSum up.", ["prose", "fixed", "prose"]),
        ("", []),
    ],
)
def test_grids_are_set_in_a_fixed_font_and_prose_is_not(text: str, kinds: list[str]) -> None:
    found = blocks(text)
    assert [kind for kind, _ in found] == kinds
    said = "\n".join(block for _, block in found)
    assert [line for line in said.split("\n") if line] == [
        line for line in text.split("\n") if line
    ]


def test_a_list_shows_the_puzzle_and_not_how_to_answer() -> None:
    prompt = "Sort these.\n\n3 1\n2\n\nAnswer with numbers, between <answer> and </answer>."
    row = {"prompt": [{"role": "user", "content": prompt}]}
    assert snippet_of(row) == "Sort these. · 3 1 · 2"
    row["prompt"][0]["content"] = "<image>\nIn <answer>"
    assert snippet_of(row) == "In <answer>"
