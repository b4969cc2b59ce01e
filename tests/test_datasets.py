"""Datasets, mixtures and rows: items in the forms that other people's tools take."""

import pickle
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import puzzlemill as pm
from puzzlemill.core.item import ENDLESS
from puzzlemill.core.rows import ITEM_SCHEMA, row_of
from puzzlemill.outputs.exports import EXPORTS

PLAIN = ["sums", "gcd"]  # fast, and with worked solutions


def test_a_mixture_has_its_shares_and_any_first_part_of_it_too() -> None:
    weights = {"sums": 5, "gcd": 3, "sorting": 2}
    names = [item.family for item in pm.mixture(weights, 100, level=0)]
    for n in (10, 40, 100):
        counted = Counter(names[:n])
        assert all(abs(counted[name] - n * weight / 10) <= 1 for name, weight in weights.items())
    assert [item.uid for item in pm.mixture(weights, 30, level=0)] == [
        item.uid for item in pm.mixture(weights, 100, level=0)[:30]
    ]


def test_a_category_shares_its_weight_among_its_themes_and_a_theme_among_its_families() -> None:
    weights = pm.mixture({"basics": 1, "gcd": 1}, 0).weights
    assert weights["gcd"] == pytest.approx(0.5)
    assert {*weights} == {"gcd", *pm.families("basics")}
    themes = Counter(pm.family(name).theme for name in pm.families("basics"))
    assert themes["small_sums"] > 1, "else nothing is shared"
    for name in pm.families("basics"):
        count = themes[pm.family(name).theme]
        assert weights[name] == pytest.approx(0.5 / len(themes) / count)


def test_a_mixture_s_items_are_those_of_its_families_at_levels_in_turn() -> None:
    items = pm.mixture(PLAIN, 8, level=[0.0, 0.5, 1.0], seed=3, split="test")
    assert list(items)[5] == items[5] == pickle.loads(pickle.dumps(items))[5] == items[4:][1]
    for item in items:
        assert item == pm.generate(item.family, item.level, 3, split="test")[item.index]
    assert [item.level for item in items if item.family == "sums"] == [0.0, 0.5, 1.0, 0.0]


def test_rows_are_made_when_asked_for_and_a_data_frame_has_them_all() -> None:
    items = pm.mixture(PLAIN, 4)
    rows = items.rows()
    assert len(rows) == 4
    assert list(rows[2:]) == [rows[2], rows[3]]
    known = {name: row_of(items[1])[name] for name in ITEM_SCHEMA.names}
    assert rows[1] == known
    assert pm.check(rows[1], f"<answer>{items[1].answer}</answer>")
    frame = pm.generate("sums", n=3).to_pandas()
    assert list(frame.columns) == ITEM_SCHEMA.names
    assert len(frame) == 3
    assert pm.generate("sums").rows()[7] == pm.generate("sums", n=8).rows()[7]
    with pytest.raises(pm.UserError, match="say n="):
        pm.generate("sums").to_pandas()


def test_a_data_loader_takes_rows_and_items_are_as_many_as_they_were() -> None:
    from torch.utils.data import DataLoader

    loader = DataLoader(pm.mixture(PLAIN, 7).rows(), batch_size=3, collate_fn=list)
    assert [len(batch) for batch in loader] == [3, 3, 1]


@pytest.mark.parametrize("columns", ["rows", *EXPORTS.names()])
def test_a_dataset_has_the_columns_of_each_export(columns: str) -> None:
    made = pm.dataset(PLAIN, 4, columns=columns)
    form = None if columns == "rows" else EXPORTS.load(columns).texts
    assert made.column_names == ([name for name, _ in form.columns] if form else ITEM_SCHEMA.names)
    assert len(made) == 4
    assert made.to_list() == pm.dataset(PLAIN, 4, columns=columns).to_list()


def test_a_dataset_of_pictures_holds_them() -> None:
    (row,) = pm.dataset("jigsaw_pair", 1, level=0, columns="trl")
    assert row["images"][0].width
    assert {"type": "image", "text": None} in row["prompt"][0]["content"]


