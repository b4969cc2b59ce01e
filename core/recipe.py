"""Recipes: the TOML file that says what to build, read strictly."""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Annotated, Any, Literal

from puzzlemill.core.address import check_split
from puzzlemill.core.errors import UserError, unknown
from puzzlemill.core.family import wording
from puzzlemill.core.files import read_json
from puzzlemill.core.knobs import WORDING, turned
from puzzlemill.core.registry import family, game, games, matching, operator, variants
from puzzlemill.core.tables import Places, record

LONGEST = 4_000_000  # characters of a recipe: `regenerate` names items by the thousand
MANY = 1000  # levels, weights, phrasings
INTEGERS = (-(2**63), 2**63 - 1)  # that a column of the dataset holds

Where = Callable[[str], str]  # in the file a word stands

# What a model is told of an item before anything is asked: how likely it finds the worked solution
# or the answer alone; how much its states for the prompt's tokens point the same way. Where items
# are scored again, their pass rates before are the signal.
Signal = Literal["none", "solution", "answer", "angle"]

Band = Annotated[
    tuple[float, float],  # of pass rates
    {
        "teaches": (0.05, 0.95),
        "pass1": (0.25, 0.75),
        "passk": (0.03, 0.5),  # what is hard is what more tries can reach
        "warmup": (0.5, 0.95),
    },
]


@dataclass(frozen=True, slots=True)
class Make:
    """What to generate: `count` items of each family, spread evenly over the levels."""

    families: tuple[str, ...]  # families, categories, or "like:G1": what is like that suite's
    count: int = 100
    levels: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75, 1.0)
    split: str = "train"
    knobs: Mapping[str, Any] = field(default_factory=dict)  # set by hand, at every level
    # Operators, or "*" for all: beside every item, its variants by those that apply to its family.
    variants: tuple[str, ...] = ()
    # Only these ways of wording the prompts, by number: a test may be worded as no training was.
    phrasings: tuple[int, ...] = ()
    seed: int | None = None  # the recipe's own where it is not given
    # What `regenerate` writes: items at these places of the seed's, instead of the next ones, and
    # the uids of the items that the new ones are made after.
    indices: tuple[int, ...] = ()
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """Whose pass rate is measured, and how it is sampled."""

    # none: nobody is asked
    kind: Literal["tiny", "native", "transformers", "endpoint", "vllm", "none"] = "tiny"
    model: str = ""  # a checkpoint's folder, or the model's name at an endpoint
    url: str | tuple[str, ...] = ""  # of an endpoint, up to /v1; a list: servers of the same model
    key_variable: str = ""  # the environment variable that holds an endpoint's key, such as MY_KEY
    api: Literal["chat", "completions"] = "chat"
    sees: bool = False  # whether it takes pictures
    concurrency: int = 16  # requests under way at each of an endpoint's servers
    gpus: int = 1  # that a vllm engine spreads its model over
    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 256


@dataclass(frozen=True, slots=True)
class Score:
    """How replies are spent: in rounds over all items, where they settle most."""

    # verdict: until few enough items are likely to be kept or dropped wrongly; precision: until
    # all intervals are narrow enough; budget: so many replies, where they narrow most; hardness:
    # `first` replies to each item, and to hard ones as many more as gives them equal weight (DARS).
    until: Literal["verdict", "precision", "budget", "hardness"] = "verdict"
    error: float = 0.1  # verdict: the share of items on the wrong side that is put up with
    width: float = 0.3  # precision: of the 90% interval
    budget: float = 4.0  # budget: replies to an item, on average
    signal: Signal = "solution"  # of tiny and native policies only
    earlier: str = ""  # a finished build: its scores are what is expected before any reply
    first: int = 1  # replies to every item in the first round
    most: int = 16  # replies to an item
    rounds: int = 16  # at most
    probe: int = 0  # further replies, at the end, to items that were never solved
    keep_replies: bool = False  # with their verdicts, in the build's folder: `puzzlemill view`
    guesses: int = 0  # replies without reasoning to kept items: what is so solved is turned away
    hints: tuple[float, ...] = ()  # shares of the solution with which frontier items are asked


