"""Items of Reasoning Gym, as text: what benchmarks/learning/beside_gym.py learns and measures.

    python benchmarks/learning/gym_items.py builds/learning/gym.json

It needs reasoning-gym alone. A dataset's item is fixed by its seed plus its place, so the seeds of
training and test lie far apart.
"""

import argparse
import json
import os
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp
from time import process_time

import reasoning_gym  # type: ignore[import-not-found]
from reasoning_gym.factory import DATASETS  # type: ignore[import-not-found]

SEEDS = {"train": 1, "test": 10**7}
EACH = {"train": 400, "test": 40}
SECONDS = 4.0  # of CPU time for each dataset and split
LEAST = 20  # items; a source with fewer is left out
LONGEST = 1000  # characters of a question and its answer


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path)
    file = parser.parse_args().file.resolve()
    os.chdir(mkdtemp())  # codeio runs programs, and some write files where they are run
    items = {name: of_dataset(name) for name in sorted(DATASETS) if name != "composite"}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({name: found for name, found in items.items() if found}))


def of_dataset(name: str) -> dict[str, list[tuple[str, str]]]:
    """Questions and answers of both splits; nothing where its texts are long or it is slow."""
    found: dict[str, list[tuple[str, str]]] = {}
    for split, seed in SEEDS.items():
        start, pairs = process_time(), []
        try:
            for entry in islice(reasoning_gym.create_dataset(name, seed=seed, size=1000), 800):
                question, answer = entry["question"], entry["answer"]
                if isinstance(answer, str) and len(question) + len(answer) <= LONGEST:
                    pairs.append((question, answer))
                if len(pairs) == EACH[split] or process_time() - start > SECONDS:
                    break
        except (AssertionError, LookupError, RuntimeError, ValueError) as error:  # theirs
            print(f"{name}: {type(error).__name__}: {error}")
            return {}
        if len(pairs) < LEAST:
            print(f"{name}: {len(pairs)} short items of the split {split}")
            return {}
        found[split] = pairs
    return found


if __name__ == "__main__":
    main()
