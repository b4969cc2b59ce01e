"""Formulas that use given numbers: their value by a second road, and worked out step by step."""

from collections.abc import Iterator

from puzzlemill.core.answers.arithmetic import Tree, value


def on_a_stack(tree: Tree) -> tuple[list[int], int, int] | None:
    """The numbers that a formula uses, and its value as one whole number over another.

    On a stack, for rechecks, instead of by recursion on fractions. None where it divides by 0.
    """
    waiting: list[Tree] = [tree]
    order: list[int | str] = []
    while waiting:
        here = waiting.pop()
        order.append(here if isinstance(here, int) else here[0])
        waiting += [] if isinstance(here, int) else here[2:] if here[0] == "neg" else here[1:]
    used: list[int] = []
    stack: list[tuple[int, int]] = []
    for each in reversed(order):
        if isinstance(each, int):
            used.append(each)
            stack.append((each, 1))
            continue
        c, d = stack.pop()
        if each == "neg":
            stack.append((-c, d))
            continue
        a, b = stack.pop()
        match each:
            case "+":
                stack.append((a * d + c * b, b * d))
            case "-":
                stack.append((a * d - c * b, b * d))
            case "*":
                stack.append((a * c, b * d))
            case _:
                stack.append((a * d, b * c))
        if stack[-1][1] == 0:
            return None
    ((over, under),) = stack
    return used, over, under


def worked(tree: Tree) -> Iterator[str]:
    """A formula, calculated one operation at a time."""
    if not isinstance(tree, int):
        sign, left, right = tree
        yield from worked(left)
        yield from worked(right)
        yield f"{value(left)} {sign} {value(right)} = {value(tree)}"
