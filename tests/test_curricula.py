"""Curricula on pools whose pass rates are known: what they pick, and that nothing of it is lost."""

import json
from collections import Counter
from math import exp
from random import Random
from statistics import fmean

import pytest

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.curricula import CURRICULA, Outcome, Pool, State, ruler

RATES = {"a": (1.0, 1.0, 1.0, 0.5, 0.0), "b": (0.0, 0.0, 0.0, 0.0, 0.0)}  # by level
LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
STEPS, COUNT = 60, 8


def pool_of(each: int = 20) -> Pool:
    cells = [(family, level) for family in RATES for level in LEVELS for _ in range(each)]
    return Pool(cells, [0.5] * len(cells))


def rate(pool: Pool, place: int) -> float:
    family, level = pool.cells[place]
    return RATES[family][LEVELS.index(level)]


def run(
    name: str, steps: int, state: State | None = None, first: int = 0
) -> tuple[list[int], State]:
    """So many steps on the pool; what was picked, and the state after it."""
    pool, found = pool_of(), CURRICULA.load(name)
    state = found.start(pool) if state is None else state
    picked = []
    for step in range(first, first + steps):
        places, state = found.pick(pool, state, COUNT, step / STEPS, Random(f"step {step}"))
        assert len(places) == COUNT
        assert all(0 <= place < len(pool) for place in places)
        source, outcomes = Random(f"replies {step}"), []
        for place in places:
            scores = [float(source.random() < rate(pool, place)) for _ in range(8)]
            spread = fmean(abs(score - fmean(scores)) for score in scores)
            outcomes.append(Outcome(place, fmean(scores), spread))
        state = found.update(pool, state, outcomes)
        picked += places
    return picked, state


@pytest.mark.parametrize("name", CURRICULA.names())
def test_a_curriculum_goes_on_from_its_state_as_if_it_had_not_stopped(name: str) -> None:
    whole, _ = run(name, 12)
    first, state = run(name, 5)
    second, _ = run(name, 7, json.loads(json.dumps(state)), first=5)
    assert first + second == whole


@pytest.mark.parametrize("name", ["dump", "sec", "thompson", "raising", "alp_gmm", "gp"])
def test_what_teaches_is_picked_more_than_its_share(name: str) -> None:
    pool = pool_of()
    picked, _ = run(name, STEPS)
    late = picked[len(picked) // 2 :]
    share = fmean(0 < rate(pool, place) < 1 for place in late)
    assert share > 0.15, "its share of the pool is a tenth"
    assert len({pool.cells[place] for place in picked}) > 4, "others are looked at too"


def test_uniform_and_staged_pick_every_item_once_an_epoch() -> None:
    picked, _ = run("uniform", 50)
    assert sorted(picked[:200]) == sorted(picked[200:]) == list(range(200))
    assert picked[:200] != picked[200:]
    picked, _ = run("staged", STEPS)
    quarter = len(picked) // 4
    assert all(place < 50 for place in picked[:quarter])
    assert all(place >= 150 for place in picked[-quarter:])
    assert run("ranked", 25)[0] == list(range(200))


def test_blocks_are_put_in_order_when_their_time_comes() -> None:
    picked, _ = run("adcl", 25)
    assert sorted(picked) == list(range(200)), "every item, block after block"
    assert picked != list(range(200))


def test_a_window_slides_on_while_most_replies_are_right() -> None:
    picked, state = run("gaussian", STEPS)
    assert fmean(picked[:40]) < fmean(picked[-80:])
    assert 0.2 < state["middle"] < 0.6, "it stays where half is solved"


def test_what_is_failed_comes_more_often() -> None:
    pool = pool_of()
    for name in ("prioritised", "ruler"):
        families = Counter(pool.cells[place][0] for place in run(name, STEPS)[0])
        assert families["b"] > 1.1 * families["a"]


def test_prioritised_items_come_in_proportion_to_their_failure_rate() -> None:
    solved = (0.0, 0.5, 0.9, 1.0)
    pool = Pool([("a", 0.0)] * 4, list(solved))
    pick = CURRICULA.load("prioritised").pick
    counts = Counter(pick(pool, {}, 1, 0.0, Random(seed))[0][0] for seed in range(4000))
    # 1 - s, and never less than a twentieth.
    for place, weight in enumerate((1.0, 0.5, 0.1, 0.05)):
        assert counts[place] / 4000 == pytest.approx(weight / 1.65, abs=0.025)


def test_ruler_shares_prompts_out_by_family_however_many_levels_each_has() -> None:
    pool = Pool([*(("a", level) for level in LEVELS), ("b", 0.5)], [0.5] * 6)

    def shares(**kept: list[float]) -> dict[str, float]:
        found: dict[str, float] = {}
        for (family, _), share in ruler.shares(pool, {"kept": kept}).items():
            found[family] = found.get(family, 0.0) + share
        return found

    assert shares(a=[0.5], b=[0.5]) == pytest.approx({"a": 0.5, "b": 0.5}), "not 83 to 17"
    # exp(1 / .3) to exp(.4 / .3), as the paper's softmax at temperature .3 has it
    assert shares(a=[0.0], b=[0.6]) == pytest.approx({"a": 0.8808, "b": 0.1192}, abs=1e-4)
    # The latest counts twice as much as the one before: .8 and .2 give .4.
    assert shares(a=[0.8, 0.2], b=[1.0])["a"] == pytest.approx(1 / (1 + exp(-0.6 / 0.3)))
    picked, _ = CURRICULA.load("ruler").pick(pool, {}, 2000, 0.0, Random(0))
    assert 0.45 < fmean(pool.cells[place][0] == "a" for place in picked) < 0.55


def test_sec_values_move_by_td_0_and_are_drawn_by_their_softmax() -> None:
    pool, sec = Pool([("a", 0.0), ("b", 0.0)], [0.5] * 2), CURRICULA.load("sec")
    state: State = {}
    for value in (0.325, 0.3775, 0.41425):  # from 1/4 by 0.3 of what is missing to 1/2
        state = sec.update(pool, state, [Outcome(0, 0.5, 0.5)])
        (found,) = state["values"].values()
        assert found == pytest.approx(value)
    picked = sec.pick(pool, state, 6000, 0.0, Random(0))[0]
    # exp(.41425 / .1) to exp(.25 / .1) is .8379 to .1621; a twentieth of the picks is shared.
    assert fmean(place == 0 for place in picked) == pytest.approx(0.95 * 0.8379 + 0.025, abs=0.02)


def test_levels_rise_and_fall_with_the_policy() -> None:
    _, state = run("raising", STEPS)
    assert state["top"]["a"] in (3, 4)
    assert state["top"].get("b", 0) == 0


def test_a_misspelt_curriculum_is_told() -> None:
    with pytest.raises(UserError, match="unknown curriculum 'thomson'; did you mean 'thompson'"):
        CURRICULA.load("thomson")
