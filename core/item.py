"""Items: a puzzle at an address, worded, solved and certified."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, overload

from puzzlemill.core.address import Address, check_split, digest, rng, split_of
from puzzlemill.core.errors import NoPuzzle, UserError
from puzzlemill.core.family import PHRASINGS, AnyFamily, Start, Style, parts, wording
from puzzlemill.core.knobs import WORDING, turned
from puzzlemill.core.plain_data import canonical_json, freeze
from puzzlemill.core.registry import family

VARIATIONS = 40  # that are tried of a puzzle
DRAWS = 400  # at most, for one item; a test split of a tenth needs ten on average


@dataclass(frozen=True, slots=True)
class Item:
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
    images: tuple[bytes, ...]  # PNG, one for each <image> in the prompt
    answer: str  # gold, as the answer kind writes it; empty where none was found
    puzzle: Any
    canon: str  # the digest under which equal puzzles meet
    certificate: str  # constructed, solved or unique; empty where there is none
    solver: str
    parent: str = ""  # of a variant: the uid of the item it varies
    group: str = ""  # and of the one that all began with

    @property
    def messages(self) -> list[dict[str, str]]:
        return [{"role": "user", "content": self.prompt}]


def make(
    found: AnyFamily,
    knobs: Any,
    split: str,
    seed: int,
    index: int,
    level: float,
    phrasings: tuple[int, ...] = (),
) -> Item:
    """The item at an address, certified where that can be done."""
    item = draft(found, knobs, split, seed, index, level, phrasings)
    answer = certified(found, item.puzzle)
    if not answer:
        return item
    return replace(item, answer=answer, certificate=found.proof, solver=found.solver)


def draft(
    found: AnyFamily,
    knobs: Any,
    split: str,
    seed: int,
    index: int,
    level: float,
    phrasings: tuple[int, ...] = (),
) -> Item:
    """The item at an address, not yet solved."""
    settings = settings_of(knobs, phrasings)
    address = Address(found.name, found.version, settings, split, seed, index)
    puzzle, canon = _draw(found, knobs, address)
    prompt = found.render(puzzle, _style(address))
    skills = (skill for each, _ in parts(found, puzzle) for skill in (each.category, *each.skills))
    line = _line(found, address)
    return Item(
        uid=address.uid,
        family=found.name,
        version=found.version,
        category=found.category,
        tags=tuple(dict.fromkeys((found.category, *found.skills, *skills))),
        level=level,
        knobs=address.knobs,
        split=split,
        seed=seed,
        index=index,
        prompt=prompt.text,
        images=prompt.images,
        answer="",
        puzzle=puzzle,
        canon=canon,
        certificate="",
        solver="",
        parent=line[1].uid if found.origin else "",
        group=line[-1].uid if found.origin else "",
    )


def settings_of(knobs: Any, phrasings: tuple[int, ...] = ()) -> str:
    """Knobs as an address has them, with the phrasings to choose from where they are not all."""
    text = freeze(knobs)
    return canonical_json(json.loads(text) | {WORDING: phrasings}) if phrasings else text


def certified(found: AnyFamily, puzzle: Any) -> str:
    """Gold as text, if `solve` finds it and `verify`, by its own road, agrees; else nothing."""
    gold = found.solve(puzzle)
    if gold is None or found.verify(puzzle, gold) != 1:
        return ""
    return found.answer.write(gold)


def worked(found: AnyFamily, puzzle: Any, answer: str) -> str:
    """A reply that works it out: the steps, line by line, if there are any, and the answer."""
    lines = found.steps(puzzle) if found.steps else []
    return "\n".join([*lines, f"<answer>{answer}</answer>"])


def canon_of(found: AnyFamily, puzzle: Any) -> str:
    """The digest of a puzzle's canonical form."""
    if found.origin and found.origin.family.puzzle is found.puzzle:
        return canon_of(found.origin.family, puzzle)  # a twin is a puzzle like any other
    form = canonical_json(found.canon(puzzle)) if found.canon else freeze(puzzle)
    return digest(f"{found.name}\0{form}")


def kin_of(found: AnyFamily, puzzle: Any) -> str:
    """The digest under which puzzles meet that must not be in two splits."""
    assert found.kin is not None
    return digest(f"{found.name}\0{canonical_json(found.kin(puzzle))}")


def _draw(found: AnyFamily, knobs: Any, address: Address) -> tuple[Any, str]:
    """The first puzzle from the address's randomness that falls into its split.

    A variant is drawn from the puzzle that its origin has at the same address.
    """
    source = rng(address, "puzzle")
    generate = partial(found.generate, source, knobs)
    if found.origin:
        before = _line(found, address)[1]
        puzzle, _ = _draw(found.origin.family, knobs, before)
        start = Start(puzzle, _style(before), partial(_fits, address.split))
        generate = partial(found.origin.vary, source, knobs, start)
    nothing = 0  # a variant that is not to be had of its puzzle is soon given up
    for _ in range(DRAWS):
        puzzle = generate()
        if puzzle is not None and _fits(address.split, found, puzzle):
            return puzzle, canon_of(found, puzzle)
        nothing += puzzle is None
        if found.origin and nothing == VARIATIONS:
            break
    raise NoPuzzle(
        f"{found.name} with {address.knobs} gave no puzzle for the split {address.split!r}: it has"
        " too few; raise the level or widen the knobs"
    )


def _fits(split: str, found: AnyFamily, puzzle: Any) -> bool:
    """Whether all that is in a puzzle is of the split."""
    return all(
        split_of(kin_of(each, part) if each.kin else canon_of(each, part)) == split
        for each, part in parts(found, puzzle)
    )


def _line(found: AnyFamily, address: Address) -> list[Address]:
    """The address, and for a variant that of the item it is made from, and so on."""
    if found.origin is None:
        return [address]
    parent = found.origin.family
    return [address, *_line(parent, replace(address, family=parent.name, version=parent.version))]


def _style(address: Address) -> Style:
    chosen, source = wording(json.loads(address.knobs)), rng(address, "style")
    return Style(source.choice(chosen) if chosen else source.randrange(PHRASINGS))


@dataclass(frozen=True, slots=True)
class Items(Sequence[Item]):
    """Items made when they are asked for, in any order."""

    family: AnyFamily
    knobs: Any
    split: str
    seed: int
    level: float
    indices: range
    phrasings: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.indices)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> "Items": ...
    def __getitem__(self, place: int | slice) -> "Item | Items":
        if isinstance(place, slice):
            part = self.indices[place]
            return replace(self, indices=part)
        index = self.indices[place]
        address = self.split, self.seed, index
        return make(self.family, self.knobs, *address, self.level, self.phrasings)


def generate(
    name: str,
    level: float = 0.5,
    seed: int = 0,
    n: int = 1,
    split: str = "train",
    knobs: Mapping[str, Any] | None = None,
) -> Items:
    """n items of a family. Lazy: item i is made when it is asked for, and is always the same.

    The level sets all knobs; `knobs` sets some of them by hand, and with `phrasings`, a list of
    numbers, in which ways alone the prompts may be worded.
    """
    check_split(split)
    if n < 0:
        raise UserError(f"n is {n}; ask for 0 items or more")
    found = family(name)
    turned_knobs = turned(found.at(level), found.ladder, knobs or {})
    return Items(found, turned_knobs, split, seed, level, range(n), wording(knobs or {}))
