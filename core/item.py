"""Items: a puzzle at an address, worded, solved and certified."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from numbers import Real
from operator import attrgetter
from random import Random
from typing import TYPE_CHECKING, Any, overload

from puzzlemill.core import notebook, registry
from puzzlemill.core.address import (
    PARTS,
    Address,
    at_index,
    check_split,
    digest,
    key_at,
    key_start,
    rng,
    rng_of,
    split_of,
    uid_of,
    whole_number,
)
from puzzlemill.core.drawings import drawing_of
from puzzlemill.core.errors import NoPuzzle, UserError, shown
from puzzlemill.core.family import PHRASINGS, AnyFamily, Start, Style, parts, wording
from puzzlemill.core.knobs import WORDING, turned
from puzzlemill.core.plain_data import canonical_json, freeze, names, record
from puzzlemill.core.replay import State
from puzzlemill.core.row_view import RowView

if TYPE_CHECKING:
    from pandas import DataFrame

SETTINGS = 1000  # knobs that are kept as they were read
VARIATIONS = 40  # that are tried of a puzzle
DRAWS = 400  # at most, for one item; a test split of a tenth needs ten on average
_STYLES = tuple(map(Style, range(PHRASINGS)))
ENDLESS = range(2**63 - 1)  # the indices of items without end: what a row's column holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One problem: what a policy is asked, the gold answer, and where it comes from.

    The fields are the columns of a row; `row` says how each is written.

    - uid: a name that no other item has, made from the address
    - family: which kind of problem it is
    - version: of the family; it rises when an address means another item
    - category: of the family
    - tags: the skills that it takes
    - level: how hard it is, from 0 to 1
    - knobs: the settings that make it so hard, as JSON
    - split: train, validation or test
    - seed: part of the address
    - index: part of the address
    - prompt: what a policy is asked
    - images: a PNG for each <image> in the prompt
    - answer: gold, as the answer kind writes it; empty where none was found
    - puzzle: the problem as data (JSON in a row); what a verdict needs
    - canon: the digest under which equal puzzles meet
    - certificate: what is proved: constructed, solved or unique; empty where nothing is
    - solver: the method that found gold
    - parent: of a variant, the uid of the item that it varies
    - group: of a variant, the uid of the item that all of its group began with
    """

    uid: str
    family: str
    version: int
    category: str
    tags: tuple[str, ...]
    level: float
    knobs: str
    split: str
    seed: int
    index: int
    prompt: str
    images: tuple[bytes, ...]
    answer: str = ""
    puzzle: Any
    canon: str
    certificate: str = ""
    solver: str = ""
    parent: str = ""
    group: str = ""

    @property
    def messages(self) -> list[dict[str, str]]:
        return [{"role": "user", "content": self.prompt}]

    @property
    def address(self) -> Address:
        return Address(*(getattr(self, part) for part in PARTS))

    def row(self) -> dict[str, Any]:
        """The item as a row of a dataset: its fields as plain values, in columns."""
        columns = dict(zip(_FIELDS, _values(self), strict=True))
        pictures = enumerate(self.images)
        columns["tags"] = list(self.tags)
        columns["prompt"] = self.messages
        columns["images"] = [
            {"bytes": png, "path": f"{self.uid}-{place}.png"} for place, png in pictures
        ]
        columns["puzzle"] = freeze(self.puzzle)
        columns["parent"] = self.parent or None
        columns["variant_group"] = columns.pop("group") or None
        return columns

    def __reduce__(self) -> tuple[Any, ...]:
        """Slots are pickled field by field, in Python; workers send an item for each address."""
        return _item_of, (_values(self),)

    def __repr__(self) -> str:
        prompt, answer = notebook.first_line(self.prompt), notebook.short(self.answer)
        return f"<Item {self.uid} at level {self.level:g}: {prompt!r}, answer {answer!r}>"

    def _repr_html_(self) -> str:
        title = f"{self.uid}, level {self.level:g}"
        drawing = drawing_of(registry.family(self.family), self.puzzle) or ""
        return notebook.problem(title, self.prompt, self.images, self.answer, drawing)


# Fields are set by their slots: `Item(...)` takes twice as long, a tenth of a simple item's time.
_FIELDS = names(Item)
_SETTERS = tuple(getattr(Item, name).__set__ for name in _FIELDS)
_values = attrgetter(*_FIELDS)


