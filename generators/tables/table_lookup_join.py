"""Table lookup join: a number that needs the rows of two tables, matched by a shared column.

Some rows of either table have no partner in the other. `solve` looks each row up in a dictionary;
`verify` lets SQLite join the tables.
"""

import sqlite3
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.tables._table import LAYOUTS, SAID, Layout, shown

Orders: TypeAlias = tuple[tuple[int, str, str, int], ...]  # number, customer, product, quantity
Products: TypeAlias = tuple[tuple[str, str, int], ...]  # product, category, price
Customers: TypeAlias = tuple[tuple[str, str], ...]  # customer, city

GOODS = (
    ("lamp", "chair", "kettle", "rug", "mirror", "shelf", "vase", "clock", "stool", "desk", "pan",
     "towel", "candle", "basket", "curtain", "pillow", "bucket", "broom"),
    ("metal", "wood", "cloth", "glass"),
    ("Abel", "Brook", "Costa", "Drake", "Ellis", "Frost", "Gray", "Hale", "Ivers", "Joyce",
     "Kemp", "Lowe", "Marsh", "Nolan"),
    ("Bergen", "Porto", "Lyon", "Turin"),
)  # fmt: skip
ASKED = ("spent", "pieces", "best", "gap")


@dataclass(frozen=True, slots=True)
class Knobs:
    orders: int  # rows of the first table
    products: int  # that are listed
    customers: int  # that are listed
    stray: int  # orders of products, or by customers, that are not listed
    asked: int  # of the questions, how many may come


@dataclass(frozen=True, slots=True)
class Shop:
    orders: Orders
    products: Products
    customers: Customers
    layouts: tuple[Layout, Layout, Layout]
    asked: str
    city: str
    category: str  # empty: all


def generate(rng: Random, knobs: Knobs) -> Shop | None:
    goods, categories, people, cities = GOODS
    products = rng.sample(goods, knobs.products + 1)
    customers = rng.sample(people, knobs.customers + 1)
    orders: list[tuple[int, str, str, int]] = []
    for number in rng.sample(range(100, 999), knobs.orders):
        who, what = rng.choice(customers[:-1]), rng.choice(products[:-1])
        if len(orders) < knobs.stray:
            who, what = rng.choice([(customers[-1], what), (who, products[-1])])
        orders.append((number, who, what, rng.randint(1, 12)))
    rng.shuffle(orders)
    shop = Shop(
        tuple(orders),
        tuple((what, rng.choice(categories), rng.randint(2, 90)) for what in products[:-1]),
        tuple((who, rng.choice(cities)) for who in customers[:-1]),
        (rng.choice(LAYOUTS), rng.choice(LAYOUTS), rng.choice(LAYOUTS)),
        rng.choice(ASKED[: knobs.asked]),
        rng.choice(cities),
        rng.choice(categories) if rng.random() < 0.6 else "",
    )
    joined = _joined(shop)
    used = [each for each in joined if shop.asked in ("best", "gap") or each[0] == shop.city]
    groups = {city for city, *_ in used}
    return shop if len(used) > 1 and (len(groups) > 1 or shop.asked in ASKED[:2]) else None


def solve(shop: Shop) -> int:
    here = [each for each in _joined(shop) if each[0] == shop.city]
    if shop.asked == "spent":
        return sum(pieces * price for _, pieces, price in here)
    if shop.asked == "pieces":
        return sum(pieces for _, pieces, _ in here)
    sums: dict[str, int] = {}
    for city, pieces, price in _joined(shop):
        sums[city] = sums.get(city, 0) + pieces * price
    return max(sums.values()) - (min(sums.values()) if shop.asked == "gap" else 0)


