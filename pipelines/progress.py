"""Progress on the terminal: a bar a step with items, how many are dropped and items a second."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from puzzlemill.pipelines.build import Tell
from puzzlemill.pipelines.shards import Done


@contextmanager
def progress(every: float = 30.0) -> Iterator[Tell]:
    """A callback that draws bars on a terminal; elsewhere it prints a line when a step ends, and
    when a shard ends `every` seconds after the last line or later."""
    console = Console(stderr=True)
    bars = Progress(
        TextColumn("{task.description:>9}"),
        BarColumn(32),
        MofNCompleteColumn(),
        TextColumn("{task.fields[said]}"),
        console=console,
        disable=not console.is_terminal,
    )
    steps: dict[str, _Tally] = {}
    last = monotonic()

    def tell(done: Done, shards: int) -> None:
        nonlocal last
        if done.step not in steps:
            steps[done.step] = _Tally(bars.add_task(done.step, total=shards, said=""))
        tally = steps[done.step]
        tally.add(done)
        bars.update(tally.bar, advance=1, said=tally.said)
        ends, now = tally.shards == shards, monotonic()
        if not console.is_terminal and (ends or now - last >= every):
            count = f"{shards} shards" if ends else f"{tally.shards} of {shards} shards"
            print(f"{done.step:>9}  {count}  {tally.said}", file=sys.stderr, flush=True)
            last = now

    with bars:
        yield tell


class Count(Protocol):
    """Takes how many are done, and of how many once that is known."""

    def __call__(self, done: int, total: int | None = None) -> None: ...


@contextmanager
def counting(things: str, total: int | None = None) -> Iterator[Count]:
    """A bar for one long piece of work, on a terminal only."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description:>9}"), BarColumn(32), MofNCompleteColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:
        bar = bars.add_task(things, total=total)

        def count(done: int, total: int | None = None) -> None:
            bars.update(bar, completed=done, total=total)

        yield count


class _Tally:
    def __init__(self, bar: TaskID) -> None:
        self.bar = bar
        self.start = monotonic()
        self.shards = self.rows = self.dropped = self.reused = self.fresh = self.mended = 0

    def add(self, done: Done) -> None:
        self.start = min(self.start, monotonic() - done.seconds)
        self.shards += 1
        self.rows += done.rows
        self.fresh += done.rows if done.made else 0  # what was there took no time
        self.mended += int(done.counts.get("shards_mended", 0))
        self.dropped += done.dropped
        self.reused += not done.made

    @property
    def said(self) -> str:
        rate = self.fresh / max(monotonic() - self.start, 1e-9)
        speed = f", {rate:,.0f} items/s" if self.fresh else ""
        there = f", {self.reused} shards were there" if self.reused else ""
        mended = f", {self.mended} damaged shards made again" if self.mended else ""
        return f"{self.rows} items, {self.dropped} dropped{speed}{there}{mended}"
