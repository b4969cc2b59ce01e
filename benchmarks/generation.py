"""How fast items are made: on one core, by CPU time, beside Reasoning Gym where it has the like.

    make bench

The table goes to generation.md beside this file. An item of ours counts from its address to its
prompt, pictures, gold answer and certificate: it is solved, and verified by another road; theirs is
made, and nothing more. Both make items in turns, in one process, at knobs that are no easier than
the settings theirs comes with. What either does once, before its first item, is not counted.
"""

import argparse
import subprocess
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import version
from itertools import count
from pathlib import Path
from platform import python_version
from typing import Any

import puzzlemill as pm
from puzzlemill.core.storage.files import write_text

RESULT = Path(__file__).with_suffix(".md")
PEER = "reasoning-gym"
LEVELS = (0.0, 0.5, 1.0)
SECONDS = 0.5  # of CPU time for each family and level
ROUNDS, TURN = 8, 0.15  # turns of each, and CPU seconds a turn
MANY = 10**9
SIZES = {"acre": 100, "word_ladder": 20_000}  # the one makes all at once, the other takes no more

# The level at which a family of ours is no easier than theirs as it comes, as far as sizes can say.
# Of ranges of theirs, the middle; where ours ends below theirs (sokoban, hidden_text), the top.
LEVEL = {
    "alternation": 0.35, "anagram_groups": 0.5, "arc_1d": 0.5, "arithmetic_chain": 0.25,
    "banner": 0.25, "blickets": 0.25, "boxnet": 0, "circuit": 0.25, "code_input": 0.5,
    "code_output": 0.4, "countdown": 0.5, "cryptarithm": 0.5, "cube_rotation": 0.2,
    "distances": 0.25, "entailment": 0.25, "futoshiki": 0.75, "game_of_life": 0.75,
    "graph_colouring": 0.25, "grid_rules": 0.5, "hanoi": 0.6, "hidden_text": 1, "insertion":
    0.25, "islands": 0.25, "isomorphic_strings": 0, "jugs": 0.6, "jumble": 1, "kakurasu":
    0.25, "kinship": 0, "knight_swap": 0.25, "knights_knaves": 0, "leg_counting": 0.25,
    "letter_count": 0.25, "letter_machines": 0.25, "life_halting": 1, "list_functions": 0.5,
    "maze": 0.5, "melds": 1, "modulo_grid": 1, "needle": 0.4, "number_filtering": 0,
    "number_sequence": 0.5, "palindrome": 0.25, "palindrome_partition": 0.25, "pooling": 0.25,
    "quantum_lock": 0.5, "queens": 0.5, "ransom_note": 0.25, "rectangle_count": 0.5,
    "reversal": 0.5, "rewriting": 0.5, "rotation": 0.5, "rubiks_cube": 0.7, "rush_hour": 0.6,
    "self_reference": 0.4, "shift": 1, "siblings": 0.25, "sokoban": 1, "sorting": 0.5,
    "spiral": 0.5, "spread": 1, "sudoku": 0.5, "survo": 0.25, "syllogism": 0, "tape_machine":
    0.2, "twenty_four": 0.2, "word_ladder": 0.5, "word_problem": 0.5, "word_sorting": 0.25,
    "zebra": 0.5,
}  # fmt: skip
KNOBS = {"mini_sudoku": {"box_rows": 2, "box_columns": 2, "blanks": 0.62}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("families", nargs="*", default=pm.families())
    chosen = parser.parse_args().families
    warnings.simplefilter("ignore")
    beside = [row for name in chosen for row in _beside(name)]
    alone = [_alone(name) for name in chosen]
    write_text(RESULT, "\n".join(_page(beside, alone)) + "\n")


def _beside(name: str) -> list[str]:
    """Ours and theirs, in turns."""
    rows = []
    for peer in pm.family(name).peers:
        suite, _, task = peer.partition("/")
        if suite != PEER:
            continue
        level = LEVEL.get(name, 0.5)
        ours = iter(pm.generate(name, level=level, seed=1, n=MANY, knobs=KNOBS.get(task)))
        theirs = _theirs(task)
        made, spent = [0, 0], [0.0, 0.0]
        next(ours), next(theirs)
        for _ in range(ROUNDS):
            for side, items in enumerate((ours, theirs)):
                count, seconds = _turn(items, TURN)
                made[side] += count
                spent[side] += seconds
        rate = [many / seconds for many, seconds in zip(made, spent)]
        rates = (_short(rate[0]), task, _short(rate[1]), f"{rate[0] / rate[1]:.2g}")
        rows.append(f"| {name} | {level:g} | {' | '.join(rates)} |")
        print(rows[-1], flush=True)
    return rows


def _alone(name: str) -> str:
    """Items a second at three levels, and the slowest item seen at the highest."""
    cells, slowest = [name], 0.0
    for level in LEVELS:
        items = iter(pm.generate(name, level=level, seed=1, n=MANY))
        next(items)
        made, start = 0, time.process_time()
        while (now := time.process_time()) - start < SECONDS:
            next(items)
            made += 1
            slowest = max(slowest, time.process_time() - now) if level == 1 else 0.0
        cells.append(_short(made / (now - start)))
    cells.append(f"{slowest:.2g}")
    print(cells, flush=True)
    return f"| {' | '.join(cells)} |"


def _theirs(task: str) -> Iterator[Any]:
    import reasoning_gym  # type: ignore[import-not-found]

    for seed in count(1):
        items = reasoning_gym.create_dataset(task, seed=seed, size=SIZES.get(task, 10**6))
        for place in range(len(items)):
            with suppress(RuntimeError):  # maze gives some items up
                yield items[place]


def _turn(items: Iterator[Any], least: float) -> tuple[int, float]:
    """So many items made, in so many CPU seconds."""
    made, start = 0, time.process_time()
    while time.process_time() - start < least:
        next(items)
        made += 1
    return made, time.process_time() - start


def _short(rate: float) -> str:
    return f"{float(f'{rate:.2g}'):g}"


def _page(beside: list[str], alone: list[str]) -> list[str]:
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
    )
    return [
        "# How fast items are made",
        "",
        f"Written by `benchmarks/generation.py`; commit {commit.stdout.strip()}, Python"
        f" {python_version()}, {PEER} {version(PEER)}. Items per CPU second on one core.",
        "",
        "## Beside Reasoning Gym, at its own settings",
        "",
        "Ours is solved, verified by a second road and certified; theirs is made.",
        "",
        "| family | level | ours | their task | theirs | ratio |",
        "|---|---|---|---|---|---|",
        *beside,
        "",
        "## By level",
        "",
        "The last column is the slowest item at level 1, in CPU seconds.",
        "",
        "| family | level 0 | level 0.5 | level 1 | slowest |",
        "|---|---|---|---|---|",
        *alone,
    ]


if __name__ == "__main__":
    main()
