"""Deduction puzzles whose answers are known by hand or from logic books."""

from dataclasses import replace

from puzzlemill.generators.logic import (
    circuit,
    deduction,
    entailment,
    evidence,
    exceptions,
    kinship,
    self_reference,
    syllogism,
    web_of_lies,
)


def test_of_statements_that_count_the_false_ones_only_the_last_but_one_is_true() -> None:
    said = tuple(("exactly", number, False, ("all",)) for number in range(1, 8))
    notice = self_reference.Notice(said)
    gold = self_reference.solve(notice)
    assert gold is not None
    assert [number for number, truth in gold if truth == "true"] == ["6"]
    assert self_reference.verify(notice, gold) == 1


def test_a_statement_that_calls_itself_true_may_be_either() -> None:
    assert self_reference.solve(self_reference.Notice((("is", 1, True),))) is None
    assert self_reference.solve(self_reference.Notice((("is", 1, False),))) is None


def test_liars_are_known_only_from_somebody_known() -> None:
    said = (("says", "Anna", ("is", "Ben", False)), ("says", "Ben", ("is", "Carla", False)))
    people = ("Anna", "Ben", "Carla")
    assert web_of_lies.solve(web_of_lies.Web(people, said)) is None
    web = web_of_lies.Web(people, (*said, ("at", "Carla", "zoo"), ("known", "zoo", False)))
    assert web_of_lies.solve(web) == ("anna", "carla")
    assert web_of_lies.verify(web, ("anna", "carla")) == 1
    assert web_of_lies.verify(web, ("anna",)) == 0


def test_a_liar_says_of_a_liar_that_he_would_tell_the_truth() -> None:
    """What a liar says another liar would say is false twice over."""
    lines = (("known", "Anna", False), ("known", "Ben", False))
    claim = ("says", "Anna", ("would", "Ben", ("is", "Carla", True)))
    web = web_of_lies.Web(("Anna", "Ben", "Carla"), (*lines, claim))
    assert web_of_lies.solve(web) == ("anna", "ben")


def test_to_affirm_the_consequent_proves_nothing() -> None:
    theory = entailment.Theory("pq", (("if", "p", "q"), "q"), ("p", "q", ("or", "p", "q")))
    assert entailment.solve(theory) == ("b", "c")
    assert entailment.verify(theory, ("b", "c")) == 1
    assert entailment.verify(theory, ("a", "b", "c")) == 0


def test_darapti_holds_just_if_no_group_is_empty() -> None:
    premises = (("all", "bakers", "poets"), ("all", "bakers", "sailors"))
    conclusions = (("some", "poets", "sailors"), ("all", "poets", "sailors"))
    groups = ("bakers", "poets", "sailors")
    village = syllogism.Village(groups, True, premises, conclusions)
    assert syllogism.solve(village) == ("a",)
    assert syllogism.verify(village, ("a",)) == 1
    empty = replace(village, inhabited=False)
    assert syllogism.solve(empty) == ()
    assert syllogism.verify(empty, ("a",)) == 0


def test_only_bakers_are_poets_says_that_all_poets_are_bakers() -> None:
    groups = ("bakers", "poets", "sailors")
    premises = (("only", "bakers", "poets"), ("no", "non-sailors", "bakers"))
    conclusions = (("all", "poets", "sailors"), ("all", "bakers", "poets"))
    village = syllogism.Village(groups, False, premises, conclusions)
    assert syllogism.solve(village) == ("a",)
    assert syllogism.verify(village, ("a",)) == 1


