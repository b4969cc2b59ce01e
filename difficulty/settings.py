"""What scoring, ordering and aiming are told: [policy], [score], [order] and [regenerate]."""

from dataclasses import dataclass
from typing import Annotated, Literal

from puzzlemill.core.settings import Length, Needs, OneOf, Range, ReadBy, Share, Weight
from puzzlemill.difficulty.policies.kinds import POLICIES
from puzzlemill.difficulty.prompt_styles import PLAIN, PROMPT_STYLES
from puzzlemill.difficulty.schedules import SCHEDULES
from puzzlemill.filters.settings import Band

# What a model is told of an item before anything is asked: how likely it finds the worked solution
# or the answer alone; how much its states for the prompt's tokens point the same way; how right it
# finds the worked solution, if [train.self_reward] has trained it. Where items are scored again,
# their pass rates before are the signal.
Signal = Literal["none", "solution", "answer", "angle", "self_reward"]


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """The model whose pass rate is measured, and how it is sampled."""

    kind: Annotated[str, OneOf(POLICIES)] = "tiny"  # what replies, and where the model runs
    # A checkpoint's folder, or the model's name at an endpoint.
    model: Annotated[str, ReadBy("kind")] = ""
    # Of an endpoint, up to /v1; a list: servers of the same model.
    url: Annotated[str | tuple[str, ...], ReadBy("kind")] = ""
    # The environment variable that holds an endpoint's key, such as MY_KEY.
    key_variable: Annotated[str, ReadBy("kind")] = ""
    api: Literal["chat", "completions"] = "chat"  # which of an endpoint's two interfaces is used
    sees: bool = False  # whether it takes pictures
    # Requests under way at each of an endpoint's servers.
    concurrency: Annotated[int, Range(1, 4096)] = 16
    gpus: Annotated[int, Range(1, 1024), ReadBy("kind")] = 1  # of a vllm engine
    temperature: Annotated[float, Range(0, 10)] = 1.0  # of sampling; 0: greedy
    top_p: Annotated[float, Range(0.01, 1)] = 1.0  # nucleus sampling; 1: from all tokens
    max_tokens: Annotated[int, Range(1, 1_000_000)] = 256  # of a reply
    # How it is told to reason, in scoring, training and exports.
    style: Annotated[str, OneOf(PROMPT_STYLES)] = PLAIN
    system: str = ""  # a system message before each prompt; "": none


@dataclass(frozen=True, slots=True)
class Score:
    """How replies are spent: in rounds over all items, where they settle most."""

    # verdict: until few enough items are likely to be kept or dropped wrongly; precision: until
    # all intervals are narrow enough; budget: so many replies, where they narrow most; hardness:
    # `first` replies to each item, 8 at least, and to hard ones as many more as gives them equal
    # weight (DARS).
    until: Literal["verdict", "precision", "budget", "hardness"] = "verdict"
    # The share of items on the wrong side of the band that is put up with.
    error: Annotated[float, Range(0, 0.5), Needs("until", "verdict")] = 0.1
    # Of each item's 90% credible interval, at most.
    width: Annotated[float, Range(0, 1), Needs("until", "precision")] = 0.3
    # Replies to an item, on average.
    budget: Annotated[float, Range(0, 65_536), Needs("until", "budget")] = 4.0
    # A covariate of pass rates, read off the model before anything is asked; of tiny, native and
    # transformers policies only.
    signal: Signal = "solution"
    # What pass rates are predicted by beside the level: the signal, or a logistic regression on
    # family, level and signal, fitted to the replies so far.
    covariate: Annotated[
        Literal["signal", "regression"],
        Needs("signal", "solution", "answer", "angle", "self_reward"),
    ] = "signal"
    # The predicted chance of teaching below which an item is set aside without a reply (MASA);
    # 0: all items are asked.
    gate: Annotated[float, Range(0, 0.5)] = 0.0
    # The share of items, chosen at random, that are asked whatever is predicted: the prediction
    # starts from their replies, and is tested by them.
    gate_sample: Annotated[float, Range(0.01, 1), Needs("gate")] = 0.1
    earlier: str = ""  # a finished build: its scores are what is expected before any reply
    first: Annotated[int, Range(1, 4096)] = 1  # replies to every item in the first round
    most: Annotated[int, Range(1, 65_536)] = 16  # replies to an item, at most
    # At most; 0: no reply is asked for, and items are kept with their signals alone.
    rounds: Annotated[int, Range(0, 100)] = 16
    # Further replies, at the end, to items that were never solved.
    probe: Annotated[int, Range(0, 65_536)] = 0
    # All replies with their verdicts, in the build's folder: `puzzlemill view` shows them.
    keep_replies: bool = False
    # Replies without reasoning to kept items; an item that is solved so is dropped as guessable.
    guesses: Annotated[int, Range(0, 65_536)] = 0
    # Shares of the solution, between 0 and 1, with which frontier items are asked again.
    hints: tuple[Share, ...] = ()
    # Replies to frontier items by which it is measured how much likelier their reasoning makes the
    # gold answer (RLPR). Of tiny, native and transformers policies only.
    gains: Annotated[int, Range(0, 65_536)] = 0
    # Iterations of a tree search over partial replies, at most, until a verified answer
    # (ThinkLite-VL); 0: nothing is searched. Of tiny, native and transformers policies only.
    search: Annotated[int, Range(0, 10_000)] = 0
    # Which items are searched: those of the frontier, or these and the kept ones.
    search_items: Annotated[Literal["frontier", "all"], Needs("search")] = "frontier"
    # A kept item that the search solves in so many iterations or fewer is dropped; 0: none is.
    search_least: Annotated[int, Range(0, 10_000), Needs("search_items", "all")] = 0


@dataclass(frozen=True, slots=True)
class Order:
    """The order of kept items, and the stages that it is cut into."""

    schedule: Annotated[str, OneOf(SCHEDULES)] = "easy_to_hard"  # which items come first
    stages: Annotated[int, Range(1, 1000)] = 4  # into which the kept items are cut, by rank


@dataclass(frozen=True, slots=True)
class Regenerate:
    """What `puzzlemill regenerate` makes: new items where pass rates are to lie."""

    band: Band = (0.25, 0.75)  # of pass rates, to aim at
    # Weights of equal slices of pass rate from 0 to 1, aimed at instead of the band alone.
    density: Annotated[
        tuple[Weight, ...], Length(0, 1000), Needs("made", "fresh", "recombined")
    ] = ()
    # Between families: evenly; by how often the policy fails; by how much its pass rates have
    # changed since they were measured before; by their skills' share of items that were never half
    # solved in the training run, and ever less (SwS).
    spread: Annotated[
        Literal["evenly", "weakness", "change", "slope"], Needs("made", "fresh", "recombined")
    ] = "evenly"
    # Fresh items; twins of items (TT-SI); easier relatives of the frontier and harder ones of what
    # is too easy (Goedel); twins and harder relatives of what was kept (eva); twins and easier
    # relatives of the frontier (WebRL); chains that put weak skills together (SwS).
    made: Literal["fresh", "twins", "relatives", "evolved", "failures", "recombined"] = "fresh"
    # Of which items: of those that inform most, or sampled in proportion to how they inform.
    pick: Annotated[
        Literal["top", "sampled"], Needs("made", "twins", "relatives", "evolved", "failures")
    ] = "top"
    # Of all new items, the share that are originals of the others, taken along.
    originals: Annotated[
        float, Range(0, 0.9), Needs("made", "twins", "relatives", "evolved", "failures")
    ] = 0.0
    count: Annotated[int, Range(1, 1_000_000_000)] = 100  # new items
