"""The card, README.md, and the other files beside the Parquet files: plots and metadata."""

import json
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

from puzzlemill.core.address import SPLITS
from puzzlemill.core.rows import FATES, SCHEMA
from puzzlemill.core.storage.files import whole
from puzzlemill.outputs.advice import advice
from puzzlemill.outputs.charts import rate_text
from puzzlemill.outputs.croissant import croissant
from puzzlemill.outputs.fates import meanings
from puzzlemill.outputs.finished_build import FinishedBuild, open_data, rate_of, read_build
from puzzlemill.outputs.groups import group_by, guess_rate
from puzzlemill.outputs.manifest import FOLDERS
from puzzlemill.outputs.pictures import LISTED, Pictures, pictures_of
from puzzlemill.outputs.plots import FAMILIES, RATES
from puzzlemill.outputs.plots import plots as drawn_plots
from puzzlemill.outputs.templates import fill, toml
from puzzlemill.outputs.truth import trust

COLUMNS = {
    "uid": "the item's name: its family and a digest of its address",
    "family, version, category, tags": "the kind of problem",
    "level": "how hard it was asked to be, from 0 to 1 on its family's ladder",
    "knobs": "the family's settings at that level, as JSON",
    "split, seed, index": "with family, version and knobs the address: it fixes the item",
    "prompt": "messages, each with a role and a content; `<image>` stands where a picture goes",
    "images": "pictures, as PNG",
    "answer": "the gold answer, as text",
    "puzzle": "the problem without prose, as JSON: what `check` goes by",
    "canon": "a digest that is the same for puzzles that are the same",
    "certificate": "`constructed`: sound by the way it was made. `solved`: a solver that does not"
    " look at the construction found the answer. `unique`: it proved that there is no other",
    "solver": "which solver that was",
    "policy": "whose pass rate the next columns tell",
    "trials, successes": "replies, and how many of them were right",
    "mean, low, high": "the estimated pass rate, and its 90% interval",
    "within": "the chance that the pass rate lies in the band in which an item teaches",
    "informs": "the chance that a group of replies, as the trainer takes it, is neither all right"
    " nor all wrong",
    "scored_at, history": "when it was scored, and earlier scores as JSON",
    "dropped": "why it is not kept; null where it is",
    "rank, stage": "its place in the order of training, and the band of that order",
    "parent, variant_group": "the item that it was made from, and the items that belong together",
}

LICENCE = "https://www.apache.org/licenses/LICENSE-2.0"
ALL = "everything"
# The files that may lie beside the rows; they can be made again from them.
BESIDE = ("README.md", "croissant.json", LISTED, RATES, FAMILIES)
SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M")


def write_card(folder: Path, ready: FinishedBuild | None = None) -> None:
    """Write the card and what goes with it. The same build gives the same bytes."""
    for name, data in side_files(ready or read_build(folder)).items():
        with whole(folder / "dataset" / name) as path:
            path.write_bytes(data)


def side_files(build: FinishedBuild, repo: str = "") -> dict[str, bytes]:
    """The files beside the Parquet files, for the local folder or for a repo on the Hub."""
    pictures = pictures_of(build.files)
    texts = {"README.md": card(build, pictures, repo), "croissant.json": metadata(build, pictures)}
    texts |= {LISTED: pictures.table} if pictures.shown else {}
    return {name: text.encode() for name, text in texts.items()} | drawn_plots(build)


def card(build: FinishedBuild, pictures: Pictures, repo: str = "") -> str:
    """The card, for the local folder or for a repo on the Hub."""
    manifest = build.manifest
    categories, splits = sorted(build.tally("category")), build.tally("split")
    reasons = sorted(manifest["rejected"].items(), key=lambda each: (-each[1], each[0]))
    return fill(
        "card.jinja",
        manifest=manifest,
        name=manifest["name"],
        repo=repo or manifest["name"],
        published=bool(repo),
        pictures=pictures,
        columns_of=features(),
        plots=plots(build),
        counts=manifest["counts"],
        size=size_of(len(build.rows)),
        tasks=_tasks(build),
        tags=["puzzlemill", "reasoning", "synthetic", "reinforcement-learning", *categories],
        configs=configs(build),
        nothing=advice(build),
        splits=[split for split in SPLITS if splits[split]],
        reasons=reasons,
        meanings=meanings(build),
        families=families(build),
        columns=COLUMNS.items(),
        difficulty=difficulty(build),
        truth=trust(manifest.get("truth") or {}),
        versions=_versions(build),
        recipe=toml(manifest["recipe"]),
    )


