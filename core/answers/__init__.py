"""Answer kinds: reading an answer strictly in meaning and leniently in form, and writing it."""

from puzzlemill.core.answers.arithmetic import Formula, Number
from puzzlemill.core.answers.choice import Choice
from puzzlemill.core.answers.grid import Grid
from puzzlemill.core.answers.impossible import IMPOSSIBLE, Impossible, OrImpossible
from puzzlemill.core.answers.kind import Kind
from puzzlemill.core.answers.mapping import Mapping
from puzzlemill.core.answers.sequence import IntList, WordList
from puzzlemill.core.answers.unknowns import Unknowns
from puzzlemill.core.answers.whole import Integer

__all__ = [
    "IMPOSSIBLE",
    "Choice",
    "Formula",
    "Grid",
    "Impossible",
    "IntList",
    "Integer",
    "Kind",
    "Mapping",
    "Number",
    "OrImpossible",
    "Unknowns",
    "WordList",
]