def test_kindness_spreads_along_a_ring_and_what_is_denied_does_not() -> None:
    facts = (("kind", "Anna"), ("helps", "Anna", "Ben"), ("helps", "Ben", "Carla"),
             ("helps", "Carla", "Anna"), ("tall", "Ben"), ("tall", "Emma"))  # fmt: skip
    rules = (
        (((True, ("helps", "Y", "X")), (True, ("kind", "Y"))), ("kind", "X")),
        (((True, ("tall", "X")), (False, ("kind", "X"))), ("shy", "X")),
    )
    people = ("Anna", "Ben", "Carla", "Emma")
    theory = deduction.Theory(people, facts, rules, "kind")
    assert deduction.solve(theory) == ("anna", "ben", "carla")
    assert deduction.verify(theory, ("anna", "ben", "carla")) == 1
    assert deduction.solve(replace(theory, asked="shy")) == ("emma",)
    assert deduction.verify(replace(theory, asked="shy"), ("ben", "emma")) == 0


def test_birds_fly_and_penguins_do_not() -> None:
    facts = (("Anna", ("bird", True)), ("Ben", ("penguin", True)))
    rules = (
        (1, (("bird", True),), ("flying", True)),
        (2, (("penguin", True),), ("flying", False)),
        (3, (("penguin", True),), ("bird", True)),
    )
    asked = tuple((who, ("flying", True)) for who in ("Anna", "Ben"))
    book = exceptions.Rulebook(("Anna", "Ben"), facts, rules, asked)
    assert exceptions.solve(book) == ("a",)
    assert exceptions.verify(book, ("a",)) == 1
    stronger = replace(book, rules=((9, *rules[0][1:]), *rules[1:]))
    assert exceptions.solve(stronger) == ("a", "b")


def test_evidence_with_two_proofs_has_no_gold() -> None:
    premises = (("is", ("Anna", True)), ("if", (("Anna", True),), ("Ben", True)))
    dossier = evidence.Dossier(("Anna", "Ben", "Carla"), premises, ("Ben", True))
    assert evidence.solve(dossier) == (1, 2)
    assert evidence.verify(dossier, (1, 2)) == 1
    assert evidence.verify(dossier, (2,)) == 0
    twice = replace(dossier, premises=(*premises, ("same", "Ben", "Anna")))
    assert evidence.solve(twice) is None
    assert evidence.verify(twice, (1, 3)) == 1
    assert evidence.verify(twice, (1, 2, 3)) == 0


def test_two_registers_and_two_gates_count_to_four() -> None:
    gates = (("g1", "NOT", ("r1",)), ("g2", "XOR", ("r1", "r2")), ("g3", "AND", ("r1", "r2", "a")))
    registers = (("r1", 0, "g1"), ("r2", 0, "g2"))
    seen = []
    for ticks in range(5):
        counter = circuit.Netlist((("a", 1),), gates, registers, ticks, ("g1", "g2", "g3"))
        gold = circuit.solve(counter)
        assert gold is not None
        assert circuit.verify(counter, gold) == 1
        seen.append("".join(value for _, value in gold))
    assert seen == ["100", "010", "110", "001", "100"]


def test_a_family_told_by_way_of_others() -> None:
    facts = (
        ("wife", "Anna", "Adam"), ("daughter", "Clara", "Adam"), ("brother", "David", "Clara"),
        ("husband", "Erik", "Clara"), ("son", "Felix", "Erik"), ("wife", "Grace", "David"),
        ("mother-in-law", "Grace", "Hugo"), ("wife", "Iris", "Hugo"),
        ("maternal grandmother", "Anna", "Felix"),
    )  # fmt: skip
    clan = kinship.Clan(facts, ("cousins",), "Felix")
    assert kinship.solve(clan) == ("iris",)
    assert kinship.verify(clan, ("iris",)) == 1
    assert kinship.solve(replace(clan, start="Erik", chain=("brothers-in-law",))) == ("david",)
    chain = ("sons-in-law", "parents", "cousins", "grandchildren")
    winding = replace(clan, start="Anna", chain=chain)
    assert kinship.solve(winding) == ("hugo",)
    assert kinship.verify(winding, ("hugo",)) == 1
    assert kinship.verify(winding, ("erik", "hugo")) == 0
