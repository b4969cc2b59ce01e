"""Probes of a family's verifier: does it accept what is right, and nothing else?

Right answers are sent in the words that models use, wrong ones slightly changed, and replies that
deserve nothing. A changed answer counts as wrong only where something other than `verify` says so:
the proof that there is one answer, or the family's `recheck`. Parts of the prompt are sent as well:
one that is paid is a fault unless it is a right answer, and written out.
"""

import re
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from random import Random
from statistics import fmean
from typing import Any, Protocol

from puzzlemill.core.address import digest
from puzzlemill.core.answers import Impossible, Kind
from puzzlemill.core.answers.numerals import counted
from puzzlemill.core.family import AnyFamily
from puzzlemill.core.proof.batteries import (
    COMMON,
    echoes,
    hacks,
    monster,
    monsters,
    renderings,
    tagged,
)
from puzzlemill.core.replies import answer_text
from puzzlemill.core.verdict import Verdict, answer_in, is_unread, judge_of, once_an_answer

CHANGED = 24  # slightly changed answers, an item
DEALT = 3  # parts that hacks are dealt out in
GUESSED = 8  # guesses, an item
SLOW = 2.0  # CPU seconds of one check that are too many
KEPT = 1000  # characters of the longest text whose reading is kept
SHOWN = 5  # faults that are kept of each sort

_DIGITS, _LETTERS = re.compile(r"\d+"), re.compile(r"[^\W\d_]+")


class Case(Protocol):
    """What a probe needs to know of an item."""

    @property
    def uid(self) -> str: ...
    @property
    def prompt(self) -> str: ...
    @property
    def puzzle(self) -> Any: ...
    @property
    def answer(self) -> str: ...


@dataclass(slots=True)
class Count:
    """What came of the replies of one sort."""

    tried: int = 0
    failed: int = 0
    faults: list[str] = field(default_factory=list)

    def add(self, fault: str = "") -> None:
        self.tried += 1
        if fault:
            self.failed += 1
            if len(self.faults) < SHOWN and fault not in self.faults:
                self.faults.append(fault)


@dataclass(slots=True)
class Probes:
    right: Count = field(default_factory=Count)  # right answers; failed: refused
    wrong: Count = field(default_factory=Count)  # changed answers; failed: taken as right
    hacks: Count = field(default_factory=Count)  # failed: paid anything
    batteries: Count = field(default_factory=Count)  # items; failed: one of its wrong replies paid
    crashes: Count = field(default_factory=Count)  # every check; failed: raised, or took too long
    unconfirmed: int = 0  # changed answers that nothing but `verify` judges
    seconds: float = 0.0  # CPU time of the checks

    @property
    def faults(self) -> list[str]:
        counts = [self.crashes, self.right, self.wrong, self.hacks]
        return [fault for count in counts for fault in count.faults]


@dataclass(frozen=True, slots=True)
class _Trial:
    """One case, and what its replies share."""

    family: AnyFamily
    case: Case
    gold: Any
    kind: Kind[Any]
    judge: Callable[[str], Verdict]
    is_wrong: Callable[[Any], bool | None]
    probes: Probes


def _trial(family: AnyFamily, case: Case, gold: Any, probes: Probes) -> _Trial:
    kind, puzzle = family.kind(case.puzzle), case.puzzle
    wrong = once_an_answer(partial(is_wrong, family, puzzle, gold))
    return _Trial(family, case, gold, kind, judge_of(family, puzzle, _read), wrong, probes)


