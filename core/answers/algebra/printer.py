"""Expressions as text that the grammar reads back into the same tree."""

from dataclasses import dataclass

from puzzlemill.core.answers.algebra.tokens import GREEK
from puzzlemill.core.answers.algebra.tree import Node, Tree, multiply, nodes, scaled, terms_of
from puzzlemill.core.fraction import Fraction


@dataclass(frozen=True, slots=True)
class Plain:
    """How plain text says it: 3x^2*y, or 3*x**2*y as programs do."""

    power: str = "^"
    times: str = ""  # between a number and what follows it, where nothing is needed


TEXT, CODE = Plain(), Plain("**", "*")


def to_text(tree: Tree, form: Plain = TEXT) -> str:
    """Plain text, such as 3x^2*sin(x)/2 + sqrt(5)."""
    return _signed([_term(term, form) for term in terms_of(tree)])


def _signed(terms: list[str]) -> str:
    found = terms[0]
    for term in terms[1:]:
        found += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
    return found


def _term(tree: Tree, form: Plain) -> str:
    """A product with its sign: the number's numerator in front, its denominator below."""
    number, rest = scaled(tree)
    minus = "-" if number < 0 else ""
    above, below = abs(number.numerator), number.denominator
    if len(rest) == 1 and isinstance(rest[0], Node) and rest[0].sign == "/":
        over, under = rest[0].parts
        if not (isinstance(under, Fraction) and not under):
            top = _product(multiply(Fraction(above), over), form)
            bottom = multiply(Fraction(below), under)
            return f"{minus}{top}/{_grouped(bottom, form)}"
    top = _product(multiply(Fraction(above), *rest), form)
    return f"{minus}{top}" + (f"/{below}" if below > 1 else "")


def _product(tree: Tree, form: Plain) -> str:
    """Factors in a row; the number in front has no sign."""
    number, rest = scaled(tree)
    factors = [_factor(factor, form) for factor in rest]
    if not factors or number != 1:
        if factors and (factors[0][0].isdigit() or form.times):
            factors = [str(number), *factors]
        else:
            factors = [str(number) + (factors[0] if factors else ""), *factors[1:]]
    return "*".join(factors)


def _factor(tree: Tree, form: Plain) -> str:
    if isinstance(tree, Node) and tree.sign in ("+", "*", "/"):
        return f"({to_text(tree, form)})"
    if isinstance(tree, Node) and tree.sign == "^":
        base, exponent = tree.parts
        return f"{_base(base, form)}{form.power}{_exponent(exponent, form)}"
    return _atom(tree, form)


def _grouped(tree: Tree, form: Plain) -> str:
    """What stands below a slash: a single thing, or brackets."""
    several = isinstance(tree, Node) and tree.sign in ("+", "*", "/")
    return f"({to_text(tree, form)})" if several else _factor(tree, form)


def _base(tree: Tree, form: Plain) -> str:
    simple = not (isinstance(tree, Node) and tree.sign in ("+", "*", "/", "^"))
    if isinstance(tree, Fraction):
        simple = tree >= 0 and tree.denominator == 1
    return _atom(tree, form) if simple else f"({to_text(tree, form)})"


def _exponent(tree: Tree, form: Plain) -> str:
    if isinstance(tree, Fraction):
        simple = tree >= 0 and tree.denominator == 1 and tree != 1
    else:
        simple = isinstance(tree, str) or not tree.parts
    return _atom(tree, form) if simple else f"({to_text(tree, form)})"


def _atom(tree: Tree, form: Plain) -> str:
    if isinstance(tree, Fraction):
        return str(tree) if tree >= 0 and tree.denominator == 1 else f"({tree})"
    if isinstance(tree, str):
        return tree
    if not tree.parts:
        return tree.sign
    inside = to_text(tree.parts[0], form)
    match tree.sign:
        case "!":
            return f"{_base(tree.parts[0], form)}!" if _is_bare(tree.parts[0]) else f"({inside})!"
        case "root":
            index = tree.parts[1]
            if index == 2:
                return f"sqrt({inside})"
            return f"cbrt({inside})" if index == 3 else f"root({inside}, {index})"
        case "abs":
            bars = not any(isinstance(node, Node) and node.sign == "abs" for node in _within(tree))
            return f"|{inside}|" if bars and not form.times else f"abs({inside})"
        case _:
            return f"{tree.sign}({inside})"


