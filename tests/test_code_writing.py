"""Programs in replies: read by a grammar, run with everything bounded, judged by tests."""

import time
from contextlib import suppress
from typing import Any

import pytest

from puzzlemill.core.answers import Program
from puzzlemill.generators.programs import _list_steps as list_steps
from puzzlemill.generators.programs import list_code
from puzzlemill.generators.programs._running import Failed, result

KIND = Program("f", ("xs",))
PEAKS = """
from typing import List

def larger(a: int, b: int) -> bool:
    return a > b

def f(xs: List[int]) -> int:
    \"\"\"Count the peaks.\"\"\"
    count = 0
    for i in range(1, len(xs) - 1):  # not the ends
        if larger(xs[i], xs[i - 1]) and larger(xs[i], xs[i + 1]): count += 1
    return count
"""
BODIES: list[tuple[str, list[int], Any]] = [
    ("return xs[::-1]", [1, 2, 3], [3, 2, 1]),
    ("return xs[::2]", [1, 2, 3], [1, 3]),
    ("return xs[-2:] + xs[:1]", [1, 2, 3], [2, 3, 1]),
    ("return [x * x for x in xs if x % 2 == 0 if x > 0]", [-2, 2, 3], [4]),
    ("return sum(x for x in xs) if xs else -1", [], -1),
    ("a, b = 0, 1\n    for _ in xs: a, b = b, a + b\n    return a", [0] * 7, 13),
    ("return [i * x for i, x in enumerate(xs, 1)]", [5, 5], [5, 10]),
    ("return max(xs, default=0) - min(xs, default=0)", [], 0),
    ("return sorted(set(xs), reverse=True)", [1, 3, 1], [3, 1]),
    ("seen = {}\n    for x in xs:\n        seen[x] = seen.get(x, 0) + 1\n    return seen[2]",
     [2, 1, 2], 2),
    ("n = 0\n    while True:\n        if n not in xs:\n            return n\n        n += 1",
     [1, 0, 2], 3),
    ("return 1 if 0 < len(xs) <= 2 else -2 ** 2", [], -4),
    ("if not xs:\n        return []\n    elif len(xs) == 1:\n        return xs\n    else:\n"
     "        return f(xs[1:]) + [xs[0]]", [1, 2, 3], [3, 2, 1]),
    ("xs.sort()\n    xs.pop(0)\n    xs.insert(0, 9)\n    return xs", [2, 1], [9, 2]),
    ("return sum(a > b for i, a in enumerate(xs) for b in xs[i + 1:])", [3, 1, 2], 2),
    ("return [a * b for a in xs if a > 1 for b in xs if b > a]", [1, 2, 3, 4], [6, 8, 12]),
    ("return sum(xs[::2]) - sum(xs[1::2])", [5, 3, 1], 3),
    ("return xs[3:0:-2]", [1, 2, 3, 4], [4, 2]),
    ("xs.sort(reverse=True)\n    return xs", [1, 3, 2], [3, 2, 1]),
    ("seen = {x: i for i, x in enumerate(xs)}\n    return seen[7]", [7, 5, 7], 2),
    ("return {1: 2, 3: 4,}[3]", [], 4),
    ("a = b = 0\n    for x in xs: a, b = b, x\n    return [a, b]", [4, 5, 6], [5, 6]),
    ("ys = zs = []\n    zs.append(1)\n    return ys", [], [1]),
    ("xs[0] = n = 7\n    return xs + [n]", [1, 2], [7, 2, 7]),
    ("a, b = c, d = xs\n    return [d, c, b, a]", [1, 2], [2, 1, 2, 1]),
    ("del xs[1]\n    del xs[-2:], xs[0]\n    return xs", [1, 2, 3, 4, 5], [3]),
    ("seen = {x: 1 for x in xs}\n    del seen[2]\n    return list(seen)", [1, 2, 3], [1, 3]),
    ("best: int | None = None\n    for x in xs:\n        best = x\n    return best", [1, 2], 2),
]  # fmt: skip


