"""A row of progress: how far a step is, in items, and how long it still takes."""

from time import monotonic

from rich.progress import TaskID

from puzzlemill.pipelines.shards import Done, Part

ASK = "ask"  # the row of all rounds of asking, whose steps are ask-1, ask-2 …


class Row:
    """A step, or all rounds of asking, of which the present one is counted."""

    def __init__(self, name: str, bar: TaskID) -> None:
        self.name, self.bar = name, bar
        self.step = ""
        self.of_shards = self.replies = 0

    def begin(self, step: str, shards: int) -> None:
        """Count a step, which may be another round than before."""
        self.of_shards = shards
        if step != self.step:
            self.step = step
            self.start = monotonic()
            self.shards = self.rows = self.dropped = self.reused = self.fresh = self.mended = 0
            self.largest = 0  # items of a shard
            self.parts: dict[int, Part] = {}  # of shards at work

    def part(self, part: Part) -> None:
        self.parts[part.shard] = part
        self.largest = max(self.largest, part.of if self.name != ASK else 0)

    def add(self, done: Done) -> None:
        self.parts.pop(done.shard, None)
        self.start = min(self.start, monotonic() - done.seconds)
        self.shards += 1
        self.rows += done.rows
        self.largest = max(self.largest, done.rows)
        self.fresh += done.rows if done.made else 0  # what was there took no time
        self.mended += int(done.counts.get("shards_mended", 0))
        self.replies += int(done.counts.get("replies", 0))
        self.dropped += done.dropped
        self.reused += not done.made

    @property
    def ended(self) -> bool:
        return self.shards >= self.of_shards

    @property
    def items(self) -> int:
        """That are done, also in shards at work."""
        return self.rows + self._at_work

    @property
    def of(self) -> int:
        """About how many there are: shards are of one size, but for the last."""
        return self.rows if self.ended else self.rows + self._left * self.largest

    @property
    def _left(self) -> int:
        return self.of_shards - self.shards

    @property
    def _at_work(self) -> int:
        parts = self.parts.values()
        return sum(part.done * self.largest // max(part.of, 1) for part in parts)

    @property
    def line(self) -> str:
        return f"{self.name:>9}  {self.said}"

    @property
    def said(self) -> str:
        done = self.fresh + self._at_work
        rate = done / max(monotonic() - self.start, 1e-9)
        items = f"{self.items:,}" if self.ended else f"{self.items:,} of {self.of:,}"
        told = [f"{items} items, {self.dropped:,} dropped"]
        if self.name == ASK:
            told.insert(0, f"round {self.step.rpartition('-')[2]}, {self.replies:,} replies:")
        said = " ".join(told)
        if not self.ended or self.of_shards > 1:
            shards = f"{self.shards} of {self.of_shards}" if not self.ended else self.of_shards
            said = f"{shards} shards  {said}"
        if done:
            said += f", {rate:,.0f} items/s" if rate >= 10 else f", {rate:.2g} items/s"
        if done and not self.ended:
            said += f", {_time((self.of - self.items) / rate)} left"
        if self.reused:
            said += f", {self.reused} shards were there"
        if self.mended:
            said += f", {self.mended} damaged shards made again"
        return said


def _time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} h"
