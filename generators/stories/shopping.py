"""Shopping: a bill with discounts, a coupon and tax, and the change from what was paid.

`solve` counts whole cents, line by line; `verify` works in fractions of a dollar, weighs each item
by what share of its price is left, and rounds only where the story says so.
"""

from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.core.prose import capital, listed
from puzzlemill.generators.arithmetic._story_words import PEOPLE

Item: TypeAlias = tuple[str, str]  # what, and which offer there is: "", "off", "third", "half"
Offer: TypeAlias = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Knobs:
    items: int  # on the bill
    offers: int  # items that an offer is for
    extras: int  # of coupon, members' discount, tax
    others: int  # prices that are told and not needed


@dataclass(frozen=True, slots=True)
class Bill:
    buyer: str
    items: tuple[Item, ...]  # the last so many are not bought
    prices: tuple[int, ...]  # in cents
    counts: tuple[int, ...]  # of the items bought
    percents: tuple[int, ...]  # of each item bought, for an offer "off"
    extras: tuple[str, ...]  # in their order
    numbers: tuple[tuple[int, ...], ...]  # of each extra
    paid: int  # dollars; 0: the question is for the total


def generate(rng: Random, knobs: Knobs) -> Bill | None:
    things = rng.sample(sorted(GOODS), knobs.items + knobs.others)
    special = rng.sample(range(knobs.items), min(knobs.offers, knobs.items))
    kinds = [rng.choice(OFFERS) if place in special else "" for place in range(len(things))]
    extras = sorted(rng.sample(range(len(EXTRAS)), knobs.extras))
    items = tuple(zip(things, kinds))
    chosen = tuple(EXTRAS[place] for place in extras)
    return _filled(rng, rng.choice(PEOPLE), items, chosen, knobs.items, rng.random() < 0.6)


def solve(bill: Bill) -> Fraction | None:
    cents = 0
    bought = zip(bill.items, bill.prices, bill.counts, bill.percents)
    for (_, offer), price, count, percent in bought:
        line = _line(offer, price, count, percent)
        if line is None:
            return None
        cents += line
    for extra, numbers in zip(bill.extras, bill.numbers):
        cents = _after(extra, numbers, cents)
    if bill.paid:
        cents = 100 * bill.paid - cents
    return Fraction(cents, 100) if cents > 0 else None