def _item_of(values: tuple[Any, ...]) -> Item:
    """The item with these fields, in their order."""
    item = object.__new__(Item)
    for put, value in zip(_SETTERS, values, strict=True):
        put(item, value)
    return item


@dataclass(frozen=True, slots=True)
class _Series:
    """What the items at an address and at its other indices share."""

    family: AnyFamily
    first: Address
    level: float
    solved: bool
    start: str  # of the addresses' keys
    knobs: Any
    phrasings: tuple[int, ...]
    tags: tuple[str, ...]  # of the family alone


def _series(family: AnyFamily, first: Address, level: float, solved: bool) -> _Series:
    tags = tuple(dict.fromkeys((family.category, *family.skills)))
    knobs, phrasings = knobs_of(family, first), _phrasings(first.knobs)
    return _Series(family, first, level, solved, key_start(first), knobs, phrasings, tags)


def make(family: AnyFamily, address: Address, level: float) -> Item:
    """The item at an address, certified where that can be done."""
    return _item(_series(family, address, level, solved=True), address.index)


def make_many(
    family: AnyFamily, first: Address, level: float, indices: Iterable[int]
) -> Iterator[Item]:
    """The items at an address's other indices, each as `make` makes it, but what they share is
    worked out once."""
    return map(partial(_item, _series(family, first, level, solved=True)), indices)


def draft(family: AnyFamily, address: Address, level: float) -> Item:
    """The item at an address, not yet solved."""
    return _item(_series(family, address, level, solved=False), address.index)


def draft_many(
    family: AnyFamily, first: Address, level: float, indices: Iterable[int]
) -> Iterator[Item]:
    """`make_many` of items that are not yet solved."""
    return map(partial(_item, _series(family, first, level, solved=False)), indices)


def _item(series: _Series, index: int) -> Item:
    family, first, tags = series.family, series.first, series.tags
    key = key_at(series.start, index)
    parent = group = ""
    if family.origin is None:
        draw = partial(family.draft or family.generate, rng_of(key, "puzzle"), series.knobs)
        puzzle, canon, _ = _fitting(draw, family, first, drafted=family.draft is not None)
    else:
        address = at_index(first, index)
        puzzle, canon, _ = _drawn(family, series.knobs, address)
        origins = [each.uid for each in _lineage(family, address)[1:]]
        parent, group = origins[0], origins[-1]
        tags = _tags(tags, family, puzzle)
    prompt = family.render(puzzle, _style(key, series.phrasings))
    answer = certified(family, puzzle) if series.solved else ""
    return _item_of(
        (
            uid_of(first.family, key),
            first.family,
            first.version,
            family.category,
            tags,
            series.level,
            first.knobs,
            first.split,
            first.seed,
            index,
            prompt.text,
            prompt.images,
            answer,
            puzzle,
            canon,
            family.proof if answer else "",
            family.solver if answer else "",
            parent,
            group,
        )
    )


def _tags(own: tuple[str, ...], family: AnyFamily, puzzle: Any) -> tuple[str, ...]:
    """A variant's tags: its own, and those of all that is in it."""
    skills = (skill for each, _ in parts(family, puzzle) for skill in (each.category, *each.skills))
    return tuple(dict.fromkeys((*own, *skills)))


def address_of(
    family: AnyFamily,
    knobs: Any,
    *,
    phrasings: tuple[int, ...] = (),
    split: str = "train",
    seed: int = 0,
    index: int = 0,
) -> Address:
    """The address of an item with these knobs, and with the phrasings to choose from where they
    are not all."""
    text = freeze(knobs)
    if phrasings:
        text = canonical_json(json.loads(text) | {WORDING: phrasings})
    return Address(family.name, family.version, text, split, seed, index)


def address_at(
    family: AnyFamily,
    level: float,
    by_hand: Mapping[str, Any] | None = None,
    *,
    split: str = "train",
    seed: int = 0,
    index: int = 0,
) -> Address:
    """The address of an item at a level, with some knobs set by hand."""
    by_hand = by_hand or {}
    knobs, phrasings = turned(family.at(level), family.ladder, by_hand), wording(by_hand)
    return address_of(family, knobs, phrasings=phrasings, split=split, seed=seed, index=index)


def knobs_of(family: AnyFamily, address: Address) -> Any:
    """The knobs that an address tells."""
    kind: Any = type(family.ladder[0])
    return _knobs(kind, address.knobs)


