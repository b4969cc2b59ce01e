"""Instructions on a stack, a queue or a tape: drawn, carried out one at a time, and worded.

An effect is a tuple of a word and its operands; "n" is the number that a line of the program
gives. All three stores have a place where they are worked on: the top, the front, or the current
cell of a tape whose ends are joined.
"""

from collections import deque
from collections.abc import Sequence
from random import Random

from puzzlemill.generators.worlds._instructions import Effect, Instruction

STORES = ("stack", "queue", "tape")
# Skins of each store: what it is called, what is said of it, and how printing is called.
SKINS: dict[str, tuple[tuple[str, str, str, str], ...]] = {
    "stack": (
        ("stack", "A machine keeps whole numbers on a stack.", "print", "printed"),
        ("pile", "A clerk keeps a pile of slips, each with a whole number on it; a number stands"
         " for its slip.", "write down", "written down"),
        ("tower", "A child builds a tower of blocks, each with a whole number on it; a number"
         " stands for its block.", "call out", "called out"),
    ),
    "queue": (
        ("queue", "A machine keeps whole numbers in a queue.", "print", "printed"),
        ("belt", "Parcels lie in a row on a belt, each with a whole number on it; a number stands"
         " for its parcel.", "write down", "written down"),
        ("train", "A train has wagons, each with a whole number on it; a number stands for its"
         " wagon.", "call out", "called out"),
    ),
    "tape": (
        ("tape", "A machine has a tape of cells, with a whole number in each of them, and a head"
         " that is at one cell, the current one.", "print", "printed"),
        ("shelf", "A clerk has a shelf of boxes, which are called cells, with a whole number in"
         " each of them, and a hand that is at one cell, the current one.", "write down",
         "written down"),
        ("street", "A postman walks along a street of houses, which are called cells, with a whole"
         " number on each of them; where he is now is the current cell.", "call out",
         "called out"),
    ),
}  # fmt: skip
PLACES = {"stack": "top", "queue": "front", "tape": "current"}
MOVER = {"tape": "head", "shelf": "hand", "street": "postman"}
# What an effect does in words; {s} is the store, {at} the place, {m} what moves along a tape.
WORDS: dict[str, dict[str, str]] = {
    "stack": {
        "put": "put {x} on top of the {s}",
        "copy": "put a copy of the top number on top of it",
        "join": "take away the two top numbers and put {op} on top",
        "turn": "move the top number to the bottom of the {s}",
        "back": "move the bottom number to the top of the {s}",
        "size": "count the numbers in the {s} and put that count on top",
        "flip": "turn the whole {s} upside down",
        "larger": "the top number is greater than the one below it",
    },
    "queue": {
        "put": "put {x} at the back of the {s}",
        "copy": "put a copy of the front number at the back of the {s}",
        "join": "take away the two front numbers and put {op} at the back of the {s}",
        "turn": "move the front number to the back of the {s}",
        "back": "move the back number to the front of the {s}",
        "size": "count the numbers in the {s} and put that count at the back",
        "flip": "reverse the order of the whole {s}",
        "larger": "the front number is greater than the one behind it",
    },
    "tape": {
        "put": "replace the current number by {x}",
        "copy": "copy the current number into the next cell",
        "join": "replace the current number by {op}",
        "swap": "exchange the current number and the next number",
        "turn": "move the {m} one cell to the right",
        "back": "move the {m} one cell to the left",
        "jump": "move the {m} to the right by as many cells as the current number says",
        "larger": "the current number is greater than the next number",
    },
}
COMMON = {
    "swap": "exchange the two {at} numbers",
    "drop": "take away the {at} number",
    "print": "{print} the {at} number, which stays where it is",
    "emit": "{print} the {at} number and take it away",
    "skip": "skip the next line",
    "add": "add {x} to the {at} number",
    "times": "multiply the {at} number by {x}",
    "halve": "halve the {at} number, rounding down",
    "remainder": "replace the {at} number by its remainder when divided by {x}",
    "even": "the {at} number is even",
    "above": "the {at} number is greater than {x}",
    "many": "the {s} holds more than {x} numbers",
}
JOINTS = {
    "sum": ("their sum", "the sum of it and the next number"),
    "gap": ("their difference (larger minus smaller)",
            "the difference between it and the next number (larger minus smaller)"),
    "greater": ("the larger of the two", "the larger of it and the next number"),
    "smaller": ("the smaller of the two", "the smaller of it and the next number"),
    "product": ("their product", "the product of it and the next number"),
}  # fmt: skip
NEEDS = {"join": 2, "swap": 2, "larger": 2, "put": 0, "size": 0, "flip": 0, "many": 0, "skip": 0}


def instruction(rng: Random, store: str, effects: int, cases: bool) -> Instruction:
    """A drawn instruction, with so many effects in each of its branches."""
    if not cases:
        then = _branch(rng, store, effects)
        return (), then, then
    conditions: list[Effect] = [("even",), ("above", rng.randint(3, 9)), ("larger",)]
    if store != "tape":
        conditions.append(("many", rng.randint(2, 4)))
    then, otherwise = _branch(rng, store, effects), _branch(rng, store, effects)
    if rng.random() < 0.3:
        otherwise = (*otherwise[:-1], ("skip",))
    return rng.choice(conditions), then, otherwise


