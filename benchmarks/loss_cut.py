"""`LossCut`: its Total-IL on Adult, and its time on census-like tables against `numpy.lexsort`.

    COVEY_DATA=... python benchmarks/loss_cut.py [ROWS]

Adult is skipped if COVEY_DATA is not set.  Times are the best of three in one process; the lexsort is over
the same code columns.  Checks its own result: every class is counted again, one core gives the same classes.
"""

from __future__ import annotations

import os
import platform
import sys
import time

import numba
import numpy as np

from covey.codes.boxes import total_loss
from covey.codes.codes import TableCodes
from covey.codes.encoding import encode_frame
from covey.codes.merging import merge_rows
from covey.datasets import census_roles, load_adult, make_census
from covey.search.loss_cut.estimator import LossCut, tuple_labels
from timing import best_of

QUASI = [
    "age", "workclass", "education-num", "marital-status", "occupation", "race", "sex", "native-country",
]  # fmt: skip
K_MEMBER = {2: 5_400, 5: 16_700, 10: 29_900, 25: 55_984, 50: 77_364, 100: 99_864}
LIMIT = {2: 1.03, 5: 0.81, 10: 0.70, 25: 0.57, 50: 0.55, 100: 0.54}


def check(codes: TableCodes, labels: np.ndarray, k: int) -> None:
    sizes = np.bincount(labels)
    assert len(labels) == codes.n_rows
    assert sizes.min() >= k


def adult() -> None:
    codes = encode_frame(load_adult().select(QUASI))
    print(f"Adult, {codes.n_rows:,} rows, {codes.n_tuples:,} distinct")
    print(f"{'k':>5}{'seconds':>9}{'Total-IL':>12}{'to k-member':>13}{'limit':>7}{'without moves':>15}{'classes':>9}")
    for k, base in K_MEMBER.items():
        labels = LossCut(k).labels(codes)
        check(codes, labels, k)
        seconds = best_of(3, lambda k=k: LossCut(k).labels(codes))
        loss = total_loss(codes, labels)
        cuts = total_loss(codes, LossCut(k, reach=0).labels(codes)) / base
        assert loss / base <= LIMIT[k]
        print(
            f"{k:>5}{seconds:>9.3f}{loss:>12,.1f}{loss / base:>13.4f}{LIMIT[k]:>7}{cuts:>15.4f}{labels.max() + 1:>9,}"
        )


def census(n_rows: int, k: int = 10) -> float:
    """Print the times of one table; return those of merging and cutting together."""
    quasi = census_roles()["quasi"]
    codes = encode_frame(make_census(n_rows).select(quasi))
    matrix = codes.row_codes()
    sort = best_of(3, lambda: np.lexsort(matrix[::-1]))
    merge = best_of(3, lambda: merge_rows(matrix, codes.sizes))
    cut = best_of(3, lambda: LossCut(k).labels(codes))
    one = best_of(3, lambda: tuple_labels(codes, k, 16, cores=1))
    labels = LossCut(k).labels(codes)
    check(codes, labels, k)
    assert (labels == tuple_labels(codes, k, 16, cores=1)[codes.row_tuple]).all()
    print(f"make_census({n_rows:,}), {len(quasi)} quasi columns, k = {k}: {codes.n_tuples:,} distinct,", end=" ")
    print(f"{labels.max() + 1:,} classes, Total-IL {total_loss(codes, labels):,.1f}")
    print(f"  lexsort {sort:.3f} s; merge_rows {merge:.3f} s ({merge / sort:.1f}x)", end="; ")
    print(f"LossCut {cut:.3f} s ({cut / sort:.1f}x), on one core {one:.3f} s ({one / sort:.1f}x)", end="; ")
    print(f"together {(merge + cut) / sort:.1f}x" + (" (limit 10x)" if n_rows >= 1_000_000 else ""))
    return merge + cut


def main() -> None:
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__},", end=" ")
    print(f"{platform.machine()}, {os.cpu_count()} cores")
    start = time.perf_counter()
    census(10_000)
    print(f"  (with compiling, if these kernels were not yet compiled, {time.perf_counter() - start:.1f} s)")
    if os.environ.get("COVEY_DATA"):
        adult()
    small, large = census(n_rows), census(4 * n_rows)
    print(f"from {n_rows:,} to {4 * n_rows:,} rows: {large / small:.1f} times the time (limit 5)")


if __name__ == "__main__":
    main()
