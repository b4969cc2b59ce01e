"""Rules of games of two piles: moves, what wins at once, a number that is barred; drawn and worded.

A move is a tuple: a word (WORDS), its number, a second number, a condition and the condition's
number. A condition speaks of the chosen pile, or of the other one, before the move. An end is a
word (ENDS) and a number. What is not used is "" or 0.
"""

from random import Random
from typing import TypeAlias

from puzzlemill.core.prose import counted

Move: TypeAlias = tuple[str, int, int, str, int]
End: TypeAlias = tuple[str, int]

# What piles, one thing and many things are called.
SKINS = {
    "stones": ("pile", "stone", "stones"),
    "boats": ("dock", "boat", "boats"),
    "coins": ("purse", "coin", "coins"),
    "apples": ("basket", "apple", "apples"),
    "books": ("shelf", "book", "books"),
}
PLURALS = {"shelf": "shelves"}
WORDS = ("take", "range", "both", "carry", "carry", "halve", "third", "leave", "match")
CONDITIONS = ("even", "odd", "larger", "smaller", "at least", "at most", "third", "other even",
              "other odd")  # fmt: skip
ENDS = ("equal", "total", "exactly")


def drawn_move(rng: Random, conditioned: bool) -> Move:
    word = rng.choice(WORDS)
    number = second = bound = 0
    match word:
        case "take" | "both":
            number = rng.randint(1, 5)
        case "range":
            second = rng.randint(1, 2)
            number = second + rng.randint(1, 3)
        case "carry":
            number = rng.randint(2, 5)
            second = rng.randint(1, number - 1)
        case "leave":
            number = rng.randint(0, 3)
    condition = rng.choice(CONDITIONS) if conditioned else ""
    if condition in ("at least", "at most"):
        bound = rng.randint(3, 8)
    return word, number, second, condition, bound


def drawn_end(rng: Random) -> End:
    word = rng.choice(ENDS)
    return word, 0 if word == "equal" else rng.randint(1, 5)


def piles(skin: str) -> str:
    pile = SKINS[skin][0]
    return PLURALS.get(pile, f"{pile}s")


def move_told(skin: str, move: Move) -> str:
    pile, one, many = SKINS[skin]
    word, number, second, condition, bound = move
    amount = counted(number, one, many)
    text = {
        "take": f"take {amount} out of the chosen {pile}",
        "range": f"take from {second} to {number} {many} out of the chosen {pile}",
        "both": f"take {amount} out of each of the two {piles(skin)}",
        "carry": f"take {amount} out of the chosen {pile} and put {number - second} of them into"
        " the other one",
        "halve": f"take half of the {many}, rounded up, out of the chosen {pile}",
        "third": f"take a third of the {many}, rounded up, out of the chosen {pile}",
        "leave": f"take {many} out of the chosen {pile} until exactly {number} of them"
        f" {'is' if number == 1 else 'are'} left" if number else
        f"take all {many} out of the chosen {pile}",
        "match": f"take as many {many} out of the chosen {pile} as the other one holds",
    }[word]  # fmt: skip
    return f"{text}; only if {when_told(skin, condition, str(bound))}" if condition else text


def when_told(skin: str, condition: str, bound: str) -> str:
    pile, _, many = SKINS[skin]
    return {
        "even": f"the chosen {pile} holds an even number of {many}",
        "odd": f"the chosen {pile} holds an odd number of {many}",
        "larger": f"the chosen {pile} holds more than the other one",
        "smaller": f"the chosen {pile} holds fewer than the other one",
        "at least": f"the chosen {pile} holds at least {bound} {many}",
        "at most": f"the chosen {pile} holds at most {bound} {many}",
        "third": f"the number of {many} in the chosen {pile} can be divided by 3",
        "other even": f"the other {pile} holds an even number of {many} (0 is even)",
        "other odd": f"the other {pile} holds an odd number of {many}",
    }[condition]


def end_told(skin: str, end: End) -> str:
    pile, one, many = SKINS[skin]
    word, number = end
    amount = counted(number, one, many)
    after = {
        "equal": f"both {piles(skin)} hold the same number of {many}",
        "total": f"the two {piles(skin)} hold exactly {amount} together",
        "exactly": f"at least one {pile} holds exactly {amount}",
    }[word]
    return f"A player after whose move {after} wins at once."


def bar_told(skin: str, number: int) -> str:
    pile, one, many = SKINS[skin]
    amount = counted(number, one, many)
    return f"A move after which a {pile} would hold exactly {amount} is not allowed."
