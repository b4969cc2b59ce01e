"""Limit: of a quotient, a difference or a power that cannot be had by putting the point in.

`solve` expands everything in power series and reads off the leading term. `verify` knows no series:
it takes the function's values at two distances from the point, 24 and 36 digits away, and
asks that the answer be what they close in on.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from math import lcm
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.algebra.expr import Expr
from puzzlemill.core.answers.algebra.tree import E, Node, Tree, apply, multiply, power
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.calculus._numeric import close, number, read, valued
from puzzlemill.generators.calculus._polynomials import from_roots, product
from puzzlemill.generators.calculus._polynomials import text as written
from puzzlemill.generators.calculus._series import Series, coefficient, expanded, far, near


@dataclass(frozen=True, slots=True)
class Knobs:
    trick: int  # the hardest: 1 cancelling ... 6 series to a high order
    number: int  # the largest number
    order: int  # how often numerator and denominator vanish, at most


@dataclass(frozen=True, slots=True)
class Limit:
    text: str
    point: int  # that x approaches
    infinite: bool  # x grows without bound instead


def generate(rng: Random, knobs: Knobs) -> Limit | None:
    trick = knobs.trick if knobs.trick > 4 else rng.choice((knobs.trick, max(1, knobs.trick - 1)))
    limit = rng.choice(TRICKS[trick])(rng, knobs)
    if limit is None:
        return None
    found = _value(limit)
    short = found is not None and len(str(found)) < 20
    if found is not None and _exponent(limit) and not -60 < found < 60:
        return None
    return limit if short and (found or rng.random() < 0.1) else None


def solve(limit: Limit) -> Expr | None:
    """The leading term of the series; a power is e to what its logarithm tends to."""
    found = _value(limit)
    if found is None:
        return None
    return KIND.expr(found if not _exponent(limit) else power(E, found) if found else Fraction(1))


def verify(limit: Limit, answer: Expr) -> float:
    tree = read(limit.text)
    said = valued(answer.tree, {}, DIGITS)
    if said is None:
        return 0.0
    for far_off in (24, 36):
        for sign in (1,) if limit.infinite else (1, -1):
            step = Fraction(sign, 10**far_off)
            at = 1 / step if limit.infinite else limit.point + step
            found = valued(tree, {"x": number(at, DIGITS)}, DIGITS)
            if found is None or not close(found, said, far_off - 10):
                return 0.0
    return 1.0


def render(limit: Limit, style: Style) -> Prompt:
    target = "∞" if limit.infinite else str(limit.point)
    approach = "grows without bound" if limit.infinite else f"approaches {limit.point}"
    return Prompt(
        style.pick(
            f"Find the limit of {limit.text} as x {approach}.",
            f"Compute the limit\n\nlim (x → {target}) of {limit.text}",
            f"Let f(x) = {limit.text}. To which number does f(x) tend as x {approach}?",
        ),
        form="an exact number, such as 5, -7/2 or e^3",
    )


def steps(limit: Limit) -> list[str]:
    tree = read(limit.text)
    near_by = "t = 1/x" if limit.infinite else f"t = x - {limit.point}" if limit.point else "t = x"
    near_by = near_by.replace("- -", "+ ")
    lines = [f"With {near_by} and t small:"]
    parts: list[tuple[str, Tree]] = [("The expression", tree)]
    if _exponent(limit) and isinstance(tree, Node):
        parts = [("Its logarithm", multiply(tree.parts[1], apply("ln", tree.parts[0])))]
    elif isinstance(tree, Node) and tree.sign == "/":
        parts = [("Numerator", tree.parts[0]), ("Denominator", tree.parts[1])]
    for name, part in parts:
        found = expanded(part, _letter(limit, TERMS), TERMS)
        if found is not None:
            place = next((n for n, each in enumerate(found[1]) if each), 0)
            lines.append(f"{name}: begins with {found[1][place]} t^{found[0] + place}")
    gold = solve(limit)
    return [*lines, f"The limit is {KIND.write(gold)}"] if gold else lines


def hardness(limit: Limit) -> float:
    """Signs and functions, how often both sides of a quotient vanish, and a logarithm to take."""
    tree = read(limit.text)
    vanish = 0
    if isinstance(tree, Node) and tree.sign == "/":
        below = expanded(tree.parts[1], _letter(limit, TERMS), TERMS)
        if below is not None:
            vanish = below[0] + next((n for n, each in enumerate(below[1]) if each), 0)
    curved = sum(limit.text.count(name) for name in ("sin", "cos", "tan", "ln", "e^", "sqrt"))
    signs = sum(sign in "+-*/^" for sign in limit.text)
    return 4 * curved + 4 * max(vanish, 0) + 8 * _exponent(limit) + signs / 4


def _letter(limit: Limit, terms: int) -> Series:
    return far(terms) if limit.infinite else near(Fraction(limit.point), terms)


def _exponent(limit: Limit) -> bool:
    """Whether it is a power with x in base and exponent."""
    tree = read(limit.text)
    return isinstance(tree, Node) and tree.sign == "^" and not isinstance(tree.parts[1], Fraction)


@lru_cache(maxsize=2)
def _value(limit: Limit) -> Fraction | None:
    """The limit, or of a power the limit of its logarithm."""
    tree = read(limit.text)
    if _exponent(limit) and isinstance(tree, Node):
        tree = multiply(tree.parts[1], apply("ln", tree.parts[0]))
    found = _told(tree, partial(_letter, limit), 0)
    if found is None:
        return None
    return None if any(found[1][: max(-found[0], 0)]) else coefficient(found, 0)


def _told(tree: Tree, letter: Callable[[int], Series], power: int) -> Series | None:
    """The series, far enough to tell the coefficient of a power: what few terms tell is so."""
    for terms in (FEW, TERMS):
        found = expanded(tree, letter(terms), terms)
        if found is not None and found[0] + len(found[1]) > power:
            return found
    return None


def _cancelling(rng: Random, knobs: Knobs) -> Limit | None:
    """Numerator and denominator have the point as a root, equally often."""
    point = rng.choice([n for n in range(-5, 6) if n])
    often = rng.randint(1, max(1, knobs.order // 2))
    above, below = (
        product(from_roots([point] * often), _other(rng, knobs.number, point)) for _ in range(2)
    )
    if above == below:
        return None
    return Limit(f"({written(above)})/({written(below)})", point, False)


def _growing(rng: Random, knobs: Knobs) -> Limit | None:
    """Two polynomials of one degree, far out."""
    degree = rng.randint(1, knobs.order + 1)
    above, below = (
        [rng.randint(-knobs.number, knobs.number) for _ in range(degree)]
        + [rng.choice((-1, 1)) * rng.randint(1, knobs.number)]
        for _ in range(2)
    )
    if not any(above[:-1]) or not any(below[:-1]):
        below[0] = above[0] = 1
    if above == below:
        return None
    return Limit(f"({written(above)})/({written(below)})", 0, True)


def _conjugate(rng: Random, knobs: Knobs) -> Limit:
    """sqrt(ax + b) - c over something that vanishes with it."""
    point, times = rng.choice([n for n in range(-5, 6) if n]), rng.randint(1, knobs.number)
    side = rng.randint(2, 9)
    inside = written([side * side - times * point, times])
    below = product((-point, 1), _other(rng, knobs.number, point))
    top, bottom = f"sqrt({inside}) - {side}", written(below)
    if rng.random() < 0.3:
        top, bottom = bottom, top
    return Limit(f"({top})/({bottom})", point, False)


def _two_roots(rng: Random, knobs: Knobs) -> Limit:
    """sqrt(ax + b) - sqrt(cx + d), far out or where they meet."""
    if rng.random() < 0.5:
        side = rng.randint(1, 5)
        one, two = rng.sample(range(-2 * knobs.number, 2 * knobs.number + 1), 2)
        square = "" if side == 1 else str(side * side)
        texts = [
            f"sqrt({square}x^2{_signed(each, 'x')}{_signed(rng.randint(-9, 9), '')})"
            for each in (one, two)
        ]
        if rng.random() < 0.4:
            texts[1] = "x" if side == 1 else f"{side}x"
        return Limit(f"{texts[0]} - {texts[1]}", 0, True)
    point, side = rng.randint(-4, 4), rng.randint(2, 7)
    one, two = rng.sample(range(1, knobs.number + 4), 2)
    texts = [f"sqrt({written([side * side - each * point, each])})" for each in (one, two)]
    below = written(product((-point, 1), _other(rng, knobs.number, point)))
    return Limit(f"({texts[0]} - {texts[1]})/({below})", point, False)


def _standard(rng: Random, knobs: Knobs) -> Limit:
    """A quotient of functions that vanish once or twice."""
    often = rng.randint(1, 2)
    above, below = (rng.choice(ONCE if often == 1 else TWICE) for _ in range(2))
    one, two = rng.sample(range(2, knobs.number + 3), 2)
    front = rng.choice(("", "", str(rng.randint(2, knobs.number))))
    above, below = above.replace("@", str(one)), below.replace("@", str(two))
    if front:
        above = f"{front}*{above}" if above.startswith("(") else f"{front}{above}"
        above = above.replace(f"{front}*(", f"{front}(")
    return Limit(
        f"{above}/({below})" if "*" in below or "/" in below else f"{above}/{below}", 0, False
    )


def _power(rng: Random, knobs: Knobs) -> Limit:
    """One to the power infinity."""
    one, two, three = (rng.randint(1, knobs.number) for _ in range(3))
    shape = rng.randrange(5)
    if shape == 0:
        return Limit(f"(1 {rng.choice('+-')} {one}/x)^({two + 1}x{_signed(three, '')})", 0, True)
    if shape == 1:
        low, high = rng.sample(range(-knobs.number, knobs.number + 1), 2)
        return Limit(
            f"((x{_signed(high, '')})/(x{_signed(low, '')}))^({two + 1}x{_signed(three, '')})",
            0,
            True,
        )
    if shape == 2:
        return Limit(f"(cos({one + 1}x) {rng.choice('+-')} {three + 1}x^2)^({two}/x^2)", 0, False)
    if shape == 3:
        return Limit(f"(1 + {three + 1}sin({one + 1}x))^({two}/x)", 0, False)
    return Limit(f"(e^({one + 1}x) {rng.choice('+-')} {two + 1}x)^({three}/x)", 0, False)


def _series_trick(rng: Random, knobs: Knobs) -> Limit | None:
    """A sum of functions less what it begins with, over a product that vanishes as often."""
    often = rng.randint(max(2, knobs.order - 1), knobs.order)
    names = rng.sample(WHOLE, 2 if knobs.trick > 5 or rng.random() < 0.7 else 1)
    texts = [name.replace("@", str(rng.randint(2, 6))) for name in names]
    joint = rng.choice((" + ", " - ", "*"))
    if len(texts) == 2 and joint == "*":
        texts.sort(key=lambda text: "/" in text)
    whole = joint.join(texts).replace("*1/", "/")
    found = _told(read(whole), partial(near, Fraction(0)), often)
    if found is None:
        return None
    begin = [coefficient(found, power) or Fraction(0) for power in range(often)]
    shared = lcm(*(number.denominator for number in begin))
    if shared > 24 or not coefficient(found, often):
        return None
    least = written([int(-number * shared) for number in begin])
    if shared > 1:
        whole = f"{shared}({whole})" if len(texts) > 1 and joint != "*" else f"{shared}{whole}"
    tail = "" if least == "0" else f" - {least[1:]}" if least[0] == "-" else f" + {least}"
    below, left = list[str](), often
    while left:
        step = rng.randint(1, min(2, left))
        pool = ONCE if step == 1 else TWICE
        below.append(rng.choice(pool).replace("@", str(rng.randint(2, 5))))
        left -= step
        if len(below) == 2 and left:
            below.insert(0, "x" if left == 1 else f"x^{left}")
            left = 0
    return Limit(f"({whole}{tail})/({'*'.join(below)})", 0, False)


def _other(rng: Random, most: int, point: int) -> tuple[int, int]:
    """A linear factor that does not vanish at the point."""
    slope = rng.randint(1, max(2, most // 2))
    return rng.choice([n for n in range(-most, most + 1) if slope * point + n]), slope


def _signed(number: int, thing: str) -> str:
    if not number:
        return ""
    size = "" if abs(number) == 1 and thing else abs(number)
    return f" {'-' if number < 0 else '+'} {size}{thing}"


ONCE = ("sin(@x)", "tan(@x)", "ln(1 + @x)", "(e^(@x) - 1)", "atan(@x)", "(sqrt(1 + @x) - 1)")
TWICE = ("(1 - cos(@x))", "sin(@x)^2", "(e^(@x^2) - 1)", "ln(1 + @x^2)", "x*sin(@x)", "x*atan(@x)")
WHOLE = ("sin(@x)", "cos(@x)", "e^(@x)", "ln(1 + @x)", "1/(1 - @x)", "tan(@x)", "sqrt(1 + @x)",
         "e^(-@x)", "atan(@x)", "cos(@x)^2")  # fmt: skip
TRICKS = {
    1: (_cancelling, _growing),
    2: (_conjugate, _standard),
    3: (_two_roots, _standard),
    4: (_power, _two_roots),
    5: (_series_trick,),
    6: (_series_trick,),
}
FEW, TERMS, DIGITS = 8, 14, 400
KIND = answers.Expression((), evaluated=True)
LADDER = (
    Knobs(1, 5, 1),
    Knobs(2, 9, 2),
    Knobs(4, 12, 3),
    Knobs(5, 12, 4),
    Knobs(6, 12, 6),
)
FAMILY = Family(
    Limit,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=KIND,
    hardness=hardness,
    proof="unique",
    solver="the leading term of power series",
    guess_rate=0.1,
    steps=steps,
    skills=("limits", "series", "functions"),
    version=4,
)