@dataclass(frozen=True, slots=True)
class Filters:
    longest: int = 4000  # characters of a prompt
    # How much of the words' runs two prompts may share; 0: all. Families word items alike, so what
    # is right for one may take nearly all of another.
    similar: float = 0.0
    # The pass rates between which an item teaches, or a name of these: the likelier side decides.
    band: Band = (0.05, 0.95)


@dataclass(frozen=True, slots=True)
class Decontaminate:
    """Evaluation sets of which nothing is to be in the build, in any split."""

    against: tuple[str, ...] = ()  # .jsonl or .parquet files, or folders of them
    column: str = ""  # of their prompts; if not given, the first of `filters.contaminated.COLUMNS`
    ngram: int = 8  # words; 0: only what is the same is looked for
    share: float = 0.5  # of an evaluation prompt's words that a prompt may share (Tulu 3)


@dataclass(frozen=True, slots=True)
class Order:
    # informative: first what is likeliest to be solved by some of a group and not by all of it.
    schedule: Literal["easy_to_hard", "informative", "as_made"] = "easy_to_hard"
    stages: int = 4  # the kept items are cut into this many bands, by rank


@dataclass(frozen=True, slots=True)
class Regenerate:
    band: Band = (0.25, 0.75)  # to aim at
    # Weights of equal slices of pass rate from 0 to 1, aimed at instead of the band alone.
    density: tuple[float, ...] = ()
    # Between families: evenly, by how often the policy fails (SwS), by how much its pass rates have
    # changed since they were measured before.
    spread: Literal["evenly", "weakness", "change"] = "evenly"
    # Fresh items; twins of the most informative ones (eva); of the frontier's easier relatives, of
    # what is too easy harder ones (Goedel).
    made: Literal["fresh", "twins", "relatives"] = "fresh"
    count: int = 100


@dataclass(frozen=True, slots=True)
class Again:
    """Which items of the parent are scored again; the others keep their scores."""

    stale: bool = False  # only those that this policy has not scored
    ranks: tuple[int, ...] = ()  # only those ranked from the first to before the second


ALL = Again()


Advantage = Literal[
    "batch_std",  # above the group's mean, in deviations of the whole batch
    "grpo",
    "dr_grpo",
    "rloo",
    "reinforce",
    "maxrl",
    "bnpo",
    "passk",
    "hardness",
    "copo",
]


@dataclass(frozen=True, slots=True)
class Loss:
    """Three choices that do not depend on each other, and what may be added to them."""

    advantage: Advantage = "batch_std"
    k: int = 4  # of passk
    positives: float = 1.0  # the weight of advantages above 0; .1 learns mostly from what is wrong
    ratio: Literal["clip", "gspo", "cispo", "sapo", "none"] = "clip"
    clip_low: float = 0.2
    clip_high: float = 0.28
    dual: float = 0.0  # the ratio at which what is wrong is cut off too; 0: nowhere, 3 is usual
    mean: Literal["tokens", "replies", "constant"] = "tokens"
    kl: float = 0.0  # the weight of the divergence from the policy at the beginning
    kl_in: Literal["loss", "reward"] = "loss"
    reference_every: int = 0  # steps after which the policy becomes its own reference; 0: never
    reference_kept: float = 1.0  # of the reference at each step; the rest is the policy's: .99, say
    entropy: float = 0.0  # the weight of a bonus for tokens that were open
    entropy_aim: float = 0.0  # the bonus grows below this entropy and shrinks above; 0: off
    entropy_step: float = 0.005  # by which the bonus's weight grows or shrinks towards the aim
    open_share: float = 1.0  # the share of tokens, the most open ones, that are learned from
    # Where sampler and trainer disagree: cut at `most`, none outside of both, or by whole replies.
    correction: Literal["off", "tis", "icepop", "sequence"] = "off"
    least: float = 0.5
    most: float = 2.0


@dataclass(frozen=True, slots=True)
class Shaping:
    """What a trainer makes of scores: the score itself says how right a reply is."""

    paid_wrong: float = 0.0  # the share of wrong replies that the verifier pays: rho 0
    refused_right: float = 0.0  # and of right ones that it refuses: rho 1
    overlong: int = 0  # tokens before the longest reply within which length costs
    brevity: float = 0.0  # what the shortest right reply of a group earns above the longest
    brief_from: float = 0.5  # the share of a group that must be right before brevity counts
    cut_off: Literal["learn", "leave"] = "learn"  # from replies that were not finished


