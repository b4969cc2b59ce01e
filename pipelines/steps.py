"""The steps of a build: which stage each is, under which key its shards lie, and running one shard.

Only a folder, a step's name and a shard's number are needed to run a shard, wherever that is done.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import compress
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Any, Literal, TypeAlias, TypeVar

import pyarrow as pa

from puzzlemill.core import pool
from puzzlemill.core.address import Address, digest
from puzzlemill.core.counting import counted
from puzzlemill.core.errors import UserError
from puzzlemill.core.family import wording
from puzzlemill.core.files import checksum
from puzzlemill.core.guard import Failure
from puzzlemill.core.item import settings_of
from puzzlemill.core.knobs import turned
from puzzlemill.core.parquet import read_table, try_sealed
from puzzlemill.core.plain_data import canonical_json, names
from puzzlemill.core.recipe import Again, Recipe, Signal, recipe_from
from puzzlemill.core.registry import family
from puzzlemill.core.rows import FRONTIER, SCHEMA, row_of, table_of, with_columns
from puzzlemill.core.stage import Stage, marking, run_once, shard_path
from puzzlemill.difficulty.budget import Tally, never_solved, wanted
from puzzlemill.difficulty.guessing import guesses
from puzzlemill.difficulty.hints import least_hints
from puzzlemill.difficulty.knob_model import Course, Place, fit
from puzzlemill.difficulty.policies.loading import load_policy
from puzzlemill.difficulty.posterior import Belief
from puzzlemill.difficulty.scoring import ask, believed, places_of, question_of
from puzzlemill.difficulty.signals import rate_before, signals
from puzzlemill.filters._words import text_of
from puzzlemill.filters.contaminated import Sums, contaminated, found_in, sums_of
from puzzlemill.filters.duplicates import duplicate, later_copies
from puzzlemill.filters.guessable import guessable
from puzzlemill.filters.similar import later_likes, similar
from puzzlemill.filters.too_long import too_long
from puzzlemill.filters.unsolvable import unsolvable
from puzzlemill.filters.zero_variance import zero_variance
from puzzlemill.outputs.finished import scored_rows
from puzzlemill.pipelines.plan import Run, plan

MAKING = ("generate", "certify", "screen", "dedupe")
RESCORING = ("adopt",)


T = TypeVar("T")
Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Done:
    """What came of one shard of one step."""

    step: str
    shard: int
    rows: int
    dropped: int
    made: bool  # False: it was there already
    seconds: float
    path: str
    counts: Mapping[str, float] = field(default_factory=dict)  # what else happened


@dataclass(frozen=True)
class Build:
    """A folder and its recipe: all that decides what every shard holds and where it lies."""

    folder: Path
    recipe: Recipe
    evaluations: Sums = ()  # the files of which nothing is to be in it

    @property
    def steps(self) -> tuple[str, ...]:
        asking = (f"ask-{number}" for number in range(1, self.rounds + 1))
        wanted = {"guess": self.recipe.score.guesses, "hint": self.recipe.score.hints}
        more = (step for step in wanted if wanted[step] and self.rounds)
        return *self.sources_of_score, *asking, "score", "sieve", *more

    @property
    def rounds(self) -> int:
        """How often the policy is asked, with the probe of what it never solved."""
        if self.recipe.policy.kind == "none":
            return 0
        return self.recipe.score.rounds + bool(self.recipe.score.probe)

    @property
    def sources_of_score(self) -> tuple[str, ...]:
        made: tuple[str, ...] = RESCORING if self.recipe.parent else MAKING
        if self.recipe.decontaminate.against:
            place = made.index("dedupe") if "dedupe" in made else len(made)
            made = (*made[:place], "decontaminate", *made[place:])
        return (*made, "signal") if self.signal != "none" else made

    @property
    def signal(self) -> Signal | Literal["before"]:
        """What is told before the policy is asked: the pass rate before, or by a pass of its model,
        which must be here."""
        if self.recipe.parent:
            return "before"
        here = self.recipe.policy.kind in ("tiny", "native")
        return self.recipe.score.signal if here else "none"

    @property
    def shards(self) -> int:
        return len(self.sources)

    @cached_property
    def sources(self) -> Sequence[tuple[Run, ...]] | Sequence[Path]:
        """What the first step works from, one a shard."""
        if not self.recipe.parent:
            return plan(self.recipe)
        files = sorted(Path(self.recipe.parent, "dataset").rglob("*.parquet"))
        if not files:
            raise UserError(f"{self.recipe.parent}: no finished build (no dataset/*.parquet)")
        return files

    @cached_property
    def stages(self) -> dict[str, Stage]:
        return {step: _stage(self, step) for step in self.steps}

    @cached_property
    def copies(self) -> dict[str, str]:
        """Later copies of the same puzzle, over all shards: a pass over keys, once a process."""
        before = self.input_of("dedupe")
        keys = (
            row
            for shard in range(self.shards)
            for row in table(self, before, shard, ["uid", "canon", "dropped"]).to_pylist()
        )
        return later_copies((row["uid"], row["canon"]) for row in keys if row["dropped"] is None)

    @cached_property
    def likes(self) -> dict[str, str]:
        """Prompts much like an earlier one, of rows that are no copies: two passes over prompts."""
        before = self.input_of("dedupe")

        def texts() -> Iterator[tuple[str, str]]:
            for shard in range(self.shards):
                columns = ["uid", "prompt", "images.list.element.path", "dropped"]
                for row in table(self, before, shard, columns).to_pylist():
                    # Pictures may differ where words do not.
                    if (
                        row["dropped"] is None
                        and row["uid"] not in self.copies
                        and not row["images"]
                    ):
                        yield row["uid"], text_of(row["prompt"])

        return later_likes(texts, self.recipe.filters.similar)

    def input_of(self, step: str) -> str:
        """The step whose shard a step's is made from; empty for the first."""
        place = self.steps.index(step)
        if step == "score" or step.startswith("ask"):
            return self.sources_of_score[-1]  # the rows; the replies are looked up
        return self.steps[place - 1] if place else ""

    def all_of(self, step: str) -> str:
        """The fingerprint of all of a step's shards."""
        keys = (self.key(step, shard) for shard in range(self.shards))
        return self._once(("all", step), lambda: digest("".join(keys)))

    def key(self, step: str, shard: int) -> str:
        """The fingerprint of a shard: of its input's, of the stage's version and settings."""
        return self._once(("key", step, shard), lambda: self._key(step, shard))

    def _key(self, step: str, shard: int) -> str:
        before = self.input_of(step)
        if not before:
            return self.stages[step].key(_source_key(self.sources[shard]))
        inputs = [self.key(before, shard)]
        if step in ("dedupe", "score") or step.startswith("ask"):  # depends on every other shard
            inputs.append(self.all_of(self.steps[self.steps.index(step) - 1]))
        return self.stages[step].key(*inputs)

    @property
    def band(self) -> tuple[float, float]:
        return self.recipe.filters.band

    @cached_property
    def course(self) -> Course:
        """Where pass rates are to be expected, by an earlier build's scores."""
        earlier = self.recipe.score.earlier
        if not earlier:
            return Course()
        columns = ("family", "level", "trials", "successes")
        scores = (tuple(row[name] for name in columns) for row in scored_rows(Path(earlier)))
        return fit((*score[:2], 0.0, *score[2:]) for score in scores).course()

    def tallied(self, number: int) -> dict[str, Row]:
        """All rows that the policy was asked, and how it did up to a round, by uid."""

        def read() -> dict[str, Row]:
            shards = (table(self, f"ask-{number}", shard) for shard in range(self.shards))
            return {
                row["uid"]: row
                for shard in shards
                for row in shard.to_pylist()
                if row["trials"] is not None
            }

        return self._once(("tallied", number), read)

    def asked(self, number: int) -> dict[str, int]:
        """How many replies each row is asked for in a round, by uid."""

        def wish() -> dict[str, int]:
            uids, places, tallies = _apart(self.tallied(number - 1))
            if number > self.recipe.score.rounds:
                counts = never_solved(tallies, self.recipe.score)
            else:
                counts = wanted(places, tallies, self.recipe.score, self.band, self.course)
            return dict(zip(uids, counts, strict=True))

        return self._once(("asked", number), wish)

    @cached_property
    def beliefs(self) -> dict[str, Belief]:
        uids, places, tallies = _apart(self.tallied(self.rounds))
        group = self.recipe.train.group
        found = believed(places, tallies, self.band, group, self.course)
        return dict(zip(uids, found, strict=True))

    def _once(self, what: tuple[Any, ...], make: Callable[[], T]) -> T:
        """Worked out once a process."""
        if what not in self._known:
            self._known[what] = make()
        found: T = self._known[what]
        return found

    @cached_property
    def _known(self) -> dict[tuple[Any, ...], Any]:
        return {}

    def path(self, step: str, shard: int) -> Path:
        return shard_path(self.folder, self.stages[step], shard, self.key(step, shard))


