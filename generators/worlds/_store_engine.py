"""Instructions on a stack, a queue or a tape, run on a list with an index.

A stack's top is the list's end, a queue's front its start, a tape's current cell an index.
"""

from collections.abc import Callable

from puzzlemill.generators.worlds._instructions import Effect, Instruction
from puzzlemill.generators.worlds._store_terms import NEEDS


def acted(
    store: str, held: list[int], head: int, rule: Instruction, n: int, printed: list[int]
) -> tuple[int, bool] | None:
    """The engine: where the head is after an instruction, and whether the next line is skipped."""
    condition, then, otherwise = rule
    skipped = False
    tape, stack = store == "tape", store == "stack"

    def at(place: int) -> int:
        """Where the number in a place is: the one that is worked on is in place 0."""
        return (head + place) % len(held) if tape else -1 - place if stack else place

    def short(word: str) -> bool:
        return len(held) < NEEDS.get(word, 1)

    if condition and short(condition[0]):
        return None
    chosen = then
    if condition:
        number = condition[-1]
        tests: dict[str, Callable[[], bool]] = {
            "even": lambda: not held[at(0)] & 1,
            "above": lambda: held[at(0)] - number > 0,
            "many": lambda: len(held) - number > 0,
            "larger": lambda: held[at(0)] - held[at(1)] > 0,
        }
        chosen = then if tests[condition[0]]() else otherwise
    for effect in chosen:
        word = effect[0]
        if short(word):
            return None
        if word == "skip":
            skipped = True
        elif word in ("turn", "back", "jump") and tape:
            head = (head + {"turn": 1, "back": -1}.get(word, held[head])) % len(held)
        elif word in ("print", "emit"):
            printed.append(held[at(0)])
            if word == "emit":
                del held[at(0)]
        else:
            changed(held, effect, n, at, tape)
    return head, skipped


def changed(held: list[int], effect: Effect, n: int, at: Callable[[int], int], tape: bool) -> None:
    """The engine: changes what is held; what is added goes to the list's end."""
    word, given = effect[0], n if effect[-1] == "n" else effect[-1]
    first = held[at(0)] if held else 0
    second = held[at(1)] if len(held) > 1 else 0
    stack = at(0) == -1
    if word in ("add", "times", "halve", "remainder"):
        held[at(0)] = {"add": lambda: first - -given, "times": lambda: sum([first] * given),
                       "halve": lambda: first >> 1,
                       "remainder": lambda: first - first // given * given}[word]()  # fmt: skip
    elif word == "swap":
        held[at(0)], held[at(1)] = second, first
    elif word == "flip":
        held[:] = held[::-1]
    elif word == "drop":
        held.pop(at(0))
    elif word in ("turn", "back"):
        up = (word == "turn") == stack  # what is at the end of the list goes to its start
        held[:] = held[-1:] + held[:-1] if up else held[1:] + held[:1]
    else:
        values = {"put": given, "copy": first, "size": len(held)}
        if word == "join":
            values["join"] = {"sum": first + second, "gap": abs(first - second),
                              "greater": max(first, second), "smaller": min(first, second),
                              "product": first * second}[effect[1]]  # fmt: skip
        if tape:
            held[at(word == "copy")] = values[word]
            return
        if word == "join":
            held[:] = held[:-2] if stack else held[2:]
        held.append(values[word])
