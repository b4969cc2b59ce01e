"""The door: what `import puzzlemill as pm` gives, and how it shows itself."""

import json
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from html import unescape
from inspect import Parameter, signature
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import puzzlemill as pm
from puzzlemill.core import notebook
from puzzlemill.core.address import PARTS
from puzzlemill.core.item import ENDLESS
from puzzlemill.core.rows import SCHEMA, row_of


def parameters(call: Callable[..., Any]) -> list[Parameter]:
    return list(signature(call).parameters.values())


def test_the_door_offers_what_it_promises_and_nothing_else() -> None:
    offered = [name for name in dir(pm) if not name.startswith("__")]
    assert offered == sorted(pm.__all__) == sorted(set(pm.__all__))
    for name in pm.__all__:
        given = getattr(pm, name)
        assert given.__doc__ or not name.islower(), f"pm.{name} says nothing of itself"
        if name.islower():
            assert not any(each.kind is each.VAR_KEYWORD for each in parameters(given)), name
    with pytest.raises(AttributeError, match="no attribute 'genrate'"):
        _ = pm.genrate


def test_looking_at_the_door_loads_nothing_heavy() -> None:
    code = "import sys, puzzlemill; dir(puzzlemill); print({'pyarrow', 'numpy'} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"


def test_without_n_items_have_no_end() -> None:
    items = pm.generate("sums", level=0.3, seed=4)
    finite = pm.generate("sums", level=0.3, seed=4, n=30)
    assert list(islice(items, 5)) == list(finite[:5])
    assert list(items[3:9:2]) == list(finite[3:9:2])
    assert items[10:][2] == items[12] == finite[12]
    assert items[10:].endless
    assert not items[:10].endless
    assert len(items[:10]) == 10
    assert items
    assert not items[:0]
    assert items[ENDLESS[-1]].index == ENDLESS[-1]  # the last that a row's column holds
    assert pickle.loads(pickle.dumps(items[5])) == items[5]


@pytest.mark.parametrize(
    "call",
    [
        len,
        list,
        lambda items: items[-1],
        lambda items: items[-5:],
        lambda items: items[:-1],
        lambda items: items[::-1],
        lambda items: pm.score(items, Constant("<answer>1</answer>")),
    ],
)
def test_what_needs_an_end_says_so_of_items_without(call: Callable[[Any], Any]) -> None:
    with pytest.raises(pm.UserError, match="say n="):
        call(pm.generate("sums"))


FORMS: dict[str, Callable[[pm.Item], Any]] = {
    "address": lambda item: item.address,
    "key": lambda item: item.address.key,
    "row": row_of,
    "columns": lambda item: {part: getattr(item, part) for part in PARTS},
    "knobs": lambda item: row_of(item) | {"knobs": json.loads(item.knobs)},
    "json": lambda item: json.dumps({part: getattr(item, part) for part in PARTS}),
}


@pytest.mark.parametrize("form", FORMS)
def test_an_item_comes_back_from_its_address_in_every_form(form: str) -> None:
    worded = pm.generate("gcd", level=0.3, n=5, knobs={"phrasings": [0, 2]})[4]
    variant = pm.generate("gcd+inverse", level=0.5, split="test")[2]
    for item in (pm.generate("sudoku", level=0.25, seed=3)[7], worded, variant):
        assert pm.item(FORMS[form](item), level=item.level) == item
        assert pm.item(FORMS[form](item)).uid == item.uid


def test_the_level_of_an_address_is_the_row_s_or_the_lowest_with_its_knobs() -> None:
    item = pm.generate("sorting", level=0.437)[0]
    assert pm.item(row_of(item)).level == 0.437
    found = pm.item(item.address)
    assert found.level <= 0.44
    assert pm.family("sorting").at(found.level) == pm.family("sorting").at(0.437)