@dataclass(frozen=True, slots=True)
class Warm:
    """Imitation before the first step: of solutions, or of the policy's own right replies."""

    steps: int = 0
    source: Literal["solutions", "replies"] = "solutions"
    learning_rate: float = 3e-4
    tokens: int = 4096  # a step
    tries: int = 4  # replies asked of each item, of which the right ones are imitated


@dataclass(frozen=True, slots=True)
class Lora:
    """Adapters are trained in place of all weights, if their rank is above 0."""

    rank: int = 0
    alpha: int = 0  # what they add is times alpha / rank; 0: twice the rank
    targets: tuple[str, ...] = ()  # names of matrices, such as q_proj; none: all of the blocks


@dataclass(frozen=True, slots=True)
class Retry:
    """What tries after the first are worth, where `tries` allows any (UFO)."""

    decay: float = 0.5  # of what a reply earns, for every try before it
    repeated: float = 0.1  # the cost of giving nothing but the same answer, try after try
    feedback: str = "That is not right. Try again."  # the same whatever was wrong: no hint


@dataclass(frozen=True, slots=True)
class Play:
    """Games to learn from instead of items: each turn of the policy's own is a text to learn."""

    games: tuple[str, ...] = ()
    levels: tuple[float, ...] = (0.0,)
    starts: int = 16  # a step; each is played once from every seat
    # Who sits in the other seats, and in which share of the starts: self, random, minimax-<depth>.
    opponents: Mapping[str, float] = field(default_factory=lambda: {"self": 1.0})
    discount: float = 1.0  # of a result, for each turn that the seat had still to come
    memory: float = 0.95  # of each seat's baseline: the share that a further game leaves of it
    against: tuple[str, ...] = ("random", "minimax-2")  # whom it is measured against


@dataclass(frozen=True, slots=True)
class Train:
    source: Literal["build", "endless"] = "build"  # endless: fresh items of what the recipe makes
    steps: int = 60
    prompts: int = 32  # a step
    curriculum: str = "uniform"  # how they are picked: a file of difficulty/curricula
    unseen: tuple[str, ...] = ()  # families that are measured and not trained on
    unseen_levels: tuple[float, ...] = ()  # and levels
    group: int = 8  # replies a prompt
    warm: Warm = Warm()
    learning_rate: float = 3e-4
    loss: Loss = Loss()
    reward: Shaping = Shaping()
    oversample: float = 1.0  # times as many prompts; mixed groups beyond a step's go to the next
    refills: int = 0  # rounds of new prompts in place of those whose replies are all alike
    hints: tuple[float, ...] = ()  # shares of the solution with which what all fail is asked again
    explain: float = 0.0  # the advantage of an explained answer to what all fail; 0: none is asked
    extra: int = 0  # replies at most to hard prompts, so that they weigh as others; 0: no more
    extra_for: Literal["equal", "hard"] = "equal"  # or twice what is hardly ever solved
    replay: int = 0  # mixed groups that are kept, to learn from again where new ones are missing
    lag: int = 0  # 1: the next step's replies are sampled while this one's are learned from
    # Who replies: the policy itself, or vLLM with the weights of each step, in this process or as
    # servers of the same checkpoint.
    sampler: Literal["itself", "vllm", "server"] = "itself"
    server: str | tuple[str, ...] = ""  # their addresses, up to /v1
    tries: int = 1  # at an item, in one conversation: a wrong reply is told so, and no more
    retry: Retry = Retry()
    play: Play = Play()
    gradient: float = 1.0  # the norm above which a gradient is scaled down
    decay: float = 0.0  # of the weights
    lora: Lora = Lora()
    # Of matrix products, and of the weights that are sampled with; trained weights are float32.
    dtype: Literal["float32", "bfloat16"] = "float32"
    recompute: bool = False  # blocks again for the gradient: slower, in less memory
    save_every: int = 20
    keep_replies: bool = False  # all of them, beside the metrics
    track: Literal["", "tensorboard", "wandb", "trackio"] = ""  # where the metrics go too
    heldout: int = 20  # items of each family and level to measure on
    measure_every: int = 0  # steps; 0: before and after


