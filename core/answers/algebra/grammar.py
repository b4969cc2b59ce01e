"""The grammar of expressions: recursive descent over the tokens, with nothing evaluated.

What people read in two ways is not read at all: 1/2x, e^2x, sin x/2, x^1/2, 2\\frac{1}{2}.
The methods read sums, products and powers; the functions below read sin^2 x, log_2(8), sqrt[3]{x}.
"""

from dataclasses import dataclass
from typing import NoReturn

from puzzlemill.core.answers.algebra import tree as trees
from puzzlemill.core.answers.algebra.tokens import Token
from puzzlemill.core.answers.algebra.tree import E, Node, Tree, divide, multiply, negate, power
from puzzlemill.core.fraction import Fraction

DEPTH = 40  # brackets, roots, exponents within each other

_LETTERS = frozenset(("name", "constant"))
_CLOSING = {"(": ")", "[": "]", "{": "}", "\\{": "\\}"}
_FACTORS = frozenset(
    ("number", "fraction", "name", "constant", "function", "frac", "root", *_CLOSING)
)
_INVERTED = {
    "sin": "asin", "cos": "acos", "tan": "atan", "sinh": "asinh", "cosh": "acosh", "tanh": "atanh"
}  # fmt: skip
_RECIPROCAL = {"sec": "cos", "csc": "sin", "cot": "tan", "asec": "acos", "acsc": "asin"}


class Unreadable(Exception):
    """The tokens are no expression, or one that could be read in two ways."""


def parse(found: list[Token], evaluated: bool = False) -> Tree | None:
    """The tree of an expression, or None; if it is to be evaluated, without a product of numbers
    such as 3*4, which the tree does not show."""
    reader = Reader(list(found), evaluated)
    try:
        tree = reader.sum(0)
    except Unreadable:
        return None
    return tree if reader.place == len(found) and not reader.products else None


