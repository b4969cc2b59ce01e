"""Worlds, families whose rules are drawn: speed, rule sets, rules needed, golds, guesses, a policy.

    .venv/bin/python -m benchmarks.worlds.run [FAMILY …] [--seconds 120]

Results go to result.json beside this file, part by part, so that a killed run goes on. A family is
measured again only if its version has risen; where it lacks draws of rule sets, or golds, and there
are more seconds now, these are drawn again. CPU seconds are counted, in one process.
"""

import argparse
import json
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from math import comb
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import puzzlemill as pm
from benchmarks.worlds.pass_rates import pass_rates
from benchmarks.worlds.rule_draws import drawing, forms
from puzzlemill.core import registry
from puzzlemill.core.family import AnyFamily, levels
from puzzlemill.core.plain_data import canonical_json
from puzzlemill.core.proof.probes import guesses
from puzzlemill.core.storage.files import write_text

RESULT = Path(__file__).with_name("result.json")
SECONDS = 0.25  # of CPU time for each level's rate
LEVELS = (0.0, 0.5, 1.0)
# Of puzzles at the top rung, for rule sets: no equal pair among so many shows a million of them.
# Where there is one, so many more are drawn that what is counted tells.
DRAWS, MORE_DRAWS = 2600, 9000
RULE_DRAWS, RULE_SECONDS = 100_000, 60.0  # of rule sets alone, where a family draws them first
CHECKED = 4000  # puzzles at each rung whose golds are compared, if there are seconds for so many
# Of the middle and the top rung, puzzles that lose their parts; and of each rung, guessed ones.
REMOVED, REMOVED_SECONDS = 60, 2.0
GUESSED, GUESSED_SECONDS = 100, 5.0
FEWEST = 40  # puzzles that tell how often a guess is right
# With so many equal pairs seen, at most so many are expected (Poisson, 95%); beyond, by a normal.
EXPECTED = (3.0, 4.74, 6.3, 7.75, 9.15, 10.51)
MANY = 10**9


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    worlds = [name for name in pm.families() if registry.family(name).category == "worlds"]
    parser.add_argument("families", nargs="*", default=worlds)
    parser.add_argument("--seconds", type=float, default=120, help="of drawing at the top rung")
    parser.add_argument("--checked", type=float, default=5, help="seconds of golds at each rung")
    options = parser.parse_args()
    for name in options.families:
        for found in _measured(registry.family(name), _results().get(name, {}), options):
            results = _results() | {name: found}  # another run may have written meanwhile
            whole = {
                each: results[each] for each in worlds if set(results.get(each, ())) > set(PARTS)
            }
            results["all"] = _whole(whole)
            write_text(RESULT, json.dumps(results, indent=1, sort_keys=True) + "\n")
        print(name, json.dumps(_results()[name]), flush=True)


def _results() -> dict[str, Any]:
    return json.loads(RESULT.read_text()) if RESULT.is_file() else {}


def _measured(
    family: AnyFamily, found: dict[str, Any], options: Namespace
) -> Iterator[dict[str, Any]]:
    """What was found so far, after each part that was missing."""
    if found.get("version") != family.version:
        found = {"version": family.version}
    for part, measure in PARTS.items():
        if part not in found or _lacks(part, found[part], options):
            found = found | {part: measure(family, options)}
            yield found


def _lacks(part: str, before: Any, options: Namespace) -> bool:
    """Whether more would be drawn now, and is wanted."""
    if part == "golds":
        return bool(before.get("seconds", 0) < options.checked)
    if part != "rule_sets" or before["seconds"] >= options.seconds:
        return False
    shown = max(before["at_least"], before.get("forms") or 0) >= 10**6
    return not shown and before["draws"] < MORE_DRAWS


