"""Puzzlemill: reasoning problems that are exactly as hard as a model can use.

import puzzlemill as pm

for item in pm.generate("sudoku", level=0.4, seed=7, n=3):
    print(item.prompt, item.answer)
    print(pm.check(item, "… <answer>1 2 3 4</answer>").score)
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from puzzlemill.core.address import Address
from puzzlemill.core.errors import UserError
from puzzlemill.core.family import AnyFamily as Family
from puzzlemill.core.item import Item, Items, generate
from puzzlemill.core.mixture import Levels, Mixture, Weights, mixture
from puzzlemill.core.registry import categories, family
from puzzlemill.core.registry import names as families
from puzzlemill.core.verdict import Verdict, check

if TYPE_CHECKING:
    from datasets import Dataset

    from puzzlemill.core.rows import Fate
    from puzzlemill.difficulty.policies.policy import Policy, Question, Reply
    from puzzlemill.difficulty.posterior import Posterior
    from puzzlemill.pipelines.recipe import Recipe

__version__ = "0.1.0"
__all__ = [
    "Address",
    "Family",
    "Item",
    "Items",
    "Mixture",
    "Policy",
    "Posterior",
    "Question",
    "Reply",
    "UserError",
    "Verdict",
    "build",
    "categories",
    "check",
    "dataset",
    "export",
    "families",
    "family",
    "generate",
    "item",
    "load",
    "mixture",
    "publish",
    "regenerate",
    "register_to_reasoning_gym",
    "rescore",
    "score",
    "train",
    "verify",
]
_LATER = {  # imported when first asked for: these need numpy or pyarrow
    "Policy": "puzzlemill.difficulty.policies.policy",
    "Posterior": "puzzlemill.difficulty.posterior",
    "Question": "puzzlemill.difficulty.policies.policy",
    "Reply": "puzzlemill.difficulty.policies.policy",
}

Folder = str | Path


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'puzzlemill' has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])


def item(
    address: Address | Mapping[str, Any] | str,
    *,
    level: float | None = None,
    build: Folder | None = None,
) -> Item:
    """The item at an address, made again.

    The address is `item.address`, or a row with the columns family, version, knobs, split, seed
    and index, or either as JSON. A uid is a digest, which can only be looked up: in a `build`.
    An address does not tell the level: it is `level`, or a row's column, or the lowest, in
    hundredths, at which the family's ladder has these knobs.
    """
    from puzzlemill.core.lookup import is_uid, item_at

    if build is not None and isinstance(address, str) and is_uid(address):
        from puzzlemill import _arguments
        from puzzlemill.outputs.finished_build import row_of_uid

        return item_at(row_of_uid(_arguments.folder("build", build), address), level)
    return item_at(address, level)


def dataset(
    families: Weights,
    n: int,
    *,
    level: Levels = 0.5,
    seed: int = 0,
    split: str = "train",
    columns: str = "rows",
) -> "Dataset":
    """A Hugging Face dataset of n new items, of several families by weight: see `mixture`.

    `columns` are "rows", all that is known of an item, or an export's, such as "trl" or "verl".
    """
    from puzzlemill.outputs.datasets import of_items

    return of_items(mixture(families, n, level, seed, split), columns)


def load(
    build: Folder, split: str = "train", *, columns: str = "rows", fate: "Fate" = "kept"
) -> "Dataset":
    """A finished build's rows as a Hugging Face dataset, in the order of training.

    `columns` are "rows" or an export's, as for `dataset`; `fate` is "kept", or "frontier",
    "unscored" or "rejected".
    """
    from puzzlemill import _arguments
    from puzzlemill.outputs.datasets import of_build

    return of_build(_arguments.folder("build", build), split, columns, fate)


def score(
    items: Iterable[Item | Mapping[str, Any]],
    policy: "Policy",
    *,
    replies: int | None = None,
    most: int = 16,
    band: tuple[float, float] = (0.05, 0.95),
    group: int = 8,
) -> "list[Posterior | None]":
    """How often a policy solves items: for each a posterior, or None where it does not take it.

    The policy is any object with `id`, `takes(question)` and `sample(questions, n)`. Each item gets
    `replies` replies; without that, as many, `most` at most, as tell whether its pass rate lies in
    the `band`. `Posterior.informs` is the chance that a group of `group` replies is neither all
    right nor all wrong.
    """
    from puzzlemill import _arguments
    from puzzlemill.difficulty.scoring import score_taken

    rows, band = _arguments.rows(items), _arguments.band(band)
    each = None if replies is None else _arguments.count("replies", replies)
    most, group = _arguments.count("most", most), _arguments.count("group", group)
    return score_taken(rows, policy, each, most, band, group)


def build(
    recipe: "str | Path | Recipe", builds: Folder = "builds", *, replace: bool = False
) -> Path:
    """Run a recipe through the whole mill; the folder of the finished build.

    A build of another recipe under the same name is refused, or removed first (`replace`). One that
    keeps nothing is warned of.
    """
    from puzzlemill import _arguments
    from puzzlemill.pipelines.build import build as run

    builds = _arguments.folder("builds", builds)
    return _warned_if_empty(run(recipe, builds, replace=replace))


def rescore(
    build: Folder,
    *,
    checkpoint: Folder | None = None,
    stale: bool = False,
    upcoming: int = 0,
    style: str = "",
    builds: Folder = "builds",
    replace: bool = False,
) -> Path:
    """Score a build's items again into a new build; its folder.

    Under a `checkpoint`, or else under the build's own policy: all items, only those that it has
    not scored (`stale`), or only so many that training comes to next (`upcoming`). `style` names
    another prompt style.
    """
    from puzzlemill import _arguments
    from puzzlemill.pipelines.rescore import checkpoint_policy, items_to_score
    from puzzlemill.pipelines.rescore import rescore as run

    folder, builds = _arguments.folder("build", build), _arguments.folder("builds", builds)
    if checkpoint is not None:
        checkpoint = _arguments.folder("checkpoint", checkpoint)
    changes = {"style": style} if _arguments.text("style", style, "plain") else {}
    policy = checkpoint_policy(folder, checkpoint, changes)
    again = items_to_score(folder, stale, _arguments.count("upcoming", upcoming))
    return _warned_if_empty(run(folder, policy, again, builds, replace=replace))


def regenerate(build: Folder, *, builds: Folder = "builds", replace: bool = False) -> Path:
    """Make new items in the band of pass rates that the build's recipe names; the new folder."""
    from puzzlemill import _arguments
    from puzzlemill.pipelines.regenerate import regenerate as run

    folder, builds = _arguments.folder("build", build), _arguments.folder("builds", builds)
    return _warned_if_empty(run(folder, builds, replace=replace))


