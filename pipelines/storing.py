"""Bringing a finished build here from the store that it was put into."""

import json
from pathlib import Path

from puzzlemill.core.errors import UserError
from puzzlemill.core.files import alone_in, checksum, write_text
from puzzlemill.core.store import store_at
from puzzlemill.outputs.finished import damaged
from puzzlemill.pipelines.build import BUILDS
from puzzlemill.pipelines.finish import BESIDE


def fetch(url: str, builds: str | Path = BUILDS) -> Path:
    """The finished build at a URL, as a folder here; what is here already is not brought again."""
    above, _, name = url.rstrip("/").rpartition("/")
    if not above.rstrip("/") or not name:
        raise UserError(
            f"{url!r} is no build in a store: it is URL/NAME, as s3://bucket/builds/demo"
        )
    folder = Path(builds) / name
    store, manifest = store_at(above, folder), folder / "manifest.json"
    with alone_in(folder):
        if not store.holds(manifest):
            raise UserError(f"{url}: no finished build (no manifest.json)")
        store.fetch(manifest)
        text = manifest.read_text(encoding="utf-8")
        manifest.unlink()  # where it is, all is: it comes back last
        files = json.loads(text)["files"]
        for path in store.below(folder / "dataset"):
            inner = path.relative_to(folder / "dataset")
            if ".." in inner.parts:
                raise UserError(f"{url}: holds {inner}, which leads out of the build")
            known = files.get(inner.as_posix(), {}).get("sha256")
            if inner.suffix == ".parquet" and not known:
                continue  # of an earlier build there
            if not path.is_file() or checksum(path) != known:
                store.fetch(path)
        for each in ("started.txt", *BESIDE):
            store.fetch(folder / each)
        write_text(manifest, text)
        if faults := damaged(folder):
            raise UserError(f"{faults[0]}: it is so in {url}; build it again there")
    return folder
