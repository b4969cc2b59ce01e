"""The log of a run: a line of JSON for each step, and one for each evaluation on held-out items."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from puzzlemill.core.storage.files import write_text
from puzzlemill.trainer import distributed
from puzzlemill.trainer.evaluation import Cell, PassCount


def log_path(path: Path, first_step: int) -> Path:
    """Where this rank writes the log: rank 0 alone keeps one. Lines from `first_step` on are
    dropped, since the run does those steps again."""
    if distributed.rank() > 0:
        return Path(os.devnull)
    _keep_lines(path, "step", first_step)
    return path


def log_evaluation(path: Path, steps_done: int, cells: Mapping[Cell, PassCount]) -> None:
    """Add the results on held-out items after so many steps."""
    rows = [[*cell, count.successes, count.trials] for cell, count in sorted(cells.items())]
    line = json.dumps({"done": steps_done, "cells": rows})
    _keep_lines(path, "done", steps_done, line)


def _keep_lines(path: Path, counter: str, below: int, *more: str) -> None:
    """Keep the lines whose counter is below a number, and add some."""
    lines = path.read_text().splitlines() if path.is_file() else []
    kept = [line for line in lines if json.loads(line)[counter] < below]
    write_text(path, "".join(line + "\n" for line in [*kept, *more]))


def solved_share(cells: Mapping[Cell, PassCount]) -> float:
    """The share of all replies that were right, or of games that were won."""
    trials = max(sum(count.trials for count in cells.values()), 1)
    return sum(count.successes for count in cells.values()) / trials


def solved_shares(path: Path) -> dict[int, float]:
    """Of each evaluation in a log the share that was solved, by the steps that were done."""
    lines = path.read_text().splitlines() if path.is_file() else []
    evaluations = [json.loads(line) for line in lines]
    return {
        each["done"]: sum(cell[-2] for cell in each["cells"])
        / max(sum(cell[-1] for cell in each["cells"]), 1)
        for each in evaluations
    }


def costs(path: Path) -> dict[str, Any]:
    """The steps, seconds and replies that a log adds up to."""
    steps = [json.loads(line) for line in path.read_text().splitlines()]
    return {
        "steps": len(steps),
        "seconds": round(sum(step["seconds"] for step in steps), 1),
        "replies": sum(step["replies"] for step in steps),
    }
