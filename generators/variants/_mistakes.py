"""Answers that are wrong and do not look it.

All mistakes of one item come by one road, so that none of them stands out beside the others: by the
family's own `slips`; by the answers where one number of the question is another; by the answers to
other puzzles, with the names of this one; or by small changes of gold, each made of the one before.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, islice
from random import Random
from typing import Any

from puzzlemill.core.answers import Decimal, Impossible, Mapping, OrImpossible, Unknowns
from puzzlemill.core.answers.impossible import IMPOSSIBLE
from puzzlemill.core.family import AnyFamily, Prompt, Style
from puzzlemill.core.inputs import exchanged, inputs_of
from puzzlemill.core.proof.giveaways import Sight, sight_of, words_of
from puzzlemill.core.proof.probes import is_wrong
from puzzlemill.generators.variants._looks import (
    ENOUGH,
    Looks,
    apart,
    board_in,
    is_list,
    is_tidy,
    leaves,
    looks,
    numbers_in,
    others,
    outline,
    rebuilt,
    rows_of,
    skeleton,
)
from puzzlemill.generators.variants._reader import Sets, Weights, taught_by
from puzzlemill.generators.variants._slips import Problem, alike, density, slip

ROWS = 2  # of mistakes, of which some are shown
SPARE = 3  # mistakes of a row beyond those that are shown
LESSONS = 5  # sets of a row that a reader learns from
HANDFULS = 5  # of changes that are tried for a mistake
HANDFUL = 12
OTHERS = 3  # other puzzles that are drawn for a mistake
STYLES = 3  # that a word must be told in
EXCHANGED = 0.4  # by other numbers in the question, where the prompt tells numbers as they are
BORROWED = 0.2  # by the answers to other puzzles
BOARDS = 0.5  # the same for boards, whose parts hang together
SCARCE = 0.8  # the same where small changes leave the values that occur: decimals, and lists of
# numbers where a twin has such numbers, too


Road = Callable[[Any, Random], Iterator[Any]]  # from an answer to others that are like it
Row = tuple[list[Any], list[Any]]  # what is shown in any case, and mistakes of one road
Lesson = tuple[Sight, Sets]


@dataclass(frozen=True, slots=True)
class Task:
    family: AnyFamily
    knobs: Any
    puzzle: Any
    gold: Any
    looks: Looks
    problem: Problem
    asked: Prompt  # in the style whose words a reader sees


def seen_at_once(family: AnyFamily) -> str:
    """Why no mistake of a family can be shown, as what an operator lacks."""
    return f"would give its answer away: {family.obvious}" if family.obvious else ""


def mistakes(
    family: AnyFamily, knobs: Any, puzzle: Any, gold: Any, count: int, rng: Random
) -> list[Any] | None:
    """So many wrong answers that have the form of gold; None where they are not found.

    Of the sets that can be made of some rows of mistakes, one is drawn as often as a reader who
    does not know the puzzle, and has learned from other sets, would take one of its mistakes for
    gold rather than gold.
    """
    task = _task(family, knobs, puzzle, gold)
    rows = [row for _ in range(ROWS) if (row := _row(task, count, rng))]
    if not rows:
        return None
    answers, sets = _sets(task, rows, count)
    reader = _reader(family, knobs, count)
    odds = reader(_sight(task, answers), sets) if reader else None
    return [answers[place] for place in rng.choices(sets, odds)[0][1:]]


@lru_cache(maxsize=256)
def _reader(family: AnyFamily, knobs: Any, count: int) -> Weights | None:
    """Taught by mistakes about other puzzles at one setting."""
    rng, lessons = Random(f"reader of {family.name} {knobs} {count}"), list[Lesson]()
    for puzzle, gold in others(family, knobs):
        task = _task(family, knobs, puzzle, gold)
        if row := _row(task, count, rng):
            answers, sets = _sets(task, [row], count)
            few = rng.sample(sets, min(len(sets), LESSONS))
            lessons.append((_sight(task, answers), few))
    return taught_by(lessons) if len(lessons) >= ENOUGH else None


def _sets(task: Task, rows: Sequence[Row], count: int) -> tuple[list[Any], Sets]:
    """All answers, gold first, and as places among them the sets that may be shown: gold, and of
    one row so many."""
    answers, sets = [task.gold], list[tuple[int, ...]]()
    for said, wrong in rows:
        first = len(answers)
        answers += [*said, *wrong]
        always, places = range(first, first + len(said)), range(first + len(said), len(answers))
        sets += [(0, *always, *each) for each in combinations(places, count - len(said))]
    return answers, sets


def _sight(task: Task, answers: Sequence[Any]) -> Sight:
    written = [task.family.written(task.puzzle, answer) for answer in answers]
    return sight_of(f"{task.asked.question}\n{task.asked.form}", written)


def _task(family: AnyFamily, knobs: Any, puzzle: Any, gold: Any) -> Task:
    seen = looks(family, knobs)
    asked = family.render(puzzle, Style())
    problem = _problem(family, puzzle, asked, seen, _given(asked.question, gold, seen))
    return Task(family, knobs, puzzle, gold, seen, problem, asked)


def _given(question: str, gold: Any, seen: Looks) -> frozenset[tuple[int, int]]:
    """The cells of the question's board that gold has as they are told."""
    rows = rows_of(gold) if seen.open else []
    if not rows:
        return frozenset()
    board = board_in(question, len(rows), len(rows[0])) or []
    told = {
        (row, column): sign
        for row, signs in enumerate(board)
        for column, sign in enumerate(signs)
        if sign not in seen.open
    }
    if any(str(rows[row][column]) != sign for (row, column), sign in told.items()):
        return frozenset()
    return frozenset(told)


