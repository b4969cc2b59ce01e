"""Behaviours: what kept replies do besides answering, while scored and in training."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from puzzlemill.core.storage.parquet import read_table
from puzzlemill.difficulty.behaviour import Habit, habits
from puzzlemill.outputs.finished_build import FinishedBuild
from puzzlemill.outputs.reply_files import reply_batches, reply_shards
from puzzlemill.outputs.sections import Section, TrainingRun

BATCH = 200  # items whose replies are read at once
STEPS = 10  # files of training at either end: its first steps and its last


def of_build(build: FinishedBuild) -> dict[str, Any] | None:
    parts = [("while scored", habits(_scored(build)))]
    return _figures(parts + _trained(build.folder / "training"))


def of_run(run: TrainingRun) -> dict[str, Any] | None:
    return _figures(_trained(run.folder / "training"))


def _scored(build: FinishedBuild) -> Iterator[tuple[str, bool]]:
    shards = reply_shards(build.folder, build.manifest)
    for path in (path for paths in shards.rounds for path in paths) if shards else ():
        for row in (row for batch in reply_batches(path, BATCH) for row in batch):
            yield from (
                (each["text"], each["status"] == "correct") for each in row["replies"] or ()
            )


def _trained(folder: Path) -> list[tuple[str, list[Habit]]]:
    """Of the first steps of training and of the last."""
    files = sorted((folder / "replies").glob("step-*.parquet"))
    some = min(STEPS, len(files) // 2)
    ends = (("first steps", files[:some]), ("last steps", files[len(files) - some :]))
    return [(name, habits(_steps(paths))) for name, paths in ends]


def _steps(paths: list[Path]) -> Iterator[tuple[str, bool]]:
    for path in paths:
        for row in read_table(path, ["reply", "score"]).to_pylist():
            yield row["reply"], row["score"] == 1


def _figures(parts: list[tuple[str, list[Habit]]]) -> dict[str, Any] | None:
    """None where no reply was kept."""
    shown = [(name, some) for name, some in parts if any(h.right_without is not None for h in some)]
    return {"parts": shown} if shown else None


TEMPLATE = """\
  <p class="lede">Words in replies that tell what a policy does besides answering: verification, \
backtracking, subgoals and backward chaining (Four Habits), other ways and cases. The first number \
is the share of replies that do it.</p>
  {% for name, habits in parts %}
  <div class="wide" tabindex="0"><table>
  <tr><th>{{ name }}</th><th>replies</th><th>right with it</th><th>right without</th></tr>
  {% for each in habits %}
  <tr><td>{{ each.name }}</td><td>{{ each.share | percent }}</td>
  <td>{{ each.right_with | percent if each.right_with is not none else "–" }}</td>
  <td>{{ each.right_without | percent if each.right_without is not none else "–" }}</td></tr>
  {% endfor %}
  </table></div>
  {% endfor %}
"""

SECTION = Section(
    76, "What replies do besides", TEMPLATE, "Behaviours", of_build=of_build, of_run=of_run
)
