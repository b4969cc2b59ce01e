"""Integration by method: substitution, parts, partial fractions, trigonometric identities.

Any antiderivative will do. `solve` knows for each form what the method leads to; `verify` knows
only how to differentiate: the derivative of the answer must be the integrand.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.algebra.derivative import derivative
from puzzlemill.core.answers.algebra.expr import Expr
from puzzlemill.core.answers.algebra.tree import Tree, add, multiply, replaced
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.calculus._numeric import agree, read
from puzzlemill.generators.calculus._polynomials import Exact, derived, from_roots, plus
from puzzlemill.generators.calculus._polynomials import text as written
from puzzlemill.generators.calculus._polynomials import tree as polynomial_tree
from puzzlemill.generators.calculus._trees import simplified

Part: TypeAlias = tuple[str, tuple[int, ...]]  # a form, and the numbers in it


@dataclass(frozen=True, slots=True)
class Knobs:
    parts: int  # integrands that are added
    method: int  # the hardest method: 1 linear substitution ... 6 substitution, then parts
    number: int  # the largest number


@dataclass(frozen=True, slots=True)
class Integrand:
    parts: tuple[Part, ...]


def generate(rng: Random, knobs: Knobs) -> Integrand:
    """The hardest method at least once."""
    methods = [knobs.method]
    methods += [rng.randint(max(1, knobs.method - 2), knobs.method) for _ in range(knobs.parts - 1)]
    forms = rng.sample(METHODS[methods[0]], 1)
    for method in methods[1:]:
        left = [form for form in METHODS[method] if form not in forms]
        forms.append(rng.choice(left))
    rng.shuffle(forms)
    return Integrand(tuple((form, FORMS[form][0](rng, knobs.number)) for form in forms))


def solve(integrand: Integrand) -> Expr | None:
    """What the method of each part leads to, added up."""
    whole = add([_solved(part) for part in integrand.parts])
    return KIND.expr(simplified(whole))


def verify(integrand: Integrand, answer: Expr) -> float:
    slope = derivative(answer.tree, "x")
    return float(agree(read(_text(integrand)), slope))


def render(integrand: Integrand, style: Style) -> Prompt:
    function = _text(integrand)
    return Prompt(
        style.pick(
            f"Find an antiderivative of f(x) = {function}.",
            f"Compute the indefinite integral of {function} with respect to x.",
            f"Find a function F(x) with F'(x) = {function}.",
            f"Integrate with respect to x:\n\n{function}",
        ),
        form=KIND.form,
    )


def steps(integrand: Integrand) -> list[str]:
    lines = []
    for form, numbers in integrand.parts:
        _, shown, _, method = FORMS[form]
        found = KIND.write(KIND.expr(simplified(_solved((form, numbers)))))
        lines.append(f"{shown(*numbers)}: {method} gives {found}")
    return lines


def hardness(integrand: Integrand) -> float:
    weights = {form: method for method, forms in METHODS.items() for form in forms}
    return sum(weights[form] ** 2 + len(numbers) / 10 for form, numbers in integrand.parts)


def canon(integrand: Integrand) -> list[Part]:
    return sorted(integrand.parts)


def twin(rng: Random, knobs: Knobs, integrand: Integrand) -> Integrand:
    """The same forms with other numbers."""
    parts = tuple((form, FORMS[form][0](rng, knobs.number)) for form, _ in integrand.parts)
    return replace(integrand, parts=parts)


def _text(integrand: Integrand) -> str:
    return " + ".join(FORMS[form][1](*numbers) for form, numbers in integrand.parts)


def _solved(part: Part) -> Tree:
    form, numbers = part
    return FORMS[form][2](*numbers)


def _times(number: Exact, text: str) -> Tree:
    return multiply(Fraction(number), read(text))


def _sum(*terms: tuple[Exact, str]) -> Tree:
    return add([_times(number, text) for number, text in terms if number])


def _many(number: int, thing: str) -> str:
    """3sin(x), or sin(x) where there is one."""
    return thing if number == 1 else f"{number}{thing}"


def _x_to(power: int) -> str:
    return {0: "", 1: "x"}.get(power, f"x^{power}")


# Substitution: c x^(k-1) g(a x^k + b). The outer function's integral, and how it is written.
OUTER: dict[str, tuple[str, Exact, str]] = {
    "sin": ("sin({})", -1, "cos({})"),
    "cos": ("cos({})", 1, "sin({})"),
    "e": ("e^({})", 1, "e^({})"),
    "over": ("1/({})", 1, "ln(abs({}))"),
    "sqrt": ("sqrt({})", Fraction(2, 3), "({})^(3/2)"),
    "square": ("({})^4", Fraction(1, 5), "({})^5"),
    "high": ("({})^7", Fraction(1, 8), "({})^8"),
    "low": ("1/({})^3", Fraction(-1, 2), "1/({})^2"),
}


def _inner_text(outer: str) -> Callable[..., str]:
    def shown(factor: int, number: int, added: int, power: int) -> str:
        inside = written([added, *[0] * (power - 1), number])
        whole = OUTER[outer][0].format(inside)
        front = _x_to(power - 1)
        if whole.startswith("1/"):
            above = (_many(factor, front) if front else str(factor)) or "1"
            return f"{above}/{whole[2:]}"
        return _many(factor, f"{front}*{whole}" if front else whole)

    return shown


def _inner_solved(outer: str) -> Callable[..., Tree]:
    def found(factor: int, number: int, added: int, power: int) -> Tree:
        inside = written([added, *[0] * (power - 1), number])
        _, own, whole = OUTER[outer]
        return _times(Fraction(factor, number * power) * own, whole.format(inside))

    return found


def _by_parts(polynomial: list[Exact], function: str, number: int) -> Tree:
    """The integral of a polynomial times e^(ax), sin(ax) or cos(ax): differentiate the first as
    often as it takes, integrate the second."""
    slopes: list[list[Exact]] = [
        [each / Fraction(number) ** (times + 1) for each in derived(polynomial, times)]
        for times in range(len(polynomial))
    ]
    if function == "e":
        total = _together((slope, (-1) ** times) for times, slope in enumerate(slopes))
        return _factored(total, f"e^({number}x)")
    even = _together((slope, (-1) ** (t // 2)) for t, slope in enumerate(slopes) if t % 2 == 0)
    odd = _together((slope, (-1) ** (t // 2)) for t, slope in enumerate(slopes) if t % 2)
    if function == "sin":
        negative: list[Exact] = [-each for each in even]
        return add([_factored(negative, f"cos({number}x)"), _factored(odd, f"sin({number}x)")])
    return add([_factored(even, f"sin({number}x)"), _factored(odd, f"cos({number}x)")])


def _together(slopes: Iterable[tuple[list[Exact], int]]) -> list[Exact]:
    found: list[Exact] = []
    for slope, sign in slopes:
        found = plus(found, slope, sign)
    return found


def _factored(polynomial: list[Exact], thing: str) -> Tree:
    if not polynomial:
        return Fraction(0)
    return multiply(polynomial_tree(polynomial), read(thing))


def _power_log(factor: int, power: int, times: int) -> Tree:
    """x^n ln(x)^m, by parts m times."""
    found, own = list[Tree](), Fraction(factor, power + 1)
    for left in range(times, -1, -1):
        log = f"*ln(x)^{left}" if left > 1 else "*ln(x)" if left else ""
        found.append(_times(own, f"x^{power + 1}{log}"))
        own *= Fraction(-left, power + 1)
    return add(found)


def _fractions(low: int, slope: int, *roots: int) -> Tree:
    """(slope x + low) over a product of different factors."""
    terms = []
    for root in roots:
        below = 1
        for other in roots:
            below *= root - other if other != root else 1
        terms.append((Fraction(slope * root + low, below), f"ln(abs({written([-root, 1])}))"))
    return _sum(*terms)


def _double(low: int, slope: int, root: int, other: int) -> Tree:
    """(slope x + low) / ((x - root)^2 (x - other))"""
    own = Fraction(slope * other + low, (other - root) ** 2)
    return _sum(
        (-own, f"ln(abs({written([-root, 1])}))"),
        (own, f"ln(abs({written([-other, 1])}))"),
        (-Fraction(slope * root + low, root - other), f"1/({written([-root, 1])})"),
    )


def _arc(low: int, slope: int, centre: int, width: int) -> Tree:
    """(slope x + low) / ((x - centre)^2 + width^2)"""
    return _sum(
        (Fraction(slope, 2), f"ln({written([centre**2 + width**2, -2 * centre, 1])})"),
        (Fraction(low + slope * centre, width), f"atan(({written([-centre, 1])})/{width})"),
    )


def _two_waves(first: str, second: str) -> Callable[..., Tree]:
    """c f(ax) g(bx) for sines and cosines, with a > b, by the sum of two waves."""

    def found(factor: int, one: int, other: int) -> Tree:
        low, high = one - other, one + other
        half = Fraction(factor, 2)
        if (first, second) == ("sin", "cos"):
            terms = ((-half / high, f"cos({high}x)"), (-half / low, f"cos({low}x)"))
        else:
            sign = -1 if first == "sin" else 1
            terms = ((half / low, f"sin({low}x)"), (sign * half / high, f"sin({high}x)"))
        return _sum(*terms)

    return found


def _swept(function: str, factor: int, number: int, power: int) -> Tree:
    """A polynomial in u times e^(au), sin(au) or cos(au), with u = x^power, times u'."""
    inner = _by_parts([0, Fraction(factor, power)], function, number)
    return replaced(inner, "x", read(f"x^{power}"))


