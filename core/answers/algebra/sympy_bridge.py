"""To sympy and back, from tree to tree: no text is parsed on the way."""

from typing import Any

from puzzlemill.core.answers.algebra import tree as trees
from puzzlemill.core.answers.algebra.expr import Expr
from puzzlemill.core.answers.algebra.numeric import Realm
from puzzlemill.core.answers.algebra.tree import IMAGINARY, PI, E, Node, Tree
from puzzlemill.core.fraction import Fraction

_FUNCTIONS = {
    "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "asinh", "acosh": "acosh",
    "atanh": "atanh", "log": "ln", "Abs": "abs",
}  # fmt: skip
_RECIPROCAL = {"sec": "cos", "csc": "sin", "cot": "tan"}


def from_sympy(expression: Any, realm: Realm = "real", along: str = "") -> Expr:
    """Our expression for one of sympy's; ValueError where it holds what ours do not know."""
    return Expr(_tree(expression), realm, along)


def _tree(found: Any) -> Tree:
    import sympy

    if found.is_Rational:
        return Fraction(int(found.p), int(found.q))
    if found.is_Symbol:
        return str(found.name)
    if found in (sympy.pi, sympy.E, sympy.I):
        return PI if found == sympy.pi else E if found == sympy.E else IMAGINARY
    if found.is_Add:
        return trees.add([_tree(part) for part in found.as_ordered_terms()])
    if found.is_Mul:
        return _fraction(found)
    if found.is_Pow or isinstance(found, sympy.exp):
        return _power(*found.as_base_exp())
    name = type(found).__name__
    if name == "factorial":
        return Node("!", (_tree(found.args[0]),))
    if name in _FUNCTIONS and len(found.args) == 1:
        return trees.apply(_FUNCTIONS[name], _tree(found.args[0]))
    if name in _RECIPROCAL:
        return trees.divide(trees.ONE, trees.apply(_RECIPROCAL[name], _tree(found.args[0])))
    raise ValueError(f"{found}: {name} is not known to expressions")


def _fraction(product: Any) -> Tree:
    """A product as a quotient: powers with a negative exponent go below."""
    above: list[Tree] = []
    below: list[Tree] = []
    for factor in product.as_ordered_factors():
        base, exponent = factor.as_base_exp()
        if factor.is_Pow and exponent.is_Rational and exponent < 0:
            below.append(_power(base, -exponent))
        else:
            above.append(_tree(factor))
    return trees.divide(trees.multiply(*above), trees.multiply(*below))


def _power(base: Any, exponent: Any) -> Tree:
    if exponent == 1:
        return _tree(base)
    if exponent.is_Rational and exponent < 0:
        return trees.divide(trees.ONE, _power(base, -exponent))
    if exponent.is_Rational and exponent.q > 1:
        if base.is_number and base.is_negative:
            return trees.multiply(_turned(exponent), _power(-base, exponent))
        rooted = trees.root(_tree(base), int(exponent.q))
        return rooted if exponent.p == 1 else trees.power(rooted, Fraction(int(exponent.p)))
    return trees.power(_tree(base), _tree(exponent))


def _turned(exponent: Any) -> Tree:
    """The principal value of (-1) to a rational power; our roots of odd index are real."""
    if exponent == Fraction(1, 2):
        return IMAGINARY
    angle = trees.multiply(Fraction(int(exponent.p), int(exponent.q)), PI)
    return trees.power(E, trees.multiply(IMAGINARY, angle))


def to_sympy(expression: Expr | Tree) -> Any:
    """sympy's expression for ours."""
    import sympy

    tree = expression.tree if isinstance(expression, Expr) else expression
    if isinstance(tree, Fraction):
        return sympy.Rational(tree.numerator, tree.denominator)
    if isinstance(tree, str):
        return sympy.Symbol(tree)
    if not tree.parts:
        return {"pi": sympy.pi, "e": sympy.E, "i": sympy.I}[tree.sign]
    parts = [to_sympy(part) for part in tree.parts]
    match tree.sign:
        case "+":
            return sympy.Add(*parts)
        case "*":
            return sympy.Mul(*parts)
        case "/":
            return parts[0] / parts[1]
        case "^":
            return sympy.Pow(*parts)
        case "root":
            if tree.parts[1] == 2:
                return sympy.sqrt(parts[0])
            return sympy.real_root(*parts) if parts[1] % 2 else sympy.root(*parts)
        case "!":
            return sympy.factorial(parts[0])
        case "abs":
            return sympy.Abs(parts[0])
        case "ln":
            return sympy.log(parts[0])
        case _:
            return getattr(sympy, tree.sign)(parts[0])
