"""The loss and who replies: [train] of items and of games, and [train.loss]."""

from typing import TYPE_CHECKING

from puzzlemill.core.errors import UserError
from puzzlemill.core.tables import LineNumbers
from puzzlemill.pipelines.checks import Where
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.settings.losses import TokenLoss

if TYPE_CHECKING:
    from puzzlemill.pipelines.recipe import Recipe


def check(recipe: "Recipe", places: LineNumbers) -> None:
    settings, where = recipe.train, places.within("train").of
    if settings.loss.ratio == "nft" and not isinstance(settings, Train):
        raise UserError(
            f'{places.within("train.loss").of("ratio")}: ratio = "nft" needs the pass rate of a'
            " group, and games have none: set another ratio"
        )
    if (settings.sampler == "server") != bool(settings.server):
        raise UserError(
            f'{where("server")}: sampler = "server" and the address of a server go together:'
            ' server = "http://127.0.0.1:8000/v1"'
        )
    if settings.handover and settings.sampler == "itself":
        raise UserError(
            f"{where('handover')}: handover is of weights to vLLM: leave it out, or set sampler to"
            ' "vllm" or "server"'
        )
    _check_loss(settings.loss, settings.lora.rank > 0, places.within("train.loss").of)


def _check_loss(loss: TokenLoss, adapters: bool, where: Where) -> None:
    if loss.dual and loss.dual <= 1:
        raise UserError(f"{where('dual')}: dual = {loss.dual} is not above 1; 0 turns it off")
    if loss.least > loss.most:
        raise UserError(f"{where('least')}: least = {loss.least} is above most = {loss.most}")
    if loss.ratio == "luspo" and loss.mean != "replies":
        raise UserError(
            f'{where("ratio")}: ratio = "luspo" has the length of each reply in its loss: set'
            ' mean = "replies"'
        )
    if loss.open_share <= 0:
        raise UserError(f"{where('open_share')}: open_share = 0 leaves no tokens to learn from")
    if adapters and (loss.reference_every or loss.reference_kept < 1):
        name = "reference_every" if loss.reference_every else "reference_kept"
        raise UserError(
            f"{where(name)}: with [train.lora] the reference is a checkpoint, or the model without"
            " its adapters, and stays that"
        )
