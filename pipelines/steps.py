"""The steps of a build: which stage each is, under which key its shards lie, and running one shard.

Only a folder, a step's name and a shard's number are needed to run a shard, wherever that is done.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cached_property, lru_cache, partial
from itertools import compress
from pathlib import Path
from time import perf_counter
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa

from puzzlemill.core.address import digest
from puzzlemill.core.checking import Verdict
from puzzlemill.core.counting import counted
from puzzlemill.core.errors import UserError
from puzzlemill.core.files import checksum, write_json, write_text
from puzzlemill.core.parquet import read_table, try_sealed
from puzzlemill.core.plain_data import canonical_json, names
from puzzlemill.core.recipe import Recipe, Signal, recipe_from
from puzzlemill.core.rows import FRONTIER, REPLY, SCHEMA, with_columns
from puzzlemill.core.stage import Stage, marking, run_once, shard_path
from puzzlemill.core.store import Store, store_at
from puzzlemill.difficulty.budget import Tally, never_solved, wanted
from puzzlemill.difficulty.guessing import guesses
from puzzlemill.difficulty.hints import least_hints
from puzzlemill.difficulty.knob_model import Course, Place, fit
from puzzlemill.difficulty.policies.loading import load_policy
from puzzlemill.difficulty.policies.policy import Reply
from puzzlemill.difficulty.posterior import Belief
from puzzlemill.difficulty.scoring import ask, believed, places_of, question_of
from puzzlemill.difficulty.signals import rate_before, signals
from puzzlemill.filters._words import text_of
from puzzlemill.filters.contaminated import Sums, contaminated, found_in, sums_of
from puzzlemill.filters.duplicates import Places, later_copies
from puzzlemill.filters.guessable import guessable
from puzzlemill.filters.similar import later_likes
from puzzlemill.filters.too_long import too_long
from puzzlemill.filters.unsolvable import unsolvable
from puzzlemill.filters.zero_variance import zero_variance
from puzzlemill.outputs.finished import scored_rows
from puzzlemill.pipelines.adopting import adopted, rows_of
from puzzlemill.pipelines.making import certified, generated
from puzzlemill.pipelines.plan import Run, plan

POLICY, POLICY_FILE = "policy", "policy.json"
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

    @cached_property
    def store(self) -> Store | None:
        return store_at(self.recipe.store, self.folder) if self.recipe.store else None

    @property
    def started(self) -> str:
        """When it was begun: kept, so that going on later gives the same bytes."""
        path = self.folder / "started.txt"
        if not path.is_file() and not (self.store and self.store.fetch(path)):
            epoch = os.environ.get("SOURCE_DATE_EPOCH")
            moment = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
            write_text(path, moment.strftime("%Y-%m-%dT%H:%M:%SZ\n"))
            if self.store:
                self.store.put(path)
        started = path.read_text(encoding="utf-8", errors="replace").strip()
        if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", started):
            raise UserError(f"{path}: damaged; remove it, and the build is dated anew")
        return started

    @property
    def policy(self) -> str:
        """The id of the policy that is asked, as noted by who has it loaded: not all need to."""
        known = json.loads((self.folder / POLICY_FILE).read_text(encoding="utf-8"))
        return str(known["id"])

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
        here = self.recipe.policy.kind in ("tiny", "native", "transformers")
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

    def input_of(self, step: str) -> str:
        """The step whose shard a step's is made from; empty for the first."""
        place = self.steps.index(step)
        if step == "score" or step.startswith("ask"):
            return self.sources_of_score[-1]  # the rows; the replies are looked up
        return self.steps[place - 1] if place else ""

    def all_of(self, step: str) -> str:
        """The fingerprint of all of a step's shards."""
        keys = (self.key(step, shard) for shard in range(self.shards))
        return self.once(("all", step), lambda: digest("".join(keys)))

    def key(self, step: str, shard: int) -> str:
        """The fingerprint of a shard: of its input's, of the stage's version and settings."""
        return self.once(("key", step, shard), lambda: self._key(step, shard))

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

    def facts(self, step: str) -> pa.Table:
        """What a step goes by that is known only from all shards, worked out once for all of them.

        Columns `shard` and `row`, in order, and what there is to know of that row.
        """
        held: tuple[str, pa.Table] | None = self._known.get(("facts",))
        if held is None or held[0] != step:  # those of earlier steps are not needed again
            made, _ = run_once(self.path_of_facts(step), lambda: _facts(self, step), self.store)
            self._known["facts",] = held = step, made
        return held[1]

    def path_of_facts(self, step: str) -> Path:
        before = self.all_of(self.steps[self.steps.index(step) - 1])
        stage = self.stages[step]
        return self.folder / "stages" / step / f"all-{stage.key('all', before)}.parquet"

    def told(self, step: str, shard: int) -> dict[int, Row]:
        """The facts of one shard, by row."""
        facts = self.facts(step)
        shards = facts["shard"].combine_chunks().to_numpy()
        first, last = np.searchsorted(shards, [shard, shard + 1])
        return {row["row"]: row for row in facts.slice(first, last - first).to_pylist()}

    def once(self, what: tuple[Any, ...], make: Callable[[], T]) -> T:
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


