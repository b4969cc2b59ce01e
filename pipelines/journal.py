"""What a build tells while it runs: a line of JSON an event, and counters for Prometheus.

`log.jsonl` grows over all runs of a build, so its sums are right after a kill. Times in it are for
people: nothing is ever worked out from them.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from puzzlemill.core.storage.files import write_text
from puzzlemill.pipelines.shards import Done

LOG, METRICS = "log.jsonl", "metrics.prom"
PREFIX = "puzzlemill"

# What is counted of a shard beside its rows, and what it is.
COUNTS = {
    "replies": "Replies that the policy gave.",
    "lost_replies": "Replies that could not be had of the policy.",
    "tokens": "Tokens of replies, where the policy tells them.",
    "policy_seconds": "Seconds spent waiting for the policy.",
    "gpu_seconds": "Of these, seconds on a GPU of this machine, times how many it takes.",
    "verifier_errors": "Replies that a verifier failed on.",
    "workers_died": "Worker processes that ended in the middle of a call.",
    "overstays": "Calls that took a worker process too long.",
    "shards_mended": "Shards that were found damaged, and made again.",
}


@dataclass(slots=True)
class Totals:
    """Sums over all runs of a build, by step."""

    made: Counter[str] = field(default_factory=Counter)  # rows
    dropped: Counter[str] = field(default_factory=Counter)  # of these
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    counts: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    shards: dict[str, int] = field(default_factory=dict)  # that a step has
    done: dict[str, set[int]] = field(default_factory=dict)
    kept: int | None = None  # items, once the build is finished

    def add(self, event: Mapping[str, Any]) -> None:
        match event.get("event"):
            case "shard":
                step = event["stage"]
                self.shards[step] = event["shards"]
                self.done.setdefault(step, set()).add(event["shard"])
                if event["made"]:
                    self.made[step] += event["rows"]
                    self.dropped[step] += event["dropped"]
                    self.seconds[step] += event["seconds"]
                for name in COUNTS.keys() & event.keys():
                    self.counts[name] += event[name]
            case "finished":
                self.kept = event["kept"]

    def rates(self) -> dict[str, float]:
        """Figures worth a look, of what there is something to say of."""
        seconds, waited = sum(self.seconds.values()), self.counts["policy_seconds"]
        made = max(self.made.values(), default=0)
        found = {}
        if seconds:
            found["items a second"] = made / seconds
        if waited:
            found["replies a second"] = self.counts["replies"] / waited
        if waited and self.counts["tokens"]:
            found["tokens a second"] = self.counts["tokens"] / waited
        if self.kept is not None and made:
            found["share kept"] = self.kept / made
        if self.kept and self.counts["gpu_seconds"]:
            found["GPU seconds a kept item"] = self.counts["gpu_seconds"] / self.kept
        return found


class Journal:
    """Writes a build's events; `tell` takes a shard that is done."""

    def __init__(self, folder: Path, file: TextIO, totals: Totals) -> None:
        self.folder, self.file, self.totals = folder, file, totals

    def write(self, event: str, **known: Any) -> None:
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = {"at": at, "event": event} | known
        self.file.write(json.dumps(line) + "\n")  # in one piece, so that a kill tears one line
        self.file.flush()
        self.totals.add(line)
        write_text(self.folder / METRICS, exposition(self.folder.name, self.totals))

    def tell(self, done: Done, shards: int) -> None:
        known = {name: value for name, value in asdict(done).items() if name not in _ELSEWHERE}
        counts = {
            name: round(value, 3) if isinstance(value, float) else value
            for name, value in done.counts.items()
        }
        known["seconds"] = round(done.seconds, 3)
        self.write("shard", stage=done.step, **known, shards=shards, **counts)


_ELSEWHERE = ("step", "path", "counts")


@contextmanager
def journal(folder: Path) -> Iterator[Journal]:
    """A build's journal, from its beginning to its end, good or bad."""
    totals = totals_of(folder)
    with (folder / LOG).open("a", encoding="utf-8") as file:
        if file.tell() and not (folder / LOG).read_bytes().endswith(b"\n"):
            file.write("\n")  # the last run was killed in the middle of a line
        book = Journal(folder, file, totals)
        book.write("begun" if not totals.shards else "resumed", build=folder.name)
        try:
            yield book
        except BaseException as error:
            book.write("failed", kind=type(error).__name__, said=str(error)[:500])
            raise
        made = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["counts"]
        book.write("finished", made=made["made"], kept=made.get("kept", 0))


def totals_of(folder: Path) -> Totals:
    """The sums of a build's log."""
    totals = Totals()
    path = folder / LOG
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
        try:
            event = json.loads(line)
        except ValueError:  # a line that a kill tore
            continue
        totals.add(event)
    return totals


def exposition(build: str, totals: Totals) -> str:
    """The counters in Prometheus's text form, for node_exporter's textfile collector."""
    lines: list[str] = []

    def tell(name: str, kind: str, what: str, values: Mapping[str, float]) -> None:
        lines.append(f"# HELP {PREFIX}_{name} {what}")
        lines.append(f"# TYPE {PREFIX}_{name} {kind}")
        for step, value in values.items():
            stage = f',stage="{step}"' if step else ""
            lines.append(f'{PREFIX}_{name}{{build="{build}"{stage}}} {value:.12g}')

    tell("rows_made_total", "counter", "Rows that a stage has made.", totals.made)
    tell("rows_dropped_total", "counter", "Of these, rows that do not stand.", totals.dropped)
    tell("seconds_total", "counter", "Seconds that a stage took.", totals.seconds)
    tell("shards", "gauge", "Shards that a stage has.", totals.shards)
    done = {step: len(each) for step, each in totals.done.items()}
    tell("shards_done", "gauge", "Of these, shards that are there.", done)
    for name, what in COUNTS.items():
        tell(f"{name}_total", "counter", what, {"": totals.counts[name]})
    for name, value in totals.rates().items():
        tell(name.lower().replace(" ", "_"), "gauge", f"{name[0].upper()}{name[1:]}.", {"": value})
    return "\n".join(lines) + "\n"
