"""Runs programs that stand in replies: on copies, counted, and with everything bounded.

A tree of the grammar (core/answers/program) becomes nested functions of ours, once; nothing of it
is ever Python's to run. What a program gets wrong, and what runs too long or grows too large, is
`Failed`.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from puzzlemill.core.answers.program.tree import Block, Expression, Statement
from puzzlemill.generators.programs._run import (
    JOIN,
    LARGEST,
    MISTAKES,
    STEPS,
    Code,
    Failed,
    Left,
    Run,
    Table,
)
from puzzlemill.generators.programs._run_expressions import (
    Counted,
    Storing,
    computed,
    sliced,
    stored,
    wrong,
)

__all__ = ["Failed", "called", "result"]

MAY_LEAVE = ("if", "for", "while", "return", "break", "continue")  # a block before its end


def result(program: Block, name: str, arguments: Sequence[Any]) -> Any:
    """What a function of a program gives for some arguments, which it may change."""
    return called(program, name)(arguments)


def called(program: Block, name: str) -> Callable[[Sequence[Any]], Any]:
    """`result` for many arguments: to look a program up takes as long as to run a short one."""
    try:
        functions = _functions(program)
    except MISTAKES as error:
        raise Failed(str(error)) from None

    def call(arguments: Sequence[Any]) -> Any:
        try:
            return Run(functions).call(name, list(arguments), {})
        except MISTAKES as error:
            raise Failed(str(error)) from None

    return call


@lru_cache(maxsize=100)  # a program is run on many lists
def _functions(program: Block) -> dict[str, tuple[tuple[str, ...], Code]]:
    return {name: (names, _block(body)) for _, name, names, body in program}


def _block(block: Block) -> Code:
    """Carries statements out; gives how they were left, if it was before the end."""
    parts = list[tuple[int, list[Code]]]()  # statements that are all come to, and their steps
    leaves = True
    for statement in block:
        cost, code = _statement(statement)
        if leaves:
            parts.append((1 + cost, [code]))
        else:
            steps, codes = parts[-1]
            parts[-1] = steps + 1 + cost, [*codes, code]
        leaves = statement[0] in MAY_LEAVE

    def run_block(run: Run, table: Table) -> Left | None:
        for steps, codes in parts:
            run.steps += steps
            if run.steps > STEPS:
                raise Failed("runs too long")
            left: Left | None = None
            for code in codes:
                left = code(run, table)
            if left is not None:
                return left
        return None

    if len(block) != 1:
        return run_block
    [(only_steps, [only])] = parts

    def run_statement(run: Run, table: Table) -> Left | None:
        run.steps += only_steps
        if run.steps > STEPS:
            raise Failed("runs too long")
        left: Left | None = only(run, table)
        return left

    return run_statement


def _statement(statement: Statement) -> Counted:
    match statement:
        case ("=", target, value):
            return _assigned(stored(target), computed(value))
        case ("update", sign, target, value):
            return _updated(sign, computed(target), computed(value), stored(target))
        case ("do", value):
            return _done(computed(value))
        case ("del", target):
            return _deleted(target)
        case ("if", condition, body, other):
            cost, holds = computed(condition)
            first = _block(body)
            if not other:
                return cost, lambda run, table: first(run, table) if holds(run, table) else None
            second = _block(other)
            return cost, lambda run, table: (first if holds(run, table) else second)(run, table)
        case ("for", target, values, body):
            return _for(target, computed(values), _block(body))
        case ("while", condition, body):
            return _while(computed(condition), _block(body))
        case ("return", value):
            cost, code = computed(value)
            return cost, lambda run, table: ("return", code(run, table))
        case ("break" | "continue" as word,):
            left = word, None
            return 0, lambda run, table: left
        case ("pass",):
            return 0, lambda run, table: None
    return wrong("a function within a function")


def _done(value: Counted) -> Counted:
    cost, code = value

    def do(run: Run, table: Table) -> None:
        code(run, table)

    return cost, do


def _assigned(target: Storing, value: Counted) -> Counted:
    (more, store), (cost, code) = target, value

    def assign(run: Run, table: Table) -> None:
        store(run, table, code(run, table))

    return cost + more, assign


def _updated(sign: str, old: Counted, change: Counted, target: Storing) -> Counted:
    (cost, before), (costs, by), (again, store) = old, change, target
    join = None if sign == "**" else JOIN.get(sign)

    def update(run: Run, table: Table) -> None:
        found, more = before(run, table), by(run, table)
        if join and not again and type(found) is int and type(more) is int:
            value = join(found, more)
            store(run, table, value if -LARGEST <= value <= LARGEST else run.bounded(value))
        elif sign == "+" and isinstance(found, list):
            found += run.items(more)
            run.bounded(found)
        else:
            run.count(again)
            store(run, table, run.joined(sign, found, more))

    return cost + costs, update


def _for(target: Expression, values: Counted, body: Code) -> Counted:
    (each, store), (cost, source) = stored(target), values
    name = target if isinstance(target, str) else ""

    def go_over(run: Run, table: Table) -> Left | None:
        for item in run.items(source(run, table)):
            if name:
                table[name] = item
            else:
                run.count(each)
                store(run, table, item)
            left: Left | None = body(run, table)
            if left is not None:
                if left[0] == "return":
                    return left
                if left[0] == "break":
                    break
        return None

    return cost, go_over


def _while(condition: Counted, body: Code) -> Counted:
    cost, holds = condition

    def repeat(run: Run, table: Table) -> Left | None:
        while True:
            run.count(cost)
            if not holds(run, table):
                return None
            left: Left | None = body(run, table)
            if left is not None:
                if left[0] == "return":
                    return left
                if left[0] == "break":
                    return None

    return 0, repeat


def _deleted(target: Expression) -> Counted:
    match target:
        case str():

            def forget(run: Run, table: Table) -> None:
                del table[target]

            return 0, forget
        case ("list", *targets):
            parts = list(map(_deleted, targets))

            def each(run: Run, table: Table) -> None:
                for _, code in parts:
                    code(run, table)

            return sum(cost for cost, _ in parts), each
        case ("at", whole, place):
            (cost, owner), (more, at) = computed(whole), computed(place)

            def drop(run: Run, table: Table) -> None:
                del owner(run, table)[at(run, table)]

            return cost + more, drop
        case ("slice", whole, *parts):
            (cost, owner), (more, ends) = computed(whole), sliced(parts)

            def cut(run: Run, table: Table) -> None:
                del owner(run, table)[ends(run, table)]

            return cost + more, cut
    return 0, lambda run, table: None