def _apart(rows: Mapping[str, Row]) -> tuple[list[str], list[Place], list[Tally]]:
    """In the order of uids: of items that are alike, the first are asked."""
    uids = sorted(rows)
    tallies = [(rows[uid]["trials"], rows[uid]["successes"]) for uid in uids]
    return uids, places_of([rows[uid] for uid in uids]), tallies


def asks(step: str) -> bool:
    """Whether a step samples from the policy, or from its model: such go one shard at a time."""
    return step.startswith("ask") or step in ("signal", "guess", "hint")


def build_at(folder: Path) -> Build:
    """The build that a folder's recipe.json describes."""
    text = (folder / "recipe.json").read_text()
    against = json.loads(text).get("decontaminate", {}).get("against", ())
    return _build_of(folder, text, sums_of(against))  # which may have changed meanwhile


@lru_cache(maxsize=4)
def _build_of(folder: Path, recipe: str, evaluations: Sums) -> Build:
    return Build(folder, recipe_from(json.loads(recipe)), evaluations)


def run_shard(build: Build, step: str, shard: int) -> Done:
    """Make one shard of one step, unless it is there."""
    start = perf_counter()
    path = build.path(step, shard)
    with counted() as counts:
        made, new = run_once(build.stages[step], lambda: _input(build, step, shard), path)
    dropped = made.num_rows - made["dropped"].null_count
    seconds = perf_counter() - start
    return Done(step, shard, made.num_rows, dropped, new, seconds, str(path), dict(counts))


