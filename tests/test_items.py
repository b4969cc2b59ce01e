"""Items: addresses, splits, lazy access and checking."""

import copy
import json
import pickle
import re
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import puzzlemill as pm
from puzzlemill.core import registry
from puzzlemill.core.address import SPLITS, Address, rng, split_of
from puzzlemill.core.errors import UserError
from puzzlemill.core.item import address_of, draft, make, make_many
from puzzlemill.core.knobs import at
from puzzlemill.core.plain_data import canonical_json
from puzzlemill.core.random_source import LONGEST, Source, seeded
from puzzlemill.core.rows import row_of
from puzzlemill.outputs import rewards


def test_items_are_lazy_and_the_same_in_any_order() -> None:
    items = pm.generate("sorting", level=0.4, seed=7, n=1_000_000_000)
    assert len(items) == 1_000_000_000
    last = items[999_999_999]
    assert items[-1] == last
    assert [item.uid for item in items[5:8]] == [items[place].uid for place in (5, 6, 7)]
    with pytest.raises(IndexError):
        items[1_000_000_000]


@pytest.mark.parametrize("name", ["sorting", "sums+options", "sudoku", "max_flow"])
def test_items_made_together_are_those_made_one_by_one(name: str) -> None:
    items = pm.generate(name, level=0.2, seed=3, n=4)
    family, addresses = items.family, [items[place].address for place in (2, 0, 3)]
    alone = [make(family, address, 0.2) for address in addresses]
    assert list(make_many(family, items.address, 0.2, (2, 0, 3))) == alone
    assert [items[place] for place in (2, 0, 3)] == alone
    assert [item for item in items if item.index in (2, 0, 3)] == [alone[1], alone[0], alone[2]]
    assert all(pickle.loads(pickle.dumps(item)) == copy.copy(item) == item for item in alone)


@pytest.mark.parametrize("seed", [0, 1, 2**512 - 1])
def test_a_source_gives_the_numbers_of_random_by_every_method(seed: int) -> None:
    theirs, ours = Random(seed), seeded(seed)
    assert ours.getstate() == Source(seed).getstate() == theirs.getstate()
    for size in (1, 2, 3, 7, 8, 20, 21, 22, 64, 200, 1000, LONGEST, LONGEST + 1):
        for source in (theirs, ours):
            source.gauss(0, 1)
        for call in (
            lambda rng: rng.randrange(size),  # noqa: B023  (called within the loop)
            lambda rng: rng.randrange(-size, size),  # noqa: B023
            lambda rng: rng.randrange(0, size, 3),  # noqa: B023
            lambda rng: rng.randint(size, size * size),  # noqa: B023
            lambda rng: rng.randint(np.int64(0), np.int64(size)),  # noqa: B023
            lambda rng: rng.choice(range(size)),  # noqa: B023
            lambda rng: [rng.sample(range(size), k) for k in range(min(size, 9))],  # noqa: B023
            lambda rng: rng.sample("ab", counts=[size, 1], k=2),  # noqa: B023
            lambda rng: rng.choices(range(size), k=3),  # noqa: B023
            lambda rng: (rng.shuffle(items := list(range(size))), items),  # noqa: B023
            lambda rng: (rng.random(), rng.uniform(1, size), rng.getrandbits(70)),  # noqa: B023
        ):
            assert call(ours) == call(theirs)
        assert ours.getstate() == theirs.getstate()
    for wrong in (lambda rng: rng.randrange(0), lambda rng: rng.randint(2, 1)):
        with pytest.raises(ValueError):
            wrong(ours)
    with pytest.raises(IndexError):
        ours.choice([])
    with pytest.raises(ValueError):
        ours.sample([1, 2], 3)


def test_canonical_json_is_that_of_the_standard_encoder() -> None:
    value = [1, -0.0, 1e300, True, None, '\u00e9\u2028"\\', {"b": (1, 2), "a": [], "": {}}, 2**70]
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    assert canonical_json(value) == text
    assert canonical_json("\u00e9") == '"\\u00e9"'
    for wrong in (float("nan"), {1, 2}):
        with pytest.raises((ValueError, TypeError)):
            canonical_json(wrong)


def test_neighbouring_seeds_share_no_items() -> None:
    seen: dict[str, int] = {}
    for seed in range(6):
        for item in pm.generate("sorting", level=1.0, seed=seed, n=100):
            assert seen.setdefault(item.canon, seed) == seed, "one puzzle under two seeds"


def test_splits_are_disjoint_by_the_puzzle_itself() -> None:
    forms = {
        split: {item.canon for item in pm.generate("sums", level=0.2, n=150, split=split)}
        for split in SPLITS
    }
    for split, canons in forms.items():
        assert all(split_of(canon) == split for canon in canons)
    assert not forms["train"] & forms["test"]


