"""Truth at scale: do `solve`, `verify` and `recheck` ever disagree?

    python benchmarks/truth.py [FAMILY ...] [--items 100000] [--seconds 3600]

Draws items of every family over eleven levels, and counts every one on which gold is not certified,
does not survive being written and read, is refused by `recheck`, or on which a slightly changed
answer is judged otherwise than the proof of uniqueness or `recheck` says. Progress is kept in
truth.json beside this file after every batch, so that it may be ended and run again; a family whose
code has changed, or that of a generator it imports, starts anew. A record names every commit under
which its items were drawn.
"""

import argparse
import ast
import json
import subprocess
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from random import Random
from sys import modules
from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.address import Address, rng
from puzzlemill.core.family import AnyFamily
from puzzlemill.core.guard import Failure
from puzzlemill.core.plain_data import freeze
from puzzlemill.core.proof.batteries import tagged
from puzzlemill.core.proof.contract import disagreement
from puzzlemill.core.proof.probes import is_wrong
from puzzlemill.core.storage import pool
from puzzlemill.core.storage.files import write_json
from puzzlemill.core.verdict import judge

RESULT = Path(__file__).with_suffix(".json")
LEVELS = 11
BATCH = 100  # items between two writes of the result
CHANGED = 4  # slightly changed answers, an item
SHOWN = 10  # disagreements that are kept in words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("families", nargs="*", default=registry.names())
    parser.add_argument("--items", type=int, default=100_000, help="of each family")
    parser.add_argument("--seconds", type=float, default=3600, help="stop after so long")
    parser.add_argument("--workers", type=int, default=pool.cores())
    asked = parser.parse_args()
    ends, commit = time.monotonic() + asked.seconds, _commit()
    result = json.loads(RESULT.read_text()) if RESULT.is_file() else {}
    records = {name: _record(result.get(name), name) for name in asked.families}
    while time.monotonic() < ends:
        behind = [name for name, each in records.items() if each["items"] < asked.items]
        if not behind:
            break
        # The family with the least done first, so that an early end leaves an even picture.
        behind.sort(key=lambda name: records[name]["items"])
        chosen = behind[: asked.workers * 2]
        calls = [(name, records[name]["items"], BATCH) for name in chosen]
        batches = pool.run("truth:examined", calls, asked.workers, seconds=900, chunk=1)
        for name, each in zip(chosen, batches, strict=True):
            _add(records[name], each)
            records[name]["commits"] = sorted({*records[name]["commits"], commit})
        write_json(RESULT, result | records)
    total = sum(each["items"] for each in records.values())
    wrong = sum(each["disagreements"] for each in records.values())
    print(f"{total:,} items of {len(records)} families, {wrong} disagreements: {RESULT}")


def _record(before: dict[str, Any] | None, name: str) -> dict[str, Any]:
    """Where a family stands; from nothing where its code is another."""
    now = {"source": _source(registry.family(name)), "version": registry.family(name).version}
    if before and before | now == before:
        return before
    figures = {"items": 0, "changed": 0, "unconfirmed": 0, "disagreements": 0, "examples": []}
    return now | figures | {"seconds": 0.0, "checks": 0, "check_seconds": 0.0, "commits": []}


def _source(family: AnyFamily) -> str:
    """A digest of the family's file and of all generators' files that it leads to."""
    files: dict[str, bytes] = {}
    waiting = [family.solve.__module__]
    while waiting:
        module = waiting.pop()
        if module in files or module not in modules or not module.startswith(registry.HOME):
            continue
        files[module] = Path(str(modules[module].__file__)).read_bytes()
        for node in ast.walk(ast.parse(files[module])):
            if isinstance(node, ast.ImportFrom) and node.module:
                waiting += [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
    return sha256(b"".join(files[module] for module in sorted(files))).hexdigest()[:16]


def _commit() -> str:
    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    return git("rev-parse", "--short", "HEAD") + (
        "+" if git("status", "--porcelain", "-uno") else ""
    )


def _add(record: dict[str, Any], batch: dict[str, Any] | Failure) -> None:
    if isinstance(batch, Failure):
        batch = {"items": BATCH, "disagreements": 1, "examples": [batch.reason]}
    for key, value in batch.items():
        record[key] = record[key] + value
    record["examples"] = record["examples"][:SHOWN]
    record["seconds"] = round(record["seconds"], 2)
    record["check_seconds"] = round(record["check_seconds"], 3)


def examined(name: str, first: int, count: int) -> dict[str, Any]:
    """A batch of items, in a worker process."""
    family = registry.family(name)
    start = time.process_time()
    wrong: list[str] = []
    tally = {"changed": 0, "unconfirmed": 0, "checks": 0, "check_seconds": 0.0}
    for index in range(first, first + count):
        wrong += _faults(family, index, tally)
    seconds = time.process_time() - start
    return tally | {
        "items": count,
        "disagreements": len(wrong),
        "examples": wrong[:SHOWN],
        "seconds": seconds,
    }


def _faults(family: AnyFamily, index: int, tally: dict[str, Any]) -> Iterator[str]:
    knobs = family.at(index % LEVELS / (LEVELS - 1))
    address = Address(family.name, family.version, freeze(knobs), "truth", 0, index)
    source = rng(address, "puzzle")
    while (puzzle := family.generate(source, knobs)) is None:
        pass
    gold = family.solve(puzzle)
    if gold is None or family.verify(puzzle, gold) != 1:
        yield f"{address.uid}: {disagreement(family, puzzle)}"
        return
    written = family.written(puzzle, gold)
    start = time.process_time()
    verdict = judge(family, puzzle, tagged(written))
    tally["check_seconds"] += time.process_time() - start
    tally["checks"] += 1
    if not verdict.correct or family.answer.read(written) != gold:
        yield f"{address.uid}: gold {written!r} is {verdict} for {freeze(puzzle)}"
    if family.recheck and not family.recheck(puzzle, gold):
        yield f"{address.uid}: recheck refuses gold {written!r} for {freeze(puzzle)}"
    kind, changes = family.kind(puzzle), Random(address.uid)
    for _ in range(CHANGED):
        answer = kind.near(gold, changes)
        if answer == gold:
            continue
        expected = is_wrong(family, puzzle, gold, answer)
        if expected is None:
            tally["unconfirmed"] += 1
            continue
        tally["changed"] += 1
        if (family.verify(puzzle, answer) < 1) != expected:
            yield f"{address.uid}: {answer!r} beside gold {written!r} for {freeze(puzzle)}"


if __name__ == "__main__":
    main()
