"""Verdicts: how right a reply is, read and judged by its family."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal, TypeVar

from puzzlemill.core import notebook, registry
from puzzlemill.core.answers import Kind
from puzzlemill.core.errors import UserError, shown
from puzzlemill.core.family import AnyFamily
from puzzlemill.core.guard import Failure, guarded
from puzzlemill.core.item import Item
from puzzlemill.core.plain_data import thaw
from puzzlemill.core.replies import AnyReply, answer_text, reply_text

T = TypeVar("T")
Status = Literal["correct", "partial", "wrong", "unparsed", "error"]

_ALTERNATIVES = re.compile(r"(?<!\s),?\s+or\s+|\\text\s?\{\s?or\s?\}|;|\n+", re.IGNORECASE)
_NAME = re.compile(r"[\s$*({-]*\\?([A-Za-z][\w ]{0,30}?)\s*(?:=|:)", re.ASCII)
# Why a reply has no answer; of a kind's form there is a reason besides.
NO_ANSWER = "no complete <answer>…</answer> and no \\boxed{…}"
SEVERAL = "several different answers"
MOST = 40  # alternatives; more are not looked at
MANY = 4000  # texts of replies to one puzzle that are kept, with what they came to


@dataclass(frozen=True, slots=True)
class Verdict:
    """True only where the reply is correct; as a number, its score."""

    score: float
    correct: bool
    status: Status
    reason: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        """Slots are pickled field by field, in Python; workers send a verdict for each reply."""
        return Verdict, (self.score, self.correct, self.status, self.reason)

    def __bool__(self) -> bool:
        return self.correct

    def __float__(self) -> float:
        return self.score

    def __repr__(self) -> str:
        reason = f": {notebook.short(self.reason)}" if self.reason else ""
        return f"<Verdict {self.status}, score {self.score:g}{reason}>"

    def _repr_html_(self) -> str:
        return notebook.verdict(self.status, self.score, self.reason)


_NONE = Verdict(0.0, False, "unparsed", NO_ANSWER)


def check(item: Item | Mapping[str, Any], reply: AnyReply) -> Verdict:
    """How right a reply to an item is.

    The item may be a row read back from Parquet; the reply a text, a message or a list of messages,
    of which the last of the assistant counts.
    """
    text = reply_text(reply)
    if text is None:
        raise UserError(f"reply is a text, a message or a list of messages, not {shown(reply)}")
    if isinstance(item, Item):
        return judge(registry.family(item.family), item.puzzle, text)
    if not isinstance(item, Mapping):
        raise UserError(f"item is an Item or a row with its columns, not {shown(item)}")
    return judge(*_read(item), text)


def _read(row: Mapping[str, Any]) -> tuple[AnyFamily, Any]:
    """The family and the puzzle of a row; what is wrong with the row is told, not scored."""
    if missing := [name for name in ("family", "puzzle") if not isinstance(row.get(name), str)]:
        raise UserError(f"a row to check needs the column {missing[0]!r} as text")
    family = registry.family(row["family"])
    if row.get("version", family.version) != family.version:
        raise UserError(
            f"{row.get('uid', 'a row')} was made by version {row['version']} of {family.name}, but"
            f" this is version {family.version}: check it with the Puzzlemill that made it"
        )
    try:
        return family, thaw(family.puzzle, row["puzzle"])
    except (ValueError, TypeError, AttributeError) as error:
        fault = f"{row.get('uid', 'a row')}: its puzzle is no puzzle of {family.name}: {error}"
        raise UserError(fault) from None


def judge(family: AnyFamily, puzzle: Any, reply: str) -> Verdict:
    """The verdict on a reply to a puzzle. Never raises: a crash of ours is an `error`."""
    text = answer_text(reply)
    return _NONE if text is None else _told(guarded(_weigh, family, puzzle, text))


def judge_of(
    family: AnyFamily, puzzle: Any, read: Callable[[Kind[Any], str], Any] | None = None
) -> Callable[[str], Verdict]:
    """`judge` for many replies to one puzzle: its kind is made once, a text that comes again is not
    read again, nor an equal answer verified. Both are pure functions, and what raises is not kept.

    `read` takes the place of `answer_in`, for one that remembers what other puzzles' texts said.
    """
    reader = read or answer_in
    kind = cache(lambda: family.kind(puzzle))
    score = once_an_answer(lambda answer: _scored(family, puzzle, answer))

    @lru_cache(MANY)
    def weigh(text: str) -> Verdict:
        answer = reader(kind(), text)
        return answer if isinstance(answer, Verdict) else score(answer)

    def verdict_on(reply: str) -> Verdict:
        text = answer_text(reply)
        return _NONE if text is None else _told(guarded(weigh, text))

    return verdict_on


def once_an_answer(call: Callable[[Any], T]) -> Callable[[Any], T]:
    """A pure function that is called once for each answer. Equal answers that are written otherwise
    are two, such as (1,) and (True,), and what has no hash is not kept."""
    kept = cache(lambda answer, written: call(answer))

    def once(answer: Any) -> T:
        try:
            hash(answer)
        except TypeError:
            return call(answer)
        return kept(answer, repr(answer))

    return once


def is_unread(kind: Kind[Any], reply: str) -> bool:
    """Whether a kind reads no answer out of a reply: of whatever puzzle, no family is asked."""
    text = answer_text(reply)
    return text is None or isinstance(guarded(answer_in, kind, text), Verdict)


def _told(verdict: Verdict | Failure) -> Verdict:
    if isinstance(verdict, Failure):
        return Verdict(0.0, False, "error", verdict.reason)
    return verdict


def _weigh(family: AnyFamily, puzzle: Any, text: str) -> Verdict:
    answer = answer_in(family.kind(puzzle), text)
    return answer if isinstance(answer, Verdict) else _scored(family, puzzle, answer)


def _scored(family: AnyFamily, puzzle: Any, answer: Any) -> Verdict:
    score = float(family.verify(puzzle, answer))
    assert 0 <= score <= 1, f"{family.name}: verify gave {score}, outside 0..1"
    status: Status = "correct" if score == 1 else "partial" if score > 0 else "wrong"
    return Verdict(score, score == 1, status)


def answer_in(kind: Kind[Any], text: str) -> Any:
    """The answer that a text says, or the verdict where it says none, or several."""
    answer = kind.read(text)
    if answer is not None:
        return answer
    parts = [part for part in _ALTERNATIVES.split(text) if part.strip()]
    several = _all_read(kind, parts) if parts != [text] and len(parts) <= MOST else set()
    if len(several) > 1 and not _named_apart(parts):
        return Verdict(0.0, False, "wrong", SEVERAL)
    if len(several) != 1:
        return Verdict(0.0, False, "unparsed", f"not {kind.form}")
    return several.pop()


def _named_apart(parts: Sequence[str]) -> bool:
    """Whether each part has a name of its own, "x = 1; y = 2": parts of one answer."""
    names = [_NAME.match(part) for part in parts]
    return all(names) and len({name[1] for name in names if name}) == len(parts)


def _all_read(kind: Kind[Any], parts: Sequence[str]) -> set[Any]:
    """The different answers that the parts say; none where one of them says no answer."""
    answers = set()
    for part in parts:
        if (answer := kind.read(part)) is None:
            return set()
        answers.add(answer)
    return answers
