"""Recipes are read strictly, and what is wrong is told with its place and the remedy."""

import ast
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import Field, asdict, fields, is_dataclass
from importlib import import_module
from inspect import getsource
from itertools import chain
from pathlib import Path
from textwrap import dedent
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest

from puzzlemill.core.errors import UserError
from puzzlemill.core.registry import family, names
from puzzlemill.core.settings import OneOf, Range, ReadBy
from puzzlemill.core.tables import needs_of
from puzzlemill.difficulty.curricula import CURRICULA
from puzzlemill.difficulty.policies.kinds import POLICIES
from puzzlemill.difficulty.settings import Order, PolicySettings, Regenerate, Score
from puzzlemill.filters.settings import Decontaminate, Filters
from puzzlemill.pipelines.plan import item_count, plan
from puzzlemill.pipelines.recipe import Recipe, read_recipe, recipe_from, recipe_of
from puzzlemill.pipelines.settings import Again, Make
from puzzlemill.trainer.settings import Lora, Train, TrainGames
from puzzlemill.trainer.settings.games import Play
from puzzlemill.trainer.settings.losses import Loss, TokenLoss
from puzzlemill.trainer.settings.rewards import Shaping, TextReward
from puzzlemill.trainer.settings.teaching import Warm
from puzzlemill.trainer.settings.turns import Retry

ROOT = Path(__file__).parent.parent

