"""The live band: tasks at the levels whose pass rates, as this server sees them, lie in a band.

Each family has a knob model of its own (difficulty/knob_model.py), fitted to the episodes of fresh
items that this server has judged. It is fitted anew when a task of the family is asked for and
there are new verdicts. What a split and an index stand for is remembered, so that all episodes of a
group are about one item.
"""

from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from random import Random
from typing import Any

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.knob_model import cell, distinct_levels, fit
from puzzlemill.difficulty.targeting import LEAST, likeliest_levels
from puzzlemill.serving.jobs import REACH
from puzzlemill.serving.settings import Serve
from puzzlemill.serving.tasks import Task, check_item_task, task_at

NAME = "live_band"
REMEMBERED = 65_536  # tasks by split and index
ITEMS = 512  # of each family, whose replies are counted: the newest
FRESH = 8  # verdicts, at most, that a family's fit may be behind
TRIES = 8  # families that are looked at for one that has a level in the band
EXPLORED = 0.25  # the chance with which one that seems to have none is taken all the same


@dataclass(eq=False)
class LiveBand:
    """An environment like any other, but that its tasks depend on what was judged before."""

    families: tuple[str, ...]
    settings: Serve
    name: str = NAME
    is_game: bool = False
    tallies: dict[str, "OrderedDict[str, list[Any]]"] = field(default_factory=dict)  # by item
    behind: "Counter[str]" = field(default_factory=Counter)  # verdicts since a family's fit
    # By family: the levels to ask at, and the chance that an item there lies in the band.
    aims: dict[str, tuple[tuple[float, ...], float]] = field(default_factory=dict)
    aimed: "OrderedDict[tuple[str, int], Task]" = field(default_factory=OrderedDict)

    def count(self, split: str) -> int:
        return self.settings.tasks

    def task(self, split: str, index: int) -> Task:
        key = split, index
        if key not in self.aimed:
            family, level = self._aim(key)
            self.aimed[key] = self._task(family, level, split, index)
            if len(self.aimed) > REMEMBERED:
                self.aimed.popitem(last=False)
        return self.aimed[key]

    def _task(self, family: str, level: float, split: str, index: int) -> Task:
        # Apart from the items of other environments, and from those that stand in for them.
        number = 2 * REACH * self.settings.tasks + index
        return task_at(family, level, split, self.settings.seed, number)

    def check(self, task: Task) -> None:
        check_item_task(task, self.name, self.families)

    def judged(self, uid: str, family: str, level: float, correct: bool) -> None:
        """Take in a first try at an item."""
        if family not in self.families:
            return
        if family not in self.tallies:
            self.tallies[family] = OrderedDict()
        items = self.tallies[family]
        tally = items.setdefault(uid, [level, 0, 0])
        items.move_to_end(uid)
        tally[1] += 1
        tally[2] += correct
        self.behind[family] += 1
        if len(items) > ITEMS:
            items.popitem(last=False)

    def state_dict(self) -> dict[str, Any]:
        """What was learnt and aimed at, as JSON holds it: for a checkpoint."""
        aimed = [[*key, task["family"], task["level"]] for key, task in self.aimed.items()]
        tallies = {
            family: [[uid, *tally] for uid, tally in items.items()]
            for family, items in self.tallies.items()
        }
        return {"tallies": tallies, "aimed": aimed}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a checkpoint, with the same tasks at the same places."""
        named = {*state["tallies"], *(family for _, _, family, _ in state["aimed"])}
        if others := named - set(self.families):
            raise UserError(
                f"the live band's state is of other families, such as {min(others)}: name the"
                " families that it was saved with"
            )
        self.tallies = {
            family: OrderedDict((uid, tally) for uid, *tally in items)
            for family, items in state["tallies"].items()
        }
        self.aimed = OrderedDict(
            ((split, index), self._task(family, level, split, index))
            for split, index, family, level in state["aimed"]
        )
        self.behind.clear()
        self.refit()

    def refit(self) -> None:
        """Fit each family anew when it is next aimed at, however few its verdicts since."""
        self.aims.clear()

    def _aim(self, key: tuple[str, int]) -> tuple[str, float]:
        """A family, and one of its levels that are likeliest to lie in the band. Families that
        were seen to have none are mostly passed over."""
        low, high = self.settings.band
        seed = blake2b(repr((self.settings.seed, *key)).encode()).digest()
        rng = Random(int.from_bytes(seed))
        for _ in range(TRIES):
            family = rng.choice(self.families)
            levels, chance = self._levels(family)
            unseen = family not in self.tallies
            if unseen or chance >= min(LEAST, high - low) or rng.random() < EXPLORED:
                break
        return family, rng.choice(levels)

    def _levels(self, family: str) -> tuple[tuple[float, ...], float]:
        """By a fit that is as new as it has to be."""
        if family not in self.aims or self.behind[family] >= FRESH:
            observations = [
                (family, level, 0.0, trials, right)
                for level, trials, right in self.tallies.get(family, OrderedDict()).values()
            ]
            also = [cell(family, level) for level in distinct_levels(family)]
            model = fit(observations, also)
            self.aims[family] = likeliest_levels(model, family, *self.settings.band)
            self.behind[family] = 0
        return self.aims[family]
