"""Worlds of languages, strings, units, proofs and actions: instances settled by hand."""

from dataclasses import replace
from random import Random

import pytest

from puzzlemill.generators.worlds import (
    calculus_wrong_line,
    hidden_rewriting,
    invented_language,
    invented_units,
    skipped_actions,
)
from puzzlemill.generators.worlds._string_changes import (
    CONDITIONS,
    WORDS,
    every,
    function,
    holds,
    predicate,
    read,
)

# "The old dogs did not see the king of the bird.", owners first, the object first of all. dup-a
# loses its a before -ol, whose o becomes an u, the last vowel before it; and then its p is soft.
DOGS = invented_language.Sentence(
    skin="island",
    nouns=(("dog", "dupa"), ("king", "zer"), ("bird", "lomi")),
    adjectives=(("old", "kim"),),
    verbs=(("see", "bof"),),
    rules=(
        ("order", "OVS"),
        ("adjective after",),
        ("owner first",),
        ("mark", "animals", "suffix", "ol"),
        ("mark", "owner", "prefix", "ri"),
        ("mark", "object", "after", "ka"),
        ("mark", "not", "before", "su"),
        ("mark", "past", "suffix", "ni"),
        ("drop",),
        ("link", "a"),
        ("soften",),
    ),
    needed=(),
    subject=(0, 1, 0, ()),
    verb=0,
    tense="past",
    negated=True,
    object=(1, 0, -1, (2, 0, -1, ())),
)
DOGS_SAID = "rilomi zer ka su bofani dubol kim"

# 12 zab are 3 blem, and 3 blem of salt cost 15 kron; the 2 zab that are free are not paid for.
SALT = invented_units.Market(
    skin="harbour",
    units=("zab", "blem", "kron"),
    coins=1,
    ratios=((4, 0, 1, 1, ""), (1, 1, 5, 2, "salt"), (1, 1, 2, 2, "tea")),
    customs=(("free", 7, "salt"), ("toll", 10, 2), ("off", 20, 3)),
    items=((14, 0, "salt"), (3, 1, "tea")),
    target=2,
    needed=(),
)

ADMIRERS = (
    ("R1", "Anna", "Ben"),
    ("R1", "Clara", "Ben"),
)
# Who admire the same one owe each other a favour, but nobody owes one to herself.
PROOF = calculus_wrong_line.Proof(
    skin="people",
    things=("Anna", "Ben", "Clara"),
    rules=(
        ((("R1", "X", "Z"), ("R1", "Y", "Z")), ("R2", "X", "Y"), ("X", "Y")),
        ((("R2", "X", "Y"),), ("R3", "Y", "X"), ()),
    ),
    facts=ADMIRERS,
    lines=(
        (("R2", "Anna", "Clara"), 0, (0, 1)),
        (("R3", "Clara", "Anna"), 1, (2,)),
        (("R2", "Anna", "Anna"), 0, (0,)),
        (("R3", "Anna", "Clara"), 1, (2,)),
    ),
)

# Dipping makes small things large; rubbing gives a large thing the other's colour.
THINGS = skipped_actions.Orders(
    skin="workshop",
    things=("coin", "shell"),
    attributes=("colour", "size"),
    values=3,  # red, green, blue; tiny, small, large
    verbs=("dip", "rub"),
    actions=(
        (1, (("is", 0, 1, 1),), (("set", 0, 1, 2),)),
        (2, (("is", 0, 1, 2),), (("copy", 0, 0),)),
    ),
    bans=((0, 1, 1),),  # one thing at most is green
    start=(0, 1, 1, 1),  # a red coin and a green shell, both small
    orders=("rub coin shell", "dip coin", "rub coin shell", "dip coin", "dip shell",
            "rub shell coin"),
    needed=(),
)  # fmt: skip


def test_a_sentence_is_translated_by_every_rule_in_turn() -> None:
    assert invented_language.solve(DOGS) == DOGS_SAID
    assert invented_language.verify(DOGS, DOGS_SAID) == 1
    assert invented_language.verify(DOGS, DOGS_SAID.replace("dubol", "dupol")) == 0
    harmony = replace(DOGS, rules=(*DOGS.rules[:8], ("harmony",), *DOGS.rules[8:]))
    said = DOGS_SAID.replace("dubol", "dubal").replace("bofani", "bofano")
    assert invented_language.solve(harmony) == said
    assert invented_language.verify(harmony, said) == 1


