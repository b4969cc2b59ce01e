"""Substitution cipher: every letter stands for another; find the words from clues to the key.

Where the clues do not give every letter, the words come from a list in the prompt, and only one
choice agrees with the clues and with itself: `generate` adds letters to the key until its search
finds no second, `solve` proves the same by SAT. `verify` checks the answer letter by letter.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _sat, _vocabulary
from puzzlemill.generators.ciphers._plaintext import ALPHABET, LEADING, is_letters

Pairs = tuple[tuple[str, str], ...]

ALIKE = 5  # letters of each word, where all have the same length


@dataclass(frozen=True, slots=True)
class Knobs:
    words: int  # of the text
    examples: int  # words that are given with what they become
    bank: int  # words to choose from; 0: none are listed, and the clues give every letter
    shown: float  # share of the other letters whose meaning is given; more where needed
    alike: bool  # whether the words have the same length


@dataclass(frozen=True, slots=True)
class Message:
    words: tuple[str, ...]  # encrypted
    examples: Pairs  # words, and what they become
    table: Pairs  # encrypted letters, and what they stand for
    bank: tuple[str, ...]


def generate(rng: Random, knobs: Knobs) -> Message:
    key = dict(zip(ALPHABET, rng.sample(ALPHABET, 26), strict=True))
    pool = _pool(knobs.alike)
    bank = rng.sample(pool, max(knobs.words, knobs.bank))
    plain = bank[: knobs.words]
    others = sorted(set(rng.sample(pool, knobs.examples * 2)) - set(bank))[: knobs.examples]
    rng.shuffle(others)
    examples = tuple((word, _encrypted(word, key)) for word in others)
    rest = sorted(set("".join(plain)) - set("".join(others)))
    rng.shuffle(rest)
    count = round(knobs.shown * len(rest)) if knobs.bank else len(rest)
    clues = {key[letter]: letter for letter in rest[:count]}
    words = tuple(_encrypted(word, key) for word in plain)
    message = Message(words, examples, _sorted(clues), tuple(sorted(bank)) if knobs.bank else ())
    while message.bank and len(list(islice(_readings(message), 2))) > 1:
        letter = rest[count]
        clues[key[letter]] = letter
        count += 1
        message = replace(message, table=_sorted(clues))
    return message


def solve(message: Message) -> str | None:
    """SAT: which listed word each word is, and what each letter stands for."""
    given = dict(message.table)
    for before, after in message.examples:
        given |= dict(zip(after, before))
    if not message.bank:
        return " ".join("".join(given[letter] for letter in word) for word in message.words)
    circuit = _sat.Circuit()

    def possible(word: str, other: str) -> bool:
        """Whether a word by itself agrees with the clues."""
        if len(word) != len(other):
            return False
        pairs = given.items() | set(zip(word, other))
        codes, plains = zip(*pairs)
        return len(pairs) == len(set(codes)) == len(set(plains))

    options = [[it for it in message.bank if possible(word, it)] for word in message.words]
    if not all(options):
        return None
    pairs = {
        pair
        for word, others in zip(message.words, options)
        for other in others
        for pair in zip(word, other)
        if pair[0] not in given
    }
    is_letter = {pair: circuit.variable(pair) for pair in sorted(pairs)}
    for side in (0, 1):
        alike: dict[str, list[int]] = {}
        for pair, letter in is_letter.items():
            alike.setdefault(pair[side], []).append(letter)
        for letters in alike.values():
            circuit.clauses += _sat.at_most_one(letters)
    is_word = {}
    for place, (word, others) in enumerate(zip(message.words, options)):
        for other in others:
            chosen = is_word[place, other] = circuit.variable((place, other))
            circuit.clauses += [
                [-chosen, is_letter[pair]] for pair in zip(word, other) if pair in is_letter
            ]
        circuit.clauses += _sat.exactly_one([is_word[place, other] for other in others])
    true = _sat.only_model(circuit.clauses, is_word.values())
    if true is None:
        return None
    return " ".join(other for (_, other), variable in is_word.items() if variable in true)


def verify(message: Message, answer: str) -> float:
    words = answer.split(" ")
    if not is_letters(answer) or list(map(len, words)) != list(map(len, message.words)):
        return 0.0
    if message.bank and not set(words) <= set(message.bank):
        return 0.0
    pairs = set(message.table)
    for before, after in [*message.examples, *zip(words, message.words)]:
        pairs.update(zip(after, before))
    codes, plains = {code for code, _ in pairs}, {plain for _, plain in pairs}
    return float(len(pairs) == len(codes) == len(plains))


def render(message: Message, style: Style) -> Prompt:
    text = " ".join(message.words).upper()
    rule = (
        "each letter is replaced by a letter, always the same one for the same letter, and two"
        " different letters are never replaced by the same one"
    )
    clues = ""
    if message.examples:
        lines = (f"{before} -> {after}".upper() for before, after in message.examples)
        clues += "\n\nWords that were encrypted with the same key:\n" + "\n".join(lines)
    if message.table:
        lines = (f"{code} = {plain}".upper() for code, plain in message.table)
        clues += (
            "\n\nWhat some letters of the ciphertext stand for (ciphertext = plaintext):\n"
            + ", ".join(lines)
        )
    if message.bank:
        listed = " ".join(message.bank).upper()
        clues += f"\n\nThe words of the message are among these:\n{listed}"
    return Prompt(
        style.pick(
            f"Decrypt this message: {text}\n\nIt was encrypted with a substitution cipher:"
            f" {rule}.{clues}",
            f"In a substitution cipher, {rule}. Somebody encrypted some English words in this way."
            f"{clues}\n\nHere is the message. What does it say?\n{text}",
            f"The words {text} were encrypted in this way: {rule}. Work out which English words"
            f" they stand for.{clues}",
        ),
        form="the decrypted words in order, separated by spaces",
    )


def steps(message: Message) -> list[str]:
    """What the clues say, then words in an order in which few are possible."""
    answer = (solve(message) or "").split()
    known = dict(message.table)
    for before, after in message.examples:
        known |= dict(zip(after, before))
    lines = ["known letters: " + ", ".join(f"{a} = {b}".upper() for a, b in _sorted(known))]
    lines = lines if known else []
    left = list(zip(message.words, answer, strict=True))
    while left:
        fitting = {word: list(_fitting(word, message.bank, known)) for word, _ in left}
        word, plain = min(left, key=lambda pair: len(fitting[pair[0]]))
        left.remove((word, plain))
        which = len(fitting[word])
        line = f"{word} is {plain}".upper().replace(" IS ", " is ")
        if which > 1:
            line += f": of the {which} listed words that fit, it alone leaves words for the others"
        lines.append(line)
        known |= dict(zip(word, plain))
    return lines


def canon(message: Message) -> list[object]:
    """Encrypted letters by the order in which they first appear: their names do not matter."""
    new: dict[str, int] = {}
    words = [[new.setdefault(letter, len(new)) for letter in word] for word in message.words]
    examples = [
        [before, [new.setdefault(letter, len(new)) for letter in after]]
        for before, after in message.examples
    ]
    table = sorted((new.setdefault(code, len(new)), plain) for code, plain in message.table)
    return [words, examples, table, message.bank]


def hardness(message: Message) -> float:
    """Letters to replace, and those that must be inferred."""
    given = {code for code, _ in message.table}.union(*(after for _, after in message.examples))
    letters = "".join(message.words)
    return len(letters) + 4 * len(set(letters) - given) + len(message.bank)


@cache
def _pool(alike: bool) -> tuple[str, ...]:
    words = _vocabulary.words(ALIKE, ALIKE) if alike else _vocabulary.words(3, 8)
    return tuple(word for word in words if word not in LEADING)


def _encrypted(word: str, key: dict[str, str]) -> str:
    return "".join(key[letter] for letter in word)


def _sorted(clues: dict[str, str]) -> Pairs:
    return tuple(sorted(clues.items()))


def _readings(message: Message) -> Iterator[tuple[str, ...]]:
    """The ways to read the message: words with few options first, each trying them all."""
    known = dict(message.table)
    for before, after in message.examples:
        known |= dict(zip(after, before))
    yield from _read(dict.fromkeys(message.words, message.bank), known)


def _read(left: Mapping[str, Sequence[str]], known: dict[str, str]) -> Iterator[tuple[str, ...]]:
    """Readings of the words that are left, each with the options that it had so far."""
    if not left:
        yield ()
        return
    options = {word: _fitting(word, choices, known) for word, choices in left.items()}
    word = min(options, key=lambda each: len(options[each]))
    rest = {each: choices for each, choices in options.items() if each != word}
    for option in options[word]:
        for others in _read(rest, known | dict(zip(word, option))):
            yield (option, *others)


def _fitting(word: str, choices: Sequence[str], known: dict[str, str]) -> list[str]:
    """Those of some words that a word may stand for, as far as letters are known."""
    given, taken = [known.get(code) for code in word], set(known.values())
    return [
        option
        for option in choices
        if len(option) == len(word)
        and all(plain == it if it else plain not in taken for it, plain in zip(given, option))
        and len(set(zip(word, option))) == len(set(word)) == len(set(option))
    ]


LADDER = (
    Knobs(2, 0, 0, 1.0, False),
    Knobs(4, 3, 0, 1.0, False),
    Knobs(4, 1, 12, 0.4, False),
    Knobs(5, 0, 24, 0.0, True),
    Knobs(7, 0, 44, 0.0, True),
)
FAMILY = Family(
    Message,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Phrase(),
    hardness=hardness,
    proof="unique",
    solver="SAT with a blocking clause",
    steps=steps,
    canon=canon,
    skills=("decoding", "deduction"),
    peers=("Enigmata/crypto_KPA", "SynLogic/cipher", "KORGym/36-CryptoWord"),
    version=3,
)
