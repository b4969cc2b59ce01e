"""Interest: a savings account or a loan, year after year, exact to the cent.

The bank rounds every year's interest to the cent by a rule that the story tells. `solve` counts in
whole cents with a remainder; `verify` keeps the books in decimals, as a bank's computer would.
"""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.core.prose import counted
from puzzlemill.generators.arithmetic._story_words import PEOPLE


@dataclass(frozen=True, slots=True)
class Knobs:
    kinds: int  # of account that there are
    years: int  # at most
    most: int  # thousands of dollars


@dataclass(frozen=True, slots=True)
class Account:
    owner: str
    kind: str
    sum: int  # dollars at the start
    rates: tuple[int, ...]  # per cent a year; the last one holds from then on
    regular: int  # dollars paid in, taken out or paid back at the end of each year
    years: int
    question: str  # "balance" or "interest"


def generate(rng: Random, knobs: Knobs) -> Account | None:
    kind = rng.choice(KINDS[max(0, knobs.kinds - 3) : knobs.kinds])
    question = rng.choice(("balance", "interest"))
    return _filled(rng, knobs, rng.choice(PEOPLE), kind, question)


def solve(account: Account) -> Fraction | None:
    """Year by year in whole cents."""
    if account.years > LONGEST or max(account.rates) > 100:
        return None
    cents, earned = 100 * account.sum, 0
    for year in range(account.years):
        rate = account.rates[min(year, len(account.rates) - 1)]
        base = 100 * account.sum if account.kind == "simple" else cents
        interest = (base * rate + 50) // 100
        earned += interest
        cents += interest + SIGNS[account.kind] * 100 * account.regular
        if cents < 0:
            return None
    return Fraction(cents if account.question == "balance" else earned, 100)


def verify(account: Account, answer: Fraction) -> float:
    books = Context(prec=400, rounding=ROUND_HALF_UP)
    cent, balance, interest = Decimal("0.01"), Decimal(account.sum), Decimal(0)
    rates = account.rates + account.rates[-1:] * (account.years - len(account.rates))
    for rate in rates[: account.years]:
        base = Decimal(account.sum) if account.kind == "simple" else balance
        earned = books.quantize(books.multiply(base, Decimal(rate).scaleb(-2)), cent)
        interest = books.add(interest, earned)
        balance = books.add(balance, earned)
        if account.kind == "deposit":
            balance = books.add(balance, Decimal(account.regular))
        elif account.kind in ("pension", "loan"):
            balance = books.subtract(balance, Decimal(account.regular))
    return float(answer == Fraction(balance if account.question == "balance" else interest))


def render(account: Account, style: Style) -> Prompt:
    who, start = account.owner, account.sum
    loan = account.kind == "loan"
    if loan:
        opening = style.pick(
            f"{who} borrows {start} dollars from a bank.",
            f"{who} takes out a loan of {start} dollars.",
            f"A bank lends {start} dollars to {who}.",
        )
    else:
        opening = style.pick(
            f"{who} puts {start} dollars into a savings account.",
            f"{who} deposits {start} dollars in a new account at a bank.",
            f"{who} opens an account with {start} dollars.",
        )
    rule = f"{_rates(account.rates, account.kind)} {BASES[account.kind]}"
    if account.kind != "simple":
        rule += (
            " The interest of each year is rounded to the nearest cent (half a cent upwards) and"
            f" then added to {'the debt' if loan else 'the balance'}."
        )
    regular = REGULAR[account.kind].format(who=who, regular=account.regular)
    after = counted(account.years, "year")
    goal = _goal(account, after, style)
    if account.regular and account.question == "balance":
        goal += " What is paid at the end of the last year counts as well."
    return Prompt(
        f"{opening} {rule}{regular} {goal}",
        form="the amount in dollars with two decimal places, such as 7.05",
    )


def steps(account: Account) -> list[str]:
    lines, cents, earned = [], 100 * account.sum, 0
    for year in range(account.years):
        rate = account.rates[min(year, len(account.rates) - 1)]
        base = 100 * account.sum if account.kind == "simple" else cents
        interest = (base * rate + 50) // 100
        earned += interest
        cents += interest + SIGNS[account.kind] * 100 * account.regular
        lines.append(
            f"Year {year + 1}: interest {_money(interest)}, then at the end {_money(cents)}"
        )
    return [*lines, f"All interest together: {_money(earned)}"]


