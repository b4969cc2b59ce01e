"""Writes the gallery into builds/gallery, for `make site`, which takes it in as `gallery/`.

An index with a search box, and a page for each category: every family with its rule, its facts and
knobs, and a drawn sample at three levels. The pages are static, hold all that they show, and work
from disk. They lead back to the site's pages.
"""

import sys
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from puzzlemill.core import registry
from puzzlemill.core.drawings import drawing_of
from puzzlemill.core.errors import UserError
from puzzlemill.core.family_facts import facts, knobs
from puzzlemill.core.item import Item, generate
from puzzlemill.core.storage.files import read_json
from puzzlemill.outputs.viewer.typeset import typeset

ROOT = Path(__file__).resolve().parents[1]
COSTS = ROOT / "benchmarks" / "pipeline" / "costs.json"  # seconds an item, by family and level
LEVELS = (0.0, 0.5, 1.0)
LONGEST = 1500  # characters of a prompt and of an answer
LARGEST = 40_000  # characters of a drawing, and bytes of a picture: pages are for phones, too


def write(folder: Path, categories: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    style = (ROOT / "outputs" / "look.css").read_text(encoding="utf-8")
    pages = Environment(
        loader=FileSystemLoader(ROOT / "tools" / "gallery"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    costs = read_json(COSTS)
    groups = []
    for category in categories:
        names = registry.names(category)
        groups.append(
            {
                "name": category,
                "about": registry.about(category),
                "families": [{"name": name, "rule": registry.family(name).rule} for name in names],
            }
        )
        families = [family_of(name, costs.get(name, {})) for name in names]
        text = pages.get_template("category.jinja").render(
            style=style, category=groups[-1], families=families, categories=categories
        )
        (folder / f"{category}.html").write_text(text, encoding="utf-8")
    count = sum(len(group["families"]) for group in groups)
    text = pages.get_template("index.jinja").render(style=style, groups=groups, count=count)
    (folder / "index.html").write_text(text, encoding="utf-8")


def family_of(name: str, seconds: dict[str, float]) -> dict[str, Any]:
    family = registry.family(name)
    told = dict(facts(family))
    if "0.5" in seconds:
        told["cost"] = f"{1000 * seconds['0.5']:.2g} ms an item at level 0.5, on one core"
    return {
        "name": name,
        "rule": family.rule,
        "facts": told,
        "knobs": knobs(family),
        "samples": list(samples(name)),
    }


def samples(name: str) -> Iterator[dict[str, Any]]:
    family = registry.family(name)
    for level in LEVELS:
        try:
            item = generate(name, level=level, n=1)[0]
        except UserError:
            continue
        drawing = drawing_of(family, item.puzzle) or ""
        yield {
            "level": level,
            "drawing": drawing if len(drawing) <= LARGEST else "",
            "pieces": list(pieces(item)),
            "answer": clipped(item.answer),
        }


def pieces(item: Item) -> Iterator[dict[str, str]]:
    """The prompt as prose, fixed text and pictures, no longer than there is room for."""
    room = LONGEST
    for piece in typeset(item.messages):
        if piece["kind"] == "picture":
            image = item.images[int(piece["text"])]
            if len(image) <= LARGEST:
                url = "data:image/png;base64," + b64encode(image).decode()
                yield {"kind": "picture", "text": url}
            else:
                yield {"kind": "note", "text": "A picture that is too large for this page."}
        elif room > 0:
            text = piece["text"]
            yield {"kind": piece["kind"], "text": text if len(text) <= room else text[:room] + " …"}
            room -= len(text)


def clipped(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST] + " …"


if __name__ == "__main__":
    write(ROOT / "builds" / "gallery", sys.argv[1:] or registry.categories())
