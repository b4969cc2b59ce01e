"""RL of a broadly warmed student on few and many families: pass rates, on a GPU or a CPU.

    python -m benchmarks.learning.reinforce --size 30m --warm 2000 --device cuda --minutes 8.5

A student is warmed on the base and the source families; then each run of each experiment starts
from it, several at a time. Runs are recorded one by one in the folder, and what is recorded is not
done again: the same command goes on. With --minutes no run is begun that would not end in time.
"""

import argparse
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from threading import Thread
from time import time
from typing import Any

import torch

from benchmarks.learning import arms, runner
from benchmarks.learning.arms import BEFORE, EXPERIMENTS, Scale
from benchmarks.learning.items import Place, Row, rows_at
from benchmarks.learning.runner import Job
from benchmarks.learning.solutions import Families, families
from benchmarks.learning.students import SIZES, Warmth, student
from puzzlemill.core.storage.files import alone_in, read_json, write_json
from puzzlemill.core.storage.pool import CORES

HERE = Path(__file__).parent
FOLDER = HERE.parents[1] / "builds" / "learning"
JUDGES = 2  # worker processes of each run

Runs = dict[str, Any]  # by key


@dataclass(frozen=True, slots=True)
class Limits:
    at_once: int  # runs
    until: float  # seconds since the epoch
    reserve: float  # seconds that a run takes, as long as none has ended


def main() -> None:
    options = _options()
    start, folder = time(), options.folder
    until = start + options.minutes * 60 if options.minutes else float("inf")
    torch.set_num_threads(1)
    if options.device != "cpu":
        torch.set_float32_matmul_precision("high")
    division = families(HERE / "families.json")
    scale = Scale(options.steps, options.prompts, options.group, options.rate, options.items)
    chosen = [
        (arm, seed)
        for name in options.only
        for seed in range(options.seeds)
        for arm in EXPERIMENTS[name]
        if not options.arms or arm.name in options.arms
    ]
    limits = Limits(options.jobs, until, options.reserve)
    with alone_in(folder, "the learning lab"), _workers(options.jobs, options.device) as workers:
        rows = _Rows(division, chosen, scale)
        rows.start()
        warmth = Warmth(
            options.warm,
            options.tokens,
            options.warm_seconds,
            broad=True,
            processes=options.processes,
            device=options.device,
        )
        its_student = student(
            folder / "students", options.size, SIZES[options.size], division, warmth
        )
        _say(start, f"student {its_student.name}")
        rows.join()
        _say(start, f"{len(rows.made)} items")
        path, runs = folder / "students" / its_student.name, options.results or folder / "rl.json"
        jobs = _jobs(rows, path, its_student.name, scale, options.device, until)
        for key, result in done(workers, jobs, runs, limits):
            _say(start, f"{key}: {result['seconds']}, reward {_ends(result)}")
    _say(start, f"ends with {len(read_json(runs))} runs" if runs.is_file() else "ends without runs")


@contextmanager
def _workers(count: int, device: str) -> Iterator[ProcessPoolExecutor]:
    """Processes for the runs, which come up while the student is warmed."""
    told = os.environ.get(CORES)
    os.environ[CORES] = str(JUDGES)  # for these alone
    with ProcessPoolExecutor(count, get_context("spawn")) as workers:
        for _ in range(count):
            workers.submit(runner.awake, device)
        os.environ.pop(CORES)
        if told:
            os.environ[CORES] = told
        yield workers


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", choices=SIZES, default="0.5m")
    parser.add_argument("--warm", type=int, default=2000, help="steps of warming")
    parser.add_argument("--warm-seconds", type=float, default=0, help="that end it earlier")
    parser.add_argument("--tokens", type=int, default=0, help="of a step of warming")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--minutes", type=float, default=0, help="0: as long as it takes")
    parser.add_argument("--reserve", type=float, default=60, help="seconds that a run takes")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--processes", type=int, default=0, help="that make worked solutions")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="*", choices=EXPERIMENTS, default=[*EXPERIMENTS])
    parser.add_argument("--arms", nargs="*", default=[])
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--results", type=Path, help="the file of the runs; the folder's rl.json")
    for name in ("steps", "prompts", "group", "items"):
        parser.add_argument(f"--{name}", type=int, default=getattr(Scale(), name))
    parser.add_argument("--rate", type=float, default=Scale().rate)
    return parser.parse_args()


