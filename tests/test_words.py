"""Words: right answers that differ from gold, and what a word list can get wrong."""

from itertools import product
from random import Random

from puzzlemill.core import registry
from puzzlemill.core.verdict import judge
from puzzlemill.generators import _vocabulary
from puzzlemill.generators.words import (
    _clues,
    clued_crossword,
    crossword_fill,
    isomorphic_strings,
    jumble,
    sorting_mistake,
    word_ladder,
    word_search,
    word_sorting,
)


def test_another_alphabet_gives_another_order() -> None:
    pile = word_sorting.Pile(("ab", "ba", "b", "a"), "bacdefghijklmnopqrstuvwxyz", False)
    assert word_sorting.solve(pile) == ("b", "ba", "a", "ab")
    assert word_sorting.verify(pile, ("b", "ba", "a", "ab")) == 1
    assert word_sorting.verify(pile, ("a", "ab", "b", "ba")) == 0


def test_steps_after_the_mistake_are_right_in_themselves() -> None:
    lists = (("bat", "cat"), ("bat", "cat", "ape"), ("ant", "bat", "cat", "ape"))
    trace = sorting_mistake.Trace(("cat", "bat", "ape", "ant"), "insertion", lists)
    assert sorting_mistake.solve(trace) == ("2", "ape", "bat", "cat")
    assert sorting_mistake.verify(trace, ("2", "ape", "bat", "cat")) == 1
    assert sorting_mistake.verify(trace, ("3", "ant", "bat", "cat", "ape")) == 0


def test_every_anagram_of_the_vocabulary_is_taken() -> None:
    puzzle = jumble.Jumbles(("tnelis",))
    for word in ("listen", "silent"):
        assert word in _vocabulary.known()
        assert judge(registry.family("jumble"), puzzle, f"<answer>{word}</answer>").correct
    assert jumble.verify(puzzle, ("tinsel",)) == float("tinsel" in _vocabulary.known())


def test_any_shortest_ladder_is_right_and_no_longer_one() -> None:
    puzzle = word_ladder.Ladder("cat", "dog", ("cat", "cog", "cot", "dog", "dot", "hat", "hot"))
    for words in (("cat", "cot", "cog", "dog"), ("cat", "cot", "dot", "dog")):
        assert word_ladder.verify(puzzle, words) == 1
        assert word_ladder.recheck(puzzle, words)
    long = ("cat", "hat", "hot", "cot", "cog", "dog")
    assert word_ladder.verify(puzzle, long) == 0
    assert not word_ladder.recheck(puzzle, long)


def test_a_crossword_with_two_fillings_is_not_solved() -> None:
    rows = ("...", ".##", "...")
    assert crossword_fill.solve(crossword_fill.Frame(rows, ("ANT", "ARC", "TEN"), True)) is not None
    twice = crossword_fill.Frame(("...",), ("ANT", "BEE"), False)
    assert crossword_fill.solve(twice) is None


def test_a_word_is_read_in_its_direction() -> None:
    square = word_search.Square(("tac", "xxx", "xxx"), ("cat",), 8)
    assert word_search.solve(square) == ((1, 3), (1, 1))
    assert word_search.verify(square, ((1, 3), (1, 1))) == 1
    assert word_search.verify(square, ((1, 1), (1, 3))) == 0


def test_two_letters_cannot_become_one() -> None:
    impossible = isomorphic_strings.Code(("bcb",), ("ddd",), False)
    assert isomorphic_strings.solve(impossible) is isomorphic_strings.IMPOSSIBLE
    assert isomorphic_strings.verify(impossible, isomorphic_strings.IMPOSSIBLE) == 1
    shuffled = isomorphic_strings.Code(("bcb", "ccb"), ("ffd", "dfd"), True)
    assert isomorphic_strings.solve(shuffled) == (("b", "d"), ("c", "f"))


def test_a_clue_s_answers_are_what_meets_it_and_all_of_that() -> None:
    rng = Random(4)
    for kind in _clues.KINDS:
        for word in ("CAB", "BAA"):
            text, number = _clues.KINDS[kind].make(rng, word)
            clue = (kind, text, number)
            found = _clues.answers(clue)
            assert word in found
            assert len(found) == len(set(found))
            near = ("".join(letters) for letters in product("ABCDXYZ", repeat=3))
            assert [each for each in near if _clues.is_met(clue, each) != (each in found)] == []


def test_a_crossword_s_clues_are_settled_by_its_crossings() -> None:
    clues = (("shift", "YRFF", 13), ("numbers", "3-1-20-5-18", 0), ("changed", "TUE", 0))
    frame = clued_crossword.Frame(("#....", "###.#", "....."), clues)
    assert clued_crossword.solve(frame) == ("#LESS", "###U#", "CATER")
    assert clued_crossword.verify(frame, ("#LESS", "###U#", "CATER")) == 1
    assert clued_crossword.verify(frame, ("#LESS", "###O#", "CATER")) == 0
    doubtful = (clues[0], ("anagram", "ACERT", 0), clues[2])
    assert clued_crossword.solve(clued_crossword.Frame(frame.rows, doubtful)) is None
