"""Claims about things that have two traits and a number: all of them, judged and worded."""

from typing import TypeAlias

Thing: TypeAlias = tuple[int, int, int]  # the value of each trait; the last is a number
Claim: TypeAlias = tuple[str, int, int]  # is, is not, more, fewer, even or odd; a trait; a value

MOST = 6  # the largest number
# What one thing and several are called, the traits with their values, and what is counted.
SKINS: dict[str, tuple[str, str, tuple[tuple[str, tuple[str, ...]], ...], str]] = {
    "badges": (
        "badge",
        "badges",
        (
            ("colour", ("red", "green", "blue", "white")),
            ("shape", ("round", "square", "oval", "pointed")),
        ),
        "stars",
    ),
    "fish": (
        "fish",
        "fish",
        (
            ("pattern", ("plain", "striped", "spotted", "mottled")),
            ("home", ("river", "lake", "reef", "cave")),
        ),
        "fins",
    ),
    "symbols": (
        "sign",
        "signs",
        (("p-value", ("p1", "p2", "p3", "p4")), ("q-value", ("q1", "q2", "q3", "q4"))),
        "marks",
    ),
}


def claims_of(values: int) -> list[Claim]:
    claims: list[Claim] = [
        (word, trait, value)
        for word in ("is", "is not")
        for trait in (0, 1)
        for value in range(values)
    ]
    claims += [("more", 2, number) for number in range(1, MOST)]
    claims += [("fewer", 2, number) for number in range(2, MOST + 1)]
    return [*claims, ("even", 2, 0), ("odd", 2, 0)]


def holds(claim: Claim, thing: Thing) -> bool:
    """The interpreter."""
    word, trait, value = claim
    match word:
        case "is":
            return thing[trait] == value
        case "is not":
            return thing[trait] != value
        case "more":
            return thing[trait] in range(value + 1, MOST + 1)
        case "fewer":
            return thing[trait] in range(1, value)
        case _:
            return thing[trait] in ((2, 4, 6) if word == "even" else (1, 3, 5))


def described(skin: str, thing: Thing) -> str:
    _, _, traits, counted = SKINS[skin]
    words = [f"{trait} {values[at]}" for (trait, values), at in zip(traits, thing)]
    return ", ".join([*words, f"{counted} {thing[2]}"])


def worded(skin: str, claim: Claim) -> str:
    _, _, traits, counted = SKINS[skin]
    word, trait, value = claim
    if word in ("is", "is not"):
        return f"the {traits[trait][0]} {word} {traits[trait][1][value]}"
    if word in ("even", "odd"):
        return f"the number of {counted} is {word}"
    return f"there are {word} than {value} {counted}"


def claims_told(skin: str) -> str:
    """All kinds of claims."""
    _, _, traits, counted = SKINS[skin]
    kinds = "".join(f"“the {trait} is V”; “the {trait} is not V”; " for trait, _ in traits)
    kinds += (
        f"“there are more than N {counted}”, N being 1 to {MOST - 1}; “there are fewer than N"
        f" {counted}”, N being 2 to {MOST}; “the number of {counted} is even”; “the number of"
        f" {counted} is odd”"
    )
    return kinds
