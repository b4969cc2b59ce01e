"""The policy that a build asks, noted down in its folder before any step needs its id."""

from collections.abc import Iterable
from time import perf_counter

from puzzlemill.core.storage.files import write_json
from puzzlemill.difficulty.policies.endpoint import EndpointPolicy
from puzzlemill.difficulty.policies.kinds import kind_of
from puzzlemill.difficulty.policies.loading import current_policy
from puzzlemill.pipelines.folder import POLICY_FILE, Build, Step
from puzzlemill.pipelines.shards import Done

POLICY = "policy"


def note_policy(build: Build) -> Done:
    """Load the policy, and note down who it is for those that do not. One that is not there is told
    before items are made for it; one that has nothing left to say is not loaded."""
    start, path = perf_counter(), build.folder / POLICY_FILE
    if _is_noted(build) and _is_done(build, [step for step in build.steps if step.asks]):
        return Done(POLICY, 0, 0, 0, False, perf_counter() - start, str(path))
    policy = current_policy(build.recipe.policy)
    write_json(path, {"id": policy.id})
    # Of stale items there may be none, and then nobody needs to be there.
    if isinstance(policy, EndpointPolicy) and not build.recipe.again.stale:
        first = next(step for step in build.steps if step.round)
        if not _is_done(build, [first]):
            policy.check_connection()
    return Done(POLICY, 0, 0, 0, True, perf_counter() - start, str(path))


def _is_noted(build: Build) -> bool:
    """Whether the policy that is noted down is the recipe's, where that is known unloaded."""
    id_of = kind_of(build.recipe.policy).id
    if id_of is None or not (build.folder / POLICY_FILE).is_file():
        return False
    return build.policy == id_of(build.recipe.policy)


def _is_done(build: Build, steps: Iterable[Step]) -> bool:
    """Whether all shards of some steps are there."""
    seals = (
        build.path(step, shard).with_suffix(".sha256")
        for step in steps
        for shard in range(build.shards)
    )
    return all(seal.is_file() or (build.store and build.store.holds(seal)) for seal in seals)
