"""Polybius square: letters become the numbers of their row and column; bifid mixes these numbers.

`verify` encrypts anew by positions in one line of 25 letters, and compares; `solve` looks up places
in a table of the square, and takes the mixed numbers apart from the other end.
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


@dataclass(frozen=True, slots=True)
class Knobs:
    letters: int  # of the text
    keyword: int  # letters of the keyword
    shown: bool  # whether the prompt shows the square that the keyword makes
    bifid: bool  # whether the numbers are mixed, and made into letters again
    period: int  # letters whose numbers are mixed together
    decode: float  # how often the ciphertext is given


@dataclass(frozen=True, slots=True)
class Message:
    text: str  # what is given: the plaintext with its spaces, or the ciphertext; no j
    encode: bool  # whether it is the plaintext
    keyword: str
    shown: bool
    period: int  # 0: the numbers are not mixed, and are the ciphertext


def generate(rng: Random, knobs: Knobs) -> Message:
    plain, key = sentence(rng, knobs.letters, without="j"), keyword(rng, knobs.keyword)
    period = knobs.period if knobs.bifid else 0
    if rng.random() >= knobs.decode:
        return Message(plain, True, key, knobs.shown, period)
    return Message(_encrypted(run(plain), key, period), False, key, knobs.shown, period)


def solve(message: Message) -> str:
    letters = square_of(message.keyword)
    places = {letter: (at // 5 + 1, at % 5 + 1) for at, letter in enumerate(letters)}
    square = {place: letter for letter, place in places.items()}
    text = run(message.text)
    if not message.period:
        if message.encode:
            return " ".join(f"{row}{column}" for row, column in map(places.__getitem__, text))
        return "".join(square[int(row), int(column)] for row, column in zip(text[::2], text[1::2]))
    found = []
    for start in range(0, len(text), message.period):
        block = [places[letter] for letter in text[start : start + message.period]]
        if message.encode:
            rows, columns = zip(*block)
            numbers = iter(rows + columns)
            found += [square[place] for place in zip(numbers, numbers, strict=True)]
        else:
            mixed = [number for place in block for number in place]
            half = len(block)
            found += [square[place] for place in zip(mixed[:half], mixed[half:], strict=True)]
    return "".join(found)


def verify(message: Message, answer: str) -> float:
    plain, cipher = run(message.text), run(answer)
    if not message.encode:
        plain, cipher = cipher, plain
    if not all(letter in SQUARE for letter in plain):
        return 0.0
    return float(run(_encrypted(plain, message.keyword, message.period)) == cipher)


def render(message: Message, style: Style) -> Prompt:
    text, key = message.text.upper(), message.keyword.upper()
    name = "bifid cipher" if message.period else "Polybius square"
    square = (
        f"The letters stand in a square of five rows of five: first those of the keyword {key},"
        " then the rest of the alphabet in order, row by row. There is no J; I stands for it."
    )
    if message.shown:
        square += f"\n\n{drawn(square_of(message.keyword))}\n\n"
    else:
        square += " "
    square += "Rows are numbered 1 to 5 from the top, columns 1 to 5 from the left."
    if message.period:
        rule = (
            f"The text, without spaces, is cut into blocks of {message.period} letters (the last"
            " one may be shorter). In each block, the row numbers of all its letters are written"
            " down in order, and behind them the column numbers of all its letters in order. These"
            " numbers, taken two at a time as row and column, give the letters of the encrypted"
            " block. For example, two letters at row 1, column 4 and at row 3, column 2 give 1 3 4"
            " 2, and become the letters at row 1, column 3 and at row 4, column 2."
        )
        form = "the encrypted letters, without spaces"
    else:
        rule = (
            "Each letter of the text is replaced by two digits: the number of its row, then that"
            " of its column. The spaces of the text are dropped."
        )
        form = "the pairs of digits in order, separated by spaces, such as 21 54"
    if message.encode:
        question = style.pick(
            f"Encrypt this text with the {name} and the keyword {key}: {text}\n\n{square} {rule}",
            f"{square} {rule}\n\nEncrypt in this way: {text}",
            f"Here is how the {name} is used. {square} {rule} What does the message {text} become?",
        )
        return Prompt(question, form)
    question = style.pick(
        f"Decrypt this text, which was encrypted with the {name} and the keyword {key}:"
        f" {text}\n\n{square} {rule}",
        f"{square} {rule}\n\nA message in English was encrypted in this way. Decrypt it: {text}",
        f"Here is how the {name} is used. {square} {rule} Which message became {text}?",
    )
    return Prompt(question, "the letters of the original message in order, without spaces")


def steps(message: Message) -> list[str]:
    """The square, then letter by letter or block by block."""
    answer, text = solve(message), run(message.text)
    square = square_of(message.keyword)
    lines = [f"square: {drawn(square)}".replace("\n", " / ")]
    size = message.period or (1 if message.encode else 2)
    after = run(answer) if message.period or message.encode else answer
    wide = 1 if message.period or not message.encode else 2
    for number, start in enumerate(range(0, len(text), size)):
        before = text[start : start + size].upper()
        result = after[number * wide :][:wide].upper()
        if message.period:
            result = after[start : start + size].upper()
            digits = [divmod(square.index(letter.lower()), 5) for letter in before]
            places = " ".join(f"{row + 1}{column + 1}" for row, column in digits)
            ends = [divmod(square.index(letter.lower()), 5) for letter in result]
            onto = " ".join(f"{row + 1}{column + 1}" for row, column in ends)
            lines.append(f"{before} is at {places}, which becomes {onto}: {result}")
        else:
            lines.append(f"{before} -> {result}")
    return lines


def progress(message: Message, lines: Lines) -> float:
    return states_followed(FAMILY, message, lines)


def hardness(message: Message) -> float:
    """Letters to look up, and more work where the square is not shown or the numbers are mixed."""
    letters = len(run(message.text)) / (1 if message.encode or message.period else 2)
    mixing = 1 + message.period / 8
    return letters * mixing + 2 * len(message.keyword) - 6 * message.shown - 3 * message.encode


def _encrypted(plain: str, key: str, period: int) -> str:
    square = square_of(key)
    spots = [square.index(letter) for letter in plain]
    if not period:
        return " ".join(f"{spot // 5 + 1}{spot % 5 + 1}" for spot in spots)
    found = ""
    for start in range(0, len(spots), period):
        block = spots[start : start + period]
        line = [spot // 5 for spot in block] + [spot % 5 for spot in block]
        found += "".join(square[5 * line[at] + line[at + 1]] for at in range(0, len(line), 2))
    return found


LADDER = (
    Knobs(4, 3, True, False, 4, 0.3),
    Knobs(12, 4, False, False, 4, 0.5),
    Knobs(16, 5, True, True, 4, 0.5),
    Knobs(28, 6, False, True, 6, 0.7),
    Knobs(52, 7, False, True, 9, 1.0),
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
    solver="a table of the square, read from the other end",
    steps=steps,
    progress=progress,
    skills=("decoding", "tracking"),
    peers=("InternBootcamp/cipher",),
    version=2,
)
