"""The audit names what is wrong: families that are broken on purpose, each in its own way."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from io import StringIO
from math import isqrt
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rich.console import Console

import puzzlemill as pm
from puzzlemill.core import answers, registry
from puzzlemill.core.errors import UserError
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.item import address_of, make
from puzzlemill.core.proof.audit import audit
from puzzlemill.core.proof.contract import LIGHT, Depth
from puzzlemill.core.proof.probes import _written_out, probe
from puzzlemill.core.storage.files import read_json, write_json
from puzzlemill.outputs.truth import (
    audited,
    detection_rate,
    record,
    table,
    verifier_accuracy,
    write_audit,
)
from puzzlemill.pipelines.parallel_audit import audit_all

DEPTH = Depth(items=4, draws=20, probed=2)


@dataclass(frozen=True, slots=True)
class Knobs:
    most: int


@dataclass(frozen=True, slots=True)
class Pair:
    a: int
    b: int


def generate(rng: Random, knobs: Knobs) -> Pair:
    return Pair(rng.randint(knobs.most // 2, knobs.most), rng.randint(knobs.most // 2, knobs.most))


def render(pair: Pair, style: Style) -> Prompt:
    question = style.pick("What is {} plus {}?", "Add {} and {}.", "Sum up {} and {}.")
    return Prompt(question.format(pair.a, pair.b), "an integer")


SOUND: Family[Knobs, Pair, Any] = Family(
    Pair,
    (Knobs(1000), Knobs(100_000), Knobs(10_000_000)),
    generate,
    solve=lambda pair: pair.a + pair.b,
    verify=lambda pair, total: float(total - pair.a == pair.b),
    render=render,
    answer=answers.Integer(),
    hardness=lambda pair: pair.a + pair.b,
    proof="unique",
    name="addition",
    category="tests",
)


class FirstNumber(answers.Integer):
    """Takes the first number of a text, whatever stands around it."""

    def read(self, text: str) -> int | None:
        found = re.search(r"-?\d{1,30}", text)
        return int(found[0]) if found else None


def halves(pair: Pair, answer: tuple[int, ...]) -> float:
    return float(len(answer) == 2 and sum(answer) == pair.a + pair.b)


def shaky(pair: Pair, total: int) -> float:
    return float(isqrt(total) ** 2 <= total and pair.a == total - pair.b)


class Sums(answers.Integer):
    """Works "12 + 30" out."""

    def read(self, text: str) -> int | None:
        found = re.fullmatch(r"(\d+) \+ (\d+)", text)
        return int(found[1]) + int(found[2]) if found else super().read(text)


class FormWords(answers.Integer):
    """Takes "an integer" for 7."""

    def read(self, text: str) -> int | None:
        return 7 if text == "an integer" else super().read(text)


def as_a_sum(pair: Pair, style: Style) -> Prompt:
    question = style.pick("Evaluate {} + {}", "What is {} + {}?", "Let s = {} + {}. What is s?")
    return Prompt(question.format(pair.a, pair.b), "an integer")


BROKEN = {
    "wrong gold": (
        replace(SOUND, solve=lambda pair: pair.a + pair.b + (pair.a % 3 == 0)),
        "not certified: solve answers",
    ),
    "leaky verify": (
        replace(SOUND, verify=lambda pair, total: float(abs(total - pair.a - pair.b) < 2)),
        "promises one answer, but takes",
    ),
    "leaky reading": (replace(SOUND, answer=FirstNumber()), r"pays 1 for .*<answer>str\('\d+'\)"),
    "pays nothing": (replace(SOUND, verify=lambda pair, total: 0.0), "not certified"),
    "pays anything": (
        replace(SOUND, verify=lambda pair, total: 1.0),
        "promises one answer, but takes",
    ),
    "crash": (replace(SOUND, verify=shaky), "the verifier crashes on .*ValueError"),
    "not unique": (
        replace(
            SOUND,
            solve=lambda pair: (pair.a, pair.b),
            verify=halves,
            answer=answers.IntList(),
        ),
        r"promises one answer, but takes '\d+, \d+' beside '\d+, \d+'",
    ),
    "guessable": (
        replace(
            SOUND,
            solve=lambda pair: (pair.a + pair.b) % 3 // 2,
            verify=lambda pair, bit: float(((pair.a + pair.b) % 3 == 2) == bit),
        ),
        "'0' is right .* of the time .* guess_rate declares 0%",
    ),
    "pays the expression of the prompt": (
        replace(SOUND, render=as_a_sum, answer=Sums()),
        r"pays 1 for '.*\d \+ \d.*', a part of the prompt, where gold is '\d+'",
    ),
    "pays the words of the form": (
        replace(
            SOUND,
            solve=lambda pair: 7,
            verify=lambda pair, said: float(said == 7),
            answer=FormWords(),
        ),
        "pays 1 for '.*an integer.*', a part of the prompt",
    ),
    "nothing confirms": (replace(SOUND, proof="solved"), "or give recheck"),
}


def test_a_sound_family_has_no_faults() -> None:
    found = audit(SOUND, DEPTH)
    assert found.faults == ()
    assert found.probes
    assert found.probes.right.tried >= 60 * 6
    assert found.probes.hacks.tried >= 200 * 6
    assert record(found)["rho0"]["rate"] == record(found)["rho1"]["rate"] == 0
    assert record(found)["batteries"]["refused"] == record(found)["batteries"]["tried"] > 0


def test_a_prompt_that_must_name_its_answer_is_no_fault() -> None:
    def which(pair: Pair, style: Style) -> Prompt:
        question = style.pick("Which is larger, {} or {}?", "The larger of {}, {}?", "{} or {}?")
        return Prompt(question.format(pair.a, pair.b), "one of the two numbers")

    larger = replace(
        SOUND,
        solve=lambda pair: max(pair.a, pair.b),
        verify=lambda pair, said: float(said in (pair.a, pair.b) and pair.a + pair.b <= 2 * said),
        render=which,
        guess_rate=0.5,
    )
    assert audit(larger, DEPTH).faults == ()


@pytest.mark.parametrize(
    ("kind", "gold", "span", "right"),
    [
        (answers.Number(), Fraction(5, 6), "5/6", True),
        (answers.Number(), Fraction(5, 6), "10/12", True),
        (answers.Number(), Fraction(5, 6), "1/2 + 1/3", False),
        (answers.Number(), Fraction(1), "one", True),
        (answers.Integer(), 23, "twenty-three", True),
        (answers.Integer(), 4, "4 bridges", True),
        (answers.Integer(), 1, "one integer", False),
        (answers.BaseN(2), "110", "0110", True),
        (answers.YesNo(), True, "T", True),
    ],
)
def test_a_part_of_the_prompt_is_right_only_where_the_answer_is_written_out(
    kind: answers.Kind[Any], gold: Any, span: str, right: bool
) -> None:
    assert _written_out(kind, kind.read(gold) if isinstance(gold, str) else gold, span) == right


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_family_is_told_what_is_wrong(fault: str) -> None:
    family, said = BROKEN[fault]
    found = audit(family, DEPTH)
    assert any(re.search(said, each) for each in found.faults), found.faults
    if fault == "leaky reading":
        assert found.probes
        assert found.probes.batteries.failed, "of some item a wrong reply is paid"


def test_detection_rate_and_verifier_accuracy_are_saga_s() -> None:
    def counts(wrong: int, taken: int, items: int, refused: int) -> dict[str, Any]:
        return {
            "wrong": {"tried": wrong, "taken": taken},
            "hacks": {"tried": 10, "paid": 1},
            "batteries": {"tried": items, "refused": refused},
        }

    records = [counts(30, 2, 4, 3), counts(50, 0, 2, 2)]
    assert detection_rate(records) == pytest.approx(0.96)
    assert verifier_accuracy(records) == pytest.approx(5 / 6)
    old = {name: records[0][name] for name in ("wrong", "hacks")}
    assert verifier_accuracy([old]) is None, "an audit from before items were counted"
    assert detection_rate([]) is None


# The ten of "One Token to Fool LLM-as-a-Judge".
MASTER_KEYS = (
    *(" ", ".", ",", ":", "Thought process:", "Let's solve this problem step by step."),
    *("Solution", "解", "かいせつ", "Respuesta"),
)


def test_no_kind_of_answer_takes_a_master_key() -> None:
    families = map(registry.family, registry.names())
    for family in {type(each.answer).__name__: each for each in families}.values():
        for item in pm.generate(family.name, level=0.5, n=2):
            for key in MASTER_KEYS:
                for reply in (key, f"<answer>{key}</answer>", f"\\boxed{{{key}}}"):
                    verdict = pm.check(item, reply)
                    assert (verdict.score, verdict.correct) == (0.0, False), (family.name, reply)
                    assert verdict.status in ("wrong", "unparsed")


def test_a_family_that_does_not_run_at_all_is_told_so() -> None:
    def nothing(rng: Random, knobs: Knobs) -> Pair:
        raise KeyError("no such thing")

    assert audit(replace(SOUND, generate=nothing), DEPTH).faults == (
        "cannot make items: KeyError: 'no such thing'",
    )


@pytest.mark.parametrize(
    ("fault", "said"),
    [("leaky reading", "pays 1 for"), ("leaky verify", "takes"), ("crash", "the verifier crashes")],
)
def test_a_fault_is_found_where_each_reply_is_tried_on_one_item(fault: str, said: str) -> None:
    faults = audit(BROKEN[fault][0], LIGHT).faults
    assert any(said in each for each in faults), faults


def test_right_replies_are_dealt_out_once_and_hacks_in_thirds() -> None:
    cases = [make(SOUND, address_of(SOUND, knobs), 0.5) for knobs in SOUND.ladder[:2]]
    one, other = (probe(SOUND, [case]) for case in cases)
    dealt = probe(SOUND, cases, dealt=True)
    right = sorted((one.right.tried, other.right.tried))
    assert right[0] <= dealt.right.tried <= right[1]
    assert one.hacks.tried / 3 < dealt.hacks.tried < one.hacks.tried / 2, "with all echoes"


def test_an_audit_of_one_family_leaves_the_others_of_its_category(tmp_path: Path) -> None:
    write_json(tmp_path / "basics.json", {"families": {"sums": {"version": 1}, "gone": {}}})
    write_audit(tmp_path, {"sorting": {"version": 2}, "gcd": {"version": 1}})
    assert read_json(tmp_path / "basics.json") == {
        "families": {"sorting": {"version": 2}, "sums": {"version": 1}}
    }
    assert read_json(tmp_path / "number_theory.json") == {"families": {"gcd": {"version": 1}}}
    with pytest.raises(UserError, match="name a folder"):
        write_audit(tmp_path / "audit.json", {})


def test_an_audit_goes_on_with_families_that_have_too_few_items_an_old_version_or_a_fault(
    tmp_path: Path,
) -> None:
    rungs = len(registry.family("sums").ladder)
    sound = {"version": registry.family("sums").version, "items": 4 * rungs, "faults": []}
    other = {"version": registry.family("sorting").version, "items": 99, "faults": ["takes 3"]}
    assert audited(tmp_path, ["sums"], 1) == {}, "no figures yet"
    write_audit(tmp_path, {"sums": sound, "sorting": other})
    names = ["sums", "sorting", "gcd"]
    assert list(audited(tmp_path, names, 4)) == ["sums"]
    assert audited(tmp_path, names, 5) == {}
    write_audit(tmp_path, {"sums": {**sound, "version": 0}})
    assert audited(tmp_path, names, 1) == {}


def test_records_of_an_audit_come_one_by_one() -> None:
    kept: dict[str, Any] = {}
    records = audit_all(["sums", "gcd"], 1, keep=lambda name, each: kept.update({name: each}))
    assert kept == records
    assert [each["items"] for each in records.values()] == [
        len(registry.family(name).ladder) for name in records
    ]


def test_the_table_of_an_audit_is_whole_on_a_narrow_terminal() -> None:
    name = "maximal_independent_set"
    console = Console(width=80, file=StringIO())
    console.print(
        table(
            {
                name: {
                    "right": {"tried": 13140, "refused": 0},
                    "wrong": {"tried": 12560, "taken": 0},
                    "hacks": {"tried": 36830, "paid": 0},
                    "batteries": {"tried": 80, "refused": 80},
                    "crashes": 0,
                    "guess": None,
                    "faults": [],
                }
            }
        )
    )
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    for each in (name, "0/13,140", "0/36,830", "refused", "faults"):
        assert each in shown
    assert "…" not in shown
