"""Invented language: translate a sentence into a little language whose grammar is drawn.

`solve` builds each phrase from its words, marks and order; `verify` takes the English sentence and
carries out one rule after the other on all of it. What no rule speaks of stays as in English. The
answer is one, and without any rule that is needed it is another.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._misreadings import misreadings
from puzzlemill.generators.worlds._language_reader import ANIMALS, PEOPLE, Phrase, Word, carried_out
from puzzlemill.generators.worlds._language_terms import (
    NOUN_FEATURES,
    ORDERS,
    PLURALS,
    SOUNDS,
    VERB_FEATURES,
    VOWELS,
    Rule,
    drawn,
    stems,
    suffixed,
    told,
)

ADJECTIVES = ("old", "young", "tall", "small", "wise", "brave", "quiet", "hungry")
VERBS = {"see": "saw", "hear": "heard", "help": "helped", "follow": "followed", "find": "found",
         "call": "called", "know": "knew", "fear": "feared"}  # fmt: skip
SKINS = {
    "island": "the language of a far island",
    "robots": "the language that some robots made up",
    "tablets": "the language of some old clay tablets",
}
DRAWS = 12


@dataclass(frozen=True, slots=True)
class Knobs:
    rules: int  # that the translation needs, those of sound among them
    spare: int  # rules that it does not need, at most
    adjectives: int  # in the sentence, at most
    owners: int  # in the sentence
    words: int  # of each kind in the list


@dataclass(frozen=True, slots=True)
class Sentence:
    skin: str
    nouns: tuple[Word, ...]
    adjectives: tuple[Word, ...]
    verbs: tuple[Word, ...]
    rules: tuple[Rule, ...]
    needed: tuple[int, ...]  # places of rules without which the translation is another one
    subject: Phrase
    verb: int
    tense: str  # present, past or future
    negated: bool
    object: Phrase


def generate(rng: Random, knobs: Knobs) -> Sentence | None:
    count = knobs.words
    words = iter(stems(rng, 3 * count + 1))
    people = rng.randint(1, count - 1)
    named = [*rng.sample(PEOPLE, people), *rng.sample(ANIMALS, count - people)]
    kinds = (rng.sample(named, count), rng.sample(ADJECTIVES, count), rng.sample([*VERBS], count))
    nouns, adjectives, verbs = (tuple((it, next(words)) for it in kind) for kind in kinds)
    language, skin = drawn(rng, count, next(words)), rng.choice(sorted(SKINS))
    for _ in range(DRAWS):
        whole = Sentence(skin, nouns, adjectives, verbs, language, (), *_meaning(rng, knobs))
        needed = _needed(whole)
        if len(needed) < knobs.rules:
            continue
        kept = set(rng.sample(needed, knobs.rules))
        others = [at for at in range(len(language)) if at not in needed]
        kept |= set(rng.sample(others, min(knobs.spare, len(others))))
        rules = tuple(rule for at, rule in enumerate(language) if at in kept)
        if ("agreement",) in rules and not any(rule[1:2] in _PLURAL for rule in rules):
            continue
        sentence = replace(whole, rules=rules)
        needed = _needed(sentence)
        if len(needed) >= knobs.rules and solve(sentence):
            return replace(sentence, needed=tuple(needed))
    return None


def solve(sentence: Sentence) -> str:
    """Phrase by phrase, each word with its marks."""
    return _said(sentence, sentence.rules, set())


def _said(sentence: Sentence, rules: tuple[Rule, ...], marked: set[str]) -> str:
    """The sentence by these rules; the features that a word is marked for are added to `marked`."""
    sounds = {rule[0]: rule[-1] for rule in rules if rule[0] in SOUNDS}
    marks = [rule for rule in rules if rule[0] == "mark"]
    own = {int(rule[1]): rule[2] for rule in rules if rule[0] == "own plural"}

    def word(stem: str, features: set[str]) -> str:
        marked.update(features)
        before, after = list[str](), list[str]()
        for _, feature, how, form in marks:
            if feature not in features:
                continue
            if how == "suffix":
                stem = suffixed(sounds, stem, form)
            elif how == "prefix":
                stem = form + stem
            elif how == "twice":
                first = next(at for at, letter in enumerate(stem) if letter in VOWELS)
                stem = stem[: first + 1] + stem
            else:
                before, after = ([form, *before], after) if how == "before" else (
                    before, [*after, form])  # fmt: skip
        return " ".join([*before, stem, *after])

    def phrase(parts: Phrase, *roles: str) -> str:
        noun, plural, adjective, owner = parts
        english, stem = sentence.nouns[noun]
        group = {"people" if english in PEOPLE else "animals"} if plural else set()
        irregular = plural and noun in own
        said = word(own[noun] if irregular else stem, {*roles} | (set() if irregular else group))
        if adjective >= 0:
            agrees = ("agreement",) in rules
            other = word(sentence.adjectives[adjective][1], group if agrees else set())
            said = f"{said} {other}" if ("adjective after",) in rules else f"{other} {said}"
        if owner:
            other = phrase(owner, "owner")
            said = f"{other} {said}" if ("owner first",) in rules else f"{said} {other}"
        return said

    features = {sentence.tense} | ({"not"} if sentence.negated else set())
    features |= {"many"} if sentence.subject[1] else set()
    parts = {
        "S": phrase(sentence.subject),
        "V": word(sentence.verbs[sentence.verb][1], features),
        "O": phrase(sentence.object, "object"),
    }
    order = next((rule[1] for rule in rules if rule[0] == "order"), "SVO")
    return " ".join(parts[part] for part in order)


def verify(sentence: Sentence, answer: str) -> float:
    words, _ = carried_out(sentence)
    return float(answer.split() == words)


def render(sentence: Sentence, style: Style) -> Prompt:
    names = tuple(english for english, _ in sentence.nouns)
    rules = [told(rule, names) for rule in sentence.rules if rule[0] not in SOUNDS]
    sounds = [told(rule, names) for rule in sentence.rules if rule[0] in SOUNDS]
    numbered = "\n".join(f"{number}. {rule}" for number, rule in enumerate(rules, 1))
    if sounds:
        seams = "\n".join(f"- {rule}" for rule in sounds)
        before = "Each time that a suffix is added, this happens first"
        before += ", in this order:" if len(sounds) > 1 else ":"
        numbered += f"\n\n{before}\n{seams}"
    words = "\n".join(
        f"{kind}: {', '.join(f'{english} = {word}' for english, word in each)}"
        for kind, each in zip(("Nouns", "Adjectives", "Verbs"), _lists(sentence), strict=True)
    )
    defaults = (
        "Rules are carried out in the order of the list: a suffix goes behind all that a word has"
        " got so far, and a prefix in front of it. A separate word stands directly behind its noun"
        " or verb, or directly in front of it; where a rule has put another one there, it goes on"
        " the far side of that one. “The” is not translated, nor are “of” and the helping verbs of"
        " English. What no rule speaks of is not marked, and stands in the order of English."
    )
    english, which = _english(sentence), SKINS[sentence.skin]
    return Prompt(
        style.pick(
            f"Translate this sentence into {which}:\n\n{english}\n\nWords:\n{words}\n\nGrammar:"
            f"\n{numbered}\n\n{defaults}",
            f"This is all that is known of {which}.\n\n{words}\n\n{numbered}\n\n{defaults}\n\nHow"
            f" do you say “{english}” in it?",
            f"Here are the rules of grammar and the words of {which}. {defaults}\n\n{numbered}"
            f"\n\n{words}\n\nWrite in this language: {english}",
        ),
        form="the translation, its words separated by spaces",
    )


def steps(sentence: Sentence) -> list[str]:
    """The words, as rule after rule changes them, and the order in the end."""
    words, lines = carried_out(sentence)
    return [*lines, f"order: {' '.join(words)}"]


def misread(rng: Random, sentence: Sentence) -> Sentence:
    """Two words or two marks are taken for one another, or a rule for a like one or for none."""
    rules = [*sentence.rules]
    if not rules or rng.random() < 0.3:
        return _exchanged(rng, sentence)
    at = rng.randrange(len(rules))
    others = [other for other, rule in enumerate(rules) if rule[0] == "mark" and other != at]
    match rules[at]:
        case ("order", _):
            rules[at] = ("order", rng.choice(ORDERS))
        case ("mark", feature, how, form) if others and rng.random() < 0.7:
            other = rng.choice(others)
            rules[at] = ("mark", feature, how, rules[other][3])
            rules[other] = (*rules[other][:3], form)
        case ("mark", feature, _, form):
            rules[at] = ("mark", feature, rng.choice(("suffix", "prefix")), form)
        case _:
            del rules[at]
    return replace(sentence, rules=tuple(rules))


def _exchanged(rng: Random, sentence: Sentence) -> Sentence:
    """Two words of the list in each other's places."""
    nouns, adjectives, verbs = map(list, _lists(sentence))
    words = rng.choice((nouns, adjectives, verbs))
    one, other = rng.sample(range(len(words)), 2)
    (word, stem), (second, its) = words[one], words[other]
    words[one], words[other] = (word, its), (second, stem)
    lists = tuple(nouns), tuple(adjectives), tuple(verbs)
    return replace(sentence, nouns=lists[0], adjectives=lists[1], verbs=lists[2])


