"""Fresh items without end: a cell of the pool is a family at a level, each of its items a new one.

Worker processes make and certify items, some of them ahead of time: an item is fixed by its
address, so it is the same whether it was made ahead or not. No puzzle is used twice, by its
canonical form; a cell with too few puzzles for that starts over, and the checkpoint counts the
repeats.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from functools import cached_property
from random import Random
from statistics import fmean
from threading import Lock
from typing import TYPE_CHECKING, Any

from puzzlemill.core.errors import UserError
from puzzlemill.core.guard import Failure
from puzzlemill.core.item import address_at, make
from puzzlemill.core.knobs import WORDING, axes, knobs_at, turned
from puzzlemill.core.registry import families_of, family
from puzzlemill.core.rows import row_of
from puzzlemill.core.storage import pool as workers
from puzzlemill.difficulty.answer_forms import answer_form
from puzzlemill.difficulty.curricula import Pool, State, moves_knobs
from puzzlemill.difficulty.prompt_styles import in_style
from puzzlemill.trainer.schedule import UNKNOWN, Row, Ticket
from puzzlemill.trainer.settings import Train

if TYPE_CHECKING:  # a worker that makes items reads no recipe
    from puzzlemill.pipelines.recipe import Recipe

SECONDS = 60.0  # for one item
SKIPPED = 40  # repeats in a row, until a cell starts over
SETTINGS = 48  # of a family's numeric knobs, where a teacher moves them one by one
AHEAD = 4  # items of a cell that are made ahead of time
HELD = 4096  # rows in memory

Cell = tuple[str, float, int]  # family, level, and which [[make]] of the recipe


def unseen_of(settings: Train) -> frozenset[str]:
    """The families that are measured and not trained on."""
    return frozenset(families_of(settings.unseen))


class EndlessItems:
    """The cells of a recipe's [[make]] tables."""

    def __init__(self, recipe: "Recipe") -> None:
        self.recipe = recipe
        settings = recipe.items
        leave = unseen_of(settings)
        self.cells: list[Cell] = [
            (name, level, number)
            for number, make in enumerate(recipe.make)
            for name in families_of(make.families, make.variants)
            for level in make.levels
            if name not in leave and level not in settings.unseen_levels
        ]
        # The knobs that each is made with besides those of its level.
        self.by_hand = [dict(recipe.make[number].knobs) for _, _, number in self.cells]
        self.plain = len(self.cells)
        if moves_knobs(settings.curriculum):
            self._add_knob_settings(settings.unseen_levels)
        if not self.cells:
            raise UserError("nothing is left to train on: [train] unseen holds all that is made")
        self.serials: dict[int, int] = {}  # how far each cell has come
        self.used: set[str] = set()  # canonical forms
        self.repeats = 0
        self.rows: dict[Ticket, Row | None] = {}  # None: there is no such item
        self.ahead: Future[dict[Ticket, Row | None]] | None = None
        self.thread = ThreadPoolExecutor(1, "items")
        # Rows are read where a step is learned from, while later steps are sampled.
        self.lock = Lock()

    @cached_property
    def pool(self) -> Pool:
        knobs = [
            asdict(turned(family(name).at(level), family(name).ladder, by_hand))
            for (name, level, _), by_hand in zip(self.cells, self.by_hand, strict=True)
        ]
        names = [cell[0] for cell in self.cells]
        return Pool(
            [cell[:2] for cell in self.cells],
            [UNKNOWN] * len(self.cells),
            knobs,
            [family(name).category for name in names],
            [answer_form(name) for name in names],
        )

    def _add_knob_settings(self, unseen_levels: Sequence[float]) -> None:
        """Cells whose numeric knobs are turned one by one, spread over the space of each family.
        Their level, which sets the other knobs, is the mean of those."""
        for name, number in dict.fromkeys((name, number) for name, _, number in self.cells):
            ladder, rng = family(name).ladder, Random(f"knob settings of {name}")
            fixed = dict(self.recipe.make[number].knobs)
            for _ in range(SETTINGS):
                point = tuple(rng.random() for _ in axes(ladder))
                level = round(fmean(point), 1) if point else 0.0
                by_hand = knobs_at(ladder, point) | fixed
                cell = name, level, number
                there = zip(self.cells, self.by_hand, strict=True)
                if point and level not in unseen_levels and (cell, by_hand) not in there:
                    self.cells.append(cell)
                    self.by_hand.append(by_hand)

    def tickets(self, places: Sequence[int]) -> list[Ticket]:
        with self.lock:
            return self._next_tickets(list(places))

    def _next_tickets(self, places: list[int]) -> list[Ticket]:
        new: list[Ticket | None] = [None] * len(places)
        skipped = dict.fromkeys(places, 0)
        while missing := [n for n, ticket in enumerate(new) if ticket is None]:
            tries: dict[int, Ticket] = {}
            for n in missing:
                place = places[n]
                tries[n] = Ticket(place, self.serials.get(place, 0))
                self.serials[place] = tries[n].serial + 1
            self._make_missing(list(tries.values()))
            for n, ticket in tries.items():
                row = self.rows[ticket]
                if row is None and skipped[ticket.place] > SKIPPED:
                    family_, level, number = self.cells[ticket.place]
                    if ticket.place >= self.plain:  # knobs that do not go together
                        places[n] = self._place_nearest(family_, level, number)
                        skipped.setdefault(places[n], 0)
                        continue
                    raise UserError(
                        f"{family_} at level {level:g} gives no certified items: leave it out"
                    )
                starts_over = skipped[ticket.place] > SKIPPED
                if row is None or (row["canon"] in self.used and not starts_over):
                    skipped[ticket.place] += 1
                    continue
                self.repeats += row["canon"] in self.used
                self.used.add(row["canon"])
                new[n] = ticket
        self._make_ahead(sorted(set(places)))
        return [ticket for ticket in new if ticket is not None]

    def _place_nearest(self, name: str, level: float, number: int) -> int:
        """The place of a cell of the recipe's own that is like one without items."""
        own = [n for n in range(self.plain) if self.cells[n][::2] == (name, number)]
        return min(own, key=lambda place: abs(self.cells[place][1] - level))

    def row(self, ticket: Ticket) -> Row:
        with self.lock:
            self._make_missing([ticket])
            row = self.rows[ticket]
        assert row is not None, f"{ticket} was not made before"
        return row

    def state(self) -> State:
        serials = {str(place): serial for place, serial in sorted(self.serials.items())}
        return {"serials": serials, "asked": sorted(self.used), "repeats": self.repeats}

    def restore(self, state: State) -> None:
        self.serials = {int(place): serial for place, serial in state["serials"].items()}
        self.used, self.repeats = set(state["asked"]), state["repeats"]

    def _make_missing(self, tickets: Sequence[Ticket]) -> None:
        """Make what is missing, after what is being made ahead."""
        if self.ahead is not None and any(ticket not in self.rows for ticket in tickets):
            self.rows |= self.ahead.result()
            self.ahead = None
        missing = [ticket for ticket in dict.fromkeys(tickets) if ticket not in self.rows]
        if missing:
            self.rows |= self._rows_of(missing)
        for old in list(self.rows)[: max(len(self.rows) - HELD, 0)]:
            if old not in tickets:
                del self.rows[old]

    def _make_ahead(self, places: Sequence[int]) -> None:
        if self.ahead is not None and not self.ahead.done():
            return
        if self.ahead is not None:
            self.rows |= self.ahead.result()
        coming = [
            ticket
            for place in places
            for ticket in (Ticket(place, self.serials[place] + n) for n in range(AHEAD))
            if ticket not in self.rows
        ]
        self.ahead = self.thread.submit(self._rows_of, coming) if coming else None

    def _rows_of(self, tickets: Sequence[Ticket]) -> dict[Ticket, Row | None]:
        calls = [self._call(ticket) for ticket in tickets]
        policy = self.recipe.policy
        rows = workers.run(
            "puzzlemill.trainer.endless_items:certified_row", calls, seconds=SECONDS, chunk=1
        )
        return {
            ticket: None
            if isinstance(row, Failure) or row is None
            else in_style(row, policy.style, policy.system)
            for ticket, row in zip(tickets, rows, strict=True)
        }

    def _call(self, ticket: Ticket) -> tuple[Any, ...]:
        name, level, number = self.cells[ticket.place]
        make = self.recipe.make[number]
        seed = self.recipe.seed if make.seed is None else make.seed
        return (
            name,
            level,
            self.by_hand[ticket.place],
            make.phrasings,
            make.split,
            seed,
            ticket.serial,
        )


def certified_row(
    name: str,
    level: float,
    knobs: Mapping[str, Any],
    phrasings: tuple[int, ...],
    split: str,
    seed: int,
    serial: int,
) -> Row | None:
    """One certified item as a row, without difficulty; None where it has no certificate."""
    its_family = family(name)
    by_hand = {**knobs, WORDING: phrasings}
    address = address_at(its_family, level, by_hand, split=split, seed=seed, index=serial)
    item = make(its_family, address, level)
    return row_of(item) if item.certificate else None