def _root_swept(function: str, factor: int, number: int) -> Tree:
    """A function of sqrt(x): with x = u^2 there is 2u du."""
    return replaced(_by_parts([0, 2 * factor], function, number), "x", read("sqrt(x)"))


def _numbers(*spans: str) -> Callable[[Random, int], tuple[int, ...]]:
    """Draws numbers: "c" from 1, "a" from 2, "b" also negative, "2-5" from a span."""

    def drawn(rng: Random, most: int) -> tuple[int, ...]:
        found = []
        for span in spans:
            if span in "cab":
                low, high = {"c": 1, "a": 2, "b": -most}[span], most
            else:
                low, high = map(int, span.split("-"))
            found.append(rng.choice([each for each in range(low, high + 1) if each]))
        return tuple(found)

    return drawn


def _over(count: int) -> Callable[[Random, int], tuple[int, ...]]:
    """The numerator and so many different roots, which are no roots of the numerator."""

    def drawn(rng: Random, most: int) -> tuple[int, ...]:
        roots = rng.sample(range(-6, 7), count)
        slope = rng.randint(1, most)
        low = rng.choice([n for n in range(-most, most + 1) if all(slope * r + n for r in roots)])
        return low, slope, *roots

    return drawn


def _waves_drawn(rng: Random, most: int) -> tuple[int, ...]:
    other, one = sorted(rng.sample(range(1, max(most, 6) + 1), 2))
    return rng.randint(1, most), one, other


