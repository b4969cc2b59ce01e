"""Scoring, filters and regeneration: [score], [filters], [regenerate]."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from puzzlemill.core.errors import UserError
from puzzlemill.core.tables import LineNumbers
from puzzlemill.difficulty.policies.kinds import kind_of
from puzzlemill.difficulty.settings import Regenerate, Score
from puzzlemill.filters.settings import Filters
from puzzlemill.pipelines.checks import Where
from puzzlemill.pipelines.row_filters import also_of

if TYPE_CHECKING:
    from puzzlemill.pipelines.recipe import Recipe


ESTIMATE = 8  # replies from which DARS estimates a pass rate


def check(recipe: "Recipe", places: LineNumbers) -> None:
    score, asked = recipe.score, places.within("score").of
    if score.first > score.most:
        raise UserError(
            f"{asked('first')}: first = {score.first} is more than most = {score.most}; raise most"
        )
    _check_rounds(score, asked)
    _check_hardness(score, asked)
    _check_gate(score, asked)
    check_hints(score.hints, asked)
    _check_signals(recipe, asked)
    _check_bands(recipe.filters, recipe.regenerate, places)
    also_of(recipe.filters.also, places.within("filters"))


def _check_rounds(score: Score, where: Where) -> None:
    """Without rounds there are no replies: what works on them has no effect."""
    if score.rounds:
        return
    for name in ("gate", "probe", "keep_replies", "guesses", "hints", "gains", "search"):
        if getattr(score, name):
            raise UserError(
                f"{where(name)}: rounds = 0 asks for no reply, so {name} has no effect: leave it"
                " out, or set rounds above 0"
            )


def _check_hardness(score: Score, where: Where) -> None:
    """DARS: from too few first replies, or with no room for more, nothing would be asked again."""
    if score.until != "hardness":
        return
    if score.first < ESTIMATE:
        raise UserError(
            f'{where("until")}: until = "hardness" estimates each pass rate from the first replies,'
            f" and first = {score.first} is too few: set first = {ESTIMATE} or more"
        )
    if score.most == score.first or score.rounds < 2:
        raise UserError(
            f'{where("until")}: until = "hardness" asks hard items again, in a second round: set'
            f" most above first = {score.first}, and rounds above 1"
        )


def _check_gate(score: Score, where: Where) -> None:
    """A gate takes a round of its own: the sample is asked first."""
    least = 3 if score.until == "hardness" else 2
    if score.gate and score.rounds < least:
        raise UserError(
            f"{where('gate')}: gate asks a sample in the first round and other items in the second:"
            f" set rounds = {least} or more"
        )


def check_hints(shares: Sequence[float], where: Where) -> None:
    if any(not 0 < share < 1 for share in shares):
        raise UserError(f"{where('hints')}: each hint is a share of the solution between 0 and 1")


def _check_signals(recipe: "Recipe", where: Where) -> None:
    """What reads the policy's model needs it in this process."""
    score, policy = recipe.score, recipe.policy
    if score.covariate == "regression" and not (kind_of(policy).here or recipe.parent):
        raise UserError(
            f'{where("covariate")}: covariate = "regression" goes by signals, and a policy of kind'
            f" {policy.kind!r} gives none: leave it out"
        )
    for name in ("gains", "search"):
        if getattr(score, name) and not kind_of(policy).here:
            raise UserError(
                f"{where(name)}: {name} reads the model or goes on with partial replies: leave it"
                ' out, or set a policy of kind "tiny", "native" or "transformers", not'
                f' "{policy.kind}"'
            )


def _check_bands(filters: Filters, regenerate: Regenerate, places: LineNumbers) -> None:
    bands = {name: getattr(filters, name) for name in ("band", "weak", "strong")}
    named = [("filters", *each) for each in bands.items()]
    for section, name, (low, high) in (*named, ("regenerate", "band", regenerate.band)):
        if not 0 <= low < high <= 1:
            where = places.within(section).of(name)
            raise UserError(f"{where}: the band {low}..{high} of {section} is no part of 0..1")
    density = regenerate.density
    if density and (min(density) < 0 or not sum(density)):
        where = places.within("regenerate").of("density")
        raise UserError(f"{where}: density is a list of weights of 0 or more, not all 0")
