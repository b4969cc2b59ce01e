"""Teachers, and texts of others or of earlier steps: [train.teacher], `imitate` and their like."""

from typing import TYPE_CHECKING

from puzzlemill.core.errors import UserError
from puzzlemill.core.tables import LineNumbers
from puzzlemill.pipelines.checks import Where
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.settings.teaching import Imitate, SelfImitation, Teacher

if TYPE_CHECKING:
    from puzzlemill.pipelines.recipe import Recipe


def check(recipe: "Recipe", places: LineNumbers) -> None:
    train = recipe.train
    if not isinstance(train, Train):
        return
    of = places.within
    _check_teacher(train.teacher, of("train.teacher").of)
    _check_imitate(train.imitate, of("train.imitate").of)
    _check_demonstrations(train, of("train.demonstrations").of)
    _check_prefixes(train, of("train.prefixes").of)
    _check_self_imitation(train.self_imitation, of("train.self_imitation").of)


def _check_teacher(teacher: Teacher, where: Where) -> None:
    if teacher.fall and teacher.least > teacher.weight:
        raise UserError(
            f"{where('least')}: least = {teacher.least} is above weight = {teacher.weight}, which"
            " falls to it"
        )


def _check_self_imitation(settings: SelfImitation, where: Where) -> None:
    low, high = settings.perplexity_low, settings.perplexity_high
    if high and not max(low, 1.0) <= high:
        raise UserError(
            f"{where('perplexity_high')}: no reply has a perplexity from {low} to {high}: it is at"
            " least 1; set perplexity_high higher, or 0 for no bound"
        )


def _check_imitate(imitate: Imitate, where: Where) -> None:
    if imitate.weight and not imitate.least <= imitate.weight <= imitate.most:
        raise UserError(
            f"{where('weight')}: weight = {imitate.weight} is not between least = {imitate.least}"
            f" and most = {imitate.most}"
        )


def _check_demonstrations(settings: Train, where: Where) -> None:
    chosen = settings.demonstrations
    if chosen.number > 1 and chosen.source == "solutions":
        raise UserError(
            f"{where('number')}: a family tells one worked solution of an item: set number = 1, or"
            " another source"
        )
    if chosen.number and chosen.source == "replies" and settings.source == "endless":
        raise UserError(
            f'{where("source")}: with [train] source = "endless" no item is asked twice, so there'
            ' are no earlier replies to it: set [train] source = "build", or another source here'
        )


def _check_prefixes(settings: Train, where: Where) -> None:
    if not settings.prefixes.share:
        return
    if settings.tries > 1:
        raise UserError(f"{where('share')}: a prefix is of one try: leave `tries` or this out")
    if settings.sampler != "itself":
        raise UserError(
            f'{where("share")}: sampler = "{settings.sampler}" cannot go on with a reply: set'
            ' sampler = "itself", or leave [train.prefixes] out'
        )
