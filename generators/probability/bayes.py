"""Bayes: what signs tell about a group that nobody sees, in a story; perhaps from doubtful notes.

`solve` adds up the whole tree: every group, and every way in which the signs may truly be. `verify`
grows no tree: it changes what is believed of the group after one sign, then the next.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.prose import capital, listed
from puzzlemill.generators.probability._chance import PROBABILITY, trivial


@dataclass(frozen=True, slots=True)
class Knobs:
    groups: int  # at most
    signs: int  # at most, all told
    seen: int  # of them, at most
    notes: float  # the share of questions in which signs are known from notes only
    questions: int  # how many sorts of question there may be


@dataclass(frozen=True, slots=True)
class Story:
    scene: str
    thing: str
    things: str
    groups: tuple[str, ...]
    signs: tuple[str, ...]
    watcher: str


@dataclass(frozen=True, slots=True)
class Case:
    story: int
    groups: tuple[int, ...]  # of the story's groups
    signs: tuple[int, ...]  # of the story's signs
    shares: tuple[int, ...]  # percent, of each group
    rates: tuple[tuple[int, ...], ...]  # percent: for each sign, in each group
    seen: tuple[bool, ...]  # of the first signs, whether there (or noted)
    notes: tuple[int, ...]  # percent: a sign that is there is noted, one that is not; or nothing
    question: str  # group, either or sign
    asked: tuple[int, ...]  # which groups, or which sign


def generate(rng: Random, knobs: Knobs) -> Case | None:
    story = rng.randrange(len(STORIES))
    groups = rng.randint(max(2, knobs.groups - 1), knobs.groups)
    signs = rng.randint(max(1, knobs.signs - 1), knobs.signs)
    seen = rng.randint(max(1, min(knobs.seen, signs) - 1), min(knobs.seen, signs))
    notes = rng.random() < knobs.notes
    question = rng.choice(QUESTIONS[: knobs.questions])
    if question == "either" and groups < 3:
        return None
    if question == "sign":
        if not notes and seen == signs:
            return None
        asked = [rng.randrange(signs) if notes else rng.randrange(seen, signs)]
    else:
        asked = sorted(rng.sample(range(groups), 1 + (question == "either")))
    draft = Case(
        story=story,
        groups=tuple(rng.sample(range(len(STORIES[story].groups)), groups)),
        signs=tuple(rng.sample(range(len(STORIES[story].signs)), signs)),
        shares=(),
        rates=(),
        seen=(True,) * seen,
        notes=(0, 0) if notes else (),
        question=question,
        asked=tuple(asked),
    )
    return _filled(rng, draft)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(case: Case) -> Fraction | None:
    """Add up all branches in which things look as they do."""
    if not _sensible(case):
        return None
    given = event = 0
    for group, truth, weight in _branches(case):
        for there, seen in zip(truth, case.seen):
            weight *= _looks(case, there, seen)
        given += weight
        event += weight * _asked_for(case, group, truth)
    return Fraction(event, given) if given else None


def verify(case: Case, answer: Fraction) -> float:
    belief = [Fraction(share, 100) for share in case.shares]
    rates = [[Fraction(rate, 100) for rate in row] for row in case.rates]
    hit, slip = (Fraction(part, 100) for part in case.notes or (100, 0))
    for row, seen in zip(rates, case.seen):
        likely = [rate * hit + (1 - rate) * slip for rate in row]
        belief = [old * (new if seen else 1 - new) for old, new in zip(belief, likely)]
        total = sum(belief)
        if not total:
            return 0.0
        belief = [each / total for each in belief]
    if case.question != "sign":
        return float(sum(belief[group] for group in case.asked) == answer)
    sign = case.asked[0]
    there = rates[sign]
    if sign < len(case.seen):
        there = [_truly(rate, hit, slip, case.seen[sign]) for rate in there]
    return float(sum(old * new for old, new in zip(belief, there)) == answer)


def render(case: Case, style: Style) -> Prompt:
    story = STORIES[case.story]
    groups = [story.groups[group] for group in case.groups]
    signs = [story.signs[sign] for sign in case.signs]
    shares = [f"{share}% are {group}" for share, group in zip(case.shares, groups)]
    told = [f"{story.scene} {listed(shares)}."]
    told += [
        f"{capital(sign)} is found in {listed(_of(rates, groups))}."
        for sign, rates in zip(signs, case.rates)
    ]
    if len(signs) > 1:
        told.append("Within a group, the signs are independent of one another.")
    if case.notes:
        hit, slip = case.notes
        told.append(
            f"{capital(story.watcher)} who looks for a sign does not always get it right: a sign"
            f" that is there is noted with probability {hit}%, and one that is not there is noted"
            f" with probability {slip}%, independently of everything else."
        )
    look = "the notes mention" if case.notes else "it shows"
    there = [sign for sign, seen in zip(signs, case.seen) if seen]
    missing = [f"not {sign}" for sign, seen in zip(signs, case.seen) if not seen]
    seen = f"{look} {listed(there)}" + (f", but {listed(missing)}" if missing else "")
    if len(case.seen) < len(signs):
        others = listed(signs[len(case.seen) :], "or")
        seen += f" (nobody has looked for {others})"
    event = _event(case, groups, signs)
    facts = " ".join(told)
    question = style.pick(
        f"{facts}\n\nOne of these {story.things} is picked at random: {seen}. What is the"
        f" probability that {event}?",
        f"{facts}\n\nOne {story.thing} is picked at random and examined, and {seen}. Given this,"
        f" how likely is it that {event}?",
        f"Here is what is known.\n\n{facts}\n\nSomebody picks one of the {story.things} at random"
        f" and finds that {seen}. Find the probability, given this, that {event}.",
    )
    return Prompt(question, form=PROBABILITY)


def steps(case: Case) -> list[str]:
    """For every group: its share times what each observation is worth there; then the quotient."""
    story = STORIES[case.story]
    signs = [story.signs[sign] for sign in case.signs]
    hit, slip = (Fraction(part, 100) for part in case.notes or (100, 0))
    lines, weights, parts = [], [], []
    for place, (group, share) in enumerate(zip(case.groups, case.shares)):
        factors = [Fraction(share, 100)]
        for row, seen in zip(case.rates, case.seen):
            rate = Fraction(row[place], 100)
            noted = rate * hit + (1 - rate) * slip
            factors.append(noted if seen else 1 - noted)
        weight = Fraction(1)
        for factor in factors:
            weight *= factor
        said = " * ".join(map(str, factors))
        lines.append(f"{capital(story.groups[group])}: {said} = {weight}")
        weights.append(weight)
        if case.question == "sign":
            sign = case.asked[0]
            rate = Fraction(case.rates[sign][place], 100)
            there = rate
            if sign < len(case.seen):
                there = _truly(rate, hit, slip, case.seen[sign])
            lines.append(f"There, {signs[sign]} is then found with probability {there}.")
            parts.append(weight * there)
        elif place in case.asked:
            parts.append(weight)
    total = sum(weights)
    lines.append(f"All of it: {' + '.join(map(str, weights))} = {total}")
    summed = f"{' + '.join(map(str, parts))} = " if len(parts) > 1 else ""
    lines.append(f"What is asked for: {summed}{sum(parts)}")
    return [*lines, f"The probability is ({sum(parts)}) / ({total}) = {sum(parts) / total}."]


def hardness(case: Case) -> float:
    """Branches' factors, and what has to be thought of besides."""
    besides = 1 + 0.5 * len(case.notes) + 0.5 * (case.question == "sign")
    return len(case.groups) * (1 + len(case.seen)) * besides


