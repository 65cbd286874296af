"""Seconds and peak memory of every registered algorithm at 30,000, 120,000 and 1,000,000 rows, and how they grow.

    python benchmarks/scale.py [--algorithms NAMES] [--sizes ROWS] [--limit SECONDS] [--large-limit SECONDS] [--write]

`make_census` with its eight quasi columns, k = 10.  Each figure comes from a process of its own.  The seconds are
those of the search alone: the codes are made before (their seconds have a line of their own), and the kernels are
compiled before on a few rows of the same table.  A search below 5 seconds is run three times, and the fastest counts.
The memory is the most that the process ever held during the search: Python, the libraries, the table and its codes
included.  The growth exponent between two sizes is log(t2 / t1) / log(n2 / n1): 1 is linear, 2 quadratic.

A search that takes longer than the limit is ended and the cell says so.  A size for which the exponent of those
before foretells more than the limit is left out, and the cell says how long it would have taken.  An algorithm that
is meant for fewer rows than all these (`most_rows` of the registry) is measured at that size and a quarter of it too.

Checks its own result: the rows of every class are counted again.  --write puts the page into benchmarks/SCALE.md.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gc
import itertools
import math
import multiprocessing
import resource
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from covey.ask.algorithms import ALGORITHMS, algorithm_named
from covey.ask.schema import Schema
from covey.base.errors import CoveyError
from covey.codes.codes import TableCodes
from covey.codes.encoding import encode_frame
from covey.columns.kept import KeptColumn, kept_column
from covey.compiled import kernel
from covey.datasets import census_roles, make_census
from page import command, machine, table, write_page
from timing import best_of

PAGE = Path(__file__).parent / "SCALE.md"
K = 10
TARGET = "income"
SIZES = (30_000, 120_000, 1_000_000)
LIMIT, LARGE_LIMIT = 120.0, 180.0
LARGE = 500_000
"""From so many rows on the larger limit counts."""
SHORT = 5.0
FEW = 300
LONGEST_PREPARATION = 900.0
"""Making the table, its codes and all kernels takes no longer, or something is wrong."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What one process measured."""

    seconds: float
    peak_mb: float
    before_mb: float
    """What the process held before the search."""
    encode_seconds: float
    tuples: int
    """How many different rows the table has: most searches look at these."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One algorithm at one size: its figures, or in words why there are none."""

    figures: Figures | None
    words: str = ""
    refusal: str = ""
    """The whole sentence of an algorithm that refused."""


# --- in the process that measures ----------------------------------------------------------------------------


def measure(line: Connection, name: str, rows: int) -> None:
    """Send "ready" when the search can begin, then what came of it."""
    warnings.simplefilter("ignore")
    census = make_census(rows)
    people, target = census.select(census_roles()["quasi"]), kept_column(TARGET, census.column(TARGET))
    encode_frame(people.slice(0, FEW))  # compiled, or read from the cache
    start = time.perf_counter()
    codes = encode_frame(people)
    encode_seconds = time.perf_counter() - start
    with contextlib.suppress(CoveyError):
        few = few_tuples(codes)
        search(name, few, target.take(np.arange(few.n_rows)))
    line.send("ready")
    try:
        before = reset_peak()
        seconds = fastest(lambda: search(name, codes, target))
        line.send(Figures(seconds, peak_memory(), before, encode_seconds, codes.n_tuples))
    except CoveyError as error:
        line.send(error.message)
    except MemoryError:
        line.send("there was not enough memory")


def few_tuples(codes: TableCodes) -> TableCodes:
    """Return a few of the tuples, in arrays of the same types as those of all: other types are compiled anew."""
    some = np.unique(np.linspace(0, codes.n_tuples - 1, FEW).astype(np.int64))
    return replace(
        codes,
        columns=np.ascontiguousarray(codes.columns[:, some]),
        counts=np.ones(len(some), np.int64),
        row_tuple=np.arange(len(some)),
    )


def search(name: str, codes: TableCodes, target: KeptColumn) -> None:
    """Run an algorithm, one that is made for a target with it; every class it makes, or every ring, has k rows."""
    roles = Schema.from_roles(quasi=census_roles()["quasi"], target=[TARGET])
    estimator = algorithm_named(name, k=K).for_roles(roles)
    if ALGORITHMS[name].makes_classes:
        labels = estimator.labels(codes, {TARGET: target})
        sizes = np.bincount(labels[labels >= 0])
    else:
        sizes = np.diff(estimator.cover(codes).starts)
    assert sizes.min() >= K


def fastest(work: Callable[[], object]) -> float:
    """Return the seconds of one run in which nothing was compiled, of the fastest of three if it is short."""
    while True:
        compiled = compiled_kernels()
        seconds = best_of(1, work)
        if compiled_kernels() == compiled:
            break
    return min(seconds, best_of(2, work)) if seconds < SHORT else seconds


