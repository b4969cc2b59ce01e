"""UFO: tries of one conversation that give no new answer cost a share of `[train.retry]`."""

from torch import Tensor

from puzzlemill.core.replies import answer_text
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, Shaping
from puzzlemill.trainer.shapings._groups import of_each
from puzzlemill.trainer.turns import Talk


def repeated(talk: Talk) -> float:
    """The share of its turns that gave no new answer."""
    answers = (answer_text(turn.reply.text) for turn in talk.turns)
    given = {" ".join(answer.casefold().split()) for answer in answers if answer}
    return 1 - len(given) / len(talk.turns)


def change(rewards_PG: Tensor, groups: Groups) -> Tensor:
    cost = groups.settings.retry.repeated
    return rewards_PG - of_each(
        groups, [cost * repeated(talk) for some in groups.talks for talk in some]
    )


def wanted(settings: Train) -> bool:
    return settings.tries > 1


SHAPING = Shaping(change, wanted, order=40)