def asks(step: str) -> bool:
    """Whether a step needs the policy, or its model, loaded: only so many go at once as there are
    replicas of it."""
    return step.startswith("ask") or step in ("signal", "guess", "hint", POLICY)


def note_policy(build: Build) -> Done:
    """Load the policy, and note down who it is for those that do not."""
    start, path = perf_counter(), build.folder / POLICY_FILE
    write_json(path, {"id": load_policy(build.recipe.policy).id})
    return Done(POLICY, 0, 0, 0, True, perf_counter() - start, str(path))


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
        made, new = run_once(path, lambda: _made(build, step, shard), build.store)
    dropped = made.num_rows - made["dropped"].null_count
    seconds = perf_counter() - start
    return Done(step, shard, made.num_rows, dropped, new, seconds, str(path), dict(counts))


def _made(build: Build, step: str, shard: int) -> pa.Table:
    return build.stages[step].run(shard, _input(build, step, shard))


def prepare(build: Build, step: str) -> None:
    """Work out what a step goes by that is known only from all shards, before they are spread."""
    if step == "dedupe" or (step == "score" and build.rounds) or _round(step) > 1:
        build.facts(step)


def _round(step: str) -> int:
    """Which round of asking a step is; 0 for another."""
    return int(step.removeprefix("ask-")) if step.startswith("ask-") else 0


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
    return rows_of(source) if isinstance(source, Path) else generated(source)


def _source_key(source: tuple[Run, ...] | Path) -> str:
    if isinstance(source, Path):
        return checksum(source)
    return canonical_json([run.describe() for run in source])


def _stage(build: Build, step: str) -> Stage:
    recipe = build.recipe
    match step:
        case "generate":  # the rows come from the source
            return Stage(step, 1, {}, lambda _, rows: rows)
        case "adopt":
            here = build.policy
            settings = {"policy": here, **asdict(recipe.again)}
            return Stage(step, 2, settings, _alone(partial(adopted, recipe.again, here)))
        case "signal":
            settings = {"policy": build.policy, "which": build.signal}
            return Stage(step, 1, settings, _alone(partial(_signal, build)))
        case "certify":
            return Stage(step, 1, {}, _alone(certified))
        case "screen":
            filters = [unsolvable(), too_long(recipe.filters.longest)]
        case "decontaminate":
            settings = asdict(recipe.decontaminate) | {"against": build.evaluations}
            return Stage(step, 1, settings, _alone(partial(_decontaminate, build)))
        case "dedupe":
            settings = {"similar": recipe.filters.similar} if recipe.filters.similar else {}
            return Stage(step, 1, settings, partial(_dedupe, build))
        case "score" if recipe.policy.kind == "none":
            return Stage(step, 1, {"policy": None}, _alone(_unasked))
        case "score":
            settings = {"policy": build.policy, "band": build.band, "group": recipe.train.group}
            return Stage(step, 2, settings, partial(_score, build))
        case "guess" | "hint":
            settings = {"policy": build.policy}
            if step == "guess":
                settings |= {"guesses": recipe.score.guesses}
                return Stage(step, 1, settings, _alone(partial(_guess, build)))
            settings |= {"hints": recipe.score.hints}
            return Stage(step, 1, settings, _alone(partial(_hint, build)))
        case _ if step.startswith("ask"):
            settings = {"policy": build.policy, "sees": recipe.policy.sees, "band": build.band}
            number = _round(step)
            settings |= asdict(recipe.score) | {
                "round": number,
                "earlier": _digest_of_earlier(build),
            }
            return Stage(step, 1, settings, partial(_ask, build, number))
        case _:
            assert step == "sieve", f"no step {step!r}"
            filters = [zero_variance(*build.band)]
    settings = {each.name: [each.version, dict(each.settings)] for each in filters}
    return Stage(step, 1, settings, _alone(marking(filters)))