def _within(tree: Node) -> list[Tree]:
    return [node for part in tree.parts for node in nodes(part)]


def _is_bare(tree: Tree) -> bool:
    if isinstance(tree, Fraction):
        return tree >= 0 and tree.denominator == 1
    return isinstance(tree, str)


def to_latex(tree: Tree) -> str:
    r"""LaTeX, such as \frac{3 x^{2} \sin\left(x\right)}{2} + \sqrt{5}."""
    return _signed([_latex_term(term) for term in terms_of(tree)])


def _latex_term(tree: Tree) -> str:
    number, rest = scaled(tree)
    minus = "-" if number < 0 else ""
    above, below = Fraction(abs(number.numerator)), Fraction(number.denominator)
    if len(rest) == 1 and isinstance(rest[0], Node) and rest[0].sign == "/":
        over, under = rest[0].parts
        if not (isinstance(under, Fraction) and not under):
            top, bottom = multiply(above, over), multiply(below, under)
            return f"{minus}\\frac{{{_latex_whole(top)}}}{{{_latex_whole(bottom)}}}"
    top_text = _latex_whole(multiply(above, *rest))
    if below == 1:
        return minus + (f"\\left({top_text}\\right)" if _splits(above, rest) else top_text)
    return f"{minus}\\frac{{{top_text}}}{{{below}}}"


def _splits(number: Fraction, rest: tuple[Tree, ...]) -> bool:
    """Whether a product is one sum alone, whose sign would reach its first term only."""
    return number == 1 and len(rest) == 1 and isinstance(rest[0], Node) and rest[0].sign == "+"


def _latex_whole(tree: Tree) -> str:
    """A sum or product with nothing around it that could cut it apart."""
    if isinstance(tree, Node) and tree.sign == "+":
        return to_latex(tree)
    number, rest = scaled(tree)
    if not rest:
        return str(number)
    found = str(number) if number != 1 else ""
    for factor in rest:
        text = _latex_factor(factor)
        if found and (text[0].isdigit() or text.startswith("\\frac")):
            found += " \\cdot "
        elif found:
            found += " "
        found += text
    return found


def _latex_factor(tree: Tree) -> str:
    if isinstance(tree, Node) and tree.sign in ("+", "*"):
        return f"\\left({to_latex(tree)}\\right)"
    if isinstance(tree, Node) and tree.sign == "/":
        return f"\\frac{{{to_latex(tree.parts[0])}}}{{{to_latex(tree.parts[1])}}}"
    if isinstance(tree, Node) and tree.sign == "^":
        base, exponent = tree.parts
        several = isinstance(base, Node) and base.sign in ("+", "*", "/", "^")
        if isinstance(base, Fraction) and (base < 0 or base.denominator > 1):
            several = True
        below = f"\\left({to_latex(base)}\\right)" if several else _latex_atom(base)
        return f"{below}^{{{to_latex(exponent)}}}"
    return _latex_atom(tree)


def _latex_atom(tree: Tree) -> str:
    if isinstance(tree, Fraction):
        return str(tree) if tree >= 0 and tree.denominator == 1 else f"\\left({tree}\\right)"
    if isinstance(tree, str):
        return latex_name(tree)
    if not tree.parts:
        return "\\pi" if tree.sign == "pi" else tree.sign
    inside = to_latex(tree.parts[0])
    match tree.sign:
        case "!":
            return f"{inside}!" if _is_bare(tree.parts[0]) else f"\\left({inside}\\right)!"
        case "root":
            index = "" if tree.parts[1] == 2 else f"[{tree.parts[1]}]"
            return f"\\sqrt{index}{{{inside}}}"
        case "abs":
            return f"\\left|{inside}\\right|"
        case "asin" | "acos" | "atan":
            return f"\\arc{tree.sign[1:]}\\left({inside}\\right)"
        case "asinh" | "acosh" | "atanh":
            return f"\\operatorname{{ar{tree.sign[1:]}}}\\left({inside}\\right)"
        case _:
            return f"\\{tree.sign}\\left({inside}\\right)"


def latex_name(name: str) -> str:
    stem, line, index = name.partition("_")
    found = "\\" + stem if stem.lower() in GREEK else stem
    return f"{found}_{{{index}}}" if line else found
