"""Learning from items: [train]."""

from dataclasses import replace
from typing import TYPE_CHECKING

from puzzlemill.core.errors import UserError
from puzzlemill.core.registry import matching
from puzzlemill.core.tables import LineNumbers, needs_of
from puzzlemill.pipelines.checks.scoring import check_hints
from puzzlemill.trainer.settings import Balance, Train
from puzzlemill.trainer.settings.losses import Loss

if TYPE_CHECKING:
    from puzzlemill.pipelines.recipe import Recipe


def check(recipe: "Recipe", places: LineNumbers) -> None:
    settings = recipe.train
    if not isinstance(settings, Train):
        return
    where, loss = places.within("train").of, settings.loss
    for pattern in settings.unseen:
        matching(pattern, where("unseen"))
    check_hints(settings.hints, where)
    if settings.extra and settings.extra <= settings.group:
        raise UserError(
            f"{where('extra')}: extra = {settings.extra} replies at most are no more than the group"
            f" of {settings.group}: set a larger one"
        )
    replies = settings.demonstrations.number and settings.demonstrations.source == "replies"
    kept_on = settings.replay or replies or settings.oversample > 1 or settings.prefixes.share
    if settings.max_age and not kept_on:
        raise UserError(
            f"{where('max_age')}: max_age has an effect only where replay is above 0,"
            " oversample above 1, [train.prefixes] is on or [train.demonstrations] source ="
            ' "replies": leave max_age out, or set one of them'
        )
    if settings.source == "endless" and settings.prune:
        raise UserError(
            f'{where("prune")}: with source = "endless" no item is asked twice, so prune has no'
            ' effect: leave prune out, or set source = "build"'
        )
    if settings.learn_behind == "plain" and not (settings.hints or settings.scaffold.share):
        raise UserError(
            f'{where("learn_behind")}: learn_behind = "plain" has an effect only with hints: set'
            " `hints` or [train.scaffold], or leave learn_behind out"
        )
    if loss.k >= settings.group and all(need.met(loss.advantage) for need in needs_of(Loss, "k")):
        raise UserError(
            f"{places.within('train.loss').of('k')}: k = {loss.k} is not below group ="
            f" {settings.group}: every reply would be worth the same; lower k"
        )
    for group in settings.balance.groups:  # each may be the run's
        check(replace(recipe, train=replace(settings, group=group, balance=Balance())), places)
