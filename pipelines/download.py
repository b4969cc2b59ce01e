"""Bringing a finished build here from the store that it was put into."""

from pathlib import Path

from puzzlemill.core.errors import UserError
from puzzlemill.core.storage.files import alone_in, checksum, write_text
from puzzlemill.core.storage.store import store_at
from puzzlemill.outputs.card import BESIDE as beside_rows
from puzzlemill.outputs.manifest import damages, read_manifest, strays
from puzzlemill.pipelines.build import BUILDS
from puzzlemill.pipelines.final_files import BESIDE


def fetch(url: str, builds: str | Path = BUILDS) -> Path:
    """The finished build at a URL, as a folder here; what is here already is not brought again."""
    above, _, name = url.rstrip("/").rpartition("/")
    if not above.rstrip("/") or not name:
        raise UserError(
            f"{url!r} is no build in a store: it is URL/NAME, as s3://bucket/builds/demo"
        )
    folder = Path(builds) / name
    store, manifest = store_at(above, folder), folder / "manifest.json"
    with alone_in(folder, "a download"):
        if not store.holds(manifest):
            raise UserError(f"{url}: no finished build (no manifest.json)")
        store.fetch(manifest)
        try:
            known = read_manifest(folder)
            text = manifest.read_text(encoding="utf-8")
        finally:
            manifest.unlink(missing_ok=True)  # where it is, all is: it comes back last
        sums = {name: each["sha256"] for name, each in known["files"].items()}
        for path in store.below(folder / "dataset"):
            inner = path.relative_to(folder / "dataset")
            if ".." in inner.parts:
                raise UserError(f"{url}: holds {inner}, which leads out of the build")
            name = inner.as_posix()
            if name not in sums and name not in beside_rows:
                continue  # of an earlier build there, or none of ours
            if not path.is_file() or checksum(path) != sums.get(name):
                store.fetch(path)
        for each in ("started.txt", *BESIDE):
            store.fetch(folder / each)
        for path in strays(folder, known):
            if path.suffix == ".parquet":
                path.unlink()  # of an earlier build here
        for fault in damages(folder, known):
            raise UserError(f"{fault}: it is so in {url}; build it again there")
        write_text(manifest, text)
    return folder
