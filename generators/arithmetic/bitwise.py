"""Bitwise: an expression of logic, shifts and turns on words of a fixed number of bits.

`solve` works on rows of single bits, with a carry that ripples; `verify` on whole numbers with a
mask.
"""

from dataclasses import dataclass
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core.answers.arithmetic import Tree
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.arithmetic._numerals import Numeral, in_base, value

Bits: TypeAlias = tuple[bool, ...]  # from the lowest to the highest


@dataclass(frozen=True, slots=True)
class Knobs:
    words: int  # numbers in the expression
    width: int  # bits of a word
    # operations: and, or, xor, not; also shifts; also turns, plus and minus
    signs: Literal["logic", "shifts", "all"]
    asked: Literal["same", "other"]  # written as the words are, or in another way


@dataclass(frozen=True, slots=True)
class Expression:
    # A place among the words, or (sign, left, right); ("~", 0, right); the right of a shift or a
    # turn is the number of bits itself.
    tree: Tree
    words: tuple[tuple[int, int], ...]  # a number and the base in which it is written
    width: int
    asked: Literal["value", "ones", "run"]
    target: int  # the base of the answer


def generate(rng: Random, knobs: Knobs) -> Expression | None:
    tree = _grown(rng, knobs, 0, knobs.words)
    bases = [rng.choice((2, 10, 16)) for _ in range(knobs.words)]
    if knobs.asked == "same":
        bases = [rng.choice((2, 2, 16))] * knobs.words
    target = bases[0] if knobs.asked == "same" else rng.choice((2, 10, 16))
    asked: Literal["value", "ones", "run"] = "value"
    if knobs.asked == "other" and knobs.width >= 16 and rng.random() < 0.3:
        asked, target = rng.choice(("ones", "run")), 10
    shape = Expression(tree, tuple((0, base) for base in bases), knobs.width, asked, target)
    return twin(rng, knobs, shape)


