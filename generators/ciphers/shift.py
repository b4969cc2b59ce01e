"""Shift cipher: every letter moves the same number of places along the alphabet.

The number may be hidden, and may grow from letter to letter; then only one key turns the text into
common words, which `solve` proves by trying every key with tables. `verify` measures how far each
letter of the answer stands from its partner, and asks whether a key that the prompt allows does so.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count, product
from math import log2
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators import _vocabulary
from puzzlemill.generators.ciphers._plaintext import ALPHABET, is_letters, sentence

SURE = 12  # letters that a text has at least, whose key is hidden


@dataclass(frozen=True, slots=True)
class Knobs:
    letters: int  # of the text
    hidden: bool  # whether the key must be found
    growth: int  # by how much the shift grows from letter to letter, at most; 0: it stays
    decode: float  # how often the ciphertext is given; always, where the key is hidden


@dataclass(frozen=True, slots=True)
class Message:
    text: str  # what is given: the plaintext, or the ciphertext
    encode: bool  # whether it is the plaintext
    shifts: tuple[int, int]  # the least and the most that the first letter moves; equal if known
    growths: tuple[int, int]  # the same of what each letter moves more than the one before


def generate(rng: Random, knobs: Knobs) -> Message | None:
    least = min(knobs.growth, 1)
    shift, growth = rng.randint(1, 25), rng.randint(least, knobs.growth)
    if not knobs.hidden:
        plain = sentence(rng, knobs.letters)
        encode = rng.random() >= knobs.decode
        text = plain if encode else _moved(plain, shift, growth)
        return Message(text, encode, (shift, shift), (growth, growth))
    plain = sentence(rng, max(knobs.letters, SURE), shortest=4)
    message = Message(_moved(plain, shift, growth), False, (1, 25), (least, knobs.growth))
    return message if _is_clear(message, plain) else None


def solve(message: Message) -> str | None:
    """Every growth in turn, by tables; there must be one key that leaves only common words."""
    if message.encode:
        return _translated(message.text, message.shifts[0], message.growths[0])
    if not _is_hidden(message):
        return _translated(message.text, -message.shifts[0], -message.growths[0])
    (low, high), (least, most) = message.shifts, message.growths
    found = []
    for growth in range(least, most + 1):
        text = _translated(message.text, 0, -growth)
        shifts = set(range(low, high + 1)).intersection(*map(_common, text.split()))
        found += [_translated(text, -shift, 0) for shift in shifts]
    return found[0] if len(found) == 1 else None


def verify(message: Message, answer: str) -> float:
    given = message.text
    same_form = [sign == " " for sign in given] == [sign == " " for sign in answer]
    if not same_form or not is_letters(answer):
        return 0.0
    if _is_hidden(message) and not all(word in _vocabulary.known() for word in answer.split()):
        return 0.0
    plain, cipher = (given, answer) if message.encode else (answer, given)
    moves = [
        (ord(after) - ord(before)) % 26 for before, after in zip(plain, cipher) if before != " "
    ]
    return float(
        any(
            all((shift + growth * place - move) % 26 == 0 for place, move in enumerate(moves))
            for shift, growth in _keys(message)
        )
    )


def render(message: Message, style: Style) -> Prompt:
    text, rule = message.text.upper(), _rule(message)
    words = " The plaintext is made of common English words." if _is_hidden(message) else ""
    if message.encode:
        question = style.pick(
            f"Encrypt a text with a shift cipher. In this cipher, {rule}.\n\n{text}",
            f"Text: {text}\n\nA shift cipher is applied to this text: {rule}. What is the"
            " ciphertext?",
            f"Here is how a message is encrypted: {rule}. Do this with the message below, and leave"
            f" the spaces where they are.\n\n{text}",
        )
        form = "the encrypted text, with the spaces of the original"
    else:
        question = style.pick(
            f"A text was encrypted with a shift cipher. In this cipher, {rule}.{words} Decrypt"
            f" it.\n\n{text}",
            f"Ciphertext: {text}\n\nThis message was encrypted as follows: {rule}. The spaces"
            f" stayed where they were.{words} What did the message say?",
            f"To keep a note from being read, somebody wrote it in a shift cipher: {rule}.{words}"
            " Undo this and give the original note.\n\n" + text,
        )
        form = "the decrypted text, with the spaces of the ciphertext"
    return Prompt(question, form)


def steps(message: Message) -> list[str]:
    answer = solve(message)
    assert answer is not None, "a message has one answer"
    plain, cipher = (message.text, answer) if message.encode else (answer, message.text)
    moves = [(ord(after) - ord(before)) % 26 for before, after in zip(plain, cipher)]
    lines = []
    if _is_hidden(message):
        more = f", growing by {(moves[1] - moves[0]) % 26}" if message.growths[1] else ""
        lines.append(f"only a shift of {moves[0]}{more} leaves common words in every place")
    start, back = 0, "" if message.encode else " back"
    for before, after in zip(message.text.split(), answer.split(), strict=True):
        here = moves[start : start + len(before)]
        by = ", ".join(map(str, here if message.growths[1] else here[:1]))
        lines.append(f"{before.upper()} moved{back} by {by}: {after.upper()}")
        start += len(before) + 1
    return lines


def progress(message: Message, lines: Lines) -> float:
    return states_followed(FAMILY, message, lines)


def hardness(message: Message) -> float:
    """Letters to move, more where the shift changes or is undone, and the keys to try."""
    letters = len(message.text.replace(" ", ""))
    growing = message.growths[1] > 0
    return letters * (1 + growing / 2) + 3 * (not message.encode) + 8 * log2(len(_keys(message)))


def _rule(message: Message) -> str:
    (shift, _), (growth, most) = message.shifts, message.growths
    if _is_hidden(message) and most:
        return (
            "the first letter is replaced by the one a certain number of places after it in the"
            " alphabet, and every further letter moves a fixed number of places more than the"
            " letter before it, across all words (after Z the alphabet starts again with A; spaces"
            " do not count). Neither the first shift, from 1 to 25, nor the number by which it"
            f" grows with each letter, from {growth} to {most}, is known"
        )
    if _is_hidden(message):
        return (
            "each letter is replaced by the one a certain number of places after it in the"
            " alphabet (after Z it starts again with A). This number, from 1 to 25, is the same"
            " for all letters and is not known"
        )
    if most:
        return (
            f"the first letter is replaced by the one {_places(shift)} after it in the alphabet,"
            f" the second by the one {_places(shift + growth)} after it, the third by the one"
            f" {_places(shift + 2 * growth)} after it, and so on: every letter moves"
            f" {_places(growth)} more than the letter before it, across all words (after Z the"
            " alphabet starts again with A; spaces do not count)"
        )
    return (
        f"each letter is replaced by the one {_places(shift)} after it in the alphabet (after Z it"
        " starts again with A)"
    )


def _places(count: int) -> str:
    return f"{count} place{'s' if count > 1 else ''}"


def _is_hidden(message: Message) -> bool:
    return message.shifts[0] < message.shifts[1]


def _keys(message: Message) -> list[tuple[int, int]]:
    (low, high), (least, most) = message.shifts, message.growths
    return list(product(range(low, high + 1), range(least, most + 1)))


def _moved(text: str, shift: int, growth: int) -> str:
    return " ".join(_moved_words(text, shift, growth))


def _moved_words(text: str, shift: int, growth: int) -> Iterator[str]:
    if not growth:
        yield from text.translate(_rotated(shift % 26)).split()
        return
    for word in text.split():
        shifts = count(shift - ord("a"), growth)
        yield "".join([ALPHABET[(ord(sign) + by) % 26] for sign, by in zip(word, shifts)])
        shift += growth * len(word)


@cache
def _rotated(shift: int) -> dict[int, str]:
    return {ord(sign): ALPHABET[(at + shift) % 26] for at, sign in enumerate(ALPHABET)}


def _is_clear(message: Message, plain: str) -> bool:
    """Whether every other key leaves two words at least that are none."""
    (low, high), (least, most) = message.shifts, message.growths
    enough = min(2, len(plain.split()))
    for growth in range(least, most + 1):
        words = _moved(message.text, 0, -growth).split()
        common = Counter(shift for word in words for shift in _common(word))
        for shift in range(low, high + 1):
            strange = len(words) - common[shift]
            if strange < enough and _moved(message.text, -shift, -growth) != plain:
                return False
    return True


def _common(word: str) -> list[int]:
    """The shifts from 0 to 25 that make a word of a common one."""
    first = ord(word[0]) - ord("a")
    return [
        (first - start) % 26 for start in _starts().get(word.translate(_rotated(-first % 26)), ())
    ]


@cache
def _starts() -> dict[str, list[int]]:
    """Common words, moved so that they begin with a: where in the alphabet they do begin."""
    starts: dict[str, list[int]] = {}
    for word in _vocabulary.known():
        first = ord(word[0]) - ord("a")
        starts.setdefault(word.translate(_rotated(-first % 26)), []).append(first)
    return starts


def _translated(text: str, shift: int, growth: int) -> str:
    return "".join(_translation(text, shift, growth))


def _translation(text: str, shift: int, growth: int) -> Iterator[str]:
    ring, place = ALPHABET * 2, shift % 26
    for sign in text:
        if sign == " ":
            yield sign
            continue
        yield ring[ring.index(sign) + place]
        place = (place + growth) % 26


LADDER = (
    Knobs(5, False, 0, 0.0),
    Knobs(14, False, 0, 0.5),
    Knobs(20, True, 0, 1.0),
    Knobs(36, True, 3, 1.0),
    Knobs(48, True, 6, 1.0),
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
    solver="every key tried, against the vocabulary",
    steps=steps,
    progress=progress,
    skills=("decoding", "search"),
    peers=(
        "reasoning-gym/caesar_cipher",
        "Enigmata/crypto_KPA",
        "SynLogic/cipher",
        "KORGym/28-word_encryption",
    ),
    theme="shifted_letters",
    version=3,
)