def kin(sentence: Sentence) -> list[Rule]:
    """The rules, whatever the words and marks are, but for how they begin."""
    rules = [sentence.rules[at] for at in sentence.needed]
    marks = [(*rule[1:3], _shape(rule[3])) for rule in rules if rule[0] == "mark"]
    return [
        *sorted(
            rule[:1] if rule[0] == "own plural" else rule for rule in rules if rule[0] != "mark"
        ),
        *(mark for mark in marks if mark[0] in NOUN_FEATURES),
        *(mark for mark in marks if mark[0] in VERB_FEATURES),
    ]


def canon(sentence: Sentence) -> list[object]:
    meaning = sentence.subject, sentence.verb, sentence.tense, sentence.negated, sentence.object
    return [kin(sentence), sentence.rules, _lists(sentence), meaning]


def without(sentence: Sentence) -> Iterator[Sentence]:
    for at in sentence.needed:
        rules = sentence.rules[:at] + sentence.rules[at + 1 :]
        yield replace(sentence, rules=rules, needed=())


def hardness(sentence: Sentence) -> float:
    """The rules, each as far as it reaches, and the words to write."""
    words, lines = carried_out(sentence)
    return len(lines) + len(words) + len(sentence.rules) / 2


_PLURAL = [(feature,) for feature in PLURALS]


