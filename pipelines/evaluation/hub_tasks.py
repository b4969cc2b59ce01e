"""A dataset for the Hugging Face Hub that is a benchmark: rows, card and eval.yaml.

    puzzlemill harness hub --out benchmark
    hf upload OWNER/NAME benchmark . --repo-type dataset
    inspect eval hf/OWNER/NAME/logic --model openai/my-model

The scorers that the Hub allows compare texts. So only families stand in it that have one right
answer, proved, and one way to write it; a task is a category.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa

from puzzlemill.core import registry
from puzzlemill.core.answers import Choice, Integer, Node, Word, YesNo
from puzzlemill.core.errors import UserError
from puzzlemill.core.item import Item, generate
from puzzlemill.core.storage.files import whole_folder
from puzzlemill.core.storage.parquet import write_table
from puzzlemill.outputs.card import size_of

LEVELS = (0.2, 0.5, 0.8)
EACH = 2  # items of a family at a level
ONE_WAY = (Choice, Integer, Node, Word, YesNo)  # kinds whose answers are written in one way
HEAD = "# Written by `puzzlemill harness hub`.\n"
# The last <answer>…</answer> of a reply, without the spaces in it.
TASKS = """\
name: {name}
description: Reasoning problems with one right answer, made and certified by programs.
evaluation_framework: inspect-ai
tasks:
"""
TASK = """\
  - id: {category}
    config: {category}
    split: test
    field_spec: {{input: prompt, target: answer, id: uid, metadata: [family, level]}}
    solvers: [{{name: generate}}]
    scorers: [{{name: pattern, args: {{pattern: '(?s).*<answer>\\s*(.*?)\\s*</answer>'}}}}]
"""
CARD = """\
---
license: apache-2.0
language: [en]
task_categories: [text-generation]
size_categories: [{size}]
configs:
{configs}---

# {name}

{rows} problems of {families} families, each with one right answer: a program proved that there is
no other. They come from the public seed {seed} of Puzzlemill's test split, at the levels {levels}.
eval.yaml says how inspect_ai asks and scores them:

    inspect eval hf/OWNER/NAME/{first} --model openai/my-model

An answer is compared as text, without regard to case. Families with several right answers need
their own verifiers, which `puzzlemill eval` and its tasks for inspect_ai have.

Please do not train on these rows.
"""
CONFIG = """\
- config_name: {category}
  data_files: [{{split: test, path: data/{category}.parquet}}]
"""


def fits(name: str) -> bool:
    """Whether comparing texts judges this family's answers."""
    family = registry.family(name)
    return (
        family.proof == "unique"
        and type(family.answer) in ONE_WAY
        and family.notation is None
        and not generate(name, n=1, level=0.0)[0].images
    )


def write_dataset(folder: Path, families: Sequence[str], seed: int = 0) -> int:
    """Write the dataset's folder; how many families are in it."""
    if folder.exists() and not _is_ours(folder):
        raise UserError(f"{folder}: there is something else; name a new folder")
    chosen = [name for name in families if fits(name)]
    if not chosen:
        raise UserError("none of these families has one answer that is written in one way")
    by_category: dict[str, list[Item]] = {}
    for name in chosen:
        by_category.setdefault(registry.family(name).category, []).extend(_items(name, seed))
    with whole_folder(folder) as beside:
        (beside / "data").mkdir()
        for category, items in by_category.items():
            write_table(beside / "data" / f"{category}.parquet", _table(items))
        tasks = "".join(TASK.format(category=category) for category in by_category)
        text = HEAD + TASKS.format(name=folder.resolve().name) + tasks
        (beside / "eval.yaml").write_text(text, encoding="utf-8")
        rows = sum(map(len, by_category.values()))
        card = CARD.format(
            name=folder.resolve().name,
            configs="".join(CONFIG.format(category=category) for category in by_category),
            rows=rows,
            size=size_of(rows),
            families=len(chosen),
            seed=seed,
            levels=", ".join(map(str, LEVELS)),
            first=next(iter(by_category)),
        )
        (beside / "README.md").write_text(card, encoding="utf-8")
    return len(chosen)


def _items(name: str, seed: int) -> Iterable[Item]:
    for level in LEVELS:
        yield from generate(name, level, seed, EACH, "test")


def _table(items: Sequence[Item]) -> pa.Table:
    """A puzzle that two levels share stands in it once."""
    kept = {item.uid: item for item in items}
    columns = ("uid", "family", "level", "prompt", "answer")
    rows = [{name: getattr(item, name) for name in columns} for item in kept.values()]
    return pa.Table.from_pylist(rows)


def _is_ours(folder: Path) -> bool:
    """Whether a folder is empty, or was written here."""
    tasks = folder / "eval.yaml"
    if tasks.is_file():
        return tasks.read_text(encoding="utf-8", errors="replace").startswith(HEAD)
    return folder.is_dir() and not any(folder.iterdir())
