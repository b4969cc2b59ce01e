"""A small Hugging Face Hub on this machine: the real clients can publish to it and load from it.

It keeps everything in memory, listens on the loopback only, and ends with the test that began it.
"""

import base64
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha1, sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "hf_a_token_of_the_tests"
OWNER = "miller"
DATE = "2026-01-01T00:00:00.000Z"


@dataclass(frozen=True, slots=True)
class Blob:
    data: bytes
    large: bool  # kept as a large file: known by its SHA-256

    @property
    def oid(self) -> str:
        return sha1(b"blob %d\0" % len(self.data) + self.data).hexdigest()

    @property
    def etag(self) -> str:
        return sha256(self.data).hexdigest() if self.large else self.oid


@dataclass(frozen=True, slots=True)
class Commit:
    oid: str
    title: str
    files: dict[str, Blob]


@dataclass(slots=True)
class Pull:
    """A pull request: the commits on its own branch."""

    title: str
    author: str
    commits: list[Commit]
    status: str = "open"


@dataclass(slots=True)
class Repo:
    private: bool
    commits: list[Commit]
    gated: str | bool = False
    tags: dict[str, str] = field(default_factory=dict)
    pulls: list[Pull] = field(default_factory=list)

    def branch(self, revision: str) -> list[Commit] | None:
        """The commits behind main or behind refs/pr/1."""
        if revision == "main":
            return self.commits
        number = revision.removeprefix("refs/pr/")
        asked = int(number) - 1 if number.isdecimal() and revision != number else -1
        return self.pulls[asked].commits if 0 <= asked < len(self.pulls) else None

    def at(self, revision: str) -> Commit | None:
        if branch := self.branch(revision):
            return branch[-1]
        oid = self.tags.get(revision, revision)
        every = [*self.commits, *(commit for pull in self.pulls for commit in pull.commits)]
        return next((commit for commit in every if commit.oid == oid), None)


@dataclass(slots=True)
class Fault:
    """What happens to the next so many requests of a kind; status 0 cuts the connection."""

    method: str
    path: str  # a pattern
    status: int | None = None  # None: it is answered after all
    times: int = 1
    first: Callable[[], object] = bool  # what is done before
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Hub:
    url: str = ""
    repos: dict[str, Repo] = field(default_factory=dict)
    large: dict[str, bytes] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)  # "PUT /lfs/…", in order
    waits: list[float] = field(default_factory=list)  # seconds that its client would have slept
    full: bool = False  # takes no more large files
    lock: threading.Lock = field(default_factory=threading.Lock)

    def fault(self, method: str, path: str) -> Fault | None:
        with self.lock:
            for each in self.faults:
                if each.times and each.method == method and re.search(each.path, path):
                    each.times -= 1
                    return each
        return None

    def commit(
        self, name: str, title: str, files: dict[str, Blob], revision: str = "main"
    ) -> Commit:
        branch = self.repos[name].branch(revision)
        assert branch is not None, revision
        oid = sha1(f"{name} {revision} {len(branch)} {title}".encode()).hexdigest()
        branch.append(Commit(oid, title, files))
        return branch[-1]

    def create(self, name: str, private: bool = False) -> Repo:
        first = {".gitattributes": Blob(b"*.parquet filter=lfs\n", large=False)}
        self.repos[name] = Repo(private, [])
        self.commit(name, "initial commit", first)
        return self.repos[name]


