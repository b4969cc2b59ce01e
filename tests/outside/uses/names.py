"""All names are listed beside ours, and what they name is loaded."""

from puzzlemill.core.registry import family
from puzzlemill.difficulty.curricula import CURRICULA
from puzzlemill.difficulty.policies.kinds import POLICIES
from puzzlemill.filters import FILTERS
from puzzlemill.outputs.exports import EXPORTS
from puzzlemill.outputs.sections import SECTIONS
from puzzlemill.trainer.advantages import ADVANTAGES
from puzzlemill.trainer.ratios import RATIOS
from puzzlemill.trainer.shapings import SHAPINGS

for choices, ours, theirs in (
    (FILTERS, "too_long", "round_numbers"),
    (POLICIES, "tiny", "adder"),
    (CURRICULA, "uniform", "backwards"),
    (ADVANTAGES, "grpo", "signs"),
    (RATIOS, "gspo", "squared"),
    (SHAPINGS, "brevity", "doubled"),
    (EXPORTS, "sft-backtracks", "plain-pairs"),
    (SECTIONS, "turned-away", "items-by-level"),
):
    assert {ours, theirs} <= {*choices.names()}, choices
    assert type(choices.load(theirs)) is type(choices.load(ours)), choices
    assert choices.about(theirs).endswith("."), choices
assert family("addition").category == "outside"
