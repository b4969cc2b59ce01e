"""Ciphers: messages whose ciphertext is known from elsewhere, and keys that cannot be told."""

from puzzlemill.core import registry
from puzzlemill.core.verdict import judge
from puzzlemill.generators.ciphers import (
    affine,
    columnar,
    hill,
    playfair,
    polybius,
    rail_fence,
    shift,
    substitution,
    vigenere,
)

FENCED = "we are discovered flee at once"


def test_attack_at_dawn_is_encrypted_as_in_the_books() -> None:
    for autokey, key, cipher in (
        (False, "lemon", "lxfopv ef rnhr"),
        (True, "queenly", "qnxepv yt wtwp"),
    ):
        there = vigenere.Message("attack at dawn", True, key, autokey)
        back = vigenere.Message(cipher, False, key, autokey)
        assert vigenere.solve(there) == cipher
        assert vigenere.solve(back) == "attack at dawn"
        assert vigenere.verify(there, cipher) == vigenere.verify(back, "attack at dawn") == 1


def test_two_letters_tell_an_affine_key() -> None:
    message = affine.Message("ihhwvc swfrcp", False, (), (("a", "i"), ("f", "h")))
    assert affine.solve(message) == "affine cipher"  # 5 * x + 8
    both = affine.Message("ihhwvc swfrcp", False, (), (("a", "i"), ("n", "v")))
    assert affine.solve(both) is None  # a and n are 13 apart, and leave twelve keys


def test_three_rails_give_the_ciphertext_that_every_textbook_has() -> None:
    cipher = "wecrlteerdsoeefeaocaivden"
    assert rail_fence.solve(rail_fence.Message(FENCED, True, (3,))) == cipher
    assert rail_fence.verify(rail_fence.Message(cipher, False, (3,)), FENCED) == 1


def test_a_short_last_row_of_a_transposition_stays_short() -> None:
    message = columnar.Message(FENCED, True, ("zebras",))
    assert columnar.solve(message) == "evlnacdtesearofodeecwiree"
    assert columnar.solve(columnar.Message("evlnacdtesearofodeecwiree", False, ("zebras",))) == (
        FENCED.replace(" ", "")
    )


def test_gold_is_hidden_in_the_tree_stump_with_a_filler() -> None:
    message = playfair.Message("hide the gold in the tree stump", True, "playfirexm", False)
    assert playfair.solve(message) == "bmodzbxdnabekudmuixmmouvif"
    back = playfair.Message("bmodzbxdnabekudmuixmmouvif", False, "playfirexm", False)
    assert playfair.solve(back) == "hidethegoldinthetrexestump"
    assert playfair.verify(back, "hidethegoldinthetreestump") == 0


def test_a_hill_key_is_found_from_known_plaintext_only_if_that_leaves_one() -> None:
    key = ((6, 24, 1), (13, 16, 10), (20, 17, 15))
    assert hill.solve(hill.Message("act", True, 3, key, ())) == "poh"
    assert hill.solve(hill.Message("poh", False, 3, key, ())) == "act"
    known = ("help", "hiat")  # with the key 3 3 / 2 5
    assert hill.solve(hill.Message("hiat", False, 2, (), known)) == "help"
    assert hill.solve(hill.Message("hiat", False, 2, (), ("haha", "jqjq"))) is None


def test_bifid_mixes_rows_and_columns_of_the_whole_message() -> None:
    message = polybius.Message("flee at once", True, "bgwkzqpndsioaxefclumthyvr", False, 10)
    assert polybius.solve(message) == "uaeolwrins"
    assert polybius.verify(message, "UAEOL WRINS".lower()) == 1


def test_a_shift_that_leaves_two_readings_has_no_gold() -> None:
    hidden = ((1, 25), (0, 0))
    assert shift.solve(shift.Message("wklv lv lurq", False, *hidden)) == "this is iron"
    assert shift.solve(shift.Message("lurq", False, *hidden)) is None  # iron, or folk


def test_listed_words_that_fit_in_two_ways_leave_no_gold() -> None:
    message = substitution.Message(("abcd", "ae"), (), (), ("made", "mind", "my"))
    assert substitution.solve(message) is None
    one = substitution.Message(("abcb", "ad"), (), (), ("dada", "made", "mama", "mini", "my"))
    assert substitution.solve(one) == "mini my"
    assert substitution.verify(one, "mama my") == 0


def test_letters_without_meaning_may_be_answered_with_spaces() -> None:
    message = rail_fence.Message("wecrlteerdsoeefeaocaivden", False, (3,))
    family = registry.family("rail_fence")
    assert judge(family, message, f"<answer>{FENCED.title()}.</answer>").correct
    assert not judge(family, message, f"<answer>{FENCED} now</answer>").correct