def _row(task: Task, count: int, rng: Random) -> Row | None:
    """Wrong answers that come by one road, of which so many are to be shown."""
    gold = task.gold
    if isinstance(gold, Impossible):
        roads = (_own(task, rng), _formed(task, _borrowed(task, rng)))
        first = next(_fitting(task, (each for road in roads for each in road), (gold,)), None)
        if first is None:
            return None
        wrong = _all(task, _changes(task), [first], count, rng)
        return None if wrong is None else ([], wrong)
    said: list[Any] = []
    # So often that "impossible" is right in its fair part of the items that show it.
    share = task.looks.impossible
    if share and rng.random() < count * share / max(1 - share, 0.01):
        said, count = [IMPOSSIBLE], count - 1
    for road in _roads(task, rng):
        wrong = _all(task, road, [], count, rng) if road else _all_own(task, count, rng)
        if wrong is not None:
            return said, wrong
    if not task.problem.given:
        return None
    # A mistake on such a board may break a rule of rows or columns rather than what is told.
    if task.looks.rules:
        freer = replace(task, looks=replace(task.looks, rules=()))
    else:
        freer = replace(task, problem=replace(task.problem, given=frozenset()))
    return _row(freer, count, rng)


def _roads(task: Task, rng: Random) -> Iterator[Road | None]:
    """The ways to make a mistake, the one for this item first; None for the family's own."""
    family, gold = task.family, task.gold
    number = not isinstance(gold, str | tuple)
    board = bool(rows_of(gold)) and isinstance(gold[0], str)
    inner = family.answer.kind if isinstance(family.answer, OrImpossible) else family.answer
    figures = is_list(gold) and not any(isinstance(leaf, str) for leaf in leaves(gold))
    scarce = isinstance(inner, Decimal) or (figures and family.twin is not None)
    if task.problem.given:  # which other puzzles do not have
        yield from (None, _changes(task)) if family.slips else (_changes(task),)
        return
    changed, borrowed = _changes(task), lambda like, rng: _formed(task, _borrowed(task, rng))
    if family.slips:
        yield None
    if family.inputs and not task.looks.free and rng.random() < EXCHANGED:
        yield lambda like, rng: _formed(task, _of_other_numbers(task, rng))
    share = SCARCE if scarce else BOARDS if board else BORROWED
    # Answers to other puzzles look as gold does, but for what the problem's numbers say of it.
    first = task.looks.free or ((scarce or not number) and rng.random() < share)
    yield from (borrowed, changed) if first else (changed, borrowed)


