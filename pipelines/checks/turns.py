"""Further turns: [train.retry], [train.rethink], [train.feedback] and [train.verify]."""

from typing import TYPE_CHECKING

from puzzlemill.core.errors import UserError
from puzzlemill.core.tables import LineNumbers
from puzzlemill.pipelines.checks import Where
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.settings.turns import Retry

if TYPE_CHECKING:
    from puzzlemill.pipelines.recipe import Recipe


def check(recipe: "Recipe", places: LineNumbers) -> None:
    train = recipe.train
    if not isinstance(train, Train):
        return
    of = places.within
    _check_retry(train.retry, train.loss, of("train.retry").of)
    _check_refinements(train, of("train.retry").of)
    _check_rethink(train, of("train.rethink").of)
    _check_feedback(train, of("train.feedback").of)
    _check_verify(train, of("train.verify").of)


def _check_retry(retry: Retry, loss: Loss, where: Where) -> None:
    if retry.decay <= 0:
        raise UserError(f"{where('decay')}: decay = 0 leaves a second try without worth")
    if not retry.feedback.strip():
        raise UserError(f"{where('feedback')}: say in a few words that a reply was not right")
    if not retry.review.strip():
        raise UserError(f"{where('review')}: say in a few words that a reply is to be checked")
    if retry.first_kl and not (loss.kl and loss.kl_in == "loss"):
        raise UserError(
            f"{where('first_kl')}: first_kl has an effect only where [train.loss] kl is above 0 and"
            ' kl_in is "loss": set them, or leave first_kl out'
        )


def _check_refinements(settings: Train, where: Where) -> None:
    """First replies and refinements are single replies: nothing is learned of conversations."""
    retry, usual = settings.retry, Retry()
    if not retry.refinements:
        return
    for name in ("decay", "repeated", "by_try", "anchor"):
        if getattr(retry, name) != getattr(usual, name):
            raise UserError(
                f"{where(name)}: {name} is of conversations, and with refinements = "
                f"{retry.refinements} single replies are learned: leave one of them out"
            )
    for name, value in (
        ("extra", settings.extra),
        ("self_imitation", settings.self_imitation.replies),
    ):
        if value:
            raise UserError(
                f"{where('refinements')}: refinements go with no replies of [train] {name}: leave"
                " one of them out"
            )


def _check_rethink(settings: Train, where: Where) -> None:
    if not settings.rethink.share:
        return
    if settings.tries > 1:
        raise UserError(f"{where('share')}: rethinking is one try: leave `tries` or `rethink` out")
    if settings.sampler != "itself":
        raise UserError(
            f'{where("share")}: sampler = "{settings.sampler}" cannot go on with a reply: set'
            ' sampler = "itself", or leave `rethink` out'
        )
    if settings.scaffold.share:
        raise UserError(
            f"{where('share')}: with [train.scaffold] each reply has a prompt of its own, and there"
            " is no share of a group to rethink: leave one of both out"
        )
    if not settings.rethink.trigger.strip():
        raise UserError(f"{where('trigger')}: say in a few words what a reply goes on behind")


def _check_feedback(settings: Train, where: Where) -> None:
    feedback = settings.feedback
    if not feedback.share:
        return
    if settings.tries > 1 or settings.rethink.share:
        raise UserError(
            f"{where('share')}: a reply with feedback is one try, and goes on once: leave `tries`"
            " and `rethink` out, or `feedback`"
        )
    if settings.sampler != "itself":
        raise UserError(
            f'{where("share")}: sampler = "{settings.sampler}" cannot go on with a reply: set'
            ' sampler = "itself", or leave `feedback` out'
        )
    if feedback.least > feedback.share:
        raise UserError(
            f"{where('least')}: least = {feedback.least} is above share = {feedback.share}, which"
            " falls to it"
        )


def _check_verify(settings: Train, where: Where) -> None:
    if settings.verify.solving_steps and (settings.tries > 1 or settings.demonstrations.number):
        raise UserError(
            f"{where('solving_steps')}: single replies of the policy's"
            " own are verified: leave `tries` and `demonstrations` out, or `verify`"
        )