def table(build: Build, step: str, shard: int, columns: list[str] | None = None) -> pa.Table:
    """A shard's rows; one that is missing or damaged is made again first."""
    path = build.path(step, shard)
    found = try_sealed(path, columns)
    if found is None:
        run_shard(build, step, shard)
        found = read_table(path, columns)
    return found


def _input(build: Build, step: str, shard: int) -> pa.Table:
    if before := build.input_of(step):
        return table(build, before, shard)
    source = build.sources[shard]
    return _foreign(source) if isinstance(source, Path) else _generate(source)


def _foreign(path: Path) -> pa.Table:
    """Rows of an earlier build, which may be somebody else's."""
    found = read_table(path)
    if not found.schema.equals(SCHEMA):
        raise UserError(f"{path}: not the columns of a build of this Puzzlemill; build it again")
    for history in found["history"].to_pylist():
        if history is not None and not _is_history(history):
            raise UserError(f"{path}: holds a history of scores that is none; build it again")
    return found


def _is_history(text: str) -> bool:
    try:
        known = json.loads(text)
        return bool(known) and all(isinstance(each["mean"], float | int) for each in known)
    except (ValueError, TypeError, KeyError, RecursionError):
        return False


def _source_key(source: tuple[Run, ...] | Path) -> str:
    if isinstance(source, Path):
        return checksum(source)
    return canonical_json([run.describe() for run in source])


def _stage(build: Build, step: str) -> Stage:
    recipe = build.recipe
    match step:
        case "generate":  # the rows come from the source
            return Stage(step, 1, {}, lambda rows: rows)
        case "adopt":
            here = load_policy(recipe.policy).id
            settings = {"policy": here, **asdict(recipe.again)}
            return Stage(step, 2, settings, partial(_adopt, recipe.again, here))
        case "signal":
            settings = {"policy": load_policy(recipe.policy).id, "which": build.signal}
            return Stage(step, 1, settings, partial(_signal, build))
        case "certify":
            return Stage(step, 1, {}, _certify)
        case "screen":
            filters = [unsolvable(), too_long(recipe.filters.longest)]
        case "decontaminate":
            settings = asdict(recipe.decontaminate) | {"against": build.evaluations}
            return Stage(step, 1, settings, partial(_decontaminate, build))
        case "dedupe":
            if not recipe.filters.similar:
                return Stage(step, 1, {}, lambda rows: marking([duplicate(build.copies)])(rows))
            settings = {"similar": recipe.filters.similar}
            return Stage(step, 1, settings, partial(_dedupe, build))
        case "score" if recipe.policy.kind == "none":
            return Stage(step, 1, {"policy": None}, _unasked)
        case "score":
            policy = load_policy(recipe.policy)
            settings = {"policy": policy.id, "band": build.band, "group": recipe.train.group}
            return Stage(step, 2, settings, partial(_score, build))
        case "guess" | "hint":
            settings = {"policy": load_policy(recipe.policy).id}
            if step == "guess":
                settings |= {"guesses": recipe.score.guesses}
                return Stage(step, 1, settings, partial(_guess, build))
            settings |= {"hints": recipe.score.hints}
            return Stage(step, 1, settings, partial(_hint, build))
        case _ if step.startswith("ask"):
            policy = load_policy(recipe.policy)
            settings = {"policy": policy.id, "sees": recipe.policy.sees, "band": build.band}
            number = int(step.removeprefix("ask-"))
            settings |= asdict(recipe.score) | {
                "round": number,
                "earlier": _digest_of_earlier(build),
            }
            return Stage(step, 1, settings, partial(_ask, build, number))
        case _:
            assert step == "sieve", f"no step {step!r}"
            filters = [zero_variance(*build.band)]
    settings = {each.name: [each.version, dict(each.settings)] for each in filters}
    return Stage(step, 1, settings, marking(filters))


