"""Prompt styles: the same sentence in scoring, training and exports, and its name in the id."""

import copy
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet as pq
import pytest
from test_outputs import scored, write_build

from puzzlemill.core.errors import UserError
from puzzlemill.core.item import generate
from puzzlemill.core.rows import row_of
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.policy import prompt_form
from puzzlemill.difficulty.prompt_styles import PROMPT_STYLES, in_style
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.outputs.sections.drift import drift
from puzzlemill.outputs.sections.prompt_styles import styles
from puzzlemill.outputs.trainer_files.writer import export
from puzzlemill.pipelines.recipe import recipe_from
from puzzlemill.trainer.item_task import item_task

MAKE = {"families": ["sums"], "count": 1}


def test_a_style_stands_behind_the_question_and_in_the_policy_s_id() -> None:
    row = row_of(generate("sums", level=0.25)[0])
    (question,) = row["prompt"]
    for name in PROMPT_STYLES.names():
        system, last = in_style(row, name, "Be brief.")["prompt"]
        assert system == {"role": "system", "content": "Be brief."}
        assert last["content"].startswith(question["content"])
        assert (last == question) == (name == "plain")
    assert row["prompt"] == [question]
    policy = new_policy(PolicySettings(style="tree", max_tokens=8))
    assert policy.id.endswith("/t1-p1-m8+tree")
    plain = new_policy(PolicySettings(max_tokens=8)).id
    assert prompt_form(policy.id) == (plain, "tree")
    assert prompt_form(plain) == (plain, "plain")
    told = [new_policy(PolicySettings(system=text)).id for text in ("Be brief.", "Be kind.")]
    assert prompt_form(told[0])[0] == prompt_form(told[1])[0]
    assert told[0] != told[1]


def test_a_style_sets_the_switch_of_a_chat_template() -> None:
    template = "{% if enable_thinking is defined %}{{ enable_thinking }}{% else %}unset{% endif %}"
    for style, text in (("plain", "unset"), ("think", "True"), ("no-think", "False")):
        policy: Any = new_policy(PolicySettings(style=style))
        tokenizer = copy.copy(policy.tokens.tokenizer)
        tokenizer.chat_template = template
        tokens = replace(policy.tokens, tokenizer=tokenizer)
        assert tokens.text(tokens.ids([{"role": "user", "content": "1 + 1?"}])) == text


def test_training_asks_held_out_and_fresh_items_in_the_style(tmp_path: Path) -> None:
    recipe = recipe_from(
        {
            "name": "styled",
            "make": [MAKE],
            "policy": {"style": "tree", "system": "Be brief."},
            "train": {"source": "endless", "heldout": 1},
        }
    )
    task = item_task(tmp_path, recipe)
    source = task.schedule.source
    for row in (task.heldout[0], source.row(source.tickets([0])[0])):
        system, question = row["prompt"]
        assert system["content"] == "Be brief."
        assert "as in a tree" in question["content"]


def test_an_export_carries_the_style_of_its_build(tmp_path: Path) -> None:
    folder = write_build(tmp_path / "sample", scored("sorting", "train", [4, 2]))
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["recipe"]["policy"] = {"style": "no-think"}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    made = export(folder, "trl").folder
    prompts = pq.read_table(made / "train.parquet")["prompt"].to_pylist()
    assert all("without thinking first" in prompt[-1]["content"] for prompt in prompts)
    assert "style 'no-think'" in (made / "README.md").read_text()
    with pytest.raises(UserError, match="asks for none"):
        export(folder, "sft")


def test_the_report_compares_two_styles_of_the_same_weights() -> None:
    def row(mean: float, before: float, policy: str) -> dict[str, Any]:
        history = json.dumps([{"mean": before, "policy": policy}])
        own = {"family": "sums", "level": 0.5, "policy": "tiny-1/t1-p1-m8+tree"}
        return {**own, "mean": mean, "trials": 8, "successes": 4, "history": history}

    rows = [row(0.5, 0.25, "tiny-1/t1-p1-m8"), row(0.75, 0.5, "tiny-1/t1-p1-m8")]
    build: Any = SimpleNamespace(scored=[*rows, row(0.9, 0.1, "tiny-2/t1-p1-m8")])
    figures = styles(build)
    assert figures is not None
    (compared,) = figures["rows"]
    assert (compared["before"], compared["form"], compared["of"]) == ("plain", "tree", 2)
    assert (compared["first"], compared["second"]) == (0.375, 0.625)
    assert drift(build) is None, "another style is no drift"


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({"policy": {"style": "treee"}, "make": [MAKE]}, 'did you mean "tree"|tree'),
        (
            {
                "policy": {"style": "no-think"},
                "make": [MAKE],
                "train": {"warm": {"steps": 1}},
            },
            "asks for no reasoning",
        ),
        (
            {"policy": {"style": "tree"}, "train": {"play": {"games": ["nim"]}}},
            "prompts of their own",
        ),
    ],
)
def test_a_style_that_goes_with_nothing_is_refused(table: dict[str, Any], why: str) -> None:
    with pytest.raises(UserError, match=why):
        recipe_from({"name": "refused", **table})