def twin(rng: Random, knobs: Knobs, expression: Expression) -> Expression | None:
    """Other words in the same expression, whose result is neither all zeros nor all ones."""
    width = expression.width
    for _ in range(20):
        words = tuple((rng.randrange(1, 2**width), base) for _, base in expression.words)
        made = Expression(expression.tree, words, width, expression.asked, expression.target)
        ones = _value(made.tree, made).bit_count()
        differ = len(set(words)) == len(words)
        if (
            differ
            and min(ones, width - ones) >= 1
            and (expression.asked == "value" or ones >= width // 4)
        ):
            return made
    return None


def solve(expression: Expression) -> str | None:
    """Bit by bit."""
    if any(not 0 <= word < 2**expression.width for word, _ in expression.words):
        return None
    bits = _bits(expression.tree, expression)
    if expression.asked == "ones":
        return str(sum(bits))
    if expression.asked == "run":
        longest = run = 0
        for bit in bits:
            run = run + 1 if bit else 0
            longest = max(longest, run)
        return str(longest)
    return in_base(sum(1 << place for place, bit in enumerate(bits) if bit), expression.target)


def verify(expression: Expression, answer: str) -> float:
    result = _value(expression.tree, expression)
    if expression.asked == "ones":
        result = result.bit_count()
    elif expression.asked == "run":
        longest = 0
        while result:
            result &= result >> 1  # every run of ones becomes one shorter
            longest += 1
        result = longest
    return float(value(answer, expression.target) == result)


def render(expression: Expression, style: Style) -> Prompt:
    width, text = expression.width, _bare(_text(expression.tree, expression))
    signs = _signs(expression.tree)
    notes = "; ".join(NOTES[sign].format(width=width) for sign in NOTES if sign in signs)
    notes = f"Here {notes}."
    intro = style.pick(
        f"All numbers here are unsigned words of {width} bits.",
        f"The following expression works on unsigned words of {width} bits, numbered 0 (lowest) to"
        f" {width - 1}.",
        f"Take every number as a word of exactly {width} bits, without a sign.",
    )
    bases = {base for _, base in expression.words}
    prefixes = " and ".join(PREFIXES[base] for base in sorted(bases) if base in PREFIXES)
    prefixes = f" {prefixes}." if prefixes else ""
    question = style.pick(
        f"{intro} {notes}{prefixes}\n\n{text}\n\n{_asked(expression)}",
        f"{intro}\n\n{text}\n\n{notes}{prefixes} {_asked(expression)}",
        f"{_asked(expression)}\n\n{text}\n\n{intro} {notes}{prefixes}",
    )
    return Prompt(question, form=FORMS[expression.target])


def steps(expression: Expression) -> list[str]:
    width = expression.width
    lines = [
        f"{_shown(word, base, width)} = {word:0{width}b}"
        for word, base in expression.words
        if base != 2
    ]
    result = _reduce(expression.tree, expression, lines)
    if expression.asked == "value" and expression.target == 2:
        return lines or [f"{result:b}"]
    return [*lines, f"{result:0{width}b}: the answer is {solve(expression)}"]


def progress(expression: Expression, lines: Lines) -> float:
    return results_derived(FAMILY, expression, lines)


def hardness(expression: Expression) -> float:
    """Bits looked at, and those to be written in another way."""
    bases = [base for _, base in expression.words] + [expression.target]
    return expression.width * (2 * _count(expression.tree) + sum(base != 2 for base in bases))


def _grown(rng: Random, knobs: Knobs, first: int, words: int) -> Tree:
    if words == 1:
        return _wrapped(rng, knobs, first) if rng.random() < 0.3 else first
    left = rng.choice((1, rng.randint(1, words - 1), words - 1))
    sign = rng.choice(("&", "|", "^", "^", "^", *(("+", "-") if knobs.signs == "all" else ())))
    tree = (
        sign,
        _grown(rng, knobs, first, left),
        _grown(rng, knobs, first + left, words - left),
    )
    return _wrapped(rng, knobs, tree) if rng.random() < 0.35 else tree


def _wrapped(rng: Random, knobs: Knobs, tree: Tree) -> Tree:
    """A tree turned over, shifted or rotated."""
    if knobs.signs == "logic":
        return ("~", 0, tree) if isinstance(tree, int) else tree
    sign = rng.choice(("~", "<<", ">>", *(("rotl", "rotr") if knobs.signs == "all" else ())))
    if sign == "~":
        return tree if not isinstance(tree, int) and tree[0] == "~" else ("~", 0, tree)
    most = knobs.width // 3 if sign in ("<<", ">>") else knobs.width - 1
    return (sign, tree, rng.randint(1, max(most, 1)))


def _bits(tree: Tree, expression: Expression) -> Bits:
    width = expression.width
    if isinstance(tree, int):
        number = expression.words[tree][0]
        return tuple(number >> place & 1 == 1 for place in range(width))
    sign, left, right = tree
    if sign == "~":
        return tuple(not bit for bit in _bits(right, expression))
    one = _bits(left, expression)
    if sign in MOVES:
        assert isinstance(right, int), "a shift is by a number"
        nothing = (False,) * right
        match sign:
            case "<<":
                return (nothing + one)[:width]
            case ">>":
                return one[right:] + nothing
            case "rotl":
                return one[width - right :] + one[: width - right]
            case _:
                return one[right:] + one[:right]
    other = _bits(right, expression)
    match sign:
        case "&":
            return tuple(a and b for a, b in zip(one, other))
        case "|":
            return tuple(a or b for a, b in zip(one, other))
        case "^":
            return tuple(a != b for a, b in zip(one, other))
        case "+":
            return _added(one, other, False)
        case _:
            return _added(one, tuple(not bit for bit in other), True)


def _added(one: Bits, other: Bits, carry: bool) -> Bits:
    found = []
    for a, b in zip(one, other):
        found.append(a ^ b ^ carry)
        carry = (a and b) or (carry and (a or b))
    return tuple(found)


def _value(tree: Tree, expression: Expression) -> int:
    if isinstance(tree, int):
        return expression.words[tree][0]
    sign, left, right = tree
    width, mask = expression.width, (1 << expression.width) - 1
    if sign == "~":
        return mask - _value(right, expression)
    one = _value(left, expression)
    if sign in MOVES:
        assert isinstance(right, int), "a shift is by a number"
        match sign:
            case "<<":
                return (one << right) & mask
            case ">>":
                return one >> right
            case "rotl":
                return (one << right) % mask or (mask if one else 0)
            case _:
                return (one << width - right) % mask or (mask if one else 0)
    other = _value(right, expression)
    match sign:
        case "&":
            return one & other
        case "|":
            return one | other
        case "^":
            return one ^ other
        case "+":
            return (one + other) & mask
        case _:
            return (one - other) & mask


def _reduce(tree: Tree, expression: Expression, lines: list[str]) -> int:
    """The value, with a line in binary for every operation on the way."""
    if isinstance(tree, int):
        return expression.words[tree][0]
    sign, left, right = tree
    result, width = _value(tree, expression), expression.width
    if sign == "~":
        lines.append(f"~{_reduce(right, expression, lines):0{width}b} = {result:0{width}b}")
        return result
    one = f"{_reduce(left, expression, lines):0{width}b}"
    if sign in ("rotl", "rotr"):
        lines.append(f"{sign}({one}, {right}) = {result:0{width}b}")
        return result
    plain = sign in MOVES
    other = str(right) if plain else f"{_reduce(right, expression, lines):0{width}b}"
    lines.append(f"{one} {sign} {other} = {result:0{width}b}")
    return result


def _count(tree: Tree) -> int:
    """The operations in a tree."""
    if isinstance(tree, int):
        return 0
    sign, left, right = tree
    inner = [right] if sign == "~" else [left] if sign in MOVES else [left, right]
    return 1 + sum(map(_count, inner))


def _signs(tree: Tree) -> set[str]:
    if isinstance(tree, int):
        return set()
    sign, left, right = tree
    inner = [right] if sign == "~" else [left] if sign in MOVES else [left, right]
    return {sign}.union(*map(_signs, inner))


def _text(tree: Tree, expression: Expression) -> str:
    """With a bracket around every operation, so that no rank of signs need be known."""
    if isinstance(tree, int):
        return _shown(*expression.words[tree], expression.width)
    sign, left, right = tree
    if sign == "~":
        return f"~{_text(right, expression)}"
    if sign in ("rotl", "rotr"):
        return f"{sign}({_bare(_text(left, expression))}, {right})"
    other = f"{right}" if sign in MOVES else _text(right, expression)
    return f"({_text(left, expression)} {sign} {other})"


def _bare(text: str) -> str:
    """Without brackets around the whole; an operation alone has them, and nothing else."""
    return text[1:-1] if text.startswith("(") else text


def _shown(word: int, base: int, width: int) -> str:
    """All of the bits, or of the hexadecimal digits that hold them."""
    match base:
        case 2:
            return f"0b{word:0{width}b}"
        case 16:
            return f"0x{word:0{(width + 3) // 4}X}"
        case _:
            return f"{word}"


def _asked(expression: Expression) -> str:
    match expression.asked:
        case "ones":
            return "How many bits of the result are 1?"
        case "run":
            return "How many bits long is the longest unbroken run of ones in the result?"
        case _:
            return f"What is the result, written in {NAMES[expression.target]}?"


MOVES = ("<<", ">>", "rotl", "rotr")
NAMES = {2: "binary", 10: "decimal", 16: "hexadecimal"}
PREFIXES = {2: "0b marks a binary number", 16: "0x marks a hexadecimal number"}
FORMS = {
    2: "the binary digits of the result, such as 1010",
    10: "one integer in decimal, such as 12",
    16: "the hexadecimal digits of the result, such as 2F",
}
NOTES = {
    "&": "& is AND",
    "|": "| is OR",
    "^": "^ is exclusive OR",
    "~": "~ is NOT: it inverts every bit",
    "<<": "x << n moves x left by n bits: those pushed out are lost, and zeros come in",
    ">>": "x >> n moves x right by n bits: those pushed out are lost, and zeros come in",
    "rotl": "rotl(x, n) rotates x left by n bits: those pushed out come in again on the right",
    "rotr": "rotr(x, n) rotates x right by n bits: those pushed out come in again on the left",
    "+": "+ is addition modulo 2^{width}",
    "-": "- is subtraction modulo 2^{width}",
}
LADDER = (
    Knobs(2, 4, "logic", "same"),
    Knobs(3, 8, "logic", "same"),
    Knobs(4, 12, "shifts", "other"),
    Knobs(7, 16, "all", "other"),
    Knobs(12, 32, "all", "other"),
)
FAMILY = Family(
    Expression,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=Numeral(),
    hardness=hardness,
    proof="unique",
    solver="bit by bit",
    guess_rate=0.15,
    steps=steps,
    progress=progress,
    twin=twin,
    skills=("bases", "digits", "calculation"),
    peers=("reasoning-gym/bitwise_arithmetic", "reasoning-gym/count_bits"),
    version=2,
)
