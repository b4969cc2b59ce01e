"""Progress on the terminal: a bar a step, by items, with the time left; elsewhere lines."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, RLock, Thread
from time import monotonic
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from puzzlemill.core.quiet import is_quiet
from puzzlemill.pipelines.build import Tell
from puzzlemill.pipelines.progress_rows import ASK, Row
from puzzlemill.pipelines.shards import Done, Part, watched_by


@contextmanager
def progress(every: float = 30.0) -> Iterator[Tell]:
    """A callback that draws bars on a terminal; elsewhere it prints a line when a step ends, and
    one `every` seconds while none does. All rounds of asking are one row."""
    console = Console(stderr=True)
    if is_quiet():
        yield lambda done, shards: None
        return
    bars = Progress(
        TextColumn("{task.description:>9}"),
        BarColumn(32),
        TextColumn("{task.fields[said]}"),
        console=console,
        disable=not console.is_terminal,
    )
    lines = _Lines(every, silent=console.is_terminal)
    rows: dict[str, Row] = {}
    lock = RLock()  # shards end in threads

    def row_of(step: str, shards: int) -> Row:
        name = ASK if step.startswith(f"{ASK}-") else step
        if name not in rows:
            lines.close()
            rows[name] = Row(name, bars.add_task(name, total=None, said=""))
        rows[name].begin(step, shards)
        return rows[name]

    def draw(row: Row) -> None:
        bars.update(row.bar, completed=row.items, total=row.of, said=row.said)

    def watch(part: Part) -> None:
        with lock:
            row = row_of(part.step, part.shards)
            row.part(part)
            draw(row)
            lines.at(row)

    def tell(done: Done, shards: int) -> None:
        with lock:
            row = row_of(done.step, shards)
            row.add(done)
            draw(row)
            lines.at(row)

    with bars, lines.kept(lock), watched_by(watch):
        yield tell


class _Lines:
    """What a log gets in place of bars."""

    def __init__(self, every: float, silent: bool) -> None:
        self.every, self.silent = every, silent
        self.begun = self.last = monotonic()
        self.row: Row | None = None  # that is at work, and whose end is not told yet

    def at(self, row: Row) -> None:
        self.row = row
        if row.ended and row.name != ASK:
            self.close()
        elif monotonic() - self.last >= self.every:
            self._say(row.line)

    def close(self) -> None:
        """The row at work is at its end."""
        if self.row:
            self._say(self.row.line)
            self.row = None

    @contextmanager
    def kept(self, lock: RLock) -> Iterator[None]:
        """A line now and then while nothing happens, which may take long."""
        over = Event()

        def watch() -> None:
            while not over.wait(max(self.every, 1.0)):
                with lock:
                    if monotonic() - self.last >= self.every:
                        waited = f"    begun  {monotonic() - self.begun:,.0f} s ago"
                        self._say(self.row.line if self.row else waited)

        thread = Thread(target=watch, daemon=True)
        if not self.silent:
            thread.start()
        try:
            yield
            self.close()
        finally:
            over.set()

    def _say(self, line: str) -> None:
        self.last = monotonic()
        if not self.silent:
            print(line, file=sys.stderr, flush=True)


class Count(Protocol):
    """Takes how many are done, and of how many once that is known."""

    def __call__(self, done: int, total: int | None = None) -> None: ...


@contextmanager
def counting(things: str, total: int | None = None) -> Iterator[Count]:
    """A bar for one long piece of work, on a terminal only."""
    console = Console(stderr=True, quiet=is_quiet())
    columns = (TextColumn("{task.description:>9}"), BarColumn(32), MofNCompleteColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:
        bar = bars.add_task(things, total=total)

        def count(done: int, total: int | None = None) -> None:
            bars.update(bar, completed=done, total=total)

        yield count