@dataclass(slots=True)
class Reader:
    tokens: list[Token]
    evaluated: bool = False
    place: int = 0
    bar: bool = False  # inside |...|, so that the next bar closes
    # To be evaluated, and two numbers have been multiplied, above or below a fraction bar.
    products: bool = False
    # How the last factor ended, where what follows it without a sign could belong to it.
    end: str = ""  # "loose" (e^2, √2) or "bare" (sin x)

    def peek(self, *kinds: str) -> Token | None:
        if self.place < len(self.tokens) and self.tokens[self.place].kind in kinds:
            return self.tokens[self.place]
        return None

    def take(self, *kinds: str) -> Token | None:
        if self.place < len(self.tokens) and self.tokens[self.place].kind in kinds:
            self.place += 1
            return self.tokens[self.place - 1]
        return None

    def refuse(self) -> NoReturn:
        raise Unreadable

    def sum(self, depth: int) -> Tree:
        if depth > DEPTH:
            self.refuse()
        sign = self.take("+", "-")
        first = self.product(depth)
        terms = [negate(first) if sign and sign.kind == "-" else first]
        while sign := self.take("+", "-"):
            second = self.take("+", "-")  # 3 - -2
            term = self.product(depth)
            minus = (sign.kind == "-") != (second is not None and second.kind == "-")
            terms.append(negate(term) if minus else term)
        return trees.add(terms)

    def product(self, depth: int) -> Tree:
        start = self.place
        tree = self.power(depth)
        slash = False  # the last factor stands behind a slash
        factors = [(tree, False)]
        while True:
            if sign := self.take("*", "/"):
                before = self.tokens[self.place - 2] if self.place > 1 else sign
                self.after_bare(sign)
                minus = self.take("-", "+")
                factor = self.power(depth)
                if minus and minus.kind == "-":
                    factor = negate(factor)
                slash = sign.kind == "/"
                plain = slash and self.place - start == 3 and self.tight_ratio(before, sign)
                tree = divide(tree, factor) if slash else multiply(tree, factor)
                factors.append((factor, slash))
            elif token := self.factor_follows():
                if slash and (token.tight or not plain):
                    self.refuse()  # 1/2x; but 1/2 x is half of x
                self.beside(token)
                before = self.tokens[self.place - 1]
                factor = self.power(depth)
                if (
                    before.kind == "number"
                    and token.kind == "frac"
                    and isinstance(factor, Fraction)
                ):
                    self.refuse()  # a mixed number, or a product
                tree, slash = multiply(tree, factor), False
                factors.append((factor, False))
            else:
                if self.evaluated and len(factors) > 1:
                    self.products |= _multiplies_numbers(factors)
                return tree

    def tight_ratio(self, above: Token, sign: Token) -> bool:
        below = self.tokens[self.place - 1]
        return above.kind == below.kind == "number" and sign.tight and below.tight

    def factor_follows(self) -> Token | None:
        token = self.peek(*_FACTORS)
        return token or (None if self.bar else self.peek("|"))

    def beside(self, token: Token) -> None:
        """Refuses a factor that, without a sign before it, may belong to the one before."""
        if token.kind in ("number", "fraction"):
            self.refuse()
        if self.end == "bare" and not (token.kind == "function" or self.power_of_e()):
            self.refuse()
        if self.end == "loose" and token.tight and token.kind in _LETTERS:
            self.refuse()
        after = [part.kind for part in self.tokens[self.place + 1 : self.place + 3]]
        if (
            token.kind in ("(", "[")
            and not token.tight
            and after == ["number", _CLOSING[token.kind]]
        ):
            self.refuse()  # "5 (6)" are two numbers

    def after_bare(self, sign: Token) -> None:
        """sin x / 2 and sin x/cos x are read, sin x/2 and sin 2*x are not."""
        if self.end != "bare" or self.peek("function") or self.place >= len(self.tokens):
            return
        if sign.tight or (sign.kind == "/" and self.tokens[self.place].tight):
            self.refuse()

    def power_of_e(self) -> bool:
        following = self.tokens[self.place + 1 : self.place + 2]
        own = self.tokens[self.place]
        raised = bool(following) and following[0].kind in ("^", "raised")
        return own.kind == "constant" and own.text == "e" and raised

    def power(self, depth: int) -> Tree:
        before = self.peek("number", "name", "constant")
        base = self.factorial(depth)
        if self.end in ("loose", "bare") and self.peek("^", "raised"):
            self.refuse()
        if raised := self.take("raised"):
            return power(base, self.raised(raised))
        if not self.take("^"):
            return base
        self.end = ""
        exponent, single = self.exponent(depth + 1)
        if single:
            fixed = before is not None and before.kind != "name"  # e^2x may well mean e^(2x)
            self.end = "loose" if fixed or single != "number" else ""
        return power(base, exponent)

    def raised(self, token: Token) -> Tree:
        self.end = ""
        if self.peek("^", "raised", "!"):
            self.refuse()
        if token.text in ("n", "x"):
            return token.text
        if not token.text.lstrip("+-").isdigit() or len(token.text) > 4:
            self.refuse()
        return Fraction(token.text)

    def exponent(self, depth: int) -> tuple[Tree, str]:
        """An exponent, and the kind of its only token where it stands without brackets."""
        if depth > DEPTH:
            self.refuse()
        if self.take("{"):
            tree = self.closed("{", depth)
            if self.peek("^", "raised"):
                self.refuse()
            self.end = ""
            return tree, ""
        minus = self.take("+", "-")
        start = self.place
        tree = self.factorial(depth)
        if self.end == "bare":
            self.refuse()  # e^sin x cos x
        single = self.tokens[start].kind if self.place == start + 1 else ""
        if self.peek("raised") or (single == "number" and tree == 1 and self.peek("/")):
            self.refuse()  # whoever writes x^1/2 means a root
        if self.take("^"):
            deeper, _ = self.exponent(depth + 1)
            tree, single = power(tree, deeper), ""
        return (negate(tree) if minus and minus.kind == "-" else tree), single

    def factorial(self, depth: int) -> Tree:
        tree = self.atom(depth)
        if self.end in ("loose", "bare") and self.peek("!"):
            self.refuse()
        if self.take("!"):
            tree = Node("!", (tree,))
            if self.peek("!"):
                self.refuse()
        return tree

    def atom(self, depth: int) -> Tree:
        if self.place >= len(self.tokens):
            self.refuse()
        token = self.tokens[self.place]
        self.place += 1
        self.end = ""
        match token.kind:
            case "number" | "name" | "constant":
                self.place -= 1
                return self.single()
            case "fraction":
                return Fraction(token.text)
            case "(" | "[" | "\\{" | "{":
                return self.closed(token.kind, depth + 1)
            case "|":
                return self.absolute(depth + 1)
            case "frac":
                above = self.latex_argument(depth + 1)
                return divide(above, self.latex_argument(depth + 1))
            case "root":
                return trees.root(self.radicand(depth + 1), int(token.text))
            case "function":
                return _applied(self, token, depth + 1)
        raise Unreadable

    def single(self) -> Tree:
        """One number, name or constant."""
        token = self.take("number", "name", "constant")
        if token is None:
            self.refuse()
        if token.kind == "number":
            return Fraction(token.text)
        return token.text if token.kind == "name" else Node(token.text)

    def closed(self, opening: str, depth: int) -> Tree:
        """What stands between brackets, of which the first has been taken."""
        bar, self.bar = self.bar, False
        tree = self.sum(depth)
        if not self.take(_CLOSING[opening]):
            self.refuse()
        self.bar, self.end = bar, ""
        return tree

    def absolute(self, depth: int) -> Tree:
        bar, self.bar = self.bar, True
        tree = self.sum(depth)
        if not self.take("|"):
            self.refuse()
        self.bar, self.end = bar, ""
        return trees.apply("abs", tree)

    def latex_argument(self, depth: int) -> Tree:
        """{...}, or the one digit or letter that LaTeX takes where there is no brace."""
        if self.take("{"):
            return self.closed("{", depth)
        token = self.peek("number")
        if token and len(token.text) == 2 and token.text.isdigit():  # \frac12
            self.tokens[self.place] = Token("number", token.text[1], True)
            return Fraction(token.text[0])
        if token and len(token.text) > 1:
            self.refuse()
        return self.single()

    def radicand(self, depth: int) -> Tree:
        """What stands under √."""
        if opening := self.take("(", "{"):
            return self.closed(opening.kind, depth)
        tree = self.single()
        self.end = "loose"
        return tree


