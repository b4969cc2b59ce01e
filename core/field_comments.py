"""What the fields of a dataclass mean: the comments beside them or above them."""

import ast
import inspect
import io
import re
import tokenize
from collections.abc import Iterable
from functools import cache
from types import ModuleType
from typing import Any


def meaning(kind: Any, name: str) -> str:
    """The comments of a field where it was last given, and those of the name that is its type."""
    for owner in inspect.getmro(kind)[:-1]:
        comments = _comments(inspect.getmodule(owner))
        if line := _field_of(comments.tree, owner.__name__, name):
            parts = ast.walk(line.annotation)
            types = [part.id for part in parts if isinstance(part, ast.Name)]
            said = [comments.of(line), *map(comments.of_name, types)]
            return ". ".join(each.removesuffix(".") for each in said if each)
    return ""


def _field_of(tree: ast.Module, owner: str, name: str) -> ast.AnnAssign | None:
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == owner:
            for line in node.body:
                if isinstance(line, ast.AnnAssign) and ast.unparse(line.target) == name:
                    return line
    return None


_FOR_TOOLS = re.compile(r"# (fmt|noqa|type):")  # not for readers


class _Comments:
    """The comments of a file, by line; which of them stand alone."""

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        self.texts: dict[int, str] = {}
        self.alone: set[int] = set()
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT and not _FOR_TOOLS.match(token.string):
                self.texts[token.start[0]] = token.string.lstrip("# ").rstrip()
                if not token.line[: token.start[1]].strip():
                    self.alone.add(token.start[0])

    def of(self, node: ast.stmt) -> str:
        """The lines of comment right above a statement, and what stands beside its lines."""
        beside = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        return self._joined([*self._above(node), *beside])

    def of_name(self, name: str) -> str:
        """What is said above the line that gives a type this name."""
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
                return self._joined(self._above(node))
        return ""

    def _above(self, node: ast.stmt) -> Iterable[int]:
        first = node.lineno
        while first - 1 in self.alone:
            first -= 1
        return range(first, node.lineno)

    def _joined(self, lines: Iterable[int]) -> str:
        return " ".join(self.texts[line] for line in lines if line in self.texts)


@cache
def _comments(module: ModuleType | None) -> _Comments:
    return _Comments(inspect.getsource(module) if module else "")
