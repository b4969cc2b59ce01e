"""The expressions of a program, as trees: arithmetic, comparisons, lists, dictionaries, calls."""

from puzzlemill.core.answers.program.tokens import Refused, Tokens
from puzzlemill.core.answers.program.tree import Expression

METHODS = (
    *("append", "pop", "insert", "extend", "remove", "index", "count", "reverse", "sort", "copy"),
    *("clear", "add", "discard", "get", "setdefault", "items", "keys", "values"),
)
NAMED = ("reverse", "default", "start")  # arguments that may be given by name
_COMPARISONS = ("==", "!=", "<=", ">=", "<", ">", "in", "is", "not")
_JOINED = {1: ("or",), 2: ("and",), 5: ("+", "-"), 6: ("*", "//", "%")}  # by level
_TIGHTER = {1: 2, 2: 3, 5: 6, 6: 7}


def targets(tokens: Tokens) -> Expression:
    """What a loop or an assignment gives values to."""
    brackets = tokens.taken("(")
    names: list[Expression] = [_primary(tokens)]
    while tokens.taken(","):
        names.append(_primary(tokens))
    if brackets:
        tokens.take(")")
    for name in names:
        if isinstance(name, int) or (isinstance(name, tuple) and name[0] != "at"):
            raise Refused("no target")
    return names[0] if len(names) == 1 else ("list", *names)


def as_target(value: Expression) -> Expression:
    parts = value[1:] if isinstance(value, tuple) and value[0] == "list" else (value,)
    for part in parts:
        if not isinstance(part, str) and (not isinstance(part, tuple) or part[0] != "at"):
            raise Refused("no target")
        if part in ("True", "False", "None"):
            raise Refused("no target")
    return value


def several(tokens: Tokens) -> Expression:
    """Expressions with commas between them are a list."""
    values = [expression(tokens)]
    while tokens.taken(","):
        if not tokens.next or tokens.next == "=":
            break
        values.append(expression(tokens))
    return values[0] if len(values) == 1 else ("list", *values)


def expression(tokens: Tokens) -> Expression:
    tokens.deeper()
    value = _binary(tokens, 1)
    if tokens.taken("if"):
        condition = _binary(tokens, 1)
        tokens.take("else")
        value = ("choose", condition, value, expression(tokens))
    tokens.depth -= 1
    return value


def _binary(tokens: Tokens, level: int) -> Expression:
    """or, and, not, comparisons, sums, products: the levels from 1 to 6."""
    if level == 7:
        return _signed(tokens)
    if level == 3:
        negations = 0
        while tokens.taken("not"):
            negations += 1
        value = _comparison(tokens)
        return ("not", value) if negations % 2 else value
    value = _binary(tokens, _TIGHTER[level])
    while tokens.next in _JOINED[level]:
        sign = tokens.next
        tokens.at += 1
        value = (sign, value, _binary(tokens, _TIGHTER[level]))
    return value


def _comparison(tokens: Tokens) -> Expression:
    """a < b <= c is a < b and b <= c."""
    left, found = _binary(tokens, 5), list[Expression]()
    while tokens.next in _COMPARISONS:
        sign, negated = tokens.next, False
        tokens.at += 1
        if sign == "not":
            tokens.take("in")
            sign, negated = "in", True
        elif sign == "is":
            sign = "!=" if tokens.taken("not") else "=="
        right = _binary(tokens, 5)
        found.append(("not", (sign, left, right)) if negated else (sign, left, right))
        left = right
    if not found:
        return left
    whole = found[0]
    for each in found[1:]:
        whole = ("and", whole, each)
    return whole


def _signed(tokens: Tokens) -> Expression:
    minuses = 0
    while tokens.next in ("-", "+"):
        minuses += tokens.next == "-"
        tokens.at += 1
    value = _primary(tokens)
    if tokens.taken("**"):
        tokens.deeper()
        value = ("**", value, _signed(tokens))
        tokens.depth -= 1
    if minuses % 2:
        return -value if isinstance(value, int) else ("-", 0, value)
    return value


