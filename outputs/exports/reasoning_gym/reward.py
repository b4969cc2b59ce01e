"""Reasoning Gym: an export's rows as one of its datasets, and their scorer."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from reasoning_gym.dataset import ProceduralDataset
from reasoning_gym.factory import DATASETS, register_dataset

from puzzlemill.core.errors import UserError
from puzzlemill.outputs.rewards import score

NAME = "puzzlemill"


@dataclass
class Settings:
    path: str = ""  # a Parquet file of the export
    seed: int | None = 0  # nothing is random: the rows are in their order
    size: int | None = None  # all rows; a smaller number takes the first ones

    def validate(self) -> None:
        if not Path(self.path).is_file():
            raise UserError(f"path: no file {self.path!r}; name a Parquet file of the export")


class Puzzles(ProceduralDataset):  # type: ignore[misc]
    def __init__(self, config: Settings) -> None:
        config.validate()
        rows = pq.read_table(config.path)
        super().__init__(config, config.seed, min(config.size or rows.num_rows, rows.num_rows))
        self.rows = rows

    def __getitem__(self, idx: int) -> dict[str, Any]:
        if not 0 <= idx < self.size:
            raise IndexError(f"there are {self.size} items, and no item {idx}")
        row: dict[str, Any] = self.rows.slice(idx, 1).to_pylist()[0]
        return row | {"metadata": json.loads(row["metadata"])}

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        """The score of an answer that was read out of a reply already, or of a whole reply."""
        whole = answer is None or "<answer>" in answer.lower()
        reply = answer if whole else f"<answer>{answer}</answer>"
        return float(score(entry["metadata"], reply)["score"])


def register() -> None:
    """Make `reasoning_gym.create_dataset("puzzlemill", path=…)` work."""
    if NAME not in DATASETS:
        register_dataset(NAME, Puzzles, Settings)
