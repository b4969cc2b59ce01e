"""A folder that holds a build of another recipe: the new one is refused, or takes its place."""

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from puzzlemill.core.errors import UserError
from puzzlemill.core.storage.files import LOCK, alone_in
from puzzlemill.core.storage.store import store_at
from puzzlemill.pipelines.final_files import content_settings
from puzzlemill.pipelines.recipe import Recipe, recipe_of
from puzzlemill.trainer.settings import Train

KEEP = "keep"  # a file of this name in a build's folder keeps it for good
TOLD = 3  # differences that are told
WIDE = 40  # characters of a value

# What a build's folder holds beside its stages, which any recipe may take shards from: their names
# are made from what is in them. The manifest goes first, so that no half of a build looks finished,
# and the recipe last, so that what is left is known as another's.
_HELD = (
    *("manifest.json", "report.html", "timings.json", "published.json", "dataset", "exports"),
    *("training.json", "regeneration.json", "training", "policy.json", "started.txt"),
    *("log.jsonl", "metrics.prom", "recipe.json"),
)
# Before anything is made.
_BEGUN = {"policy.json", "started.txt", "log.jsonl", "metrics.prom", "recipe.json"}


def make_room(folder: Path, recipe: Recipe, replace: bool) -> bool:
    """Whether a build of another recipe had to be cleared away; refused unless it is to be."""
    if not replace:
        refuse(folder, recipe)
    gone = paths_replaced(folder, recipe)
    for path in gone:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    return bool(gone)


def refuse(folder: Path, recipe: Recipe) -> None:
    """Refuse a recipe whose name is taken by another's build, of which something is made."""
    found = differences(folder, recipe)
    if found and (recipe.store or not _only_begun(folder)):
        more = f"; and {len(found) - TOLD} more" if len(found) > TOLD else ""
        with_it = " and ".join(["dataset", *attached(folder)])
        raise UserError(
            f"{folder}: holds a build of another recipe ({'; '.join(found[:TOLD])}{more}); give"
            f" this one another name, or build it with --replace, which removes the {with_it} there"
        )


def _only_begun(folder: Path) -> bool:
    """Whether a build failed there before it made anything, as under a model that is not there."""
    held = {name for name in _HELD if (folder / name).exists()}
    made = any(path.is_file() for path in (folder / "stages").rglob("*"))
    return "started.txt" in held and held <= _BEGUN and not made


def clear_begun(folder: Path) -> None:
    """Remove a folder in which a build was begun and nothing made."""
    if not folder.is_dir() or not _only_begun(folder):
        return
    try:
        with alone_in(folder, "a build"):
            if {path.name for path in folder.iterdir()} <= {*_BEGUN, LOCK, "stages"}:
                shutil.rmtree(folder)
    except UserError:  # another build has begun here meanwhile
        return


def paths_replaced(folder: Path, recipe: Recipe) -> list[Path]:
    """What goes when a build of another recipe is replaced by this one's."""
    if not differences(folder, recipe):
        return []
    if (folder / KEEP).exists():
        raise UserError(f"{folder}: holds a file `{KEEP}`: remove it to replace the build")
    for name, text in _paths(recipe).items():
        if Path(text).resolve().is_relative_to(folder.resolve()):
            raise UserError(
                f"{folder}: cannot be replaced, since {name} lies in it; give the recipe another"
                " name"
            )
    return [folder / name for name in _HELD if (folder / name).exists()]


def attached(folder: Path) -> list[str]:
    """What was made from a build and lies with it."""
    exports = sorted(path.name for path in (folder / "exports").glob("*"))
    training = "a training run" if (folder / "training").is_dir() else ""
    return [*(["exports " + ", ".join(exports)] if exports else []), *filter(None, [training])]


def differences(folder: Path, recipe: Recipe) -> list[str]:
    """The settings in which this recipe means another dataset than that of the folder's build."""
    known = folder / "recipe.json"
    if not known.is_file() and recipe.store:
        store_at(recipe.store, folder).fetch(known)  # another machine may have built it
    if not known.is_file():
        return []
    try:
        there = recipe_of(folder)
    except UserError as error:  # damaged, or of another version
        return [str(error)]
    return list(_differences("", _meaning(recipe), _meaning(there)))


def _meaning(recipe: Recipe) -> Any:
    """What a recipe says of its dataset, as plain data: not how it is worked off, where its policy
    is reached, what is learned from it or made after it."""
    told = content_settings(recipe)
    learns = isinstance(recipe.train, Train)  # and does not play games
    told["train"] = {"group": recipe.items.group} if learns else {"play": True}  # a score has it
    told["policy"] = {
        name: value for name, value in told["policy"].items() if name not in _REACHING
    }
    del told["regenerate"], told["verifier_probes"]
    for name, text in _paths(recipe).items():
        section, _, key = name.rpartition(".")
        if Path(text).exists():
            (told[section] if section else told)[key] = str(Path(text).resolve())
    return json.loads(json.dumps(told))


_REACHING = ("url", "key_variable", "concurrency", "gpus")


def _paths(recipe: Recipe) -> dict[str, str]:
    """The settings that name, or may name, a folder."""
    found = {
        "parent": recipe.parent,
        "score.earlier": recipe.score.earlier,
        "policy.model": recipe.policy.model,
    }
    return {name: text for name, text in found.items() if text}


def _differences(name: str, here: Any, there: Any) -> Iterator[str]:
    """Each setting that differs, by its dotted name, with both values."""
    if isinstance(here, Mapping) and isinstance(there, Mapping):
        for key in sorted({*here, *there}):
            yield from _differences(f"{name}.{key}".lstrip("."), here.get(key), there.get(key))
    elif _tables(here) and _tables(there) and len(here) == len(there):
        for place, (one, other) in enumerate(zip(here, there, strict=True), 1):
            numbered = f"{name}[{place}]" if len(here) > 1 else name
            yield from _differences(numbered, one, other)
    elif here != there:
        yield f"{name} = {_short(here)}, there {_short(there)}"


def _tables(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, Mapping) for each in value)


def _short(value: Any) -> str:
    if _tables(value) and value:
        return f"{len(value)} tables"
    text = json.dumps(value)
    return text if len(text) <= WIDE else f"{text[: WIDE - 1]}…"