def _primary(tokens: Tokens) -> Expression:
    value = _atom(tokens)
    while True:
        if tokens.taken("["):
            value = _subscript(tokens, value)
        elif tokens.next == "(" and isinstance(value, str):
            value = ("call", value, *_arguments(tokens))
        elif tokens.taken("."):
            method = tokens.name()
            if method not in METHODS:
                raise Refused(f"no method {method}")
            value = ("method", value, method, *_arguments(tokens))
        else:
            return value


def _subscript(tokens: Tokens, whole: Expression) -> Expression:
    parts: list[Expression] = [""]
    while tokens.next != "]":
        if tokens.taken(":"):
            parts.append("")
        else:
            parts[-1] = expression(tokens)
    tokens.take("]")
    if len(parts) == 1 and parts[0] != "":
        return "at", whole, parts[0]
    if len(parts) not in (2, 3):
        raise Refused("a slice")
    return "slice", whole, *(parts if parts[2:] != [""] else parts[:2])


def _arguments(tokens: Tokens) -> list[Expression]:
    values = list[Expression]()
    tokens.take("(")
    while tokens.next != ")":
        if tokens.next in NAMED and tokens.tokens[tokens.at + 1] == "=":
            named = tokens.name()
            tokens.take("=")
            values.append(("named", named, expression(tokens)))
        else:
            value = expression(tokens)
            values.append(_each(tokens, value) if tokens.next == "for" else value)
        if not tokens.taken(","):
            break
    tokens.take(")")
    return values


def _each(tokens: Tokens, value: Expression) -> Expression:
    tokens.take("for")
    target = targets(tokens)
    tokens.take("in")
    values = _binary(tokens, 1)
    condition: Expression = ""
    while tokens.taken("if"):
        other = _binary(tokens, 1)
        condition = ("and", condition, other) if condition != "" else other
    if tokens.next != "for":
        return "each", value, target, values, condition
    # A second loop makes a list in each round of the first, and these are put together.
    tokens.deeper()
    inner = _each(tokens, value)
    tokens.depth -= 1
    return "call", "sum", ("each", inner, target, values, condition), ("list",)


def _atom(tokens: Tokens) -> Expression:
    token = tokens.next
    if token[:1].isdigit():
        tokens.at += 1
        return int(token)
    if tokens.taken("("):
        return _in_brackets(tokens)
    if tokens.taken("["):
        return _in_square_brackets(tokens)
    if tokens.taken("{"):
        return _braced(tokens)
    return tokens.name()


def _in_brackets(tokens: Tokens) -> Expression:
    """What stands in round brackets: an expression, or several that are a list."""
    if tokens.taken(")"):
        return ("list",)
    value = expression(tokens)
    if tokens.next == "for":
        value = _each(tokens, value)
    elif tokens.next == ",":
        value = _others(tokens, value, ")")
    tokens.take(")")
    return value


def _in_square_brackets(tokens: Tokens) -> Expression:
    if tokens.taken("]"):
        return ("list",)
    first = expression(tokens)
    value = _each(tokens, first) if tokens.next == "for" else _others(tokens, first, "]")
    tokens.take("]")
    return value


def _braced(tokens: Tokens) -> Expression:
    """A dictionary, or a set."""
    if tokens.taken("}"):
        return ("dict",)
    first = expression(tokens)
    if tokens.next != ":":
        values = _each(tokens, first) if tokens.next == "for" else _others(tokens, first, "}")
        tokens.take("}")
        return "call", "set", values
    tokens.take(":")
    items = [first, expression(tokens)]
    if tokens.next == "for":
        pairs = _each(tokens, ("list", *items))
        tokens.take("}")
        return "call", "dict", pairs
    while tokens.taken(",") and tokens.next != "}":
        items.append(expression(tokens))
        tokens.take(":")
        items.append(expression(tokens))
    tokens.take("}")
    return ("dict", *items)


def _others(tokens: Tokens, first: Expression, closing: str) -> Expression:
    values = [first]
    while tokens.taken(","):
        if tokens.next == closing:
            break
        values.append(expression(tokens))
    return ("list", *values)
