"""What a family is, told in the terminal, in Python and in a notebook."""

import re

import pytest
from typer.testing import CliRunner

import puzzlemill as pm
from puzzlemill.__main__ import app
from puzzlemill.core import registry
from puzzlemill.core.family_facts import facts, knobs


@pytest.mark.parametrize("category", ["basics", "logic", "games"])
def test_every_family_says_its_rule_and_its_knobs_with_their_ladder(category: str) -> None:
    for name in pm.families(category):
        family = pm.family(name)
        assert len(family.rule) > 10, name
        assert {*dict(facts(family))} >= {"category", "version", "answer", "certificate"}
        for knob in knobs(family):
            assert len(knob.ladder) == len(family.ladder)
            assert "\n" not in knob.meaning
            assert not knob.meaning.startswith("#"), name


def test_every_knob_of_every_family_has_a_comment() -> None:
    bare = [
        f"{name}: {knob.name}"
        for name in registry.names()
        for knob in knobs(registry.family(name))
        if not knob.meaning
    ]
    assert bare == []


def test_a_knob_means_what_the_comment_beside_it_says_or_that_of_its_type() -> None:
    found = {knob.name: knob for knob in knobs(pm.family("shortest_path"))}
    assert found["degree"].meaning == "edges at a node, on average"
    assert found["encoding"].meaning == 'How a graph is told; "any" is one of the ways'
    assert found["nodes"].meaning == "of the graph; a small real graph may have fewer"
    assert found["nodes"].values.startswith("7 → 9 → ")
    assert {knob.name: knob.values for knob in knobs(pm.family("gcd+inverse"))} == {
        knob.name: knob.values for knob in knobs(pm.family("gcd"))
    }


@pytest.mark.parametrize("name", ["sudoku", "gcd+inverse"])
def test_the_command_tells_of_one_family_with_a_sample(name: str) -> None:
    told = CliRunner().invoke(app, ["families", name])
    assert told.exit_code == 0
    family = pm.family(name)
    assert told.stdout.startswith(str(family))
    item = pm.generate(name, level=0.25, n=1)[0]
    words = re.sub(r"\s+", " ", told.stdout)
    assert " ".join(item.prompt.split()) in words
    assert words.rstrip().endswith(" ".join(item.answer.split()))


def test_a_variant_s_rule_is_that_of_its_origin_and_of_the_operator() -> None:
    assert pm.family("gcd+inverse").rule.startswith(pm.family("gcd").rule)
    assert "one number of the question is sought" in pm.family("gcd+inverse").rule


def test_a_notebook_shows_the_rule_and_a_table_of_knobs() -> None:
    family = pm.family("sudoku")
    shown = family._repr_html_()
    assert family.rule in shown
    assert shown.count("<tr>") == 1 + len(knobs(family))
    assert "share of the cells to empty" in shown
