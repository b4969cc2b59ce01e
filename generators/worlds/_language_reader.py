"""The reader of little languages: an English sentence on which one rule after the other is done."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from puzzlemill.generators.worlds._language_terms import (
    PLURALS,
    SOUNDS,
    VOWELS,
    Rule,
    joined,
)

# A noun, whether it is plural, an adjective or -1, and () or the owner, a phrase like this one.
Phrase: TypeAlias = Any
Word: TypeAlias = tuple[str, str]  # in English and in the language

PEOPLE = ("king", "farmer", "singer", "sailor", "doctor", "guard", "poet", "judge")
ANIMALS = ("dog", "goat", "horse", "bird", "snake", "frog", "bear", "duck")


class Translated(Protocol):
    """What is to be said, and in which language."""

    @property
    def nouns(self) -> tuple[Word, ...]: ...
    @property
    def adjectives(self) -> tuple[Word, ...]: ...
    @property
    def verbs(self) -> tuple[Word, ...]: ...
    @property
    def rules(self) -> tuple[Rule, ...]: ...
    @property
    def subject(self) -> Phrase: ...
    @property
    def verb(self) -> int: ...
    @property
    def tense(self) -> str: ...
    @property
    def negated(self) -> bool: ...
    @property
    def object(self) -> Phrase: ...


@dataclass(slots=True)
class _Token:
    """A word of the sentence on its way into the language."""

    english: str
    features: set[str]
    words: list[str]  # the word itself, and separate words around it
    at: int = 0  # of the word itself


def carried_out(sentence: Translated) -> tuple[list[str], list[str]]:
    """The reader: every rule on the whole sentence. The words in order, and what became of each."""
    tokens = dict[str, _Token]()  # by role: "S" for its noun, "S+" its adjective, "So" its owner
    verb = {sentence.tense, *(["not"] if sentence.negated else [])}
    english, stem = sentence.verbs[sentence.verb]
    tokens["V"] = _Token(english, verb | ({"many"} if sentence.subject[1] else set()), [stem])
    orders = [_tokenized(sentence, "S", sentence.subject, tokens), ["V"]]
    orders.append(_tokenized(sentence, "O", sentence.object, tokens))
    lines = [f"{token.english}: {token.words[0]}" for token in tokens.values()]
    sounds = tuple(rule for rule in sentence.rules if rule[0] in SOUNDS)
    for rule in sentence.rules:
        if rule[0] != "mark":
            continue
        for token in tokens.values():
            if rule[1] in token.features:
                _mark(token, rule, sounds)
                lines.append(f"{token.english}: {' '.join(token.words)}")
    order = next((rule[1] for rule in sentence.rules if rule[0] == "order"), "SVO")
    roles = [role for part in order for role in orders["SVO".index(part)]]
    return [word for role in roles for word in tokens[role].words], lines


def _tokenized(
    sentence: Translated, role: str, phrase: Phrase, tokens: dict[str, _Token]
) -> list[str]:
    """The roles of a phrase's words in the order of the language; its own plurals are in place."""
    noun, plural, adjective, owner = phrase
    english, stem = sentence.nouns[noun]
    features = {"object"} if role == "O" else {"owner"} if role[-1] == "o" else set[str]()
    kind = {PLURALS[english in ANIMALS]} if plural else set[str]()
    form = next((rule[2] for rule in sentence.rules if rule[:2] == ("own plural", str(noun))), "")
    if plural and form:
        tokens[role] = _Token(f"{english}s", features, [form])
    else:
        tokens[role] = _Token(english + "s" * plural, features | kind, [stem])
    roles = [role]
    if adjective >= 0:
        english, stem = sentence.adjectives[adjective]
        agreeing = kind if ("agreement",) in sentence.rules else set[str]()
        tokens[f"{role}+"] = _Token(english, agreeing, [stem])
        roles.insert(len(roles) if ("adjective after",) in sentence.rules else 0, f"{role}+")
    if owner:
        others = _tokenized(sentence, f"{role}o", owner, tokens)
        roles = others + roles if ("owner first",) in sentence.rules else roles + others
    return roles


def _mark(token: _Token, rule: Rule, sounds: Sequence[Rule]) -> None:
    _, _, how, form = rule
    word = token.words[token.at]
    match how:
        case "suffix":
            token.words[token.at] = joined(tuple(sounds), word, form)
        case "prefix":
            token.words[token.at] = f"{form}{word}"
        case "twice":
            vowel = min(word.index(vowel) for vowel in VOWELS if vowel in word)
            token.words[token.at] = word[: vowel + 1] * 2 + word[vowel + 1 :]
        case "before":
            token.words.insert(0, form)
            token.at += 1
        case _:
            token.words.append(form)