@lru_cache(maxsize=SETTINGS)
def _knobs(kind: Any, text: str) -> Any:
    values = json.loads(text)
    values.pop(WORDING, None)
    return record(kind, values)


def certified(family: AnyFamily, puzzle: Any) -> str:
    """Gold as text, if `solve` finds it and `verify`, by its own road, agrees; else nothing."""
    gold = _agreed(family, puzzle)
    return "" if gold is None else family.written(puzzle, gold)


def _agreed(family: AnyFamily, puzzle: Any) -> Any:
    """Gold, if `solve` finds it and `verify` agrees."""
    gold = family.solve(puzzle)
    return None if gold is None or family.verify(puzzle, gold) != 1 else gold


def worked(family: AnyFamily, puzzle: Any, answer: str) -> str:
    """A reply that works it out: the steps, line by line, if there are any, and the answer."""
    lines = family.steps(puzzle) if family.steps else []
    return "\n".join([*lines, f"<answer>{answer}</answer>"])


def canon_of(family: AnyFamily, puzzle: Any) -> str:
    """The digest of a puzzle's canonical form."""
    if family.origin and family.origin.family.puzzle is family.puzzle:
        return canon_of(family.origin.family, puzzle)  # a twin is a puzzle like any other
    form = canonical_json(family.canon(puzzle)) if family.canon else freeze(puzzle)
    return digest(f"{family.name}\0{form}")


def kin_of(family: AnyFamily, puzzle: Any) -> str:
    """The digest under which puzzles meet that must not be in two splits."""
    assert family.kin is not None
    return digest(f"{family.name}\0{canonical_json(family.kin(puzzle))}")


def _drawn(
    family: AnyFamily, knobs: Any, address: Address, varied: bool = False
) -> tuple[Any, str, State]:
    """The first puzzle from the address's randomness that falls into its split, its canonical
    digest and, where it is to be varied, the state of that randomness before it.

    A variant is drawn from the puzzle that its origin has at the same address.
    """
    source = rng(address, "puzzle")
    generate = partial(family.generate, source, knobs)
    if family.origin:
        parent, original = _lineage(family, address)[1], family.origin.family
        puzzle, _, state = _drawn(original, knobs, parent, varied=True)
        fits = partial(_fits, address.split)
        start = Start(puzzle, _style(parent.key, _phrasings(parent.knobs)), fits, state)
        generate = partial(family.origin.vary, source, knobs, start)
    return _fitting(generate, family, address, source if varied else None)


def _fitting(
    generate: Callable[[], Any],
    family: AnyFamily,
    address: Address,
    varied: Random | None = None,
    drafted: bool = False,
) -> tuple[Any, str, State]:
    """The first puzzle of the address's split; of those that are drafted, the first on which
    `solve` and `verify` agree. No more is done for one that is thrown away than to find its
    canonical form."""
    split, state = address.split, ()
    nothing = 0  # a variant that is not to be had of its puzzle is soon given up
    for _ in range(DRAWS):
        if varied:
            state = varied.getstate()  # long to take
        puzzle = generate()
        if (
            puzzle is not None
            and (canon := _canon_within(split, family, puzzle))
            and (not drafted or _agreed(family, puzzle) is not None)
        ):
            return puzzle, canon, state
        nothing += puzzle is None
        if family.origin and nothing == VARIATIONS:
            break
    raise NoPuzzle(
        f"{family.name} with {address.knobs} gave no puzzle for the split {address.split!r}: it has"
        " too few; raise the level or widen the knobs"
    )


def _canon_within(split: str, family: AnyFamily, puzzle: Any) -> str:
    """The canonical digest of a puzzle of the split; empty for one of another."""
    if family.origin or family.kin:
        return canon_of(family, puzzle) if _fits(split, family, puzzle) else ""
    canon = canon_of(family, puzzle)  # decides the split too
    return canon if split_of(canon) == split else ""


def _fits(split: str, family: AnyFamily, puzzle: Any) -> bool:
    """Whether all that is in a puzzle is of the split."""
    return all(
        split_of(kin_of(each, part) if each.kin else canon_of(each, part)) == split
        for each, part in parts(family, puzzle)
    )


