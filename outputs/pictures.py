"""Whose pictures a build's items show: Puzzlemill's own, or a user's under their licences."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from puzzlemill.core.storage.files import parsed
from puzzlemill.core.storage.parquet import reading
from puzzlemill.outputs.finished_build import checked, open_data
from puzzlemill.outputs.manifest import DataFile

LISTED = "pictures.tsv"
BATCH = 500  # rows that are read at once


@dataclass(frozen=True, slots=True)
class Pictures:
    drawn: int  # items whose pictures Puzzlemill drew
    shown: dict[tuple[str, str, str], int]  # items by a user's collection, picture and licence

    @property
    def collections(self) -> list[tuple[str, str, int, int]]:
        """Of each collection and licence: how many pictures, in how many items."""
        pictures = Counter((collection, licence) for collection, _, licence in self.shown)
        items: Counter[tuple[str, str]] = Counter()
        for (collection, _, licence), count in self.shown.items():
            items[collection, licence] += count
        return [(*each, pictures[each], items[each]) for each in sorted(pictures)]

    @property
    def table(self) -> str:
        """All of a user's pictures: whose they are has to be told wherever they go."""
        lines = ["\t".join(("collection", "picture", "licence", "items"))]
        lines += ["\t".join((*map(_cell, key), str(self.shown[key]))) for key in sorted(self.shown)]
        return "\n".join(lines) + "\n"


def pictures_of(files: Sequence[DataFile]) -> Pictures:
    drawn, shown = 0, Counter[tuple[str, str, str]]()
    for file in files:
        with reading(file.path), open_data(file) as held:
            columns = ["images.list.element.path", "puzzle"]  # the bytes stay where they are
            if not _any(held.read(columns=columns[:1])):
                continue  # to read and check all puzzles takes a while
            for batch in held.iter_batches(BATCH, columns=columns):
                for row in checked(file, pa.Table.from_batches([batch])).to_pylist():
                    if not row["images"]:
                        continue
                    puzzle = parsed(row["puzzle"])
                    source = str(puzzle.get("source", ""))
                    if "licence" in puzzle and "@" in source:
                        collection, _, picture = source.partition("#")
                        name = Path(collection.rpartition("@")[0]).name
                        shown[name, picture, str(puzzle["licence"] or "not told")] += 1
                    else:
                        drawn += 1
    return Pictures(drawn, dict(shown))


def _any(images: pa.Table) -> bool:
    return bool(pc.any(pc.greater(pc.list_value_length(images["images"]), 0)).as_py())


def _cell(text: str) -> str:
    return " ".join(text.split())
