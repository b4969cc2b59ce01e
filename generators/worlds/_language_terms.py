"""Rules of little languages: drawn, told, and carried out on one word.

A rule is a tuple of texts: a word, and what belongs to it. ("mark", feature, how, form) marks what
has the feature by a suffix, a prefix, a word before or after it, or by saying its beginning twice.
Rules of sound speak of suffixes; all other rules are carried out in the order of the list.
"""

import re
from random import Random
from typing import TypeAlias

from puzzlemill.generators import _vocabulary

Rule: TypeAlias = tuple[str, ...]

VOWELS = "aeiou"
ORDERS = ("SOV", "VSO", "VOS", "OSV", "OVS")  # English has SVO
NOUN_FEATURES = ("people", "animals", "object", "owner")
VERB_FEATURES = ("past", "future", "not", "many")
SOUNDS = ("harmony", "drop", "link", "soften")  # in this order
SOFT = {"k": "g", "t": "d", "p": "b"}
SAID = {
    "people": "If a noun for people is plural",
    "animals": "If a noun for an animal is plural",
    "object": "If a noun is the object of the verb",
    "owner": "If a noun is an owner (it stands behind “of” in English)",
    "past": "If the verb is in the past",
    "future": "If the verb is in the future",
    "not": "If the verb is negated",
    "many": "If the subject is plural",
}
PARTS = {"S": "the subject", "O": "the object", "V": "the verb"}


def stems(rng: Random, count: int) -> list[str]:
    """Made-up words, no two alike, half of which end in a vowel."""
    found: dict[str, None] = {}
    while len(found) < count:
        word = _syllable(rng) + rng.choice((_syllable(rng), rng.choice("ktplmnr")))
        if word not in _vocabulary.known():
            found[word] = None
    return list(found)


def drawn(rng: Random, nouns: int, own: str) -> tuple[Rule, ...]:
    """A whole language; one of its nouns has a plural of its own."""
    affixes = iter(rng.sample(_affixes(), 16))
    marks = [("mark", it, _how(rng, it), next(affixes)) for it in NOUN_FEATURES + VERB_FEATURES]
    rng.shuffle(marks)
    rules: list[Rule] = [("order", rng.choice(ORDERS)), ("adjective after",), ("owner first",)]
    rules += [("own plural", str(rng.randrange(nouns)), own), *marks]
    if all(how in ("suffix", "prefix") for _, feature, how, _ in marks if feature in PLURALS):
        rules.append(("agreement",))
    for sound in SOUNDS:
        rules.append((sound, rng.choice(VOWELS)) if sound == "link" else (sound,))
    return tuple(rules)


PLURALS = ("people", "animals")


def _how(rng: Random, feature: str) -> str:
    ways = ["suffix", "suffix", "prefix"]
    return rng.choice([*ways, "twice"] if feature in PLURALS else [*ways, "before", "after"])


def _affixes() -> list[str]:
    """Syllables that are no English words, which a separate word might be taken for."""
    made = [c + v for c in "kslrnmgz" for v in VOWELS] + [v + c for c in "klrzmv" for v in VOWELS]
    return [it for it in made if it not in _vocabulary.known() and it not in ("no", "or", "me")]


def _syllable(rng: Random) -> str:
    return rng.choice("bdfgklmnprstvz") + rng.choice(VOWELS)


def told(rule: Rule, names: tuple[str, ...]) -> str:
    """A rule in words; names are the English ones of the nouns."""
    match rule:
        case ("order", order):
            first, second, third = (PARTS[part] for part in order)
            return f"{first.capitalize()} stands first, then {second}, then {third}."
        case ("adjective after",):
            return "An adjective stands behind its noun."
        case ("owner first",):
            return "An owner stands in front of what it owns, adjectives included."
        case ("own plural", noun, form):
            return f"The plural of {names[int(noun)]} is {form}; it takes no other plural mark."
        case ("agreement",):
            return (
                "The adjective of a plural noun takes the plural mark of such nouns, too, even if"
                " the noun has a plural of its own."
            )
        case ("mark", feature, "twice", _):
            return f"{SAID[feature]}, all of it up to its first vowel is said twice."
        case ("mark", feature, how, form):
            bearer = "the verb" if feature in VERB_FEATURES else "it"
            ways = {
                "suffix": f"{bearer} takes the suffix -{form}",
                "prefix": f"{bearer} takes the prefix {form}-",
                "before": f"the word {form} stands in front of {bearer}",
                "after": f"the word {form} stands behind {bearer}",
            }
            return f"{SAID[feature]}, {ways[how]}."
        case ("harmony",):
            return "All vowels of a suffix become the last vowel of what the suffix is added to."
        case ("drop",):
            return (
                "If a suffix begins with a vowel, and what it is added to ends in a vowel, the"
                " vowel at that end is lost."
            )
        case ("link", vowel):
            return (
                "If a suffix begins with a consonant, and what it is added to ends in a consonant,"
                f" {vowel} is put between them."
            )
    return (
        "If a suffix begins with a vowel, and what it is added to ends in k, t or p, this becomes"
        " g, d or b."
    )


def suffixed(sounds: dict[str, str], word: str, suffix: str) -> str:
    """The engine's way of adding a suffix: letter by letter."""
    if "harmony" in sounds:
        last = next(letter for letter in reversed(word) if letter in VOWELS)
        suffix = "".join(last if letter in VOWELS else letter for letter in suffix)
    begins = suffix[0] in VOWELS
    if begins and word[-1] in VOWELS and "drop" in sounds:
        word = word[:-1]
    if not begins and word[-1] not in VOWELS and "link" in sounds:
        word += sounds["link"]
    if begins and "soften" in sounds:  # also where the vowel behind it is lost
        word = word[:-1] + SOFT.get(word[-1], word[-1])
    return word + suffix


def joined(sounds: tuple[Rule, ...], word: str, suffix: str) -> str:
    """The reader's way: what the rules say of a seam."""
    seam = f"{word}+{suffix}"
    for sound in sounds:
        match sound:
            case ("harmony",):
                vowel = re.findall(f"[{VOWELS}]", word)[-1]
                seam = f"{word}+{re.sub(f'[{VOWELS}]', vowel, suffix)}"
            case ("drop",):
                seam = re.sub(rf"[{VOWELS}]\+(?=[{VOWELS}])", "+", seam)
            case ("link", vowel):
                seam = re.sub(rf"(?<=[^{VOWELS}])\+(?=[^{VOWELS}])", vowel, seam)
            case _:
                for hard, soft in SOFT.items():
                    seam = re.sub(rf"{hard}\+(?=[{VOWELS}])", soft, seam)
    return seam.replace("+", "")