def train(build: Folder, *, builds: Folder = "builds") -> Path:
    """Train a build's policy on its kept items, or go on where a run stopped; the last
    checkpoint's folder.

    Of a recipe, a path that ends in .toml, the build is made first.
    """
    from puzzlemill import _arguments
    from puzzlemill._training import train_from
    from puzzlemill.core.errors import need

    folder, builds = _arguments.folder("build", build), _arguments.folder("builds", builds)
    need("training", "torch", "transformers", "safetensors", extra="train")
    return train_from(folder, builds)


def export(
    build: Folder,
    to: str,
    *,
    out: Folder | None = None,
    curriculum: str = "ranked",
    stages: bool = False,
    unscored: bool = False,
    replies: bool = False,
) -> Path:
    """Write a build for a trainer, with the reward it plugs in; the folder.

    `to` is a format such as "trl" or "verl", and `curriculum` an order such as "easy-to-hard".
    `stages` writes a file for each stage of the order, `unscored` adds the items never scored, and
    `replies` what the policy said. What was left out, and why, is in export.json.
    """
    from puzzlemill import _arguments
    from puzzlemill.outputs.trainer_files.writer import export as run

    folder = _arguments.folder("build", build)
    out = None if out is None else _arguments.folder("out", out)
    to = _arguments.text("to", to, "trl")
    curriculum = _arguments.text("curriculum", curriculum, "ranked")
    return run(folder, to, out, curriculum, stages, unscored, replies).folder


def publish(
    build: Folder,
    repo: str,
    *,
    private: bool = False,
    gated: bool = False,
    create_pr: bool = False,
    replace: bool = False,
) -> str:
    """Publish a build on the Hugging Face Hub, as the command does; the page's address.

    A repo that holds another build is refused, unless `replace` is set.
    """
    from puzzlemill import _arguments
    from puzzlemill.outputs.hub_upload import publish as run

    folder, repo = _arguments.folder("build", build), _arguments.text("repo", repo, "you/name")
    return run(folder, repo, private, gated, create_pr, replace).url


def register_to_reasoning_gym(families: Sequence[str] = ()) -> list[str]:
    """Make families datasets of Reasoning Gym, in this process; the datasets' names.

    A dataset is named "puzzlemill_" and its family. `families` are families, categories or
    variants; without it, all families whose prompts hold no pictures.
    """
    from importlib.util import find_spec

    if find_spec("reasoning_gym") is None:
        raise UserError("reasoning_gym is not installed: pip install reasoning-gym")
    from puzzlemill.serving.adapters.reasoning_gym import register

    return register(families)


def verify(build: Folder, *, sample: int | None = 200, seed: int | None = None) -> list[str]:
    """What is wrong with a build, a line each; empty where nothing is.

    Its files are held against the manifest, and a `sample` of its rows, None for all, is made again
    from their addresses: the same rows with the same `seed`.
    """
    from puzzlemill import _arguments
    from puzzlemill.pipelines.integrity import verify as run

    sample = None if sample is None else _arguments.count("sample", sample)
    seed = None if seed is None else _arguments.count("seed", seed)
    return run(_arguments.folder("build", build), sample, seed).faults


def _warned_if_empty(folder: Path) -> Path:
    import warnings

    from puzzlemill.core.errors import NothingKept
    from puzzlemill.outputs.advice import expect_kept

    try:
        expect_kept(folder)
    except NothingKept as error:
        warnings.warn(str(error), stacklevel=3)
    return folder
