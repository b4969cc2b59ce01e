"""Upload of a finished build to a dataset repo on the Hugging Face Hub.

It works from the finished folder alone and may be run again at any time: files that
the repo has already are not sent again, and a build that it holds already changes nothing. The
Hub's client reads the token, from the environment or its login; this module never sees it.
"""

import json
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha1, sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from puzzlemill.core.address import digest
from puzzlemill.core.errors import UserError
from puzzlemill.core.plain_data import canonical_json
from puzzlemill.core.shapes import fields, text, whole
from puzzlemill.core.storage.files import checksum, read_json, write_json
from puzzlemill.outputs.card import side_files
from puzzlemill.outputs.finished_build import read_build
from puzzlemill.outputs.manifest import FOLDERS, MANIFEST, read_manifest
from puzzlemill.outputs.plots import FOLDER
from puzzlemill.outputs.report import page
from puzzlemill.outputs.templates import PRIVATE

if TYPE_CHECKING:
    from huggingface_hub import HfApi

ATOMIC = 100  # files; so many go into one commit, more into the client's resumable upload
WAITS = (1.0, 5.0, 20.0)  # seconds before it is tried again
OURS = (*(f"{folder}/" for folder in FOLDERS.values()), f"{FOLDER}/", "pictures.tsv")


@dataclass(frozen=True, slots=True)
class Parcel:
    """What a build is on the Hub: its files by their names there, and the tag of the commit."""

    repo: str
    name: str
    tag: str
    files: Mapping[str, Path | bytes]


@dataclass(frozen=True, slots=True)
class Published:
    url: str
    tag: str  # empty for a pull request, which is tagged by nobody
    sent: int  # files that were not there, or otherwise
    removed: int  # files of an earlier build
    replaced: str = ""  # the build that was there, if there was one


def parcel(folder: Path, repo: str) -> Parcel:
    """All that would be published; a UserError where the build or the name is wrong."""
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", repo) or ".." in repo:
        raise UserError(f"{repo!r} is no repo: it is OWNER/NAME, of letters, digits, . _ -")
    build = read_build(folder)
    shared = replace(build, manifest=shareable(build.manifest), timed=False)
    tag = f"build-{digest(canonical_json(shared.manifest))}"
    dataset = folder / "dataset"
    return Parcel(
        repo,
        build.manifest["name"],
        tag,
        {name: dataset / name for name in build.manifest["files"]}
        | side_files(shared, repo)
        | {
            MANIFEST: (json.dumps(shared.manifest, indent=2, sort_keys=True) + "\n").encode(),
            "report.html": page(shared).encode(),
        },
    )


