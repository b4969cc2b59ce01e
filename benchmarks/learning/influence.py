"""Influence: what a few steps on one family do for families that are never learned.

A student takes STEPS steps. Each has worked solutions of base families, and others of one source
family; in the control these others are of base families too. Influence is what a held-out
solution's log-likelihood is above that of the same seed's control, in nats a token of the reply.
Alignment is the cheaper proxy: the cosine of the source's gradient with that of other items of the
held-out family, at the student.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import torch
from torch import Tensor

from benchmarks.learning.records import (
    Floats,
    Ints,
    Records,
    interval,
    mean_interval,
    rank_correlation,
    rounded,
)
from benchmarks.learning.sft import (
    MEASURED,
    RATE,
    fine_tuned,
    held_batches,
    log_likelihoods,
)
from benchmarks.learning.solutions import UNSEEN, Families
from benchmarks.learning.students import Student
from puzzlemill.core import registry
from puzzlemill.trainer.imitation import Example, ExampleBatch, cross_entropy, padded

STEPS, BASE_ROWS, ROWS = 4, 1, 3  # a step has so many solutions of the base, and of the source
SOURCES = 200  # families
SETTING = f"{STEPS}x{BASE_ROWS}+{ROWS}@{RATE}"  # a part of the key: other settings, other runs
CONTROL = "(base)"
GRADIENT_ROWS = 6  # solutions of a source


def run(student: Student, families: Families, records: Records, seed: int) -> None:
    held = held_batches(student, families.held)
    for source in [CONTROL, *sources(families)]:

        def change(source: str = source) -> list[float]:
            batches = mixed_batches(student, families, source, seed)
            return log_likelihoods(fine_tuned(student, batches), held)

        records.of(f"{student.name} {SETTING} {seed} {source}", change)


def sources(families: Families) -> list[str]:
    few = min(SOURCES, len(families.sources))
    return Random("influence").sample(families.sources, few)


def mixed_batches(
    student: Student, families: Families, source: str, seed: int
) -> Iterator[ExampleBatch]:
    """The rows of the base are the same for all sources."""
    rng = Random(f"influence {seed}")
    for step in range(STEPS):
        base = _of_base(student, families, BASE_ROWS, rng)
        others = _of_base(student, families, ROWS, rng)
        if source != CONTROL:
            first = (seed * STEPS + step) * ROWS
            others = student.examples([source], "train", range(first, first + ROWS))
        yield padded([*base, *others])


def _of_base(student: Student, families: Families, count: int, rng: Random) -> list[Example]:
    drawn = [(rng.choice(families.base), UNSEEN + rng.randrange(UNSEEN)) for _ in range(count)]
    return [row for name, at in drawn for row in student.examples([name], "train", [at])]


def align(student: Student, families: Families, records: Records) -> None:
    """A row of cosines for each source, a column for each held-out family."""
    wanted = [
        name for name in sources(families) if _alignment_key(student, name) not in records.runs
    ]
    if not wanted:
        return
    held = [gradient(student, batch) for batch in held_batches(student, families.held, MEASURED)]
    held_HW = torch.nn.functional.normalize(torch.stack(held))
    for name in wanted:

        def its_cosines(name: str = name) -> list[float]:
            rows = student.examples([name], "train", range(GRADIENT_ROWS))
            own_W = torch.nn.functional.normalize(gradient(student, padded(rows)), dim=0)
            return [float(cosine) for cosine in held_HW @ own_W]

        records.of(_alignment_key(student, name), its_cosines)


def cosines(student: Student, families: Families, records: Records) -> tuple[list[str], Floats]:
    """Sources that have them, and their rows."""
    names = [name for name in sources(families) if _alignment_key(student, name) in records.runs]
    return names, np.array([records.runs[_alignment_key(student, name)] for name in names])


def _alignment_key(student: Student, name: str) -> str:
    return f"{student.name} alignment {name}"


def gradient(student: Student, batch: ExampleBatch) -> Tensor:
    weights = [*student.model.parameters()]
    parts = torch.autograd.grad(cross_entropy(student.model, batch), weights)
    return torch.cat([part.flatten() for part in parts])


def matrix(
    student: str, families: Families, records: Records, finished: bool = True
) -> tuple[list[str], Floats]:
    """Sources, and their influence by seed, source and held-out family: of the finished seeds, or
    of those sources that all begun seeds have."""
    runs: dict[int, dict[str, list[float]]] = {}
    for key, values in sorted(records.runs.items()):
        name, setting, *rest = key.split(" ")
        if (name, setting) == (student, SETTING):
            runs.setdefault(int(rest[0]), {})[rest[1]] = values
    wanted = [CONTROL, *sources(families)]
    used = [own for own in runs.values() if not finished or all(name in own for name in wanted)]
    names = [name for name in wanted if used and all(name in own for own in used)]
    logps = np.array([[own[name] for name in names] for own in used])
    if CONTROL not in names:
        return [], logps
    return names[1:], logps[:, 1:] - logps[:, :1]


def figures(student: Student, families: Families, records: Records) -> dict[str, Any]:
    names, changes_SFH = matrix(student.name, families, records)
    if not names:
        return {}
    by_family = changes_SFH.mean(axis=(0, 2))
    order = np.argsort(-by_family)
    summary: dict[str, Any] = {
        "sources": len(names),
        "held": len(families.held),
        "seeds": len(changes_SFH),
        "setting": SETTING,
        "mean": mean_interval(by_family),
        "positive": mean_interval(by_family > 0),
        "deviation_between_sources": rounded(by_family.std(ddof=1)),
        "best": {names[at]: rounded(by_family[at]) for at in order[:8]},
        "worst": {names[at]: rounded(by_family[at]) for at in order[::-1][:8]},
        "by_held": dict(
            zip(families.held, map(rounded, changes_SFH.mean(axis=(0, 1))), strict=True)
        ),
    }
    summary |= by_category(names, families.held, changes_SFH.mean(axis=0))
    repeated, again_SFH = matrix(student.name, families, records, finished=False)
    if len(again_SFH) > 1 and len(repeated) > 1:
        means_SF = again_SFH.mean(axis=2)
        summary["repeated"] = {
            "sources": len(repeated),
            "seeds": len(again_SFH),
            "mean_by_seed": [rounded(mean) for mean in means_SF.mean(axis=1)],
            "deviation_between_sources": rounded(means_SF.mean(axis=0).std(ddof=1)),
            "deviation_between_seeds": rounded(np.sqrt(means_SF.var(axis=0, ddof=1).mean())),
            "rank_correlation": _agreement([*means_SF[..., None]]),
            "rank_correlation_cells": _agreement([*again_SFH]),
        }
    aligned = [at for at, name in enumerate(names) if _alignment_key(student, name) in records.runs]
    if len(aligned) > 1:
        cosines_FH = np.array([records.runs[_alignment_key(student, names[at])] for at in aligned])
        mean_FH = changes_SFH.mean(axis=0)[aligned]
        means = [each.mean(axis=1, keepdims=True) for each in (cosines_FH, mean_FH)]
        summary["alignment"] = {
            "sources": len(aligned),
            "rank_correlation": _agreement(means),
            "rank_correlation_cells": _agreement([cosines_FH, mean_FH]),
        }
    return summary


def by_category(names: Sequence[str], held: Sequence[str], mean_FH: Floats) -> dict[str, Any]:
    """What the sources of each category do, on held-out families of their own category and on all.
    Columns are centred for the comparison: some held-out families gain from anything."""
    of_sources, of_held = (
        [registry.family(name).category for name in each] for each in (names, held)
    )
    kin_FH = np.array([[one == other for other in of_held] for one in of_sources])
    centred_FH = mean_FH - mean_FH.mean(axis=0)
    with_kin = np.flatnonzero(kin_FH.any(axis=1) & ~kin_FH.all(axis=1))
    differences = [
        centred_FH[at][kin_FH[at]].mean() - centred_FH[at][~kin_FH[at]].mean() for at in with_kin
    ]
    categories = sorted(set(of_sources))
    members = {
        name: [at for at, own in enumerate(of_sources) if own == name] for name in categories
    }
    return {
        "own_category_over_others": mean_interval(differences) if differences else {},
        "by_category": {
            name: {"sources": len(rows), "mean": rounded(mean_FH[rows].mean())}
            for name, rows in members.items()
        },
    }


def _agreement(tables: Sequence[Floats]) -> dict[str, float]:
    """The mean rank correlation of pairs of tables of sources and held-out families. Columns are
    centred: that one held-out family gains more than another is no agreement about sources."""

    def correlation(at: Ints) -> float:
        centred = [(table[at] - table[at].mean(axis=0)).ravel() for table in tables]
        return float(np.mean([rank_correlation(*pair) for pair in combinations(centred, 2)]))

    return interval(len(tables[0]), correlation)
