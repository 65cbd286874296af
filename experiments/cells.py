"""The released cells of every algorithm, kind of release, model and missing policy on public tables, as digests.

    COVEY_DATA=... python experiments/cells.py            # which cases differ from experiments/cells.json
    COVEY_DATA=... python experiments/cells.py --write    # writes it
    COVEY_DATA=... python experiments/cells.py adult zoo  # these tables alone

What is moved or rewritten must not change a cell.  Every case is a frame released in kept order; what is refused has
the code of its error for a digest.  All cases run on 3,000 rows of each table and on the whole of Adult, `loss-cut` and
`mondrian` on 665,800 rows with taxonomies.  Every 50th cell of the first quasi column is made missing, but for the
policy `error`, which would refuse them all.  `non-homogeneous` draws from a generator in place of the system's
randomness.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import multiprocessing
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import covey
from covey.ask.algorithms import ALGORITHMS
from covey.datasets import load_acs_income, load_adult, load_casc, load_kdd, load_nist, load_small, load_taxonomy

FILE = Path(__file__).parent / "cells.json"
ROWS = 3_000
KINDS: dict[str, dict[str, str]] = {
    "interval": {"release": "interval"},
    "snapped": {"release": "interval", "ends": "snapped"},
    "node": {"release": "node"},
    "bounds": {"release": "bounds"},
    "centre": {"release": "centre"},
}
MODELS = (None, "distinct-l-diversity({}, l=2)", "frequency-l-diversity({}, l=2)")
MISSING = ("category", "suppress", "error")
CASES = tuple(itertools.product(KINDS, MODELS, MISSING))


@dataclass(frozen=True, slots=True)
class Sheet:
    """A public table with the roles of its columns."""

    load: Callable[[], pa.Table]
    quasi: Sequence[str]
    sensitive: str
    target: str
    k: int = 5
    taxonomies: Callable[[], Mapping[str, Any]] = dict
    rows: int | None = ROWS
    algorithms: Sequence[str] = tuple(ALGORITHMS)
    cases: Sequence[tuple[str, str | None, str]] = field(default=CASES)

    def table(self) -> pa.Table:
        """Return the rows."""
        names = [*self.quasi, *dict.fromkeys((self.sensitive, self.target))]
        return self.load().select(names).slice(0, self.rows)

    def with_holes(self, table: pa.Table) -> pa.Table:
        """Return the rows with some cells of the first quasi column made missing."""
        gone = pa.array(np.arange(table.num_rows) % 50 == 49)
        column = table.column(0)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        return table.set_column(0, self.quasi[0], pc.if_else(gone, pa.scalar(None, column.type), column))


ADULT = ["age", "workclass", "education-num", "marital-status", "occupation", "race", "sex", "native-country"]
ACS = ["age", "sex", "race", "marital_status", "education_num", "birthplace", "workclass", "occupation"]
WIDE = ["age", "sex", "race", "marital_status", "education", "birthplace", "workclass", "state"]
KDD = ["age", "sex", "race", "hispanic_origin", "marital_stat", "education", "class_of_worker", "citizenship"]
NIST = ["PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "EDU", "HOUSING_TYPE", "OWN_RENT"]


def adult_trees() -> Mapping[str, Any]:
    """Return the trees of three of Adult's columns."""
    return {name: load_taxonomy("adult", name) for name in ("workclass", "marital-status", "native-country")}


def acs_trees() -> Mapping[str, Any]:
    """Return the trees of two columns of the ACS tables."""
    return {name: load_taxonomy("acs_income", name) for name in ("birthplace", "occupation")}


def place_trees() -> Mapping[str, Any]:
    """Return the trees of two columns of the ACS table with states."""
    return {name: load_taxonomy("acs_income", name) for name in ("birthplace", "state")}


def numbers(load: Callable[[], pa.Table], last: int) -> Callable[[], pa.Table]:
    """Return a loader of a table of numbers with two further columns: thirds of its last one."""

    def loaded() -> pa.Table:
        table = load()
        values = np.asarray(table.column(last).to_numpy(), float)
        third = np.searchsorted(np.quantile(values, [1 / 3, 2 / 3]), values).astype(str)
        return table.append_column("third", pa.array(third))

    return loaded


def names_of(load: Callable[[], pa.Table], first: int, after: int) -> list[str]:
    """Return the names of some columns in a row."""
    return load().column_names[first:after]