@dataclass(frozen=True, slots=True)
class Recipe:
    name: str
    make: tuple[Make, ...] = ()
    parent: str = ""  # a finished build whose items are scored again, instead of making any
    again: Again = ALL
    seed: int = 0
    shard: int = 1000  # rows
    # Where shards are made; the bytes are the same. processes: each whole in a process of its own;
    # ray: in a cluster that shares the builds' folder.
    runner: Literal["local", "processes", "ray"] = "local"
    workers: int = 0  # that make shards at once; 0: as many as there are cores
    replicas: int = 1  # of the policy: so many of the workers ask it at once
    # The URL of a folder, such as s3://bucket/builds, where what is finished is put besides, and
    # is found again by another machine.
    store: str = ""
    policy: PolicySettings = PolicySettings()
    score: Score = Score()
    filters: Filters = Filters()
    decontaminate: Decontaminate = Decontaminate()
    order: Order = Order()
    regenerate: Regenerate = Regenerate()
    train: Train = Train()


def read_recipe(path: Path) -> Recipe:
    """The recipe in a TOML file; what is wrong with it is told with the file's line."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(LONGEST + 1)
        if len(text) > LONGEST:
            raise UserError(f"{path}: longer than {LONGEST:,} characters: is it a recipe?")
        table = tomllib.loads(text)
    except FileNotFoundError:
        raise UserError(f"{path}: no such recipe") from None
    except RecursionError:
        raise UserError(f"{path}: nested too deeply") from None
    except ValueError as error:  # TOML, encoding, a number with too many digits
        raise (
            error if isinstance(error, UserError) else UserError(f"{path}: not TOML: {error}")
        ) from None
    return recipe_from(table, Places(str(path), text))


def families_of(make: Make) -> Sequence[str]:
    """Each family, and behind it the variants of it that are asked for."""
    found: dict[str, None] = {}
    for pattern in make.families:
        for name in matching(pattern):
            made = variants(name) if make.variants else []
            wanted = [each for each in made if {each.rpartition("+")[2], "*"} & {*make.variants}]
            found |= dict.fromkeys([name, *wanted])
    return list(found)


def unseen_of(settings: Train) -> frozenset[str]:
    """The families that are measured and not trained on."""
    return frozenset(name for pattern in settings.unseen for name in matching(pattern))


def recipe_of(folder: Path) -> Recipe:
    """The recipe that a build's folder was made by."""
    path = folder / "recipe.json"
    if not path.is_file():
        raise UserError(f"{folder}: not a build (no recipe.json); `puzzlemill build` makes one")
    return recipe_from(read_json(path))


def recipe_from(table: Mapping[str, Any], places: Places | None = None) -> Recipe:
    """A recipe from plain data, checked against the families that there are."""
    places = places or Places("recipe", "")
    recipe = record(Recipe, table, places)
    _check(recipe, places)
    return recipe


def _check(recipe: Recipe, places: Places) -> None:
    where = places.of
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}", recipe.name):
        raise UserError(
            f"{where('name')}: name {recipe.name!r} becomes a folder: use letters, digits, . _ -"
        )
    if recipe.train.play != Play():
        _check_play(recipe, places)
    elif bool(recipe.make) == bool(recipe.parent):
        raise UserError(
            f"{places.path}: say what to make in a [[make]] table, or which build is the `parent`"
        )
    _check_integer(recipe.seed, "seed", where)
    if recipe.again.ranks and len(recipe.again.ranks) != 2:
        raise UserError(f"{where('ranks')}: ranks is a pair, the first and the one behind the last")
    if recipe.policy.kind not in ("tiny", "none") and not recipe.policy.model:
        raise UserError(f"{where('kind')}: a policy of kind {recipe.policy.kind} needs `model`")
    for section, name, least, most in _RANGES:
        for part in _parts(recipe, section):
            value = getattr(part, name)
            if not least <= value <= most:
                raise UserError(f"{where(name)}: {name} = {value} is outside {least}..{most}")
    for part in recipe.make:
        _check_make(part, where)
    _check_difficulty(recipe, where)
    _check_train(recipe.train, where)


def _parts(recipe: Recipe, section: str) -> Sequence[Any]:
    """The tables of a section: several of `make`, and none of "", which is the recipe itself."""
    if section == "make":
        return recipe.make
    found: Any = recipe
    for name in filter(None, section.split(".")):
        found = getattr(found, name)
    return [found]