def shareable(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """A manifest without what tells of the machines that it was made on."""
    return dict(manifest) | {name: _bare(manifest[name]) for name in ("recipe", "steps")}


def _bare(value: Any) -> Any:
    """Without addresses, names of keys, and folders; knobs are part of the items, and stay."""
    if isinstance(value, Mapping):
        public = {key: each for key, each in value.items() if key not in PRIVATE}
        return {key: each if key == "knobs" else _bare(each) for key, each in public.items()}
    if isinstance(value, list | tuple):
        return [_bare(each) for each in value]
    if isinstance(value, str) and Path(value).is_absolute():
        return Path(value).name
    return value


def publish(
    folder: Path,
    repo: str,
    private: bool = False,
    gated: bool = False,
    create_pr: bool = False,
    replacing: bool = False,
) -> Published:
    """Make the repo on the Hub hold what the build holds, and tag it; or offer that to an owner.

    `replacing`: also where it holds a build of another name.
    """
    read_manifest(folder)  # a missing build is reported before a missing client
    if find_spec("huggingface_hub") is None:
        raise UserError("publishing needs the Hub's client: pip install 'puzzlemill[hub]'")
    if create_pr and (private or gated):
        raise UserError("a pull request changes no settings: leave --private and --gated out")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")  # read at import
    from huggingface_hub import HfApi, get_token
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()
    sending = parcel(folder, repo)
    if not get_token():
        raise UserError("not logged in to the Hub: run `hf auth login`, or set HF_TOKEN")
    api = HfApi()
    if create_pr:
        return _patiently(api, repo, lambda: _offer(api, sending, replacing))
    done = _patiently(api, repo, lambda: _publish(api, sending, private, gated, replacing))
    # Builds that others may refer to are not tidied away.
    write_json(folder / "published.json", {"repo": repo, "tag": done.tag})
    return done


def _patiently(api: "HfApi", repo: str, attempt: Callable[[], Published]) -> Published:
    """Try, and again where waiting may help; refusals and network errors become UserErrors."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    for wait in (*WAITS, None):
        try:
            return attempt()
        except UserError:
            raise
        except OfflineModeIsEnabled:
            raise UserError("HF_HUB_OFFLINE is set: unset it to publish") from None
        # The client wraps an error of one file in a RuntimeError, and raises a ValueError for a
        # response of the Hub that it cannot use.
        except (HfHubHTTPError, httpx2.HTTPError, RuntimeError, ValueError) as error:
            cause: BaseException | None = error
            while cause and not (isinstance(cause, httpx2.HTTPError) or _is_response(cause)):
                cause = cause.__cause__
            if isinstance(cause, HfHubHTTPError):
                wait = _wait(cause.response.status_code, cause.response.headers, wait)
                if wait is None:
                    raise _refusal(cause, repo) from None
            elif not isinstance(cause, httpx2.HTTPError):
                text = " ".join(_bare_url(str(error)).split())[:300]
                raise UserError(f"{repo} was not published: the Hub's client: {text}") from None
            elif wait is None:
                raise UserError(
                    f"{_bare_url(api.endpoint)} cannot be reached ({type(cause).__name__}): run"
                    " the same command again; files that have arrived are not sent again"
                ) from None
        time.sleep(wait)
    raise AssertionError("the last try returns or raises")


def _bare_url(text: str) -> str:
    """A text without the names and passwords, and the signatures, in its addresses."""
    return re.sub(r"(?<=//)[^/@\s]*@|\?[^\s'\"]*", "", text)


def _is_response(error: BaseException) -> bool:
    """Whether the error is a response of the Hub, and not a missing local file."""
    return getattr(error, "response", None) is not None


def _wait(status: int, headers: Mapping[str, str], wait: float | None) -> float | None:
    """How long to wait before another try; None where there is to be none."""
    if wait is None or not (status in (408, 409, 412, 429) or status >= 500):
        return None
    retry_after = headers.get("Retry-After", "")
    return min(float(retry_after), 300.0) if retry_after.isdecimal() else wait


def _publish(
    api: "HfApi", sending: Parcel, private: bool, gated: bool, replacing: bool
) -> Published:
    """One try; what an earlier try has done is not done again."""
    repo, kind = sending.repo, "dataset"
    api.create_repo(repo, repo_type=kind, private=private or None, exist_ok=True)
    info = api.dataset_info(repo)
    if private and not info.private:
        raise UserError(
            f"{repo} is there already and public: make it private in its settings on the Hub, or"
            " publish without --private"
        )
    if gated and not info.gated:
        api.update_repo_settings(repo, repo_type=kind, gated="auto")
    changed, stale, before = _difference(api, sending, info.sha, replacing)
    head = info.sha
    if changed or stale:
        head = _send(api, sending, changed, stale, {"parent_commit": head}).oid
    tags = {each.name for each in api.list_repo_refs(repo, repo_type=kind).tags}
    if sending.tag not in tags:
        api.create_tag(repo, repo_type=kind, tag=sending.tag, revision=head, exist_ok=True)
    return Published(_page_of(api, repo), sending.tag, len(changed), len(stale), before)


def _offer(api: "HfApi", sending: Parcel, replacing: bool) -> Published:
    """One try, as a pull request; an open one of ours for this build is continued."""
    repo, kind = sending.repo, "dataset"
    info = api.dataset_info(repo)
    changed, stale, before = _difference(api, sending, info.sha, replacing)
    if not changed and not stale:
        return Published(_page_of(api, repo), "", 0, 0)
    ours = api.get_repo_discussions(
        repo,
        repo_type=kind,
        author=api.whoami()["name"],
        discussion_type="pull_request",
        discussion_status="open",
    )
    opened = next((each for each in ours if each.title.startswith(f"{sending.tag}:")), None)
    if opened is None:
        done = _send(api, sending, changed, stale, {"parent_commit": info.sha, "create_pr": True})
        return Published(_bare_url(done.pr_url), "", len(changed), len(stale), before)
    head = api.dataset_info(repo, revision=opened.git_reference).sha
    changed, stale, _ = _difference(api, sending, head, True)  # it is our own
    if changed or stale:
        where = {"parent_commit": head, "revision": opened.git_reference}
        _send(api, sending, changed, stale, where)
    return Published(_bare_url(opened.url), "", len(changed), len(stale), before)


def _page_of(api: "HfApi", repo: str) -> str:
    return f"{_bare_url(api.endpoint)}/datasets/{repo}"


def _difference(
    api: "HfApi", sending: Parcel, revision: str | None, replacing: bool
) -> tuple[list[str], list[str], str]:
    """The files to send, those of an earlier build to remove, and which build that is."""
    published = _published_files(api, sending.repo, revision)
    changed = [
        name for name, each in sending.files.items() if published.get(name) not in _sums(each)
    ]
    stale = [name for name in published if name.startswith(OURS) and name not in sending.files]
    foreign = [name for name in published if _data(name)]
    if not foreign or MANIFEST not in changed:
        return changed, stale, ""
    before = _published_manifest(api, sending.repo, revision) if MANIFEST in published else None
    if before is None:
        raise UserError(f"{sending.repo} holds another dataset ({foreign[0]}): name another repo")
    current = f"build {before['name']} ({before['counts']['made']:,} rows)"
    if not replacing and series_of(before["name"]) != series_of(sending.name):
        raise UserError(
            f"{sending.repo} holds {current}, which is not of the series of {sending.name}: name"
            " another repo, or add --replace"
        )
    return changed, stale, current


def series_of(name: str) -> str:
    """What builds have in common that take each other's place: demo-0002-rescored is of demo."""
    return re.sub(r"(-\d{4,})?(-(again|rescored))*$", "", name)


def _published_manifest(api: "HfApi", repo: str, revision: str | None) -> dict[str, Any] | None:
    """The manifest of the build that a repo holds, of any version; None where it holds none."""
    with TemporaryDirectory() as folder:
        path = api.hf_hub_download(
            repo, MANIFEST, repo_type="dataset", revision=revision, local_dir=folder
        )
        try:
            manifest: dict[str, Any] = read_json(Path(path))
        except UserError:
            return None
    return None if _PUBLISHED(manifest, "") else manifest


_PUBLISHED = fields(
    {
        "puzzlemill": text(),
        "schema": whole(),
        "name": text("[^\\x00-\\x1f]{1,200}"),
        "counts": fields({"made": whole()}),
    }
)


def _published_files(api: "HfApi", repo: str, revision: str | None) -> dict[str, str]:
    """The repo's files, each with the checksum that the Hub gives."""
    from huggingface_hub.hf_api import RepoFile

    entries = api.list_repo_tree(repo, repo_type="dataset", recursive=True, revision=revision)
    return {
        each.path: each.lfs.sha256 if each.lfs else each.blob_id
        for each in entries
        if isinstance(each, RepoFile)
    }


def _sums(each: Path | bytes) -> tuple[str, ...]:
    """The checksums by which the Hub may know a file: large ones by their bytes, others as git."""
    if isinstance(each, Path) and each.suffix == ".parquet":
        return (checksum(each),)
    data = each if isinstance(each, bytes) else each.read_bytes()
    blob = b"blob %d\0" % len(data) + data
    return sha256(data).hexdigest(), sha1(blob, usedforsecurity=False).hexdigest()


def _send(
    api: "HfApi", sending: Parcel, changed: list[str], stale: list[str], where: Mapping[str, Any]
) -> Any:
    """Send what differs; the Hub's word on the commit. `where`: behind which, or as what."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    title = f"{sending.tag}: {len(changed)} files"
    if len(changed) + len(stale) <= ATOMIC:
        operations: list[Any] = [
            *(CommitOperationAdd(name, _source(sending.files[name])) for name in changed),
            *(CommitOperationDelete(name) for name in stale),
        ]
        # Should somebody else commit meanwhile, this is refused, and all is looked at again.
        return api.create_commit(
            sending.repo, operations, repo_type="dataset", commit_message=title, **where
        )
    with TemporaryDirectory() as staged:
        for name in changed:
            link, each = Path(staged, name), sending.files[name]
            link.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(each, bytes):
                link.write_bytes(each)
            else:
                link.symlink_to(each.resolve())
        return api.upload_folder(
            repo_id=sending.repo,
            repo_type="dataset",
            folder_path=staged,
            commit_message=title,
            delete_patterns=stale or None,
            **{name: each for name, each in where.items() if name != "parent_commit"},
        )


def _source(each: Path | bytes) -> str | bytes:
    return each if isinstance(each, bytes) else str(each)


def _data(name: str) -> bool:
    return Path(name).suffix in (".parquet", ".arrow", ".json", ".jsonl", ".csv", ".zip", ".tar")


def _refusal(error: Any, repo: str) -> UserError:
    """A refusal of the Hub in one line. Its address stays out: a signed one is a secret."""
    status, message = error.response.status_code, str(error.server_message or "").strip()
    message = message.splitlines()[0].rstrip(".") if message else f"status {status}"
    match status:
        case 401:
            remedy = "the Hub does not know this token: log in anew with `hf auth login`"
        case 403:
            remedy = f"this token may not write to {repo}: use one of an owner of it that may write"
        case 404:
            remedy = f"check the name {repo}, and that this token may read it"
        case 409 | 412:
            remedy = "somebody else keeps committing to it: run the same command again later"
        case 429:
            remedy = "the Hub limits requests: run the same command again later"
        case _:
            remedy = "run the same command again to go on" if status >= 500 else "see the Hub"
    return UserError(f"{repo} was not published: {message}; {remedy}")
