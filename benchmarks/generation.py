"""How many certified items a second each family makes on one core, by CPU time.

    python benchmarks/generation.py > benchmarks/generation.json

An item counts from its address to its prompt, pictures, gold answer and certificate.
"""

import json
import time

import puzzlemill as pm

LEVELS = (0.0, 0.5, 1.0)
SECONDS = 1.0  # of CPU time for each family and level


def items_a_second(name: str, level: float) -> float:
    items = pm.generate(name, level=level, seed=1, n=1_000_000)
    items[0]  # imports
    start = time.process_time()
    count = 0
    while time.process_time() - start < SECONDS:
        count += 1
        items[count]
    return count / (time.process_time() - start)


def main() -> None:
    result = {
        f"{pm.family(name).category}/{name}": {
            f"level {level:g}": float(f"{items_a_second(name, level):.3g}") for level in LEVELS
        }
        for name in pm.families()
    }
    print(json.dumps(result, indent=2, sort_keys=True))


if __name__ == "__main__":
    main()
