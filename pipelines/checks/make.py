"""What is made: [[make]]."""

from typing import TYPE_CHECKING

from puzzlemill.core.address import check_split
from puzzlemill.core.errors import UserError
from puzzlemill.core.family import wording
from puzzlemill.core.knobs import WORDING, turned
from puzzlemill.core.registry import family, matching, operator
from puzzlemill.core.tables import LineNumbers
from puzzlemill.pipelines.checks import Where
from puzzlemill.pipelines.settings import Make

if TYPE_CHECKING:
    from puzzlemill.pipelines.recipe import Recipe


def check(recipe: "Recipe", places: LineNumbers) -> None:
    for number, part in enumerate(recipe.make):
        _check_make(part, places.within("make", number).of)


def _check_make(part: Make, where: Where) -> None:
    if not part.families:
        raise UserError(f"{where('families')}: families is empty: name what is to be made")
    check_split(part.split, where("split"))
    for each in part.variants:
        if each != "*":
            operator(each, where(each))
    varied = bool(part.variants) or any("+" in pattern for pattern in part.families)
    worded = [wording(each, where(WORDING)) for each in ({WORDING: part.phrasings}, part.knobs)]
    if any(worded) and varied:
        raise UserError(
            f"{where(WORDING)}: variants choose their own wording: give them a [[make]] table"
            " without phrasings"
        )
    for pattern in part.families:
        for name in matching(pattern, where(pattern)):
            found = family(name)
            for knob in part.knobs:
                turned(found.at(0), found.ladder, {knob: part.knobs[knob]}, where(knob))
