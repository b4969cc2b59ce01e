"""Instructions on a stack, a queue or a tape, run on a list with an index.

A stack's top is the list's end, a queue's front its start, a tape's current cell an index.
"""

from puzzlemill.generators.worlds._instructions import Effect, Effects, Instruction
from puzzlemill.generators.worlds._store_terms import NEEDS


def branch(store: str, held: list[int], head: int, rule: Instruction) -> Effects | None:
    """The effects that an instruction has; None where there is too little to look at."""
    condition, then, otherwise = rule
    if not condition:
        return then
    if len(held) < NEEDS.get(condition[0], 1):
        return None
    return then if _met(held, condition, *_worked_on(store, head, len(held))) else otherwise


def acted(
    store: str, held: list[int], head: int, effects: Effects, n: int, printed: list[int]
) -> tuple[int, bool] | None:
    """The engine: where the head is after some effects, and whether the next line is skipped."""
    skipped = False
    tape = store == "tape"
    one, two = _worked_on(store, head, len(held))
    for effect in effects:
        word = effect[0]
        if len(held) < NEEDS.get(word, 1):
            return None
        if word == "skip":
            skipped = True
        elif tape and word in ("turn", "back", "jump"):
            head = (head + {"turn": 1, "back": -1}.get(word, held[head])) % len(held)
            one, two = _worked_on(store, head, len(held))
        elif word == "print":
            printed.append(held[one])
        elif word == "emit":
            printed.append(held.pop(one))
        else:
            changed(held, effect, n, one, two, store)
    return head, skipped


def _worked_on(store: str, head: int, size: int) -> tuple[int, int]:
    """Where the number is that is worked on, and the next one."""
    if store == "stack":
        return -1, -2
    return (head, (head + 1) % size) if store == "tape" else (0, 1)


def _met(held: list[int], condition: Effect, one: int, two: int) -> bool:
    word, number = condition[0], int(condition[1]) if len(condition) > 1 else 0
    match word:
        case "even":
            return not held[one] & 1
        case "above":
            return held[one] > number
        case "many":
            return len(held) > number
    assert word == "larger", word
    return held[one] > held[two]


def changed(held: list[int], effect: Effect, n: int, one: int, two: int, store: str) -> None:
    """The engine: changes what is held; what is added goes to the list's end."""
    word, given = effect[0], n if effect[-1] == "n" else effect[-1]
    match word:
        case "add":
            held[one] -= -given
        case "times":
            held[one] = sum([held[one]] * given)
        case "halve":
            held[one] >>= 1
        case "remainder":
            held[one] -= held[one] // given * given
        case "swap":
            held[one], held[two] = held[two], held[one]
        case "flip":
            held.reverse()
        case "drop":
            held.pop(one)
        case "turn" | "back":
            # What is at the end of the list goes to its start, or the other way round.
            up = (word == "turn") == (store == "stack")
            held[:] = held[-1:] + held[:-1] if up else held[1:] + held[:1]
        case "put" | "copy" | "size" | "join":
            if word == "join":
                value = _joint(effect[1], held[one], held[two])
            else:
                value = given if word == "put" else len(held) if word == "size" else held[one]
            if store == "tape":
                held[two if word == "copy" else one] = value
                return
            if word == "join":
                held[:] = held[:-2] if store == "stack" else held[2:]
            held.append(value)
        case _:
            raise AssertionError(effect)


def _joint(kind: str, first: int, second: int) -> int:
    match kind:
        case "sum":
            return first + second
        case "gap":
            return abs(first - second)
        case "greater":
            return max(first, second)
        case "smaller":
            return min(first, second)
    assert kind == "product", kind
    return first * second
