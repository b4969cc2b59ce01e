"""Scoring a finished build's items again, under the policy of today."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from puzzlemill.core.errors import UserError
from puzzlemill.core.shapes import fields, whole
from puzzlemill.core.storage.files import read_json
from puzzlemill.core.tables import LineNumbers, needs_of
from puzzlemill.difficulty.policies.kinds import POLICIES, kind_of
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.outputs.manifest import read_manifest
from puzzlemill.pipelines.build import BUILDS, Each, Tell, build, in_turn, quietly
from puzzlemill.pipelines.recipe import Recipe, recipe_from, recipe_of
from puzzlemill.pipelines.settings import ALL, Again


def rescore(
    folder: Path,
    policy: PolicySettings | None = None,
    again: Again = ALL,
    builds: str | Path = BUILDS,
    each: Each = in_turn,
    tell: Tell = quietly,
    replace: bool = False,
) -> Path:
    """Score a build's items again into a build of its own; they move between kept and frontier."""
    return build(rescore_recipe(folder, policy, again), builds, each, tell, replace)


def rescore_recipe(folder: Path, policy: PolicySettings | None, again: Again = ALL) -> Recipe:
    """The recipe of a build that adopts another's items; their old scores become history."""
    recipe = recipe_of(folder)
    measured = policy or recipe.policy
    if not kind_of(measured).samples:
        raise UserError(
            f"{folder}: its recipe asks no policy; name one whose pass rate to measure:"
            " --checkpoint FOLDER, --url URL --model NAME, or a [policy] in its recipe"
        )
    if not recipe.score.rounds:
        raise UserError(
            f"{folder}: its recipe asks for no reply (rounds = 0 of [score]); build it with rounds"
            " above 0 to measure pass rates"
        )
    score = dataclasses.replace(recipe.score, earlier=str(folder))  # where to look for each level
    return dataclasses.replace(
        recipe,
        name=f"{recipe.name}-rescored",
        make=(),
        parent=str(folder),
        again=again,
        policy=measured,
        score=score,
    )


def items_to_score(folder: Path, stale: bool, upcoming: int, pair: str = "") -> Again:
    """All items, those that the policy has not scored, or so many that training comes to next; of
    two policies the weaker or the stronger one's, or of one."""
    ranks = next_block(folder, upcoming) if upcoming else ()
    match pair:
        case "" | "weak" | "strong":
            return Again(stale, ranks, pair=pair)
        case _:
            raise UserError(f'--as {pair}: the new policy is the "weak" or the "strong" one')


def next_block(folder: Path, count: int) -> tuple[int, int]:
    """The ranks of the items that training on a build comes to next."""
    steps = [step_of(path) for path in (folder / "training").glob("checkpoint-*/run.json")]
    first = max(steps, default=0) * recipe_of(folder).items.prompts
    kept = read_manifest(folder)["counts"].get("kept", 0)
    return first % max(kept, 1), first % max(kept, 1) + count


def step_of(path: Path) -> int:
    """After how many steps a checkpoint of training was written."""
    record = read_json(path)
    if fault := fields({"step": whole()})(record, ""):
        raise UserError(f"{path}: not the record of a checkpoint: {fault}")
    step: int = record["step"]
    return step


def checkpoint_policy(
    folder: Path, checkpoint: str | Path | None, changes: Mapping[str, Any] | None = None
) -> PolicySettings | None:
    """The build's own policy with a checkpoint's weights or with changes of its [policy]; None
    without either. A kind of another package opens the checkpoint itself."""
    if changes:
        if checkpoint and (named := sorted({"kind", *_keys_of_a_kind()} & changes.keys())):
            raise UserError(
                f"{checkpoint} is the policy to score under: leave out {', '.join(named)}, or the"
                " checkpoint"
            )
        policy = _changed(folder, changes)
    elif checkpoint:
        policy = recipe_of(folder).policy
    else:
        return None
    if not checkpoint:
        return policy
    kind, ours = kind_of(policy), POLICIES.ours(policy.kind)
    if not ours and not kind.model:
        raise UserError(
            f"{folder}: its policy is of the kind {policy.kind!r} of another package, which takes"
            " no `model`, so that it cannot open a checkpoint: leave --checkpoint out, or set"
            ' [policy] kind = "native" in its recipe'
        )
    if ours and not (kind.here and kind.model):  # else it opens a checkpoint's folder itself
        policy = dataclasses.replace(policy, kind="native", url="", key_variable="", gpus=1)
    return dataclasses.replace(policy, model=str(checkpoint))


def _changed(folder: Path, changes: Mapping[str, Any]) -> PolicySettings:
    """The [policy] of a build's recipe with some of its keys changed, checked as in a recipe."""
    recipe = recipe_of(folder)
    table = dataclasses.asdict(recipe.policy)
    kind = changes.get("kind") or ("endpoint" if changes.get("url") else recipe.policy.kind)
    if kind != recipe.policy.kind:
        table = {key: value for key, value in table.items() if key not in _keys_of_a_kind()}
    elif "url" in changes:
        table["key_variable"] = ""  # a server's key is for no other server
    table |= {**changes, "kind": kind}
    changed = recipe_from(
        dataclasses.asdict(recipe) | {"policy": table}, LineNumbers(f"{folder}, rescored")
    )
    return changed.policy


def _keys_of_a_kind() -> set[str]:
    """The keys of [policy] that mean something else to another kind."""
    names = [each.name for each in dataclasses.fields(PolicySettings)]
    return {name for name in names if needs_of(PolicySettings, name)}
