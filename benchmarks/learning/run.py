"""The learning lab: students, influence, breadth and wrong golds, by the likelihood of solutions.

    nice python -m benchmarks.learning.run [--size 0.5m] [--seeds 3] [--only influence]

It may be killed at any time: the next run goes on. Students lie in builds/learning; runs go to a
JSON file for each experiment beside this file, figures of all to result.json, by size.
"""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from benchmarks.learning import bad_data, breadth, influence, mixture
from benchmarks.learning.records import Records
from benchmarks.learning.solutions import families
from benchmarks.learning.students import SIZES, Student, Warmth, student
from puzzlemill.core.storage.files import alone_in, read_json, write_json

HERE = Path(__file__).parent
FOLDER = HERE.parents[1] / "builds" / "learning"
RESULT = HERE / "result.json"
EXPERIMENTS = ("influence", "breadth", "bad_data", "mixture")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", choices=SIZES, default="0.5m")
    parser.add_argument("--steps", type=int, default=2000, help="of warming")
    parser.add_argument("--tokens", type=int, default=0, help="of a step of warming")
    parser.add_argument("--processes", type=int, default=0, help="that make worked solutions")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="of the students")
    parser.add_argument("--results", type=Path, default=HERE, help="folder of runs and figures")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="*", choices=EXPERIMENTS, default=EXPERIMENTS)
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.device != "cpu":
        torch.set_float32_matmul_precision("high")
    with alone_in(options.folder, "the learning lab"):
        division = families(HERE / "families.json")
        warmth = Warmth(
            options.steps, options.tokens, processes=options.processes, device=options.device
        )
        size = SIZES[options.size]
        its_student = student(options.folder / "students", options.size, size, division, warmth)
        its_student.model.to(options.device)
        records = {name: Records.read(options.results / f"{name}.json") for name in EXPERIMENTS}
        for seed in range(options.seeds):
            if "influence" in options.only:
                influence.run(its_student, division, records["influence"], seed)
                influence.align(its_student, division, records["influence"])
            if "breadth" in options.only:
                breadth.run(its_student, division, records["breadth"], seed)
            if "bad_data" in options.only:
                bad_data.run(its_student, division, records["bad_data"], seed)
            write_result(its_student, options.size, records, options.results / RESULT.name)
        if "mixture" in options.only:  # sources are chosen by the influence that all seeds measured
            mixture.run(
                its_student, division, records["mixture"], records["influence"], options.seeds
            )
            write_result(its_student, options.size, records, options.results / RESULT.name)


def write_result(
    its_student: Student, size: str, records: Mapping[str, Records], file: Path
) -> None:
    """The figures of a size, of all that is recorded; those of other sizes stay."""
    division = families(HERE / "families.json")
    figures: dict[str, Any] = {
        "student": its_student.name,
        "weights": sum(weight.numel() for weight in its_student.model.parameters()),
        "influence": influence.figures(its_student, division, records["influence"]),
        "breadth": breadth.figures(its_student, records["breadth"]),
        "bad_data": bad_data.figures(its_student, division, records["bad_data"]),
        "mixture": mixture.figures(its_student, records["mixture"]),
    }
    before = read_json(file) if file.is_file() else {}
    write_json(file, before | {size: figures})
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
