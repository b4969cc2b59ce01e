"""Records of runs, a file an experiment, and intervals of what they say.

A run that is recorded is not done again; a file is whole whenever the process is killed. A key
names the student and the setting. Who changes what is measured deletes the file.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from puzzlemill.core.storage.files import read_json, write_text

RESAMPLES = 1000
PLACES = 5  # nats a token

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Interval = dict[str, float]


@dataclass(frozen=True, slots=True)
class Records:
    path: Path
    runs: dict[str, list[float]]  # by what the run was: the student, the seed, the choice

    @classmethod
    def read(cls, path: Path) -> "Records":
        return cls(path, read_json(path) if path.is_file() else {})

    def of(self, key: str, run: Callable[[], Sequence[float]]) -> list[float]:
        """What the run of this key gave; it is done only if it is not recorded."""
        if key not in self.runs:
            self.runs[key] = [round(value, PLACES) for value in run()]
            lines = (f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(self.runs.items()))
            write_text(self.path, "{\n" + ",\n".join(lines) + "\n}\n")
        return self.runs[key]


def interval(units: int, statistic: Callable[[Ints], float]) -> Interval:
    """A statistic of units, and its 95% interval where the units are resampled (bootstrap)."""
    rng = np.random.default_rng(0)
    drawn = [statistic(rng.integers(units, size=units)) for _ in range(RESAMPLES)]
    low, high = np.nanquantile(drawn, (0.025, 0.975))
    value = statistic(np.arange(units))
    return {"value": rounded(value), "low": rounded(low), "high": rounded(high)}


def mean_interval(values: Sequence[float] | Floats) -> Interval:
    array = np.asarray(values, dtype=float)
    return interval(len(array), lambda at: float(array[at].mean()))


def rank_correlation(one: Floats, other: Floats) -> float:
    """Spearman's; what resampling repeats has one rank each, in order."""
    ranks = [np.argsort(np.argsort(values)) for values in (one, other)]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def rounded(value: float) -> float:
    return round(float(value), 4)
