"""Enigmata: a family answers to each of its tasks, and the recipe makes them in three splits."""

from pathlib import Path

from puzzlemill.core import registry
from puzzlemill.pipelines.recipe import read_recipe

ROOT = Path(__file__).parent.parent
TASKS = (
    "FOLIO", "big_bench_symbolic", "binario", "campsite", "car_painting", "checkmate_in_one",
    "countdown", "crypto_KKA", "crypto_KPA", "eight_puzzle", "fifteen_puzzle", "full_crosswords",
    "game24", "hamiltonian_cycle", "hamiltonian_path", "hitori", "kakurasu", "knights_and_knaves",
    "light_up", "magic_square", "maze", "minesweeper", "natural_language_navigation", "nine_puzzle",
    "sixteen_puzzle", "skyscraper", "slant", "stack_permutation", "star_battle", "sudoku",
    "sudoku2", "sum_skyscraper", "symbolic_hard", "tic_tac_toe", "twiddle", "zebra_logic",
)  # fmt: skip


ONLY_JUDGED = "arc_agi"  # which Enigmata verifies and does not generate


def test_every_task_is_answered_by_a_family() -> None:
    peers = {peer for name in registry.names() for peer in registry.family(name).peers}
    assert len(TASKS) == 36
    ours = {peer.partition("/")[2] for peer in peers if peer.startswith("Enigmata/")}
    assert ours == {*TASKS, ONLY_JUDGED}


def test_the_recipe_makes_each_task_at_three_levels_in_three_splits() -> None:
    recipe = read_recipe(ROOT / "recipes" / "papers" / "enigmata.toml")
    assert [each.split for each in recipe.make] == ["train", "validation", "test"]
    assert all(each.families == ("like:Enigmata",) for each in recipe.make)
    assert all(each.levels == (0.0, 0.5, 1.0) for each in recipe.make)
