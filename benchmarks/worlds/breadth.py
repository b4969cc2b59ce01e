"""Breadth: a small policy learns k = 1, 10, 100, 1,000 rule sets; what does it do with unseen ones?

    nice .venv/bin/python -m benchmarks.worlds.breadth [--seeds 3] [--steps 200] [--device cuda]

Every policy starts from nothing and learns as many worked solutions for as many steps. A rule set
is a drawn instruction of a machine (invented_machine) that tells two cases apart; the wider choice
contains the narrower.
A record is written after each run, so that a killed experiment goes on; docs/breadth.svg is drawn
again after each one, and breadth.json beside this file has the figures.
"""

import argparse
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch

from benchmarks.learning.records import Records, rounded
from benchmarks.worlds.breadth_plot import drawing
from puzzlemill.core import registry
from puzzlemill.core.family import AnyFamily, Style
from puzzlemill.core.item import worked
from puzzlemill.core.storage.files import alone_in, write_json, write_text
from puzzlemill.difficulty.policies.transformer import Transformer, fresh
from puzzlemill.generators.worlds import invented_machine
from puzzlemill.generators.worlds._instructions import NAMES
from puzzlemill.generators.worlds._program_terms import (
    drawn_instructions,
    numbered,
    rule_set,
    rules_told,
)
from puzzlemill.trainer.imitation import (
    ExampleBatch,
    example_batches,
    imitate,
    optimizers_for,
    padded,
    scale_rates,
)
from puzzlemill.trainer.tiny import Pair, encoded, give_a_head_start, rate_share, shape
from puzzlemill.trainer.tiny_tokens import ENDING, TinyTokens, build_tokens

HERE = Path(__file__).parent
FOLDER = HERE.parents[1] / "builds" / "worlds_breadth"
DRAWN = HERE.parents[1] / "docs" / "breadth.svg"

BREADTHS = (1, 10, 100, 1000)
KNOBS = invented_machine.Knobs(instructions=1, effects=1, cases=1, registers=2, lines=2, loops=0)
SKIN = "formulas"
OTHER = "invented_operators"  # another kind of rules
OTHER_LEVEL = 0.25
ITEMS = 4000  # that a policy learns from, whatever the number of rule sets
ASKED = 300  # of each kind of question
TOKENS = 1024  # a step
KINDS = ("seen", "unseen", "other")
MEASURES = ("right", "nats")  # the share of solutions said without a slip; a token's loss


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    options = parser.parse_args()
    torch.set_num_threads(1)
    with alone_in(FOLDER, "the breadth of worlds"):
        records = Records.read(HERE / "breadth_runs.json")
        for seed in range(options.seeds):
            for breadth in BREADTHS:
                key = f"{breadth} rule sets, {options.steps} steps, seed {seed}"
                found = records.of(key, partial(run, breadth, seed, options.steps, options.device))
                print(key, found, flush=True)
                figures = summary(records, options.steps)
                write_json(HERE / "breadth.json", figures)
                write_text(DRAWN, drawing(figures["by_rule_sets"]))


def run(breadth: int, seed: int, steps: int, device: str) -> list[float]:
    """Right and nats of each kind of question, in the order of KINDS."""
    tokens = tokens_of(seed)
    learned = rule_sets(seed)[:breadth]
    each = [machines(f"learn {seed}", rules) for rules in learned]
    pairs = list(islice((next(source) for source in _cycled(each)), ITEMS))
    model = fresh(shape(tokens), seed)
    give_a_head_start(model)
    taught(model.to(torch.device(device)), tokens, pairs, steps, seed)
    asked = [questions(kind, seed, learned) for kind in KINDS]
    return [figure for pairs in asked for figure in measured(model, tokens, pairs)]


def taught(
    model: Transformer, tokens: TinyTokens, pairs: Sequence[Pair], steps: int, seed: int
) -> None:
    """Steps over the same solutions, pass after pass."""
    examples, rng = encoded(tokens, pairs), Random(f"order {seed}")

    def batches() -> Iterator[ExampleBatch]:
        while True:
            yield from example_batches(examples, TOKENS, rng)

    optimizers = optimizers_for(model)
    scale_rates(optimizers, rate_share(0.0))
    for step, _ in enumerate(imitate(model, islice(batches(), steps), optimizers), start=1):
        scale_rates(optimizers, rate_share(step / steps))


