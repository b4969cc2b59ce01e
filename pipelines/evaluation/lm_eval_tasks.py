"""lm-eval-harness: a YAML file for each text family, and what the files call.

puzzlemill harness lm-eval --out tasks
lm_eval --include_path tasks --tasks puzzlemill_sudoku --metadata '{"level": 0.3}' ...
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.errors import UserError
from puzzlemill.core.item import generate
from puzzlemill.core.rows import row_of
from puzzlemill.core.storage.files import whole_folder
from puzzlemill.core.verdict import check

UTILS = '''"""What the YAML files beside this call."""

from puzzlemill.pipelines.evaluation.lm_eval_tasks import dataset_of, process_results


def __getattr__(name):
    """`!function utils.sudoku` is the dataset of that family."""
    return dataset_of(name)
'''
TASK = """\
task: puzzlemill_{name}
tag: [puzzlemill, puzzlemill_{category}]
dataset_path: ""
custom_dataset: !function utils.{name}
test_split: test
output_type: generate_until
doc_to_text: "{{{{prompt}}}}"
doc_to_target: "{{{{answer}}}}"
process_results: !function utils.process_results
metric_list:
  - {{metric: correct, aggregation: mean, higher_is_better: true}}
  - {{metric: score, aggregation: mean, higher_is_better: true}}
  - {{metric: answered, aggregation: mean, higher_is_better: true}}
generation_kwargs: {{do_sample: false, max_gen_toks: 4096, until: []}}
repeats: 1
metadata: {{version: {version}, level: 0.5, n: 100, seed: 0}}
"""


def write_tasks(folder: Path, families: Sequence[str]) -> int:
    """Write a folder for --include_path; how many tasks it has. Families with pictures are left
    out: what lm-eval sends is text."""
    if folder.exists() and not _is_ours(folder):
        raise UserError(f"{folder}: there is something else; name a new folder")
    count = 0
    with whole_folder(folder) as beside:
        (beside / "utils.py").write_text(UTILS, encoding="utf-8")
        for name in families:
            family = registry.family(name)
            if not generate(name, n=1, level=0.0)[0].images:
                text = TASK.format(name=name, category=family.category, version=family.version)
                (beside / f"{name}.yaml").write_text(text, encoding="utf-8")
                count += 1
    return count


def _is_ours(folder: Path) -> bool:
    """Whether a folder is empty, or was written here."""
    utils = folder / "utils.py"
    if utils.is_file():
        return utils.read_text(encoding="utf-8", errors="replace") == UTILS
    return folder.is_dir() and not any(folder.iterdir())


def dataset_of(name: str) -> Callable[..., Any]:
    if name not in registry.names():
        raise AttributeError(name)
    return partial(dataset, name)


def dataset(name: str, level: float = 0.5, n: int = 100, seed: int = 0, **_: Any) -> dict[str, Any]:
    """The items as lm-eval asks for them; further arguments are those of the model."""
    from datasets import Dataset

    rows = []
    for item in generate(name, float(level), int(seed), int(n), "test"):
        row = row_of(item)
        kept = {each: row[each] for each in ("uid", "family", "version", "puzzle", "answer")}
        rows.append({"prompt": item.prompt, **kept})
    return {"test": Dataset.from_list(rows)}


def process_results(row: Mapping[str, Any], replies: Sequence[str]) -> dict[str, float]:
    verdict = check(row, replies[0])
    return {
        "correct": float(verdict.correct),
        "score": verdict.score,
        "answered": float(verdict.status not in ("unparsed", "error")),
    }
