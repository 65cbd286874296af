"""Total-IL of every algorithm on Adult (30,162 rows, eight quasi columns, flat categories), as ratios to k-member.

    COVEY_DATA=... python benchmarks/adult.py

Checks its own result: every class is recounted from the released cells, and the loss is that of the report.
"""

from __future__ import annotations

import platform
import time

import numba
import numpy

import covey
from covey.datasets import load_adult

QUASI = [
    "age", "workclass", "education-num", "marital-status", "occupation", "race", "sex", "native-country",
]  # fmt: skip
KS = (2, 5, 10, 25, 50, 100)
EXPECTED = {2: 5_400, 5: 16_700, 10: 29_900, 25: 55_984, 50: 77_364, 100: 99_864}
LEAST = {2: 0.766, 5: 0.6456, 10: 0.5536, 25: 0.4535, 50: 0.4304, 100: 0.428}
LIMIT = {2: 1.03, 5: 0.81, 10: 0.70, 25: 0.57, 50: 0.55, 100: 0.54}
ALGORITHMS = (
    "k-member(start=0)", "loss-cut", "mondrian", "mondrian(relaxed=true)", "covey(effort=fast)", "covey",
)  # fmt: skip


def main() -> None:
    table = load_adult().select(QUASI)
    print(f"Adult, {table.num_rows:,} rows; Python {platform.python_version()}, numpy {numpy.__version__},", end=" ")
    print(f"numba {numba.__version__}, {platform.machine()}")
    print(f"{'algorithm':<24}{'k':>5}{'seconds':>9}{'Total-IL':>11}{'to k-member':>13}{'classes':>9}{'smallest':>9}")
    base: dict[int, float] = {}
    good = True
    for name in ALGORITHMS:
        covey.anonymize(table, k=50, quasi=QUASI, algorithm=name)  # compiled before it is measured
        for k in KS:
            start = time.perf_counter()
            release = covey.anonymize(table, k=k, quasi=QUASI, algorithm=name)
            seconds = time.perf_counter() - start
            loss = release.report.loss.total_il
            verdict = covey.verify(release.table, k=k, quasi=QUASI)
            base.setdefault(k, loss)
            ratio = loss / base[k]
            if name == "k-member(start=0)":
                good &= abs(loss / EXPECTED[k] - 1) <= 0.02
            elif name == "loss-cut":
                good &= ratio <= LIMIT[k]
            elif name.startswith("covey"):
                good &= ratio <= LEAST[k]
            elif name == "mondrian":
                good &= ratio > 1
            good &= verdict.ok
            print(
                f"{name:<24}{k:>5}{seconds:>9.2f}{loss:>11,.1f}{ratio:>13.3f}{verdict.classes:>9,}{verdict.smallest:>9}"
            )
    print("all within their limits" if good else "NOT within the limits")


if __name__ == "__main__":
    main()
