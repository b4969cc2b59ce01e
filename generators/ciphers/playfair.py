"""Playfair cipher: pairs of letters are replaced by their places in a square of 25 letters.

`verify` encrypts anew, pair by pair, by row and column numbers, and compares; `solve` looks for the
row, the column or the rectangle of a pair among the lines of the square. Fillers belong to what is
encrypted, so that a decrypted text still holds them.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators.ciphers._plaintext import (
    SQUARE,
    drawn,
    keyword,
    run,
    sentence,
    square_of,
)

FILLER = "x"


@dataclass(frozen=True, slots=True)
class Knobs:
    letters: int  # of the text
    keyword: int  # letters of the keyword
    shown: bool  # whether the prompt shows the square that the keyword makes
    decode: float  # how often the ciphertext is given


@dataclass(frozen=True, slots=True)
class Message:
    text: str  # what is given: the plaintext with its spaces, or the ciphertext without; no j
    encode: bool  # whether it is the plaintext
    keyword: str
    shown: bool


def generate(rng: Random, knobs: Knobs) -> Message | None:
    plain, key = sentence(rng, knobs.letters, without="j"), keyword(rng, knobs.keyword)
    pairs = _pairs(run(plain))
    if len(pairs) > 30 or any(one == other for one, other in pairs):
        return None  # longer than a word of an answer may be; or an x beside a filler
    if rng.random() >= knobs.decode:
        return Message(plain, True, key, knobs.shown)
    return Message(_encrypted(pairs, square_of(key)), False, key, knobs.shown)


def solve(message: Message) -> str:
    text, step = run(message.text), -1
    if message.encode:
        text, step = _filled(text), 1
    rows = [square_of(message.keyword)[start : start + 5] for start in range(0, 25, 5)]
    columns = ["".join(column) for column in zip(*rows)]
    found = []
    for one, other in zip(text[::2], text[1::2], strict=True):
        line = next((line for line in rows + columns if one in line and other in line), None)
        if line:
            found += [line[(line.index(letter) + step) % 5] for letter in (one, other)]
            continue
        for letter, across in ((one, other), (other, one)):
            row = next(row for row in rows if letter in row)
            column = next(column for column in columns if across in column)
            found += [sign for sign in row if sign in column]
    return "".join(found)


def verify(message: Message, answer: str) -> float:
    said, given = run(answer), run(message.text)
    if len(said) % 2 or not all(letter in SQUARE for letter in said):
        return 0.0
    plain = _pairs(given) if message.encode else list(zip(said[::2], said[1::2]))
    if any(one == other for one, other in plain):
        return 0.0  # no such pair is ever encrypted
    return float(
        _encrypted(plain, square_of(message.keyword)) == (said if message.encode else given)
    )


def render(message: Message, style: Style) -> Prompt:
    text, key = message.text.upper(), message.keyword.upper()
    square = (
        f"The letters stand in a square of five rows of five: first those of the keyword {key},"
        " then the rest of the alphabet in order, row by row. There is no J; I stands for it."
    )
    if message.shown:
        square += f"\n\n{drawn(square_of(message.keyword))}\n\n"
    else:
        square += " "
    pairing = (
        "The text, without spaces, is split into pairs of letters from the left; where the two"
        " letters of a pair would be the same, an X is put between them, so that the second one"
        " begins the next pair, and if one letter is left over at the end, an X is put after it."
    )
    rules = (
        "If the two letters of a pair stand in the same row, each is replaced by the letter to its"
        " right (the last of a row by the first). If they stand in the same column, each is"
        " replaced by the letter below it (the last of a column by the first). Otherwise each is"
        " replaced by the letter in its own row that stands in the column of the other one."
    )
    if message.encode:
        question = style.pick(
            f"Encrypt this text with the Playfair cipher and the keyword {key}:"
            f" {text}\n\n{square}{pairing} {rules}",
            f"The Playfair cipher works on pairs of letters. {square}{pairing} {rules}\n\nWhat does"
            f" the message {text} become?",
            f"Message: {text}\nCipher: Playfair\nKeyword: {key}\n\n{square}{pairing}"
            f" {rules} Write down the ciphertext.",
        )
        return Prompt(question, "the encrypted letters, without spaces")
    question = style.pick(
        f"Decrypt this text, which was encrypted with the Playfair cipher and the keyword {key}:"
        f" {text}\n\n{square}{pairing} {rules}",
        f"The Playfair cipher works on pairs of letters. {square}{pairing} {rules}\n\nWhich letters"
        f" became {text}?",
        f"Ciphertext: {text}\nCipher: Playfair\nKeyword: {key}\n\nThis is how it was made."
        f" {square}{pairing} {rules} Write down the plaintext.",
    )
    return Prompt(
        question,
        "the decrypted letters, without spaces, among them any X that was put in when encrypting",
    )


def steps(message: Message) -> list[str]:
    """The square, then pair by pair."""
    answer = solve(message)
    given = _filled(run(message.text)) if message.encode else message.text
    square = square_of(message.keyword)
    lines = [f"square: {drawn(square)}".replace("\n", " / ")]
    for at in range(0, len(given), 2):
        (row, column), (low, right) = (divmod(square.index(letter), 5) for letter in given[at:][:2])
        how = "same row" if row == low else "same column" if column == right else "rectangle"
        lines.append(f"{given[at : at + 2].upper()} -> {answer[at : at + 2].upper()} ({how})")
    return lines


def progress(message: Message, lines: Lines) -> float:
    return states_followed(FAMILY, message, lines)


def hardness(message: Message) -> float:
    """Letters to replace, and more work where the square is not shown or the way is back."""
    letters = len(run(message.text))
    return letters + 2 * len(message.keyword) - 6 * message.shown + 5 * (not message.encode)


def _pairs(text: str) -> list[tuple[str, str]]:
    """A text without spaces in pairs, with fillers between equal letters and at the end."""
    pairs, at = [], 0
    while at < len(text):
        one, other = text[at], text[at + 1 : at + 2] or FILLER
        at += 1 if one == other else 2
        pairs.append((one, FILLER if one == other else other))
    return pairs


def _encrypted(pairs: list[tuple[str, str]], square: str) -> str:
    found = []
    for one, other in pairs:
        (row, column), (low, right) = divmod(square.index(one), 5), divmod(square.index(other), 5)
        if row == low:
            cells = [(row, column + 1), (low, right + 1)]
        elif column == right:
            cells = [(row + 1, column), (low + 1, right)]
        else:
            cells = [(row, right), (low, column)]
        found += [square[down % 5 * 5 + across % 5] for down, across in cells]
    return "".join(found)


def _filled(text: str) -> str:
    """The same as `_pairs`, letter by letter on a growing text."""
    filled = ""
    for letter in text:
        if len(filled) % 2 and filled[-1] == letter:
            filled += FILLER
        filled += letter
    return filled + FILLER * (len(filled) % 2)


LADDER = (
    Knobs(4, 3, True, 0.0),
    Knobs(10, 4, True, 0.4),
    Knobs(18, 5, False, 0.5),
    Knobs(32, 6, False, 0.7),
    Knobs(52, 7, False, 1.0),
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
    solver="lines and rectangles of the square",
    steps=steps,
    progress=progress,
    skills=("decoding", "spatial"),
    peers=("Enigmata/crypto_KKA", "InternBootcamp/cipher"),
)
