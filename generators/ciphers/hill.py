"""Hill cipher: blocks of letters, as numbers, are multiplied by a matrix modulo 26.

`verify` multiplies the plaintext's blocks and compares; a hidden matrix it calculates from the
known plaintext by cofactors. `solve` takes the linear equations one by one and solves them by
elimination, modulo 2 and modulo 13; it has an answer only where they leave one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.core.relatives import outline
from puzzlemill.generators.ciphers._plaintext import ALPHABET, is_letters, run, sentence

Matrix = tuple[tuple[int, ...], ...]

TRIES = 40  # matrices drawn, of which about every third can be inverted


@dataclass(frozen=True, slots=True)
class Knobs:
    size: int  # letters of a block
    letters: int  # of the text, at least
    largest: int  # number in the matrix
    hidden: bool  # whether the matrix must be found, from known plaintext
    decode: float  # how often the ciphertext is given


@dataclass(frozen=True, slots=True)
class Message:
    text: str  # what is given: the plaintext with its spaces, or the ciphertext without
    encode: bool  # whether it is the plaintext
    size: int
    key: Matrix  # no rows, where it is hidden
    known: tuple[str, ...]  # where it is hidden: as many blocks of plaintext as fix it, encrypted


def generate(rng: Random, knobs: Knobs) -> Message | None:
    size = knobs.size
    plain = sentence(rng, -(-knobs.letters // size) * size)
    key = _drawn(rng, size, knobs.largest)
    if key is None:
        return None
    encode, cipher = rng.random() >= knobs.decode, _encrypted(run(plain), key)
    if cipher == run(plain):
        return None
    text = plain if encode else cipher
    if not knobs.hidden:
        return Message(text, encode, size, key, ())
    for _ in range(TRIES):
        known = run(sentence(rng, size * size))
        if gcd(_determinant(_blocks(known, size)), 26) == 1:
            return Message(text, encode, size, (), (known, _encrypted(known, key)))
    return None


def solve(message: Message) -> str | None:
    """A row of the key, or a block of plaintext, is what linear equations leave."""
    key: list[list[int]] = [list(row) for row in message.key]
    if message.known:
        before, after = (_blocks(text, message.size) for text in message.known)
        rows = [_solution(before, numbers) for numbers in zip(*after)]
        key = [row for row in rows if row is not None]
        if len(key) < len(rows):
            return None
    found: list[int] = []
    for block in _blocks(run(message.text), message.size):
        if message.encode:
            sums = [0] * message.size
            for number, column in zip(block, zip(*key), strict=True):
                sums = [total + number * factor for total, factor in zip(sums, column)]
            found += sums
        else:
            plain = _solution(key, block)
            if plain is None:
                return None
            found += plain
    return "".join(ALPHABET[number % 26] for number in found)


def verify(message: Message, answer: str) -> float:
    said, given = run(answer), run(message.text)
    if len(said) != len(given) or not is_letters(said):
        return 0.0
    plain, cipher = (given, said) if message.encode else (said, given)
    return float(_encrypted(plain, _key(message)) == cipher)


def render(message: Message, style: Style) -> Prompt:
    text, size = message.text.upper(), message.size
    places = range(1, size + 1)
    block, onto = (" ".join(f"{name}{at}" for at in places) for name in "pc")
    rows = message.key or [[f"k{down}{across}" for across in places] for down in places]
    formulas = "\n".join(
        f"c{at} = ({' + '.join(f'{factor}*p{across}' for across, factor in enumerate(row, 1))})"
        " mod 26"
        for at, row in enumerate(rows, 1)
    )
    rule = (
        "The letters are numbered from A = 0 and B = 1 up to Z = 25. The text, without spaces, is"
        f" cut into blocks of {size} letters from the left. A block with the numbers {block}"
        f" becomes the block with the numbers {onto}:\n\n{formulas}\n\n"
    )
    if message.known:
        before, after = (known.upper() for known in message.known)
        rule += (
            f"The whole numbers {rows[0][0]} to {rows[-1][-1]} form the key, which is secret. It is"
            f" known that the plaintext {before} becomes {after} with this key.\n\n"
        )
    if message.encode:
        question = style.pick(
            f"Encrypt a text with the Hill cipher. {rule}Text: {text}",
            f"In a Hill cipher, texts are encrypted with a matrix. {rule}What does the text {text}"
            " become?",
            f"The message {text} is to be encrypted. {rule}Which letters come out?",
        )
        return Prompt(question, "the encrypted letters, without spaces")
    question = style.pick(
        f"Decrypt a text that was encrypted with the Hill cipher. {rule}Encrypted text: {text}",
        f"In a Hill cipher, texts are encrypted with a matrix. {rule}Which text became {text}?",
        f"The letters {text} came out when a message in English was encrypted. {rule}What was the"
        " message?",
    )
    return Prompt(question, "the letters of the original text in order, without spaces")


def steps(message: Message) -> list[str]:
    """The key where it is hidden, its inverse where it is needed, then block by block."""
    key, lines = _key(message), []
    if message.known:
        lines.append(f"the known plaintext leaves only the key {_listed(key)}")
    if not message.encode:
        key = _inverse(key)
        lines.append(f"the inverse of the key mod 26 is {_listed(key)}")
    for block in _blocks(run(message.text), message.size):
        sums = [
            " + ".join(f"{factor}*{number}" for factor, number in zip(row, block, strict=True))
            for row in key
        ]
        numbers = _times(key, block)
        results = [f"{total} = {number}" for total, number in zip(sums, numbers, strict=True)]
        lines.append(f"{_letters(block)}: {', '.join(results)} mod 26: {_letters(numbers)}")
    return lines


def progress(message: Message, lines: Lines) -> float:
    return results_derived(FAMILY, message, lines, ":")


def hardness(message: Message) -> float:
    """Multiplications, and equations to solve before."""
    largest = max((number for row in message.key for number in row), default=25)
    products = len(run(message.text)) * message.size
    return products + largest + message.size**3 * ((not message.encode) + 2 * bool(message.known))


def _drawn(rng: Random, size: int, largest: int) -> Matrix | None:
    for _ in range(TRIES):
        key = tuple(tuple(rng.randint(0, largest) for _ in range(size)) for _ in range(size))
        if gcd(_determinant(key), 26) == 1:
            return key
    return None


def _blocks(text: str, size: int) -> Matrix:
    numbers = [ALPHABET.index(letter) for letter in text]
    return tuple(tuple(numbers[at : at + size]) for at in range(0, len(numbers), size))


def _letters(numbers: Sequence[int]) -> str:
    return "".join(ALPHABET[number] for number in numbers).upper()


def _listed(matrix: Matrix) -> str:
    return " / ".join(" ".join(map(str, row)) for row in matrix)


def _encrypted(plain: str, key: Matrix) -> str:
    blocks = _blocks(plain, len(key))
    return "".join(_letters(_times(key, block)) for block in blocks).lower()


def _times(matrix: Matrix, block: Sequence[int]) -> tuple[int, ...]:
    return tuple(
        sum(factor * number for factor, number in zip(row, block, strict=True)) % 26
        for row in matrix
    )


def _key(message: Message) -> Matrix:
    """The key; a hidden one takes the known blocks to what they become."""
    if message.key:
        return message.key
    before, after = (_blocks(text, message.size) for text in message.known)
    back = _inverse(tuple(zip(*before)))
    columns = tuple(zip(*back))
    return tuple(_times(columns, row) for row in zip(*after))


def _inverse(matrix: Matrix) -> Matrix:
    """By cofactors, modulo 26."""
    over = pow(_determinant(matrix), -1, 26)
    places = range(len(matrix))
    return tuple(
        tuple(
            over * (-1) ** (down + across) * _minor(matrix, across, down) % 26 for across in places
        )
        for down in places
    )


def _determinant(matrix: Matrix) -> int:
    if not matrix:
        return 1
    return sum(
        (-1) ** across * factor * _minor(matrix, 0, across)
        for across, factor in enumerate(matrix[0])
    )


def _minor(matrix: Matrix, down: int, across: int) -> int:
    """The determinant of what is left without a row and a column."""
    rest = matrix[:down] + matrix[down + 1 :]
    return _determinant(tuple(row[:across] + row[across + 1 :] for row in rest))


def _solution(rows: Sequence[Sequence[int]], right: Sequence[int]) -> list[int] | None:
    """The only numbers with rows * numbers = right modulo 26."""
    even, rest = _eliminated(rows, right, 2), _eliminated(rows, right, 13)
    if even is None or rest is None:
        return None
    return [(13 * two + 14 * thirteen) % 26 for two, thirteen in zip(even, rest, strict=True)]


def _eliminated(
    rows: Sequence[Sequence[int]], right: Sequence[int], prime: int
) -> list[int] | None:
    lines = [[*row, value] for row, value in zip(rows, right, strict=True)]
    for at in range(len(lines)):
        pivot = next((line for line in lines[at:] if line[at] % prime), None)
        if pivot is None:
            return None
        lines.remove(pivot)
        over = pow(pivot[at], -1, prime)
        pivot = [over * number % prime for number in pivot]
        lines = [
            [number - line[at] * own for number, own in zip(line, pivot, strict=True)]
            for line in lines
        ]
        lines.insert(at, pivot)
    return [line[-1] % prime for line in lines]


LADDER = (
    Knobs(2, 4, 5, False, 0.0),
    Knobs(2, 8, 9, False, 0.4),
    Knobs(2, 14, 25, True, 0.5),
    Knobs(3, 18, 25, True, 0.8),
    Knobs(3, 36, 25, True, 1.0),
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
    solver="elimination modulo 2 and 13",
    steps=steps,
    progress=progress,
    redraws=outline,
    skills=("decoding", "algebra"),
    peers=("Enigmata/crypto_KKA", "InternBootcamp/cipher"),
    version=2,
)
