"""The items of an evaluation, and the ways in which they are asked again."""

from collections.abc import Iterator
from dataclasses import replace

from puzzlemill.core import registry
from puzzlemill.core.errors import NoPuzzle
from puzzlemill.core.family import PHRASINGS, Style
from puzzlemill.core.item import Item, address_at, make
from puzzlemill.difficulty.ability import LEVELS
from puzzlemill.pipelines.evaluation.settings import WORDING


def item_at(family: str, level: int, index: int, seed: int) -> Item | None:
    """The item of a family at a place in LEVELS; None where there is none."""
    known = registry.family(family)
    at = float(LEVELS[level])
    try:
        return make(known, address_at(known, at, split="test", seed=seed, index=index), at)
    except NoPuzzle:
        return None


def asked_again(item: Item, ways: tuple[str, ...]) -> Iterator[tuple[str, Item]]:
    """The item in other wordings and as its variants, as far as there are any."""
    family = registry.family(item.family)
    for way in ways:
        if way == WORDING:
            if other := _reworded(item):
                yield way, other
            continue
        name = f"{family.name}+{way}"
        if name not in registry.variants(family.name):
            continue
        variant = registry.family(name)
        address = replace(item.address, family=name, version=variant.version)
        try:
            yield way, make(variant, address, item.level)
        except NoPuzzle:
            continue


def _reworded(item: Item) -> Item | None:
    """The same puzzle and pictures in another wording."""
    render = registry.family(item.family).render
    for number in range(PHRASINGS):
        prompt = render(item.puzzle, Style(number))
        if prompt.text != item.prompt and prompt.images == item.images:
            return replace(item, prompt=prompt.text)
    return None
