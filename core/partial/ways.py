"""Ways to a goal, and lists in order, in the first lines of a reply."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from puzzlemill.core.answers import Impossible
from puzzlemill.core.family import AnyFamily, Lines
from puzzlemill.core.partial.answered import gold, has_none, is_answered, stated_answer

MOST = 1000  # moves that are looked at

After = Callable[[Any, Any], Any]  # the puzzle that a legal move leaves, or None


def _one_move(match: re.Match[str]) -> list[Any]:
    groups = match.groups()
    return [groups if len(groups) > 1 else groups[0]]


def list_begun(family: AnyFamily, puzzle: Any, lines: Lines) -> float:
    """The share of the only right list that the reply's list begins with. No line may be another
    list."""
    said, right = _only_list(family, puzzle, lines), gold(family, puzzle)
    return _shared(said, right) / max(len(right), len(said)) if said and right else 0.0


def path_begun(
    family: AnyFamily,
    puzzle: Any,
    lines: Lines,
    share: Callable[[Any, Sequence[Any]], float | None],
) -> float:
    """How far the reply's path leads, where many may be right: `share` tells it of a path that is
    the beginning of a right one, and None of any other. No line may be another path."""
    said, covered = _only_list(family, puzzle, lines), 0.0
    for count in range(1, min(len(said), MOST) + 1):
        if (found := share(puzzle, said[:count])) is None:
            return covered if covered < 1 else 0.0  # a whole path with more behind it is wrong
        covered = found
    return covered


def _only_list(family: AnyFamily, puzzle: Any, lines: Lines) -> Sequence[Any]:
    kind: Any = family.kind(puzzle)
    lists = {said for line in lines if (said := stated_answer(kind, line)) is not None}
    return lists.pop() if len(lists) == 1 else ()


def _shared(said: Sequence[Any], right: Sequence[Any]) -> int:
    """How many of the first entries are the same."""
    pairs = enumerate(zip(said, right))
    return next((at for at, (one, other) in pairs if one != other), min(len(said), len(right)))


def way_travelled(
    family: AnyFamily,
    puzzle: Any,
    lines: Lines,
    after: After,
    step: str,
    moves: Callable[[re.Match[str]], Sequence[Any]] = _one_move,
) -> float:
    """How far legal moves lead towards the goal, by the solver's own distance.

    A line that begins as `step` says makes moves when it is first said: one, told by the pattern's
    groups, or those that `moves` reads out of the match. A line that is an answer makes all of
    them from the start. `after` gives the puzzle that a legal move leaves, with one move less
    allowed in `limit`, so that it has a solution only where the move is on a way.
    """
    if has_none(family, puzzle):
        return float(is_answered(family, puzzle, lines))
    kind: Any = family.kind(puzzle)
    made: list[Any] = []
    whole: set[Any] = set()
    for line in dict.fromkeys(lines):
        if match := _match(step, line):
            made += moves(match)
        elif (answer := _answer(kind, line)) is not None:
            whole.add(answer)
    worked = _covered(family, puzzle, tuple(made[:MOST]), after)
    if len(whole) != 1:
        return worked
    (answer,) = whole
    if isinstance(answer, Impossible):
        return worked
    covered = _covered(family, puzzle, tuple(answer[:MOST]), after)
    if covered == 1 and family.verify(puzzle, answer) < 1:
        covered = 0.0  # a whole way with more behind it is wrong
    return max(worked, covered)


@lru_cache(maxsize=8192)
def _match(step: str, line: str) -> re.Match[str] | None:
    return re.match(step, line)


@lru_cache(maxsize=8192)
def _answer(kind: Any, line: str) -> Any:
    return kind.read(line)


@lru_cache(maxsize=1024)
def _covered(family: AnyFamily, puzzle: Any, moves: tuple[Any, ...], after: After) -> float:
    """The share of the distance that is covered at the last state from which the goal can still be
    reached in time."""
    states = [puzzle]
    for move in moves:
        if getattr(states[-1], "limit", 1) < 1 or (left := after(states[-1], move)) is None:
            break
        states.append(left)
    known = _own_way(family, puzzle, after)
    whole = known[puzzle]
    low, high = 0, len(states) - 1
    while low < high:  # from where the goal is out of reach, it stays so
        middle = (low + high + 1) // 2
        if _distance(family, states[middle], known) is None:
            high = middle - 1
        else:
            low = middle
    left = _distance(family, states[low], known)
    return max(1 - (left or 0) / whole, 0.0) if whole else 1.0


def _distance(family: AnyFamily, puzzle: Any, known: Mapping[Any, int]) -> int | None:
    if puzzle in known:
        return known[puzzle]
    moves = gold(family, puzzle)
    return None if moves is None else len(moves)


@lru_cache(maxsize=64)
def _own_way(family: AnyFamily, puzzle: Any, after: After) -> dict[Any, int]:
    """How many moves are left at each state of our own solution, which need not be found again."""
    moves = gold(family, puzzle)
    known, state = {puzzle: len(moves)}, puzzle
    for made, move in enumerate(moves, 1):
        state = after(state, move)
        assert state is not None, f"{family.name}: the solution's move {move} is not legal"
        known[state] = len(moves) - made
    return known