def test_over_ten_thousand_items_no_puzzle_is_in_two_splits_under_any_seed() -> None:
    seen: dict[str, str] = {}
    drawn = 0
    for name, level in (("sums", 0.0), ("sorting", 0.0), ("gcd", 0.2), ("running_parity", 0.3)):
        family = registry.family(name)
        for split, count in (("train", 900), ("validation", 200), ("test", 200)):
            for seed in (0, 1):
                for index in range(count):
                    here = {"split": split, "seed": seed, "index": index}
                    item = draft(family, address_of(family, family.at(level), **here), level)
                    assert seen.setdefault(item.canon, split) == split, f"{item.uid} of {name}"
                    drawn += 1
    assert drawn > 10_000
    assert len(seen) < drawn  # they are small enough for puzzles to come up again


def test_phrasings_are_part_of_an_address_and_change_the_wording_alone() -> None:
    plain = pm.generate("gcd", level=0.3, n=40)
    worded = {
        chosen: pm.generate("gcd", level=0.3, n=40, knobs={"phrasings": chosen})
        for chosen in ((0, 1), (2,))
    }
    assert not {item.uid for item in plain} & {item.uid for item in worded[2,]}
    assert '"phrasings":[2]' in worded[2,][0].knobs
    shapes = {
        chosen: {re.sub(r"\d+", "#", item.prompt) for item in items}
        for chosen, items in worded.items()
    }
    assert not shapes[0, 1] & shapes[2,]
    assert len(shapes[2,]) == 1
    assert worded[2,][3:5][1] == worded[2,][4]
    for wrong in ((60,), (-1,), "2", (True,)):
        with pytest.raises(UserError, match="phrasings are numbers from 0 to 59"):
            pm.generate("gcd", knobs={"phrasings": wrong})


def test_each_purpose_has_randomness_of_its_own() -> None:
    here = Address("sorting", 1, "{}", "train", 0, 0)
    assert rng(here, "puzzle").random() == rng(here, "puzzle").random()
    assert rng(here, "puzzle").random() != rng(here, "style").random()


def test_a_row_is_checked_like_its_item() -> None:
    for item in pm.generate("sorting", n=3):
        row: dict[str, Any] = row_of(item)
        reply = f"<answer>{item.answer}</answer>"
        assert pm.check(row, reply) == pm.check(item, reply)
        assert pm.check(row, reply).correct


def test_verdicts_tell_wrong_from_unparsed_from_error() -> None:
    item = pm.generate("sums", level=0.3)[0]
    assert pm.check(item, "<answer>-99999</answer>").status == "wrong"
    assert pm.check(item, "no idea").status == "unparsed"
    assert pm.check(item, "<answer>no idea</answer>").status == "unparsed"
    assert pm.check(item, f"<answer>{item.answer} or -99999</answer>").reason.startswith("several")


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"family": "sums"}, "needs the column 'puzzle'"),
        ({"family": "sums", "puzzle": '{"no": "such field"}'}, "no puzzle of sums"),
        ({"family": "sums", "puzzle": "[1"}, "no puzzle of sums"),
        ({"family": "sums", "version": 99, "puzzle": "{}"}, "made by version 99 of sums"),
        ({"family": "smus", "puzzle": "{}"}, "did you mean 'sums'?"),
    ],
)
def test_what_is_wrong_with_a_row_is_told_and_not_scored(row: dict[str, Any], told: str) -> None:
    with pytest.raises(pm.UserError, match=re.escape(told)):
        pm.check(row, "<answer>1</answer>")


def test_a_ladder_is_walked_continuously() -> None:
    ladder = pm.family("sorting").ladder
    knobs = [at(ladder, level / 20) for level in range(21)]
    assert knobs[0] == ladder[0]
    assert knobs[-1] == ladder[-1]
    assert len(set(knobs)) > len(ladder)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: pm.generate("sodoku"), "unknown family 'sodoku'; did you mean 'sudoku'?"),
        (lambda: pm.generate("sorting", split="tset"), "unknown split 'tset'"),
        (lambda: pm.generate("sorting", level=1.2), "level 1.2 is outside 0..1"),
        (lambda: pm.generate("sorting", n=-1), "ask for 0 items or more"),
        (lambda: pm.generate("sorting", knobs={"size": 3}), "unknown knob 'size'"),
    ],
)
def test_a_wrong_word_is_told_with_the_right_one(call: Any, told: str) -> None:
    with pytest.raises(pm.UserError, match=told.replace("?", r"\?").replace("..", r"\.\.")):
        call()