def _generate(runs: tuple[Run, ...]) -> pa.Table:
    calls = [
        (run.family, run.level, run.knobs, run.split, run.seed, index)
        for run in runs
        for index in range(run.start, run.start + run.count)
    ]
    parents = [run.parent for run in runs for _ in range(run.count)]
    drawn = pool.run("puzzlemill.core.making:draw", calls)
    rows = []
    for call, parent, item in zip(calls, parents, drawn, strict=True):
        row = _failed(call, item.reason) if isinstance(item, Failure) else row_of(item)
        rows.append(row | {"parent": parent or row["parent"]})
    return table_of(rows)


def _failed(call: tuple[str, float, str, str, int, int], reason: str) -> dict[str, Any]:
    """The row of an address that gave no puzzle."""
    name, level, knobs, split, seed, index = call
    found = family(name)
    by_hand = json.loads(knobs)
    turned_knobs = settings_of(turned(found.at(level), found.ladder, by_hand), wording(by_hand))
    address = Address(name, found.version, turned_knobs, split, seed, index)
    return dict.fromkeys(SCHEMA.names) | {
        "uid": address.uid,
        "family": name,
        "version": found.version,
        "category": found.category,
        "level": level,
        "knobs": turned_knobs,
        "split": split,
        "seed": seed,
        "index": index,
        "prompt": [],
        "certificate": "",
        "dropped": f"no puzzle: {reason}",
    }


def _certify(rows: pa.Table) -> pa.Table:
    known = rows.select(["family", "puzzle", "dropped"]).to_pylist()
    sound = [n for n, row in enumerate(known) if row["dropped"] is None]
    calls = [(known[n]["family"], known[n]["puzzle"]) for n in sound]
    found = dict(zip(sound, pool.run("puzzlemill.core.making:gold", calls), strict=True))
    nothing = ("", "", "")
    golds = [found.get(n, nothing) for n in range(len(known))]
    answers = [nothing if isinstance(gold, Failure) else gold for gold in golds]
    return with_columns(
        rows,
        {
            "answer": [answer for answer, _, _ in answers],
            "certificate": [certificate for _, certificate, _ in answers],
            "solver": [solver for _, _, solver in answers],
            "dropped": [
                f"unsolvable: {gold.reason}" if isinstance(gold, Failure) else row["dropped"]
                for row, gold in zip(known, golds, strict=True)
            ],
        },
    )


def _dedupe(build: Build, rows: pa.Table) -> pa.Table:
    return marking([duplicate(build.copies), similar(build.likes)])(rows)


def _decontaminate(build: Build, rows: pa.Table) -> pa.Table:
    """Mark what is in an evaluation set, or too like it."""
    wanted = build.recipe.decontaminate
    columns = ["uid", "family", "prompt", "images", "canon", "dropped"]
    standing = [row for row in rows.select(columns).to_pylist() if row["dropped"] is None]
    found = found_in(standing, build.evaluations, wanted.column, wanted.ngram, wanted.share)
    return marking([contaminated(found)])(rows)


def _ask(build: Build, number: int, rows: pa.Table) -> pa.Table:
    """Ask the policy what a round is to ask of these rows; how it has done so far."""
    policy, first = load_policy(build.recipe.policy), number == 1
    known = rows.select(_ASKED).to_pylist()
    if first:
        standing = [row for row in known if row["dropped"] is None and row["trials"] is None]
        taken = [row for row in standing if policy.takes(question_of(row, "score"))]
        asked, tallies = [build.recipe.score.first] * len(taken), [(0, 0)] * len(taken)
    else:
        before, wished = build.tallied(number - 1), build.asked(number)
        taken = [row for row in known if row["uid"] in before]
        asked = [wished[row["uid"]] for row in taken]
        tallies = [(before[row["uid"]]["trials"], before[row["uid"]]["successes"]) for row in taken]
    done = ask(taken, asked, tallies, policy, number)
    found = {row["uid"]: tally for row, tally in zip(taken, done, strict=True)}
    each = [found.get(row["uid"], (None, None)) for row in known]
    columns = {"trials": [trials for trials, _ in each], "successes": [right for _, right in each]}
    return with_columns(rows, columns).select([*_PLACE, "trials", "successes"])


