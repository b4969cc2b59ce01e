"""Learning from games: [train.play]."""

import re
from math import inf
from typing import TYPE_CHECKING

from puzzlemill.core.errors import UserError, unknown
from puzzlemill.core.registry import game, games
from puzzlemill.core.tables import LineNumbers
from puzzlemill.pipelines.checks import Where
from puzzlemill.trainer.settings import TrainGames
from puzzlemill.trainer.settings.games import Play, is_folder

if TYPE_CHECKING:
    from puzzlemill.pipelines.recipe import Recipe


def check(recipe: "Recipe", places: LineNumbers) -> None:
    if isinstance(recipe.train, TrainGames):
        _check_play(recipe.train.play, places.within("train.play").of)


def _check_play(play: Play, where: Where) -> None:
    """What holds of learning from games."""
    if not play.games:
        raise UserError(f"{where('games')}: name the `games` to play, such as {games()[-1]!r}")
    for name in play.games:
        if name not in games():
            raise unknown("game", name, games(), where(name))
    for rivals, more in ((tuple(play.opponents), "|self"), (play.against, "")):
        for name in rivals:
            if not re.fullmatch(rf"random|minimax-[1-9]\d?{more}", name) and not is_folder(name):
                there = "there are: random, minimax-1, minimax-2, …" + (more and ", self")
                there += ", or a checkpoint's folder, with a / in its name"
                raise UserError(f"{where(name)}: nobody to play against is {name!r}; {there}")
    shares = [*play.opponents.values()]
    if any(type(it) not in (int, float) or not 0 <= it < inf for it in shares) or not sum(shares):
        raise UserError(
            f"{where('opponents')}: the shares of opponents are numbers of 0 or more, not all 0"
        )
    hidden = [name for name in play.games if not game(name).open and game(name).players > 1]
    ahead = [name for name in play.opponents if name.startswith("minimax")]
    if hidden and ahead:
        raise UserError(
            f"{where(ahead[0])}: {ahead[0]} sees all of a state, but in {hidden[0]} something is"
            " hidden: play that game in a recipe of its own, against self or random"
        )
    judging = [name for name in play.games if game(name).is_judged is not None]
    if play.alternate.least and not judging:
        raise UserError(
            f"{where('least')}: alternate has an effect only on games with moves that are judged by"
            " themselves, such as spy: leave it out, or play such a game"
        )
    if play.alternate.least > play.alternate.most:
        raise UserError(
            f"{where('least')}: least = {play.alternate.least} is above most ="
            f" {play.alternate.most}: lower it"
        )
    if play.memory >= 1:
        raise UserError(f"{where('memory')}: memory is below 1: a baseline has to move")