def test_a_verdict_is_true_only_of_a_right_reply_and_is_its_score_as_a_number() -> None:
    item = pm.generate("sums")[0]
    right = pm.check(item, f"<answer>{item.answer}</answer>")
    wrong, unread = pm.check(item, "<answer>-1</answer>"), pm.check(item, "no idea")
    assert right
    assert not wrong
    assert not unread
    assert [float(each) for each in (right, wrong, unread)] == [1.0, 0.0, 0.0]
    assert not pm.Verdict(0.5, False, "partial")
    assert float(pm.Verdict(0.5, False, "partial")) == 0.5


@pytest.mark.parametrize("wrapped", ["text", "message", "messages", "blocks"])
def test_a_reply_is_a_text_a_message_or_messages_alike_for_check_and_reward(wrapped: str) -> None:
    item = pm.generate("sums")[0]
    text = f"<answer>{item.answer}</answer>"
    message = {"role": "assistant", "content": text}
    others = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "hm"}]
    reply: Any = {
        "text": text,
        "message": message,
        "messages": [*others, message, {"role": "user", "content": "thanks"}],
        "blocks": [{"role": "assistant", "content": [{"type": "text", "text": text}]}],
    }[wrapped]
    assert pm.check(item, reply)
    assert rewards.score(row_of(item), reply)["correct"]


ITEM = pm.generate("sums")[0]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: pm.check(ITEM, None), "reply is a text, a message or a list of messages, not N"),
        (lambda: pm.check(ITEM, 3), "reply is a text"),
        (lambda: pm.check(ITEM, b"4"), "reply is a text"),
        (lambda: pm.check(ITEM, [1, 2]), "reply is a text"),
        (lambda: pm.check([ITEM], "4"), "item is an Item or a row with its columns, not"),
        (lambda: pm.check(None, "4"), "item is an Item or a row with its columns, not None"),
        (lambda: pm.generate("sums", level="hard"), "level is a number from 0 to 1, not 'hard'"),
        (lambda: pm.generate("sums", level=float("nan")), "level nan is outside 0..1"),
        (lambda: pm.generate("sums", n=2.5), "n is a whole number, not 2.5"),
        (lambda: pm.generate("sums", n=-1), "n is -1; ask for 0 items or more"),
        (lambda: pm.generate("sums", seed="a"), "seed is a whole number, not 'a'"),
        (lambda: pm.generate("sums", knobs=[3]), "knobs are names with their values, not [3]"),
        (lambda: pm.generate("sums", knobs={3: 3}), "unknown knob 3; there are: "),
        (lambda: pm.generate("sums", split="tset"), "unknown split 'tset'; did you mean 'test'?"),
        (lambda: pm.generate("sums", split=["test"]), "unknown split ['test']"),
        (lambda: pm.generate(["sums"]), "a family has a name, such as 'sudoku'; ['sums'] is none"),
        (lambda: pm.family(None), "a family has a name"),
        (lambda: pm.families("gridz"), "unknown category 'gridz'; did you mean 'grids'?"),
        (lambda: pm.families("sudoku"), "sudoku is a family, no category"),
        (lambda: pm.build(3), "a recipe is the path of a TOML file, not 3"),
    ],
)
def test_a_wrong_argument_is_named_in_one_line(call: Callable[[], Any], told: str) -> None:
    with pytest.raises(UserError) as error:
        call()
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_numbers_of_numpy_are_numbers() -> None:
    made = pm.generate("sums", level=np.float32(0.5), seed=np.int64(3), n=np.int32(2))
    assert made[1].uid == pm.generate("sums", level=0.5, seed=3, n=2)[1].uid


@pytest.mark.parametrize(
    "name",
    [
        *("vertex_cover", "shortest_path", "minimum_cut", "strong_components", "isomorphism"),
        *("lowest_common_ancestor", "graph_colouring", "bfs_order", "deduction", "syllogism"),
        *("knights_knaves", "exceptions_raised", "dots_and_boxes", "secret_code", "zebra"),
    ],
)
def test_gold_names_things_as_the_prompt_does(name: str) -> None:
    family = registry.family(name)
    for item in pm.generate(name, level=0.6, seed=3, n=12):
        told = set(re.findall(r"[A-Za-z]+", item.prompt))
        low = {word.lower() for word in told} - {"in"}  # which is a side between I and N, too
        words = set(re.findall(r"[A-Za-z]+", item.answer))
        assert {word for word in words if word.lower() in low} <= told, item.answer
        assert pm.check(item, f"<answer>{item.answer}</answer>").correct
        assert pm.check(item, f"<answer>{item.answer.lower()}</answer>").correct
        gold = family.answer.read(item.answer)
        assert family.written(item.puzzle, gold) == item.answer
