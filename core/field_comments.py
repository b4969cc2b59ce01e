"""What a dataclass's fields mean: the comments beside or above them in its source."""

import ast
import inspect
import io
import re
import tokenize
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def meaning(kind: Any, name: str) -> str:
    """The comments of a field where it was last given, and those of the name that is its type."""
    for owner in inspect.getmro(kind)[:-1]:
        comments = _comments(inspect.getsourcefile(owner))
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
                if isinstance(line, ast.AnnAssign) and getattr(line.target, "id", "") == name:
                    return line
    return None


_FOR_TOOLS = re.compile(r"# (fmt|noqa|type):")  # not for readers


class _Comments:
    """The comments of a file, by line; which of them stand alone."""

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        self.texts: dict[int, str] = {}
        self.alone: set[int] = set()
        self._tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        self._read = 0  # lines; to read all of a long file for its first lines takes long

    def _read_to(self, line: int) -> None:
        while self._read <= line and (token := next(self._tokens, None)):
            self._read = token.start[0]
            if token.type == tokenize.COMMENT and not _FOR_TOOLS.match(token.string):
                self.texts[token.start[0]] = token.string.lstrip("# ").rstrip()
                if not token.line[: token.start[1]].strip():
                    self.alone.add(token.start[0])

    def of(self, node: ast.stmt) -> str:
        """The lines of comment right above a statement, and what stands beside its lines."""
        self._read_to(node.end_lineno or node.lineno)
        beside = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        return self._joined([*self._above(node), *beside])

    def of_name(self, name: str) -> str:
        """What is said above the line that gives a type this name."""
        for node in self.tree.body:
            named = (
                node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            )
            if isinstance(named, ast.Name) and named.id == name:
                return self._joined(self._above(node))
            if isinstance(node, ast.ImportFrom) and name in (each.name for each in node.names):
                spec = find_spec(str(node.module))
                return _comments(spec.origin).of_name(name) if spec and _is_ours(node) else ""
        return ""

    def _above(self, node: ast.stmt) -> Iterable[int]:
        self._read_to(node.lineno)
        first = node.lineno
        while first - 1 in self.alone:
            first -= 1
        return range(first, node.lineno)

    def _joined(self, lines: Iterable[int]) -> str:
        return " ".join(self.texts[line] for line in lines if line in self.texts)


def _is_ours(node: ast.ImportFrom) -> bool:
    return (node.module or "").partition(".")[0] == "puzzlemill"


@cache
def _comments(file: str | None) -> _Comments:
    """Those of a source file; of code without one, none."""
    if file is None or not file.endswith(".py") or not Path(file).is_file():
        return _Comments("")
    return _Comments(Path(file).read_text(encoding="utf-8"))