def _needed(sentence: Sentence) -> list[int]:
    marked, rules = set[str](), sentence.rules
    gold = _said(sentence, rules, marked)
    return [
        at
        for at, rule in enumerate(rules)
        if (rule[0] != "mark" or rule[1] in marked)  # else it says nothing here
        and _said(sentence, rules[:at] + rules[at + 1 :], set()) != gold
    ]


def _meaning(rng: Random, knobs: Knobs) -> tuple[Phrase, int, str, bool, Phrase]:
    """A sentence's parts, with no noun twice."""
    nouns = rng.sample(range(knobs.words), min(2 + knobs.owners, knobs.words))
    slots = rng.sample(range(len(nouns)), min(knobs.adjectives, len(nouns)))
    phrases: list[Phrase] = [
        (noun, int(rng.random() < 0.6), rng.randrange(knobs.words) if at in slots else -1, ())
        for at, noun in enumerate(nouns)
    ]
    for owner in phrases[2:]:
        at = rng.randrange(2)
        phrases[at] = _owned(phrases[at], owner)
    tense = rng.choice(("present", "past", "future"))
    return phrases[0], rng.randrange(knobs.words), tense, rng.random() < 0.5, phrases[1]


def _owned(phrase: Phrase, owner: Phrase) -> Phrase:
    """An owner for the last noun of a phrase."""
    return (*phrase[:3], _owned(phrase[3], owner) if phrase[3] else owner)


def _shape(form: str) -> str:
    return "vowel" if form[0] in VOWELS else "consonant"


def _lists(sentence: Sentence) -> tuple[tuple[Word, ...], ...]:
    return sentence.nouns, sentence.adjectives, sentence.verbs


def _english(sentence: Sentence) -> str:
    verb, many = sentence.verbs[sentence.verb][0], bool(sentence.subject[1])
    doing = {"present": "do" if many else "does", "past": "did", "future": "will"}[sentence.tense]
    if sentence.negated:
        said = f"{doing} not {verb}"
    elif sentence.tense == "future":
        said = f"will {verb}"
    else:
        said = VERBS[verb] if sentence.tense == "past" else verb + ("" if many else "s")
    subject, thing = _named(sentence, sentence.subject), _named(sentence, sentence.object)
    return f"{subject.capitalize()} {said} {thing}."


def _named(sentence: Sentence, phrase: Phrase) -> str:
    noun, plural, adjective, owner = phrase
    words = ["the", sentence.nouns[noun][0] + ("s" if plural else "")]
    if adjective >= 0:
        words.insert(1, sentence.adjectives[adjective][0])
    return " ".join(words) + (f" of {_named(sentence, owner)}" if owner else "")


LADDER = (
    Knobs(2, 0, 1, 0, 3),
    Knobs(4, 1, 1, 0, 4),
    Knobs(6, 1, 2, 1, 4),
    Knobs(8, 2, 3, 1, 5),
    Knobs(11, 2, 4, 2, 6),
)
FAMILY = Family(
    Sentence,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Phrase(),
    hardness=hardness,
    proof="unique",
    solver="phrases built from their words",
    guess_rate=0.05,
    steps=steps,
    canon=canon,
    kin=kin,
    without=without,
    slips=misreadings(solve, misread),
    skills=("language", "morphology", "rules"),
    slips_version=2,
    version=2,
)
