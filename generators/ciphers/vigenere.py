"""Vigenère cipher: each letter moves by the value of a letter of the keyword.

`verify` encrypts anew, with numbers, and compares; `solve` looks letters up in the rows of the
Vigenère table. With an autokey the plaintext itself goes on where the keyword ends.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.ciphers._plaintext import ALPHABET, is_letters, keyword, sentence


@dataclass(frozen=True, slots=True)
class Knobs:
    letters: int  # of the text
    keyword: int  # letters of the keyword
    autokey: bool  # whether the plaintext goes on where the keyword ends
    decode: float  # how often the ciphertext is given


@dataclass(frozen=True, slots=True)
class Message:
    text: str  # what is given: the plaintext, or the ciphertext
    encode: bool  # whether it is the plaintext
    keyword: str
    autokey: bool


def generate(rng: Random, knobs: Knobs) -> Message:
    plain, key = sentence(rng, knobs.letters), keyword(rng, knobs.keyword)
    if rng.random() >= knobs.decode:
        return Message(plain, True, key, knobs.autokey)
    return Message(_encrypted(plain, key, knobs.autokey), False, key, knobs.autokey)


def solve(message: Message) -> str:
    """Rows of the table: the key's letter begins a row, the plaintext's letter heads a column."""
    key, found = list(message.keyword), []
    for sign in message.text:
        if sign == " ":
            found.append(sign)
            continue
        begin = ALPHABET.index(key.pop(0))
        row = ALPHABET[begin:] + ALPHABET[:begin]
        table = dict(zip(ALPHABET, row) if message.encode else zip(row, ALPHABET))
        found.append(table[sign])
        plain = sign if message.encode else found[-1]
        key.append(plain if message.autokey else ALPHABET[begin])
    return "".join(found)


def verify(message: Message, answer: str) -> float:
    if not is_letters(answer):
        return 0.0
    plain, cipher = (message.text, answer) if message.encode else (answer, message.text)
    return float(_encrypted(plain, message.keyword, message.autokey) == cipher)


def render(message: Message, style: Style) -> Prompt:
    text, key = message.text.upper(), message.keyword.upper()
    name = "autokey cipher" if message.autokey else "Vigenère cipher"
    if message.autokey:
        under = (
            "write the keyword below the first letters of the plaintext, and below its further"
            " letters the plaintext itself, from its first letter on (spaces are skipped)"
        )
        example = "DOG with the keyword BC becomes EQJ: D + B, O + C, G + D"
    else:
        under = (
            "write the keyword below the plaintext, over and over, one letter below each letter"
            " (spaces are skipped)"
        )
        example = "DOG with the keyword BC becomes EQH: D + B, O + C, G + B"
    add = (
        "add the values of the two letters that stand in one column, where A = 0, B = 1 and so on"
        " up to Z = 25, take 26 away where the sum is 26 or more, and write the letter with that"
        f" value. For example, {example}"
    )
    if message.encode:
        question = style.pick(
            f"Encrypt this text with the {name} and the keyword {key}.\n\n{text}\n\nThat is:"
            f" {under}; then {add}.",
            f"How to encrypt with the {name}: {under}. Then {add}.\n\nPlaintext: {text}\nKeyword:"
            f" {key}\n\nWhat is the ciphertext?",
            f"The keyword is {key}, and the message is {text}. It is to be sent in a cipher:"
            f" {under}, and {add}. Give the ciphertext; spaces stay.",
        )
        return Prompt(question, "the encrypted text, with the spaces of the original")
    question = style.pick(
        f"This text was encrypted with the {name} and the keyword {key}. Decrypt it.\n\n{text}\n\n"
        f"To encrypt, {under}; then {add}.",
        f"How to encrypt with the {name}: {under}. Then {add}.\n\nCiphertext: {text}\nKeyword:"
        f" {key}\n\nWhat was the plaintext?",
        f"With the keyword {key} a message became {text}. It had been encrypted like this: {under},"
        f" and {add}. Find the message; its spaces have stayed.",
    )
    return Prompt(question, "the decrypted text, with the spaces of the ciphertext")


def steps(message: Message) -> list[str]:
    answer = solve(message)
    plain, cipher = (message.text, answer) if message.encode else (answer, message.text)
    keys = _keys(plain, message.keyword, message.autokey)
    lines = []
    for before, after in zip(plain, cipher):
        if before != " ":
            one, other, key = ALPHABET.index(before), ALPHABET.index(after), next(keys)
            how = f"{one} + {key} = {one + key}" if message.encode else f"{other} - {key}"
            if message.encode:
                how += f", {other}" if one + key > 25 else ""
            else:
                how += f" = {other - key}" + (f", {one}" if other < key else "")
            given, found = (before, after) if message.encode else (after, before)
            lines.append(f"{given.upper()}: {how}: {found.upper()}")
    return lines


def progress(message: Message, lines: Lines) -> float:
    return results_derived(FAMILY, message, lines, ":")


def hardness(message: Message) -> float:
    """Letters to move, more where the key is long, unfolds with the text, or is taken away."""
    letters = len(message.text.replace(" ", ""))
    return letters * (1 + message.autokey / 2) + len(message.keyword) + 3 * (not message.encode)


def _encrypted(plain: str, key: str, autokey: bool) -> str:
    keys = _keys(plain, key, autokey)
    return "".join(
        sign if sign == " " else ALPHABET[(ALPHABET.index(sign) + next(keys)) % 26]
        for sign in plain
    )


def _keys(plain: str, key: str, autokey: bool) -> Iterator[int]:
    letters = key + plain.replace(" ", "") if autokey else cycle(key)
    return map(ALPHABET.index, letters)


LADDER = (
    Knobs(5, 3, False, 0.0),
    Knobs(12, 3, False, 0.5),
    Knobs(24, 5, False, 0.5),
    Knobs(36, 6, True, 0.5),
    Knobs(60, 8, True, 1.0),
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
    solver="rows of the Vigenère table",
    steps=steps,
    progress=progress,
    skills=("decoding", "arithmetic"),
    peers=("Enigmata/crypto_KKA", "Enigmata/crypto_KPA", "InternBootcamp/cipher"),
    theme="shifted_letters",
    version=2,
)