@contextmanager
def hub() -> Iterator[Hub]:
    """A running server; it stops when the block ends."""
    here = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Request, here))
    server.daemon_threads = True
    here.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield here
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, here: Hub, *arguments: Any) -> None:
        self.hub = here
        super().__init__(*arguments)

    def log_message(self, *said: Any) -> None:
        """Nothing: the tests look at what was asked."""

    def do_GET(self) -> None:
        self.answer()

    do_HEAD = do_POST = do_PUT = do_DELETE = do_GET

    def answer(self) -> None:
        parts = urlsplit(self.path)
        path = unquote(parts.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.hub.asked.append(f"{self.command} {path}")
        if fault := self.hub.fault(self.command, path):
            fault.first()
            if fault.status:
                self.say(fault.status, {"error": "a fault of the test"}, fault.headers)
            if fault.status is not None:
                self.close_connection = True
                return None
        method = "GET" if self.command == "HEAD" else self.command
        for wanted, pattern, reply in ROUTES:
            if wanted == method and (found := re.fullmatch(pattern, path)):
                if method != "GET" and path[:5] != "/lfs/" and not self.known:
                    return self.say(401, {"error": "Invalid username or password."})
                query = parse_qs(parts.query, keep_blank_values=True)
                reply(self, found.groupdict(), body, query)
                return None
        return self.say(404, {"error": f"no route {self.command} {path}"})

    @property
    def known(self) -> bool:
        return self.headers.get("Authorization") == f"Bearer {TOKEN}"

    def say(self, status: int, value: Any = None, headers: dict[str, str] | None = None) -> None:
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        for name, text in ({"Content-Length": str(len(data))} | (headers or {})).items():
            self.send_header(name, text)
        if status == 401:
            self.send_header("X-Error-Message", "Invalid username or password.")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def lacks(self, what: str) -> None:
        self.say(404, {"error": f"{what} not found"}, {"X-Error-Code": f"{what}NotFound"})

    def repo(self, name: str) -> Repo | None:
        repo = self.hub.repos.get(name)
        if repo is None or (repo.private and not self.known):
            self.lacks("Repo")
            return None
        return repo

    def at(self, name: str, revision: str) -> Commit | None:
        if (repo := self.repo(name)) is None:
            return None
        if (commit := repo.at(revision)) is None:
            self.lacks("Revision")
        return commit

    def whoami(self, found: Any, body: bytes, query: Any) -> None:
        if not self.known:
            return self.say(401, {"error": "Invalid user token."})
        token = {"displayName": "tests", "role": "write"}
        auth = {"type": "access_token", "accessToken": token}
        return self.say(200, {"type": "user", "name": OWNER, "orgs": [], "auth": auth})

    def create(self, found: Any, body: bytes, query: Any) -> None:
        asked = json.loads(body)
        name = f"{asked.get('organization') or OWNER}/{asked['name']}"
        if not name.startswith(f"{OWNER}/"):
            said = f"You don't have the rights to create a dataset under {name.split('/')[0]}"
            return self.say(403, {"error": said}, {"X-Error-Message": said})
        url = {"url": f"{self.hub.url}/datasets/{name}"}
        if name in self.hub.repos:
            return self.say(409, url | {"error": "You already created this dataset repo"})
        self.hub.create(name, asked.get("visibility") == "private" or bool(asked.get("private")))
        return self.say(200, url)

    def settings(self, found: Any, body: bytes, query: Any) -> None:
        if repo := self.repo(found["repo"]):
            repo.gated = json.loads(body).get("gated", repo.gated)
            self.say(200, {})

    def info(self, found: Any, body: bytes, query: Any) -> None:
        revision = found.get("revision") or "main"
        if commit := self.at(found["repo"], revision):
            repo = self.hub.repos[found["repo"]]
            files = [{"rfilename": path} for path in sorted(commit.files)]
            told = {"id": found["repo"], "sha": commit.oid, "siblings": files, "tags": []}
            told |= {"private": repo.private, "gated": repo.gated, "disabled": False}
            self.say(200, told | {"lastModified": DATE, "createdAt": DATE, "downloads": 0})

    def tree(self, found: Any, body: bytes, query: Any) -> None:
        if commit := self.at(found["repo"], found["revision"]):
            under, deep = found.get("path") or "", query.get("recursive", [""])[0].lower()
            entries = entries_of(commit, under, deep in ("true", "1"))
            if under and not entries:
                return self.lacks("Entry")
            self.say(200, entries)
        return None

    def paths(self, found: Any, body: bytes, query: Any) -> None:
        if commit := self.at(found["repo"], found["revision"]):
            asked = json.loads(body) if body[:1] == b"{" else parse_qs(body.decode())
            entries = {each["path"]: each for each in entries_of(commit, "", True)}
            self.say(200, [entries[path] for path in asked["paths"] if path in entries])

    def refs(self, found: Any, body: bytes, query: Any) -> None:
        if repo := self.repo(found["repo"]):
            main = {"name": "main", "ref": "refs/heads/main", "targetCommit": repo.commits[-1].oid}
            tags = [
                {"name": name, "ref": f"refs/tags/{name}", "targetCommit": oid}
                for name, oid in repo.tags.items()
            ]
            self.say(200, {"branches": [main], "converts": [], "tags": tags})

    def tag(self, found: Any, body: bytes, query: Any) -> None:
        if commit := self.at(found["repo"], found["revision"]):
            tags, name = self.hub.repos[found["repo"]].tags, json.loads(body)["tag"]
            if name in tags:
                return self.say(409, {"error": "Tag reference exists already"})
            tags[name] = commit.oid
            self.say(200, {})
        return None

    def preupload(self, found: Any, body: bytes, query: Any) -> None:
        if commit := self.at(found["repo"], found["revision"]):
            files = []
            for each in json.loads(body)["files"]:
                there = commit.files.get(each["path"])
                mode = "lfs" if each["path"].endswith((".parquet", ".png")) else "regular"
                answer = {"path": each["path"], "uploadMode": mode, "shouldIgnore": False}
                files.append(answer | ({"oid": there.etag} if there else {}))
            self.say(200, {"files": files})

    def batch(self, found: Any, body: bytes, query: Any) -> None:
        objects = []
        for each in json.loads(body)["objects"]:
            upload = {"upload": {"href": f"{self.hub.url}/lfs/{each['oid']}", "header": {}}}
            there = each["oid"] in self.hub.large
            if self.hub.full:
                fault = {"error": {"code": 413, "message": "Private storage limit reached"}}
                objects.append({"oid": each["oid"], "size": each["size"]} | fault)
                continue
            objects.append(each | ({} if there else {"actions": upload}))
        self.say(200, {"transfer": "basic", "objects": objects})

    def store(self, found: Any, body: bytes, query: Any) -> None:
        if sha256(body).hexdigest() != found["oid"]:
            return self.say(400, {"error": "not what was announced"})
        self.hub.large[found["oid"]] = body
        return self.say(200, {})

    def yaml(self, found: Any, body: bytes, query: Any) -> None:
        import yaml

        content = json.loads(body)["content"]
        try:
            known = yaml.safe_load(content.split("---")[1])
        except (yaml.YAMLError, IndexError) as error:
            return self.say(400, {"errors": [{"message": str(error)}], "warnings": []})
        missing = {"license", "configs", "size_categories"} - set(known)
        told = [{"message": f"no {name}"} for name in sorted(missing)]
        return self.say(400 if told else 200, {"errors": told, "warnings": []})

    def take_commit(self, found: Any, body: bytes, query: Any) -> None:
        with self.hub.lock:
            commit = self.at(found["repo"], found["revision"])
            if commit is None:
                return None
            repo, revision = self.hub.repos[found["repo"]], found["revision"]
            if not found["repo"].startswith(f"{OWNER}/") and "create_pr" not in query:
                said = "You may only offer a pull request here."
                return self.say(403, {"error": said}, {"X-Error-Message": said})
            lines = [json.loads(line) for line in body.splitlines() if line.strip()]
            header, files = lines[0]["value"], dict(commit.files)
            if header.get("parentCommit", commit.oid) != commit.oid:
                said = "A commit has happened since. Please refresh and try again."
                return self.say(412, {"error": said}, {"X-Error-Message": said})
            for line in lines[1:]:
                value = line["value"]
                if line["key"] == "file":
                    data = base64.b64decode(value["content"])
                    files[value["path"]] = Blob(data, large=False)
                elif line["key"] == "lfsFile":
                    if value["oid"] not in self.hub.large:
                        return self.say(400, {"error": f"{value['path']} was never uploaded"})
                    files[value["path"]] = Blob(self.hub.large[value["oid"]], large=True)
                else:
                    del files[value["path"]]
            told = {}
            if "create_pr" in query:
                repo.pulls.append(Pull(header["summary"], OWNER, []))
                revision = f"refs/pr/{len(repo.pulls)}"
                at = f"{self.hub.url}/datasets/{found['repo']}/discussions/{len(repo.pulls)}"
                told = {"pullRequestUrl": at}
            made = self.hub.commit(found["repo"], header["summary"], files, revision)
        url = f"{self.hub.url}/datasets/{found['repo']}/commit/{made.oid}"
        return self.say(200, told | {"commitUrl": url, "commitOid": made.oid, "success": True})

    def discussions(self, found: Any, body: bytes, query: Any) -> None:
        if repo := self.repo(found["repo"]):
            pulls = [
                {
                    "title": pull.title,
                    "num": number,
                    "author": {"name": pull.author},
                    "createdAt": DATE,
                    "status": pull.status,
                    "repo": {"name": found["repo"], "type": "dataset"},
                    "isPullRequest": True,
                }
                for number, pull in enumerate(repo.pulls, start=1)
                if query.get("status", [pull.status]) == [pull.status]
                if query.get("author", [pull.author]) == [pull.author]
            ]
            self.say(200, {"discussions": pulls, "count": len(pulls), "start": 0})

    def resolve(self, found: Any, body: bytes, query: Any) -> None:
        commit = self.at(found["repo"], found["revision"])
        if commit is None:
            return None
        if (blob := commit.files.get(found["path"])) is None:
            return self.lacks("Entry")
        headers = {
            "ETag": f'"{blob.etag}"',
            "X-Repo-Commit": commit.oid,
            "Accept-Ranges": "bytes",
            "X-Linked-Etag": f'"{blob.etag}"',
            "X-Linked-Size": str(len(blob.data)),
        }
        wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if not wanted:
            return self.say(200, blob.data, headers)
        total = len(blob.data)
        first = int(wanted[1]) if wanted[1] else max(total - int(wanted[2]), 0)
        last = min(int(wanted[2]), total - 1) if wanted[1] and wanted[2] else total - 1
        if first >= total:
            return self.say(416, b"", {"Content-Range": f"bytes */{total}"})
        headers["Content-Range"] = f"bytes {first}-{last}/{total}"
        return self.say(206, blob.data[first : last + 1], headers)


def entries_of(commit: Commit, under: str, deep: bool) -> list[dict[str, Any]]:
    """The files and folders in a folder, as the Hub lists them."""
    start = f"{under}/" if under else ""
    found: dict[str, dict[str, Any]] = {}
    for path, blob in sorted(commit.files.items()):
        if not path.startswith(start):
            continue
        steps = path.removeprefix(start).split("/")
        for depth in range(1, len(steps) if deep else min(len(steps), 2)):
            folder = start + "/".join(steps[:depth])
            found[folder] = {"type": "directory", "path": folder, "size": 0, "oid": "0" * 40}
        if deep or len(steps) == 1:
            size = len(blob.data)
            found[path] = {"type": "file", "path": path, "size": size, "oid": blob.oid}
            if blob.large:
                found[path]["lfs"] = {"oid": blob.etag, "size": size, "pointerSize": 130}
    return list(found.values())


API = r"/api/datasets/(?P<repo>[^/]+/[^/]+)"
REVISION = r"(?P<revision>refs/pr/\d+|[^/]+)"

ROUTES: tuple[tuple[str, str, Any], ...] = (
    ("GET", r"/api/whoami-v2", Request.whoami),
    ("POST", r"/api/repos/create", Request.create),
    ("POST", r"/api/validate-yaml", Request.yaml),
    ("GET", API, Request.info),
    ("GET", rf"{API}/revision/{REVISION}", Request.info),
    ("PUT", rf"{API}/settings", Request.settings),
    ("GET", rf"{API}/tree/{REVISION}(/(?P<path>.+))?", Request.tree),
    ("POST", rf"{API}/paths-info/{REVISION}", Request.paths),
    ("GET", rf"{API}/refs", Request.refs),
    ("GET", rf"{API}/discussions", Request.discussions),
    ("POST", rf"{API}/tag/{REVISION}", Request.tag),
    ("POST", rf"{API}/preupload/{REVISION}", Request.preupload),
    ("POST", rf"{API}/commit/{REVISION}", Request.take_commit),
    ("POST", r"/datasets/(?P<repo>.+?)\.git/info/lfs/objects/batch", Request.batch),
    ("PUT", r"/lfs/(?P<oid>[0-9a-f]{64})", Request.store),
    (
        "GET",
        rf"/datasets/(?P<repo>[^/]+/[^/]+)/resolve/{REVISION}/(?P<path>.+)",
        Request.resolve,
    ),
)
