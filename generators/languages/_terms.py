"""First-order terms as nested tuples: a variable is a name, f(a, X) is ("f", ("a",), "X")."""

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

Term: TypeAlias = Any

LONGEST, DEEPEST = 4000, 60  # tokens and parentheses of a term that is read

_TOKEN = re.compile(r"\s*([A-Za-z][A-Za-z0-9_']{0,9}|[0-9]{1,3}|[(),])")


def shown(term: Term) -> str:
    if isinstance(term, str):
        return term
    name, *parts = term
    return f"{name}({', '.join(map(shown, parts))})" if parts else str(name)


def size(term: Term) -> int:
    """How many names a term has."""
    return 1 if isinstance(term, str) else 1 + sum(map(size, term[1:]))


def variables(term: Term) -> Iterator[str]:
    if isinstance(term, str):
        yield term
    else:
        for part in term[1:]:
            yield from variables(part)


def parts(term: Term) -> Iterator[Term]:
    """A term and everything inside it."""
    yield term
    if not isinstance(term, str):
        for part in term[1:]:
            yield from parts(part)


def read(text: str) -> Term | None:
    """A term; a name with a capital letter is a variable."""
    tokens = _tokens(text.strip())
    if tokens is None:
        return None
    stack: list[list[Term]] = [[]]
    fresh = True  # whether a term must follow
    for at, token in enumerate(tokens):
        if token == "(":
            if fresh or tokens[at - 1] in "(,)" or isinstance(stack[-1][-1], str):
                return None
            stack.append([])
            fresh = True
        elif token == ",":
            if fresh or len(stack) == 1:
                return None
            fresh = True
        elif token == ")":
            if fresh or len(stack) == 1:
                return None
            inside = stack.pop()
            stack[-1][-1] = (*stack[-1][-1], *inside)
        elif not fresh:
            return None
        else:
            stack[-1].append(token if token[0].isupper() else (token,))
            fresh = False
        if len(stack) > DEEPEST:
            return None
    return stack[0][0] if len(stack) == 1 and len(stack[0]) == 1 and not fresh else None


def _tokens(text: str) -> list[str] | None:
    found, place = list[str](), 0
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None or len(found) == LONGEST:
            return None
        found.append(token[1])
        place = token.end()
    return found
