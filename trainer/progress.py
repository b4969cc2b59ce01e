"""Training's progress on the terminal: a bar with the reward, and a line now and then elsewhere."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from puzzlemill.core.quiet import is_quiet
from puzzlemill.trainer import distributed
from puzzlemill.trainer.loop import StepRecord
from puzzlemill.trainer.run import Report

EVERY = 20  # steps between lines where there is no terminal


@contextmanager
def training_progress() -> Iterator[Report]:
    console = Console(stderr=True, quiet=is_quiet())
    bars = Progress(
        TextColumn("    train"),
        BarColumn(32),
        MofNCompleteColumn(),
        TextColumn("{task.fields[figures]}"),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal or distributed.rank() > 0,
    )
    bar = bars.add_task("train", total=None, figures="")

    def write(line: str) -> None:
        console.print(line, markup=False, highlight=False, soft_wrap=True)

    def report(step: StepRecord, steps: int) -> None:
        figures = f"reward {step.reward:.3f}, {step.mixed:.0%} of groups mixed"
        if "illegal" in step.also:
            lost = f"{step.also['illegal']:.0%} of games lost by an illegal move"
            figures = f"result {step.reward:.3f}, {lost}"
        for note in step.notes:
            write(f"    train  {note}")
        if step.skipped:
            share = "" if step.skipped == 1 else f"{step.skipped:.0%} of "
            why = "its loss or gradient was not finite"
            write(f"    train  {share}step {step.step + 1} skipped: {why}")
        bars.update(bar, completed=step.step + 1, total=steps, figures=figures)
        last = step.step + 1 == steps
        if not console.is_terminal and not console.quiet and (last or (step.step + 1) % EVERY == 0):
            print(
                f"    train  step {step.step + 1}/{steps}  {figures}", file=sys.stderr, flush=True
            )

    with bars:
        yield report
