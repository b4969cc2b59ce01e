"""Rule sets drawn alone, without a puzzle, for families that draw all their rules first.

A function for each family draws what its `generate` draws, and gives a puzzle that has no more than
the rules; None where the rules themselves are turned away. In other families a puzzle decides which
rules are kept, so that only whole puzzles tell what is counted.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import comb, prod
from random import Random
from typing import Any

from puzzlemill.generators.worlds import (
    drawn_game,
    hidden_action,
    hidden_calculus,
    hidden_game,
    hidden_instruction,
    hidden_kinship,
    hidden_operator,
    hidden_rewriting,
    hidden_scoring,
    hidden_sorting,
    invented_machine,
    invented_operators,
    invented_scoring,
    machine_input,
    machine_wrong_line,
    rewriting_distance,
    skipped_actions,
    stack_queue_tape,
)
from puzzlemill.generators.worlds._action_draws import drawn_ban, drawn_names, drawn_rules
from puzzlemill.generators.worlds._claims import claims_of
from puzzlemill.generators.worlds._effect_space import EFFECTS
from puzzlemill.generators.worlds._operator_terms import drawn_operation
from puzzlemill.generators.worlds._program_terms import drawn_instructions
from puzzlemill.generators.worlds._scores import anonymous, drawn_rule, topic
from puzzlemill.generators.worlds._store_terms import STORES
from puzzlemill.generators.worlds._store_terms import instruction as store_instruction
from puzzlemill.generators.worlds._string_changes import CONDITIONS, WORDS, every

Draw = Callable[[Random, Any], Any]


def operator(rng: Random, knobs: hidden_operator.Knobs) -> Any:
    count = min(knobs.parts, len(hidden_operator.PARTS))
    parts = rng.sample(list(hidden_operator.PARTS), count)
    rule = hidden_operator.drawn_rule(rng, knobs, parts)
    return rule and hidden_operator.Operation(
        "", "", tuple(parts), knobs.factor, knobs.added, rule, (), ()
    )


def rewriting(rng: Random, knobs: hidden_rewriting.Knobs) -> Any:
    letters = "ABCD"[: knobs.letters]
    kinds = tuple(rng.sample(sorted(WORDS), min(knobs.kinds, len(WORDS))))
    changes, conditions = [*every(kinds, letters)], [*every(list(CONDITIONS), letters)]
    rule = hidden_rewriting.drawn_rule(rng, knobs, changes, conditions)
    return hidden_rewriting.Rewriting("", letters, kinds, rule, (), ())


def hidden_scores(rng: Random, knobs: hidden_scoring.Knobs) -> Any:
    words = hidden_scoring.WORDS[: knobs.words]
    rules = hidden_scoring.drawn_rules(rng, knobs, hidden_scoring.space_of(words, knobs.points))
    return rules and hidden_scoring.Scoring("", words, knobs.points, rules, (), ())


def sorting(rng: Random, knobs: hidden_sorting.Knobs) -> Any:
    joints = tuple(hidden_sorting.JOINTS)[: knobs.joints]
    cases, head = hidden_sorting.drawn_rule(rng, knobs, joints, claims_of(knobs.values))
    return hidden_sorting.Sorting(
        "", knobs.values, joints, cases[0], (), (), head, tuple(cases[1:])
    )


def scores(rng: Random, knobs: invented_scoring.Knobs) -> Any:
    chosen = min(knobs.chosen, knobs.things - 1)
    rules = [drawn_rule(rng, chosen, place < knobs.conditions) for place in range(knobs.rules)]
    if len(set(map(topic, rules))) < len(rules):
        return None
    return invented_scoring.Choice("", (), chosen, tuple(rules))


def operations(rng: Random, knobs: invented_operators.Knobs) -> Any:
    count = min(knobs.operations, knobs.uses)
    cases = min(knobs.cases, count, knobs.uses - count)
    each = (drawn_operation(rng, knobs.depth, place < cases) for place in range(count))
    return invented_operators.Equation("", (), tuple(each), "x", 0, 0)


def machine(rng: Random, knobs: Any) -> Any:
    count = min(knobs.instructions, knobs.lines)
    cases = min(knobs.cases, count, max(0, knobs.lines - count))
    drawn = drawn_instructions(rng, count, knobs.effects, cases)
    return drawn and invented_machine.Machine("", (), drawn[2], (), ())


def rewritings(rng: Random, knobs: rewriting_distance.Knobs) -> Any:
    letters = list("ABCD"[: knobs.letters])
    rules = rewriting_distance.drawn_rules(rng, letters, knobs.rules + knobs.spare)
    return rewriting_distance.System("", rules, tuple(range(len(rules))), "A", "A", 0)


def game(rng: Random, knobs: drawn_game.Knobs) -> Any:
    drawn = drawn_game.drawn(rng, "stones", knobs)
    return drawn if len(drawn.moves) == knobs.moves else None


def orders(rng: Random, knobs: skipped_actions.Knobs) -> Any:
    skin, actions, start = drawn_rules(rng, knobs)
    names = drawn_names(rng, skin, knobs, len(actions))
    bans = (drawn_ban(rng, knobs.attributes, knobs.values, start) for _ in range(knobs.bans))
    things, attributes, verbs = names
    return skipped_actions.Orders(
        skin, things, attributes, knobs.values, verbs, actions, tuple(bans), start, (), ()
    )


def stores(rng: Random, knobs: stack_queue_tape.Knobs) -> Any:
    store, count = rng.choice(STORES), min(knobs.instructions, knobs.lines)
    cases = min(knobs.cases, count, max(0, knobs.lines - count))
    rules = tuple(store_instruction(rng, store, knobs.effects, at < cases) for at in range(count))
    return (
        stack_queue_tape.Machine(store, 0, (), rules, (), ()) if len(set(rules)) == count else None
    )


def hidden_actions(rng: Random, knobs: hidden_action.Knobs) -> Any:
    actions = hidden_action.drawn_actions(rng, knobs)
    names = tuple(map(str, range(knobs.attributes)))
    return hidden_action.Hidden("", names, knobs.values, (), actions, (), (), (), (0, 0, 0))


def hidden_inferences(rng: Random, knobs: hidden_calculus.Knobs) -> Any:
    forms, rules = hidden_calculus.drawn(rng, knobs)
    sizes = knobs.relations, knobs.properties
    return hidden_calculus.Hidden("", forms, *sizes, rules, (), (), (), ("", "?"))


def hidden_moves(rng: Random, knobs: hidden_game.Knobs) -> Any:
    return hidden_game.Hidden("", *hidden_game.drawn(rng, knobs), (), knobs.most, 0)


def hidden_effects(rng: Random, knobs: hidden_instruction.Knobs) -> Any:
    kinds = tuple(rng.sample(list(EFFECTS), min(knobs.kinds, len(EFFECTS))))
    rule = hidden_instruction.drawn_rule(rng, knobs, kinds)
    return hidden_instruction.Hidden("", "", kinds, rule, (), (), ())


def hidden_terms(rng: Random, knobs: hidden_kinship.Knobs) -> Any:
    definitions = hidden_kinship.drawn(rng, knobs)
    finer = knobs.finer > 0
    return hidden_kinship.Hidden("", (), "", (), (), finer, definitions, (), 0)


DRAWS: dict[str, Draw] = {
    drawn_game.__name__: game,
    hidden_action.__name__: hidden_actions,
    hidden_calculus.__name__: hidden_inferences,
    hidden_game.__name__: hidden_moves,
    hidden_instruction.__name__: hidden_effects,
    hidden_kinship.__name__: hidden_terms,
    hidden_operator.__name__: operator,
    hidden_rewriting.__name__: rewriting,
    hidden_scoring.__name__: hidden_scores,
    hidden_sorting.__name__: sorting,
    invented_scoring.__name__: scores,
    invented_operators.__name__: operations,
    invented_machine.__name__: machine,
    machine_input.__name__: machine,
    machine_wrong_line.__name__: machine,
    rewriting_distance.__name__: rewritings,
    skipped_actions.__name__: orders,
    stack_queue_tape.__name__: stores,
}


def drawing(name: str) -> Draw | None:
    return next((draw for module, draw in DRAWS.items() if module.endswith(f".{name}")), None)


def forms(name: str, knobs: Any) -> int | None:
    """The canonical forms that there are, counted; None where nobody has counted them.

    Number words (invented_numerals): the base is one of some, the ways to say a number are all
    four at the top, and the numbers with a word of their own are any with two digits that are
    not 0. A puzzle of each can be drawn.

    Of three scoring rules with points up to p there are as many as a polynomial in p of degree
    three tells (Burnside): four small values of p give it, and a fifth one is a check.
    """
    if name == "invented_numerals":
        assert knobs.twists >= 4, "the ways that are drawn would have to be counted, too"
        bases = range(knobs.base, knobs.base + knobs.powers + 1)
        return sum(comb((base - 1) ** 2, knobs.specials) for base in bases)
    if name != "hidden_scoring":
        return None
    assert knobs.rules == 3, "the degree of the polynomial"
    *small, check = (_scoring_forms(knobs, points) for points in range(1, 6))
    found = [
        sum(count * prod(Fraction(x - b, a - b) for b in range(1, 5) if b != a)
            for a, count in enumerate(small, 1))
        for x in (5, knobs.points)
    ]  # fmt: skip
    assert found[0] == check, "hidden_scoring: the forms are no polynomial of degree three"
    return int(found[1])


def _scoring_forms(knobs: hidden_scoring.Knobs, points: int) -> int:
    words = hidden_scoring.WORDS[: knobs.words]
    sets = combinations(hidden_scoring.space_of(words, points), knobs.rules)
    apart = (rules for rules in sets if hidden_scoring.are_apart(rules))
    return len({tuple(anonymous(tuple(sorted(rules, key=repr)))) for rules in apart})
