"""Near-duplicates among all prompts of a built benchmark: time and memory; to likes.json.

python benchmarks/pipeline/likes.py builds/pipeline-1000000 [--least 0.9] [--most ITEMS]
"""

import argparse
import json
import resource
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq

from puzzlemill.core.storage.files import write_json
from puzzlemill.filters._words import text_of
from puzzlemill.filters.similar import later_likes

RESULT = Path(__file__).with_name("likes.json")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--least", type=float, default=0.9)
    parser.add_argument("--most", type=int, default=10**9)
    asked = parser.parse_args()
    seen = [0]

    def texts() -> Iterator[str]:
        seen[0] = 0
        for path in sorted((asked.build / "stages" / "generate").glob("*.parquet")):
            for batch in pq.ParquetFile(path).iter_batches(columns=["prompt"]):
                for prompt in batch["prompt"].to_pylist():
                    if seen[0] < asked.most:
                        seen[0] += 1
                        yield text_of(prompt)

    start = time.process_time()
    found = sum(1 for _ in later_likes(texts, asked.least))
    seconds = time.process_time() - start
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    known = json.loads(RESULT.read_text()) if RESULT.is_file() else {}
    figures = {
        "least": asked.least,
        "similar": found,
        "cpu_seconds": round(seconds, 1),
        "cpu_seconds_an_item": round(seconds / seen[0], 6),
        "rss_mib": round(held),
    }
    write_json(RESULT, known | {str(seen[0]): figures})
    print(RESULT.read_text())


if __name__ == "__main__":
    main()
