"""Worked solutions of families, and which families are for what.

Families that show their steps and whose texts are short are divided once, by chance: `held` are
measured and never learned, `base` warm the students, `sources` are what experiments add. The
division is kept in families.json, so that a new family changes no figure.
"""

from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

from puzzlemill.core import registry
from puzzlemill.core.item import Item, address_of, draft, worked
from puzzlemill.core.storage.files import read_json, write_json
from puzzlemill.core.verdict import judge
from puzzlemill.trainer.tiny import Pair

HARDEST = 0.2  # levels are drawn from 0 to this
CHARACTERS = 1000  # of a prompt and its worked solution
TRIED = 3  # items of each family, to see how long its texts are
HELD, BASE = 16, 32  # families
OTHERS = 40  # items whose answers are tried as wrong ones
UNSEEN = 10_000  # a first index that no warming reaches
WORDINGS = (0, 1)  # of prompts that broad students and RL learn from; others are measured
KEPT = 4096  # items in memory


@dataclass(frozen=True, slots=True)
class Families:
    held: list[str]
    base: list[str]
    sources: list[str]


def families(file: Path) -> Families:
    """As the file has them; where there is none, they are divided and it is written."""
    if not file.is_file():
        write_json(file, asdict(divided([name for name in registry.names() if is_short(name)])))
    return Families(**read_json(file))


def divided(names: list[str]) -> Families:
    mixed = Random("learning").sample(sorted(names), len(names))
    held, rest = mixed[:HELD], mixed[HELD:]
    return Families(sorted(held), sorted(rest[:BASE]), sorted(rest[BASE:]))


def is_short(name: str) -> bool:
    if registry.family(name).steps is None:
        return False
    items = [_item(name, "train", index) for index in range(TRIED)]
    texts = [sum(map(len, solution(name, "train", index))) for index in range(TRIED)]
    return max(texts) <= CHARACTERS and not any(item.images for item in items)


def solution(name: str, split: str, index: int, phrasings: tuple[int, ...] = ()) -> Pair:
    """A prompt, in one of these phrasings where they are given, and a worked reply."""
    item = _item(name, split, index, phrasings)
    gold = _gold(name, split, index, phrasings)
    return item.prompt, worked(registry.family(name), item.puzzle, gold)


def wrong_solution(name: str, split: str, index: int) -> Pair:
    """The right steps, and the answer of a later item, which is wrong for this one."""
    item, family = _item(name, split, index), registry.family(name)
    for other in range(index + 1, index + 1 + OTHERS):
        reply = worked(family, item.puzzle, _gold(name, split, other))
        if not judge(family, item.puzzle, reply).correct:
            return item.prompt, reply
    raise AssertionError(f"{name}: the answers of {OTHERS} items are right for another one")


@lru_cache(maxsize=KEPT)
def _item(name: str, split: str, index: int, phrasings: tuple[int, ...] = ()) -> Item:
    rng, family = Random(f"learning {name} {split} {index}"), registry.family(name)
    level = HARDEST * rng.random()
    seed = rng.getrandbits(60)
    address = address_of(family, family.at(level), phrasings=phrasings, split=split, seed=seed)
    return draft(family, address, level)


@lru_cache(maxsize=KEPT)
def _gold(name: str, split: str, index: int, phrasings: tuple[int, ...] = ()) -> str:
    family = registry.family(name)
    return family.answer.write(family.solve(_item(name, split, index, phrasings).puzzle))