def _whole(results: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """What the issue asks for, over all families."""
    sets = {name: each["rule_sets"] for name, each in results.items()}
    million = [name for name, it in sets.items()
               if max(it["at_least"], it.get("forms") or 0) >= 10**6]  # fmt: skip
    fast = [name for name, each in results.items() if each["items_per_second"]["0.5"] >= 50]
    return {
        "families": len(results),
        "a_million_rule_sets": len(million),
        "without_a_million": sorted(set(results) - set(million)),
        "fast_enough": len(fast),
        "too_slow": sorted(set(results) - set(fast)),
        "golds": {
            key: sum(each["golds"][key] for each in results.values())
            for key in ("compared", "differ")
        },
        "least_needed": min(each["needed"]["share"] for each in results.values()),
        "largest_guess_rate": max(
            rate or 0 for each in results.values() for rate in each["guess_rates"].values()
        ),
    }


def _rate(name: str, level: float) -> float:
    items = iter(pm.generate(name, level=level, seed=1, n=MANY))
    next(items)
    made, start = 0, time.process_time()
    while (spent := time.process_time() - start) < SECONDS:
        next(items)
        made += 1
    return round(made / spent, 1)


def _rule_sets(family: AnyFamily, seconds: float) -> dict[str, Any]:
    """Of n draws from N equally likely rule sets, n(n - 1) / 2N pairs are equal on average.

    The pairs seen tell N, or less where some sets are likelier than others; `at_least` is the
    lower end of a 95% interval. `forms` is their exact number, where that is counted.
    """
    assert family.kin, f"{family.name}: a family of worlds has a kin"
    knobs = family.ladder[-1]
    every: Iterator[Any]
    draw = drawing(family.name)
    if draw:
        rng, start = Random(f"rules of {family.name}"), time.process_time()
        every = (draw(rng, knobs) for _ in range(RULE_DRAWS)
                 if time.process_time() - start < min(seconds, RULE_SECONDS))  # fmt: skip
        how = "rule sets drawn alone"
    else:
        every = _puzzles(family, knobs, seconds)
        how = "puzzles"
    kins = (canonical_json(family.kin(puzzle)) for puzzle in every if puzzle)
    counts = Counter(kins if draw else islice(kins, DRAWS))
    if not draw and len(counts) < counts.total():
        counts.update(islice(kins, MORE_DRAWS - DRAWS))
    draws, pairs = counts.total(), sum(comb(count, 2) for count in counts.values())
    most = EXPECTED[pairs] if pairs < len(EXPECTED) else pairs + 1.65 * pairs**0.5 + 1
    return {
        "of": how,
        "forms": forms(family.name, knobs),
        "seconds": seconds,
        "draws": draws,
        "equal_pairs": pairs,
        "estimate": round(comb(draws, 2) / pairs) if pairs else None,
        "at_least": round(comb(draws, 2) / most),
    }


def _golds(family: AnyFamily, seconds: float) -> dict[str, float]:
    agreed = [_agreed(family, knobs, seconds) for knobs in family.ladder]
    return {"compared": sum(it for it, _ in agreed), "differ": sum(it for _, it in agreed),
            "seconds": seconds}  # fmt: skip


def _agreed(family: AnyFamily, knobs: Any, seconds: float) -> tuple[int, int]:
    """Puzzles whose gold, by the engine, was judged by the interpreter; and those it refused."""
    drawn = islice(_puzzles(family, knobs, seconds), CHECKED)
    scores = [family.verify(puzzle, family.solve(puzzle)) for puzzle in drawn]
    return len(scores), sum(score < 1 for score in scores)


def _needed(family: AnyFamily) -> dict[str, Any]:
    """The share of items all of whose parts are needed, and of parts: without them, the answer is
    another one."""
    assert family.without, f"{family.name}: a family of worlds has parts"
    whole, needed = list[bool](), list[bool]()
    for knobs in (family.at(0.5), family.ladder[-1]):
        for puzzle in islice(_puzzles(family, knobs, REMOVED_SECONDS), REMOVED):
            gold = family.solve(puzzle)
            parts = [family.solve(fewer) != gold for fewer in family.without(puzzle)]
            needed += parts
            whole.append(all(parts))
    return {"share": round(fmean(whole), 4), "items": len(whole), "parts": len(needed),
            "share_of_parts": round(fmean(needed), 4)}  # fmt: skip


def _guessed(family: AnyFamily, knobs: Any) -> float | None:
    """The best that the commonest answers, or random ones of the right form, score; None where too
    few puzzles were drawn in time."""
    drawn = [*islice(_puzzles(family, knobs, GUESSED_SECONDS), GUESSED)]
    return round(guesses(family, drawn).right, 4) if len(drawn) >= FEWEST else None


def _puzzles(family: AnyFamily, knobs: Any, seconds: float) -> Iterator[Any]:
    rng, start = Random(f"rule sets of {family.name}"), time.process_time()
    while time.process_time() - start < seconds:
        if (puzzle := family.generate(rng, knobs)) is not None:
            yield puzzle


def _by_rung(family: AnyFamily, measure: Callable[[AnyFamily, Any], Any]) -> dict[str, Any]:
    rungs = zip(levels(family), family.ladder, strict=True)
    return {f"{level:g}": measure(family, knobs) for level, knobs in rungs}


PARTS: dict[str, Callable[[AnyFamily, Namespace], Any]] = {
    "items_per_second": lambda family, _: {f"{it:g}": _rate(family.name, it) for it in LEVELS},
    "rule_sets": lambda family, options: _rule_sets(family, options.seconds),
    "golds": lambda family, options: _golds(family, options.checked),
    "needed": lambda family, _: _needed(family),
    "guess_rates": lambda family, _: _by_rung(family, _guessed),
    "pass_rates": lambda family, _: pass_rates(family),
}

if __name__ == "__main__":
    main()