def _all(task: Task, road: Road, wrong: list[Any], count: int, rng: Random) -> list[Any] | None:
    """Mistakes by one road, each like the one beside it in a row in which gold stands anywhere:
    then gold is not the one most like all others more often than chance has it."""
    wrong = list(wrong)
    row = wrong or [task.gold]
    left = count + SPARE - len(wrong) if count else 0
    before = rng.randint(0, left)
    for place in range(left):
        first = place < before
        near = row[0] if first else row[-1]
        other = next(_fitting(task, road(near, rng), (task.gold, *wrong)), None)
        if other is None:
            break
        wrong.append(other)
        row = [other, *row] if first else [*row, other]
    return wrong if len(wrong) >= count else None


def _all_own(task: Task, count: int, rng: Random) -> list[Any] | None:
    """Slips may wander off from gold: two walks, and gold stands anywhere between their ends."""
    taken = [task.gold]
    left = count + SPARE if count else 0
    before = rng.randint(0, left)
    for many in (before, left - before):
        for answer in islice(_fitting(task, _own(task, rng), taken), many):
            taken.append(answer)
    return taken[1:] if len(taken) > count else None


def _fitting(task: Task, answers: Iterator[Any], taken: Sequence[Any]) -> Iterator[Any]:
    """Those that are wrong."""
    family, puzzle, gold = task.family, task.puzzle, task.gold
    for answer in answers:
        if answer is None or answer in taken:
            continue
        if is_wrong(family, puzzle, gold, answer):
            yield answer


def _has_its_form(task: Task, answer: Any) -> bool:
    family, puzzle, gold, seen = task.family, task.puzzle, task.gold, task.looks
    if isinstance(answer, Impossible):
        return False
    if is_list(gold) and not _is_like(task, answer):
        return False
    text = family.written(puzzle, answer)
    if family.answer.read(text) != answer:
        return False
    if isinstance(gold, Impossible):
        return words_of(text) <= task.problem.words
    own = family.written(puzzle, gold)
    if not _made_of(words_of(text), words_of(own), task.problem):
        return False
    if is_list(gold):
        return True
    if is_tidy(own) and not is_tidy(text):
        return False
    form = outline if isinstance(gold, str) else skeleton
    return form(text) in {*seen.skeletons, form(own)} and seen.keeps(answer, gold)


def _is_like(task: Task, answer: Any) -> bool:
    """Whether a list is like gold, which is one."""
    gold, seen = task.gold, task.looks
    if not is_list(answer):
        return False
    if task.problem.keyed and [each[0] for each in answer] != [each[0] for each in gold]:
        return False
    if task.problem.given and not (_is_filled(task, answer) and _is_spelled(task, answer)):
        return False
    lengths = {len(gold)} if seen.told_length else {*seen.lengths, len(gold)}
    return len(answer) in lengths and seen.keeps(answer, gold)


def _is_filled(task: Task, board: Any) -> bool:
    """Whether the cells that the problem tells are as told, and in others stands what may."""
    rows, golds = rows_of(board), task.gold
    if len(rows) != len(golds) or len(rows[0]) != len(golds[0]):
        return False
    return all(
        cell == golds[at][place]
        if (at, place) in task.problem.given
        else str(cell) in task.looks.fillings
        for at, row in enumerate(rows)
        for place, cell in enumerate(row)
    )


def _is_spelled(task: Task, board: Any) -> bool:
    """Whether letters of a board that stand side by side make no word that only mistakes make."""
    family, puzzle, seen = task.family, task.puzzle, task.problem.seen
    return words_of(family.written(puzzle, board)) <= seen or not (
        words_of(family.written(puzzle, task.gold)) <= seen
    )


def _made_of(words: set[str], own: set[str], problem: Problem) -> bool:
    """Whether words are those of the problem; where gold has others, so may a mistake: as many of
    any sort, or any number of names, such as letters that stand in a picture."""
    strange, allowed = words - problem.words, own - problem.words
    return len(strange) <= len(allowed) or bool(allowed and strange <= problem.called)


