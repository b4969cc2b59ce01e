"""No model: items are made and certified, and have no pass rates."""

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.kinds import Kind
from puzzlemill.difficulty.policies.policy import Policy
from puzzlemill.difficulty.settings import PolicySettings


def load(settings: PolicySettings) -> Policy:
    raise UserError('[policy] kind = "none": nobody is there to ask; name a policy')


READS = ("model", "url", "key_variable", "gpus")  # which a recipe keeps while no model is asked
POLICY = Kind(load, model=False, samples=False)