def canon(case: Case) -> list[Any]:
    """Without the story, and groups in an order of their own."""
    columns = [
        (share, *rates, case.question != "sign" and place in case.asked)
        for place, (share, rates) in enumerate(zip(case.shares, zip(*case.rates)))
    ]
    asked = case.asked if case.question == "sign" else ()
    return [sorted(columns), case.seen, case.notes, case.question, asked]


def twin(rng: Random, knobs: Knobs, case: Case) -> Case | None:
    return _filled(rng, case)


def renamed(rng: Random, knobs: Knobs, case: Case) -> Case:
    story = rng.randrange(len(STORIES))
    groups = rng.sample(range(len(STORIES[story].groups)), len(case.groups))
    signs = rng.sample(range(len(STORIES[story].signs)), len(case.signs))
    return replace(case, story=story, groups=tuple(groups), signs=tuple(signs))


def _filled(rng: Random, draft: Case) -> Case | None:
    cuts = sorted(rng.sample(range(1, 20), len(draft.groups) - 1))
    shares = tuple(5 * (to - at) for at, to in zip((0, *cuts), (*cuts, 20)))
    rates = tuple(tuple(rng.choice(RATES) for _ in draft.groups) for _ in draft.signs)
    seen = (True, *(rng.random() < 0.6 for _ in draft.seen[1:]))
    notes = (rng.choice((80, 90, 95)), rng.choice((5, 10, 20))) if draft.notes else ()
    case = replace(draft, shares=shares, rates=rates, seen=seen, notes=notes)
    if any(len(set(row)) == 1 for row in rates) or trivial(solve(case)):
        return None
    return case


