"""A user's own pictures: a folder of them, or a dataset's files, named with a digest.

A folder is looked through for image files and for Parquet and Arrow files; a file may be one of
the latter. Every process reads all of it once, to tell whether it has changed.
"""

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Any

from PIL import Image, ImageOps

from puzzlemill.core.errors import UserError

IMAGES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff")
TABLES = (".parquet", ".arrow")
LICENCES = ("license", "licence")  # a table's column, or a folder's file
WIDEST = 200  # characters of a licence
LEAST = 64  # pixels of a picture's shorter side

# A path, perhaps with its digest, perhaps with the name of one of its pictures.
_NAMED = re.compile(r"(.*?)(?:@([0-9a-f]{8})(?:#(.*))?)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Collection:
    digest: str
    pictures: Mapping[str, int]  # a picture's name, with its row where it stands in a table
    licence: str  # of a folder that tells one


def sealed(source: str, known: Iterable[str] = ()) -> str:
    """Pictures by their path and a digest of what is there: "photos@1f3a5c7e"."""
    path, digest, _ = _parts(source)
    if not Path(path).exists():
        raise UserError(f"no folder or file of pictures {path!r}; beside: {', '.join(known)}")
    name = f"{path}@{digest or _held(path).digest}"
    _collection(name)
    return name


def chosen(rng: Random, source: str) -> tuple[str, str]:
    """One picture, "photos@1f3a5c7e#cats/001.jpg", and its licence where there is one."""
    found = _collection(source)
    name = rng.choice(list(found.pictures))
    caption = _caption(_parts(source)[0], name, found.pictures[name])
    return f"{source}#{name}", caption or found.licence


def opened(source: str) -> Image.Image:
    """A picture that was chosen, upright and in full colour."""
    path, digest, name = _parts(source)
    found = _collection(f"{path}@{digest}")
    if name not in found.pictures:
        raise UserError(f"{path}: there is no picture {name!r}")
    whole = _opened(path, name, found.pictures[name])
    if min(whole.size) < LEAST:
        raise UserError(f"{source}: smaller than {LEAST} pixels; take it out")
    return whole


def clip(rng: Random, source: str, frames: int) -> tuple[str, str, int]:
    """A folder of so many frames or more, "clips@1f3a5c7e#walk", its licence and its frames."""
    found = _collection(source)
    folders = _clips(found)
    long = [name for name, each in folders.items() if len(each) >= frames]
    if not long:
        raise UserError(
            f"{_parts(source)[0]}: no folder in it holds {frames} frames; a clip is a folder of"
            " pictures, named in their order"
        )
    name = rng.choice(long)
    return f"{source}#{name}", found.licence, len(folders[name])


def frame(clip: str, place: int) -> Image.Image:
    path, digest, name = _parts(clip)
    pictures = _clips(_collection(f"{path}@{digest}")).get(name, ())
    if place >= len(pictures):
        raise UserError(f"{path}: there is no clip {name!r} of more than {place} frames")
    return opened(f"{path}@{digest}#{pictures[place]}")


def _clips(found: _Collection) -> dict[str, list[str]]:
    """The pictures of each folder, "" for the whole, frame 2 before frame 10."""
    folders: dict[str, list[str]] = {}
    for name, row in found.pictures.items():
        if row < 0:
            folders.setdefault(name.rpartition("/")[0], []).append(name)
    for names in folders.values():
        names.sort(key=lambda name: [int(part) if part.isdigit() else part
                                     for part in re.split(r"([0-9]+)", name)])  # fmt: skip
    return folders


def _parts(name: str) -> tuple[str, str, str]:
    found = _NAMED.fullmatch(name)
    assert found
    return found[1], found[2] or "", found[3] or ""


def _collection(name: str) -> _Collection:
    path, digest, _ = _parts(name)
    if not Path(path).exists():
        raise UserError(f"{path}: the pictures are gone")
    found = _held(path)
    if digest != found.digest:
        raise UserError(
            f"{path}: the pictures were @{digest} and are @{found.digest} now; bring the old ones"
            " back, or name the new ones by their path alone"
        )
    return found


def _held(path: str) -> _Collection:
    """What a path holds. Every item asks, so it is read anew only when a folder or file changes."""
    state = Path(path).stat()
    return _read(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=4)
def _read(path: str, _changed: int, _size: int) -> _Collection:
    digest, pictures, licence = blake2b(digest_size=4), dict[str, int](), ""
    for name, file in _files(Path(path)):
        digest.update(f"{name}\0{file.stat().st_size}\0".encode())
        with file.open("rb") as opened:
            while block := opened.read(1 << 20):
                digest.update(block)
        if file.suffix.lower() in IMAGES:
            pictures[name] = -1
        elif file.suffix.lower() in TABLES:
            rows = range(_table(str(file)).num_rows)
            pictures |= {f"{name}:{row}": row for row in rows}
        else:
            licence = _line(file.read_text(encoding="utf-8", errors="replace"))
    if not pictures:
        kinds = ", ".join((*IMAGES, *TABLES))
        raise UserError(f"{path}: holds no pictures; they end in {kinds}")
    return _Collection(digest.hexdigest(), pictures, licence)


def _files(path: Path) -> Iterator[tuple[str, Path]]:
    if path.is_file():
        if path.suffix.lower() not in TABLES:
            raise UserError(f"{path}: pictures are a folder of them, or a file {TABLES}")
        yield path.name, path
        return
    for file in sorted(path.rglob("*")):
        said = file.parent == path and file.stem.lower() in LICENCES
        if file.is_file() and (said or file.suffix.lower() in (*IMAGES, *TABLES)):
            yield file.relative_to(path).as_posix(), file


@lru_cache(maxsize=2)
def _table(path: str) -> Any:
    """A table's column of pictures, and that of licences where it has one."""
    import pyarrow as pa
    import pyarrow.ipc

    from puzzlemill.core.storage.parquet import read_table

    if path.endswith(".parquet"):
        table = read_table(Path(path))
    else:
        try:
            table = pa.ipc.open_stream(pa.memory_map(path)).read_all()
        except pa.ArrowException as error:
            raise UserError(f"{path}: cannot be read: {str(error).splitlines()[0]}") from error
    for field in table.schema:
        kind = field.type
        held = pa.types.is_struct(kind) and kind.get_field_index("bytes") >= 0
        if held or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            licences = [name for name in table.column_names if name.lower() in LICENCES][:1]
            return table.select([field.name, *licences])
    raise UserError(f"{path}: has no column of pictures, neither bytes nor the type Image")


def _opened(path: str, name: str, row: int) -> Image.Image:
    place = f"{path}: {name}"
    file: Any = Path(path) / name
    if row >= 0:
        value = _row(path, name, row)[0]
        held = value["bytes"] if isinstance(value, dict) else value
        if held is None:
            raise UserError(f"{place}: holds no bytes; embed the pictures in the table")
        file = io.BytesIO(held)
    try:
        with Image.open(file) as opened:
            upright = ImageOps.exif_transpose(opened)
            if "A" in upright.getbands() or "transparency" in upright.info:
                upright = upright.convert("RGBA")
                ground = Image.new("RGBA", upright.size, "white")
                upright = Image.alpha_composite(ground, upright)
            return upright.convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise UserError(f"{place}: cannot be read as a picture: {error}") from error


def _caption(path: str, name: str, row: int) -> str:
    values = _row(path, name, row) if row >= 0 else [None]
    return _line(str(values[1])) if len(values) > 1 and values[1] is not None else ""


def _row(path: str, name: str, row: int) -> list[Any]:
    file = Path(path)
    if file.is_dir():
        file /= name.rpartition(":")[0]
    return [column[row].as_py() for column in _table(str(file)).columns]


def _line(text: str) -> str:
    """The first line that says something."""
    return next((line.strip()[:WIDEST] for line in text.splitlines() if line.strip()), "")
