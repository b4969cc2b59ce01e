"""What settings of a teacher, of its feedback and of imitation beside RL say of each other."""

from collections.abc import Callable

from puzzlemill.core.errors import UserError
from puzzlemill.core.tables import LineNumbers
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.settings.teaching import Imitate, Teacher

Where = Callable[[str], str]  # in the file a word stands


def check_teaching(settings: Train, places: LineNumbers) -> None:
    _check_feedback(settings, places.within("train.feedback").of)
    _check_teacher(settings.teacher, places.within("train.teacher").of)
    _check_imitate(settings.imitate, places.within("train.imitate").of)


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


def _check_teacher(teacher: Teacher, where: Where) -> None:
    if teacher.fall and teacher.least > teacher.weight:
        raise UserError(
            f"{where('least')}: least = {teacher.least} is above weight = {teacher.weight}, which"
            " falls to it"
        )


def _check_imitate(imitate: Imitate, where: Where) -> None:
    if imitate.weight and not imitate.least <= imitate.weight <= imitate.most:
        raise UserError(
            f"{where('weight')}: weight = {imitate.weight} is not between least = {imitate.least}"
            f" and most = {imitate.most}"
        )