def _multiplies_numbers(factors: list[tuple[Tree, bool]]) -> bool:
    """Whether two of some factors, each above or below a fraction bar, are numbers or have one."""
    numbers = [(trees.scaled(factor)[0], below) for factor, below in factors]
    ratios = [(one.denominator, one.numerator) if below else (one.numerator, one.denominator)
              for one, below in numbers]  # fmt: skip
    return any(sum(abs(one) != 1 for one in side) > 1 for side in zip(*ratios, strict=True))


def _applied(reader: Reader, token: Token, depth: int) -> Tree:
    if token.text in ("sqrt", "cbrt", "root"):
        return _rooted(reader, token, depth)
    base = _log_base(reader, depth) if token.text == "log" else None
    exponent = _power_of(reader, token.text)
    argument = _argument(reader, depth)
    if exponent == -1:
        return trees.apply(_INVERTED[token.text], argument)
    tree = _of(token.text, argument)
    if base is not None:
        tree = divide(tree, trees.apply("ln", base))
    return tree if exponent is None else power(tree, Fraction(exponent))


def _rooted(reader: Reader, token: Token, depth: int) -> Tree:
    if token.text == "root":  # root(x, 3), our own way of writing it
        if not reader.take("("):
            reader.refuse()
        bar, reader.bar = reader.bar, False
        inside = reader.sum(depth)
        index = reader.take("number") if reader.take(",") else None
        if index is None or not reader.take(")"):
            reader.refuse()
        reader.bar, reader.end = bar, ""
        return trees.root(inside, _index(reader, index))
    if not token.latex:
        if opening := reader.take("["):
            return trees.root(reader.closed(opening.kind, depth), 2)
        return trees.root(reader.radicand(depth), 3 if token.text == "cbrt" else 2)
    degree = 2
    if reader.take("["):
        index = reader.take("number")
        if index is None or not reader.take("]"):
            reader.refuse()
        degree = _index(reader, index)
    elif reader.take("("):
        return trees.root(reader.closed("(", depth), 2)
    return trees.root(reader.latex_argument(depth), degree)


