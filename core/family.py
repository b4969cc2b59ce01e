"""A family: one kind of problem, as a value made of pure functions."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from puzzlemill.core import family_facts
from puzzlemill.core.answers.kind import Kind, Naming
from puzzlemill.core.errors import UserError
from puzzlemill.core.knobs import WORDING, at
from puzzlemill.core.plain_data import names
from puzzlemill.core.search import Node

K = TypeVar("K")  # the knobs
P = TypeVar("P")  # the puzzle
A = TypeVar("A")  # the answer
Lines: TypeAlias = Sequence[str]  # the first of a reply

_WORD = re.compile(r"\w+")

# `constructed`: sound by the way it was made. `solved`: a solver that does not look at the
# construction found the gold answer. `unique`: it also proved that there is no other.
Proof = Literal["constructed", "solved", "unique"]


@dataclass(frozen=True, slots=True)
class Style:
    """How a puzzle is worded. The puzzle itself does not change."""

    phrasing: int = 0

    def pick(self, *options: str) -> str:
        return options[self.phrasing % len(options)]


PHRASINGS = 60  # styles in all: two, three, four, five or six options each come up evenly


def wording(changes: Mapping[str, Any], place: str = "") -> tuple[int, ...]:
    """The phrasings that knobs set by hand leave to choose from; none: all of them."""
    chosen = changes.get(WORDING, ())
    valid = isinstance(chosen, list | tuple) and all(
        type(each) is int and 0 <= each < PHRASINGS for each in chosen
    )
    if not valid:
        where = f"{place}: " if place else ""
        raise UserError(f"{where}{WORDING} are numbers from 0 to {PHRASINGS - 1}, not {chosen!r}")
    return tuple(chosen)


@dataclass(frozen=True, slots=True)
class Prompt:
    question: str  # with one <image> where each picture stands
    form: str  # the answer's form, a noun phrase: "one integer"
    images: tuple[bytes, ...] = ()  # PNG

    @property
    def text(self) -> str:
        return f"{self.question}\n\nAnswer with {self.form}, between <answer> and </answer>."


@dataclass(frozen=True, slots=True)
class Start:
    """What a variant is made from: another family's puzzle."""

    puzzle: Any
    style: Style
    fits: "Callable[[AnyFamily, Any], bool]"  # whether a puzzle is of the split asked for
    state: tuple[Any, ...]  # of the randomness before the puzzle was drawn


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a variant comes from: the family that it varies, and how."""

    family: "AnyFamily"
    vary: Callable[[Random, Any, Start], Any]  # with knobs; None where a draw led nowhere
    parts: Callable[[Any], "list[tuple[AnyFamily, Any]]"]  # the whole puzzles in a variant
    # The answers that the prompt shows, of which it asks which are right.
    shown: Callable[[Any], tuple[str, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Family(Generic[K, P, A]):
    """One kind of problem. `generate` alone sees randomness; every other function is pure.

    `verify` scores an answer 0..1 and never calls `solve`: the two find the truth by different
    roads, and an item is certified only where they meet. `generate` may return None when a draw
    led nowhere; it is then drawn again, a bounded number of times. `print(family)` shows its rule,
    its answer form and its knobs, with what each means.
    """

    puzzle: type[P]
    ladder: tuple[K, ...]
    generate: Callable[[Random, K], P | None]
    solve: Callable[[P], A | None]
    verify: Callable[[P, A], float]
    render: Callable[[P, Style], Prompt]
    answer: Kind[A]
    hardness: Callable[[P], float]  # the family's own measure; rises with the rung
    # What `generate` draws before it asks whether `solve` and `verify` agree on it: where that is
    # long to find out, it is not asked of a puzzle of another split.
    draft: Callable[[Random, K], P | None] | None = None
    proof: Proof = "solved"
    solver: str = ""  # the method behind `solve`, in a few words
    phrasings: int = 3  # or more
    guess_rate: float = 0.0  # the best that a constant or random answer of the right form scores
    # Whether an answer is right, by another road than verify's: asked for where several are.
    recheck: Callable[[P, A], bool] | None = None
    steps: Callable[[P], list[str]] | None = None
    # How far the first lines of a reply have come, 0..1: what they establish, each thing once. No
    # lines earn 0, the worked solution with the answer behind it 1, and it never falls between.
    progress: Callable[[P, Lines], float] | None = None
    # The solver's choices, depth first, with dead ends: replies that go back are logs of it.
    search: Callable[[P], Node] | None = None
    canon: Callable[[P], Any] | None = None
    # What decides the split, where puzzles that differ give one another away: of all questions
    # about one graph, the graph. Part of what `canon` tells; without it, canon decides.
    kin: Callable[[P], Any] | None = None
    # The names that answers are made of, as the prompt writes them.
    known: Callable[[P], Sequence[str]] | None = None
    # The answer kind with what one prompt alone tells: what it calls the parts, its modulus.
    notation: Callable[[P], Kind[A]] | None = None
    # What variants are made of (generators/variants). `inputs`: the fields whose whole numbers the
    # prompt tells as they are, so that a letter may stand for one. `twin`: the same problem with
    # other numbers. `renamed`: the same problem with other names and things, and the same answer.
    inputs: tuple[str, ...] = ()
    twin: Callable[[Random, K, P], P | None] | None = None
    renamed: Callable[[Random, K, P], P | None] | None = None
    # Without `twin`: whether the puzzle's own random numbers, with a few changed, make a twin, of
    # the same structure: all but the numbers, or what a function tells of a puzzle.
    redraws: bool | Callable[[P], Any] = False
    # Wrong answers that people give, likeliest first or in any order: some steps from the puzzle
    # to gold, with one of them skipped or mistaken. Right ones among them do no harm.
    slips: Callable[[Random, P, A], Iterator[A]] | None = None
    # Rises when these change, or what is shown in their place: part of the version of the variants
    # that show wrong answers.
    slips_version: int = 1
    # Why a right answer is known when it is seen, without work on the problem: then no variant
    # shows answers.
    obvious: str = ""
    # The puzzle without one of its parts (a number, a rule, a step), for each of them in turn. None
    # may have the same answer: a part that changes nothing is not worth reading.
    without: Callable[[P], Iterable[P]] | None = None
    origin: Origin | None = None  # of a variant
    skills: tuple[str, ...] = ()
    peers: tuple[str, ...] = ()  # the like of it elsewhere: "Enigmata/zebra_logic"
    # What families that ask much the same share, so that a mixture does not count them all. Filled
    # in with the family's own name where it stands alone.
    theme: str = ""
    version: int = 1
    name: str = ""  # these are filled in from where the file lies
    category: str = ""
    rule: str = ""  # the first line of the file

    def kind(self, puzzle: P) -> Kind[A]:
        """The answer kind, with the names that an answer to the puzzle is made of, or called by."""
        kind = self.answer if self.notation is None else self.notation(puzzle)
        if self.known is None or not isinstance(kind, Naming):
            return kind
        return kind.among(self.known(puzzle))

    @property
    def answer_type(self) -> str:
        """What answers are, in a word: integer, int_list, expression."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(self.answer).__name__).lower()

    def written(self, puzzle: P, answer: A) -> str:
        """An answer as text, its names as the prompt writes them: kinds hold them in lower case."""
        text = self.answer.write(answer)
        if not self.known:
            return text
        # Of names that are not in the text, none is looked for: a pattern is long to compile.
        lowered = {name.lower(): name for name in self.known(puzzle)}
        names = {low: name for low, name in lowered.items() if low in text}
        if all(name == low for low, name in names.items()):
            return text
        if all(map(_WORD.fullmatch, names)):
            return _WORD.sub(lambda match: names.get(match[0], match[0]), text)
        anyone = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        return re.sub(rf"(?<!\w)(?:{anyone})(?!\w)", lambda match: names[match[0]], text)

    def __repr__(self) -> str:
        knobs = ", ".join(names(type(self.ladder[0])))
        facts = f"version {self.version}, {len(self.ladder)} rungs, knobs {knobs}"
        return f"<Family {self.name} of {self.category}: {facts}; answer: {self.answer.form}>"

    def __str__(self) -> str:
        return family_facts.text(self)

    def _repr_html_(self) -> str:
        return family_facts.html(self)

    def at(self, level: float) -> K:
        """The knobs at a level: 0 is the first rung, 1 the last."""
        return at(self.ladder, level)


AnyFamily = Family[Any, Any, Any]


def parts(family: AnyFamily, puzzle: Any) -> list[tuple[AnyFamily, Any]]:
    """The whole puzzles in a puzzle: itself, or what a variant is made of. Each must be of the
    item's split, and each adds its skills."""
    return family.origin.parts(puzzle) if family.origin else [(family, puzzle)]


def levels(family: AnyFamily) -> Sequence[float]:
    """The level of each rung."""
    top = max(len(family.ladder) - 1, 1)
    return [rung / top for rung in range(len(family.ladder))]