def _lineage(family: AnyFamily, address: Address) -> list[Address]:
    """The address, and for a variant that of the item it is made from, and so on."""
    if family.origin is None:
        return [address]
    parent = family.origin.family
    return [
        address,
        *_lineage(parent, replace(address, family=parent.name, version=parent.version)),
    ]


def _style(key: str, phrasings: tuple[int, ...]) -> Style:
    source = rng_of(key, "style")
    return _STYLES[source.choice(phrasings) if phrasings else source.randrange(PHRASINGS)]


@lru_cache(maxsize=SETTINGS)
def _phrasings(knobs: str) -> tuple[int, ...]:
    return wording(json.loads(knobs))


@dataclass(frozen=True, slots=True)
class Items(Sequence[Item]):
    """Items made when they are asked for, in any order."""

    family: AnyFamily
    level: float
    address: Address  # of the first index
    indices: range
    endless: bool = False

    def __len__(self) -> int:
        if self.endless:
            raise UserError(f"{self!r} have no length: slice them, items[:100], or say n=")
        return len(self.indices)

    def __bool__(self) -> bool:
        return bool(self.indices)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> "Items": ...
    def __getitem__(self, place: int | slice) -> "Item | Items":
        if isinstance(place, slice):
            self._check_from_front(place.start, place.stop, place.step)
            ends = not self.endless or place.stop is not None
            return replace(self, indices=self.indices[place], endless=not ends)
        self._check_from_front(place)
        address = at_index(self.address, self.indices[place])
        return make(self.family, address, self.level)

    def __iter__(self) -> Iterator[Item]:
        return make_many(self.family, self.address, self.level, self.indices)

    def _check_from_front(self, *places: int | None) -> None:
        if self.endless and any(place is not None and place < 0 for place in places):
            raise UserError(f"{self!r} have no end to count back from: say n=")

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.family.name, self.level, self.address, self.indices, self.endless)
        return _items_again, parts  # a family's functions do not pickle, but its name does

    def rows(self) -> RowView:
        """The items as rows of a dataset, in the same places."""
        return RowView(self)

    def to_pandas(self) -> "DataFrame":
        """A data frame with a line an item."""
        return self.rows().to_pandas()

    def __repr__(self) -> str:
        first, count = self.address, "endless" if self.endless else f"{len(self.indices):,}"
        which = f"{count} of {first.family} at level {self.level:g}"
        return f"<Items: {which}, split {first.split}, seed {first.seed}>"

    def _repr_html_(self) -> str:
        rows = []
        for index in self.indices[: notebook.ROWS]:
            try:
                item = make(self.family, at_index(self.address, index), self.level)
            except UserError as error:  # a variant that is not to be had of every puzzle
                rows.append((str(index), "", notebook.short(str(error)), ""))
            else:
                cells = notebook.first_line(item.prompt), notebook.short(item.answer)
                rows.append((str(index), item.uid, *cells))
        return notebook.table(repr(self), ("index", "uid", "prompt", "answer"), rows)


def _items_again(name: str, level: float, address: Address, indices: range, endless: bool) -> Items:
    return Items(registry.family(name), level, address, indices, endless)


def generate(
    name: str,
    level: float = 0.5,
    seed: int = 0,
    n: int | None = None,
    split: str = "train",
    knobs: Mapping[str, Any] | None = None,
) -> Items:
    """n items of a family, or without `n` as many as are asked for. Lazy: item i is made when it
    is asked for, and is always the same.

    The level sets all knobs; `knobs` sets some of them by hand, and with `phrasings`, a list of
    numbers, in which ways alone the prompts may be worded.
    """
    family = registry.family(name)
    _check_kinds(level, knobs)
    seed, n = whole_number("seed", seed), None if n is None else whole_number("n", n)
    if n is not None and n < 0:
        raise UserError(f"n is {n}; ask for 0 items or more")
    if n is not None and n > len(ENDLESS):
        raise UserError(f"n is {n}, more than there are indices: leave n out for items without end")
    check_split(split)
    address = address_at(family, level, knobs, split=split, seed=seed)
    return Items(family, level, address, ENDLESS if n is None else range(n), n is None)


def _check_kinds(level: Any, knobs: Any) -> None:
    if type(level) is bool or not isinstance(level, Real):
        raise UserError(f"level is a number from 0 to 1, not {shown(level)}")
    if knobs is not None and not isinstance(knobs, Mapping):
        raise UserError(f"knobs are names with their values, not {shown(knobs)}")