def verify(shop: Shop, answer: int) -> float:
    joined = (
        "SELECT c.city AS city, o.n AS n, o.n * p.price AS paid FROM o JOIN p ON o.what = p.what"
        " JOIN c ON o.who = c.who WHERE :category IN ('', p.category)"
    )
    sums = f"SELECT SUM(paid) AS s FROM ({joined}) GROUP BY city"
    asked = {
        "spent": f"SELECT SUM(paid) FROM ({joined}) WHERE city = :city",
        "pieces": f"SELECT SUM(n) FROM ({joined}) WHERE city = :city",
        "best": f"SELECT MAX(s) FROM ({sums})",
        "gap": f"SELECT MAX(s) - MIN(s) FROM ({sums})",
    }[shop.asked]
    base = sqlite3.connect(":memory:")
    try:
        base.execute("CREATE TABLE o (id, who, what, n)")
        base.execute("CREATE TABLE p (what, category, price)")
        base.execute("CREATE TABLE c (who, city)")
        base.executemany("INSERT INTO o VALUES (?, ?, ?, ?)", shop.orders)
        base.executemany("INSERT INTO p VALUES (?, ?, ?)", shop.products)
        base.executemany("INSERT INTO c VALUES (?, ?)", shop.customers)
        found = base.execute(asked, {"city": shop.city, "category": shop.category}).fetchone()[0]
    finally:
        base.close()
    return float(found == answer)


def render(shop: Shop, style: Style) -> Prompt:
    tables = [
        ("Orders", "order", ("order", "customer", "product", "quantity"), shop.orders),
        ("Products", "product", ("product", "category", "price"), shop.products),
        ("Customers", "customer", ("customer", "city"), shop.customers),
    ]
    texts = [
        f"{title} ({SAID[layout]}):\n{shown(columns, rows, layout, thing)}"
        for (title, thing, columns, rows), layout in zip(tables, shop.layouts, strict=True)
    ]
    goods = f"products of the category {shop.category}" if shop.category else "all products"
    question = {
        "spent": f"How much did the customers from {shop.city} pay in total for {goods}?",
        "pieces": f"How many pieces did the customers from {shop.city} order altogether, counting"
        f" {goods}?",
        "best": f"Counting {goods}: add up what the customers of each city paid. How much is it in"
        " the city where it is most?",
        "gap": f"Counting {goods}: add up what the customers of each city paid. How much more is it"
        " in the city where it is most than in the one where it is least, of those cities for"
        " which there is at least one order that counts?",
    }[shop.asked]
    note = (
        "An order costs its quantity times the price of the product. Orders of products that are"
        " not in the list of products, or by customers who are not in the list of customers, do not"
        " count."
    )
    return Prompt(
        style.pick(
            "\n\n".join([*texts, f"{question} {note}"]),
            "\n\n".join([f"{question} {note}", *reversed(texts)]),
            "\n\n".join(["A shop keeps three tables.", *texts[1:], texts[0], f"{note} {question}"]),
        ),
        form="one integer",
    )


def steps(shop: Shop) -> list[str]:
    """The orders that count, and the answer."""
    lines = [f"{city}: {pieces} times {price} is {pieces * price}" for city, pieces, price in
             _joined(shop)]  # fmt: skip
    return [*lines, f"answer: {solve(shop)}"]


def canon(shop: Shop) -> list[object]:
    """The orders' numbers, the order of the rows and the layouts do not matter."""
    return [sorted(order[1:] for order in shop.orders), sorted(shop.products),
            sorted(shop.customers), shop.asked, shop.city, shop.category]  # fmt: skip


def hardness(shop: Shop) -> float:
    """Rows to match."""
    return len(shop.orders) * 2 + len(shop.products) + len(shop.customers)


def _joined(shop: Shop) -> list[tuple[str, int, int]]:
    """City, quantity and price of each order that counts."""
    city = dict(shop.customers)
    price = {what: cost for what, kind, cost in shop.products if shop.category in ("", kind)}
    return [
        (city[who], pieces, price[what])
        for _, who, what, pieces in shop.orders
        if who in city and what in price
    ]


LADDER = (
    Knobs(5, 3, 3, 0, 1),
    Knobs(10, 5, 4, 1, 2),
    Knobs(18, 8, 6, 2, 3),
    Knobs(30, 12, 9, 4, 4),
    Knobs(50, 16, 13, 6, 4),
)
FAMILY = Family(
    Shop,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="looking rows up in dictionaries",
    guess_rate=0.03,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("calculation", "reading"),
    peers=("reasoning-core/table_qa",),
    version=3,
)