def compiled_kernels() -> int:
    return sum(len(one.signatures) for one in kernel._dispatchers)


def reset_peak() -> float:
    """Make the system forget the most memory that this process had, if it can; return the megabytes that it has."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    with contextlib.suppress(AttributeError, OSError):  # what was freed goes back to the system
        ctypes.CDLL(None).malloc_trim(0)
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return peak_memory()


def peak_memory() -> float:
    """Return the most megabytes that this process held since `reset_peak`, or since it began where that fails."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1]) / 1000
    except (OSError, StopIteration):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / 1e6 if sys.platform == "darwin" else peak / 1000


# --- in the process that asks --------------------------------------------------------------------------------


def measured(name: str, rows: int, limit: float) -> Cell:
    """Return what a process of its own measures; the limit is for the search alone."""
    here, there = multiprocessing.get_context("spawn").Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(target=measure, args=(there, name, rows), daemon=True)
    process.start()
    there.close()
    try:
        answer: Any = here.recv() if here.poll(LONGEST_PREPARATION) else "its kernels took too long to compile"
        if answer == "ready":
            # a short search is run three times, and none of them is to be cut off
            answer = here.recv() if here.poll(limit + 2 * SHORT) else None
    except EOFError:
        process.join(10)
        return Cell(None, f"its process ended ({process.exitcode})")
    finally:
        process.kill()
        process.join()
    if isinstance(answer, Figures):
        return Cell(answer) if answer.seconds <= limit else Cell(None, f"> {limit:g} s")
    return Cell(None, f"> {limit:g} s") if answer is None else Cell(None, "refused", str(answer))


def row_of(name: str, sizes: Sequence[int], limits: Sequence[float]) -> list[Cell]:
    """Return the cells of one algorithm, from the smallest size on, until it is too slow; a refusal takes no time."""
    measured(name, FEW, limits[0])  # fills the cache of kernels: compiling takes memory, which no process gives back
    cells: list[Cell] = []
    for rows, limit in zip(sizes, limits, strict=True):
        if cells and cells[-1].figures is None and not cells[-1].refusal:
            cells.append(Cell(None, "not run"))
        elif (foretold := forecast(cells, sizes)) > limit:
            cells.append(Cell(None, f"not run: about {duration(foretold)} by the exponent"))
        else:
            cells.append(measured(name, rows, limit))
        figures = cells[-1].figures
        found = cells[-1].words if figures is None else f"{figures.seconds:.2f} s, {figures.peak_mb:,.0f} MB"
        print(f"{name}, {rows:,} rows: {found}", file=sys.stderr, flush=True)
    return cells


def forecast(cells: Sequence[Cell], sizes: Sequence[int]) -> float:
    """Return the seconds of the next size by the exponent of the last two, 0 if there are no two."""
    done = len(cells)
    if done < 2 or cells[-2].figures is None or cells[-1].figures is None:
        return 0.0
    last = cells[-1].figures.seconds
    return last * (sizes[done] / sizes[done - 1]) ** exponent(cells[-2].figures.seconds, last, *sizes[done - 2 : done])


def exponent(seconds: float, more_seconds: float, rows: int, more_rows: int) -> float:
    """Return b of seconds = a * rows**b through two points.

    >>> exponent(1, 16, 100, 400)
    2.0
    """
    return math.log(more_seconds / seconds) / math.log(more_rows / rows)


def duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


def shown(seconds: float) -> str:
    return f"{seconds:.0f}" if seconds >= 100 else f"{seconds:.3g}"


def exponents(seconds: Sequence[float | None], sizes: Sequence[int]) -> list[str]:
    """Return the growth exponent from each size to the next, nothing where one of them has no figure."""
    shown_ones = []
    for place in range(len(sizes) - 1):
        first, second = seconds[place : place + 2]
        known = first is not None and second is not None
        shown_ones.append(f"{exponent(first, second, *sizes[place : place + 2]):.2f}" if known else "")
    return shown_ones


def line_of(name: str, cells: Sequence[Cell], sizes: Sequence[int]) -> list[str]:
    seconds = [None if cell.figures is None else cell.figures.seconds for cell in cells]
    return [
        name,
        *(cell.words if cell.figures is None else shown(cell.figures.seconds) for cell in cells),
        *exponents(seconds, sizes),
        *("" if cell.figures is None else f"{cell.figures.peak_mb:,.0f}" for cell in cells),
    ]


def first_line(found: Sequence[Sequence[Cell]], sizes: Sequence[int]) -> list[str]:
    """Return what comes before every search: the medians of the seconds to encode and of the memory held."""
    at_size = [[cells[place].figures for cells in found] for place in range(len(sizes))]
    seconds = [middle([one.encode_seconds for one in figures if one]) for figures in at_size]
    memory = [middle([one.before_mb for one in figures if one]) for figures in at_size]
    return [
        "(encoding the table)",
        *("" if one is None else shown(one) for one in seconds),
        *exponents(seconds, sizes),
        *("" if one is None else f"{one:,.0f}" for one in memory),
    ]


