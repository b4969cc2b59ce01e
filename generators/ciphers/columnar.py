"""Columnar transposition: text is written in rows and read by columns, in a keyword's order.

`verify` encrypts anew, taking every so-many-th letter, and compares; `solve` works on the places of
the letters: it sorts the cells of the table as they are read, and follows them there or back.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.relatives import outline
from puzzlemill.generators.ciphers._plaintext import is_letters, keyword, run, sentence


@dataclass(frozen=True, slots=True)
class Knobs:
    letters: int  # of the text
    keyword: int  # letters of each keyword
    rounds: int  # how often the text is encrypted, each time with its own keyword
    decode: float  # how often the ciphertext is given


@dataclass(frozen=True, slots=True)
class Message:
    text: str  # what is given: the plaintext with its spaces, or the ciphertext without
    encode: bool  # whether it is the plaintext
    keywords: tuple[str, ...]  # of each round; no letter twice in one


def generate(rng: Random, knobs: Knobs) -> Message | None:
    plain = sentence(rng, knobs.letters)
    keys = tuple(keyword(rng, knobs.keyword) for _ in range(knobs.rounds))
    if any(list(key) == sorted(key) for key in keys) or len(set(keys)) < len(keys):
        return None
    if rng.random() >= knobs.decode:
        return Message(plain, True, keys)
    return Message(_encrypted(run(plain), keys), False, keys)


def solve(message: Message) -> str:
    text = run(message.text)
    for key in message.keywords if message.encode else message.keywords[::-1]:
        cells = sorted((key[at % len(key)], at) for at in range(len(text)))
        order = [at for _, at in cells]
        if message.encode:
            text = "".join(text[at] for at in order)
        else:
            text = "".join(letter for _, letter in sorted(zip(order, text, strict=True)))
    return text


def verify(message: Message, answer: str) -> float:
    if not is_letters(answer):
        return 0.0
    plain, cipher = (message.text, answer) if message.encode else (answer, message.text)
    return float(_encrypted(run(plain), message.keywords) == run(cipher))


def render(message: Message, style: Style) -> Prompt:
    text = message.text.upper()
    first, *more = (key.upper() for key in message.keywords)
    rule = (
        f"the letters, without spaces, are written in rows below the keyword {first}, one letter"
        " below each letter of the keyword; the last row may stay incomplete. Then the columns are"
        " read, each from top to bottom: first the column below that letter of the keyword which"
        " comes first in the alphabet, then the column below the next one in the alphabet, and so"
        " on. What is read, joined together, is the ciphertext"
    )
    example = (
        "For example, with the keyword CAB the rows of FARMHOUSES are FAR, MHO, USE and S; the"
        " columns below A, B and C give AHS, ROE and FMUS, so that it becomes AHSROEFMUS."
    )
    for key in more:
        rule += f". It is encrypted once more in the same way, with the keyword {key}"
    if message.encode:
        question = style.pick(
            f"Encrypt this message by columnar transposition.\n\n{text}\n\nThat means: {rule}."
            f" {example}",
            f"This is how a columnar transposition works: {rule}. {example}\n\nDo it with the"
            f" following text.\n\n{text}",
            f"A message reads {text}. To hide it, its letters are put into another order: {rule}."
            f" {example} What does the message become?",
        )
        return Prompt(question, "the encrypted letters, without spaces")
    question = style.pick(
        f"Decrypt this text, which was encrypted by columnar transposition.\n\n{text}\n\nThat"
        f" means: {rule}. {example}",
        f"This is how a columnar transposition works: {rule}. {example}\n\nThe following text was"
        f" made in this way. Undo it.\n\n{text}",
        f"To hide a message in English, its letters were put into another order, and it became"
        f" {text}. This is how: {rule}. {example} What was the message?",
    )
    return Prompt(question, "the letters of the original message in order, without spaces")


def steps(message: Message) -> list[str]:
    """The columns in the order of reading, round after round; to undo, the rows that they make."""
    text = run(message.text if message.encode else solve(message))
    rounds = []
    for key in message.keywords:
        columns = [(letter, text[at :: len(key)]) for at, letter in enumerate(key)]
        lines = [f"column {letter}: {column}".upper() for letter, column in sorted(columns)]
        read = _encrypted(text, (key,))
        if message.encode:
            lines.append(f"read off: {read.upper()}")
        else:
            rows = [text[at : at + len(key)].upper() for at in range(0, len(text), len(key))]
            lines.append(f"rows below {key.upper()}: {' '.join(rows)}")
        rounds.append([line.replace("COLUMN", "column") for line in lines])
        text = read
    return [line for lines in (rounds if message.encode else rounds[::-1]) for line in lines]


def hardness(message: Message) -> float:
    """Letters to place, the columns to order, and whether this is to be undone."""
    letters, back = len(run(message.text)), 1 if message.encode else 1.5
    return back * sum(letters + 2 * len(key) for key in message.keywords)


def _encrypted(text: str, keywords: tuple[str, ...]) -> str:
    for key in keywords:
        text = "".join(text[key.index(letter) :: len(key)] for letter in sorted(key))
    return text


LADDER = (
    Knobs(8, 3, 1, 0.0),
    Knobs(16, 4, 1, 0.4),
    Knobs(28, 5, 1, 0.7),
    Knobs(36, 6, 2, 0.8),
    Knobs(52, 8, 3, 1.0),
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
    solver="the cells sorted as they are read",
    steps=steps,
    redraws=outline,
    skills=("decoding", "tracking"),
    peers=("Enigmata/crypto_KKA", "SynLogic/cipher", "InternBootcamp/cipher"),
    version=2,
)
