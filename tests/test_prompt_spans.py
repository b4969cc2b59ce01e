"""What is cut out of a prompt to probe its verifier with."""

import pytest

from puzzlemill.core.proof.prompt_spans import MOST, spans

FORM = "\n\nAnswer with {}, between <answer> and </answer>."
SUM = "((6 + 8i)^2 * (-3 + i)^4) / (-10 - 6i)^4"

FOUND = (
    (f"Compute {SUM}, where i^2 = -1.", SUM),
    (f"Evaluate\n\n{SUM}", SUM),
    (f"What is the value of {SUM} as a real part plus an imaginary part times i?", SUM),
    ("Differentiate f(x) = 4x - sin(x)^2 with respect to x.", "4x - sin(x)^2"),
    ("Simplify $\\frac{12}{18} + \\sqrt{8}$.", "\\frac{12}{18} + \\sqrt{8}"),
    ("Simplify \\frac{12}{18} + \\sqrt{8} as far as it goes.", "\\frac{12}{18} + \\sqrt{8}"),
    ("What is |3 - 8| * 2?", "|3 - 8| * 2"),
    ("Let s = 3! + 4. What is s?", "3! + 4"),
    ("Is f''(2) larger than 1,250.5?", "1,250.5"),
    ("Who lives next to Anna Smith and ben?", "Anna Smith"),
    ('What does the word "abba" become?', "abba"),
    ("What does `a = b` become?", "a = b"),
    ("Sort [3, [1], 2] please.", "[3, [1], 2]"),
    ("Sort [3, 1, 2] please.", "3, 1, 2"),
    ("The nodes: A, B, C and D. Which?", "A, B, C and D"),
    ("Fill this in:\n1 0\n0 2\n\nEach row counts.", "1 0\n0 2"),
    ("Fill this in.\n\n#.#\n.#.\n\nEach row counts.", "#.#\n.#."),
    ("Someone says: the moon is blue. Is it?", "the moon is blue"),
)


@pytest.mark.parametrize(("question", "span"), FOUND)
def test_what_could_pass_for_an_answer_is_found(question: str, span: str) -> None:
    assert span in spans(question + FORM.format("one integer"))


@pytest.mark.parametrize(
    ("form", "span"),
    [
        ("one integer", "one integer"),
        ("yes or no", "yes"),
        ("one complex number a + bi, such as -7 + 2i", "a + bi"),
        ("one complex number a + bi, such as -7 + 2i", "-7 + 2i"),
        ("the number of the part that fits, as one integer", "as one integer"),
        ('a formula, or the word "impossible"', "impossible"),
    ],
)
def test_the_forms_own_words_are_found(form: str, span: str) -> None:
    assert span in spans("What is it?" + FORM.format(form))


def test_no_prompt_has_too_many_spans() -> None:
    numbers = ", ".join(f"{number} - {number + 1}" for number in range(500))
    found = spans(f"Its edges: {numbers}" + FORM.format("one integer"))
    assert len(found) == len(set(found)) <= MOST
    assert "one integer" in found