class _Rows(Thread):
    """Items of all runs, made while the student is warmed."""

    def __init__(
        self, division: Families, chosen: list[tuple[arms.Arm, int]], scale: Scale
    ) -> None:
        super().__init__(daemon=True)
        self.chosen = chosen
        self.learned = [arms.places_of(arm, seed, division, scale) for arm, seed in chosen]
        self.common = arms.measured_places(division, scale)
        seeds = sorted({seed for _, seed in chosen})
        self.own = {seed: arms.own_places(division, seed, scale) for seed in seeds}
        self.made: dict[Place, Row] = {}

    def run(self) -> None:
        sets = [*self.learned, *self.common.values()]
        sets += [own for each in self.own.values() for own in each.values()]
        wanted = list(dict.fromkeys(place for each in sets for place in each))
        self.made = rows_at(wanted)

    def at(self, wanted: list[Place]) -> list[Row]:
        return [self.made[place] for place in wanted if place in self.made]


def _jobs(
    rows: _Rows, path: Path, name: str, scale: Scale, device: str, until: float
) -> Iterator[Job]:
    """The student as it is, then the runs."""
    common = {each: rows.at(wanted) for each, wanted in rows.common.items()}
    own = {
        seed: {each: rows.at(wanted) for each, wanted in sets.items()}
        for seed, sets in rows.own.items()
    }
    its_all = common | {each: found for sets in own.values() for each, found in sets.items()}
    yield Job(f"{name} {BEFORE}", None, 0, [], its_all, path, scale, device, until)
    for (arm, seed), learned in zip(rows.chosen, rows.learned, strict=True):
        key = f"{name} {scale.steps}x{scale.prompts}x{scale.group}@{scale.rate:g} {arm.name} {seed}"
        measured = common | own[seed]
        yield Job(key, arm, seed, rows.at(learned), measured, path, scale, device, until)


def done(
    workers: ProcessPoolExecutor, jobs: Iterable[Job], file: Path, limits: Limits
) -> Iterator[tuple[str, Any]]:
    """Key and result of each run that is not recorded yet, as they end."""
    runs: Runs = read_json(file) if file.is_file() else {}
    waiting = [job for job in jobs if job.key not in runs]
    longest: dict[str, float] = {}  # seconds, by the kind of run
    going: dict[Future[Any], Job] = {}
    while True:
        for job in list(waiting):
            expected = longest.get(_kind(job), limits.reserve)
            if len(going) < limits.at_once and time() + expected < limits.until:
                going[workers.submit(runner.run, job)] = job
                waiting.remove(job)
        if not going:
            return
        for future in wait(going, return_when=FIRST_COMPLETED).done:
            job = going.pop(future)
            if error := future.exception():  # the others go on, and it is tried again next time
                print(f"{job.key}: {error!r}", flush=True)
            elif (result := future.result()) is not None:
                runs[job.key] = result
                write_json(file, runs)
                seconds = result["seconds"]["all"]
                longest[_kind(job)] = max(longest.get(_kind(job), 0.0), seconds)
                yield job.key, result


def _kind(job: Job) -> str:
    if job.arm is None:
        return BEFORE
    return "SFT" if job.arm.imitates else "RL"


def _ends(result: Any) -> str:
    curve = [each.get("reward", each.get("loss")) for each in result["curve"]]
    return f"{curve[0]:.3f} to {sum(curve[-5:]) / len(curve[-5:]):.3f}" if curve else "-"


def _say(start: float, text: str) -> None:
    print(f"{time() - start:6.1f} s: {text}", flush=True)


if __name__ == "__main__":
    main()
