"""The policy that a recipe names. Each kind's packages are imported only when it is asked for."""

from functools import lru_cache

from puzzlemill.core.errors import UserError, need
from puzzlemill.difficulty.policies.kinds import kind_of
from puzzlemill.difficulty.policies.policy import Policy, prompt_form, sampling_of
from puzzlemill.difficulty.settings import PolicySettings

ANOTHER = 'set [policy] kind to another one, such as "none"'


@lru_cache(maxsize=1)
def load_policy(settings: PolicySettings) -> Policy:
    """The last policy is kept loaded: successive shards use the same one."""
    return new_policy(settings)


def current_policy(settings: PolicySettings) -> Policy:
    """The same, loaded anew where its weights have changed under the same name since then."""
    hits = load_policy.cache_info().hits
    policy = load_policy(settings)
    id_of = kind_of(settings).id
    kept = load_policy.cache_info().hits > hits
    if kept and id_of and policy.id != id_of(settings):
        load_policy.cache_clear()
        policy = load_policy(settings)
    return policy


def new_policy(settings: PolicySettings) -> Policy:
    """A policy of one's own, which may be trained."""
    kind = kind_of(settings)
    need("this policy", *kind.packages, extra=kind.extra, remedy=ANOTHER)
    policy = kind.open(settings)
    if lacking := [name for name in ("id", "takes", "sample") if not hasattr(policy, name)]:
        raise UserError(
            f"a policy of kind {settings.kind!r} has no {', '.join(lacking)}: what its `open`"
            " returns needs the members of puzzlemill.difficulty.policies.policy.Policy"
        )
    wanted = prompt_form(f"/{sampling_of(settings)}")[1]
    if prompt_form(policy.id)[1] != wanted:
        raise UserError(
            f"a policy of kind {settings.kind!r} does not tell its prompts' form, {wanted}, in its"
            f" id {policy.id!r}: its `open` ends the id in sampling_of(settings)"
        )
    return policy
