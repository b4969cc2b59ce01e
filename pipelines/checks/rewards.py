"""Rewards: [train.reward], [train.process] and [train.self_reward]."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from puzzlemill.core.errors import UserError
from puzzlemill.core.tables import LineNumbers
from puzzlemill.pipelines.checks import Where
from puzzlemill.pipelines.settings import Make
from puzzlemill.trainer.settings import Train

if TYPE_CHECKING:
    from puzzlemill.pipelines.recipe import Recipe


def check(recipe: "Recipe", places: LineNumbers) -> None:
    train = recipe.train
    if not isinstance(train, Train):
        return
    of = places.within
    _check_noise(train, recipe.verifier_probes, places.within("train").of)
    _check_votes(train, recipe.make, of("train.reward").of)
    _check_process(train, of("train.process").of)
    _check_self_reward(train, of("train.self_reward").of)


def _check_noise(settings: Train, probes: int, where: Where) -> None:
    reward, loss = settings.reward, settings.loss
    if reward.paid_wrong + reward.refused_right >= 0.5:
        raise UserError(f"{where('reward')}: a verifier that errs so often tells nothing")
    if reward.noise == "forward" and loss.advantage != "raw":
        raise UserError(
            f'{where("reward")}: noise = "forward" shifts all rewards alike, which advantage ='
            f' "{loss.advantage}" takes off again: set [train.loss] advantage = "raw"'
        )
    if reward.error_rates == "families" and settings.source != "build":
        raise UserError(
            f'{where("reward")}: error_rates = "families" reads them from a build: set source ='
            ' "build", or paid_wrong and refused_right'
        )
    if reward.error_rates == "families" and not probes:
        raise UserError(
            f'{where("reward")}: error_rates = "families" needs verifiers to be probed: set'
            " verifier_probes above 0"
        )


def _check_votes(settings: Train, make: Sequence[Make], where: Where) -> None:
    varied = any(part.variants or any("+" in each for each in part.families) for part in make)
    if settings.reward.vote == "partner" and make and not varied:
        raise UserError(
            f'{where("vote")}: vote = "partner" labels an item by another wording of it, and'
            ' none is made: set variants = ["paraphrase"] in a [[make]] table, or vote = "own"'
        )
    several = any(
        "+claim+" in each or (each.endswith("+claim") and part.variants)
        for part in make
        for each in part.families
    )
    if settings.reward.forms and make and not several:
        raise UserError(
            f"{where('forms')}: forms = true scores the forms of a claim together, and none are"
            ' made: set families = ["gcd+claim"] and variants = ["paraphrase", "counterclaim"] in a'
            " [[make]] table, or leave forms out"
        )


def _check_process(settings: Train, where: Where) -> None:
    process = settings.process
    if not process.values:
        return
    if settings.tries > 1 or settings.rethink.share or settings.feedback.share:
        raise UserError(
            f"{where('values')}: steps are those of one reply: leave `tries`, `rethink` and"
            " `feedback` out, or `process`"
        )
    own = process.values == "gain" or (process.values != "progress" and not process.prover)
    if own and settings.sampler != "itself":
        raise UserError(
            f'{where("values")}: values = "{process.values}" reads the policy\'s model or goes on'
            f' with its replies, which sampler = "{settings.sampler}" does not: set sampler ='
            ' "itself", or values = "progress"'
        )
    if process.credit == "capo" and process.outcome <= process.weight:
        raise UserError(
            f"{where('outcome')}: outcome = {process.outcome:g} is no more than weight ="
            f" {process.weight:g}: a right reply could be worth less than a wrong one; raise it"
        )


def _check_self_reward(settings: Train, where: Where) -> None:
    if not settings.self_reward.weight:
        return
    if settings.teacher.model:
        raise UserError(
            f"{where('weight')}: the token of the self-reward has no teacher: leave [train.teacher]"
            " or this out"
        )
    if settings.loss.ratio in ("gspo", "luspo"):
        raise UserError(
            f'{where("weight")}: ratio = "{settings.loss.ratio}" is of whole replies, and the token'
            " of the self-reward would be taken for a part of them: set another ratio"
        )