def _check_make(part: Make, where: Where) -> None:
    check_split(part.split)
    for number in (part.seed or 0, *part.indices):
        _check_integer(number, "seed" if number == part.seed else "indices", where)
    if min(part.indices, default=0) < 0:
        raise UserError(f"{where('indices')}: indices begin at 0")
    _check_levels(part.levels, where("levels"))
    for each in part.variants:
        if each != "*":
            operator(each, where(each))
    varied = bool(part.variants) or any("+" in pattern for pattern in part.families)
    if wording({WORDING: part.phrasings}, where(WORDING)) and varied:
        raise UserError(
            f"{where(WORDING)}: variants choose their own wording: give them a [[make]] table"
            " without phrasings"
        )
    for pattern in part.families:
        for name in matching(pattern, where(pattern)):
            found = family(name)
            for knob in part.knobs:
                turned(found.at(0), found.ladder, {knob: part.knobs[knob]}, where(knob))


def _check_levels(levels: Sequence[float], place: str) -> None:
    if not 1 <= len(levels) <= MANY:
        raise UserError(f"{place}: levels holds {len(levels)} numbers; give 1 to {MANY}")
    for level in levels:
        if not 0 <= level <= 1:
            raise UserError(f"{place}: level {level} is outside 0..1")


def _check_difficulty(recipe: Recipe, where: Where) -> None:
    """What is said of scoring, filters and regeneration."""
    score, density = recipe.score, recipe.regenerate.density
    if score.first > score.most:
        raise UserError(
            f"{where('first')}: first = {score.first} is more than most = {score.most}; raise most"
        )
    for section in ("filters", "regenerate"):
        low, high = getattr(recipe, section).band
        if not 0 <= low < high <= 1:
            raise UserError(
                f"{where(section)}: the band {low}..{high} of {section} is no part of 0..1"
            )
    if len(density) > MANY:
        raise UserError(f"{where('density')}: density holds {len(density)} weights; give {MANY}")
    if density and (min(density) < 0 or not sum(density)):
        raise UserError(f"{where('density')}: density is a list of weights of 0 or more, not all 0")
    _check_hints(score.hints, where)


def _check_hints(shares: Sequence[float], where: Where) -> None:
    if any(not 0 < share < 1 for share in shares):
        raise UserError(f"{where('hints')}: each hint is a share of the solution between 0 and 1")


def _check_train(settings: Train, where: Where) -> None:
    reward, loss, retry = settings.reward, settings.loss, settings.retry
    for pattern in settings.unseen:
        matching(pattern, where("unseen"))
    _check_hints(settings.hints, where)
    if (settings.sampler == "server") != bool(settings.server):
        raise UserError(
            f'{where("server")}: sampler = "server" and the address of a server go together:'
            ' server = "http://127.0.0.1:8000/v1"'
        )
    if not 0 <= reward.paid_wrong + reward.refused_right < 0.5:
        raise UserError(f"{where('reward')}: a verifier that errs so often tells nothing")
    if loss.open_share <= 0:
        raise UserError(f"{where('open_share')}: open_share = 0 leaves no tokens to learn from")
    if settings.lora.rank and (loss.reference_every or loss.reference_kept < 1):
        raise UserError(
            f"{where('reference')}: with [train.lora] the reference is the model without its"
            " adapters, and stays that"
        )
    if retry.decay <= 0:
        raise UserError(f"{where('decay')}: decay = 0 leaves a second try without worth")
    if not retry.feedback.strip():
        raise UserError(f"{where('feedback')}: say in a few words that a reply was not right")
    if settings.play.memory >= 1:
        raise UserError(f"{where('memory')}: memory is below 1: a baseline has to move")


def _check_integer(number: int, name: str, where: Where) -> None:
    least, most = INTEGERS
    if not least <= number <= most:
        raise UserError(f"{where(name)}: {name} holds a number that does not fit into 64 bits")


