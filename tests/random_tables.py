"""Random small tables with every type of column, for the laws that hold for all algorithms."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from covey import Taxonomy

LABELS = ["a", "b", 'c "d"', "e, f", "*", "[x]", "", "{y}", "z"]
LEAVES = ["a", "b", 'c "d"', "e, f", "*", "[x]", "Moor", "{y}", "z"]
WORDS = ["low", "medium", "high, or so", "extreme"]
REGION = {"North": {"Fen": ["a", "b"], "Moor": ['c "d"', "e, f", "*"]}, "South": ["[x]", "Moor", "{y}", "z"]}


@dataclass(frozen=True)
class Case:
    """A table, and what `anonymize` must be told of it."""

    table: pa.Table
    k: int
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def quasi(self) -> list[str]:
        return list(self.settings["quasi"])


def random_case(seed: int, *, missing: bool = True) -> Case:
    """Return a small random table: n around a multiple of k, mixed types, duplicates, constants, missing values."""
    random = np.random.default_rng(seed)
    k = int(random.integers(2, 6))
    n = max(k, k * int(random.integers(1, 7)) + int(random.integers(-1, 2)))
    makers = [_whole, _fraction, _decimal, _day, _instant, _flat, _tree, _ordered, _flag, _constant, _big]
    chosen = random.choice(len(makers), size=int(random.integers(1, 6)), replace=False)
    columns: dict[str, pa.Array] = {}
    settings: dict[str, Any] = {"taxonomies": {}, "orders": {}, "weights": {}}
    for i in chosen:
        name = makers[i].__name__[1:]
        values = makers[i](random, n)
        if missing and random.random() < 0.4:
            gone = random.random(n) < random.choice([0.1, 0.5, 1.0])
            values = pa.array(values.to_pylist(), values.type, mask=gone)
        columns[name] = values
        if name == "tree":
            settings["taxonomies"][name] = Taxonomy.from_dict(REGION, name)
        if name == "ordered":
            settings["orders"][name] = WORDS
        if random.random() < 0.3:
            settings["weights"][name] = float(random.choice([0.0, 0.5, 2.0, 3.7]))
    settings["quasi"] = list(columns)
    columns["who"] = pa.array([f"person {i}" for i in range(n)])
    columns["ill"] = pa.array(random.choice(["flu", "gout"], n).tolist())
    settings |= {"identifier": ["who"], "sensitive": ["ill"]}
    return Case(pa.table(columns), k, settings)


def _few(random: np.random.Generator, n: int) -> Any:
    """Return numbers with many repeats, or hardly any."""
    return random.integers(0, int(random.choice([1, 2, 5, 1000])) + 1, n)


def _whole(random: np.random.Generator, n: int) -> pa.Array:
    return pa.array(_few(random, n) - 3, pa.int64())


def _fraction(random: np.random.Generator, n: int) -> pa.Array:
    scale = float(random.choice([1e-20, 0.1, 1e300]))
    return pa.array(_few(random, n) * scale * random.choice([-1.0, 1.0], n), pa.float64())


def _decimal(random: np.random.Generator, n: int) -> pa.Array:
    return pa.array([Decimal(int(i)) / 100 for i in _few(random, n)], pa.decimal128(20, 2))


def _day(random: np.random.Generator, n: int) -> pa.Array:
    return pa.array([dt.date(2024, 2, 27) + dt.timedelta(days=int(i)) for i in _few(random, n)], pa.date32())


def _instant(random: np.random.Generator, n: int) -> pa.Array:
    start = dt.datetime(2024, 3, 31, 0, 59, tzinfo=dt.UTC)  # an hour before the clocks change
    times = [start + dt.timedelta(minutes=int(i)) for i in _few(random, n)]
    return pa.array(times, pa.timestamp("us", "Europe/Berlin"))


def _flat(random: np.random.Generator, n: int) -> pa.Array:
    return pa.array(random.choice(LABELS, n).tolist(), pa.string()).dictionary_encode()


def _tree(random: np.random.Generator, n: int) -> pa.Array:
    return pa.array(random.choice(LEAVES, n).tolist(), pa.string())


def _ordered(random: np.random.Generator, n: int) -> pa.Array:
    return pa.array(random.choice(WORDS, n).tolist(), pa.string())


def _flag(random: np.random.Generator, n: int) -> pa.Array:
    return pa.array(random.random(n) < 0.5)


def _constant(random: np.random.Generator, n: int) -> pa.Array:
    return pa.array([7] * n, pa.int8())


def _big(random: np.random.Generator, n: int) -> pa.Array:
    return pa.array([2**63 + int(i) * 2**40 for i in _few(random, n) % 1000], pa.uint64())
