"""Words that can stand in an answer without being taken for anything else."""

from functools import cache

from puzzlemill.core.answers.doubts import HEDGES as DOUBTS
from puzzlemill.core.answers.names import HEDGES
from puzzlemill.generators import _vocabulary

# A reader of replies may take these for a lead-in, a link between items, or a way to say nothing.
_ODD = """
a an the to from via through is are of in for between answer answers result results solution
solutions list lists sequence order ordering path route walk tour cycle word words letters group
groups team none nothing null empty unknown impossible infeasible true false yes no step steps
row column has have get gets go start final correct possible set just only simply actually here
there that this it so thus hence therefore
"""
ODD = HEDGES | DOUBTS | frozenset(_ODD.split())


@cache
def pool(shortest: int, longest: int, rarer: bool = False) -> tuple[str, ...]:
    """Words of the vocabulary, in order."""
    words = _vocabulary.words(shortest, longest, rarer)
    return tuple(word for word in words if word not in ODD)
