"""Science: textbook problems with textbook answers."""

from fractions import Fraction

import pytest

import puzzlemill as pm
from puzzlemill.generators.science import (
    acidity,
    balanced_equation,
    collisions,
    genetic_cross,
    kirchhoff,
    lenses,
    pedigree,
    resistor_network,
    stoichiometry,
)


@pytest.mark.parametrize(
    ("left", "right", "coefficients"),
    [
        ("KMnO4 HCl", "KCl MnCl2 H2O Cl2", (2, 16, 2, 2, 8, 5)),
        ("K4Fe(CN)6 H2SO4 H2O", "K2SO4 FeSO4 (NH4)2SO4 CO", (1, 6, 6, 2, 1, 3, 6)),
        ("Fe2O3 C", "Fe CO2", (2, 3, 4, 3)),
    ],
)
def test_an_equation_of_the_textbooks_is_balanced(
    left: str, right: str, coefficients: tuple[int, ...]
) -> None:
    reaction = balanced_equation.Reaction(tuple(left.split()), tuple(right.split()))
    assert balanced_equation.solve(reaction) == coefficients
    assert balanced_equation.verify(reaction, coefficients) == 1
    assert balanced_equation.verify(reaction, tuple(2 * each for each in coefficients)) == 0


def test_an_equation_with_two_independent_solutions_has_no_answer() -> None:
    left, right = ("KMnO4", "H2O2", "H2SO4"), ("MnSO4", "K2SO4", "O2", "H2O")
    assert balanced_equation.solve(balanced_equation.Reaction(left, right)) is None


def test_the_table_of_reactions_is_balanced() -> None:
    for left, right, coefficients in stoichiometry.REACTIONS:
        reaction = balanced_equation.Reaction(left, right)
        assert balanced_equation.solve(reaction) == coefficients, reaction


def test_equal_carts_exchange_their_velocities() -> None:
    track = collisions.Track((2, 2, 2), (0, 5, 9), (6, 0, -3), ())
    assert collisions.solve(track) == (Fraction(-3), Fraction(0), Fraction(6))


def test_a_dihybrid_cross_gives_nine_in_sixteen() -> None:
    genes = (("A", "round", "round", "wrinkled"), ("B", "yellow", "yellow", "green"))
    cross = genetic_cross.Cross("pea/peas", genes, (1, 1), (1, 1), (0, 0), -1, 0, -1)
    assert genetic_cross.solve(cross) == Fraction(9, 16)
    assert genetic_cross.verify(cross, Fraction(9, 16)) == 1


def test_the_well_sibling_of_an_ill_child_is_a_carrier_in_two_of_three_cases() -> None:
    family = pedigree.Pedigree(
        "recessive",
        (
            ("Ada", -1, -1, "f", 0),
            ("Bo", -1, -1, "m", 0),
            ("Cy", 0, 1, "m", 1),
            ("Di", 0, 1, "f", 0),
        ),
        10,
        "carrier",
        3,
    )
    assert pedigree.solve(family) == Fraction(2, 3)
    assert pedigree.verify(family, Fraction(2, 3)) == 1


def test_no_current_flows_through_a_balanced_bridge() -> None:
    # A battery between 0 and 3; the bridge is between 1 and 2.
    branches = ((0, 1, 2, 0), (0, 2, 4, 0), (1, 3, 3, 0), (2, 3, 6, 0), (1, 2, 5, 0), (3, 0, 1, 9))
    circuit = kirchhoff.Circuit(branches, "current", 4)
    assert kirchhoff.solve(circuit) == 0
    assert kirchhoff.verify(circuit, Fraction(0)) == 1


def test_two_equal_resistors_in_parallel_are_half_of_one() -> None:
    network = resistor_network.Network(((0, 1, 8), (1, 0, 8)), 12, "whole", 0)
    assert resistor_network.solve(network) == 4
    assert resistor_network.verify(network, Fraction(4)) == 1


def test_an_object_at_twice_the_focal_length_has_an_image_there_of_its_size() -> None:
    bench = lenses.Bench(((20, 10),), "place", 0)
    assert lenses.solve(bench) == 20
    assert lenses.solve(lenses.Bench(((20, 10),), "size", 0)) == -1


def test_a_centimolar_strong_acid_has_ph_two() -> None:
    mixture = acidity.Mixture(((100, 10, 1, 0),), 0, ())
    assert acidity.solve(mixture) == 2
    assert acidity.verify(mixture, Fraction(2)) == 1
    assert acidity.verify(mixture, Fraction("2.01")) == 0


def test_a_factor_of_hundreds_of_digits_is_judged_at_once() -> None:
    for index in range(4):
        comparison = pm.generate("scaling_laws", level=0.5)[index]
        assert pm.check(comparison, f"<answer>{comparison.answer}</answer>").correct
        for huge in ("9" * 400, "1" + "0" * 399 + "7/" + "3" * 300):
            assert pm.check(comparison, f"<answer>{huge}</answer>").score == 0