ROW = row_of(pm.generate("sums", level=0.5)[0])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("sums-0123456789abcdef", "a uid is a digest of one: give the item's row"),
        ("{", "is no address: it is no JSON"),
        ("[1, 2]", "an address is an Address, a row or either as JSON, not [1, 2]"),
        (3, "an address is an Address, a row or either as JSON, not 3"),
        ({"family": "sums"}, "'version' is missing"),
        (ROW | {"version": 99}, "is of version 99 of sums, but this is version"),
        (ROW | {"family": "smus"}, "did you mean 'sums'?"),
        (ROW | {"split": "tset"}, "did you mean 'test'?"),
        (ROW | {"seed": "a"}, "seed is a whole number, not 'a'"),
        (ROW | {"index": 1}, "does not follow from its address"),
        (ROW | {"knobs": "{}"}, "an address tells all knobs of sums"),
        (ROW | {"knobs": "7"}, "knobs are names with their values as JSON, not '7'"),
        (ROW | {"level": "hard"}, "level is a number from 0 to 1, not 'hard'"),
        (ROW | {"knobs": ROW["knobs"][:-1] + ',"more":3}'}, "unknown knob 'more'"),
    ],
)
def test_what_is_no_address_is_told_in_a_line(given: Any, told: str) -> None:
    with pytest.raises(pm.UserError) as error:
        pm.item(given)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_an_item_s_fields_are_the_first_and_last_columns_of_a_row() -> None:
    item = pm.generate("jigsaw_grid", level=0)[0]
    row = row_of(item)
    assert list(row) == SCHEMA.names
    assert {name for name in row if row[name] is not None} >= {*PARTS, "uid", "prompt", "images"}
    assert row["images"] == [{"bytes": item.images[0], "path": f"{item.uid}-0.png"}]


SHOWN: dict[str, Callable[[], Any]] = {
    "item": lambda: pm.generate("sudoku")[0],
    "picture": lambda: pm.generate("jigsaw_grid", level=0)[0],
    "items": lambda: pm.generate("sudoku", n=1000),
    "endless": lambda: pm.generate("sudoku"),
    "family": lambda: pm.family("sudoku"),
    "variant": lambda: pm.family("gcd+chain"),
    "right": lambda: pm.Verdict(1.0, True, "correct"),
    "unread": lambda: pm.check(pm.generate("sums")[0], "no idea"),
    "long": lambda: pm.Verdict(0.0, False, "error", "a\nlong reason " * 100),
}


@pytest.mark.parametrize("thing", SHOWN)
def test_what_the_door_gives_shows_itself_in_a_short_line(thing: str) -> None:
    told = repr(SHOWN[thing]())
    assert len(told) <= 260
    assert "\n" not in told
    assert "PNG" not in told


def test_reprs_say_what_matters() -> None:
    item = pm.generate("sums", level=0.5)[0]
    assert item.uid in repr(item)
    assert repr(item.answer) in repr(item)
    assert repr(pm.generate("sums", n=3)) == "<Items: 3 of sums at level 0.5, split train, seed 0>"
    assert repr(pm.generate("sums")).startswith("<Items: endless of sums")
    assert repr(pm.family("sums")).startswith("<Family sums of basics: version ")
    assert repr(pm.Verdict(0.5, False, "partial", "half")) == "<Verdict partial, score 0.5: half>"


def test_an_item_shows_its_picture_its_grid_and_its_folded_answer() -> None:
    picture = pm.generate("jigsaw_grid", level=0)[0]._repr_html_()
    assert picture.count('src="data:image/png;base64,') == 1
    assert "&lt;image&gt;" not in picture
    sudoku = pm.generate("sudoku")[0]
    shown = sudoku._repr_html_()
    blocks = [unescape(each) for each in re.findall(r"<pre [^>]*>(.*?)</pre>", shown, re.DOTALL)]
    assert blocks[0] in sudoku.prompt
    assert blocks[0].count("\n") == 8
    assert blocks[-1] == sudoku.answer
    assert shown.index("<details>") < shown.index("answer</summary>") < shown.rindex("<pre")


def test_items_show_a_table_of_the_first_ten() -> None:
    items = pm.generate("sums")
    shown = items._repr_html_()
    assert shown.count("<tr>") == 1 + notebook.ROWS
    assert items[9].uid in shown
    assert items[10].uid not in shown
    assert pm.generate("sums", n=2)._repr_html_().count("<tr>") == 3


