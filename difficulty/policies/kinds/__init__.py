"""Kinds of policies: what `[policy] kind` names, and what each needs.

A file here is a kind. Another package adds one by an entry point of the group puzzlemill.policies:
its module sets POLICY, whose `open` returns any object with the members of a Policy.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from puzzlemill.core.choices import Choices

if TYPE_CHECKING:  # the settings name a kind of this folder, and a policy is heavier than its kind
    from puzzlemill.difficulty.policies.policy import Policy
    from puzzlemill.difficulty.settings import PolicySettings


@dataclass(frozen=True, slots=True)
class Kind:
    open: "Callable[[PolicySettings], Policy]"  # the packages are imported there
    packages: tuple[str, ...] = ()  # that it needs besides a light install
    extra: str = ""  # of Puzzlemill's, by which pip installs them
    model: bool = True  # whether the settings must name one
    url: bool = False  # the same
    here: bool = False  # whether the weights are in this process: for signals and for training
    samples: bool = True  # False: it gives no replies, and items stay unscored
    # The id of the policy, without loading it; None: its kind does not know.
    id: "Callable[[PolicySettings], str] | None" = None
    first: str = ""  # what a first recipe says in [policy] beside its kind, with comments


POLICIES = Choices("kind of policy", __name__, "POLICY", "puzzlemill.policies")


def kinds_to_train() -> list[str]:
    """Our kinds whose weights are in this process."""
    ours = [name for name in POLICIES.names() if POLICIES.ours(name)]
    return [name for name in ours if POLICIES.load(name).here]


def kind_of(settings: "PolicySettings") -> Kind:
    kind: Kind = POLICIES.load(settings.kind, "[policy] kind")
    return kind
