"""Giveaways at scale: can the answers that variants show be told apart without the problem?

    python benchmarks/giveaways.py [FAMILY ...] [--items 200] [--again 1500] [--seconds 3600]

Draws items of every variant that shows answers, over five levels, and lets a reader of their words,
sizes and forms learn what right ones look like (`core/proof/giveaways.py`). A variant is a suspect
where an exact binomial test against chance and 3 points has p < 0.2. When all are read, suspects
are read again on fresh items. Where that test rejects at 5% after Holm's correction, what the
reader reached is written down as the guess rate that the variant declares
(generators/variants/guess_rates.json). A suspect that waits for its second reading declares what
its first one reached. Families come in a fixed random order, so that the first half of them tells
something of all.

Records are kept in giveaways/, a file for each category, after every round, so that it may be ended
and run again; a variant of another version starts anew. giveaways.json is the summary: how many
variants are read, of each second reading the p-value, which variants declare such a rate, and which
wait, fail (a wrong answer has a word of its own), are cut short by the CPU limit or ended in an
error. Those with an error are tried again by the next run.
"""

import argparse
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.address import digest
from puzzlemill.core.errors import NoPuzzle, UserError
from puzzlemill.core.guard import Failure
from puzzlemill.core.item import address_at, draft
from puzzlemill.core.proof.giveaways import Shown, reading, shown
from puzzlemill.core.storage import pool
from puzzlemill.core.storage.files import write_json
from puzzlemill.difficulty.posterior import beta_cdf, beta_quantile
from puzzlemill.generators.variants._guess_rates import FILE, by_chance

FOLDER = Path(__file__).with_suffix("")
SUMMARY = Path(__file__).with_suffix(".json")
LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
CPU = 120.0  # seconds for one reading; it is read on what was made until then
SLACK = 0.03  # above chance
SUSPECT = 0.2  # p-value of a first reading below which there is a second
REJECT = 0.05  # for all second readings together
MASS = 0.95  # of the interval

Record = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("families", nargs="*", default=registry.names())
    parser.add_argument("--items", type=int, default=200, help="of each variant")
    parser.add_argument("--again", type=int, default=1500, help="fresh items of a suspect")
    parser.add_argument("--seconds", type=float, default=3600, help="stop after so long")
    parser.add_argument("--workers", type=int, default=pool.cores())
    asked = parser.parse_args()
    # More threads than one cost a reader more than they give: its tables are small.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    ends = time.monotonic() + asked.seconds
    _forget()
    families = sorted(asked.families, key=digest)
    names = [name for family in families for name in registry.variants(family) if _shows(name)]
    for again in (False, True):  # before any second reading all first ones
        following = [_next(_of(name), name, asked.items, asked.again) for name in names]
        calls = [call for call in following if call and bool(call[1]) == again]
        while calls and time.monotonic() < ends:
            chosen, calls = calls[: asked.workers * 2], calls[asked.workers * 2 :]
            results = pool.run("giveaways:read", chosen, asked.workers, seconds=900, chunk=1)
            for (name, first, _), each in zip(chosen, results, strict=True):
                _keep(name, _with(_of(name), name, first, each))
            write_json(SUMMARY, summary(_records()))
    told = summary(_records())
    write_json(SUMMARY, told)
    write_json(FILE, told["given_away"])
    kinds = ("given_away", "waiting", "failed", "cut_short", "errors")
    counts = ", ".join(f"{len(told[each])} {each}" for each in kinds)
    print(f"{told['variants']} variants, {counts}: {SUMMARY}")


def _shows(name: str) -> bool:
    origin = registry.family(name).origin
    return origin is not None and origin.shown is not None


def _next(record: Record, name: str, items: int, again: int) -> tuple[str, int, int] | None:
    """The reading that a variant waits for: its name, the first index and the number of items."""
    first, second = record.get("first"), record.get("second")
    if not first or first["wanted"] < items:
        return name, 0, items
    if first["p"] < SUSPECT and (not second or second["wanted"] < again):
        return name, first["wanted"], again
    return None


def _with(record: Record, name: str, start: int, result: Record | Failure) -> Record:
    """The record with another reading, or with why there is none."""
    kept = {key: value for key, value in record.items() if key != "error"}
    if isinstance(result, Failure):
        return kept | {"version": registry.family(name).version, "error": result.reason}
    version = {"version": result.pop("version")}
    # A first reading on more items than the one before has used the indices of the second.
    return version | ({"first": result} if start == 0 else {**kept, "second": result})


def _file(name: str) -> Path:
    return FOLDER / f"{registry.family(name).category}.json"


def _of(name: str) -> Record:
    """What is known of a variant at its present version."""
    path = _file(name)
    record: Record = json.loads(path.read_text()).get(name, {}) if path.is_file() else {}
    return record if record.get("version") == registry.family(name).version else {}