def sheets() -> dict[str, Sheet]:
    """Return the tables by name."""
    found = {
        "adult": Sheet(load_adult, ADULT, "relationship", "income", taxonomies=adult_trees),
        "adult-in-full": Sheet(load_adult, ADULT, "relationship", "income", 10, adult_trees, None),
        "acs-665k": Sheet(load_acs_income, ACS, "relationship", "income_gt_50k", taxonomies=acs_trees),
        "acs-665k-in-full": Sheet(
            load_acs_income, ACS, "relationship", "income_gt_50k", 10, acs_trees, None, ("loss-cut", "mondrian"),
            [case for case in CASES if case[1] is None],
        ),
        "acs-295k": Sheet(
            lambda: load_acs_income("295k"), WIDE, "citizenship_status", "insurance_employer", taxonomies=place_trees
        ),
        "kdd": Sheet(load_kdd, KDD, "major_occupation_code", "income"),
        "nist": Sheet(load_nist, NIST, "PINCP_DECILE", "DREM"),
    }  # fmt: skip
    for name in ("census", "tarragona", "eia"):
        load = numbers(lambda name=name: load_casc(name), -1)  # type: ignore[misc]
        quasi = names_of(load, 5, 10) if name == "eia" else names_of(load, 0, 5)
        found[name] = Sheet(load, quasi, "third", "third")
    for name in ("iris", "wine", "zoo"):
        load = lambda name=name: load_small(name)  # type: ignore[misc]  # noqa: E731
        quasi = names_of(load, 1, 9) if name == "zoo" else names_of(load, 0, 4)
        found[name] = Sheet(load, quasi, "class", "class")
    return found


class Drawn(covey.NonHomogeneous):
    """`non-homogeneous` with a generator in place of the system's randomness."""

    def cover(self, codes: Any, random: np.random.Generator | None = None) -> Any:
        """Return the rings and the window of every row."""
        return super().cover(codes, np.random.default_rng(7))


def digests(work: tuple[str, str]) -> tuple[str, str, list[str]]:
    """Return (table, algorithm, digest of every case)."""
    name, algorithm = work
    sheet = sheets()[name]
    table, trees = sheet.table(), sheet.taxonomies()
    tables = {"error": table, "category": sheet.with_holes(table), "suppress": sheet.with_holes(table)}
    warnings.simplefilter("ignore")
    return name, algorithm, [digest(sheet, tables[case[2]], trees, algorithm, *case) for case in sheet.cases]


def digest(
    sheet: Sheet, table: pa.Table, trees: Mapping[str, Any], algorithm: str, kind: str, model: str | None, missing: str
) -> str:
    """Return eight hexadecimal digits of the cells that are released, or of the code of a refusal."""
    asked: dict[str, Any] = {
        "k": sheet.k, "quasi": sheet.quasi, "sensitive": [sheet.sensitive], "taxonomies": trees, "missing": missing,
        "algorithm": Drawn(sheet.k) if algorithm == "non-homogeneous" else algorithm, **KINDS[kind],
    }  # fmt: skip
    if sheet.target != sheet.sensitive:
        asked["target"] = [sheet.target]
    if model is not None:
        asked["models"] = [model.format(sheet.sensitive)]
    try:
        released = covey.anonymize(table, **asked).table
    except covey.CoveyError as error:
        return short(error.code)
    return short(*(part for column in released.column_names for part in (column, *texts(released.column(column)))))


def texts(column: pa.ChunkedArray) -> Iterator[str]:
    """Yield every cell as text that differs where the cells do."""
    return map(repr, column.to_pylist())


def short(*parts: str) -> str:
    """Return eight hexadecimal digits that tell texts apart."""
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=4).hexdigest()


def differing(found: Mapping[str, Mapping[str, Sequence[str]]], kept: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the cases that differ, in words."""
    out = []
    for name, algorithms in found.items():
        for algorithm, now in algorithms.items():
            before = kept.get(name, {}).get(algorithm, "").split()
            if len(before) != len(now):
                out.append(f"{name}, {algorithm}: {len(now)} cases, {len(before)} before")
                continue
            cases = sheets()[name].cases
            out += [
                f"{name}, {algorithm}, {kind}, {model}, missing {missing}"
                for (kind, model, missing), a, b in zip(cases, now, before, strict=True)
                if a != b
            ]
    return out


def main() -> None:
    words = argparse.ArgumentParser(description="Compare released cells with those of before.")
    words.add_argument("tables", nargs="*", help="which tables; without, all")
    words.add_argument("--write", action="store_true", help="write the digests instead of comparing them")
    given = words.parse_args()
    all_sheets = sheets()
    unknown = sorted(set(given.tables) - set(all_sheets))
    if unknown:
        words.error(f"there is no table {', '.join(unknown)}; there are {', '.join(all_sheets)}")
    works = [(name, algorithm) for name in given.tables or all_sheets for algorithm in all_sheets[name].algorithms]
    start = time.perf_counter()
    found: dict[str, dict[str, list[str]]] = {}
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        for name, algorithm, cases in pool.imap_unordered(digests, works):
            found.setdefault(name, {})[algorithm] = cases
            if sys.stderr.isatty():
                print(f"{name}, {algorithm}: {len(cases)} cases", file=sys.stderr)
    count = sum(len(cases) for algorithms in found.values() for cases in algorithms.values())
    kept = json.loads(FILE.read_text()) if FILE.exists() else {}
    if given.write:
        kept |= {name: {one: " ".join(cases) for one, cases in sorted(found[name].items())} for name in found}
        FILE.write_text(json.dumps(dict(sorted(kept.items())), indent=1) + "\n")
        print(f"{count:,} cases written in {time.perf_counter() - start:.0f} s")
        return
    wrong = differing(found, kept)
    print("\n".join(wrong))
    print(f"{count:,} cases, {len(wrong):,} differ, {time.perf_counter() - start:.0f} s")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
