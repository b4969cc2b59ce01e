"""A user's own graph: a file with an edge a line, or a Parquet file, named with its digest."""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from puzzlemill.core.errors import UserError

Edge = tuple[str, str]


def sealed(source: str, known: Iterable[str] = ()) -> str:
    """A file of edges by its path and a digest of what it holds: "web.tsv@1f3a5c7e".

    A graph that has changed is another one, and an address must not mean both.
    """
    path, _, digest = source.partition("@")
    if not Path(path).is_file():
        raise UserError(f"no file of edges {path!r}; beside files there are: {', '.join(known)}")
    name = f"{path}@{digest or _held(path)[0]}"
    edges(name)
    return name


def edges(name: str) -> tuple[Edge, ...]:
    """Two nodes from each row: its first two columns, or what stands first in a line of text."""
    path, _, digest = name.partition("@")
    if not Path(path).is_file():
        raise UserError(f"{path}: the file of edges is gone")
    now, found = _held(path)
    if digest != now:
        raise UserError(
            f"{path}: the graph was @{digest} and is @{now} now; bring the old file back,"
            " or name the new one by its path alone"
        )
    return found


def _held(path: str) -> tuple[str, tuple[Edge, ...]]:
    """A file's digest and its edges. Every item asks, so it is read anew only when it changes."""
    state = Path(path).stat()
    return _read(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=8)
def _read(path: str, _changed: int, _size: int) -> tuple[str, tuple[Edge, ...]]:
    digest = blake2b(Path(path).read_bytes(), digest_size=4).hexdigest()
    found = _of_table(Path(path)) if path.endswith(".parquet") else _of_text(Path(path))
    if not found:
        raise UserError(f"{path}: holds no edges")
    return digest, tuple(found)


def _of_table(path: Path) -> list[Edge]:
    from puzzlemill.core.storage.parquet import read_table

    table = read_table(path)
    if table.num_columns < 2:
        raise UserError(f"{path}: a table of edges has two columns, from and to; this has fewer")
    try:
        left, right = (table.column(place).to_pylist() for place in (0, 1))
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: cannot be read: {error}") from None
    return [(str(a), str(b)) for a, b in zip(left, right, strict=True)]


def _of_text(path: Path) -> list[Edge]:
    """Parted by tabs, commas or spaces; a line that begins with # or % is a remark."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith(("#", "%")):
            continue
        ends = [end.strip() for end in line.split("," if "," in line else None)]
        if len(ends) < 2 or not all(ends[:2]):
            raise UserError(f"{path}, line {number}: an edge is two nodes, not {line.strip()!r}")
        found.append((ends[0], ends[1]))
    return found
