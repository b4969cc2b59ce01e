"""The files that hold a checkpoint's weights, and their fingerprint: without torch."""

import re
from hashlib import blake2b
from pathlib import Path

from puzzlemill.core.errors import UserError
from puzzlemill.core.shapes import fields, named, text
from puzzlemill.core.storage.files import read_json

PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
_ON_THE_HUB = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)  # OWNER/NAME
_INDEX = fields({"weight_map": named(text(r"[\w-][\w.-]*\.safetensors", "a file beside it"))})


def weight_files(path: Path) -> list[Path]:
    index, single = path / "model.safetensors.index.json", path / "model.safetensors"
    if single.is_file():
        return [single]
    if index.is_file():
        contents = read_json(index)
        if fault := _INDEX(contents, ""):
            raise UserError(f"{index}: {fault}")
        names = sorted(set(contents["weight_map"].values()))
        missing = [name for name in names if not (path / name).is_file()]
        if missing:
            raise UserError(f"{path}: {missing[0]} is missing; the download is not complete")
        return [path / name for name in names]
    pickled = sorted(file.name for file in path.glob("*") if file.suffix in PICKLES)
    if pickled:
        raise UserError(
            f"{path}: {pickled[0]} is a pickle, which can run code when it is opened;"
            " convert the checkpoint to safetensors"
        )
    raise no_checkpoint(path, single.name)


def no_checkpoint(path: Path, missing: str) -> UserError:
    """A folder without a checkpoint; where it is none, it may be the name of a model on the Hub."""
    remedy = "name the folder of a downloaded checkpoint"
    if _ON_THE_HUB.fullmatch(str(path)) and not path.exists():
        remedy += f': hf download {path} --local-dir {path.name}, then model = "{path.name}"'
    elif newest := _newest_near(path):
        remedy += f"; the newest of a run here is {newest}"
    return UserError(f"{path}: no {missing}; {remedy}")


def _newest_near(path: Path) -> Path | None:
    """The newest checkpoint of a run, where a path almost names one: a build, or its training."""
    for folder in (path, path / "training", path.parent):
        found = [config.parent for config in folder.glob("checkpoint-*/config.json")]
        if found:
            return max(found, key=lambda each: (len(each.name), each.name))
    return None


def digest(path: Path) -> str:
    """A short hash of the weights: 8 hexadecimal digits."""
    summary = blake2b(digest_size=4)
    for file in weight_files(path):
        with file.open("rb") as stream:
            while block := stream.read(1 << 22):
                summary.update(block)
    return summary.hexdigest()


def version_of(path: Path, name: str = "") -> str:
    """Which weights: the name that a policy of the folder bears in its id."""
    return f"{name or path.resolve().name}-{digest(path)}"
