"""Whether a policy was trained on a build's items, beside items that nobody trained on."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

from puzzlemill.core.errors import NoPuzzle, UserError
from puzzlemill.core.storage.files import write_json
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.policy import is_local
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.outputs.finished_build import read_build, rows_at

NAME = "contamination.json"
ITEMS = 200  # of the kept ones that are asked, spread over their ranks
SHOWN = 10  # of the likeliest members
AWAY = 7919  # what is added to the recipe's seed for fresh items: addresses are hashed
NORMAL = 1.96  # standard errors on each side of a 95% interval

Row: TypeAlias = Mapping[str, Any]
Record: TypeAlias = dict[str, Any]


def contamination(
    folder: Path,
    settings: PolicySettings,
    before: PolicySettings | None = None,
    beside: Path | None = None,
) -> Record:
    """Score kept items and others; contamination.json tells both.

    The others are fresh items of the same knobs, or the kept ones of another build, which are
    chosen by their pass rate as these are. `before` is the policy before training.
    """
    rows = _kept(folder)
    own = {row["puzzle"] for row in rows}
    others = [
        row for row in (_kept(beside) if beside else _fresh(rows)) if row["puzzle"] not in own
    ]
    record: Record = {"beside": "kept items of another build" if beside else "fresh items"}
    record |= _scored(folder, settings, rows, others)
    if before:
        earlier = _scored(folder, before, rows, others)
        record["before"] = {"policy": earlier["policy"], "scores": earlier["scores"]}
    write_json(folder / NAME, record)
    return record


def _kept(folder: Path) -> Sequence[Row]:
    kept = read_build(folder).of("kept")
    return rows_at([row["at"] for row in kept[:: len(kept) // ITEMS + 1]])


def _fresh(rows: Sequence[Row]) -> list[Row]:
    from puzzlemill.difficulty.contamination_audit import unseen

    found: list[Row] = []
    for row in rows:
        try:
            found.append(unseen(row, row["seed"] + AWAY))
        except NoPuzzle:  # the family has too few of such knobs
            continue
    return found


def _scored(
    folder: Path, settings: PolicySettings, rows: Sequence[Row], others: Sequence[Row]
) -> Record:
    policy = new_policy(dataclasses.replace(settings, temperature=0.0))
    if not is_local(policy):
        raise UserError(
            f"{folder}: entropies are read off a model in this process: name a --checkpoint, and a"
            " [policy] kind such as native or transformers"
        )
    from puzzlemill.difficulty.contamination_audit import memory_scores

    members = [
        (row["uid"], each)
        for row, each in zip(rows, memory_scores(policy, rows), strict=True)
        if each is not None
    ]
    rest = [each for each in memory_scores(policy, others) if each is not None]
    if not members or not rest:
        raise UserError(f"{folder}: no items that this policy can be asked twice")
    likeliest = sorted(members, key=lambda each: -each[1]["entropy"])[:SHOWN]
    return {
        "policy": policy.id,
        "items": len(members),
        "others": len(rest),
        "scores": {
            name: _compared([each[name] for _, each in members], [each[name] for each in rest])
            for name in members[0][1]
        },
        "likeliest": [{"uid": uid, "entropy": -each["entropy"]} for uid, each in likeliest],
    }


def _compared(members: Sequence[float], others: Sequence[float]) -> Record:
    """The AUC of a score with its 95% interval."""
    from puzzlemill.difficulty.contamination_audit import auc, auc_error

    share = auc(members, others)
    away = NORMAL * auc_error(share, len(members), len(others))
    return {
        "auc": share,
        "low": max(share - away, 0.0),
        "high": min(share + away, 1.0),
        "mean": fmean(members),
        "others_mean": fmean(others),
    }
