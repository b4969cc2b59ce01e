"""How fast items are made: on one core, by CPU time, beside Reasoning Gym where it has the like.

    make bench

The table goes to generation.md beside this file, and its figures in short to generation.json. An
item of ours counts from its address to its prompt, pictures, gold answer and certificate: it is
solved, and verified by another road; theirs is made, and nothing more. Ours is therefore measured
twice, certified and merely made. Both make items in turns, in one process, at knobs that are no
easier than the settings theirs comes with. What either does once, before its first item, is not
counted.

Each family's figures are kept in builds/bench, under the commit: ended in the middle, it goes on
where it stopped. `--seconds` is the CPU time of each figure; two runs are compared with the same.
Of families that are named, the figures are printed and nothing is written.

`loop_seconds` is what a plain loop of five million turns takes: by it, two machines are compared.

`--ours` measures ours alone, at level 0.5, where Reasoning Gym is not installed. It writes
generation.json, without the figures of rows beside.
"""

import argparse
import gc
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from itertools import count
from pathlib import Path
from platform import python_version
from statistics import median
from typing import Any

import puzzlemill as pm
from puzzlemill.core.item import draft_many
from puzzlemill.core.storage.files import write_json, write_text

RESULT = Path(__file__).with_suffix(".md")
FIGURES = Path(__file__).with_suffix(".json")
PEER = "reasoning-gym"
LEVELS = (0.0, 0.5, 1.0)
KEPT = Path("builds", "bench")  # the figures of each family, by commit
SECONDS = 0.2  # of CPU time for each figure: of a family at a level, of a side of a row beside
FEWEST = 5  # items that a figure rests on, however long they take
STARTS = 5  # processes that import the package, and as many that run the plain loop
TIMED = "from time import process_time as now; t = now(); {}; print(now() - t)"
IMPORT = "import puzzlemill"
LOOP = "sum(turn * turn & 7 for turn in range(5_000_000))"  # how fast the machine itself is
ROUNDS = 4  # turns that each side has
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

PROVED = """
## What is proved, and how

- Made: the puzzle is drawn until it falls into its split, worded and written. Nothing is proved
  but what `generate` builds in.
- Certified: `solve` finds gold from the puzzle alone, and `verify` finds it right by the rules,
  by another road. Where they do not meet, the item has no certificate. `constructed` says no more
  than that; `solved` that the solver does not look at the construction; `unique` that it also
  searched for a second answer and found none.
- A puzzle of another split is thrown away before it is solved: 1.25 draws an item of `train`, 10
  of `test`. The split hangs on the canonical form, so it cannot be drawn first.
"""


@dataclass(frozen=True, slots=True)
class Beside:
    """Items a CPU second of ours and of theirs."""

    family: str
    level: float
    task: str
    certified: float
    made: float
    theirs: float


@dataclass(frozen=True, slots=True)
class Alone:
    """Items a CPU second of a family, and verdicts on its gold answers."""

    family: str
    certified: dict[str, float]  # by level
    made: float  # at level 0.5, as are the verdicts
    verdicts: float
    slowest: float  # CPU seconds of one item, at level 1


@dataclass(frozen=True, slots=True)
class Measured:
    """What a family came to, and the CPU seconds that this took."""

    beside: list[Beside]
    alone: Alone
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("families", nargs="*", default=pm.families())
    parser.add_argument("--ours", action="store_true", help="measure ours alone, at level 0.5")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each figure")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    kept = KEPT / f"{_commit()}-{chosen.seconds:g}{'-ours' if chosen.ours else ''}"
    measured = [_kept(kept, name, chosen.seconds, chosen.ours) for name in chosen.families]
    beside = [row for each in measured for row in each.beside]
    alone = [each.alone for each in measured]
    spent = {"seconds": chosen.seconds, "cpu_seconds": round(sum(m.seconds for m in measured))}
    figures = _figures(beside, alone) | spent
    print(json.dumps(figures, indent=2))
    if chosen.families != pm.families():  # a look at some
        return
    write_json(FIGURES, figures)
    if not chosen.ours:
        write_text(RESULT, "\n".join(_page(beside, alone)) + "\n")


def _kept(folder: Path, name: str, seconds: float, only_ours: bool) -> Measured:
    """A family's figures, measured unless they are kept."""
    path = folder / f"{name}.json"
    if not path.is_file():
        gc.collect()
        gc.freeze()  # what the families before have kept is not looked through in this one's time
        start = time.process_time()
        beside = [] if only_ours else _beside(name, seconds)
        alone = _alone(name, (0.5,) if only_ours else LEVELS, seconds)
        measured = Measured(beside, alone, time.process_time() - start)
        folder.mkdir(parents=True, exist_ok=True)
        write_json(path, asdict(measured))
        print(alone, *beside, sep="\n", flush=True)
    told = json.loads(path.read_text())
    beside = [Beside(**row) for row in told["beside"]]
    return Measured(beside, Alone(**told["alone"]), told["seconds"])


def _beside(name: str, seconds: float) -> list[Beside]:
    """Ours and theirs, in turns."""
    rows = []
    for peer in pm.family(name).peers:
        suite, _, task = peer.partition("/")
        if suite != PEER:
            continue
        level = LEVEL.get(name, 0.5)
        ours = pm.generate(name, level=level, seed=1, n=MANY, knobs=KNOBS.get(task))
        sides = iter(ours), _drafts(ours), _theirs(task)
        made, spent = [0, 0, 0], [0.0, 0.0, 0.0]
        for items in sides:
            next(items)
        for _ in range(ROUNDS):
            for side, items in enumerate(sides):
                count, passed = _turn(items, seconds / ROUNDS)
                made[side] += count
                spent[side] += passed
        rates = [many / passed for many, passed in zip(made, spent)]
        rows.append(Beside(name, level, task, *rates))
    return rows


