"""Every algorithm on Adult at k = 2 to 100, by `covey.compare`: the table and the chart.

COVEY_DATA=... python experiments/adult.py
"""

from __future__ import annotations

from itertools import groupby

import covey
from covey.comparison import Comparison
from covey.datasets import load_adult
from covey.report.comparison import Row
from results import Section, number, run_script

QUASI = ["age", "workclass", "education-num", "marital-status", "occupation", "race", "sex", "native-country"]
TARGET = "income"
KS = (2, 5, 10, 25, 50, 100)
QUICK_KS, QUICK_ROWS = (5, 25), 2_000
LIMIT = 120.0


def main() -> None:
    run_script("adult", "Every algorithm on Adult, side by side", write)


def write(section: Section, quick: bool) -> None:
    """Fill the section."""
    table = load_adult().select([*QUASI, TARGET])
    if quick:
        table = table.slice(0, QUICK_ROWS)
    ks = QUICK_KS if quick else KS
    found = covey.compare(
        table, k=ks, quasi=QUASI, target=[TARGET], limit=LIMIT, progress=lambda words: print(words, flush=True)
    )
    section.text(
        f"""All {len({row.algorithm for row in found.rows})} registered algorithms with their defaults on
        {number(table.num_rows)} rows of Adult: age and education-num numeric, six flat categories; seed 0; a limit of
        {LIMIT:.0f} s for each run. Every row is of a verified release. The same on the command line:
        `covey compare adult.csv -k {",".join(map(str, ks))} --quasi {",".join(QUASI)} --target {TARGET}
        --limit {LIMIT:.0f}s --chart adult.svg`."""
    )
    for k, rows in groupby(found.rows, key=lambda row: row.k):
        section.heading(f"k = {k}")
        section.table(HEADER, [cells(row, found) for row in rows])
    section.text(
        """Loss: the mean price of a released cell; **bold**: the least at this k among those that make classes of k on
        the whole table. CM: rows that are suppressed or not of their class's majority income; ED: rows in classes with
        one income; query error: median relative error of 1,000 random counts over two columns. Seconds: the search
        alone, compiling not counted. MB: what the run took beyond the table. An algorithm that does not scale gets a
        random sample, and says so: a sample loses more, since its rows have fewer neighbours. non-homogeneous gives
        k-consistency, not classes of k."""
    )
    section.figure("chart", found.chart(), "Loss against k, and loss against seconds, a line for each algorithm.")
    failures = [row for row in found.rows if row.failure is not None]
    if failures:
        section.text(f"{len(failures)} of {len(found.rows)} runs failed, each in its own row.")


HEADER = ("algorithm", "loss", "Total-IL", "GCP", "DM", "CM", "ED", "query error", "classes", "seconds", "MB")


def cells(row: Row, comparison: Comparison) -> list[str]:
    """Return one row of the table."""
    name = f"**{row.algorithm}**" if row.best else row.algorithm
    if row.sampled:
        name += f" ({number(row.rows)} of {number(comparison.table_rows)} rows)"
    if row.failure is not None:
        return [f"{name}: {row.failure}", *["-"] * (len(HEADER) - 1)]
    return [
        name,
        percent(row.mean_price),
        whole(row.total_il),
        percent(row.gcp),
        whole(row.dm),
        whole(row.cm),
        whole(row.ed),
        percent(row.query_error),
        whole(row.classes),
        f"{row.seconds:.2f}",
        whole(row.peak_memory_mb),
    ]


def percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def whole(count: float | None) -> str:
    return "-" if count is None else number(count)


if __name__ == "__main__":
    main()
