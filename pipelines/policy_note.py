"""The policy that a build asks, noted down in its folder before any step needs its id."""

from time import perf_counter

from puzzlemill.core.storage.files import write_json
from puzzlemill.difficulty.policies.endpoint import EndpointPolicy
from puzzlemill.difficulty.policies.loading import load_policy
from puzzlemill.pipelines.folder import POLICY_FILE, Build
from puzzlemill.pipelines.shards import Done

POLICY = "policy"


def note_policy(build: Build) -> Done:
    """Load the policy, and note down who it is for those that do not. One that is not there is told
    before items are made for it."""
    start, path = perf_counter(), build.folder / POLICY_FILE
    policy = load_policy(build.recipe.policy)
    write_json(path, {"id": policy.id})
    if isinstance(policy, EndpointPolicy) and not (build.recipe.parent or _is_begun(build)):
        policy.check_connection()
    return Done(POLICY, 0, 0, 0, True, perf_counter() - start, str(path))


def _is_begun(build: Build) -> bool:
    """Whether all items have been asked once."""
    first = next(step for step in build.steps if step.round)
    seals = (build.path(first, shard).with_suffix(".sha256") for shard in range(build.shards))
    return all(seal.is_file() or (build.store and build.store.holds(seal)) for seal in seals)
