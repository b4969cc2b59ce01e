"""Lists of claims: none of them follows from another, or says the same in other letters."""

from random import Random

from puzzlemill.generators.statements import divisibility_claim, identity, set_identity
from puzzlemill.generators.statements._claims import mixed


def test_claims_that_say_the_same_have_one_kernel() -> None:
    of_twelve = (12, ((1, 3), (-1, 1)), ())
    of_six = (6, ((1, 1), (-1, 3)), ())  # the same sum with another sign
    other = (6, ((1, 2), (-1, 1)), ())
    assert divisibility_claim._kernel(of_twelve) == divisibility_claim._kernel(of_six)
    assert divisibility_claim._kernel(of_twelve) != divisibility_claim._kernel(other)
    square = (("^", ("+", "x", "y"), 2), ("*", ("+", "x", "y"), ("+", "y", "x")))
    renamed = (("*", ("+", "z", "y"), ("+", "y", "z")), ("^", ("+", "z", "y"), 2))
    assert identity._kernel(square, "xyz") == identity._kernel(renamed, "xyz")
    assert identity._kernel(square, "xyz") != identity._kernel(("x", "x"), "xyz")
    parts = ("=", ("∩", "A", "B"), ("\\", "A", ("\\", "A", "B")), ())
    turned = ("⊆", ("\\", "C", ("\\", "C", "A")), ("∩", "A", "C"), ("A", "B"))
    assert set_identity._kernel(parts, "ABC") == set_identity._kernel(turned, "ABC")
    other_way = ("=", ("∩", "A", "B"), ("\\", "A", ("\\", "B", "A")), ())
    assert set_identity._kernel(parts, "ABC") != set_identity._kernel(other_way, "ABC")


def test_a_list_has_one_claim_of_a_kernel() -> None:
    rng = Random(1)
    claims = mixed(rng, 3, lambda: rng.randint(1, 20), lambda: rng.randint(1, 20), lambda n: n % 4)
    assert claims is not None
    assert len({claim % 4 for claim in claims}) == 3
    assert mixed(rng, 3, lambda: 4, lambda: 8, lambda n: n % 4) is None