def probe(family: AnyFamily, cases: Sequence[Case], dealt: bool = False) -> Probes:
    """Everything that the batteries hold, on each case, and the longest replies.

    Dealt out, each right reply goes to one of the cases alone, and so does a third of the hacks:
    which, goes by the family's name, so that families of one kind of answer try all of them.
    """
    probes = Probes()
    third = int(digest(family.name)[:8], 16) % DEALT
    for place, case in enumerate(cases):
        mine = slice(place, None, len(cases)) if dealt else slice(None)
        tried = slice(third + DEALT * place, None, DEALT * len(cases)) if dealt else slice(None)
        gold = family.answer.read(case.answer)
        if gold is None:
            probes.right.add(f"cannot read its own gold {case.answer!r}")
            continue
        trial = _trial(family, case, gold, probes)
        for reply in renderings(trial.kind, gold)[mine]:
            _try_right(trial, reply)
        before = probes.wrong.failed + probes.hacks.failed
        _try_wrong(trial)
        for reply in [*hacks(trial.kind, gold, case.prompt, case.uid)][tried]:
            _try_hack(trial, reply)
        for span, reply in [*echoes(case.prompt)][mine]:
            _try_echo(trial, span, reply)
        paid = probes.wrong.failed + probes.hacks.failed > before
        probes.batteries.add("a wrong reply was paid" if paid else "")
    if cases:
        for fault in _monstrous():
            probes.crashes.add()
            probes.hacks.add(fault)
    return probes


@cache
def _monstrous() -> tuple[str, ...]:
    """For each of the longest replies what is wrong with how it is read, or "". No answer is to be
    read out of them, so that no family is asked, and once in a process is enough."""
    return tuple(
        "" if answer_text(reply) is None else f"reads {short(reply)}"
        for reply in (monster("7"), *monsters())
    )


def _unread(kind: Any, reply: str) -> bool:
    return isinstance(kind, Hashable) and _known_unread(kind, reply)


@lru_cache(maxsize=20_000)
def _known_unread(kind: Any, reply: str) -> bool:
    return is_unread(kind, reply)


def _read(kind: Any, text: str) -> Any:
    """What a kind reads out of a text: most texts come again with other items of the family."""
    if len(text) > KEPT or not isinstance(kind, Hashable):
        return answer_in(kind, text)
    return _kept_reading(kind, text)


@lru_cache(maxsize=30_000)
def _kept_reading(kind: Any, text: str) -> Any:
    return answer_in(kind, text)


def _try_right(trial: _Trial, reply: str) -> None:
    verdict = _judge(trial, reply)
    gold = trial.case.answer
    fault = f"calls the right answer {gold!r} {verdict.status}, written {short(reply)}"
    trial.probes.right.add("" if verdict.correct or verdict.status == "error" else fault)


def _try_wrong(trial: _Trial) -> None:
    family, case, probes = trial.family, trial.case, trial.probes
    for answer in _changed(trial.kind, trial.gold, case.uid):
        written = family.written(case.puzzle, answer)
        wrong = trial.is_wrong(answer)
        if wrong is None:
            probes.unconfirmed += 1
            continue
        verdict = _judge(trial, tagged(written))
        if verdict.status == "error":
            continue
        if wrong:
            probes.wrong.add(_taken(family, case, written) if verdict.correct else "")
        else:
            fault = f"refuses {written!r}, which recheck calls right, for {case.uid}"
            probes.right.add("" if verdict.correct else fault)


def is_wrong(family: AnyFamily, puzzle: Any, gold: Any, answer: Any) -> bool | None:
    """Whether something other than `verify` shows an answer to be wrong; None: nothing does."""
    if family.recheck:
        return not family.recheck(puzzle, answer)
    if family.proof == "unique":
        return bool(answer != gold)
    return None


def _changed(kind: Kind[Any], gold: Any, seed: str) -> Iterator[Any]:
    source = Random(seed)
    for _ in range(CHANGED):
        if (answer := kind.near(gold, source)) != gold:
            yield answer
    if not isinstance(gold, Impossible):
        for _ in range(GUESSED):
            if (answer := kind.guess(gold, source)) != gold:
                yield answer


def _try_hack(trial: _Trial, reply: str) -> None:
    verdict = _judge(trial, reply)
    paid = verdict.score and not _happens_to_be_right(trial, reply)
    trial.probes.hacks.add(_paid(verdict, reply) if paid else "")


def _happens_to_be_right(trial: _Trial, reply: str) -> bool:
    """A listing may be a right answer of its own, where several are right."""
    answer = trial.kind.read(reply.removeprefix("<answer>").removesuffix("</answer>"))
    if answer is None or answer == trial.gold or not trial.family.recheck:
        return False
    return not trial.is_wrong(answer)


