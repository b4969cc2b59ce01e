"""A second place for finished files: S3, another object store, or any other URL that fsspec knows.

Work is done on the local disk; what is whole there is put to the store whole, its seal last, and is
found there again by another machine. So the store never holds half of anything that has a seal.
"""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from puzzlemill.core.errors import UserError, need, shown, unknown
from puzzlemill.core.storage.files import whole

# A file appears there when all of it has arrived. Elsewhere it is put beside, and renamed.
_S3, _LOCAL = {"s3", "s3a"}, {"file", "local"}
AT_ONCE = {*_S3, "gs", "gcs", "az", "abfs", "abfss", "oss", "memory"}


@dataclass(frozen=True, slots=True)
class Store:
    """Where the files of a local folder lie besides, under the same names."""

    folder: Path
    url: str  # without what stands before ://
    system: Any  # fsspec's file system
    failures: tuple[type[BaseException], ...]

    def put(self, *paths: Path) -> None:
        """Put files there, one after the other."""
        for path in paths:
            there = self._there(path)
            try:
                if AT_ONCE & set(_names(self.system)):
                    self.system.put_file(str(path), there)
                else:
                    head, _, name = there.rpartition("/")
                    beside = f"{head}/.{name}.part"
                    self.system.makedirs(head, exist_ok=True)  # elsewhere it would make buckets
                    self.system.put_file(str(path), beside)
                    self.system.mv(beside, there)
            except self.failures as error:
                raise self._error(there, error) from error

    def holds(self, path: Path) -> bool:
        there = self._there(path)
        try:
            return bool(self.system.exists(there))
        except self.failures as error:
            raise self._error(there, error) from error

    def below(self, folder: Path) -> list[Path]:
        """Where the files of a folder there would lie here."""
        there = self._there(folder)
        try:
            names = self.system.find(there)
        except self.failures as error:
            raise self._error(there, error) from error
        return [folder / name.rpartition(f"{there}/")[2] for name in sorted(names)]

    def fetch(self, *paths: Path) -> bool:
        """Bring files here, whole or not at all; whether all were there."""
        for path in paths:
            there = self._there(path)
            try:
                with whole(path) as beside:
                    self.system.get_file(there, str(beside))
            except FileNotFoundError:
                return False
            except self.failures as error:
                raise self._error(there, error) from error
        return True

    def _there(self, path: Path) -> str:
        return f"{self.url}/{path.relative_to(self.folder).as_posix()}"

    def _error(self, there: str, error: BaseException) -> UserError:
        message = " ".join(str(error).split())[:200] or type(error).__name__
        return UserError(f"store: {there}: {message}; what is here stays: run it again to go on")


def check_store(url: str, place: str) -> None:
    """Refuse what is no URL, or of a kind that fsspec does not know, where it is installed."""
    scheme, _, rest = url.partition("://")
    if not url.startswith("/") and (not rest or (scheme in _LOCAL and not rest.startswith("/"))):
        raise UserError(
            f"{place}: store is a URL, such as s3://bucket/builds, or the whole path of a folder,"
            f" not {shown(url)}"
        )
    if rest and find_spec("fsspec") is not None:
        from fsspec import available_protocols

        if scheme not in (schemes := available_protocols()):
            raise unknown("kind of store", scheme, schemes, place)


def store_at(url: str, folder: Path) -> Store:
    """The store for a local folder's files, under its name in the URL's folder."""
    need(f"store {url!r}", "fsspec", extra="store")
    import fsspec

    failures: tuple[type[BaseException], ...] = (OSError,)
    try:
        system, root = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        s3 = isinstance(error, ImportError) and url.partition("://")[0] in _S3
        remedy = ": pip install 'puzzlemill[store]'" if s3 else ""
        raise UserError(f"store {url!r} cannot be opened: {error}{remedy}") from None
    if _S3 & set(_names(system)):
        from botocore.exceptions import BotoCoreError, ClientError

        failures = (OSError, BotoCoreError, ClientError)
    return Store(folder, f"{root.rstrip('/')}/{folder.name}", system, failures)


def _names(system: Any) -> tuple[str, ...]:
    return (system.protocol,) if isinstance(system.protocol, str) else tuple(system.protocol)