def _problem(
    family: AnyFamily, puzzle: Any, asked: Prompt, seen: Looks, given: frozenset[tuple[int, int]]
) -> Problem:
    prompts = [asked]
    if not asked.images:
        prompts += [family.render(puzzle, Style(style)) for style in range(1, STYLES)]
    words = [words_of(f"{prompt.question} {prompt.form}") for prompt in prompts]
    names = tuple(family.known(puzzle)) if family.known else ()
    inner = family.answer.kind if isinstance(family.answer, OrImpossible) else family.answer
    return Problem(
        words=frozenset(set.intersection(*words)),
        seen=frozenset(words[0]),
        own=frozenset(words_of(asked.question) - seen.template),
        numbers=frozenset(numbers_in(asked.question)),
        names=tuple(name.lower() for name in names),
        called=frozenset(word for name in names for word in words_of(name)),
        people=frozenset(name.lower() for name in names if name[:1].isupper()),
        keyed=isinstance(inner, Mapping | Unknowns),
        given=given,
    )


def _changed(task: Task, like: Any, rng: Random) -> Iterator[Any]:
    """Small changes, of each handful the one first that shows least."""
    family, puzzle = task.family, task.puzzle
    text = family.written(puzzle, like)
    for _ in range(HANDFULS):
        handful = list[tuple[float, int, str]]()
        for _ in range(HANDFUL):
            answer = slip(like, text, task.looks, task.problem, rng)
            if any(leaf is None for leaf in leaves(answer)):
                continue
            read_as_text = isinstance(answer, str) and not is_list(like)
            written = answer if read_as_text else family.written(puzzle, answer)
            handful.append((apart(text, written), len(handful), written))
        if isinstance(like, str | tuple) or skeleton(text) != "0":
            handful.sort()
        for _, _, written in handful:
            yield family.answer.read(written)


def _changes(task: Task) -> Road:
    return lambda like, rng: _formed(task, _changed(task, like, rng))


def _formed(task: Task, answers: Iterator[Any]) -> Iterator[Any]:
    return (answer for answer in answers if answer is not None and _has_its_form(task, answer))


def _own(task: Task, rng: Random) -> Iterator[Any]:
    """The family's slips. It knows what its answers look like; only their words are looked at:
    either all answers have words of their own, as variables of programs are, or none has."""
    family, puzzle, known = task.family, task.puzzle, task.problem.words
    if family.slips is None:
        return
    own = words_of(family.written(puzzle, task.gold)) <= known
    for answer in family.slips(rng, puzzle, task.gold):
        text = family.written(puzzle, answer)
        if family.answer.read(text) == answer and (words_of(text) <= known) == own:
            yield answer


def _of_other_numbers(task: Task, rng: Random) -> Iterator[Any]:
    """What the answer would be, had somebody misread a number."""
    places = inputs_of(task.family, task.puzzle)
    for _ in range(OTHERS if places else 0):
        place = rng.choice(places)
        step = rng.randint(1, max(2, place.value // 4))
        number = place.value + rng.choice((-1, 1)) * step
        if number >= 2:
            answer = task.family.solve(exchanged(task.puzzle, place, number))
            if isinstance(answer, int) and isinstance(task.gold, int):
                # Else the number that was told would be the one with the likelier answer.
                pool = task.looks.alone
                likely = rng.random() < density(answer, pool) / density(task.gold, pool)
                if not likely or not alike(answer, task.gold):
                    continue
            yield answer


def _borrowed(task: Task, rng: Random) -> Iterator[Any]:
    """The answers to other puzzles, with this one's names in the place of theirs."""
    family = task.family
    for _ in range(OTHERS):
        if family.twin and rng.random() < 0.5:
            other = family.twin(rng, task.knobs, task.puzzle)
        else:
            other = family.generate(rng, task.knobs)
        gold = None if other is None else family.solve(other)
        if gold is None or isinstance(gold, Impossible):
            continue
        if task.problem.names and family.known and (is_list(gold) or isinstance(gold, str)):
            theirs = [name.lower() for name in family.known(other)]
            turned = dict(zip(theirs, task.problem.names, strict=False))
            gold = rebuilt(gold, [_named(leaf, turned) for leaf in leaves(gold)])
            gold = family.answer.read(family.answer.write(gold))
        yield gold


def _named(leaf: Any, turned: dict[str, str]) -> Any:
    return turned.get(leaf, leaf) if isinstance(leaf, str) else leaf