@torch.no_grad()
def measured(model: Transformer, tokens: TinyTokens, pairs: Sequence[Pair]) -> tuple[float, float]:
    """The share of solutions whose every token is the likeliest one, as greedy sampling would say
    them; and a token's loss, in nats."""
    right, nats, count = 0, 0.0, 0
    examples = encoded(tokens, pairs)
    for at in range(0, len(examples), 50):
        batch = padded(examples[at : at + 50])
        tokens_BT = batch.tokens_BT.to(model.device)
        next_BT = batch.mask_BT[:, 1:].to(model.device)
        logits_BTV = model.logits(model(tokens_BT[:, :-1])).float()
        logp_BTV = logits_BTV.log_softmax(-1)
        logp_BT = logp_BTV.gather(-1, tokens_BT[:, 1:, None])[..., 0]
        same_BT = logits_BTV.argmax(-1) == tokens_BT[:, 1:]
        right += int((same_BT | ~next_BT).all(dim=1).sum())
        nats -= float(logp_BT[next_BT].sum())
        count += int(next_BT.sum())
    return right / len(pairs), nats / count


def questions(kind: str, seed: int, learned: Sequence[Any]) -> list[Pair]:
    """New items of the rule sets that were learned; of rule sets that no policy of the seed ever
    learns, one each; and of another kind."""
    if kind == "other":
        return others(f"ask {seed}", ASKED)
    if kind == "unseen":
        return [next(machines(f"ask {seed}", rules)) for rules in rule_sets(seed)[-ASKED:]]
    each = [machines(f"ask {seed}", rules) for rules in learned]
    return list(islice((next(source) for source in _cycled(each)), ASKED))


@cache
def rule_sets(seed: int) -> list[Any]:
    """Of so many rule sets, no two the same, the last ones are only asked."""
    rng, found = Random(f"rule sets {seed}"), dict[str, Any]()
    while len(found) < max(BREADTHS) + ASKED:
        if drawn := drawn_instructions(rng, KNOBS.instructions, KNOBS.effects, KNOBS.cases):
            rules = drawn[2]
            if next(machines("any", rules, tries=5), None):
                found.setdefault(repr(rule_set(rules)), rules)
    return list(found.values())


def machines(purpose: str, rules: Any, tries: int = 10**6) -> Iterator[Pair]:
    """Prompts and solutions of one rule set; names are drawn for each item."""
    rng = Random(f"{purpose} {rules!r}")
    for _ in range(tries):
        drawn = drawn_instructions(rng, KNOBS.instructions, KNOBS.effects, KNOBS.cases)
        if drawn is None:
            continue
        _, names, _ = drawn
        puzzle = invented_machine.ruled(rng, KNOBS, KNOBS.cases, SKIN, names, rules)
        if puzzle is not None:
            _, solution = _pair(invented_machine.FAMILY, puzzle)
            yield _short(puzzle), solution


def others(purpose: str, count: int) -> list[Pair]:
    rng, family = Random(f"{purpose} {OTHER}"), registry.family(OTHER)
    drawn = (family.generate(rng, family.at(OTHER_LEVEL)) for _ in range(10**6))
    return list(islice((_pair(family, puzzle) for puzzle in drawn if puzzle), count))


@cache
def tokens_of(seed: int) -> TinyTokens:
    """Of prompts of both kinds, so that no word of a question is unknown."""
    texts = [next(machines("words", rules))[0] for rules in rule_sets(seed)]
    return build_tokens([*texts, *(prompt for prompt, _ in others("words", 500))])


def summary(records: Records, steps: int) -> dict[str, Any]:
    """Of each number of rule sets and each kind of question: the mean over seeds with the standard
    deviation, and each seed."""
    found: dict[str, Any] = {}
    for breadth in BREADTHS:
        start = f"{breadth} rule sets, {steps} steps, "
        runs = [values for key, values in records.runs.items() if key.startswith(start)]
        columns = [f"{kind}_{measure}" for kind in KINDS for measure in MEASURES]
        if runs:
            found[str(breadth)] = {
                name: {
                    "mean": rounded(np.mean(each)),
                    "deviation": rounded(np.std(each, ddof=1)) if len(each) > 1 else 0.0,
                    "by_seed": [rounded(it) for it in each],
                }
                for name, each in zip(columns, zip(*runs, strict=True), strict=True)
            }
    return {"steps": steps, "items": ITEMS, "asked": ASKED, "by_rule_sets": found}


def _short(machine: invented_machine.Machine) -> str:
    """The rule, the start and the program, without the words around them, which are always the
    same: so a step has more than twice as many items."""
    told = rules_told(SKIN, machine.names, machine.instructions, machine.program)
    held = ", ".join(f"{name} = {number}" for name, number in zip(NAMES, machine.start))
    program = numbered(machine.names, machine.program)
    return f"{told}\n{held}\n{program}{ENDING[0]} numbers{ENDING[1]}"


def _pair(family: AnyFamily, puzzle: Any) -> Pair:
    gold = family.answer.write(family.solve(puzzle))
    return family.render(puzzle, Style()).text, worked(family, puzzle, gold)


def _cycled(sources: Sequence[Iterator[Pair]]) -> Iterator[Iterator[Pair]]:
    while True:
        yield from sources


if __name__ == "__main__":
    main()
