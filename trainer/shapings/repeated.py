"""UFO: tries of one conversation that give no new answer cost a share of `[train.retry]`."""

from torch import Tensor

from puzzlemill.core.replies import answer_text
from puzzlemill.trainer.conversations import Conversation
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, Shaping
from puzzlemill.trainer.shapings._groups import per_conversation


def repeated(conversation: Conversation) -> float:
    """The share of its attempts that gave no new answer."""
    answers = (answer_text(attempt.reply.text) for attempt in conversation.attempts)
    given = {" ".join(answer.casefold().split()) for answer in answers if answer}
    return 1 - len(given) / len(conversation.attempts)


def change(rewards_PG: Tensor, groups: Groups) -> Tensor:
    cost = groups.settings.retry.repeated
    return rewards_PG - per_conversation(
        groups, [cost * repeated(each) for some in groups.conversations for each in some]
    )


def wanted(settings: Train) -> bool:
    return settings.tries > 1 and settings.retry.ask == "wrong"


SHAPING = Shaping(change, wanted, order=40)