@pytest.mark.parametrize(("body", "numbers", "wanted"), BODIES)
def test_python_as_models_write_it_is_read_and_run(
    body: str, numbers: list[int], wanted: Any
) -> None:
    program = KIND.read(f"def f(xs):\n    {body}")
    assert program is not None
    assert result(program, "f", [numbers]) == wanted
    assert KIND.read(KIND.write(program)) == program


def test_annotations_comments_docstrings_and_helpers_are_read() -> None:
    program = KIND.read(PEAKS)
    assert program is not None
    assert result(program, "f", [[1, 3, 2, 5, 4, 4]]) == 2
    assert KIND.read(f"```python\n{PEAKS}\n```") == program


@pytest.mark.parametrize(
    "text",
    [
        *("def f(xs):\n    import os\n    return xs", "def f(xs):\n    return xs.__class__"),
        *("def f(xs):\n    return 'a'", "def f(xs):\n    return 0.5", "return xs", "lambda xs: xs"),
        *("def f(xs):\n    return xs\nprint(f([1]))", "def g(xs):\n    return xs"),
        *("def f(xs, k):\n    return xs", "def f(xs):\nreturn xs", "def f(xs):\n    return (xs"),
        "def f(xs):\n    return " + "(" * 3000 + "xs" + ")" * 3000,
        "def f(xs):\n    return " + "-" * 5000 + "1" + " ** 2" * 200,
        "def f(xs):\n    return " + "not " * 1400 + "xs +",
        "def f(xs):\n" + "".join(f"{' ' * n}if xs:\n" for n in range(1, 60)) + " " * 60 + "pass",
        "def f(xs: " + "List[" * 1000 + "int" + "]" * 1000 + "):\n    return xs",
        *("def f(xs):\n    del len(xs)", "def f(xs):\n    del", "def f(xs):\n    1 = a = 0"),
        *("def f(xs: int |):\n    return xs", "def f(xs):\n    return xs | xs"),
    ],
)
def test_what_is_not_in_the_language_is_refused(text: str) -> None:
    assert KIND.read(text) is None


@pytest.mark.parametrize(
    "body",
    [
        *("while True: pass", "return f(xs)", "return 9 ** 9 ** 9", "return [0] * 10 ** 9"),
        *("return range(10 ** 9)", "return xs[99]", "return xs + 1", "return y", "return 1 // 0"),
        "x = 2\n    for i in range(900): x = x * x\n    return x",
        "while True: xs.append(xs)",
        "xs.append(xs)\n    return xs == [xs]",
        "a = []\n    for i in range(900): a = [a, a]\n    return a == a + []",
        *("del y", "del xs[9]", "del xs, xs"),
        *("break", "return sum(xs, start=[])", "return max(xs, reverse=True)", "return f(1, 2)"),
    ],
)
def test_what_a_program_does_wrong_costs_little_and_is_a_failure(body: str) -> None:
    program = KIND.read(f"def f(xs):\n    {body}")
    assert program is not None, "it is in the language"
    start = time.process_time()
    with suppress(Failed):
        assert result(program, "f", [[1, 2]]) != [1, 2]
    assert time.process_time() - start < 1


def test_a_program_cannot_change_what_it_is_tried_on_next() -> None:
    task = list_code.Task((("reverse", 0),), "list")
    assert list_code.verify(task, list_code.solve(task)) == 1.0
    changing = KIND.read("def f(xs):\n    xs.reverse()\n    return xs")
    assert changing is not None
    assert list_code.verify(task, changing) == 1.0
    assert list_code.verify(task, changing) == 1.0


@pytest.mark.parametrize("name", list_steps.CHANGES)
def test_each_change_is_written_as_its_rule_says(name: str) -> None:
    low, high = list_steps.CHANGES[name].numbers
    for k in {low, high}:
        task = list_code.Task(((name, k),), "list")
        assert list_code.recheck(task, list_code.solve(task)), k


@pytest.mark.parametrize("end", list_steps.ENDS)
def test_each_end_is_written_as_its_rule_says(end: str) -> None:
    task = list_code.Task((("plus", 1),), end)
    assert list_code.recheck(task, list_code.solve(task))
