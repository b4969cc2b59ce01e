"""verifiers and prime-rl: a taskset over an export's rows, scored offline."""

import asyncio
import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import verifiers.v1 as vf

from puzzlemill.core.errors import UserError
from puzzlemill.outputs.exports import content_blocks
from puzzlemill.outputs.rewards import score


class Puzzle(vf.TaskData):  # type: ignore[misc]
    uid: str
    family: str
    version: int
    puzzle: str
    answer: str
    level: float
    stage: str
    mean: float | None  # the pass rate, where one was measured


class PuzzleTask(vf.Task[Puzzle]):  # type: ignore[misc]
    @property
    def key(self) -> str:
        """The item's name, by which a curriculum keeps what it learns."""
        return str(self.data.uid)

    @vf.reward(weight=1.0)  # type: ignore[untyped-decorator]
    async def correct(self, trace: vf.Trace) -> float:
        verdict = await asyncio.to_thread(score, self.data.model_dump(), trace.last_reply or "")
        for status in ("unparsed", "error"):
            trace.record_metric(status, float(verdict["status"] == status))
        return float(verdict["score"])

    async def validate(self, runtime: vf.Runtime) -> bool:
        gold = f"<answer>{self.data.answer}</answer>"
        return bool((await asyncio.to_thread(score, self.data.model_dump(), gold))["correct"])


class Settings(vf.TasksetConfig):  # type: ignore[misc]
    file: str = "train"  # one of the Parquet files beside the taskset's module


class Puzzles(vf.Taskset[PuzzleTask, Settings]):  # type: ignore[misc]
    def load(self) -> Iterator[PuzzleTask]:
        """The tasks in the file's order. A subclass stands beside its files."""
        folder = Path(str(sys.modules[type(self).__module__].__file__)).parent
        path = folder / f"{self.config.file}.parquet"
        if not path.is_file():
            files = ", ".join(sorted(each.stem for each in folder.glob("*.parquet")))
            raise UserError(f"taskset.file: no {path.name}; there are: {files}")
        for batch in pq.ParquetFile(path).iter_batches(batch_size=500):
            for row in batch.to_pylist():
                images = [data_url(image["bytes"]) for image in row.pop("images", None) or ()]
                prompt = [message_with(message, images) for message in row.pop("prompt")]
                fields = {name: row[name] for name in Puzzle.model_fields if name in row}
                yield PuzzleTask(Puzzle(prompt=prompt, **fields), self.config.task)


def message_with(message: Mapping[str, str], images: list[str]) -> dict[str, Any]:
    """A message whose pictures stand where its text says."""
    if not images or "<image>" not in message["content"]:
        return dict(message)
    parts = [
        {"type": "image_url", "image_url": {"url": images.pop(0)}}
        if block["type"] == "image"
        else block
        for block in content_blocks(message["content"])
    ]
    return {"role": message["role"], "content": parts}


def data_url(png: bytes) -> str:
    return "data:image/png;base64," + b64encode(png).decode()
