"""Metrics: what a server has done, as Prometheus reads it."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

PREFIX = "puzzlemill"
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
HELP = {
    "requests_total": "Requests, by door and HTTP status.",
    "verdicts_total": "Verdicts, by status.",
    "episodes_total": "Episodes that were begun, by environment.",
    "refused_total": "Requests that were refused because too many wait.",
    "sessions": "Sessions that are open.",
    "sessions_expired_total": "Sessions that ended because nothing was heard of them.",
    "waiting": "Calls that wait for a worker process.",
    "judging_seconds": "From a reply to its verdict.",
}

Labels = tuple[tuple[str, str], ...]


@dataclass
class Metrics:
    counts: Counter[tuple[str, Labels]] = field(default_factory=Counter)
    buckets: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))
    seconds: float = 0.0

    def add(self, name: str, **labels: str) -> None:
        self.counts[name, tuple(sorted(labels.items()))] += 1

    def judged(self, seconds: float) -> None:
        """Take in how long a verdict took."""
        self.buckets[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds

    def text(self, gauges: Mapping[str, float]) -> str:
        """In Prometheus' text format."""
        lines = list[str]()
        for name in sorted({name for name, _ in self.counts}):
            lines += _head(name, "counter")
            for (own, labels), count in sorted(self.counts.items()):
                if own == name:
                    lines.append(f"{PREFIX}_{name}{_braces(labels)} {count}")
        for name, value in gauges.items():
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [*_head(name, kind), f"{PREFIX}_{name} {value:g}"]
        lines += _head("judging_seconds", "histogram")
        below = 0
        for bound, count in zip((*(f"{bound:g}" for bound in BOUNDS), "+Inf"), self.buckets):
            below += count
            lines.append(f'{PREFIX}_judging_seconds_bucket{{le="{bound}"}} {below}')
        lines.append(f"{PREFIX}_judging_seconds_sum {self.seconds:.6f}")
        lines.append(f"{PREFIX}_judging_seconds_count {below}")
        return "\n".join(lines) + "\n"


def _head(name: str, kind: str) -> list[str]:
    return [f"# HELP {PREFIX}_{name} {HELP[name]}", f"# TYPE {PREFIX}_{name} {kind}"]


def _braces(labels: Labels) -> str:
    pairs = (f'{name}="{_escaped(value)}"' for name, value in labels)
    text = ",".join(pairs)
    return f"{{{text}}}" if text else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