def different_rows(found: Sequence[Sequence[Cell]], sizes: Sequence[int]) -> str:
    """Return a sentence on how the different rows grow, nothing if no size has figures."""
    seen = {
        rows: cell.figures.tuples for cells in found for rows, cell in zip(sizes, cells, strict=True) if cell.figures
    }
    return "; ".join(f"{seen[rows]:,} of {rows:,} rows differ" for rows in sizes if rows in seen)


def middle(values: Sequence[float]) -> float | None:
    return statistics.median(values) if values else None


def figures_table(names: Sequence[str], found: Sequence[Sequence[Cell]], sizes: Sequence[int]) -> str:
    head = [
        "algorithm",
        *(f"{rows:,} rows: seconds" for rows in sizes),
        *(f"exponent {short(a)} to {short(b)}" for a, b in itertools.pairwise(sizes)),
        *(f"{short(rows)}: MB" for rows in sizes),
    ]
    lines = [line_of(name, cells, sizes) for name, cells in zip(names, found, strict=True)]
    return table(head, [first_line(found, sizes), *lines])


def short(rows: int) -> str:
    """Return a number of rows in few letters.

    >>> short(30_000), short(1_000_000), short(1_250)
    ('30k', '1M', '1,250')
    """
    for unit, letter in ((1_000_000, "M"), (1_000, "k")):
        if rows % unit == 0:
            return f"{rows // unit}{letter}"
    return f"{rows:,}"


def refusals(names: Sequence[str], found: Sequence[Sequence[Cell]], sizes: Sequence[int]) -> str:
    """Return a list item for each refusal, in its own words."""
    return "\n".join(
        f"- `{name}` at {rows:,} rows: {cell.refusal}."
        for name, cells in zip(names, found, strict=True)
        for rows, cell in zip(sizes, cells, strict=True)
        if cell.refusal
    )


def asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--algorithms", type=lambda text: text.split(","), default=[*ALGORITHMS], metavar="NAMES")
    parser.add_argument("--sizes", type=numbers, default=SIZES, metavar="ROWS", help="such as 30000,120000")
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="SECONDS", help=f"below {LARGE:,} rows")
    parser.add_argument("--large-limit", type=float, default=LARGE_LIMIT, metavar="SECONDS", help="from there on")
    parser.add_argument("--write", action="store_true", help=f"write benchmarks/{PAGE.name}")
    given = parser.parse_args()
    unknown = [name for name in given.algorithms if name not in ALGORITHMS]
    if unknown:
        parser.error(f"there is no algorithm {', '.join(unknown)}")
    return given


def numbers(text: str) -> tuple[int, ...]:
    return tuple(sorted(int(word) for word in text.split(",")))


def main() -> None:
    given = asked()
    start = time.perf_counter()

    def rows_of(names: Sequence[str], sizes: Sequence[int]) -> list[list[Cell]]:
        limits = [given.large_limit if rows >= LARGE else given.limit for rows in sizes]
        return [row_of(name, sizes, limits) for name in names]

    found = rows_of(given.algorithms, given.sizes)
    setting = (
        f"`make_census`, {len(census_roles()['quasi'])} quasi columns, k = {K}, made by "
        f"`{command('scale.py', sys.argv[1:])}` on {machine()}."
    )
    explanation = (
        "Seconds are those of the search alone, in a process of its own, its kernels compiled before; the exponent is "
        "log(t2 / t1) / log(n2 / n1).  MB (a million bytes) are the most that the process held during the search, "
        "Python, the libraries, the table and its codes included; the first line says what it held before.  The limit "
        f"is {given.limit:g} s, from {LARGE:,} rows on {given.large_limit:g} s."
    )
    parts = [setting, explanation]
    if differ := different_rows(found, given.sizes):
        parts += [f"Equal rows are searched as one, and they grow more frequent with the table: {differ}."]
    parts += [figures_table(given.algorithms, found, given.sizes)]
    parts += [said] if (said := refusals(given.algorithms, found, given.sizes)) else []
    for name in given.algorithms:
        if (most := ALGORITHMS[name].most_rows) is not None and most < min(given.sizes):
            sizes = (most // 4, most)
            parts += [f"`{name}` does not scale; on tables for which it is meant:"]
            parts += [figures_table([name], rows_of([name], sizes), sizes)]
    parts += [f"The whole run took {duration(time.perf_counter() - start)}."]
    print("\n\n".join(parts))
    if given.write:
        write_page(PAGE, "How the algorithms scale", parts)


if __name__ == "__main__":
    main()
