"""A pool whose pass rates are known: items that the bundled policy was asked many times.

    python benchmarks/difficulty/pool.py

Writes pool.json beside this file: for every item its family, its level, how many of so many replies
were right, and what its solution's log-probability is. The benchmark draws its replies from these
rates.
"""

import json
from pathlib import Path

from puzzlemill.core import registry
from puzzlemill.core.item import address_at, make
from puzzlemill.core.rows import row_of
from puzzlemill.difficulty.policies.loading import load_policy
from puzzlemill.difficulty.scoring import judge_groups, judge_here, question_of
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.difficulty.signals import signals

POOL = Path(__file__).with_name("pool.json")
# Families that the policy knows, and some that it does not.
KNOWN = registry.names("basics")
STRANGE = ("countdown", "gcd", "insertion", "linear_system", "spread", "word_sorting")
LEVELS = [place / 8 for place in range(9)]
ITEMS, REPLIES, STRANGE_REPLIES = 10, 96, 16  # of each family and level; to each item


def main() -> None:
    found = [
        [family, level, right, replies, signal]
        for family, replies in [
            *((name, REPLIES) for name in KNOWN),
            *((name, STRANGE_REPLIES) for name in STRANGE),
        ]
        for level in LEVELS
        for right, signal in counted(family, level, replies)
    ]
    POOL.write_text("[\n" + ",\n".join(map(json.dumps, found)) + "\n]\n")
    print(f"{len(found)} items: {POOL}")


def counted(family: str, level: float, replies: int) -> list[tuple[int, float]]:
    """How many replies to each item of a cell are right, and its signal."""
    policy = load_policy(PolicySettings())
    known = registry.family(family)
    rows = [
        row_of(make(known, address_at(known, level, seed=5, index=index), level))
        for index in range(ITEMS)
    ]
    groups = policy.sample([question_of(row, "pool") for row in rows], replies)
    verdicts = judge_groups(rows, groups, judge_here)
    right = [sum(verdict.correct for verdict in group) for group in verdicts]
    told = [round(value or 0.0, 3) for value in signals(policy, rows, "solution")]
    return list(zip(right, told, strict=True))


if __name__ == "__main__":
    main()
