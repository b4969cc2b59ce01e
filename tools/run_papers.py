"""Runs the recipes of recipes/papers, all or those named, and says how long each takes.

Each runs in a folder of its own, which is removed. The exit status tells whether one failed.
"""

import os
import resource
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from papers_page import ROOT, Paper, papers

PROGRAMS = {"puzzlemill": [sys.executable, "-m", "puzzlemill"], "python": [sys.executable]}


def run(paper: Paper) -> str:
    """What went wrong, or nothing."""
    with TemporaryDirectory(prefix=f"{paper.slug}-") as folder:
        for name in ("recipes", "tests", "benchmarks"):  # commands name files as from the clone
            (Path(folder) / name).symlink_to(ROOT / name)
        for command in paper.commands:
            program, *words = shlex.split(command)
            done = subprocess.run(
                [*PROGRAMS[program], *words],
                cwd=folder,
                env=os.environ | {"OMP_NUM_THREADS": "1"},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            if done.returncode:
                return f"{command}\n{done.stdout[-2000:]}"
    return ""


def main(names: list[str]) -> int:
    known = {paper.slug: paper for paper in papers()}
    if unknown := {*names} - {*known}:
        print(f"no recipe: {', '.join(sorted(unknown))}")
        return 2
    failed = []
    print("seconds  CPU seconds  recipe")
    for paper in [known[name] for name in names] or known.values():
        start, before = perf_counter(), _cpu_seconds()
        fault = run(paper)
        took, spent = perf_counter() - start, _cpu_seconds() - before
        print(f"{took:7.1f} {spent:12.1f}  {paper.slug}{' FAILED' if fault else ''}", flush=True)
        if fault:
            failed.append(paper.slug)
            print(fault, flush=True)
    return bool(failed)


def _cpu_seconds() -> float:
    """Of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
