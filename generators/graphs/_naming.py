"""What the nodes of a graph are called. A new way is one function, and its name in Naming."""

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Literal

from puzzlemill.generators import _vocabulary

Naming = Literal["numbers", "letters", "words", "people", "cities"]
# What nodes are called; "any" is one of the ways.
AnyNaming = Literal[Naming, "any"]

PEOPLE = (
    "ada", "alma", "amir", "anna", "anton", "aria", "beata", "ben", "boris", "carla", "cesar",
    "clara", "dana", "david", "diego", "edith", "elena", "emil", "emma", "erik", "fatima",
    "felix", "finn", "freya", "grace", "greta", "hanna", "hector", "hugo", "ida", "igor", "iris",
    "ivan", "jana", "jonas", "julia", "karim", "karin", "kira", "lars", "leila", "leon", "liam",
    "lina", "luca", "maria", "marta", "maya", "mila", "nadia", "nils", "noah", "nora", "olga",
    "omar", "oscar", "paul", "petra", "quinn", "rafael", "rosa", "ruben", "sara", "simon",
    "sofia", "tara", "tomas", "uma", "vera", "victor", "wanda", "yara", "yusuf", "zoe",
)  # fmt: skip
CITIES = (
    "accra", "adelaide", "athens", "bangkok", "berlin", "bogota", "boston", "brisbane",
    "brussels", "budapest", "cairo", "calgary", "chicago", "cologne", "copenhagen", "dakar",
    "dallas", "delhi", "denver", "dublin", "florence", "geneva", "hamburg", "hanoi", "helsinki",
    "istanbul", "jakarta", "karachi", "kyoto", "lagos", "lima", "lisbon", "london", "lyon",
    "madrid", "manila", "miami", "milan", "montreal", "moscow", "mumbai", "munich", "nairobi",
    "naples", "osaka", "oslo", "ottawa", "paris", "perth", "porto", "prague", "quito", "riga",
    "rome", "santiago", "seattle", "seoul", "seville", "sofia", "sydney", "tallinn", "tokyo",
    "toronto", "tunis", "turin", "valencia", "vienna", "warsaw", "zagreb", "zurich",
)  # fmt: skip
ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def _numbers(rng: Random, count: int) -> list[str]:
    return [str(number) for number in range(count)]


def _letters(rng: Random, count: int) -> list[str]:
    """The first letters of the alphabet; beyond its end, letters with a number."""
    return [
        ALPHABET[place % 26] + (str(place // 26) if place >= 26 else "") for place in range(count)
    ]


def _words(rng: Random, count: int) -> list[str]:
    return rng.sample(_clear_words(), count)


@cache
def _clear_words() -> list[str]:
    return [word for word in _vocabulary.words(4, 8) if word not in _UNCLEAR]


def _people(rng: Random, count: int) -> list[str]:
    return rng.sample(PEOPLE, count)


def _cities(rng: Random, count: int) -> list[str]:
    return rng.sample(CITIES, count)


WAYS: dict[Naming, Callable[[Random, int], list[str]]] = {
    "numbers": _numbers,
    "letters": _letters,
    "words": _words,
    "people": _people,
    "cities": _cities,
}
# Words that say something in an answer, or about one.
_UNCLEAR = frozenset(
    {"about", "after", "again", "also", "answer", "answers", "because", "been", "before",
     "belongs", "between", "both", "cannot", "city", "clearly", "correct", "cost", "could",
     "distance", "does", "done", "each", "edge", "edges", "either", "empty", "every",
     "exactly", "except", "exist", "exists", "false", "final", "follow", "follows", "friend",
     "friends", "from", "gets", "given", "guess", "have", "hence", "here", "however",
     "impossible", "indeed", "into", "join", "joined", "joins", "just", "known", "lead",
     "leads", "length", "list", "lives", "maybe", "must", "neither", "never", "node", "nodes",
     "none", "note", "nothing", "only", "order", "other", "over", "pair", "pairs", "path",
     "perhaps", "person", "possible", "possibly", "probably", "result", "results", "right",
     "road", "roads", "said", "same", "says", "simply", "since", "solution", "some", "such",
     "than", "that", "them", "then", "there", "these", "they", "this", "through", "thus",
     "total", "town", "true", "twice", "under", "unknown", "unless", "until", "vertex",
     "very", "weight", "were", "what", "when", "where", "which", "while", "will", "with",
     "without", "would", "wrong", "your"}
)  # fmt: skip


def names(rng: Random, naming: Naming, count: int) -> tuple[str, ...]:
    """So many names, in lower case, as answers are read."""
    return tuple(WAYS[naming](rng, count))


def shown(name: str, naming: Naming) -> str:
    """A name as the prompt shows it."""
    if naming == "letters":
        return name.upper()
    return name.title() if naming in ("people", "cities") else name


def called(name: str, naming: Naming) -> str:
    """A name in a sentence: "node 3", "Anna"."""
    title = shown(name, naming)
    return title if naming in ("people", "cities") else f"node {title}"