def _keep(name: str, record: Record) -> None:
    path = _file(name)
    records = json.loads(path.read_text()) if path.is_file() else {}
    path.parent.mkdir(exist_ok=True)
    write_json(path, dict(sorted((records | {name: record}).items())))


def _forget() -> None:
    """Take away the records of other versions than today's, and of variants that are no more."""
    for path in sorted(FOLDER.glob("*.json")):
        records = json.loads(path.read_text())
        kept = {name: record for name, record in records.items() if _of_today(name, record)}
        if kept != records:
            write_json(path, kept)


def _of_today(name: str, record: Record) -> bool:
    try:
        return bool(record["version"] == registry.family(name).version)
    except UserError:
        return False


def _records() -> dict[str, Record]:
    files = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))]
    return {name: record for records in files for name, record in records.items()}


def read(name: str, start: int, count: int) -> Record:
    """A variant's items from an index on and what a reader makes of them, in a worker process."""
    family = registry.family(name)
    began, items, without, drawn = time.process_time(), list[Shown](), 0, 0
    for drawn in range(1, count + 1):
        index = start + drawn - 1
        level = LEVELS[index % len(LEVELS)]
        try:
            item = draft(family, address_at(family, level, split="train", index=index), level)
        except NoPuzzle:
            without += 1
            continue
        if seen := shown(family, item.puzzle):
            items.append(seen)
        if time.process_time() - began > CPU:
            break
    made = time.process_time() - began
    result, chance = reading(items), by_chance(name.rpartition("+")[2], family.origin.family)
    low, high = interval(result.right, result.items)
    return {
        "version": family.version,
        "start": start,
        "wanted": count,
        "drawn": drawn,  # fewer where the CPU limit cut it short
        "items": result.items,
        "without": without,  # puzzles of which there is no such variant
        "right": result.right,
        "rate": round(result.rate, 4),
        "interval": [round(low, 4), round(high, 4)],
        "chance": round(chance, 4),
        "p": float(f"{exceeds(result.right, result.items, chance + SLACK):.3g}"),
        "strange": result.strange,
        "making_seconds": round(made, 2),
        "reading_seconds": round(time.process_time() - began - made, 2),
    }


def exceeds(right: int, items: int, rate: float) -> float:
    """The p-value of so many hits or more, where each comes with this rate: a binomial tail."""
    return beta_cdf(rate, right, items - right + 1) if right else 1.0


def interval(right: int, items: int) -> tuple[float, float]:
    """Clopper and Pearson's, which holds the rate at least as often as it says."""
    tail = (1 - MASS) / 2
    return (
        beta_quantile(tail, right, items - right + 1) if right else 0.0,
        beta_quantile(1 - tail, right + 1, items - right) if right < items else 1.0,
    )


def holm(chances: dict[str, float], level: float = REJECT) -> list[str]:
    """The names whose p-values reject together: Holm's step-down procedure."""
    ranked = sorted(chances, key=lambda name: chances[name])
    for place, name in enumerate(ranked):
        if chances[name] > level / (len(ranked) - place):
            return ranked[:place]
    return ranked


def summary(records: dict[str, Record]) -> Record:
    read_again = {name: each["second"] for name, each in records.items() if "second" in each}
    second = {name: each["p"] for name, each in read_again.items()}
    waiting = {
        name: each["first"]["rate"]
        for name, each in records.items()
        if "first" in each and "second" not in each and each["first"]["p"] < SUSPECT
    }
    rejected = {name: read_again[name]["rate"] for name in holm(second)}
    strange = [name for name, each in records.items() if any(_parts(each, "strange"))]
    return {
        "variants": sum("first" in each for each in records.values()),
        "items": sum(sum(_parts(each, "items")) for each in records.values()),
        "seconds": round(
            sum(
                sum(_parts(each, "making_seconds")) + sum(_parts(each, "reading_seconds"))
                for each in records.values()
            )
        ),
        "suspects": dict(sorted(second.items(), key=lambda pair: pair[1])),
        "given_away": dict(sorted((rejected | waiting).items())),
        "waiting": sorted(waiting),
        "failed": sorted(strange),
        "cut_short": sorted(
            name
            for name, each in records.items()
            if any(
                drawn < wanted
                for drawn, wanted in zip(_parts(each, "drawn"), _parts(each, "wanted"), strict=True)
            )
        ),
        "errors": sorted(name for name, each in records.items() if "error" in each),
    }


def _parts(record: Record, key: str) -> Sequence[Any]:
    return [record[stage][key] for stage in ("first", "second") if stage in record]


if __name__ == "__main__":
    main()
