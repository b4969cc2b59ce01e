"""Variants: families made from families, and the groups that their items form."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest

from puzzlemill.core import registry
from puzzlemill.core.address import SPLITS
from puzzlemill.core.errors import NoPuzzle, UserError
from puzzlemill.core.family import Style, parts
from puzzlemill.core.inputs import inputs_of, prompt_with
from puzzlemill.core.item import address_at, address_of, canon_of, draft, make
from puzzlemill.core.proof import giveaways
from puzzlemill.core.proof.audit import audit
from puzzlemill.core.proof.contract import Depth, draws
from puzzlemill.core.relatives import shared, skeleton
from puzzlemill.generators.variants import distraction
from puzzlemill.generators.variants._looks import board_in
from puzzlemill.generators.variants._mistakes import mistakes
from puzzlemill.pipelines.plan import plan
from puzzlemill.pipelines.recipe import read_recipe

SAMPLES = ("word_problem", "linear_equation", "word_problem+claim")
RUNGS = {"easier": slice(1, None), "harder": slice(-1)}  # of items that have such a relative


@pytest.mark.parametrize("operator", registry.operators())
def test_a_variant_keeps_the_contract(operator: str) -> None:
    name = next(f"{each}+{operator}" for each in SAMPLES if f"{each}+{operator}" in all_of(each))
    family = registry.family(name)
    rungs = family.ladder[RUNGS.get(operator, slice(None))]
    depth = Depth(items=1, draws=8, probed=1) if operator in RUNGS else Depth(2, 40, 1)
    assert audit(replace(family, ladder=rungs), depth).faults == ()


def all_of(name: str) -> list[str]:
    return registry.variants(name)


@pytest.mark.parametrize("operator", registry.operators())
@pytest.mark.parametrize("split", SPLITS)
def test_a_variant_is_made_from_the_item_at_its_own_address(operator: str, split: str) -> None:
    name = next(f"{each}+{operator}" for each in SAMPLES if f"{each}+{operator}" in all_of(each))
    base = registry.family(name.rpartition("+")[0])
    variant = registry.family(name)
    # A relative may lie in another split than its parent; then there is none at that address.
    for index in range(4, 24 if operator in ("easier", "harder") else 5):
        with suppress(NoPuzzle):
            item = make(variant, address_at(variant, 0.5, split=split, seed=3, index=index), 0.5)
            break
    parent = make(base, address_at(base, 0.5, split=split, seed=3, index=index), 0.5)
    assert item.certificate
    assert (item.parent, item.group) == (parent.uid, parent.group or parent.uid)
    assert item.prompt != parent.prompt
    whole = parts(variant, item.puzzle)
    if operator not in (
        "easier",
        "harder",
        "paraphrase",
        "twin",
        "counterclaim",
    ):  # another puzzle by design
        assert canon_of(base, parent.puzzle) in {canon_of(each, part) for each, part in whole}


def test_a_twin_and_a_puzzle_drawn_alike_are_duplicates() -> None:
    twins, base = registry.family("linear_equation+twin"), registry.family("linear_equation")
    puzzle = draws(twins, twins.at(0.5), 1)[0]
    assert canon_of(twins, puzzle) == canon_of(base, puzzle)


def test_a_relative_shares_more_with_its_parent_than_a_stranger() -> None:
    base = registry.family("sorting")
    for name, way in (("sorting+easier", -1), ("sorting+harder", 1)):
        variant = registry.family(name)
        for index in range(4):
            address = address_at(variant, 0.5, index=index)
            relative = make(variant, address, 0.5)
            parent = make(base, address_at(base, 0.5, index=index), 0.5)
            stranger = make(base, address_at(base, 0.5, index=index + 1), 0.5)
            assert (base.hardness(relative.puzzle) - base.hardness(parent.puzzle)) * way > 0
            close = shared(parent.puzzle, relative.puzzle)
            assert close > shared(parent.puzzle, stranger.puzzle)


def test_the_easiest_has_no_easier_relative() -> None:
    family = registry.family("sums+easier")
    with pytest.raises(NoPuzzle):
        make(family, address_at(family, 0.0), 0.0)


def test_what_two_puzzles_share_is_counted_by_field() -> None:
    @dataclass(frozen=True)
    class Pair:
        one: tuple[int, ...]
        other: str

    assert shared(Pair((1, 2, 2), "x"), Pair((2, 2, 3), "x")) == 3 / 5
    assert skeleton(Pair((1, 2), "x")) == skeleton(Pair((7, 8), "x")) != skeleton(Pair((1,), "x"))


def test_variants_of_variants_form_one_group() -> None:
    family = registry.family("word_problem+disguise+claim")
    item = make(family, address_at(family, 0), 0)
    assert item.parent.startswith("word_problem+disguise-")
    assert item.group.startswith("word_problem-")


def test_a_chain_bears_the_skills_of_all_its_problems() -> None:
    family = registry.family("word_problem+chain")
    item = make(family, address_at(family, 1), 1)
    for name, *_ in item.puzzle.feeders:
        assert set(registry.family(name).skills) <= set(item.tags)


def test_a_chain_has_more_problems_at_higher_levels() -> None:
    family = registry.family("word_problem+chain")
    for level, problems in ((0.0, 2), (0.5, 3), (1.0, 4)):
        for puzzle in draws(family, family.at(level), 8):
            assert len(puzzle.feeders) + 1 == problems


def test_claims_are_true_half_of_the_time_and_no_option_stands_out() -> None:
    claims = registry.family("word_problem+claim")
    golds = [claims.solve(puzzle) for puzzle in draws(claims, claims.at(0.25), 300)]
    assert 0.4 < sum(golds) / len(golds) < 0.6
    offers = registry.family("word_problem+options")
    puzzles = draws(offers, offers.at(0.25), 300)
    middle = 0
    for puzzle in puzzles:
        numbers = [int(option) for option in puzzle.options]
        apart = [sum(abs(one - other) for other in numbers) for one in numbers]
        middle += "ABCD"[apart.index(min(apart))] == offers.solve(puzzle)
    assert middle / len(puzzles) < 0.33, "the option nearest to all others is right too often"
    assert min(Counter(map(offers.solve, puzzles)).values()) > 50


def test_mistakes_are_made_of_the_problem_s_own_words() -> None:
    for name in ("locations", "web_of_lies", "move_values", "interval_relations", "kinship"):
        for operator in ("claim", "options"):
            family = registry.family(f"{name}+{operator}")
            for puzzle in draws(family, family.at(0.5), 12):
                item = giveaways.shown(family, puzzle)
                assert item
                assert not giveaways.given_away(item)


@pytest.mark.parametrize("name", ["gcd", "kinship"])
def test_a_counterclaim_is_right_where_the_claim_is_false_and_a_paraphrase_is_not(
    name: str,
) -> None:
    forms = [
        registry.family(f"{name}+claim{each}") for each in ("", "+counterclaim", "+paraphrase")
    ]
    golds = set()
    for index in range(8):
        items = [make(each, address_of(each, each.at(0.25), index=index), 0.25) for each in forms]
        claim, counter, same = (item.answer for item in items)
        assert claim == same != counter
        groups = {item.group for item in items}
        assert len(groups) == 1
        assert items[0].puzzle.parent == items[1].puzzle.parent
        golds.add(claim)
    assert golds == {"yes", "no"}


def test_a_claim_with_a_stranger_s_name_is_given_away() -> None:
    item = giveaways.Shown("Is Anna or Ben lying? names", ("Carla",), (False,), "Anna")
    assert giveaways.given_away(item) == ["Carla"]
    assert giveaways.given_away(replace(item, answers=("Ben",))) == []


def test_the_reader_finds_what_gives_an_answer_away_and_nothing_else() -> None:
    source = Random(5)

    def items(shift: int) -> list[giveaways.Shown]:
        drawn = [(source.random() < 0.5, source.randint(100, 999)) for _ in range(400)]
        return [
            giveaways.Shown("", (str(number * (1 if right else shift)),), (right,), "")
            for right, number in drawn
        ]

    assert giveaways.reading(items(10)).rate > 0.95
    assert giveaways.reading(items(1)).rate < 0.6


def test_mistakes_of_one_item_are_found_again() -> None:
    family = registry.family("zebra")
    puzzle = draws(family, family.at(0.3), 1)[0]
    gold = family.solve(puzzle)
    made = [mistakes(family, family.at(0.3), puzzle, gold, 3, Random(1)) for _ in range(2)]
    assert made[0] == made[1]
    assert made[0]
    assert len({gold, *made[0]}) == 4
    assert all(family.verify(puzzle, wrong) < 1 for wrong in made[0])


@pytest.mark.parametrize("name", [n for n in registry.names() if registry.family(n).slips])
def test_a_family_s_slips_are_answers_of_its_kind(name: str) -> None:
    family = registry.family(name)
    assert family.slips
    for level in (0, 0.5, 1):
        wrong = 0
        for puzzle in draws(family, family.at(level), 3):
            slips = list(family.slips(Random(2), puzzle, family.solve(puzzle)))
            assert all(family.answer.read(family.written(puzzle, slip)) == slip for slip in slips)
            wrong += sum(family.verify(puzzle, slip) < 1 for slip in slips)
        assert wrong


def test_facts_that_distract_are_true() -> None:
    source = Random(1)
    for sort in range(distraction.SORTS):
        for _ in range(20):
            fact = distraction._fact(source, sort)
            numbers = [int(number) for number in re.findall(r"\d+", fact)]
            if "product" in fact:
                assert numbers[0] * numbers[1] == numbers[2]
            elif "remainder" in fact:
                assert (numbers[0] - numbers[2]) % numbers[1] == 0 <= numbers[2] < numbers[1]
            elif "base two" in fact:
                assert int(str(numbers[1]), 2) == numbers[0]
            elif "add up to" in fact and "whole" in fact:
                assert sum(range(numbers[1] + 1)) == numbers[2]
            elif "greatest" in fact:
                assert all(number % numbers[2] == 0 for number in numbers[:2])
            elif "positive" in fact:
                assert len([n for n in range(1, 99) if numbers[0] % n == 0]) == numbers[1]


def test_a_number_that_shows_through_is_not_hidden() -> None:
    family = registry.family("word_problem")
    puzzle = next(
        each
        for each in draws(family, family.at(0.5), 50)
        if any(f[0] == "share" for f in each.facts)
    )
    for place in inputs_of(family, puzzle):
        kind = puzzle.facts[place.way[0]][0]
        shown = prompt_with(family, puzzle, place, "n", Style(1))
        assert (shown is None) == (kind == "share"), kind


def test_a_recipe_makes_variants_beside_their_items(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(
        'name = "v"\n[policy]\nkind = "none"\n'
        '[[make]]\nfamilies = ["word_problem"]\ncount = 4\nlevels = [0.0, 1.0]\n'
        '[[make]]\nfamilies = ["word_problem"]\ncount = 4\nlevels = [0.0]\n'
        'variants = ["claim", "inverse"]\n'
    )
    runs = [run for shard in plan(read_recipe(path)) for run in shard]
    made = {(run.family, run.level): [] for run in runs}
    for run in runs:
        made[run.family, run.level] += range(run.start, run.start + run.count)
    assert made["word_problem", 0.0] == [0, 1, 2, 3, 4, 5]
    assert made["word_problem+claim", 0.0] == made["word_problem+inverse", 0.0] == [2, 3, 4, 5]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("word_problem+inverted", "unknown operator 'inverted'; did you mean 'inverse'?"),
        ("sorting+inverse", "there is no sorting+inverse: sorting names no `inputs`"),
        ("wordproblem+inverse", "did you mean 'word_problem'"),
    ],
)
def test_what_is_no_variant_is_refused_by_name(name: str, message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)):
        registry.family(name)


@pytest.mark.parametrize(("name", "opened"), [("sudoku", "."), ("bridges", "."), ("survo", ".")])
def test_wrong_boards_keep_the_cells_that_the_problem_tells(name: str, opened: str) -> None:
    """Otherwise the one board that has them is right at first sight."""
    for _, board, options in _offered(name):
        for option in options:
            cells = [line.split() if " " in line else [*line] for line in option.splitlines()]
            told = board_in(board, len(cells), len(cells[0]))
            assert told is not None
            for row, signs in zip(cells, told, strict=True):
                pairs = zip(row, signs, strict=True)
                assert all(cell == sign for cell, sign in pairs if sign != opened), option


def test_a_wrong_list_is_as_long_as_the_problem_says() -> None:
    for form, _, options in _offered("balanced_equation"):
        asked = int(re.search(r"the (\d+) coefficients", form)[1])  # type: ignore[index]
        assert {len(option.split(", ")) for option in options} == {asked}


def _offered(name: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The answer's form, the question and the options, of some items."""
    family, parent = registry.family(f"{name}+options"), registry.family(name)
    for index in range(6):
        item = draft(family, address_at(family, 0.5, index=index), 0.5)
        asked = parent.render(parent.puzzle(*item.puzzle.parent), Style())
        yield asked.form, asked.question, item.puzzle.options
