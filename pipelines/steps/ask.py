"""Ask: the policy's replies, in rounds over all items, where they settle most.

A round's shard holds tallies beside the rows: how each has done up to it, and, where they are kept,
the replies of this round.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from puzzlemill.core.rows import REPLY, with_columns
from puzzlemill.core.storage.files import checksum
from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.budget import Tally
from puzzlemill.difficulty.gate import first_counts
from puzzlemill.difficulty.policies.kinds import kind_of
from puzzlemill.difficulty.policies.loading import load_policy
from puzzlemill.difficulty.policies.policy import Policy, Reply, refusal
from puzzlemill.difficulty.scoring import allocation, ask, question_of, rounds_of
from puzzlemill.outputs.manifest import MANIFEST
from puzzlemill.pipelines.folder import Build, Step
from puzzlemill.pipelines.recipe import Recipe
from puzzlemill.pipelines.shards import Row, facts_of
from puzzlemill.pipelines.steps._rows import PLACE, questioned
from puzzlemill.pipelines.steps._tallies import apart, in_order, level_prior, tallied

MOST = 101  # rounds that a recipe may have, with the probe


def rounds(recipe: Recipe) -> int:
    """How often a build asks its policy, or judges again what it said."""
    if recipe.again.judge:
        return 1
    return rounds_of(recipe.score) if kind_of(recipe.policy).samples else 0


def settings(number: int, build: Build) -> Mapping[str, Any]:
    recipe = build.recipe
    settings = {"policy": build.policy, "sees": recipe.policy.sees, "band": recipe.filters.band}
    earlier = recipe.score.earlier
    digest = checksum(Path(earlier, MANIFEST)) if earlier else ""
    return settings | asdict(recipe.score) | {"round": number, "earlier": digest}


def facts(number: int, build: Build) -> pa.Table:
    """How each row has done that the policy was asked, and how often it is asked in this round."""
    recipe = build.recipe
    whole = tallied(build, ROUNDS[number - 2])
    covariates, tallies = apart(whole, recipe.score)
    band = recipe.filters.band
    counts = allocation(number, covariates, tallies, recipe.score, band, level_prior(build))
    known = whole.select(["shard", "row", "trials", "successes"])
    return in_order(known.append_column("asked", pa.array(counts, pa.int32())))


def ask_shard(number: int, build: Build, shard: int, rows: pa.Table) -> pa.Table:
    """Ask the policy what this round is to ask of these rows; how it has done so far."""
    policy = load_policy(build.recipe.policy)
    known = questioned(build, rows)
    reasons = [row["dropped"] for row in known]
    if number == 1:
        taken = _taken(policy, known, reasons)
        asked = first_counts((known[place]["uid"] for place in taken), build.recipe.score)
        tallies = [(0, 0)] * len(taken)
    else:
        before = facts_of(build, ROUNDS[number - 1], shard)
        taken, asked = list(before), [row["asked"] for row in before.values()]
        tallies = [(row["trials"], row["successes"]) for row in before.values()]
    replies: dict[int, list[dict[str, Any]]] = {place: [] for place in taken}

    def keep(place: int, said: Sequence[Reply], verdicts: Sequence[Verdict]) -> None:
        replies[taken[place]] = list(map(_reply, said, verdicts))

    kept = build.recipe.score.keep_replies
    on_group = keep if kept else None
    done = ask([known[place] for place in taken], asked, tallies, policy, number, on_group=on_group)
    shard_tallies = round_tallies(rows, reasons, dict(zip(taken, done, strict=True)))
    if not kept:
        return shard_tallies
    column = pa.array([replies.get(place) for place in range(len(known))], pa.list_(REPLY))
    return shard_tallies.append_column("replies", column)


def _taken(policy: Policy, known: Sequence[Row], reasons: list[str | None]) -> list[int]:
    """The rows that the policy takes, of those that stand; the others get the reason."""
    standing = [
        place for place, row in enumerate(known) if row["dropped"] is None and row["trials"] is None
    ]
    for place in standing:
        reasons[place] = refusal(policy, question_of(known[place], "score"))
    return [place for place in standing if reasons[place] is None]


def _reply(reply: Reply, verdict: Verdict) -> dict[str, Any]:
    judged = {name: getattr(verdict, name) for name in ("score", "status", "reason")}
    said = {"text": reply.text, "finished": reply.finished, "tokens": reply.token_count or None}
    return said | judged


def round_tallies(
    rows: pa.Table, reasons: Sequence[str | None], done: Mapping[int, Tally]
) -> pa.Table:
    """What a round's shard holds: the tallies of the rows that were asked, None for others."""
    each = [done.get(place, (None, None)) for place in range(len(rows))]
    columns: dict[str, Sequence[Any]] = {
        "trials": [trials for trials, _ in each],
        "successes": [right for _, right in each],
        "dropped": reasons,
    }
    return with_columns(rows, columns).select([*PLACE, "trials", "successes"])


def _round(number: int) -> Step:
    return Step(
        f"ask-{number}",
        version=3,
        wanted=lambda recipe: number <= rounds(recipe) and not recipe.again.judge,
        asks=True,
        settings=partial(settings, number),
        facts=partial(facts, number) if number > 1 else None,
        across=True,
        round=number,
        run=partial(ask_shard, number),
    )


ROUNDS = tuple(map(_round, range(1, MOST + 1)))
