"""Calibration: a round's replies beside the pass rates that were predicted before it.

What a round asks is chosen by what was known before it, so its replies are a fair test of that. All
replies of an item are not: an item that goes wrong early is asked more often.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from puzzlemill.core.errors import UserError
from puzzlemill.core.storage.parquet import read_table, reading
from puzzlemill.difficulty.budget import Tally
from puzzlemill.difficulty.knob_model import WIDE_PRIOR, Floats, LevelPrior, fit
from puzzlemill.difficulty.posterior import jeffreys
from puzzlemill.difficulty.scoring import covariates_of, posteriors
from puzzlemill.difficulty.settings import Score
from puzzlemill.outputs.charts import calibration_plot
from puzzlemill.outputs.finished_build import FinishedBuild, Rate, scored_rows
from puzzlemill.outputs.reply_files import rounds_of
from puzzlemill.outputs.row_rules import faults
from puzzlemill.outputs.sections import Section

BINS = 10
ROUNDS = 8  # that are looked at, spread over all there are
SHARDS = 40  # whose items are looked at
LEAST = 30  # replies without which nothing can be said
_COLUMNS = ["uid", "family", "level", "signal", "trials", "successes"]


@dataclass(frozen=True, slots=True)
class Bin:
    """Replies of which much the same was expected."""

    predicted: float  # their mean
    observed: Rate
    replies: int


@dataclass(frozen=True, slots=True)
class Calibration:
    bins: tuple[Bin, ...]
    replies: int
    predicted: float  # of all of them
    observed: Rate
    off: float  # how far the bins' shares lie from what was predicted, on average over replies


def calibration(build: FinishedBuild) -> Calibration | None:
    """None where there are no two rounds to compare, or too few replies."""
    rounds = rounds_of(build.folder, build.manifest)
    prior = _prior(build)
    if len(rounds) < 2 or prior is None:
        return None
    step = max(1, len(rounds[0]) // SHARDS)
    numbers = sorted({round(n) for n in np.linspace(1, len(rounds) - 1, ROUNDS)})
    covariate = build.manifest["recipe"].get("score", {}).get("covariate", "signal")
    settings, tests = Score(covariate=covariate), []
    for number in numbers:
        before, after = (_read(rounds[each][::step]) for each in (number - 1, number))
        if not all(map(_follows, before, after)) or len(before) != len(after):
            shard = rounds[number][0]
            raise UserError(f"{shard}: does not follow the round before; build it again")
        tests.append(_test(before, after, prior, settings))
    predicted, trials, right = (np.concatenate(each) for each in zip(*tests, strict=True))
    return _calibrated(predicted, trials, right) if trials.sum() >= LEAST else None


def _prior(build: FinishedBuild) -> LevelPrior | None:
    """The prior that the build's scores began with; None where the earlier build is gone."""
    earlier = build.manifest["recipe"].get("score", {}).get("earlier")
    if not earlier:
        return WIDE_PRIOR
    try:
        rows = scored_rows(Path(earlier))
    except (UserError, OSError):
        return None
    return fit(
        (row["family"], row["level"], 0.0, row["trials"], row["successes"]) for row in rows
    ).prior()


def _read(shards: Sequence[Path]) -> list[dict[str, Any]]:
    """The items that were asked, in the order of their uids."""
    table = pa.concat_tables([_sound(path) for path in shards])
    rows = table.filter(table["trials"].is_valid()).to_pylist()
    return sorted(rows, key=lambda row: str(row["uid"]))


def _follows(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether the one item is the other, some replies later."""
    trials, right = (after[name] - before[name] for name in ("trials", "successes"))
    return bool(before["uid"] == after["uid"] and 0 <= right <= trials)


def _sound(path: Path) -> pa.Table:
    """A shard of a round, which may be somebody else's."""
    table = read_table(path, _COLUMNS)
    with reading(path):
        for row, fault in faults(table):
            raise UserError(f"{path}: row {row}: {fault}; build it again")
    return table


def _test(
    before: Sequence[dict[str, Any]],
    after: Sequence[dict[str, Any]],
    prior: LevelPrior,
    settings: Score,
) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """What was expected of each item, the replies that the next round asked, and the right ones."""
    tallies: list[Tally] = [(row["trials"], row["successes"]) for row in before]
    scored = posteriors(covariates_of(before, tallies, settings), tallies, (0.0, 1.0), 2, prior)
    now = [(row["trials"], row["successes"]) for row in after]
    new = np.array(now, np.int64).reshape(-1, 2) - np.array(tallies, np.int64).reshape(-1, 2)
    asked = new[:, 0] > 0
    means = np.array([each.mean for each in scored], np.float64)
    return means[asked], new[asked, 0], new[asked, 1]


def _calibrated(
    predicted: Floats, trials: NDArray[np.int64], right: NDArray[np.int64]
) -> Calibration:
    places = np.minimum((predicted * BINS).astype(np.int64), BINS - 1)
    bins = []
    for place in range(BINS):
        own = places == place
        count = int(trials[own].sum())
        if count:
            expected = float((predicted[own] * trials[own]).sum()) / count
            bins.append(Bin(expected, _share(count, int(right[own].sum())), count))
    total = int(trials.sum())
    off = sum(each.replies * abs(each.observed.mean - each.predicted) for each in bins) / total
    mean = float((predicted * trials).sum()) / total
    return Calibration(tuple(bins), total, mean, _share(total, int(right.sum())), off)


def _share(trials: int, right: int) -> Rate:
    return Rate(right / trials, *jeffreys(trials, right), 0, trials)


def of_build(build: FinishedBuild) -> dict[str, Any] | None:
    result = calibration(build)
    if result is None:
        return None
    points = [(each.predicted, each.observed) for each in result.bins]
    return {"result": result, "chart": calibration_plot(points)}


TEMPLATE = """\
  <p class="lede">Before each round of replies, every item's pass rate is predicted. Of \
{{ result.replies | number }} later replies, {{ result.predicted | percent }} were predicted to be \
right, and {{ result.observed.mean | percent }} were. A point is {{ result.off | percent }} off \
the line on average, weighted by replies.</p>
  <div class="plot">{{ chart | safe }}</div>
  <p class="soft axis">x: the predicted pass rate. y: the share of later replies that were right, \
with 90% intervals. The more replies, the larger the point.</p>
"""

SECTION = Section(
    30, "Predicted and observed pass rates", TEMPLATE, "Calibration", of_build=of_build
)