def _sensible(case: Case) -> bool:
    """Shares must be of all, and every percentage one."""
    percents = [*case.shares, *case.notes, *(rate for row in case.rates for rate in row)]
    return sum(case.shares) == 100 and all(0 <= percent <= 100 for percent in percents)


def _branches(case: Case) -> list[tuple[int, tuple[bool, ...], int]]:
    """Every group with every way in which the signs may be, and its weight."""
    found = []
    for group, share in enumerate(case.shares):
        for truth in product((True, False), repeat=len(case.rates)):
            weight = share
            for there, rates in zip(truth, case.rates):
                weight *= rates[group] if there else 100 - rates[group]
            found.append((group, truth, weight))
    return found


def _looks(case: Case, there: bool, seen: bool) -> int:
    """The weight with which a sign that is there, or is not, looks as it does."""
    if not case.notes:
        return int(there == seen)
    noted = case.notes[0] if there else case.notes[1]
    return noted if seen else 100 - noted


def _asked_for(case: Case, group: int, truth: tuple[bool, ...]) -> bool:
    return truth[case.asked[0]] if case.question == "sign" else group in case.asked


def _truly(rate: Fraction, hit: Fraction, slip: Fraction, noted: bool) -> Fraction:
    """How likely a sign is to be there, in a group, after a note of it or the lack of one."""
    there = rate * (hit if noted else 1 - hit)
    both = there + (1 - rate) * (slip if noted else 1 - slip)
    return there / both if both else Fraction(0)


def _of(percents: tuple[int, ...], groups: list[str]) -> list[str]:
    return [f"{percent}% of {group}" for percent, group in zip(percents, groups)]


def _event(case: Case, groups: list[str], signs: list[str]) -> str:
    if case.question == "sign":
        return f"it {'really' if case.notes else 'also'} shows {signs[case.asked[0]]}"
    chosen = [groups[group] for group in case.asked]
    return "it is " + " or ".join(f"one of the {each}" for each in chosen)


STORIES = (
    Story(
        "Of the plants in a nursery,",
        "plant",
        "plants",
        ("roses", "tulips", "lilies", "daisies", "ferns", "orchids"),
        ("a yellow leaf", "a snail", "a broken stem", "a dry patch", "a white spot", "a web"),
        "a gardener",
    ),
    Story(
        "Of the messages in a mailbox,",
        "message",
        "messages",
        ("advertisements", "invoices", "newsletters", "invitations", "reports", "greetings"),
        ("a link", "a picture", "an attachment", "a typing error", "a table", "a signature"),
        "a clerk",
    ),
    Story(
        "Of the lamps in a warehouse,",
        "lamp",
        "lamps",
        ("desk lamps", "floor lamps", "wall lamps", "garden lamps", "reading lamps", "lanterns"),
        (
            "a scratch",
            "a dent",
            "a loose screw",
            "a wrong label",
            "a cracked shade",
            "a short cable",
        ),
        "an inspector",
    ),
    Story(
        "Of the coins in a collection,",
        "coin",
        "coins",
        ("pennies", "dimes", "tokens", "ducats", "medals", "florins"),
        ("a hole", "a scratch", "a stain", "a worn edge", "a date", "a portrait"),
        "a student",
    ),
    Story(
        "Of the animals in a reserve,",
        "animal",
        "animals",
        ("foxes", "deer", "badgers", "hares", "wolves", "otters"),
        ("a scar", "a limp", "a tag", "a white patch", "a torn ear", "a short tail"),
        "a ranger",
    ),
    Story(
        "Of the books in a library,",
        "book",
        "books",
        ("novels", "atlases", "cookbooks", "dictionaries", "biographies", "comics"),
        ("a torn page", "a pencil mark", "a stamp", "a map", "a coffee stain", "a bookmark"),
        "a librarian",
    ),
)
RATES = (5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95)
QUESTIONS = ("group", "sign", "either")
LADDER = (
    Knobs(2, 1, 1, 0.0, 1),
    Knobs(3, 2, 1, 0.0, 2),
    Knobs(4, 3, 2, 0.3, 3),
    Knobs(4, 4, 3, 0.7, 3),
    Knobs(5, 5, 4, 1.0, 3),
)
FAMILY = Family(
    Case,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="the whole tree of causes and signs",
    guess_rate=0.1,
    steps=steps,
    canon=canon,
    inputs=("shares", "rates", "notes"),
    twin=twin,
    renamed=renamed,
    skills=("probability", "fractions", "reading"),
    peers=("reasoning-core/bayesian_association",),
)
