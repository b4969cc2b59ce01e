"""Relation extraction: a text tells what begins and ends between people, companies and cities;
which facts hold in the end?

`solve` reads the text from its beginning and keeps what holds. `verify` asks of each possible fact
which sentence was the last to settle it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import capital
from puzzlemill.generators._vocabulary import NAMES

Fact: TypeAlias = tuple[str, str, str]  # relation, subject, object

COMPANIES = ("Alcova", "Brintel", "Corvia", "Delmar", "Fenwick", "Galdor", "Halcyon", "Istria")
CITIES = ("Oslo", "Lima", "Cairo", "Delhi", "Quito", "Riga", "Porto", "Dakar")
SORTS = {"person": NAMES, "company": COMPANIES, "city": CITIES}


@dataclass(frozen=True, slots=True)
class Relation:
    """How a relation is told of X and Y: that it begins, that it ends, and what leaves all as it
    is."""

    subject: str
    object: str
    meaning: str
    single: bool  # whether a subject has one object at a time, so that a new one ends the old
    begins: tuple[str, ...]
    ends: tuple[str, ...]
    idle: tuple[str, ...]
    known_by: tuple[str, ...]  # ways to name the object by the subject, or else the subject by the
    backwards: bool = False  # object


RELATIONS = {
    "employee": Relation(
        "person", "company", "person X works for company Y", True,
        ("X takes a job at Y", "Y hires X", "X is taken on by Y"),
        ("X quits the job at Y", "Y lets X go"),
        ("X turns down a job at Y", "Y interviews X, but hires somebody else",
         "X would like to work for Y"),
        ("the employer of X", "the company that X works for"),
    ),
    "resident": Relation(
        "person", "city", "person X lives in city Y", True,
        ("X moves to Y", "Y becomes the home of X", "X settles in Y"), (),
        ("X spends a holiday in Y", "X thinks about a move to Y, but stays put",
         "X looks at a flat in Y, which turns out to be too dear"),
        ("the home town of X", "the city where X lives"),
    ),
    "seat": Relation(
        "company", "city", "company X has its head office in city Y", True,
        ("X moves its head office to Y", "Y becomes the seat of X",
         "X opens its new head office in Y"), (),
        ("X considers Y for its head office, but decides against it", "X opens a small shop in Y"),
        ("the city where X has its head office", "the seat of X"),
    ),
    "mentor": Relation(
        "person", "person", "person X is a mentor of person Y", False,
        ("X becomes a mentor of Y", "X begins to mentor Y", "Y gets X as a mentor"),
        ("X stops mentoring Y", "Y no longer has X as a mentor"),
        ("X offers to mentor Y, who declines", "X meets Y at a conference"),
        ("the mentor of Y", "the person who mentors Y"), True,
    ),
    "supplier": Relation(
        "company", "company", "company X supplies company Y", False,
        ("X becomes a supplier of Y", "Y begins to buy from X", "X starts to supply Y"),
        ("X stops supplying Y", "Y no longer buys from X"),
        ("X offers its goods to Y, in vain", "X sues Y"),
        ("the supplier of Y", "the company that supplies Y"), True,
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Knobs:
    sentences: int  # of the text
    names: int  # of each sort
    asked: int  # relations
    indirect: float  # share of sentences that name somebody by a relation
    idle: float  # share of sentences that change nothing


@dataclass(frozen=True, slots=True)
class Report:
    # (change, relation, subject, object): change is begins, ends or idle. A subject or object may
    # be told by a relation: "employee Anna" is the company that Anna works for.
    sentences: tuple[tuple[str, str, str, str], ...]
    wordings: tuple[int, ...]
    asked: tuple[str, ...]  # relations


def generate(rng: Random, knobs: Knobs) -> Report | None:
    cast = {sort: rng.sample(names, knobs.names) for sort, names in SORTS.items()}
    asked = tuple(sorted(rng.sample(sorted(RELATIONS), knobs.asked)))
    others = [name for name in RELATIONS if name not in asked]
    holds: set[Fact] = set()
    sentences: list[tuple[str, str, str, str]] = []
    for _ in range(knobs.sentences * 20):
        if len(sentences) == knobs.sentences:
            break
        name = rng.choice(asked if not others or rng.random() < 0.7 else others)
        sentence = _sentence(rng, knobs, cast, holds, name)
        if sentence is None or (sentence[0] == "idle" and sentence in sentences):
            continue
        sentences.append(sentence)
        holds = _after(holds, sentence)
    report = Report(tuple(sentences), tuple(rng.randrange(6) for _ in sentences), asked)
    return report if len(sentences) == knobs.sentences and solve(report) else None


def _sentence(
    rng: Random, knobs: Knobs, cast: dict[str, list[str]], holds: set[Fact], name: str
) -> tuple[str, str, str, str] | None:
    """One more sentence; of what holds already none says that it begins, and of what does not none
    says that it ends."""
    relation = RELATIONS[name]
    one, other = rng.choice(cast[relation.subject]), rng.choice(cast[relation.object])
    if relation.ends and rng.random() < 0.3:
        current = sorted(fact for fact in holds if fact[0] == name)
        if not current:
            return None
        change, (_, one, other) = "ends", rng.choice(current)
    else:
        change = "idle" if rng.random() < knobs.idle else "begins"
        if one == other or (name, one, other) in holds or (name, other, one) in holds:
            return None
    ends = [one, other]
    if rng.random() < knobs.indirect:
        side = rng.randrange(2)
        ways = [way for way in _descriptions(holds, ends[side]) if ends[1 - side] not in way]
        if not ways:
            return None
        ends[side] = rng.choice(ways)
    return change, name, ends[0], ends[1]


def solve(report: Report) -> tuple[str, ...] | None:
    """What holds after each sentence, from the first to the last."""
    holds: set[Fact] = set()
    for sentence in report.sentences:
        holds = _after(holds, sentence)
    return tuple(sorted(_written(fact) for fact in holds if fact[0] in report.asked)) or None


def verify(report: Report, answer: tuple[str, ...]) -> float:
    """Of every possible fact the last sentence that settles it."""
    end = len(report.sentences)
    right = {fact for fact in _facts(report) if _holds_before(report, end, fact)}
    return float(set(answer) == set(map(_written, right)))


def render(report: Report, style: Style) -> Prompt:
    text = " ".join(
        capital(_told(sentence, wording + style.phrasing)) + "."
        for sentence, wording in zip(report.sentences, report.wordings, strict=True)
    )
    single = [name for name in report.asked if RELATIONS[name].single]
    schema = "\n".join(f"- {name} X Y: {RELATIONS[name].meaning}" for name in report.asked)
    once = "Nobody works for two companies or lives in two cities at the same time, and no company"
    once += " has two head offices: what begins ends what was before."
    rules = once if single or any(RELATIONS[s[1]].single for s in report.sentences) else ""
    rules = f" {rules}" if rules else ""
    question = style.pick(
        f"Read this report, in which one thing happens after another.\n\n{text}\n\nWhich facts of"
        f" the following kinds hold at the end, as far as the report tells?{rules}\n{schema}",
        f"Extract facts from the text below.\n{schema}\n\nOnly what is true after the last sentence"
        f" counts; the sentences are in the order of time.{rules}\n\n{text}",
        f"{text}\n\nThe sentences tell of events in the order in which they happen.{rules} List all"
        f" the facts of these kinds that are true after the last event and that follow from the"
        f" text:\n{schema}",
    )
    sample = report.asked[0]
    return Prompt(
        question,
        form="all these facts and no others, in any order, separated by commas, each as the kind,"
        f" X and Y with spaces between them: {sample} X Y, {sample} X Y",
    )


def steps(report: Report) -> list[str]:
    """What each sentence changes, of all relations."""
    lines, holds = [], set[Fact]()
    for number, sentence in enumerate(report.sentences, 1):
        after = _after(holds, sentence)
        told = [f"{_plain(fact)} ends" for fact in sorted(holds - after)]
        told += [f"{_plain(fact)} begins" for fact in sorted(after - holds)]
        lines.append(f"Sentence {number}: {'; '.join(told) or 'no change'}")
        holds = after
    return lines


def twin(rng: Random, knobs: Knobs, report: Report) -> Report:
    """The same report of others."""
    turned = {
        one: other
        for names in SORTS.values()
        for one, other in zip(names, rng.sample(names, len(names)), strict=True)
    }
    return replace(report, sentences=tuple(_exchanged(each, turned) for each in report.sentences))


def canon(report: Report) -> list[object]:
    """Names are numbered as they come."""
    known = {name for names in SORTS.values() for name in names}
    words = [word for sentence in report.sentences for end in sentence for word in end.split()]
    found = dict.fromkeys(word for word in words if word in known)
    turned = {name: str(at) for at, name in enumerate(found)}
    return [[_exchanged(each, turned) for each in report.sentences], report.asked]


def hardness(report: Report) -> float:
    """Sentences; more where somebody has to be found out first, or something ends."""
    indirect = sum(" " in f"{one}{other}" for _, _, one, other in report.sentences)
    ends = sum(sentence[0] == "ends" for sentence in report.sentences)
    return len(report.sentences) + indirect + ends / 2


def _after(holds: set[Fact], sentence: tuple[str, str, str, str]) -> set[Fact]:
    change, name, *ends = sentence
    one, other = (_found(holds, end) for end in ends)
    if change == "idle":
        return holds
    if change == "ends":
        return holds - {(name, one, other)}
    if RELATIONS[name].single:
        holds = {fact for fact in holds if fact[:2] != (name, one)}
    return holds | {(name, one, other)}


def _found(holds: set[Fact], end: str) -> str:
    """Whom a description means."""
    name, _, known = end.partition(" ")
    if not known:
        return end
    if RELATIONS[name].backwards:
        (found,) = (one for each, one, other in holds if (each, other) == (name, known))
    else:
        (found,) = (other for each, one, other in holds if (each, one) == (name, known))
    return found


def _descriptions(holds: set[Fact], whom: str) -> list[str]:
    """The ways to name somebody by what holds, each of which fits nobody else."""
    ways = []
    for name, one, other in sorted(holds):
        if RELATIONS[name].backwards:
            fitting = [fact for fact in holds if (fact[0], fact[2]) == (name, other)]
            if one == whom and len(fitting) == 1:
                ways.append(f"{name} {other}")
        elif other == whom:
            ways.append(f"{name} {one}")
    return ways


def _facts(report: Report) -> Iterator[Fact]:
    """Those that the answer may hold, true or false."""
    for name in report.asked:
        for one in _mentioned(report, RELATIONS[name].subject):
            for other in _mentioned(report, RELATIONS[name].object):
                if one != other:
                    yield name, one, other


def _holds_before(report: Report, time: int, fact: Fact) -> bool:
    """Whether a fact holds before a sentence, by the last one that settles it."""
    name, one, other = fact
    for at in range(time - 1, -1, -1):
        change, kind, *ends = report.sentences[at]
        if kind != name or change == "idle":
            continue
        subject, found = (_meant(report, at, end) for end in ends)
        if subject == one and (found == other or (RELATIONS[name].single and change == "begins")):
            return change == "begins" and found == other
    return False


@lru_cache(maxsize=1000)
def _meant(report: Report, time: int, end: str) -> str:
    """Whom a description means before a sentence, of all who are mentioned."""
    name, _, known = end.partition(" ")
    if not known:
        return end
    relation = RELATIONS[name]
    if relation.backwards:
        for one in _mentioned(report, relation.subject):
            if _holds_before(report, time, (name, one, known)):
                return one
    for other in _mentioned(report, relation.object):
        if _holds_before(report, time, (name, known, other)):
            return other
    return ""


def _mentioned(report: Report, sort: str) -> Iterator[str]:
    said = {word for sentence in report.sentences for end in sentence for word in end.split()}
    return (name for name in SORTS[sort] if name in said)


def _told(sentence: tuple[str, str, str, str], wording: int) -> str:
    change, name, one, other = sentence
    relation = RELATIONS[name]
    ways = {"begins": relation.begins, "ends": relation.ends, "idle": relation.idle}[change]
    ends = {"X": _named(one, wording), "Y": _named(other, wording)}
    return re.sub(r"\b[XY]\b", lambda sign: ends[sign[0]], ways[wording % len(ways)])


def _named(end: str, wording: int) -> str:
    name, _, known = end.partition(" ")
    if not known:
        return end
    ways = RELATIONS[name].known_by
    return re.sub(r"\b[XY]\b", known, ways[wording // 3 % len(ways)])


def _exchanged(
    sentence: tuple[str, str, str, str], turned: dict[str, str]
) -> tuple[str, str, str, str]:
    change, name, one, other = sentence
    put = partial(re.sub, r"\w+", lambda word: turned.get(word[0], word[0]))
    return change, name, put(one), put(other)


def _plain(fact: Fact) -> str:
    return " ".join(fact)


def _written(fact: Fact) -> str:
    return _plain(fact).lower()


LADDER = (
    Knobs(6, 3, 1, 0.0, 0.1),
    Knobs(9, 4, 2, 0.2, 0.2),
    Knobs(14, 4, 2, 0.35, 0.2),
    Knobs(20, 5, 3, 0.5, 0.25),
    Knobs(30, 6, 4, 0.6, 0.25),
)
FAMILY = Family(
    Report,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet("a set of facts, separated by commas", items="phrases"),
    hardness=hardness,
    proof="unique",
    solver="sentence after sentence, from the first",
    guess_rate=0.1,
    steps=steps,
    twin=twin,
    canon=canon,
    known=lambda report: [*map(_plain, _facts(report))],
    skills=("reading", "tracking", "reference"),
    peers=("reasoning-core/typed_relation_extraction",),
)