def _score(build: Build, rows: pa.Table) -> pa.Table:
    """Fill the difficulty columns of the rows that the policy was asked."""
    policy = load_policy(build.recipe.policy).id
    columns = ["uid", "policy", *names(Belief)]
    known = rows.select(columns).to_pylist()
    for row in known:
        if belief := build.beliefs.get(row["uid"]):
            row |= asdict(belief) | {"policy": policy}
    return with_columns(rows, {name: [row[name] for row in known] for name in columns[1:]})


def _signal(build: Build, rows: pa.Table) -> pa.Table:
    """Look at the rows that will be asked."""
    known = rows.select([*_ASKED, "answer", "history"]).to_pylist()
    wanted = [row["dropped"] is None and row["trials"] is None for row in known]
    policy = load_policy(build.recipe.policy)
    asked = list(compress(known, wanted))
    if build.signal == "before":
        told = [rate_before(row["history"]) for row in asked]
    else:
        told = signals(policy, asked, build.signal)
    return _told(rows, wanted, {"signal": told})


def _guess(build: Build, rows: pa.Table) -> pa.Table:
    """Ask for what is kept without reasoning, and turn away what is so solved."""
    known = rows.select([*_ASKED, "scored_at"]).to_pylist()
    kept = [row["dropped"] is None and _is_new(row) for row in known]
    policy, count = load_policy(build.recipe.policy), build.recipe.score.guesses
    right = guesses(list(compress(known, kept)), policy, count)
    told = _told(rows, kept, {"guesses": [count] * len(right), "guessed": right})
    return marking([guessable()])(told)


def _hint(build: Build, rows: pa.Table) -> pa.Table:
    """Ask for what is at the frontier with more and more of its solution."""
    known = rows.select([*_ASKED, "answer", "scored_at"]).to_pylist()
    beyond = [row["dropped"] == FRONTIER and _is_new(row) for row in known]
    policy, shares = load_policy(build.recipe.policy), build.recipe.score.hints
    return _told(rows, beyond, {"hint": least_hints(list(compress(known, beyond)), policy, shares)})


def _is_new(row: Row) -> bool:
    """Whether it was scored by this build: what keeps an older score keeps all of it."""
    return bool(row["trials"]) and row["scored_at"] is None


def _told(rows: pa.Table, which: Sequence[bool], values: Mapping[str, Sequence[Any]]) -> pa.Table:
    """The table with new values in some of its rows."""
    columns = {}
    for name, some in values.items():
        new = iter(some)
        old = rows[name].to_pylist()
        columns[name] = [next(new) if each else was for each, was in zip(which, old, strict=True)]
    return with_columns(rows, columns)


def _unasked(rows: pa.Table) -> pa.Table:
    """Where there is no policy, the rows that stand are kept untried."""
    tried = [0 if dropped is None else None for dropped in rows["dropped"].to_pylist()]
    return with_columns(rows, {"trials": tried, "successes": tried})


def _adopt(again: Again, policy: str, rows: pa.Table) -> pa.Table:
    """A finished build's rows, some to be scored anew: the old score joins the history."""
    found = rows.select(["dropped", "history", "rank", *_SCORE]).to_pylist()
    first, last = again.ranks or (0, inf)
    for row in found:
        ranked = not again.ranks or (row["rank"] is not None and first <= row["rank"] < last)
        if row["trials"] is not None and ranked and not (again.stale and row["policy"] == policy):
            history = json.loads(row["history"] or "[]")
            history.append({name: row[name] for name in _SCORE})
            # Who was turned away for its difficulty comes back; a duplicate stays one.
            row |= dict.fromkeys(("dropped", *_SCORE)) | {"history": json.dumps(history)}
    columns = {name: [row[name] for row in found] for name in ("dropped", "history", *_SCORE)}
    blank = [None] * len(found)
    return with_columns(rows, columns | dict.fromkeys(("rank", "stage"), blank))


def _digest_of_earlier(build: Build) -> str:
    earlier = build.recipe.score.earlier
    return checksum(Path(earlier, "manifest.json")) if earlier else ""


_SCORE = ("signal", "policy", *names(Belief), "scored_at", "guesses", "guessed", "hint")
_PLACE = ["uid", "family", "level", "signal", "dropped"]
_ASKED = [*_PLACE, "version", "prompt", "images", "puzzle", "trials"]
