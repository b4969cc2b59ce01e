"""Curricula on pools whose pass rates are known: what they pick, and that nothing of it is lost."""

import json
from collections import Counter
from math import exp, log
from random import Random
from statistics import fmean, pstdev
from typing import Any

import pytest

from puzzlemill.core.errors import UserError
from puzzlemill.core.knobs import knobs_at
from puzzlemill.core.registry import family
from puzzlemill.difficulty.curricula import (
    CURRICULA,
    Choice,
    Outcome,
    Pool,
    State,
    chosen,
    curves,
    dump,
    gaussian,
    ruler,
)
from puzzlemill.difficulty.curricula.proposer import proposer_reward

RATES = {"a": (1.0, 1.0, 1.0, 0.5, 0.0), "b": (0.0, 0.0, 0.0, 0.0, 0.0)}  # by level
LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
STEPS, COUNT = 60, 8


def pool_of(each: int = 20) -> Pool:
    cells = [(family, level) for family in RATES for level in LEVELS for _ in range(each)]
    return Pool(cells, [0.5] * len(cells), lengths=[64] * len(cells))


def rate(pool: Pool, place: int) -> float:
    family, level = pool.cells[place]
    return RATES[family][LEVELS.index(level)]


def run(
    name: Choice, steps: int, state: State | None = None, first: int = 0
) -> tuple[list[int], State]:
    """So many steps on the pool; what was picked, and the state after it."""
    pool, found = pool_of(), chosen(name)
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
            outcomes.append(Outcome(place, fmean(scores), spread, pstdev(scores)))
        state = found.update(pool, state, outcomes)
        picked += places
    return picked, state


@pytest.mark.parametrize("name", CURRICULA.names())
def test_a_curriculum_goes_on_from_its_state_as_if_it_had_not_stopped(name: str) -> None:
    whole, _ = run(name, 12)
    first, state = run(name, 5)
    second, _ = run(name, 7, json.loads(json.dumps(state)), first=5)
    assert first + second == whole


