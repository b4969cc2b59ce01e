"""Expressions of programs that stand in replies, as functions of ours.

Each comes with the steps that it takes in any case, which whoever runs it counts beforehand: where
exactly a program fails is not told. Those that depend on a value are counted when they are come to.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from puzzlemill.core.answers.program.tree import Expression
from puzzlemill.generators.programs._run import (
    CONSTANTS,
    JOIN,
    LARGEST,
    LONGEST,
    OF_LISTS,
    Code,
    Failed,
    Run,
    Table,
)

Counted: TypeAlias = tuple[int, Code]
Storing: TypeAlias = tuple[int, Callable[[Run, Table, Any], None]]


def computed(expression: Expression) -> Counted:
    match expression:
        case int():
            return 1, lambda run, table: expression
        case str():
            return 1, _named(expression)
        case ("list", *items):
            cost, found = _several(items)
            return 1 + cost, found
        case ("dict", *items):
            cost, found = _several(items)

            def paired(run: Run, table: Table) -> dict[Any, Any]:
                flat = found(run, table)
                return dict(zip(flat[::2], flat[1::2]))

            return 1 + cost, paired
        case ("at", whole, place):
            (cost, owner), (more, at) = computed(whole), computed(place)
            return 1 + cost + more, lambda run, table: owner(run, table)[at(run, table)]
        case ("slice", whole, *parts):
            (cost, owner), (more, ends) = computed(whole), sliced(parts)
            return 1 + cost + more, lambda run, table: run.bounded(
                owner(run, table)[ends(run, table)]
            )
        case ("call", name, *values):
            return _called(name, values)
        case ("method", whole, "append", item) if not (
            isinstance(item, tuple) and item[0] == "named"
        ):
            return _appended(computed(whole), computed(item))
        case ("method", whole, name, *values):
            (cost, owner), (more, given) = computed(whole), _given(values)
            return 1 + cost + more, lambda run, table: run.method(
                owner(run, table), name, *given(run, table)
            )
        case ("each", value, target, values, condition):
            return _each(computed(value), target, computed(values), condition)
        case ("choose", condition, value, other):
            return _chosen(computed(condition), computed(value), computed(other))
        case ("not", value):
            cost, code = computed(value)
            return 1 + cost, lambda run, table: not code(run, table)
        case ("and" | "or" as word, left, right):
            return _both(word, computed(left), computed(right))
        case ("in", left, right):
            (cost, part), (more, whole) = computed(left), computed(right)
            return (
                1 + cost + more,
                lambda run, table: part(run, table) in run.items(whole(run, table)),
            )
        case (sign, left, right):
            return _joined(sign, left, right)
    return wrong("no expression")


def _named(name: str) -> Code:
    if name not in CONSTANTS:
        return lambda run, table: table[name]
    return lambda run, table: table[name] if name in table else CONSTANTS[name]


def _several(items: Sequence[Expression]) -> Counted:
    counted = list(map(computed, items))
    codes = [code for _, code in counted]
    cost = sum(cost for cost, _ in counted)
    return cost, lambda run, table: [code(run, table) for code in codes]


def sliced(parts: Sequence[Expression]) -> Counted:
    """Of a slice."""
    counted = [(0, None) if at == "" else computed(at) for at in parts]
    codes = [code for _, code in counted]
    cost = sum(cost for cost, _ in counted)
    return cost, lambda run, table: slice(*(code and code(run, table) for code in codes))


def _given(arguments: Sequence[Expression]) -> Counted:
    """The values of arguments: those by place, and those by name."""
    named = [
        (each[1], computed(each[2])) if isinstance(each, tuple) and each[0] == "named"
        else (None, computed(each))
        for each in arguments
    ]  # fmt: skip
    cost = sum(cost for _, (cost, _) in named)
    if any(key for key, _ in named):

        def both(run: Run, table: Table) -> tuple[list[Any], dict[str, Any]]:
            plain, known = list[Any](), dict[str, Any]()
            for key, (_, code) in named:
                value = code(run, table)
                if key is None:
                    plain.append(value)
                else:
                    known[key] = value
            return plain, known

        return cost, both
    codes = [code for _, (_, code) in named]
    return cost, lambda run, table: ([code(run, table) for code in codes], {})


def _called(name: str, values: Sequence[Expression]) -> Counted:
    match values:
        case [value] if name in OF_LISTS and not (isinstance(value, tuple) and value[0] == "named"):
            return _called_with_list(name, computed(value))
    cost, given = _given(values)
    return 1 + cost, lambda run, table: run.call(name, *given(run, table))


def _called_with_list(name: str, value: Counted) -> Counted:
    """Most of what programs call; steps and bounds are those of any call."""
    (cost, whole), function = value, OF_LISTS[name]

    def call(run: Run, table: Table) -> Any:
        items = whole(run, table)
        if type(items) is not list or name in run.functions:
            return run.call(name, [items], {})
        run.count(3 * len(items))
        return run.bounded(function(items))

    return 1 + cost, call


def _appended(whole: Counted, item: Counted) -> Counted:
    """Most of what programs do with methods; steps and bounds are those of any method."""
    (cost, owner), (more, value) = whole, item

    def append(run: Run, table: Table) -> Any:
        found, added = owner(run, table), value(run, table)
        if type(found) is not list:
            return run.method(found, "append", [added], {})
        found.append(added)
        run.count(2 * len(found) - 1)
        if len(found) > LONGEST:
            raise Failed("too long a list")
        return None

    return 1 + cost + more, append


def _each(value: Counted, target: Expression, values: Counted, condition: Expression) -> Counted:
    (cost, source), (costs, made), (more, store) = values, value, stored(target)
    asks = condition != ""
    least, holds = computed(condition) if asks else (0, None)
    name = target if isinstance(target, str) else ""

    def listed(run: Run, table: Table) -> list[Any]:
        found, inner, items = [], dict(table), run.items(source(run, table))
        run.count((more + least if holds else more + costs) * len(items))
        for item in items:
            if name:
                inner[name] = item
            else:
                store(run, inner, item)
            if holds is None:
                found.append(made(run, inner))
            elif holds(run, inner):
                run.count(costs)
                found.append(made(run, inner))
        return found

    return 1 + cost, listed


def _chosen(condition: Counted, value: Counted, other: Counted) -> Counted:
    (cost, holds), (one, first), (two, second) = condition, value, other

    def choose(run: Run, table: Table) -> Any:
        if holds(run, table):
            run.count(one)
            return first(run, table)
        run.count(two)
        return second(run, table)

    return 1 + cost, choose


def _both(word: str, left: Counted, right: Counted) -> Counted:
    (cost, first), (more, second) = left, right
    stops = word == "or"

    def both(run: Run, table: Table) -> Any:
        found = first(run, table)
        if bool(found) == stops:
            return found
        run.count(more)
        return second(run, table)

    return 1 + cost, both


def _joined(sign: str, left: Expression, right: Expression) -> Counted:
    """Something beside a whole number is most of what programs reckon: that is fewer calls."""
    (cost, first), (more, second) = computed(left), computed(right)
    join = None if sign == "**" else JOIN.get(sign)

    def joined(run: Run, table: Table) -> Any:
        one, two = first(run, table), second(run, table)
        if join and type(one) is int and type(two) is int:
            found = join(one, two)
            if -LARGEST <= found <= LARGEST:
                return found
        return run.joined(sign, one, two)

    def joined_with(run: Run, table: Table) -> Any:
        one = table[left] if name else first(run, table)
        if type(one) is int:
            found = join(one, right)  # type: ignore[misc]
            if -LARGEST <= found <= LARGEST:
                return found
        return run.joined(sign, one, right)

    name = isinstance(left, str) and left not in CONSTANTS
    return 1 + cost + more, joined_with if join and type(right) is int else joined


def stored(target: Expression) -> Storing:
    match target:
        case str():

            def name(run: Run, table: Table, value: Any) -> None:
                table[target] = value

            return 0, name
        case ("list", *targets):
            parts = list(map(stored, targets))

            def unpack(run: Run, table: Table, value: Any) -> None:
                values = run.items(value)
                if len(values) != len(parts):
                    raise Failed("more or fewer values than names")
                for (_, store), part in zip(parts, values):
                    store(run, table, part)

            return sum(cost for cost, _ in parts), unpack
        case ("same", *targets):
            same = list(map(stored, targets))

            def repeat(run: Run, table: Table, value: Any) -> None:
                for _, store in same:
                    store(run, table, value)

            return sum(cost for cost, _ in same), repeat
        case ("at", whole, place):
            (cost, owner), (more, at) = computed(whole), computed(place)

            def put(run: Run, table: Table, value: Any) -> None:
                owner(run, table)[at(run, table)] = value

            return cost + more, put
    return 0, lambda run, table, value: None


def wrong(why: str) -> Counted:
    def fail(run: Run, table: Table) -> None:
        raise Failed(why)

    return 0, fail
