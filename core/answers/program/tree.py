"""Programs as nested tuples, and as lines of Python.

Expressions: a number, a name (True, False and None are names), or a tuple that begins with an
operator or with "list", "dict", "at", "slice", "call", "method", "each", "choose", "named" or
"star". Statements are the tuples that `_lines` knows.
"""

from typing import Any, TypeAlias

Expression: TypeAlias = Any
Statement: TypeAlias = Any
Block: TypeAlias = tuple[Statement, ...]

INDENT = "    "

_TIGHT = {"or": 1, "and": 2, "not": 3, "in": 4, "==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4,
          "+": 5, "-": 5, "*": 6, "//": 6, "%": 6, "**": 8}  # fmt: skip
NESTED = {"for", "while", "def", "if", "try"}  # statements with others inside
_HELD = {sign for sign, level in _TIGHT.items() if level in (4, 8)}


def lines(block: Block, depth: int = 0) -> list[str]:
    """A program as lines of Python."""
    return [line for statement in block for line in _lines(statement, depth)]


def _lines(statement: Statement, depth: int) -> list[str]:
    pad, inner = INDENT * depth, depth + 1
    match statement:
        case ("=", target, value):
            return [f"{pad}{_targets(target)} = {shown(value)}"]
        case ("update", sign, target, value):
            return [f"{pad}{shown(target)} {sign}= {shown(value)}"]
        case ("do", value):
            return [pad + shown(value)]
        case ("del", target):
            return [f"{pad}del {_targets(target)}"]
        case ("print", *values):
            return [f"{pad}print({', '.join(map(shown, values))})"]
        case ("if", condition, body, ()):
            return [f"{pad}if {shown(condition)}:", *lines(body, inner)]
        case ("if", condition, body, other):
            head = [f"{pad}if {shown(condition)}:", *lines(body, inner)]
            return [*head, f"{pad}else:", *lines(other, inner)]
        case ("for", name, values, body):
            return [f"{pad}for {_targets(name)} in {shown(values)}:", *lines(body, inner)]
        case ("while", condition, body):
            return [f"{pad}while {shown(condition)}:", *lines(body, inner)]
        case ("def", name, names, body):
            return [f"{pad}def {name}({', '.join(names)}):", *lines(body, inner)]
        case ("try", body, kind, handler):
            return [f"{pad}try:", *lines(body, inner), f"{pad}except {kind}:",
                    *lines(handler, inner)]  # fmt: skip
        case ("return" | "raise" as word, value):
            return [f"{pad}{word} {shown(value)}"]
        case (word,):
            return [pad + word]
    raise AssertionError(f"no statement: {statement}")


def shown(expression: Expression, tight: int = 0) -> str:
    if isinstance(expression, int | str):
        text = str(expression)
        return f"({text})" if tight > 7 and text.startswith("-") else text
    if len(expression) == 3 and (level := _TIGHT.get(expression[0])):
        sign, left, right = expression
        # Comparisons do not chain, and powers chain from the right: their left sides are held more
        # tightly.
        text = f"{shown(left, level + (sign in _HELD))} {sign} {shown(right, level + 1)}"
        return f"({text})" if level < tight else text
    match expression:
        case ("list", *items):
            return f"[{', '.join(map(shown, items))}]"
        case ("dict", *items):
            pairs = zip(items[::2], items[1::2])
            return "{" + ", ".join(f"{shown(key)}: {shown(value)}" for key, value in pairs) + "}"
        case ("at", whole, place):
            return f"{shown(whole, 9)}[{shown(place)}]"
        case ("slice", whole, *ends):
            return f"{shown(whole, 9)}[{':'.join(map(shown, ends))}]"
        case ("call", name, *values):
            return f"{name}({', '.join(map(shown, values))})"
        case ("method", whole, name, *values):
            return f"{shown(whole, 9)}.{name}({', '.join(map(shown, values))})"
        case ("each", value, name, values, condition):
            only = "" if condition == "" else f" if {shown(condition, 1)}"
            return f"[{shown(value)} for {_targets(name)} in {shown(values, 1)}{only}]"
        case ("star", values):
            return f"*{shown(values)}"
        case ("named", name, value):
            return f"{name}={shown(value)}"
        case ("choose", condition, value, other):
            text, level = f"{shown(value, 1)} if {shown(condition, 1)} else {shown(other)}", 0
        case ("not", value):
            text, level = f"not {shown(value, 3)}", 3
        case _:
            raise AssertionError(f"no expression: {expression}")
    return f"({text})" if level < tight else text


def _targets(target: Expression) -> str:
    """What values are given to: a name, a place in a list, or several with commas; or the same
    value to each of several."""
    match target:
        case ("same", *each):
            return " = ".join(map(_targets, each))
        case ("list", *parts):
            return ", ".join(map(shown, parts))
    return shown(target)


def height(block: Block) -> int:
    """How many lines a block has."""
    return sum(map(_height, block))


def _height(statement: Statement) -> int:
    if statement[0] not in NESTED:
        return 1
    match statement:
        case ("for", _, _, body) | ("while", _, body) | ("def", _, _, body) | ("if", _, body, ()):
            return 1 + height(body)
        case ("if", _, body, other) | ("try", body, _, other):
            return 2 + height(body) + height(other)
    return 1