def _alone(run: Callable[[pa.Table], pa.Table]) -> Callable[[int, pa.Table], pa.Table]:
    """What looks at a shard's rows and at nothing else."""
    return lambda _, rows: run(rows)


def _facts(build: Build, step: str) -> pa.Table:
    match step:
        case "dedupe":
            return _turned_away(build)
        case "score":
            return _believed(build)
        case _:
            return _wishes(build, _round(step))


def _turned_away(build: Build) -> pa.Table:
    """Later copies of the same puzzle, and prompts much like an earlier one: a pass over keys, and
    one over the prompts of what is no copy."""
    before = build.input_of("dedupe")
    canons, places = [], []  # of the rows that stand, in order
    for shard in range(build.shards):
        known = table(build, before, shard, ["canon", "dropped"])
        stands = known["dropped"].is_null().to_numpy()
        standing = known["canon"].filter(pa.array(stands)).to_pylist()
        canons.append(np.array([int(canon, 16) for canon in standing], np.uint64))
        rows = np.flatnonzero(stands)
        places.append(np.stack([np.full(len(rows), shard), rows], axis=1))
    where = np.concatenate(places)
    copies, firsts = later_copies(np.concatenate(canons))
    uids = _uids(build, before, where[np.unique(firsts)])
    found = [
        (*where[copy].tolist(), f"duplicate of {uids[tuple(where[first].tolist())]}")
        for copy, first in zip(copies, firsts, strict=True)
    ]
    if build.recipe.filters.similar:
        left = np.delete(where, copies, axis=0)
        texts = partial(_texts, build, before, left)
        likes = list(later_likes(texts, build.recipe.filters.similar, build.folder / "stages"))
        uids = _uids(build, before, left[sorted({first for _, first, _ in likes})])
        for place, first, share in likes:
            like = f"{uids[tuple(left[first].tolist())]}, {share:.0%} alike"
            found.append((*left[place].tolist(), f"similar: to {like}"))
        found.sort()
    columns = zip(*found, strict=True) if found else ((), (), ())
    return pa.table(dict(zip(("shard", "row", "reason"), map(list, columns), strict=True)), _AWAY)


def _uids(build: Build, step: str, where: Places) -> dict[tuple[int, ...], str]:
    """(shard, row) → uid, of some rows in order."""
    found: dict[tuple[int, ...], str] = {}
    for shard, rows in _by_shard(where):
        uids = table(build, step, shard, ["uid"])["uid"].take(rows).to_pylist()
        found |= {(shard, row): uid for row, uid in zip(rows.tolist(), uids, strict=True)}
    return found


def _by_shard(where: Places) -> Iterator[tuple[int, Places]]:
    """Each shard that there are places in, with its rows."""
    for shard in np.unique(where[:, 0]).tolist():
        first, last = np.searchsorted(where[:, 0], [shard, shard + 1])
        yield shard, where[first:last, 1]


def _texts(build: Build, step: str, where: Places) -> Iterator[str | None]:
    """The prompts of some rows in order; none where pictures may differ."""
    columns = ["prompt", "images.list.element.path"]
    for shard, rows in _by_shard(where):
        for row in table(build, step, shard, columns).take(rows).to_pylist():
            yield None if row["images"] else text_of(row["prompt"])


def _wishes(build: Build, number: int) -> pa.Table:
    """How each row has done that the policy was asked, and how often it is asked in a round."""
    whole = _tallied(build, number - 1)
    places, tallies = _apart(whole)
    if number > build.recipe.score.rounds:
        counts = never_solved(tallies, build.recipe.score)
    else:
        counts = wanted(places, tallies, build.recipe.score, build.band, build.course)
    told = whole.select(["shard", "row", "trials", "successes"])
    return _in_order(told.append_column("asked", pa.array(counts, pa.int32())))


def _believed(build: Build) -> pa.Table:
    """What all replies tell of each row that the policy was asked."""
    whole = _tallied(build, build.rounds)
    found = believed(*_apart(whole), build.band, build.recipe.train.group, build.course)
    told = whole.select(["shard", "row"])
    for name in names(Belief):
        column = pa.array([getattr(each, name) for each in found], SCHEMA.field(name).type)
        told = told.append_column(name, column)
    return _in_order(told)