def progress(account: Account, lines: Lines) -> float:
    return results_derived(FAMILY, account, lines, ":")


def hardness(account: Account) -> float:
    return account.years * (1 + KINDS.index(account.kind)) + len(account.rates)


def canon(account: Account) -> tuple[object, ...]:
    rates = account.rates[: account.years]
    return account.kind, account.sum, rates, account.regular, account.years, account.question


def twin(rng: Random, knobs: Knobs, account: Account) -> Account | None:
    return _filled(rng, knobs, account.owner, account.kind, account.question)


def renamed(rng: Random, knobs: Knobs, account: Account) -> Account:
    owner = rng.choice([name for name in PEOPLE if name != account.owner])
    return Account(
        owner,
        account.kind,
        account.sum,
        account.rates,
        account.regular,
        account.years,
        account.question,
    )


def _filled(rng: Random, knobs: Knobs, owner: str, kind: str, question: str) -> Account | None:
    years = rng.randint(max(2, knobs.years - 2), knobs.years)
    start = rng.randint(40, 200 * knobs.most) * 5
    changes = min(years - 1, rng.randint(0, max(0, knobs.kinds - 2)))
    rates: list[int] = []
    for _ in range(changes + 1):
        rates.append(rng.choice([rate for rate in range(2, 10) if rate not in rates[-1:]]))
    regular = 0
    if kind == "deposit":
        regular = rng.randint(2, 4 + start // 50) * 10
    elif kind in ("pension", "loan"):
        regular = rng.randint(1, max(1, start // (12 * years))) * 10
    made = Account(owner, kind, start, tuple(rates), regular, years, question)
    return made if solve(made) else None


def _rates(rates: tuple[int, ...], kind: str) -> str:
    """The interest of every year in words."""
    what = "is charged" if kind == "loan" else "is paid"
    if len(rates) == 1:
        return f"Interest {what} at {rates[0]}% a year."
    years = [f"{rate}% in year {year}" for year, rate in enumerate(rates[:-1], 1)]
    last = f"{rates[-1]}% in every year after that"
    return f"Interest {what} at {', '.join(years)}, and {last}."


def _goal(account: Account, after: str, style: Style) -> str:
    if account.question == "interest":
        return style.pick(
            f"How much interest is that in {after} altogether?",
            f"What is the sum of all interest of the first {after}?",
            f"Find the total interest over {after}.",
        )
    if account.kind == "loan":
        return style.pick(
            f"How much does {account.owner} still owe after {after}?",
            f"How large is the debt after {after}?",
            f"What remains to be paid back after {after}?",
        )
    return style.pick(
        f"How much money is in the account after {after}?",
        f"What is the balance after {after}?",
        f"How much does {account.owner} have in the account after {after}?",
    )


def _money(cents: int) -> str:
    return f"${cents // 100}.{cents % 100:02}"


KINDS = ("simple", "compound", "deposit", "pension", "loan")
SIGNS = {"simple": 0, "compound": 0, "deposit": 1, "pension": -1, "loan": -1}
COMPOUND = "The interest is compound: each year it is on the balance at the start of that year."
BASES = {
    "simple": "The interest is simple: always on the sum at the start, never on earlier interest.",
    "compound": COMPOUND,
    "deposit": COMPOUND,
    "pension": COMPOUND,
    "loan": "Each year's interest is on the debt at the start of that year.",
}
REGULAR = {
    "simple": "",
    "compound": "",
    "deposit": " At the end of every year, after the interest, {who} pays in another {regular}"
    " dollars.",
    "pension": " At the end of every year, after the interest, {who} takes out {regular} dollars.",
    "loan": " At the end of every year, after the interest, {who} pays back {regular} dollars.",
}
LONGEST = 600  # years
LADDER = (
    Knobs(1, 2, 4),
    Knobs(2, 3, 8),
    Knobs(3, 4, 15),
    Knobs(4, 7, 40),
    Knobs(5, 12, 200),
)
FAMILY = Family(
    Account,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Decimal(2),
    hardness=hardness,
    proof="unique",
    solver="year by year in whole cents",
    guess_rate=0.03,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("sum", "rates", "regular", "years"),
    twin=twin,
    renamed=renamed,
    skills=("reading", "money", "decimals", "calculation"),
    version=2,
)