@pytest.mark.parametrize(
    "name", ["dump", "proposer", "sec", "thompson", "raising", "alp_gmm", "gp", "curves"]
)
def test_what_teaches_is_picked_more_than_its_share(name: str) -> None:
    pool = pool_of()
    picked, _ = run(name, STEPS)
    late = picked[len(picked) // 2 :]
    share = fmean(0 < rate(pool, place) < 1 for place in late)
    assert share > 0.15, "its share of the pool is a tenth"
    assert len({pool.cells[place] for place in picked}) > 4, "others are looked at too"


def test_a_group_tells_of_all_levels_of_its_family() -> None:
    """By hand: of two curves with equal prior weight, eight right replies at a pass rate of 1/2 and
    of 1/(1 + e^-2) = .881 are (1/2 / .881)^8 = .0108 times as likely under the first."""
    pool, settings = pool_of(), curves.Settings()
    hard, easy = curves.CURVES.index((0.5, 4.0)), curves.CURVES.index((1.0, 4.0))
    outcome = Outcome(pool.cells.index(("a", 0.5)), 1.0, 0.0, 0.0)
    state = curves.update(settings, pool, {}, [outcome])
    known = state["curves"]["a"]
    assert exp(known[hard] - known[easy]) == pytest.approx(0.0108, abs=1e-4)
    assert set(state["curves"]) == {"a"}
    again = curves.update(settings, pool, state, [outcome])["curves"]["a"]
    assert again[hard] - again[easy] == pytest.approx((1 + 0.9) * (known[hard] - known[easy]))


def test_curves_find_the_level_that_teaches_and_leave_alone_what_is_never_solved() -> None:
    pool, picked = pool_of(), run("curves", STEPS)[0][10 * COUNT :]
    assert fmean(pool.cells[place] == ("a", 0.75) for place in picked) > 0.6
    assert fmean(pool.cells[place][0] == "b" for place in picked) < 0.1


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


def test_the_window_moves_as_gain_rl_moves_it() -> None:
    settings = gaussian.Settings(stride=0.5, angle_stride=0.5)  # 500 of 1000 ranks
    # 500 tanh(2 (0.75 - 0.5)) + 500 tanh(2 x 0.3) = 231.06 + 268.52
    assert 1000 * gaussian.gain_rl_move(settings, 0.75, 0.3) == pytest.approx(499.58, abs=0.01)
    pool = Pool([("a", 0.0)] * 2, [0.5] * 2, signals=[0.2, 0.4])
    outcomes = [Outcome(place, 0.75, 0.0, 0.0) for place in range(2)]
    moved = gaussian.update(settings, pool, {"middle": 0.0}, outcomes)
    assert moved["middle"] == pytest.approx(0.49958, abs=1e-5)
    assert gaussian.update(settings, pool, moved, outcomes * 2)["middle"] <= 1.0, "clamped"


@pytest.mark.parametrize("signals", [(), (0.5, None), (0.5, -4.2)])
def test_a_window_that_moves_by_angles_wants_angles(signals: tuple[float | None, ...]) -> None:
    pool = Pool([("a", 0.0)] * 2, [0.5] * 2, signals=signals)
    gaussian.start(gaussian.Settings(), pool)
    with pytest.raises(UserError, match="leave angle_stride out"):
        gaussian.start(gaussian.Settings(angle_stride=0.1), pool)


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
        for (name, _), share in ruler.shares(ruler.Settings(), pool, {"kept": kept}).items():
            found[name] = found.get(name, 0.0) + share
        return found

    assert shares(a=[0.5], b=[0.5]) == pytest.approx({"a": 0.5, "b": 0.5}), "not 83 to 17"
    # exp(1 / .3) to exp(.4 / .3), as the paper's softmax at temperature .3 has it
    assert shares(a=[0.0], b=[0.6]) == pytest.approx({"a": 0.8808, "b": 0.1192}, abs=1e-4)
    # The latest counts twice as much as the one before: .8 and .2 give .4.
    assert shares(a=[0.8, 0.2], b=[1.0])["a"] == pytest.approx(1 / (1 + exp(-0.6 / 0.3)))
    picked, _ = CURRICULA.load("ruler").pick(pool, {}, 2000, 0.0, Random(0))
    assert 0.45 < fmean(pool.cells[place][0] == "a" for place in picked) < 0.55


def test_sec_values_move_by_td_0_and_are_drawn_by_their_softmax() -> None:
    pool, sec = Pool([("a", 0.0), ("b", 0.0)], [0.5] * 2), chosen("sec")
    state: State = {}
    for value in (0.325, 0.3775, 0.41425):  # from 1/4 by 0.3 of what is missing to 1/2
        state = sec.update(pool, state, [Outcome(0, 0.5, 0.5, 0.5)])
        (found,) = state["values"].values()
        assert found == pytest.approx(value)
    picked = sec.pick(pool, state, 6000, 0.0, Random(0))[0]
    # exp(.41425 / .1) to exp(.25 / .1) is .8379 to .1621; a twentieth of the picks is shared.
    assert fmean(place == 0 for place in picked) == pytest.approx(0.95 * 0.8379 + 0.025, abs=0.02)


def test_a_proposer_is_paid_most_where_the_solver_is_right_half_of_the_time() -> None:
    assert [proposer_reward(p) for p in (0, 0.25, 0.5, 1)] == [0, 0.75, 1, 0]
    pool = Pool([("a", 0.0), ("b", 0.0)], [0.5] * 2)
    proposer = chosen({"name": "proposer", "step": 2.0, "memory": 0.5, "floor": 0.0})
    outcomes = [Outcome(0, 0.5, 0.5, 0.5), Outcome(1, 0.0, 0.0, 0.0)]
    state = proposer.update(pool, {}, outcomes)
    # Rewards 1 and 0, baseline 1/2: a's preference moves by 2 · (1/2) / 2, b's as much down.
    assert list(state["preferences"].values()) == pytest.approx([0.5, -0.5])
    assert state["baseline"] == 0.5
    state = proposer.update(pool, state, outcomes[:1])
    # p(a) = 1 / (1 + 1/e) = .7311: 2 · (1/2 - .7311 · 1/2) up, and as much down.
    assert list(state["preferences"].values()) == pytest.approx([0.7689, -0.7689], abs=1e-4)
    assert state["baseline"] == 0.75


def test_ruler_s_target_temperature_window_and_decay_are_settings() -> None:
    pool = Pool([("a", 0.0), ("b", 0.0)], [0.5] * 2)

    def share(kept: list[float], **settings: Any) -> float:
        state = {"kept": {"a": kept, "b": [1.0]}}
        return ruler.shares(ruler.Settings(**settings), pool, state)["a", 0.0]

    assert share([0.2], target=0.5, temperature=0.1) == pytest.approx(1 / (1 + exp(-3)))
    assert share([0.9, 0.6, 0.3], decay="none") == pytest.approx(1 / (1 + exp(-0.4 / 0.3)))
    # .3 + .6 / 2 + .9 / 4 over 7 / 4
    mean = 0.825 / 1.75
    assert share([0.9, 0.6, 0.3], decay="geometric") == pytest.approx(
        1 / (1 + exp(-(1 - mean) / 0.3))
    )
    # (.8 + .2 / 2 + .2 / 3) / (11 / 6)
    state = {"kept": {"a": [0.2, 0.2, 0.8]}}
    short = 1 - (0.8 + 0.1 + 0.2 / 3) / (11 / 6)
    assert short == pytest.approx(1 - 0.5273, abs=1e-4)
    weights = ruler.shares(ruler.Settings(), pool, state)
    assert weights["a", 0.0] / weights["b", 0.0] == pytest.approx(exp((short - 1) / 0.3))
    found = chosen({"name": "ruler", "window": 2})
    groups = [Outcome(0, mean, 0.0, 0.0) for mean in (0.1, 0.2, 0.3)]
    for each in groups:
        state = found.update(pool, state, [each])
    assert state["kept"]["a"] == [0.2, 0.3]


def arms(*means: tuple[float, int]) -> tuple[Pool, State]:
    """A cell for each mean absolute advantage, after so many groups."""
    pool = Pool([(f"arm {number}", 0.0) for number in range(len(means))], [0.5] * len(means))
    outcomes = [
        Outcome(place, 0.5, 0.5 * mean, 0.5)
        for place, (mean, groups) in enumerate(means)
        for _ in range(groups)
    ]
    return pool, chosen("dump").update(pool, {}, outcomes)


def test_dump_values_a_cell_as_the_paper_does_and_tries_what_it_has_not_seen_first() -> None:
    pool, state = arms((0.9, 100), (0.2, 100), (0.0, 0))
    values = dump.values(dump.Settings(), pool, state)
    assert [*values.values()] == pytest.approx([1.2241, 0.5241, 3.2568], abs=1e-4)
    picked, _ = chosen("dump").pick(pool, state, 1000, 0.0, Random(0))
    assert picked == [2] * 1000
    pool, state = arms((0.9, 100), (0.2, 100))
    picked, _ = chosen("dump").pick(pool, state, 4000, 0.0, Random(0))
    assert fmean(place == 0 for place in picked) > 0.997  # .999 to .001
    picked, _ = chosen({"name": "dump", "floor": 0.5}).pick(pool, state, 4000, 0.0, Random(0))
    assert fmean(place == 0 for place in picked) == pytest.approx(0.75, abs=0.02)


def test_dump_s_window_weight_and_normalisation_are_settings() -> None:
    pool = Pool([("a", 0.0)], [0.5])
    groups = [Outcome(0, 0.5, 0.5, 0.5), Outcome(0, 0.25, 0.375, 0.433)] * 2

    def value(**settings: Any) -> float:
        own = dump.Settings(**{"weight": 0.0} | settings)
        return dump.values(own, pool, dump.update(own, pool, {}, groups))["a", 0.0]

    assert value() == pytest.approx((1 + 0.8660) / 2, abs=1e-3)
    assert value(normalised=False) == pytest.approx((0.5 + 0.375) / 2)
    assert value(window=1) == pytest.approx(0.8660, abs=1e-3)
    assert value(window=1, weight=2.0) == pytest.approx(
        0.8660 + 2 * (2 * log(5) / 5) ** 0.5, abs=1e-3
    )


def test_sec_moves_a_cell_s_value_towards_its_advantage() -> None:
    pool, found = Pool([("a", 0.0), ("b", 0.0)], [0.5] * 2), chosen("sec")
    state: State = {}
    for _ in range(3):
        state = found.update(pool, state, [Outcome(0, 0.5, 0.5, 0.5)])
    assert state["values"] == {"a 0": pytest.approx(0.5 - 0.25 * 0.7**3)}  # .41425
    state = chosen({"name": "sec", "rate": 1.0}).update(pool, state, [Outcome(0, 1.0, 0.0, 0.0)])
    assert state["values"]["a 0"] == 0.0


def test_every_curriculum_with_constants_takes_them_from_its_settings() -> None:
    whole, again = run("thompson", 5), run({"name": "thompson", "target": 0.5}, 5)
    assert whole == again
    assert run({"name": "thompson", "target": 0.9}, 5)[0] != whole[0]
    bands = run({"name": "staged", "bands": 2}, STEPS)[0]
    assert max(bands[: len(bands) // 2]) in range(50, 100)
    assert len({*run({"name": "adcl", "blocks": 1}, 25)[0]}) == 200
    quick = {"name": "raising", "enough": 1, "rise": 0.0, "window": 1}
    assert run(quick, 5)[1]["top"]["a"] == 4
    wide = run({"name": "gaussian", "width": 10.0, "stride": 0.0}, 10)
    assert wide[1] == {"middle": 0.0}
    assert max(wide[0]) > 150
    even = Counter(
        pool_of().cells[at][0] for at in run({"name": "prioritised", "least": 1.0}, 50)[0]
    )
    assert 0.75 < even["a"] / even["b"] < 1.35, "and not as often as they fail"


def test_levels_rise_and_fall_with_the_policy() -> None:
    _, state = run("raising", STEPS)
    assert state["top"]["a"] in (3, 4)
    assert state["top"].get("b", 0) == 0


def knob_pool() -> Pool:
    """A family of two numeric knobs, each turned by itself."""
    own = family("sums")
    corners = [(x, y) for x in (0.0, 0.5, 1.0) for y in (0.0, 0.5, 1.0)]
    knobs = [knobs_at(own.ladder, corner) for corner in corners for _ in range(3)]
    return Pool([("sums", 0.5)] * len(knobs), [0.5] * len(knobs), knobs)


def test_a_teacher_moves_knobs_one_by_one() -> None:
    pool, found = knob_pool(), chosen({"name": "adr", "axes": "knobs", "enough": 2, "step": 0.5})
    assert len({*pool.points}) == 9
    state: State = {}
    for step in range(60):
        places, state = found.pick(pool, state, 8, 0.0, Random(step))
        state = json.loads(json.dumps(state))
        # Only the second knob can be raised: what has more of the first is never solved.
        outcomes = [Outcome(at, float(pool.points[at][0] < 0.4), 0.0, 0.0) for at in places]
        state = found.update(pool, state, outcomes)
    trials = state["trials"]["sums"]
    assert len(trials) == 480
    assert max(first for first, _, _ in trials) == 0.6, "that side goes out once, and back"
    assert max(second for _, second, _ in trials) == 1.0
    assert not state["waiting"], "every proposal has had its outcome"


def test_what_a_teacher_did_not_propose_is_told_to_it_as_it_is() -> None:
    pool, found = knob_pool(), chosen({"name": "gp", "axes": "knobs"})
    state = found.update(pool, {}, [Outcome(26, 1.0, 0.0, 0.0)])
    assert state["trials"] == {"sums": [[*pool.points[26], 1.0]]}
    flat, found = pool_of(), chosen("gp")
    assert found.update(flat, {}, [Outcome(25, 0.5, 0.5, 0.5)])["trials"] == {"a": [[0.25, 0.5]]}


def test_a_misspelt_curriculum_is_told() -> None:
    with pytest.raises(UserError, match="unknown curriculum 'thomson'; did you mean 'thompson'"):
        CURRICULA.load("thomson")


def phases(name: Choice, pool: Pool, steps: int = 12) -> list[list[int]]:
    found = chosen(name)
    state, picked = found.start(pool), []
    for step in range(steps):
        places, state = found.pick(pool, state, 10, step / steps, Random(step))
        picked.append(places)
    return picked


def test_forms_of_answers_come_one_after_another_and_some_stay() -> None:
    forms = ["open"] * 20 + ["yes-no"] * 20 + ["choice"] * 20
    pool = Pool([("a", 0.0)] * 60, [0.5] * 60, forms=forms)
    counted = [Counter(forms[place] for place in places) for places in phases("formats", pool)]
    assert counted[0] == counted[3] == {"yes-no": 10}
    assert counted[4] == counted[7] == {"choice": 9, "yes-no": 1}
    assert counted[8]["open"] == counted[11]["open"] == 9
    alone = phases({"name": "formats", "retained": 0.0}, pool)
    assert {forms[place] for place in alone[-1]} == {"open"}


def test_domains_cascade_in_the_order_asked_for_and_then_by_pass_rate() -> None:
    domains, means = (
        ["logic"] * 5 + ["graphs"] * 5 + ["grids"] * 5,
        [0.2] * 5 + [0.9] * 5 + [0.5] * 5,
    )
    pool = Pool([("a", 0.0)] * 15, means, domains=domains)

    def order(name: Choice) -> list[str]:
        return list(dict.fromkeys(domains[at] for places in phases(name, pool) for at in places))

    assert order("cascade") == ["graphs", "grids", "logic"]
    assert order({"name": "cascade", "domains": ["logic"]}) == ["logic", "graphs", "grids"]
    with pytest.raises(UserError, match="unknown domain 'logik'"):
        order({"name": "cascade", "domains": ["logik"]})


def test_prompts_grow_longer_while_they_are_solved() -> None:
    lengths = [10 * (1 + place) for place in range(20)]
    pool = Pool([("a", 0.0)] * 20, [0.5] * 20, lengths=lengths)
    longer = chosen({"name": "longer", "first": 40, "growth": 2.0, "enough": 2})
    state, limits = longer.start(pool), []
    for mean in (1.0, 1.0, 1.0, 0.5, 0.0):
        places, state = longer.pick(pool, state, 50, 0.0, Random(0))
        assert max(lengths[place] for place in places) <= state["limit"]
        outcomes = [Outcome(place, mean, 0.0, 0.0) for place in places]
        short = [each for each in outcomes if lengths[each.place] <= state["limit"] / 2]
        assert longer.update(pool, state, short) == state, "short prompts say nothing of the limit"
        state = longer.update(pool, state, outcomes)
        limits.append(state["limit"])
    assert limits == [80, 160, 200, 200, 100]
    with pytest.raises(UserError, match='source = "build"'):
        longer.pick(Pool([("a", 0.0)], [0.5]), state, 1, 0.0, Random(0))