def _alone(name: str, levels: Sequence[float], seconds: float) -> Alone:
    """Items a second at some levels, and the slowest item seen at the highest."""
    certified, slowest, verdicts, made = {}, 0.0, 0.0, 0.0
    for level in levels:
        ours = pm.generate(name, level=level, seed=1, n=MANY)
        items = iter(ours)
        pm.check(first := next(items), first.answer)
        kept: list[pm.Item] = []
        start = time.process_time()
        while (now := time.process_time()) - start < seconds or len(kept) < FEWEST:
            kept.append(next(items))
            slowest = max(slowest, time.process_time() - now) if level == 1 else 0.0
        certified[f"{level:g}"] = len(kept) / (now - start)
        if level == 0.5:
            verdicts = _verdicts(kept)
            many, spent = _turn(_drafts(ours), seconds)
            made = many / spent
    return Alone(name, certified, made, verdicts, slowest)


def _drafts(items: pm.Items) -> Iterator[pm.Item]:
    """The same items, neither solved nor verified."""
    return draft_many(items.family, items.address, items.level, items.indices)


def _verdicts(items: Sequence[pm.Item]) -> float:
    """Verdicts a second on gold answers, each read once."""
    replies = [f"<answer>{item.answer}</answer>" for item in items]
    start = time.process_time()
    for item, reply in zip(items, replies):
        pm.check(item, reply)
    return len(items) / (time.process_time() - start)


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


def _figures(beside: Sequence[Beside], alone: Sequence[Alone]) -> dict[str, float | str]:
    """The figures in short: of all families at level 0.5, and of the rows beside."""
    figures: dict[str, float | str] = {
        "commit": _commit(),
        "python": python_version(),
        "families": len(alone),
        **_spread([row.certified["0.5"] for row in alone]),
        **_spread([row.made for row in alone], "made_"),
        **_spread([row.certified["1"] for row in alone if "1" in row.certified], "level_1_"),
        "check_median": _rounded(median(row.verdicts for row in alone)),
        "import_seconds": _process_seconds(IMPORT),
        "loop_seconds": _process_seconds(LOOP),
    }
    if beside:
        certified = [row.certified / row.theirs for row in beside]
        made = [row.made / row.theirs for row in beside]
        figures |= {
            "shared_rows": len(beside),
            "shared_rows_ahead": sum(ratio > 1 for ratio in certified),
            "shared_rows_ahead_made": sum(ratio > 1 for ratio in made),
            "median_ratio": _rounded(median(certified)),
            "median_ratio_made": _rounded(median(made)),
        }
    return figures


def _process_seconds(line: str) -> float:
    """CPU seconds of a line of Python in a process of its own: the median of a few."""
    command = [sys.executable, "-c", TIMED.format(line)]
    run = partial(subprocess.run, command, capture_output=True, text=True, check=True)
    return round(median(float(run().stdout) for _ in range(STARTS)), 3)


def _spread(rates: Sequence[float], prefix: str = "") -> dict[str, float]:
    if not rates:
        return {}
    figures = {"median": median(rates), "p10": sorted(rates)[len(rates) // 10], "least": min(rates)}
    return {f"{prefix}{which}": _rounded(rate) for which, rate in figures.items()}


def _commit() -> str:
    return subprocess.run(
        ["git", "describe", "--always", "--dirty", "--exclude=*"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def _rounded(rate: float) -> float:
    return float(f"{rate:.3g}")


def _page(beside: Sequence[Beside], alone: Sequence[Alone]) -> list[str]:
    pairs = [
        f"| {row.family} | {row.level:g} | {_short(row.certified)} | {_short(row.made)} |"
        f" {row.task} | {_short(row.theirs)} | {row.certified / row.theirs:.2g} |"
        f" {row.made / row.theirs:.2g} |"
        for row in beside
    ]
    rates = [
        f"| {row.family} | {' | '.join(map(_short, row.certified.values()))} |"
        f" {_short(row.made)} | {_short(row.verdicts)} | {row.slowest:.2g} |"
        for row in alone
    ]
    return [
        "# How fast items are made",
        "",
        f"Written by `benchmarks/generation.py`; commit {_commit()}, Python {python_version()},"
        f" {PEER} {version(PEER)}. Items per CPU second on one core.",
        "",
        *PROVED.strip().split("\n"),
        "",
        "## Beside Reasoning Gym, at its own settings",
        "",
        "Ours is solved, verified by a second road and certified; theirs is made. The columns that"
        " are called made are of ours without solving and verifying.",
        "",
        "| family | level | ours | ours, made | their task | theirs | ratio | ratio, made |",
        "|---|---|---|---|---|---|---|---|",
        *pairs,
        "",
        "## By level",
        "",
        "Items are certified; made, at level 0.5, counts them without solving and verifying, and"
        " verdicts are those on their gold answers. The last column is the slowest item at level 1,"
        " in CPU seconds.",
        "",
        "| family | level 0 | level 0.5 | level 1 | made | verdicts | slowest |",
        "|---|---|---|---|---|---|---|",
        *rates,
    ]


if __name__ == "__main__":
    main()
