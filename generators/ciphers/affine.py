"""Affine cipher: the letter with number x becomes the one with number a * x + b, modulo 26.

Where a and b are hidden, two known letters fix them: `solve` tries all 312 keys as tables and finds
one. `verify` asks for a key that turns every plaintext letter into its partner, by the formula.
"""

from dataclasses import dataclass
from functools import cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.core.relatives import outline
from puzzlemill.generators.ciphers._plaintext import ALPHABET, is_letters, sentence

UNITS = (1, 3, 5, 7, 9, 11, 15, 17, 19, 21, 23, 25)  # no factor in common with 26
KEYS = tuple((factor, summand) for factor in UNITS for summand in range(26))


@dataclass(frozen=True, slots=True)
class Knobs:
    letters: int  # of the text
    hidden: bool  # whether the key must be found, from two letters
    decode: float  # how often the ciphertext is given


@dataclass(frozen=True, slots=True)
class Message:
    text: str  # what is given: the plaintext, or the ciphertext
    encode: bool  # whether it is the plaintext
    key: tuple[int, ...]  # a and b; none where they are hidden
    known: tuple[tuple[str, str], ...]  # letters of plaintext and ciphertext, where they are


def generate(rng: Random, knobs: Knobs) -> Message | None:
    plain, key = sentence(rng, knobs.letters), (rng.choice(UNITS[1:]), rng.randrange(26))
    encode = rng.random() >= knobs.decode
    text = plain if encode else _encrypted(plain, key)
    if not knobs.hidden:
        return Message(text, encode, key, ())
    one, other = rng.sample(ALPHABET, 2)
    if abs(ord(one) - ord(other)) == 13:
        return None  # would leave two keys
    known = tuple((letter, _encrypted(letter, key)) for letter in (one, other))
    return Message(text, encode, (), known)


def solve(message: Message) -> str | None:
    """All keys as tables; there must be one that the known letters allow."""
    tables = _tables()
    fitting = [tables[key] for key in ([message.key] if message.key else KEYS) if key in tables]
    for before, after in message.known:
        fitting = [table for table in fitting if table[before] == after]
    if len(fitting) != 1:
        return None
    letters = fitting[0]
    table = letters if message.encode else {after: before for before, after in letters.items()}
    return "".join(table.get(sign, sign) for sign in message.text)


def verify(message: Message, answer: str) -> float:
    given = message.text
    same_form = [sign == " " for sign in given] == [sign == " " for sign in answer]
    if not same_form or not is_letters(answer):
        return 0.0
    plain, cipher = (given, answer) if message.encode else (answer, given)
    pairs = {*message.known, *zip(plain, cipher)} - {(" ", " ")}
    keys = [(message.key[0], message.key[1])] if message.key else KEYS
    for one, other in pairs:
        x, y = ALPHABET.index(one), ALPHABET.index(other)
        keys = [(factor, summand) for factor, summand in keys if (x * factor + summand) % 26 == y]
    return float(bool(keys))


def render(message: Message, style: Style) -> Prompt:
    text = message.text.upper()
    numbers = "The letters are numbered from A = 0 and B = 1 up to Z = 25."
    if message.key:
        factor, summand = message.key
        formula = f"({factor} * x + {summand}) mod 26"
        rule = f"The letter with number x becomes the letter with number {formula}."
    else:
        (one, into), (other, onto) = (
            (before.upper(), after.upper()) for before, after in message.known
        )
        rule = (
            "The letter with number x becomes the letter with number (a * x + b) mod 26. The whole"
            " numbers a and b are secret; they lie between 0 and 25, and a has no factor in common"
            f" with 26. It is known that {one} becomes {into} and that {other} becomes {onto}."
        )
    if message.encode:
        question = style.pick(
            f"Encrypt this text with an affine cipher: {text}\n\n{numbers} {rule} Spaces stay.",
            f"{numbers} In a cipher, spaces stay as they are, and letters change as follows."
            f" {rule} What does this become?\n\n{text}",
            f"Message: {text}\n\nIt is to be encrypted letter by letter. {numbers} {rule} Give the"
            " encrypted message; its spaces do not change.",
        )
        return Prompt(question, "the encrypted text, with the spaces of the original")
    question = style.pick(
        f"Decrypt this text, which was encrypted with an affine cipher: {text}\n\n{numbers} {rule}"
        " Spaces stay.",
        f"{numbers} In a cipher, spaces stay as they are, and letters change as follows. {rule}"
        f" Which text became this?\n\n{text}",
        f"Ciphertext: {text}\n\nIt was made letter by letter from a message in English. {numbers}"
        f" {rule} Give the original message; its spaces did not change.",
    )
    return Prompt(question, "the decrypted text, with the spaces of the ciphertext")


def steps(message: Message) -> list[str]:
    """The key where it is hidden, the way back where it is needed, then each letter once."""
    factor, summand = message.key or next(
        key for key in KEYS if all(_encrypted(one, key) == other for one, other in message.known)
    )
    lines = [] if message.key else [f"the known letters leave only a = {factor}, b = {summand}"]
    back = pow(factor, -1, 26)
    if not message.encode:
        lines.append(f"{factor} * {back} = 1 mod 26, so x = {back} * (y - {summand}) mod 26")
    for given in dict.fromkeys(message.text.replace(" ", "")):
        x = ALPHABET.index(given)
        y = (factor * x + summand) % 26 if message.encode else back * (x - summand) % 26
        how = f"{factor} * {x} + {summand}" if message.encode else f"{back} * ({x} - {summand})"
        lines.append(f"{given.upper()}: {how} = {y} mod 26: {ALPHABET[y].upper()}")
    return lines


def progress(message: Message, lines: Lines) -> float:
    return results_derived(FAMILY, message, lines, ":")


def hardness(message: Message) -> float:
    """Different letters to calculate, and what must be worked out before."""
    letters = len(message.text.replace(" ", ""))
    return letters + 10 * (not message.key) + 5 * (not message.encode)


def _encrypted(text: str, key: tuple[int, int]) -> str:
    factor, summand = key
    return "".join(
        sign if sign == " " else ALPHABET[(ALPHABET.index(sign) * factor + summand) % 26]
        for sign in text
    )


@cache
def _tables() -> dict[tuple[int, ...], dict[str, str]]:
    """For each key, what each letter becomes: going through the alphabet, steps of the factor's
    size."""
    return {
        (factor, summand): dict(zip(ALPHABET, (ALPHABET[summand:] + ALPHABET * factor)[::factor]))
        for factor, summand in KEYS
    }


LADDER = (
    Knobs(4, False, 0.0),
    Knobs(10, False, 0.3),
    Knobs(16, True, 0.5),
    Knobs(32, True, 0.8),
    Knobs(56, True, 1.0),
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
    solver="all 312 keys tried as tables",
    steps=steps,
    progress=progress,
    redraws=outline,
    skills=("decoding", "arithmetic"),
    peers=("Enigmata/crypto_KKA", "SynLogic/cipher", "InternBootcamp/cipher"),
    theme="shifted_letters",
    version=3,
)