def test_a_build_is_loaded_in_its_order_kept_rows_only(tmp_path: Path) -> None:
    recipe = tmp_path / "load.toml"
    recipe.write_text(
        'name = "load"\n[[make]]\nfamilies = ["sums", "gcd"]\ncount = 6\n[policy]\nkind = "none"\n'
    )
    build = pm.build(recipe, tmp_path / "builds")
    rows = pm.load(build)
    assert len(rows) == 12
    assert rows["rank"] == list(range(12))
    judged = pm.load(str(build), columns="verl")
    assert [each["uid"] for each in judged["extra_info"]] == list(rows["uid"])
    for options, told in (
        ({"split": "test"}, "no kept rows in the split 'test': it has 12 kept in train"),
        ({"fate": "keep"}, "unknown fate 'keep'; did you mean 'kept'?"),
    ):
        with pytest.raises(pm.UserError, match=re.escape(told)):
            pm.load(build, **options)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: pm.dataset({"gdc": 1}, 2), "did you mean 'gcd'?"),
        (lambda: pm.dataset({"gcd": 0}, 2), "the weight of gcd is a number above 0, not 0"),
        (lambda: pm.dataset({"gcd": float("nan")}, 2), "not nan"),
        (lambda: pm.dataset({"gcd": True}, 2), "not True"),
        (lambda: pm.dataset({3: 1}, 2), "a family has a name, such as 'sudoku'; 3 is none"),
        (lambda: pm.dataset([["gcd"]], 2), "['gcd'] is none"),
        (lambda: pm.dataset([], 2), "a mixture needs a family"),
        (lambda: pm.dataset(3, 2), "families are names, or names with weights, not 3"),
        (lambda: pm.dataset("gcd", None), "n is a whole number, not None"),
        (lambda: pm.dataset("gcd", -2), "n is -2; ask for 0 items or more"),
        (lambda: pm.mixture("gcd", 10**12), "a mixture has at most 100,000,000"),
        (lambda: pm.dataset("gcd", 2, level="hard"), "level is a number from 0 to 1, not 'hard'"),
        (lambda: pm.dataset("gcd", 2, level=[]), "an empty list is none"),
        (lambda: pm.dataset("gcd", 2, level=[0, 3]), "level 3 is outside 0..1"),
        (lambda: pm.dataset("gcd", 2, seed="a"), "seed is a whole number, not 'a'"),
        (lambda: pm.dataset("gcd", 2, split="dev"), "unknown split 'dev'"),
        (lambda: pm.dataset("gcd", 2, columns="tlr"), "did you mean 'trl'?"),
        (lambda: pm.dataset("gcd", 2, columns=3), "unknown columns 3"),
        (lambda: pm.dataset("jigsaw_pair", 1, level=0, columns="sft"), "takes no pictures"),
        (lambda: pm.dataset(["jigsaw_pair", "gcd"], 2, level=0, columns="trl"), "of each"),
        (lambda: pm.dataset("sorting", 1, columns="sft"), "leave sorting out"),
        (lambda: pm.generate("gcd", level=True), "level is a number from 0 to 1, not True"),
        (lambda: pm.generate("gcd", n=len(ENDLESS) + 1), "more than there are indices"),
    ],
)
def test_what_is_no_dataset_is_told_in_a_line(call: Callable[[], Any], told: str) -> None:
    with pytest.raises(pm.UserError) as error:
        call()
    assert told in str(error.value)
    assert "\n" not in str(error.value)


FOLDERS: dict[str, Callable[[], Any]] = {
    "a recipe's builds": lambda: pm.build("x.toml", builds=3),
    "a build to verify": lambda: pm.verify(3),
    "a build to export": lambda: pm.export(3, "trl"),
    "where to export": lambda: pm.export("x", "trl", out=3),
    "a build to train on": lambda: pm.train(None),
    "a build to rescore": lambda: pm.rescore(3),
    "a checkpoint": lambda: pm.rescore("x", checkpoint=3),
    "a build to renew": lambda: pm.regenerate([]),
    "a build to load": lambda: pm.load(3),
    "a build to publish": lambda: pm.publish(3, "a/b"),
    "a build with a uid": lambda: pm.item("gcd-0123456789abcdef", build=3),
}


@pytest.mark.parametrize("call", FOLDERS)
def test_what_is_no_folder_is_told_in_a_line(call: str) -> None:
    with pytest.raises(pm.UserError, match=r"is the path of a folder, not (3|None|\[\])$"):
        FOLDERS[call]()


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: pm.export("x", 3), "to is a text, such as 'trl', not 3"),
        (lambda: pm.export("x", "trl", curriculum=3), "curriculum is a text"),
        (lambda: pm.publish("x", 3), "repo is a text, such as 'you/name', not 3"),
        (lambda: pm.rescore("x", style=3), "style is a text, such as 'plain', not 3"),
        (lambda: pm.verify("x", sample="a"), "sample is a whole number, not 'a'"),
        (lambda: pm.verify("x", sample=-1), "sample is -1; ask for 0 or more"),
        (lambda: pm.verify("x", seed="a"), "seed is a whole number, not 'a'"),
        (lambda: pm.score(3, None), "items are a list of items or of rows, not 3"),
        (lambda: pm.score([3], None), "an item is an Item or a row with its columns, not 3"),
        (lambda: pm.score([], None, replies="a"), "replies is a whole number, not 'a'"),
        (lambda: pm.score([], None, band=3), "band is two pass rates from 0 to 1, not 3"),
        (lambda: pm.score([], None, band=("a", "b")), "band is two pass rates from 0 to 1"),
    ],
)
def test_arguments_of_another_kind_are_told_in_a_line(call: Callable[[], Any], told: str) -> None:
    with pytest.raises(pm.UserError, match=re.escape(told)):
        call()
