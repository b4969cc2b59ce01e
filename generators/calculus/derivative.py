"""Derivative: of a function put together from powers, roots, e, logarithms, sines and cosines.

Asked for as an expression, or as its value at a point, in which nothing is left to be worked out;
on harder rungs the second or third one.
`solve` applies the rules; `verify` knows no rule: it compares the answer with the function's own
difference quotient, to dozens of digits, at points where both are defined.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.algebra.derivative import derivative
from puzzlemill.core.answers.algebra.expr import Expr
from puzzlemill.core.answers.algebra.printer import CODE, to_latex, to_text
from puzzlemill.core.answers.algebra.tokens import TOKENS
from puzzlemill.core.answers.algebra.tree import Tree, names_in, nodes
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.calculus._numeric import close, difference, number, read, valued
from puzzlemill.generators.calculus._polynomials import text as polynomial_text
from puzzlemill.generators.calculus._trees import simplified


@dataclass(frozen=True, slots=True)
class Knobs:
    parts: int  # functions that are put together
    inside: int  # the chance in percent that a function stands inside another
    order: int  # the most times that is differentiated
    number: int  # the largest number in it


@dataclass(frozen=True, slots=True)
class Function:
    text: str
    order: int
    at: tuple[int, ...]  # the point where a value is asked for; empty: an expression is


def generate(rng: Random, knobs: Knobs) -> Function | None:
    order = rng.randint(max(1, knobs.order - 1), knobs.order)
    for _ in range(20):
        parts = [_atom(rng, knobs) for _ in range(knobs.parts)]
        while len(parts) > 1:
            left, right = parts.pop(), parts.pop(rng.randrange(len(parts)))
            parts.append(_joined(rng, left, right))
        text = parts[0]
        if "x" in text and text[0] != "(" and order * text.count("(") <= BRACKETS:
            break
    else:
        return None
    at = (rng.randint(-2, 3),) if rng.random() < 0.4 else ()
    function = Function(text, order, at)
    if not at and len([*nodes(_derived(text, order - 1))]) > LARGE:
        return None
    slope = _slope(function)
    return function if slope is not None and _readable(slope, VALUE if at else KIND) else None


def solve(function: Function) -> Expr | None:
    """Sum, product, quotient and chain rule, as often as is asked."""
    slope = _slope(function)
    return None if slope is None else KIND.expr(slope)


def verify(function: Function, answer: Expr) -> float:
    if function.at and names_in(answer.tree):
        return 0.0
    tree, digits = read(function.text), SPARE + STEP * function.order
    points = [Fraction(point) for point in function.at] or POINTS
    met = 0
    for point in points:
        at, step = number(point, digits), number(Fraction(1, 10**STEP), digits)
        slope = difference(
            lambda place: valued(tree, {"x": place}, digits), at, step, function.order
        )
        said = valued(answer.tree, {"x": at}, digits)
        if slope is None or said is None:
            continue
        if not close(slope, said, 45):
            return 0.0
        met += 1
        if met == ENOUGH:
            break
    return float(met >= min(len(points), 2))


def render(function: Function, style: Style) -> Prompt:
    times = {1: "", 2: "second ", 3: "third "}[function.order]
    dashes = "'" * function.order
    whole = f"f(x) = {function.text}"
    if function.at:
        point = function.at[0]
        question = style.pick(
            f"Let {whole}. What is f{dashes}({point})?",
            f"Find the exact value of the {times}derivative of {whole} at x = {point}.",
            f"The function {whole} is given. Compute the {times}derivative of f at the point"
            f" x = {point}.",
        )
        return Prompt(
            question,
            form="an exact number, worked out, such as 7/2, 2sqrt(3), 4e^2 or 3ln(2) - 1",
        )
    question = style.pick(
        f"Let {whole}. What is f{dashes}(x)?",
        f"Find the {times}derivative of {whole} with respect to x.",
        f"Differentiate {whole}{_often(function.order)} with respect to x.",
    )
    return Prompt(question, form="an expression in x, such as 3x^2*sin(2x) + 1/x")


def steps(function: Function) -> list[str]:
    tree, lines = read(function.text), []
    for times in range(function.order):
        tree = simplified(derivative(tree, "x"))
        lines.append(f"f{chr(39) * (times + 1)}(x) = {KIND.write(KIND.expr(tree))}")
    for point in function.at:
        value = KIND.write(KIND.expr(simplified(tree, {"x": Fraction(point)})))
        lines.append(f"At x = {point}: {value}")
    return lines


def hardness(function: Function) -> float:
    """Brackets and signs, once for each time that is differentiated."""
    return function.order * sum(sign in "+-*/^(" for sign in function.text)


def _defined(function: Function) -> bool:
    """Whether the function has a value at the point, or at enough points."""
    tree = read(function.text)
    places = [Fraction(point) for point in function.at] or POINTS
    found = (at for at in places if valued(tree, {"x": number(at, 20)}, 20) is not None)
    enough = -(-len(places) // 3)
    return len([*islice(found, enough)]) == enough


@lru_cache(maxsize=512)
def _slope(function: Function) -> Tree | None:
    """The derivative by the rules, or its value where that is asked for; None where it has none."""
    if not _defined(function):
        return None
    tree = _derived(function.text, function.order)
    for point in function.at:
        if valued(tree, {"x": number(point, 20)}, 20) is None:
            return None
        tree = simplified(tree, {"x": Fraction(point)})
        size = valued(tree, {}, DIGITS)
        if size is None or abs(size) > MOST:
            return None
    return tree


@lru_cache(maxsize=64)
def _derived(text: str, times: int) -> Tree:
    return simplified(derivative(_derived(text, times - 1), "x")) if times else read(text)


def _readable(slope: Tree, kind: answers.Expression) -> bool:
    """Whether a derivative is short enough in every notation and, as a value, worked out. What is
    read in one notation is read in all, unless it has too many tokens there."""
    text = to_text(slope)
    if len(text) >= LONGEST or kind.read(text) is None:
        return False
    others = to_text(slope, CODE), to_latex(slope)
    return all(len(other) <= TOKENS or kind.read(other) is not None for other in others)


def _often(order: int) -> str:
    return {1: "", 2: " twice", 3: " three times"}[order]


def _atom(rng: Random, knobs: Knobs) -> str:
    """One function, perhaps of another one."""
    inner = _inner(rng, knobs)
    if 100 * rng.random() < knobs.inside:
        inner = _outer(rng, knobs, inner)
        return _outer(rng, knobs, inner)
    if rng.random() < 0.45:
        return _polynomial(rng, knobs, rng.randint(1, 4))
    return _outer(rng, knobs, inner)


def _outer(rng: Random, knobs: Knobs, inner: str) -> str:
    kind = rng.choice(("sin", "cos", "e", "ln", "sqrt", "power", "tan", "atan"))
    if kind == "power":
        return f"({inner})^{rng.randint(2, 5)}"
    if kind == "e":
        return f"e^({inner})"
    return f"{kind}({inner})"


def _inner(rng: Random, knobs: Knobs) -> str:
    if rng.random() < 0.4:
        return f"{rng.randint(2, knobs.number)}x"
    return _polynomial(rng, knobs, rng.randint(1, 2))


def _polynomial(rng: Random, knobs: Knobs, degree: int) -> str:
    numbers = [rng.randint(-knobs.number, knobs.number) for _ in range(degree)]
    return polynomial_text([*numbers, rng.randint(1, knobs.number)])


def _joined(rng: Random, left: str, right: str) -> str:
    sign = rng.choice("+-**/")
    if sign in "+-":
        return f"{left} {sign} {_bracketed(right) if sign == '-' else right}"
    return f"{_bracketed(left)}{sign}{_bracketed(right, sign == '/')}"


def _bracketed(text: str, below: bool = False) -> str:
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and (sign in " /" or (place == 0 and sign == "-") or (below and sign == "*")):
            return f"({text})"
    return f"({text})" if below and text[0].isdigit() and not text.isdigit() else text


DIGITS, STEP = 300, 60  # a difference quotient loses STEP digits for each time
SPARE = DIGITS - 3 * STEP  # digits that are left of it
ENOUGH = 4
BRACKETS = 12  # times the order: more would make answers of pages
LONGEST = 500  # characters of an answer
LARGE = 130  # parts of the derivative before the last: a larger one has hardly a short answer
MOST = 10**20  # a value at a point; of a larger one, what is added last is beyond verify's digits
POINTS = [Fraction(n, 7) for n in (2, -3, 9, 16, -11, 25, 40, -30, 1, -1, 66, 150, -100, 5)]
KIND = answers.Expression(("x",))
VALUE = KIND.among(())
LADDER = (
    Knobs(1, 0, 1, 6),
    Knobs(2, 10, 1, 9),
    Knobs(2, 50, 2, 9),
    Knobs(3, 50, 2, 9),
    Knobs(3, 75, 3, 12),
)
FAMILY = Family(
    Function,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=KIND,
    hardness=hardness,
    proof="unique",
    solver="the rules of differentiation",
    guess_rate=0.1,
    steps=steps,
    known=lambda function: () if function.at else ("x",),
    skills=("derivatives", "functions"),
    peers=("RLVE/differentiate", "mathematics_dataset/differentiate"),
    version=4,
)