def _polynomial_drawn(rng: Random, most: int) -> tuple[int, ...]:
    degree = rng.randint(1, 2 if most < 10 else 3)
    low = [rng.randint(-most, most) for _ in range(degree)]
    return rng.randint(1, max(2, most // 3)), *low, rng.randint(1, most)


def _wave_form(name: str) -> str:
    return "e^({}x)" if name == "e" else f"{name}({{}}x)"


def _polynomial_text(name: str) -> Callable[..., str]:
    def shown(number: int, *polynomial: int) -> str:
        return f"({written(polynomial)})*{_wave_form(name).format(_one(number))}"

    return shown


def _one(number: int) -> str:
    return "" if number == 1 else str(number)


def _over_text(low: int, slope: int, *roots: int) -> str:
    return f"({written([low, slope])})/({written(from_roots(roots))})"


# Each form: how its numbers are drawn, how it is written, its antiderivative, the method's name.
Form: TypeAlias = tuple[
    Callable[[Random, int], tuple[int, ...]], Callable[..., str], Callable[..., Tree], str
]


def _swept_forms(name: str) -> dict[str, Form]:
    """u = x^2 or x^3, then parts; and u = sqrt(x)."""
    wave = _wave_form(name)
    return {
        f"{name} of power": (
            _numbers("c", "a", "2-4"),
            lambda c, a, k: f"{_many(c, _x_to(2 * k - 1))}*{wave.replace('{}x', f'{a}x^{k}')}",
            lambda c, a, k: _swept(name, c, a, k),
            "substituting the power inside, then parts,",
        ),
        f"{name} of root": (
            _numbers("c", "a"),
            lambda c, a: _many(c, wave.replace("{}x", f"{a}sqrt(x)")),
            lambda c, a: _root_swept(name, c, a),
            "substituting the root, then parts,",
        ),
    }


FORMS: dict[str, Form] = {
    f"{outer}, linear": (
        lambda rng, most: (*_numbers("c", "a", "b")(rng, most), 1),
        _inner_text(outer),
        _inner_solved(outer),
        "substituting what is inside",
    )
    for outer in OUTER
}
FORMS |= {
    f"{outer}, power": (
        lambda rng, most: (*_numbers("c", "c", "b")(rng, most), rng.randint(2, 4)),
        _inner_text(outer),
        _inner_solved(outer),
        "substituting what is inside",
    )
    for outer in OUTER
}
FORMS |= {
    "sine power": (
        _numbers("c", "a", "2-7"),
        lambda c, a, n: _many(c, f"sin({a}x)^{n}*cos({a}x)"),
        lambda c, a, n: _times(Fraction(c, a * (n + 1)), f"sin({a}x)^{n + 1}"),
        "substituting the sine",
    ),
    "log power": (
        _numbers("c", "2-9", "a"),
        lambda c, n, a: f"{_many(c, f'ln({a}x)^{n}')}/x",
        lambda c, n, a: _times(Fraction(c, n + 1), f"ln({a}x)^{n + 1}"),
        "substituting the logarithm",
    ),
    "exponential over": (
        _numbers("c", "a", "c"),
        lambda c, a, b: f"{_many(c, f'e^({a}x)')}/(e^({a}x) + {b})",
        lambda c, a, b: _times(Fraction(c, a), f"ln(e^({a}x) + {b})"),
        "substituting the denominator",
    ),
    "exponential power": (
        _numbers("c", "a", "c", "2-7"),
        lambda c, a, b, n: f"{_many(c, f'e^({a}x)')}*(e^({a}x) + {b})^{n}",
        lambda c, a, b, n: _times(Fraction(c, a * (n + 1)), f"(e^({a}x) + {b})^{n + 1}"),
        "substituting the bracket",
    ),
    "power of log": (
        _numbers("c", "1-7", "1-3"),
        lambda c, n, m: _many(c, f"{_x_to(n)}*ln(x){f'^{m}' if m > 1 else ''}"),
        _power_log,
        "integrating by parts",
    ),
    "two fractions": (_over(2), _over_text, _fractions, "splitting into partial fractions"),
    "three fractions": (_over(3), _over_text, _fractions, "splitting into partial fractions"),
    "double root": (
        _over(2),
        lambda low, slope, root, other: _over_text(low, slope, root, root, other),
        _double,
        "splitting into partial fractions",
    ),
    "arc": (
        lambda rng, most: (*_numbers("b", "a")(rng, most), rng.randint(-5, 5), rng.randint(2, 6)),
        lambda low, slope, h, k: (
            f"({written([low, slope])})/({written([h * h + k * k, -2 * h, 1])})"
        ),
        _arc,
        "completing the square",
    ),
    "growing wave": (
        _numbers("c", "a", "a"),
        lambda c, a, b: _many(c, f"e^({a}x)*sin({b}x)"),
        lambda c, a, b: _sum(
            (Fraction(c * a, a * a + b * b), f"e^({a}x)*sin({b}x)"),
            (Fraction(-c * b, a * a + b * b), f"e^({a}x)*cos({b}x)"),
        ),
        "integrating by parts twice",
    ),
    "sine squared": (
        _numbers("c", "a"),
        lambda c, a: _many(c, f"sin({a}x)^2"),
        lambda c, a: _sum((Fraction(c, 2), "x"), (Fraction(-c, 4 * a), f"sin({2 * a}x)")),
        "halving the angle",
    ),
    "sine cubed": (
        _numbers("c", "a", "2-6"),
        lambda c, a, n: _many(c, f"sin({a}x)^3*cos({a}x)^{n}"),
        lambda c, a, n: _sum(
            (Fraction(-c, a * (n + 1)), f"cos({a}x)^{n + 1}"),
            (Fraction(c, a * (n + 3)), f"cos({a}x)^{n + 3}"),
        ),
        "substituting the cosine",
    ),
    "arc tangent": (
        _numbers("c", "a"),
        lambda c, a: f"{_many(c, 'x')}*atan({a}x)",
        lambda c, a: _sum(
            (Fraction(c, 2), f"x^2*atan({a}x)"),
            (Fraction(c, 2 * a * a), f"atan({a}x)"),
            (Fraction(-c, 2 * a), "x"),
        ),
        "integrating by parts",
    ),
    "log of square": (
        _numbers("c", "a"),
        lambda c, a: _many(c, f"ln(x^2 + {a * a})"),
        lambda c, a: _sum((c, f"x*ln(x^2 + {a * a})"), (-2 * c, "x"), (2 * c * a, f"atan(x/{a})")),
        "integrating by parts",
    ),
    "wave of log": (
        _numbers("c", "a"),
        lambda c, a: _many(c, f"sin({a}ln(x))"),
        lambda c, a: _sum(
            (Fraction(c, 1 + a * a), f"x*sin({a}ln(x))"),
            (Fraction(-c * a, 1 + a * a), f"x*cos({a}ln(x))"),
        ),
        "substituting the logarithm, then parts twice,",
    ),
}
FORMS |= {
    f"{one} {other}": (
        _waves_drawn,
        lambda c, a, b, one=one, other=other: _many(c, f"{one}({_one(a)}x)*{other}({_one(b)}x)"),
        _two_waves(one, other),
        "writing the product as a sum",
    )
    for one, other in (("sin", "cos"), ("sin", "sin"), ("cos", "cos"))
}
FORMS |= {
    f"polynomial {name}": (
        _polynomial_drawn,
        _polynomial_text(name),
        lambda a, *polynomial, name=name: _by_parts(list(polynomial), name, a),
        "integrating by parts",
    )
    for name in ("e", "sin", "cos")
}
FORMS |= _swept_forms("e") | _swept_forms("sin") | _swept_forms("cos")
METHODS = {
    1: [f"{outer}, linear" for outer in OUTER],
    2: [f"{outer}, power" for outer in OUTER],
    3: ["sine power", "log power", "exponential over", "exponential power", "two fractions"],
    4: ["polynomial e", "polynomial sin", "polynomial cos", "power of log", "sin cos"],
    5: ["three fractions", "double root", "arc", "growing wave", "sine squared", "sine cubed",
        "sin sin", "cos cos"],
    6: ["arc tangent", "log of square", "wave of log", *_swept_forms("e"), *_swept_forms("sin"),
        *_swept_forms("cos")],
}  # fmt: skip
KIND = answers.Expression(("x",), constant="C")
LADDER = (
    Knobs(1, 1, 6),
    Knobs(2, 2, 9),
    Knobs(2, 4, 9),
    Knobs(3, 5, 9),
    Knobs(3, 6, 12),
)
FAMILY = Family(
    Integrand,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=KIND,
    hardness=hardness,
    proof="unique",
    solver="the method that each form asks for",
    guess_rate=0.02,
    steps=steps,
    canon=canon,
    twin=twin,
    skills=("integrals", "functions"),
    peers=("reasoning-gym/intermediate_integration",),
    theme="antiderivatives",
)