def test_what_is_shown_as_html_is_escaped() -> None:
    nasty = "<script>alert('x')</script>&"
    texts = [
        notebook.problem(nasty, f"{nasty}\n{nasty}\n\n{nasty}", (), nasty),
        notebook.problem("", f"<image>{nasty}", (b"1",), nasty),
        notebook.problem("", f"<image> and <image>{nasty}", (b"1",), nasty),
        notebook.table(nasty, (nasty,), ((nasty,),)),
        pm.Verdict(0.0, False, "error", nasty)._repr_html_(),
    ]
    for text in texts:
        assert "<script" not in text
        assert "&lt;script&gt;" in text


class Constant:
    """Replies the same to everything, and takes only short questions."""

    def __init__(self, *texts: str) -> None:
        self.id, self.texts, self.asked = "constant", texts, 0

    def takes(self, question: pm.Question) -> bool:
        return len(question.messages[0]["content"]) < 1000

    def sample(self, questions: Sequence[pm.Question], n: int) -> list[list[pm.Reply]]:
        self.asked += n * len(questions)
        return [[pm.Reply(self.texts[k % len(self.texts)]) for k in range(n)] for _ in questions]


def test_any_object_with_a_policy_s_members_is_scored() -> None:
    easy, long = pm.generate("sums", level=0.2, n=3), pm.generate("zebra", level=1, n=1)
    assert len(long[0].prompt) >= 1000
    gold = Constant(f"<answer>{easy[1].answer}</answer>", "no idea")
    found = pm.score([*easy, *long, row_of(easy[1])], gold, replies=4)
    assert found[3] is None
    tallies = [(each.trials, each.successes) for each in found if each]
    right = [2 * (item.answer == easy[1].answer) for item in easy]
    assert tallies == [*((4, each) for each in right), (4, 2)]
    assert gold.asked == 16
    assert all(each.low <= each.mean <= each.high for each in found if each)


def test_without_a_number_of_replies_scoring_stops_where_the_verdict_is_known() -> None:
    policy = Constant("no idea")
    found = pm.score(pm.generate("sums", n=12), policy, most=6)
    assert all(each is not None and 1 <= each.trials <= 6 for each in found)
    assert policy.asked == sum(each.trials for each in found if each)


@pytest.mark.parametrize(
    ("policy", "options", "told"),
    [
        ("gpt", {}, "a policy has id, takes and sample; 'gpt' has no id"),
        (Constant(""), {"replies": 0}, "replies = 0, most = 16, group = 8: each is 1 or more"),
        (Constant(""), {"band": (0.9, 0.1)}, "band is two pass rates from 0 to 1"),
    ],
)
def test_what_cannot_be_scored_is_refused(policy: Any, options: Any, told: str) -> None:
    with pytest.raises(pm.UserError, match=re.escape(told)):
        pm.score(pm.generate("sums", n=1), policy, **options)


RECIPE = """
name = "door"
[[make]]
families = ["sums"]
count = 6
[policy]
kind = "none"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("door")
    (here / "door.toml").write_text(RECIPE)
    return pm.build(here / "door.toml", here / "builds")


def test_a_build_is_verified_exported_and_looked_up_from_python(folder: Path) -> None:
    assert pm.verify(folder) == []
    assert pm.verify(str(folder), sample=2, seed=1) == []
    written = pm.export(folder, "trl", unscored=True)
    assert (written / "export.json").is_file()
    from puzzlemill.outputs.finished_build import read_build

    uid = read_build(folder).rows[0]["uid"]
    assert pm.item(uid, build=folder).uid == uid
    with pytest.raises(pm.UserError, match="no row has the uid 'sums-0'"):
        pm.item("sums-0", build=folder)


def test_a_damaged_build_is_told_line_by_line(folder: Path, tmp_path: Path) -> None:
    import shutil

    other = shutil.copytree(folder, tmp_path / "other")
    file = next((other / "dataset").rglob("*.parquet"))
    file.write_bytes(file.read_bytes()[:-1])
    (fault,) = pm.verify(other)
    assert file.name in fault


@pytest.mark.parametrize("call", [pm.rescore, pm.regenerate])
def test_a_build_without_a_policy_is_not_scored_again(folder: Path, call: Any) -> None:
    with pytest.raises(pm.UserError, match="asks no policy"):
        call(folder)
    with pytest.raises(TypeError):
        call(folder, misspelt=True)


def test_a_build_without_a_policy_is_not_trained_on(folder: Path) -> None:
    with pytest.raises(pm.UserError, match="policy"):
        pm.train(folder)
