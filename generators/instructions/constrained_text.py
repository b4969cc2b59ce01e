"""Constrained text: write a text that keeps rules about its words, letters and sentences.

Every text that keeps the rules is right. `solve` puts one together word by word; `verify` checks
rule after rule on the text's words, and pays for a share of the rules where the number of words is
right or off by one and the words that are demanded are there: a text about something else, or an
echo, earns nothing. `recheck` looks with regular expressions.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import counted
from puzzlemill.generators.words._pool import pool

# A kind and what it is about: ("words", n): so many words; ("use", w, k): the word w, k times;
# ("avoid", w); ("without", letter): in no word; ("first", w), ("last", w): the text's ends;
# ("nth", k, letter): the k-th word begins so; ("before", a, b): a comes before b;
# ("longest", k), ("shortest", k): letters of a word; ("capitals", k): words all in capitals;
# ("sentences", k); ("commas", k); ("begin", letter, k): at least so many begin so;
# ("different",): no word occurs twice, whatever its case; ("rhythm", k): words of every sentence.
Rule: TypeAlias = tuple[str | int, ...]
PARTLY = 0.6  # what all rules but one or more may earn
SIGNS = re.compile(r"[A-Za-z ,.\n]+")


@dataclass(frozen=True, slots=True)
class Knobs:
    words: int  # of the text, about
    rules: int  # besides the number of words and the words to be used
    use: int  # words that have to be used
    kinds: int  # of rules that there are


@dataclass(frozen=True, slots=True)
class Task:
    rules: tuple[tuple[str | int, ...], ...]


def generate(rng: Random, knobs: Knobs) -> Task | None:
    count = knobs.words + rng.randint(-2, 4)
    used = rng.sample(pool(4, 7), knobs.use)
    rules: list[Rule] = [("words", count)]
    rules += [("use", word, rng.choice((1, 1, 2, 3)) if knobs.kinds > 8 else 1) for word in used]
    kinds = rng.sample(KINDS[: knobs.kinds], min(knobs.rules, knobs.kinds))
    letters = [each for each in "aeiourstnl" if not any(each in word for word in used)]
    for kind in kinds:
        match kind:
            case "without":
                if not letters:
                    return None
                rules.append((kind, letters.pop(rng.randrange(len(letters)))))
            case "first" | "last":
                rules.append((kind, rng.choice(pool(4, 8))))
            case "avoid":
                rules.append((kind, rng.choice(("the", "and", "is", "of", "to", "a"))))
            case "nth":
                rules.append((kind, rng.randint(2, count - 1), rng.choice("bcdfghlmprstw")))
            case "before" if len(used) > 1:
                rules.append((kind, *rng.sample(used, 2)))
            case "longest":
                rules.append((kind, rng.randint(7, 9)))
            case "shortest":
                rules.append((kind, rng.randint(3, 4)))
            case "capitals":
                rules.append((kind, rng.randint(1, min(4, count // 4))))
            case "sentences" if count > 9:
                rules.append((kind, rng.randint(2, count // 5)))
            case "rhythm":
                long = rng.randint(4, 7)
                rules[0] = ("words", long * max(2, count // long))
                rules.append((kind, long))
            case "commas":
                rules.append((kind, rng.randint(1, min(4, count // 4))))
            case "begin":
                rules.append((kind, rng.choice("bcdfhlmprst"), rng.randint(2, max(2, count // 4))))
            case "different" if all(rule[2] == 1 for rule in rules if rule[0] == "use"):
                rules.append((kind,))
    if {"rhythm", "sentences"} <= {rule[0] for rule in rules}:
        rules = [rule for rule in rules if rule[0] != "sentences"]
    count = int(rules[0][1])  # a rhythm may have changed it
    rules = [rule for rule in rules if rule[0] != "nth" or int(rule[1]) < count]
    made = Task(tuple(rules))
    return made if len(rules) > 1 + knobs.use and solve(made) else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(task: Task) -> str | None:
    """Slot by slot: a demanded word where one fits, else a filler; signs are set in the end."""
    count = int(_one(task, "words", 0))
    demanded: list[str] = []
    for _, word, times in _all(task, "use"):
        demanded += [str(word)] * int(times)
    for _, one, other in _all(task, "before"):
        low, high = demanded.index(str(one)), demanded.index(str(other))
        if low > high:
            demanded[low], demanded[high] = demanded[high], demanded[low]
    ends = {str(rule[1]) for rule in (*_all(task, "first"), *_all(task, "last"))}
    avoided = {str(rule[1]) for rule in _all(task, "avoid")}
    short, long = _one(task, "shortest", 1), _one(task, "longest", 99)
    without = "".join(sorted({str(rule[1]) for rule in _all(task, "without")}))
    for word in (*demanded, *ends):
        if not short <= len(word) <= long or word in avoided or set(without) & set(word):
            return None
    if ends & set(demanded):
        return None
    slots: list[str] = [""] * count
    for _, word in _all(task, "first"):
        slots[0] = str(word)
    for _, word in _all(task, "last"):
        slots[-1] = str(word)
    used = ends.union(demanded, avoided)

    def fillers(initial: str) -> Iterator[str]:
        return (word for word in _fillers(short, long, without, initial) if word not in used)

    def taken(initial: str) -> str:
        """A filler with this initial, from now on used; "" where there is none."""
        word = next(fillers(initial), "")
        used.add(word)
        return word

    initials = {int(at) - 1: str(letter) for _, at, letter in _all(task, "nth")}
    for at, initial in initials.items():
        slots[at] = slots[at] or taken(initial)
    for _, letter, least in _all(task, "begin"):
        begun = sum(word[:1] == letter for word in (*slots, *demanded))
        demanded += [taken(str(letter)) for _ in range(int(least) - begun)]
    free = [at for at, word in enumerate(slots) if not word]
    if len(free) < len(demanded) or "" in demanded:
        return None
    for at, word in zip(free, demanded):
        slots[at] = word
    for at, word in zip(free[len(demanded) :], fillers("")):
        slots[at] = word
    text = _punctuated(task, slots)
    return text if text and verify(task, text) == 1 else None


def verify(task: Task, text: str) -> float:
    if not SIGNS.fullmatch(text):
        return 0.0
    words = "".join(sign if sign.isalpha() else " " for sign in text).split()
    lower = [word.lower() for word in words]
    for rule in task.rules:
        if rule[0] == "words" and abs(len(words) - int(rule[1])) > 1:
            return 0.0
        if rule[0] == "use" and str(rule[1]) not in lower:
            return 0.0
    kept = sum(_kept(rule, text, words, lower) for rule in task.rules)
    return 1.0 if kept == len(task.rules) else PARTLY * kept / len(task.rules)


def recheck(task: Task, text: str) -> bool:
    if re.search(r"[^A-Za-z ,.\n]", text):
        return False
    return all(_matches(rule, text) for rule in task.rules)


def render(task: Task, style: Style) -> Prompt:
    lines = "\n".join(f"- {_told(rule)}" for rule in task.rules)
    signs = (
        "It may contain only the letters A to Z and a to z, spaces, commas, full stops and line"
        " breaks."
    )
    free = style.pick(
        "Sense and grammar do not matter.",
        "It need not make sense.",
        "Only the rules count, not what the text is about.",
    )
    question = style.pick(
        f"Write a text that keeps all of these rules:\n\n{lines}\n\n{signs} {free}",
        f"Compose a text. {signs} {free} These rules must hold:\n\n{lines}",
        f"These are the rules for a short text.\n\n{lines}\n\n{signs} {free} Write such a text.",
    )
    return Prompt(question, form="the text alone")


def steps(task: Task) -> list[str]:
    text = solve(task)
    assert text is not None, "generate keeps tasks that can be done"
    words = re.findall("[A-Za-z]+", text)
    lines = [f"Take {len(words)} words: {', '.join(words)}"]
    lines += [f"Rule: {_told(rule)}" for rule in task.rules[1:]]
    return lines


def hardness(task: Task) -> float:
    return 3 * len(task.rules) + int(_one(task, "words", 0)) / 5


def _kept(rule: Rule, text: str, words: list[str], lower: list[str]) -> bool:
    parts = [part.split() for part in text.replace(",", " ").split(".") if part.strip()]
    match rule:
        case ("words", int(many)):
            return len(words) == many
        case ("use", word, many):
            return lower.count(str(word)) == many
        case ("avoid", word):
            return word not in lower
        case ("without", letter):
            return str(letter) not in text.lower()
        case ("first", word):
            return lower[:1] == [word]
        case ("last", word):
            return lower[-1:] == [word]
        case ("nth", int(at), letter):
            return len(lower) >= at and lower[at - 1][0] == letter
        case ("before", one, other):
            return one in lower and other in lower[lower.index(str(one)) :]
        case ("longest", int(most)):
            return max(map(len, words)) <= most
        case ("shortest", int(least)):
            return min(map(len, words)) >= least
        case ("capitals", many):
            return sum(word.isupper() and len(word) > 1 for word in words) == many
        case ("sentences", many):
            return len(parts) == many
        case ("rhythm", many):
            return all(len(part) == many for part in parts)
        case ("commas", many):
            return text.count(",") == many
        case ("begin", letter, int(least)):
            return sum(word[0] == letter for word in lower) >= least
        case _:
            return len(set(lower)) == len(lower)


def _matches(rule: Rule, text: str) -> bool:
    found = re.findall(r"[A-Za-z]+", text)
    low = text.lower()

    def times(pattern: str, where: str = low) -> int:
        return len(re.findall(pattern, where))

    match rule:
        case ("words", many):
            return len(found) == many
        case ("use", word, many):
            return times(rf"\b{word}\b") == many
        case ("avoid", word):
            return not times(rf"\b{word}\b")
        case ("without", letter):
            return not times(str(letter))
        case ("first", word):
            return re.match(rf"[^a-z]*{word}\b", low) is not None
        case ("last", word):
            return re.search(rf"\b{word}[^a-z]*$", low) is not None
        case ("nth", int(at), letter):
            # Each part is a whole word: else a text that fails is divided in all possible ways.
            before = rf"(?:[^a-z]*[a-z]+\b){{{at - 1}}}"
            return re.match(rf"{before}[^a-z]+{letter}", low) is not None
        case ("before", one, other):
            return re.search(rf"\b{one}\b.*\b{other}\b", low, re.DOTALL) is not None
        case ("longest", int(most)):
            return not times(f"[a-z]{{{most + 1}}}")
        case ("shortest", int(least)):
            return not times(rf"\b[a-z]{{1,{least - 1}}}\b")
        case ("capitals", many):
            return times(r"\b[A-Z]{2,}\b", text) == many
        case ("sentences", many):
            return times(r"[^.]*[a-z][^.]*") == many
        case ("rhythm", many):
            sentences = re.findall(r"[^.]*[a-z][^.]*", low)
            return all(times(r"[a-z]+", each) == many for each in sentences)
        case ("commas", many):
            return times(",") == many
        case ("begin", letter, int(least)):
            return times(rf"\b{letter}[a-z]*") >= least
        case _:
            return not re.search(r"\b([a-z]+)\b.*\b\1\b", low, re.DOTALL)


def _told(rule: Rule) -> str:
    match rule:
        case ("words", many):
            return f"The text has exactly {many} words."
        case ("use", word, int(many)):
            often = {1: "exactly once", 2: "exactly twice"}.get(many, f"exactly {many} times")
            return f'The word "{word}" occurs {often}.'
        case ("avoid", word):
            return f'The word "{word}" does not occur.'
        case ("without", letter):
            return (
                f'The letter "{letter}" does not occur, neither as a small letter nor as a capital.'
            )
        case ("first", word):
            return f'The first word is "{word}".'
        case ("last", word):
            return f'The last word is "{word}".'
        case ("nth", at, letter):
            return f'Word number {at} begins with the letter "{letter}".'
        case ("before", one, other):
            return f'The first "{one}" comes before the last "{other}".'
        case ("longest", most):
            return f"No word has more than {most} letters."
        case ("shortest", least):
            return f"No word has fewer than {least} letters."
        case ("capitals", int(many)):
            which = "word is" if many == 1 else "words are"
            return (
                f"Exactly {many} {which} written in capital letters only (with two letters or"
                " more)."
            )
        case ("sentences", many):
            return f"There are exactly {many} sentences, separated by full stops."
        case ("rhythm", many):
            return f"Sentences are separated by full stops, and each has exactly {many} words."
        case ("commas", int(many)):
            return f"There {'is' if many == 1 else 'are'} exactly {counted(many, 'comma')}."
        case ("begin", letter, least):
            return f'At least {least} words begin with the letter "{letter}".'
        case _:
            return "No word occurs twice, whether small or in capitals."


def _all(task: Task, kind: str) -> Iterator[Rule]:
    return (rule for rule in task.rules if rule[0] == kind)


def _one(task: Task, kind: str, default: int) -> int:
    return next((int(rule[1]) for rule in _all(task, kind)), default)


@lru_cache(maxsize=512)
def _fillers(least: int, most: int, without: str, initial: str) -> tuple[str, ...]:
    """The words of these lengths with this initial, or any, that have none of these letters."""
    if initial:
        words = _fillers(least, most, without, "")
        return tuple(word for word in words if word.startswith(initial))
    letters = set(without)
    return tuple(
        word for word in pool(3, 9) if least <= len(word) <= most and letters.isdisjoint(word)
    )


def _punctuated(task: Task, words: list[str]) -> str:
    """Capitals, full stops and commas."""
    count = len(words)
    shown = list(words)
    for at in range(_one(task, "capitals", 0)):
        shown[at] = shown[at].upper()
    stops: set[int] = set()
    if long := _one(task, "rhythm", 0):
        stops = set(range(long - 1, count - 1, long))
    elif many := _one(task, "sentences", 0):
        stops = {count * part // many - 1 for part in range(1, many)}
    others = [at for at in range(count - 1) if at not in stops]
    commas = set(others[: _one(task, "commas", 0)])
    text = ""
    for at, word in enumerate(shown):
        text += word + ("." if at in stops else "," if at in commas else "")
        text += "" if at == count - 1 else " "
    return text


KINDS = (
    "without", "first", "last", "longest", "avoid", "shortest", "nth", "begin", "sentences",
    "commas", "different", "before", "capitals", "rhythm",
)  # fmt: skip
LADDER = (
    Knobs(10, 2, 1, 5),
    Knobs(14, 3, 2, 8),
    Knobs(20, 5, 3, 12),
    Knobs(30, 7, 4, 14),
    Knobs(45, 10, 5, 14),
)
FAMILY = Family(
    Task,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Text(),
    hardness=hardness,
    solver="a text put together word by word",
    guess_rate=0.02,
    recheck=recheck,
    steps=steps,
    skills=("instructions", "writing", "counting"),
    peers=("Light-IF", "IFEval"),
    version=2,
)
