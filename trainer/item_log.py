"""The log of items: how often each was solved at each step, as one Parquet file of a run."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from puzzlemill.core.storage.parquet import read_table, write_table
from puzzlemill.difficulty.item_history import SCHEMA
from puzzlemill.trainer.conversations import is_right_after
from puzzlemill.trainer.rollouts import Rollouts


@dataclass
class ItemLog:
    """It is written with each checkpoint. Steps after the last one are made again, and logged
    again, so that a run which was killed ends with the same file."""

    path: Path | None = None  # None: nothing is written
    rows: list[dict[str, Any]] = field(default_factory=list)

    def add(self, step: int, policy: str, sampled: Rollouts) -> None:
        if self.path is None:
            return
        for uid, (replies, right) in first_replies(sampled).items():
            mean = right / replies
            self.rows.append(
                {"uid": uid, "step": step, "policy": policy, "replies": replies, "mean": mean}
            )

    def write(self) -> None:
        if self.path is not None:
            write_table(self.path, pa.Table.from_pylist(self.rows, schema=SCHEMA))

    def restore(self, step: int) -> None:
        """Go on after so many steps."""
        if self.path is not None and self.path.is_file():
            rows = read_table(self.path).to_pylist()
            self.rows = [row for row in rows if row["step"] < step]


def first_replies(sampled: Rollouts) -> dict[str, tuple[int, int]]:
    """By uid, the first replies to the plain prompt, and how many of them are right; replies that
    our own code failed on do not count, nor do those that were rethought."""
    counts: dict[str, tuple[int, int]] = {}
    plain = sampled.of_plain_prompts()
    for prompt, group in zip(plain.prompts, plain.conversations, strict=True):
        judged = [each for each in group if each.verdict.status != "error" and not each.rethought]
        replies, right = counts.get(prompt.row["uid"], (0, 0))
        right += sum(is_right_after(each, 1) for each in judged)
        if judged:
            counts[prompt.row["uid"]] = (replies + len(judged), right)
    return counts