def verify(bill: Bill, answer: Fraction) -> float:
    total = Fraction(0)
    bought = zip(bill.items, bill.prices, bill.counts, bill.percents)
    for (_, offer), price, count, percent in bought:
        paid_for = {
            "": Fraction(count),
            "off": count * (1 - Fraction(percent, 100)),
            "third": Fraction(count - len(range(3, count + 1, 3))),
            "half": count - Fraction(count // 2, 2),
        }[offer]
        total += paid_for * Fraction(price, 100)
    for extra, numbers in zip(bill.extras, bill.numbers):
        if extra == "coupon":
            total -= numbers[1] if total >= numbers[0] else 0
        else:
            share = Fraction(numbers[0], 100)
            total = _rounded(total * (1 + share if extra == "tax" else 1 - share))
    return float(answer == (bill.paid - total if bill.paid else total))


def render(bill: Bill, style: Style) -> Prompt:
    who = bill.buyer
    priced = [
        f"{_one(thing)} costs {_money(price)}" for (thing, _), price in zip(bill.items, bill.prices)
    ]
    wanted = [
        f"{count} {_many(thing, count)}" for (thing, _), count in zip(bill.items, bill.counts)
    ]
    offers = [
        _offer(offer, thing, percent)
        for (thing, offer), percent in zip(bill.items, bill.percents)
        if offer
    ]
    extras = [_extra(*extra) for extra in zip(bill.extras, bill.numbers)]
    rules = " ".join(capital(f"{rule}.") for rule in [*offers, *extras])
    rules = f" {rules}" if rules else ""
    round_off = any(extra != "coupon" for extra in bill.extras)
    note = " Amounts are rounded to the nearest cent, half a cent upwards." if round_off else ""
    if bill.paid:
        ending = style.pick(
            f"{who} pays with {bill.paid} dollars. How much change is due?",
            f"{who} hands over {bill.paid} dollars. How many dollars does {who} get back?",
            f"How much is left of {bill.paid} dollars after {who} has paid?",
        )
    else:
        ending = style.pick(
            f"How much does {who} have to pay?",
            f"What is the total that {who} pays?",
            "How many dollars does all that cost?",
        )
    return Prompt(
        style.pick(
            f"In a shop, {listed(priced)}. {who} buys {listed(wanted)}.{rules}{note} {ending}",
            f"{who} goes shopping and takes {listed(wanted)}. {capital(listed(priced))}.{rules}"
            f"{note} {ending}",
            f"Prices: {listed(priced)}.{rules}{note} {who} wants {listed(wanted)}. {ending}",
        ),
        form="the amount in dollars with two decimal places, such as 7.05",
    )


def steps(bill: Bill) -> list[str]:
    lines, cents = [], 0
    bought = zip(bill.items, bill.prices, bill.counts, bill.percents)
    for (thing, offer), price, count, percent in bought:
        line = _line(offer, price, count, percent) or 0
        cents += line
        cut = f" ({_offer(offer, thing, percent)})" if offer else ""
        lines.append(f"{count} {_many(thing, count)} at {_money(price)}{cut}: {_money(line)}")
    lines.append(f"Together: {_money(cents)}")
    for extra, numbers in zip(bill.extras, bill.numbers):
        cents = _after(extra, numbers, cents)
        lines.append(f"{capital(_extra(extra, numbers))}: {_money(cents)}")
    return [*lines, f"Change: {_money(100 * bill.paid - cents)}"] if bill.paid else lines


def progress(bill: Bill, lines: Lines) -> float:
    return results_derived(FAMILY, bill, lines, ":")


def hardness(bill: Bill) -> float:
    offers = sum(bool(offer) for _, offer in bill.items)
    unused = len(bill.items) - len(bill.counts)
    return 2 * len(bill.counts) + 2 * offers + 4 * len(bill.extras) + unused + bool(bill.paid)


def canon(bill: Bill) -> tuple[object, ...]:
    """Things by their prices."""
    offers = [offer for _, offer in bill.items]
    needed = zip(offers, bill.prices, bill.counts, bill.percents)
    return sorted(needed), bill.extras, bill.numbers, bill.paid


def twin(rng: Random, knobs: Knobs, bill: Bill) -> Bill | None:
    bought = len(bill.counts)
    return _filled(rng, bill.buyer, bill.items, bill.extras, bought, bool(bill.paid))


def renamed(rng: Random, knobs: Knobs, bill: Bill) -> Bill:
    buyer = rng.choice([name for name in PEOPLE if name != bill.buyer])
    return Bill(
        buyer,
        bill.items,
        bill.prices,
        bill.counts,
        bill.percents,
        bill.extras,
        bill.numbers,
        bill.paid,
    )


def _filled(
    rng: Random,
    buyer: str,
    items: tuple[Item, ...],
    extras: tuple[str, ...],
    bought: int,
    change: bool,
) -> Bill | None:
    prices, counts, percents = list[int](), list[int](), list[int]()
    for thing, offer in items:
        low, high = GOODS[thing][1]
        step = 20 if offer == "off" else 2 if offer == "half" else 1
        prices.append(rng.randint(low * 100 // step, high * 100 // step) * step - (step == 1))
        counts.append(rng.randint(3 if offer in ("third", "half") else 2, 8))
        percents.append(rng.choice((5, 10, 15, 20, 25, 30, 40)))
    chosen = list[tuple[int, ...]]()
    for extra in extras:
        match extra:
            case "coupon":
                chosen.append((rng.randint(2, 6) * 10, rng.randint(3, 9)))
            case "tax":
                chosen.append((rng.randint(5, 19),))
            case _:
                chosen.append((rng.choice((3, 4, 5, 10)),))
    made = Bill(
        buyer,
        items,
        tuple(prices),
        tuple(counts[:bought]),
        tuple(percents[:bought]),
        extras,
        tuple(chosen),
        0,
    )
    total = solve(made)
    if total is None or not change:
        return made if total else None
    note = next(note for note in (10, 20, 50, 100, 200, 500, 1000, 5000) if note > total)
    return Bill(buyer, items, made.prices, made.counts, made.percents, extras, made.numbers, note)


def _line(offer: str, price: int, count: int, percent: int) -> int | None:
    """What so many of an item cost in cents; None where that is no whole number."""
    match offer:
        case "off":
            hundredths = count * price * (100 - percent)
            return None if hundredths % 100 or percent >= 100 else hundredths // 100
        case "third":
            return (count - count // 3) * price
        case "half":
            return None if price % 2 else count * price - count // 2 * (price // 2)
        case _:
            return count * price


def _after(extra: str, numbers: tuple[int, ...], cents: int) -> int:
    if extra == "coupon":
        return cents - 100 * numbers[1] if cents >= 100 * numbers[0] else cents
    percent = 100 + numbers[0] if extra == "tax" else 100 - numbers[0]
    return (cents * percent + 50) // 100


def _rounded(dollars: Fraction) -> Fraction:
    """To the cent, half a cent upwards."""
    return Fraction((dollars * 100 + Fraction(1, 2)).__floor__(), 100)


def _offer(offer: str, thing: str, percent: int) -> str:
    many = GOODS[thing][0]
    match offer:
        case "off":
            return f"{many} are sold at {percent}% off"
        case "third":
            return f"every third {thing} is free"
        case _:
            return f"every second {thing} is half price"


def _extra(extra: str, numbers: tuple[int, ...]) -> str:
    match extra:
        case "coupon":
            least, less = numbers
            return f"a coupon takes {less} dollars off a bill of at least {least} dollars"
        case "member":
            return f"members, of whom this customer is one, then get {numbers[0]}% off the bill"
        case _:
            return f"a sales tax of {numbers[0]}% is added to the bill after all reductions"


def _money(cents: int) -> str:
    return f"${cents // 100}.{cents % 100:02}"


def _one(thing: str) -> str:
    return f"{'an' if thing[0] in 'aeiou' else 'a'} {thing}"


def _many(thing: str, count: int) -> str:
    return thing if count == 1 else GOODS[thing][0]


OFFERS = ("off", "third", "half")
EXTRAS = ("coupon", "member", "tax")
GOODS = {  # the plural, and the least and the highest price in dollars
    "notebook": ("notebooks", (1, 6)),
    "umbrella": ("umbrellas", (8, 25)),
    "mug": ("mugs", (3, 12)),
    "lamp": ("lamps", (15, 60)),
    "cushion": ("cushions", (6, 30)),
    "towel": ("towels", (4, 20)),
    "calendar": ("calendars", (5, 18)),
    "pen": ("pens", (1, 4)),
    "puzzle": ("puzzles", (7, 28)),
    "basket": ("baskets", (5, 24)),
    "scarf": ("scarves", (9, 40)),
    "clock": ("clocks", (12, 55)),
    "bowl": ("bowls", (3, 16)),
    "apron": ("aprons", (7, 22)),
}
LADDER = (
    Knobs(1, 0, 0, 0),
    Knobs(2, 1, 0, 1),
    Knobs(3, 2, 1, 2),
    Knobs(5, 3, 2, 3),
    Knobs(8, 5, 3, 5),
)
FAMILY = Family(
    Bill,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Decimal(2),
    hardness=hardness,
    proof="unique",
    solver="line by line in whole cents",
    guess_rate=0.03,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("counts", "percents", "numbers", "paid"),
    twin=twin,
    renamed=renamed,
    skills=("reading", "money", "decimals", "calculation"),
    peers=("reasoning-gym/gsm_symbolic",),
    version=2,
)