def _branch(rng: Random, store: str, effects: int) -> tuple[Effect, ...]:
    """Effects of different kinds."""
    made: dict[str, Effect] = {}
    while len(made) < effects:
        effect = _effect(rng, store)
        made.setdefault(effect[0], effect)
    return tuple(made.values())


def _effect(rng: Random, store: str) -> Effect:
    draws: list[Effect] = [
        ("put", "n"),
        ("put", rng.randint(1, 9)),
        ("join", rng.choice(list(JOINTS))),
        ("join", rng.choice(list(JOINTS))),
        ("add", rng.randint(1, 9)),
        ("add", "n"),
        ("times", rng.randint(2, 3)),
        ("halve",),
        ("remainder", rng.randint(3, 8)),
        *((word,) for word in ("copy", "swap", "turn", "back", "print")),
    ]
    own = ("jump", "turn") if store == "tape" else ("drop", "emit", "size", "flip")
    return rng.choice([*draws, *((word,) for word in own)])


def numbered(rule: Instruction) -> bool:
    """Whether a line of the program gives the instruction a number."""
    return any("n" in effect for effects in rule[1:] for effect in effects)


def carried_out(
    store: str, held: deque[int], rule: Instruction, n: int, output: list[int]
) -> tuple[int, bool] | None:
    """The interpreter. The place that is worked on is the left end of what is held: how far a tape
    was moved, and whether the next line is skipped; None where too few numbers are held."""
    condition, then, otherwise = rule
    moved, skipped = 0, False
    if condition and len(held) < NEEDS.get(condition[0], 1):
        return None
    for effect in then if not condition or _meets(held, condition) else otherwise:
        word, x = effect[0], n if "n" in effect else effect[-1]
        if len(held) < NEEDS.get(word, 1):
            return None
        if word == "skip":
            skipped = True
        elif word in ("print", "emit"):
            output.append(held[0])
            if word == "emit":
                held.popleft()
        elif store == "tape":
            moved += _on_tape(held, word, x)
        else:
            _on_row(store, held, word, x)
    return moved, skipped


def _meets(held: deque[int], condition: Effect) -> bool:
    word = condition[0]
    if word == "even":
        return held[0] % 2 == 0
    if word == "larger":
        return held[0] > held[1]
    return (len(held) if word == "many" else held[0]) > int(condition[1])


def _on_tape(held: deque[int], word: str, x: int | str) -> int:
    """Changes the cells, the current one being the first; how far they were moved to the left."""
    if word in ("turn", "back", "jump"):
        by = {"turn": 1, "back": -1, "jump": held[0]}[word]
        held.rotate(-by)
        return by
    if word == "copy":
        held[1] = held[0]
    elif word == "swap":
        held[0], held[1] = held[1], held[0]
    elif word == "join":
        held[0] = _joined(str(x), held[0], held[1])
    else:
        held[0] = int(x) if word == "put" else _changed(word, held[0], x)
    return 0


def _on_row(store: str, held: deque[int], word: str, x: int | str) -> None:
    add = held.appendleft if store == "stack" else held.append
    match word:
        case "put":
            add(int(x))
        case "copy":
            add(held[0])
        case "size":
            add(len(held))
        case "join":
            add(_joined(str(x), held.popleft(), held.popleft()))
        case "drop":
            held.popleft()
        case "flip":
            held.reverse()
        case "turn":
            held.append(held.popleft())
        case "back":
            held.appendleft(held.pop())
        case "swap":
            held[0], held[1] = held[1], held[0]
        case _:
            held[0] = _changed(word, held[0], x)


def _joined(op: str, one: int, other: int) -> int:
    low, high = sorted((one, other))
    return {"sum": low + high, "gap": high - low, "greater": high, "smaller": low,
            "product": low * high}[op]  # fmt: skip


def _changed(word: str, old: int, x: int | str) -> int:
    if word == "halve":
        return old // 2
    return old + int(x) if word == "add" else old * int(x) if word == "times" else old % int(x)


def described(store: str, skin: int, name: str, rule: Instruction) -> str:
    """An instruction in words."""
    condition, then, otherwise = rule
    head = f"{name} n" if numbered(rule) else name
    first = _listed(store, skin, then)
    if not condition:
        return f"{head}: {first}."
    case, second = worded(store, skin, condition), _listed(store, skin, otherwise)
    return f"{head}: if {case}, {first}; otherwise, {second}."


def worded(store: str, skin: int, effect: Effect) -> str:
    noun, _, prints, _ = SKINS[store][skin]
    word, x = effect[0], effect[-1]
    template = WORDS[store].get(word) or COMMON[word]
    op = JOINTS[x][store == "tape"] if word == "join" else ""
    return template.format(
        s=noun, at=PLACES[store], m=MOVER.get(noun, ""), x=x, op=op, print=prints
    )


def _listed(store: str, skin: int, effects: Sequence[Effect]) -> str:
    return ", then ".join(worded(store, skin, effect) for effect in effects)
