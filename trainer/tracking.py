"""Metrics where people watch them: TensorBoard, Weights & Biases or trackio, besides the JSONL."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from puzzlemill.core.errors import UserError


class Track(Protocol):
    def __call__(self, step: int, values: dict[str, float]) -> None: ...


def check_track(where: str) -> None:
    """Before anything is spent."""
    if where and find_spec(where) is None:
        raise UserError(
            f'[train] track = "{where}" needs a package: pip install {where}, or set it to "";'
            " training/metrics.jsonl is written in any case"
        )


@contextmanager
def tracking(where: str, run: Path, settings: dict[str, Any]) -> Iterator[Track]:
    """What to call with each step's numbers."""
    if not where:
        yield lambda step, values: None
        return
    if where == "tensorboard":
        from torch.utils.tensorboard import SummaryWriter

        writer = SummaryWriter(str(run / "tensorboard"))

        def write(step: int, values: dict[str, float]) -> None:
            for name, value in values.items():
                writer.add_scalar(name, value, step)

        yield write
        writer.close()
        return
    board = import_module(where)  # both have wandb's interface
    project = run.parent.parent.name or "puzzlemill"
    board.init(project=project, name=run.parent.name, config=settings)
    yield lambda step, values: board.log(values, step=step)
    board.finish()