def size_of(rows: int) -> str:
    """The Hub's word for so many rows."""
    return SIZES[min(max(len(str(rows)) - 3, 0), len(SIZES) - 1)]


def configs(build: FinishedBuild) -> list[dict[str, Any]]:
    """The dataset's parts that have rows, each with its files by split."""
    files: dict[str, dict[str, str]] = {}
    sizes: Counter[tuple[str, str]] = Counter()  # bytes: of a fate's files, of a split's columns
    for file in build.files:
        fate, split = file.fate, file.split
        files.setdefault(fate, {})[split] = f"{FOLDERS[fate]}/{split}-*.parquet"
        with open_data(file) as held:
            metadata = held.metadata
        groups = (metadata.row_group(group) for group in range(metadata.num_row_groups))
        sizes[fate, split] += sum(group.total_byte_size for group in groups)
        sizes[fate, ""] += file.path.stat().st_size
    parts = [
        {
            "name": "default" if fate == "kept" else fate,
            "fate": fate,
            "files": list(files[fate].items()),
            "rows": build.tally("split", fate=fate),
            "bytes": {split: sizes[fate, split] for split in files[fate]},
            "download": sizes[fate, ""],
            "meaning": meanings(build)[fate],
        }
        for fate in FATES
        if fate in files
    ]
    if len(parts) == 1 and "kept" not in files:
        # Loaders take the only config for the default: where nothing was kept, none may be.
        parts.append(parts[0] | {"name": ALL, "fate": ALL, "meaning": "every row"})
    return parts


def metadata(build: FinishedBuild, pictures: Pictures) -> str:
    """croissant.json: the columns of plain values, as they lie in the files."""
    manifest = build.manifest
    return croissant(
        manifest["name"],
        f"{manifest['counts']['made']:,} reasoning problems made by Puzzlemill, with certified"
        " answers and the puzzles by which `puzzlemill.check` judges a reply.",
        f"{LICENCE}, but for the pictures listed in {LISTED}" if pictures.shown else LICENCE,
        manifest["puzzlemill"],
        manifest["started"],
        {config["name"]: dict(config["files"]) for config in configs(build)},
        [(each["name"], each["dtype"]) for each in features() if "dtype" in each],
    )


def features() -> list[dict[str, Any]]:
    """The columns and their types in the words of a card's front matter."""
    kinds = json.loads(SCHEMA.metadata[b"huggingface"])["info"]["features"]
    return [{"name": name} | _feature(kind) for name, kind in kinds.items()]


def _feature(kind: dict[str, Any]) -> dict[str, Any]:
    match kind.get("_type"):
        case "Value":
            return {"dtype": kind["dtype"]}
        case "Image":
            return {"dtype": "image"}
        case "List":
            inner = _feature(kind["feature"])
            return {"list": inner.get("dtype") or inner["struct"]}
    return {"struct": [{"name": name} | _feature(each) for name, each in kind.items()]}


def plots(build: FinishedBuild) -> list[tuple[str, str]]:
    """(what it shows, file)."""
    rates = [("Items by estimated pass rate", RATES)] if build.scored else []
    return [*rates, ("What became of each family's items", FAMILIES)]


def _tasks(build: FinishedBuild) -> list[str]:
    """The Hub's names for these tasks."""
    pictured = any(build.tally("pictures"))
    return ["question-answering", *(["visual-question-answering"] if pictured else [])]


def families(build: FinishedBuild) -> list[dict[str, Any]]:
    """What became of each family's items, and how often they are solved."""
    entries, fates = [], build.tally("family", "fate")
    scored = group_by(build.scored, "family")
    for (family, category), made in sorted(build.tally("family", "category").items()):
        entries.append(
            {
                "family": family,
                "category": category,
                "made": made,
                "guess": guess_rate(family),
                "rate": rate_text(rate_of(scored[family])) if family in scored else "not scored",
                **{str(fate): fates[family, fate] for fate in FATES},
            }
        )
    return entries


def difficulty(build: FinishedBuild) -> dict[str, Any] | None:
    """How the pass rates were measured, and what they are together."""
    if not build.scored:
        return None
    means = [row["mean"] for row in build.of("kept")]
    trials = [row["trials"] for row in build.scored]
    return {
        "least": min(trials),
        "most": max(trials),
        "scored": len(build.scored),
        "rate": rate_text(rate_of(build.scored)),
        "width": median(row["high"] - row["low"] for row in build.scored),
        "kept": len(means),
        "middle": sum(0.25 <= mean <= 0.75 for mean in means) / max(len(means), 1),
    }


def _versions(build: FinishedBuild) -> list[tuple[str, int]]:
    return sorted(build.tally("family", "version"))
