"""Which rows are exported and in which order: the curricula that `--curriculum` names."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from puzzlemill.core.address import SPLITS, digest
from puzzlemill.core.errors import unknown
from puzzlemill.core.rows import Fate
from puzzlemill.difficulty.schedules import ranked, stage_of
from puzzlemill.outputs.exports._hints import SHARES
from puzzlemill.outputs.exports._reading import Key, keys_of

NAMES = {
    "ranked": "the kept items in the build's own order",
    "easy-to-hard": "the kept items by their pass rate, the easiest first",
    "frontier": "the certified items that the policy hardly ever solves, the least hopeless first",
    "hints": "the frontier's items, each with the first steps of its solution: at first three"
    " quarters of them, then half, a quarter, none",
    "tiny:N": "N kept items to train on that have as many skills among them as can be",
}


@dataclass(frozen=True, slots=True)
class Curriculum:
    name: str
    count: int = 0  # of tiny:N

    @property
    def of_kept(self) -> bool:
        return self.name not in ("frontier", "hints")


def read_curriculum(text: str) -> Curriculum:
    if tiny := re.fullmatch(r"tiny:([1-9]\d{0,8})", text):
        return Curriculum("tiny", int(tiny[1]))
    if text not in NAMES or text == "tiny:N":
        raise unknown("curriculum", text, NAMES, "--curriculum")
    return Curriculum(text)


def arranged(
    folder: Path, curriculum: Curriculum, stages: int, unscored: bool
) -> dict[str, list[Key]]:
    """The keys of each split in order, with the rank and the stage they have in it."""
    fate: Fate = "kept" if curriculum.of_kept else "frontier"
    keys = keys_of(folder, fate)
    left = keys_of(folder, "unscored") if unscored else []
    found = {}
    for split in SPLITS:
        here = _ordered([key for key in keys if key["split"] == split], curriculum, split)
        for rank, key in enumerate(here):
            key["rank"] = rank
            if curriculum.name not in ("ranked", "hints"):
                key["stage"] = stage_of(rank, len(here), stages)
        after = [key | {"stage": "unscored"} for key in left if key["split"] == split]
        found[split] = here + [key | {"rank": len(here) + n} for n, key in enumerate(after)]
    return {split: here for split, here in found.items() if here}


def _ordered(keys: list[Key], curriculum: Curriculum, split: str) -> list[Key]:
    match curriculum.name:
        case "easy-to-hard" | "frontier":
            return [keys[place] for place in ranked(keys, "easy_to_hard")]
        case "hints":
            order = [keys[place] for place in ranked(keys, "easy_to_hard")]
            return [
                key | {"told": share, "stage": f"hint-{100 * share:.0f}"}
                for share in SHARES
                for key in order
            ]
        case "tiny" if split == "train":
            return list(spread(keys, curriculum.count))
    return sorted(keys, key=lambda key: key["rank"])


def spread(keys: Sequence[Key], count: int) -> Iterator[Key]:
    """So many items: at each turn one whose skills were seen least so far.

    A skill that was seen n times is worth 1 / (1 + n)². Of the items with the same skills the most
    informative comes first.
    """
    left: dict[tuple[str, ...], list[Key]] = defaultdict(list)
    for key in sorted(keys, key=_value, reverse=True):
        left[tuple(key["tags"])].append(key)
    seen: Counter[str] = Counter()

    def worth(tags: tuple[str, ...]) -> tuple[float, str]:
        return sum((1 + seen[tag]) ** -2 for tag in tags), digest(repr(tags))

    for _ in range(min(count, len(keys))):
        tags = max(left, key=worth)
        yield left[tags].pop(0)
        if not left[tags]:
            del left[tags]
        seen.update(tags)


def _value(key: Key) -> tuple[float, str]:
    return key["informs"] or 0.0, digest(key["uid"])