def _index(reader: Reader, token: Token) -> int:
    if not token.text.isdigit() or not 2 <= int(token.text) <= 100:
        reader.refuse()
    return int(token.text)


def _log_base(reader: Reader, depth: int) -> Tree | None:
    if not reader.take("_"):
        return None
    if reader.take("{"):
        return reader.closed("{", depth)
    return reader.single()


def _power_of(reader: Reader, function: str) -> int | None:
    """The exponent between a function and its argument: sin^2 x; sin^{-1} is the inverse."""
    if raised := reader.take("raised"):
        text = raised.text
    elif reader.take("^"):
        braced = reader.take("{", "(")
        minus = reader.take("-")
        number = reader.take("number")
        if number is None or (braced and not reader.take(_CLOSING[braced.kind])):
            reader.refuse()
        text = ("-" if minus else "") + number.text
    else:
        return None
    if text == "-1" and function in _INVERTED:
        return -1
    if not text.isdigit() or not 2 <= int(text) <= 20:
        reader.refuse()
    return int(text)


def _argument(reader: Reader, depth: int) -> Tree:
    """What a function is applied to: brackets, or as much as everyone takes to belong to it."""
    if opening := reader.take("(", "[", "\\{"):
        return reader.closed(opening.kind, depth)
    if reader.take("{"):
        start = reader.place
        tree = reader.closed("{", depth)
        if (
            reader.tokens[start].kind not in ("(", "[")
            or len(reader.tokens[start : reader.place]) < 3
        ):
            reader.end = "bare"  # LaTeX shows no brackets here
        return tree
    if not reader.bar and reader.take("|"):
        return reader.absolute(depth)
    tree = _bare_argument(reader, depth)
    reader.end = "bare"
    return tree


def _bare_argument(reader: Reader, depth: int) -> Tree:
    if depth > DEPTH:
        reader.refuse()
    if reader.peek("function", "frac", "root"):
        return reader.atom(depth)
    tree = _simply_raised(reader, reader.single(), depth)
    while (token := reader.peek(*_LETTERS)) and token.tight and token.text != "e":
        tree = multiply(tree, _simply_raised(reader, reader.single(), depth))
    return tree


def _simply_raised(reader: Reader, base: Tree, depth: int) -> Tree:
    if raised := reader.take("raised"):
        return power(base, reader.raised(raised))
    if not reader.take("^"):
        return base
    exponent, _ = reader.exponent(depth + 1)
    return power(base, exponent)


def _of(function: str, argument: Tree) -> Tree:
    match function:
        case "exp":
            return power(E, argument)
        case "log":
            return trees.apply("ln", argument)
        case "sec" | "csc" | "cot":
            return divide(trees.ONE, trees.apply(_RECIPROCAL[function], argument))
        case "asec" | "acsc":
            return trees.apply(_RECIPROCAL[function], divide(trees.ONE, argument))
        case _:
            return trees.apply(function, argument)