def _tallied(build: Build, number: int) -> pa.Table:
    """All rows that the policy was asked up to a round, in the order of uids: of items that are
    alike, the first are asked."""
    found = []
    for shard in range(build.shards):
        rows = table(build, f"ask-{number}", shard, [*_PLACE, "trials", "successes"])
        place = {"shard": np.full(len(rows), shard), "row": np.arange(len(rows))}
        for name, column in place.items():
            rows = rows.append_column(name, pa.array(column, pa.int32()))
        found.append(rows.filter(rows["trials"].is_valid()))
    return pa.concat_tables(found).sort_by("uid")


def _apart(whole: pa.Table) -> tuple[list[Place], list[Tally]]:
    trials, successes = (whole[name].to_pylist() for name in ("trials", "successes"))
    places = places_of(whole.select(["family", "level", "signal"]).to_pylist())
    return places, list(zip(trials, successes, strict=True))


def _in_order(facts: pa.Table) -> pa.Table:
    return facts.sort_by([("shard", "ascending"), ("row", "ascending")])


def _dedupe(build: Build, shard: int, rows: pa.Table) -> pa.Table:
    away = build.told("dedupe", shard)
    reasons = [
        before or (away[row]["reason"] if row in away else None)
        for row, before in enumerate(rows["dropped"].to_pylist())
    ]
    return with_columns(rows, {"dropped": reasons})


def _decontaminate(build: Build, rows: pa.Table) -> pa.Table:
    """Mark what is in an evaluation set, or too like it."""
    wanted = build.recipe.decontaminate
    columns = ["uid", "family", "prompt", "images", "canon", "dropped"]
    standing = [row for row in rows.select(columns).to_pylist() if row["dropped"] is None]
    found = found_in(standing, build.evaluations, wanted.column, wanted.ngram, wanted.share)
    return marking([contaminated(found)])(rows)


def _ask(build: Build, number: int, shard: int, rows: pa.Table) -> pa.Table:
    """Ask the policy what a round is to ask of these rows; how it has done so far."""
    policy = load_policy(build.recipe.policy)
    known = rows.select(_ASKED).to_pylist()
    if number == 1:
        standing = {
            place: row
            for place, row in enumerate(known)
            if row["dropped"] is None and row["trials"] is None
        }
        taken = [
            place for place, row in standing.items() if policy.takes(question_of(row, "score"))
        ]
        asked, tallies = [build.recipe.score.first] * len(taken), [(0, 0)] * len(taken)
    else:
        told_before = build.told(f"ask-{number}", shard)
        taken, asked = list(told_before), [row["asked"] for row in told_before.values()]
        tallies = [(row["trials"], row["successes"]) for row in told_before.values()]
    replies: list[list[dict[str, Any]]] = [[] for _ in taken]

    def keep(place: int, said: Sequence[Reply], verdicts: Sequence[Verdict]) -> None:
        replies[place] = [
            {"text": reply.text, "finished": reply.finished}
            | {name: getattr(verdict, name) for name in ("score", "status", "reason")}
            for reply, verdict in zip(said, verdicts, strict=True)
        ]

    kept = build.recipe.score.keep_replies
    hear = keep if kept else None
    done = ask([known[place] for place in taken], asked, tallies, policy, number, hear=hear)
    found = dict(zip(taken, done, strict=True))
    each = [found.get(place, (None, None)) for place in range(len(known))]
    columns = {"trials": [trials for trials, _ in each], "successes": [right for _, right in each]}
    tallied = with_columns(rows, columns).select([*_PLACE, "trials", "successes"])
    if not kept:
        return tallied
    said = dict(zip(taken, replies, strict=True))
    column = pa.array([said.get(place) for place in range(len(known))], pa.list_(REPLY))
    return tallied.append_column("replies", column)


def _score(build: Build, shard: int, rows: pa.Table) -> pa.Table:
    """Fill the difficulty columns of the rows that the policy was asked."""
    columns = ["policy", *names(Belief)]
    known = rows.select(columns).to_pylist()
    for place, belief in build.told("score", shard).items():
        known[place] = {name: belief.get(name, build.policy) for name in columns}
    return with_columns(rows, {name: [row[name] for row in known] for name in columns})


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


def _digest_of_earlier(build: Build) -> str:
    earlier = build.recipe.score.earlier
    return checksum(Path(earlier, "manifest.json")) if earlier else ""


_AWAY = pa.schema([("shard", pa.int32()), ("row", pa.int32()), ("reason", pa.string())])
_PLACE = ["uid", "family", "level", "signal", "dropped"]
_ASKED = [*_PLACE, "version", "prompt", "images", "puzzle", "trials"]