def _try_echo(trial: _Trial, span: str, reply: str) -> None:
    verdict = _judge(trial, reply)
    fault = ""
    if verdict.score and not _answers(trial, span, reply):
        gold = short(trial.case.answer)
        fault = f"{_paid(verdict, reply)}, a part of the prompt, where gold is {gold}"
    trial.probes.hacks.add(fault)


def _answers(trial: _Trial, span: str, reply: str) -> bool:
    """Whether a part of the prompt is a right answer, by luck or because the prompt must name it:
    gold as it is written, or another answer that `recheck` confirms."""
    kind, gold = trial.kind, trial.gold
    answer = _read(kind, answer_text(reply) or "")
    if isinstance(answer, Verdict):
        return False
    if answer == gold:
        return kind.write(answer) == kind.write(gold) and _written_out(kind, answer, span)
    return trial.is_wrong(answer) is False and _written_out(kind, answer, span)


def _written_out(kind: Any, answer: Any, span: str) -> bool:
    """Whether a text that is read as some numbers has their digits, and not those of a sum that
    comes to them; or spells a number: "one" is 1, "one integer" is not."""
    texts = [kind.write(answer), *kind.ways(answer)]
    if not _digits(texts[0]):
        return True
    if digits := _digits(span):
        return any(digits == _digits(text) for text in texts)
    words = _LETTERS.findall(span.lower())
    spelled = counted(words)[1] == len(words)
    return spelled or any(set(words) == set(_LETTERS.findall(text.lower())) for text in texts)


def _digits(text: str) -> set[str]:
    return {digits.lstrip("0") for digits in _DIGITS.findall(text)}


def _judge(trial: _Trial, reply: str) -> Verdict:
    probes = trial.probes
    # What a kind does not read says the same of every puzzle: it is read once.
    if reply in COMMON and _unread(trial.kind, reply):
        probes.crashes.add()
        return Verdict(0.0, False, "unparsed")
    verdict, seconds = _timed(trial, reply)
    if seconds > SLOW:  # a machine that stood still for a while says nothing of the verifier
        verdict, seconds = _timed(trial, reply)
    probes.seconds += seconds
    fault = ""
    if verdict.status == "error":
        fault = f"the verifier crashes on {short(reply)}: {verdict.reason}"
    elif seconds > SLOW:
        fault = f"takes {seconds:.1f} CPU seconds to check {short(reply)}"
    probes.crashes.add(fault)
    return verdict


def _timed(trial: _Trial, reply: str) -> tuple[Verdict, float]:
    """A verdict, and the CPU seconds that it takes."""
    start = time.process_time()
    verdict = trial.judge(reply)
    return verdict, time.process_time() - start


def _taken(family: AnyFamily, case: Case, written: str) -> str:
    if family.recheck:
        return f"takes {written!r}, which recheck calls wrong, for {case.uid}"
    return f"promises one answer, but takes {written!r} beside {case.answer!r} for {case.uid}"


def _paid(verdict: Verdict, reply: str) -> str:
    return f"pays {verdict.score:g} for {short(reply)}"


def short(text: str) -> str:
    return repr(text) if len(text) <= 160 else f"{text[:80]!r} … ({len(text):,} characters)"


@dataclass(frozen=True, slots=True)
class Guesses:
    """What replies earn that look at no puzzle: exactly right, and with partial credit."""

    constant: str  # the best answer to give always
    constant_right: float
    constant_pays: float
    random_right: float
    random_pays: float

    @property
    def right(self) -> float:
        return max(self.constant_right, self.random_right)


def guesses(family: AnyFamily, puzzles: Sequence[Any]) -> Guesses:
    golds = [family.solve(puzzle) for puzzle in puzzles]
    constants = []
    for constant, _ in Counter(golds).most_common(3):
        scores = [family.verify(puzzle, constant) for puzzle in puzzles]
        right = fmean(score == 1 for score in scores)
        constants.append((right, fmean(scores), family.answer.write(constant)))
    right, pays, written = max(constants)
    source = Random(family.name)
    scores = [
        family.verify(puzzle, family.kind(puzzle).guess(gold, source))
        for puzzle, gold in zip(puzzles, golds, strict=True)
        for _ in range(4)
        if not isinstance(gold, Impossible)
    ] or [0.0]
    return Guesses(written, right, pays, fmean(score == 1 for score in scores), fmean(scores))