def test_a_noun_with_a_plural_of_its_own_takes_no_other_mark() -> None:
    own = replace(DOGS, rules=(*DOGS.rules[:3], ("own plural", "0", "zorn"), *DOGS.rules[3:]))
    said = DOGS_SAID.replace("dubol", "zorn")
    assert invented_language.solve(own) == said
    assert invented_language.verify(own, said) == 1


@pytest.mark.parametrize("kind", WORDS)
def test_a_change_is_read_as_it_is_carried_out(kind: str) -> None:
    rng = Random(kind)
    for change in every([kind], "PQR"):
        for _ in range(40):
            text = "".join(rng.choices("PQR", k=rng.randint(1, 9)))
            assert function(change)(text) == read(change, text), (change, text)


def test_a_condition_is_read_as_it_is_tested() -> None:
    rng = Random(1)
    for condition in every([*CONDITIONS], "PQR"):
        for _ in range(40):
            text = "".join(rng.choices("PQR", k=rng.randint(1, 7)))
            assert predicate(condition)(text) == holds(condition, text), (condition, text)


def test_a_hidden_change_is_settled_only_where_all_rules_agree() -> None:
    # PQ becomes QP by reversing, by turning left and by turning right; PPQ tells left from others.
    kinds, shown = ("reverse", "left", "right"), (("PQ", "QP"), ("PPQ", "PQP"))
    rule = (((), (("left",),)),)
    hidden = hidden_rewriting.Rewriting("strings", "PQ", kinds, rule, shown, ("QPP",))
    assert hidden_rewriting.solve(hidden) == ("ppq",)
    assert hidden_rewriting.verify(hidden, ("ppq",)) == 1
    assert hidden_rewriting.verify(hidden, ("pqp",)) == 0
    assert hidden_rewriting.solve(replace(hidden, examples=shown[:1])) is None


def test_a_case_without_an_example_may_be_anything() -> None:
    # Strings that begin with P are reversed; nothing shows what becomes of the others.
    kinds = ("reverse", "left", "delete")
    rule = ((("begins", "P"), (("reverse",),)), ((), (("delete", "Q"),)))
    shown = (("PPQ", "QPP"), ("PQQP", "PQQP"), ("PQQ", "QQP"))
    hidden = hidden_rewriting.Rewriting("strings", "PQ", kinds, rule, shown, ("QPQP",))
    assert hidden_rewriting.solve(hidden) is None


def test_deliveries_are_counted_exchanged_and_taxed_in_order() -> None:
    # 12 zab count: 3 blem, 15 kron; the tea is 6 kron; 21 and 4 more are 25, less 3 are 22.
    assert invented_units.solve(SALT) == 22
    assert invented_units.verify(SALT, 22) == 1
    assert invented_units.verify(SALT, 25) == 0
    assert invented_units.solve(replace(SALT, ratios=SALT.ratios[:2])) is None  # no price of tea


def test_a_ratio_of_one_good_goes_before_the_general_one() -> None:
    own = replace(SALT, ratios=(*SALT.ratios, (2, 0, 1, 1, "salt")), customs=())
    assert invented_units.solve(own) == 14 // 2 * 5 + 6
    assert invented_units.verify(own, 41) == 1


def test_a_line_is_wrong_where_the_rule_wants_different_things() -> None:
    assert calculus_wrong_line.solve(PROOF) == 5
    assert calculus_wrong_line.verify(PROOF, 5) == 1
    assert calculus_wrong_line.verify(PROOF, 6) == 0
    swapped = replace(PROOF, lines=(PROOF.lines[0], PROOF.lines[3]))  # R3 the wrong way round
    assert calculus_wrong_line.solve(swapped) == 4
    assert calculus_wrong_line.verify(swapped, 4) == 1


def test_a_line_must_name_just_what_it_follows_from() -> None:
    extra = (PROOF.lines[0], (("R3", "Clara", "Anna"), 1, (0, 2)))
    assert calculus_wrong_line.solve(replace(PROOF, lines=extra)) == 4
    assert calculus_wrong_line.verify(replace(PROOF, lines=extra), 4) == 1


def test_actions_are_skipped_for_their_conditions_and_for_bans() -> None:
    # The coin is too small for 1; 3 would make two things green; the coin is large before 4.
    assert skipped_actions.solve(THINGS) == (1, 3, 4)
    assert skipped_actions.verify(THINGS, (1, 3, 4)) == 1
    assert skipped_actions.verify(THINGS, (1, 4)) == 0
    assert skipped_actions.solve(replace(THINGS, bans=())) == (1, 4)