# What says how items are learned from, and means nothing where games are played.
_OF_ITEMS = {
    "train": (
        *("source", "prompts", "curriculum", "unseen", "unseen_levels", "group", "warm", "refills"),
        *("oversample", "hints", "explain", "extra", "extra_for", "replay", "lag", "keep_replies"),
        *("tries", "retry"),
    ),
    "loss": ("advantage", "k", "kl_in", "entropy_aim", "entropy_step"),
    "reward": ("paid_wrong", "refused_right", "brevity", "brief_from"),
}


def _check_play(recipe: Recipe, places: Places) -> None:
    play, where = recipe.train.play, places.of
    if not play.games:
        raise UserError(f"{where('play')}: name the `games` to play, such as {games()[-1]!r}")
    if recipe.make or recipe.parent:
        raise UserError(
            f"{where('play')}: a run plays games or learns from items: give the games a recipe of"
            " their own, without [[make]] and `parent`"
        )
    for section, names in _OF_ITEMS.items():
        given = recipe.train if section == "train" else getattr(recipe.train, section)
        for name in names:
            if getattr(given, name) != getattr(type(given)(), name):
                raise UserError(
                    f"{where(name)}: {name} is for learning from items, and this recipe plays"
                    " games: leave it out"
                )
    for name in play.games:
        if name not in games():
            raise unknown("game", name, games(), where(name))
    _check_levels(play.levels, where("levels"))
    for rivals, more in ((tuple(play.opponents), "|self"), (play.against, "")):
        for name in rivals:
            if not re.fullmatch(rf"random|minimax-[1-9]\d?{more}", name):
                there = "there are: random, minimax-1, minimax-2, …" + (more and ", self")
                raise UserError(f"{where(name)}: nobody to play against is {name!r}; {there}")
    shares = [*play.opponents.values()]
    if any(type(it) not in (int, float) or not 0 <= it < inf for it in shares) or not sum(shares):
        raise UserError(
            f"{where('opponents')}: the shares of opponents are numbers of 0 or more, not all 0"
        )
    hidden = [name for name in play.games if not game(name).open and game(name).players > 1]
    ahead = [name for name in play.opponents if name.startswith("minimax")]
    if hidden and ahead:
        raise UserError(
            f"{where(ahead[0])}: {ahead[0]} sees all of a state, but in {hidden[0]} something is"
            " hidden: play that game in a recipe of its own, against self or random"
        )


_RANGES = (
    ("", "shard", 1, 100_000),
    ("", "workers", 0, 65_536),
    ("", "replicas", 1, 65_536),
    ("make", "count", 1, 1_000_000_000),
    ("policy", "temperature", 0, 10),
    ("policy", "top_p", 0.01, 1),
    ("policy", "max_tokens", 1, 1_000_000),
    ("policy", "concurrency", 1, 4096),
    ("policy", "gpus", 1, 1024),
    ("score", "error", 0, 0.5),
    ("score", "width", 0, 1),
    ("score", "budget", 0, 65_536),
    ("score", "first", 1, 4096),
    ("score", "most", 1, 65_536),
    ("score", "rounds", 1, 100),
    ("score", "probe", 0, 65_536),
    ("score", "guesses", 0, 65_536),
    ("filters", "longest", 1, 10_000_000),
    ("filters", "similar", 0, 1),
    ("decontaminate", "ngram", 0, 1000),
    ("decontaminate", "share", 0, 1),
    ("order", "stages", 1, 1000),
    ("regenerate", "count", 1, 1_000_000_000),
    ("train", "steps", 1, 10_000_000),
    ("train", "refills", 0, 1000),
    ("train", "oversample", 1, 100),
    ("train", "extra", 0, 65_536),
    ("train", "explain", 0, 100),
    ("train", "replay", 0, 1_000_000),
    ("train", "lag", 0, 1),
    ("train", "measure_every", 0, 10_000_000),
    ("train", "prompts", 1, 65_536),
    ("train", "group", 2, 65_536),
    ("train", "tries", 1, 100),
    ("train", "save_every", 1, 1_000_000),
    ("train", "heldout", 1, 100_000),
    ("train.loss", "open_share", 0, 1),
    ("train.lora", "rank", 0, 65_536),
    ("train.retry", "decay", 0, 1),
    ("train.retry", "repeated", 0, 1),
    ("train.play", "discount", 0, 1),
    ("train.play", "memory", 0, 1),
    ("train.play", "starts", 1, 65_536),
)