GOOD = """name = "small"
seed = 3
shard = 7
[[make]]
families = ["sorting", "graphs"]
count = 10
levels = [0.0, 0.5, 1.0]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "recipe.toml"
    path.write_text(text)
    return path


def test_a_recipe_is_planned_into_shards_that_hold_every_item_once(tmp_path: Path) -> None:
    recipe = read_recipe(written(tmp_path, GOOD))
    shards = plan(recipe)
    total = 10 * (1 + len(names("graphs")))
    assert item_count(recipe) == total
    sizes = [sum(run.count for run in shard) for shard in shards]
    assert sizes == [7] * (total // 7) + [total % 7] * (total % 7 > 0)
    places = [
        (run.family, run.level, index)
        for shard in shards
        for run in shard
        for index in range(run.start, run.start + run.count)
    ]
    assert len(set(places)) == total


def test_families_of_one_theme_share_the_count_of_one(tmp_path: Path) -> None:
    families = '["gcd", "lcm", "sorting"]'
    text = GOOD.replace('["sorting", "graphs"]', families).replace("count = 10", "count = 9")
    recipe = read_recipe(written(tmp_path, f'{text}per = "theme"\n'))
    counts = Counter[str]()
    for run in chain.from_iterable(plan(recipe)):
        counts[run.family] += run.count
    assert counts == {"gcd": 5, "lcm": 4, "sorting": 9}


def test_a_theme_is_spread_over_the_levels_though_its_families_have_few_items(
    tmp_path: Path,
) -> None:
    text = 'name = "x"\n[[make]]\nfamilies = ["graphs"]\ncount = 5\nper = "theme"\n'
    recipe = read_recipe(written(tmp_path, text))
    levels: dict[str, Counter[float]] = {}
    for run in chain.from_iterable(plan(recipe)):
        levels.setdefault(family(run.family).theme, Counter())[run.level] += run.count
    assert len(levels) > 10
    assert all(set(found.values()) == {1} and len(found) == 5 for found in levels.values())


# Families that somebody who solved them blind found nearly alike.
ALIKE = (
    "dots_and_boxes dots_margin",
    "connect_four move_values tic_tac_toe",
    "skyscrapers sum_skyscrapers",
    "antiderivative integration_by_method",
    "countdown twenty_four",
    "running_parity running_sums",
    "sums modular_chain undoing",
    "game_of_life life_halting",
    "distances spread islands",
    "brackets_error brackets_trace brackets_completion",
    "nim take_away wythoff chomp",
    "polynomial_roots polynomial_factoring",
    "matrix_rank determinant",
    "number_sequence list_functions string_programs arc_1d grid_rules",
    "shift affine vigenere",
    "diameter radius eccentricity periphery centre barycentre wiener_index harmonic_centrality",
    "clustering effective_size transitivity",
    "jaccard common_neighbours adamic_adar resource_allocation",
    "node_degree degree_centrality nodes_of_degree isolated_nodes",
    "maze maze_picture locked_rooms",
    "gcd lcm",
)


@pytest.mark.parametrize("alike", ALIKE)
def test_families_that_ask_much_the_same_are_of_one_theme(alike: str) -> None:
    assert len({family(name).theme for name in alike.split()}) == 1


def test_a_family_that_a_theme_is_named_after_is_of_that_theme() -> None:
    every = {name: family(name).theme for name in names()}
    assert all(every.get(theme, theme) == theme for theme in every.values())


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("count = 10", "cuont = 10", "recipe.toml:6: unknown key in [make] 'cuont'; did you mean"),
        ('"sorting"', '"sortin"', "recipe.toml:5: unknown family or category 'sortin'; did you"),
        ("count = 10", 'count = "10"', "recipe.toml:6: make.count is a whole number, not '10'"),
        ("count = 10", "phrasings = [60]", "recipe.toml:6: phrasings are numbers from 0 to 59"),
        ("count = 10", 'phrasings = [0]\nvariants = ["*"]', "variants choose their own wording"),
        ("shard = 7", "[decontaminate]\nshare = 2", "recipe.toml:4: share = 2.0 is outside 0..1"),
        ("count = 10", "count = 0", "recipe.toml:6: count = 0 is outside 1.."),
        ("levels = [0.0, 0.5, 1.0]", "levels = [2.0]", "recipe.toml:7: level 2.0 is outside 0..1"),
        ('name = "small"', 'name = "../x"', "recipe.toml:1: name '../x' becomes a folder"),
        ('name = "small"', "", "name is missing"),
        ("seed = 3", "seed = ", "not TOML"),
        ("shard = 7", "shard = 0", "recipe.toml:3: shard = 0 is outside"),
        ("shard = 7", '[policy]\nkind = "tinny"', "policy.kind: unknown kind of policy 'tinny'; "),
        ("shard = 7", '[policy]\nkind = "native"', "needs `model`"),
        ("shard = 7", "[policy]\ntemperature = -1", "temperature = -1.0 is outside 0..10"),
        ("shard = 7", "[score]\nfirst = 9\nmost = 4", "first = 9 is more than most = 4"),
        ("shard = 7", '[score]\nuntil = "hardness"', "first = 1 is too few: set first = 8 or more"),
        ("shard = 7", '[score]\nuntil = "hardness"\nfirst = 7', "first = 7 is too few"),
        ("shard = 7", '[score]\nuntil = "hardness"\nfirst = 16', "set most above first = 16"),
        ("shard = 7", '[score]\nuntil = "hardness"\nfirst = 8\nrounds = 1', "in a second round"),
        ("shard = 7", "[train]\nextra = 8", "no more than the group of 8"),
        ("shard = 7", "[train]\nmax_age = 2", "only where replay is above 0, oversample above"),
        ("shard = 7", "[train]\nkeep_best = true", "only where measure_every is above 0"),
        ("shard = 7", "[train.loss]\nratio = 'luspo'", 'in its loss: set mean = "replies"'),
        ("shard = 7", "[train.loss]\nentropy_distance = 1", "only where entropy_aim is above 0"),
        ("shard = 7", "[train.loss]\ntoken_weights = ['stere']", "did you mean 'steer'"),
        ("shard = 7", "[filters]\nband = [0.9, 0.2]", "band 0.9..0.2 of filters is no part of"),
        ("shard = 7", "[filters]\nband = [0.9]", "recipe.toml:4: filters.band is a list of 2"),
        ("shard = 7", '[filters]\nband = "pass2"', "unknown band 'pass2'; did you mean 'pass"),
        ("shard = 7", "[score]\nhints = [1.0]", "each hint is a share of the solution"),
        ("shard = 7", "policy = 3", "policy is a table of keys"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_the_remedy(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    path = written(tmp_path, GOOD.replace(old, new))
    with pytest.raises(UserError) as error:
        read_recipe(path)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("knobs", "told"),
    [
        ("{ lenght = 3 }", "recipe.toml:8: unknown knob 'lenght'; did you mean 'length'?"),
        ("{ length = 999 }", "recipe.toml:8: knob 'length' = 999 is outside"),
        ("{ length = true }", "is a number of type int, not True"),
    ],
)
def test_a_wrong_knob_is_told_with_its_line(tmp_path: Path, knobs: str, told: str) -> None:
    text = GOOD.replace(', "graphs"', "") + f"knobs = {knobs}\n"
    with pytest.raises(UserError) as error:
        read_recipe(written(tmp_path, text))
    assert told in str(error.value)


def test_nothing_to_make_and_no_parent_is_refused() -> None:
    with pytest.raises(UserError, match="say what to make"):
        recipe_from({"name": "empty"})
    assert recipe_from({"name": "again", "parent": "builds/x"}) == Recipe(
        "again", parent="builds/x"
    )


TABLES = (
    *(Recipe, Make, Again, PolicySettings, Score, Filters, Decontaminate, Order, Regenerate),
    *(Train, TrainGames, Loss, TokenLoss, Shaping, TextReward, Warm, Lora, Retry, Play),
    *filter(None, (CURRICULA.load(name).settings for name in CURRICULA.names())),
)


def said_of(table: type) -> Iterator[tuple[Field[Any], Any, tuple[Any, ...]]]:
    """The fields of a table, each with its type and what its annotation says besides."""
    hints = get_type_hints(table, include_extras=True)
    for each in fields(table):
        hint = hints[each.name]
        said = hint.__metadata__ if get_origin(hint) is Annotated else ()
        yield each, get_args(hint)[0] if said else hint, said


@pytest.mark.parametrize("table", TABLES)
def test_every_number_of_a_recipe_has_its_range_and_its_default_lies_there(table: type) -> None:
    for each, hint, said in said_of(table):
        ranges = [it for it in said if isinstance(it, Range)]
        assert bool(ranges) == (hint in (int, float)) or each.name == "seed", each.name
        for it in ranges:
            it.check(each.default, each.name, "recipe")


@pytest.mark.parametrize("table", TABLES)
def test_what_has_an_effect_only_beside_another_setting_is_named_rightly(table: type) -> None:
    known = {}
    for each, hint, said in said_of(table):
        listed = [it.choices.names() for it in said if isinstance(it, OneOf)]
        known[each.name] = {*get_args(hint), *chain(*listed)}
    for each, _, said in said_of(table):
        assert not any(isinstance(it, ReadBy) and it.other not in known for it in said)
        for need in needs_of(table, each.name):
            assert need.other in known
            assert {*need.values} <= known[need.other], each.name


@pytest.mark.parametrize("table", TABLES)
def test_what_a_choice_says_it_reads_is_a_setting_beside_it(table: type) -> None:
    for each, _, said in said_of(table):
        for it in (it for it in said if isinstance(it, OneOf)):
            beside = {other.name for other, _, said in said_of(table) if ReadBy(each.name) in said}
            for name in filter(it.choices.ours, it.choices.names()):
                file = name.replace("-", "_")
                reads = getattr(import_module(f"{it.choices.home}.{file}"), "READS", ())
                assert {*reads} <= beside, name
                assert all(name in it.choices.readers(setting) for setting in reads)


def test_a_model_is_named_for_every_kind_of_policy_that_needs_one_and_for_none() -> None:
    (need,) = needs_of(PolicySettings, "model")
    kinds = {name: POLICIES.load(name) for name in POLICIES.names()}
    assert {*need.values} == {
        name for name, kind in kinds.items() if kind.model or not kind.samples
    }


@pytest.mark.parametrize("table", TABLES)
def test_every_setting_says_what_it_is_in_a_comment(table: type) -> None:
    for kind in (each for each in table.__mro__ if is_dataclass(each)):
        lines = getsource(kind).splitlines()
        for each in ast.parse(dedent(getsource(kind))).body[0].body:  # type: ignore[attr-defined]
            if not isinstance(each, ast.AnnAssign) or not isinstance(each.target, ast.Name):
                continue
            assert each.end_lineno
            beside = "  # " in "".join(lines[each.lineno - 1 : each.end_lineno])
            above = lines[each.lineno - 2].lstrip().startswith("#")
            table_ = is_dataclass(get_type_hints(kind)[each.target.id])
            union = each.target.id == "train"
            assert beside or above or table_ or union, f"{kind.__name__}.{each.target.id}"


def test_a_recipe_is_read_without_torch(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD + "[train]\ncurriculum = 'thompson'\n")
    code = (
        "import sys; from pathlib import Path; from puzzlemill.pipelines.recipe import read_recipe;"
        f"read_recipe(Path({str(path)!r})); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_curriculum_is_named_or_is_a_table_of_its_name_and_its_own_settings(
    tmp_path: Path,
) -> None:
    text = GOOD + "[train.curriculum]\nname = 'dump'\nwindow = 50\nweight = 2\n"
    recipe = read_recipe(written(tmp_path, text))
    assert recipe.items.curriculum == {"name": "dump", "window": 50, "weight": 2.0}
    (tmp_path / "recipe.json").write_text(json.dumps(asdict(recipe)))
    assert recipe_of(tmp_path) == recipe
    for text in ("curriculum = 'dump'", "[train.curriculum]\nname = 'dump'"):
        named = read_recipe(written(tmp_path, f"{GOOD}[train]\n{text}\n"))
        assert named.items.curriculum == "dump"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("name = 'dump'\nwindow = 0", "recipe.toml:10: window = 0 is outside 1..100000"),
        (
            "name = 'dump'\nwindw = 9",
            "recipe.toml:10: unknown key in [train.curriculum] 'windw'; did",
        ),
        ("name = 'dmp'", "recipe.toml:9: train.curriculum.name: unknown curriculum 'dmp'; did you"),
        ("window = 9", "[train.curriculum] has the curriculum's name: name = "),
        ("name = 'ranked'\nwindow = 9", "recipe.toml:10: the curriculum ranked has no settings"),
        ("name = 'sec'\nrate = true", "train.curriculum.rate is a number, not True"),
    ],
)
def test_a_wrong_setting_of_a_curriculum_is_told_with_its_line(
    tmp_path: Path, table: str, said: str
) -> None:
    with pytest.raises(UserError) as error:
        read_recipe(written(tmp_path, f"{GOOD}[train.curriculum]\n{table}\n"))
    assert said in str(error.value)


def test_a_recipe_of_an_older_version_is_read_without_what_does_not_apply(tmp_path: Path) -> None:
    play = {**asdict(Play()), "games": []}
    train = asdict(Train()) | {"play": play}
    of_items = {"name": "x", "parent": "y", "train": train}
    (tmp_path / "recipe.json").write_text(json.dumps(of_items))
    assert recipe_of(tmp_path) == Recipe("x", parent="y")
    of_games = {"name": "x", "train": train | {"play": play | {"games": ["nim"]}, "steps": 3}}
    (tmp_path / "recipe.json").write_text(json.dumps(of_games))
    assert recipe_of(tmp_path).train == TrainGames(steps=3, play=Play(games=("nim",)))
    of_games["train"]["loss"] |= {"advantage": "grpo"}
    (tmp_path / "recipe.json").write_text(json.dumps(of_games))
    with pytest.raises(UserError, match="advantage is for learning from items"):
        recipe_of(tmp_path)


@pytest.mark.parametrize("recipe", [*(ROOT / "recipes").glob("*.toml")], ids=lambda path: path.stem)
def test_a_recipe_is_what_its_folder_says_of_it(recipe: Path, tmp_path: Path) -> None:
    read = read_recipe(recipe)
    (tmp_path / "recipe.json").write_text(json.dumps(asdict(read)))
    assert recipe_of(tmp_path) == read


def test_thousands_of_tables_are_read_and_a_mistake_is_told_with_the_line_of_its_table(
    tmp_path: Path,
) -> None:
    table = '[[make]]\nfamilies = ["sums"]\ncount = 3\n'
    good = 'name = "x"\n' + table * 3000
    assert len(read_recipe(written(tmp_path, good)).make) == 3000
    with pytest.raises(UserError, match=r"recipe.toml:9004: count = 0 is outside"):
        read_recipe(written(tmp_path, good + table.replace("3", "0")))


def test_dots_in_texts_comments_and_lists_are_no_parts_of_a_key(tmp_path: Path) -> None:
    dots = "# " + "." * 99 + "\n"
    levels = f"levels = [{', '.join(['0.5'] * 99)}]\n"
    feedback = f'[train]\ntries = 2\n[train.retry]\nfeedback = "Try.{" ." * 99}" # a.b\n'
    text = dots + GOOD.replace("levels = [0.0, 0.5, 1.0]\n", levels) + feedback
    assert read_recipe(written(tmp_path, text)).train.retry.feedback.endswith(". .")
