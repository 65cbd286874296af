"""How little covey's searches lose on tables of 100,000 to 665,800 rows, and how their time grows: some two hours.

COVEY_DATA=... python experiments/search_large.py
"""

from __future__ import annotations

from results import Section, number, run_script
from search import EFFORTS, LIMIT, OTHERS, SHEETS, measured, show

TABLES = ("kdd", "kdd-20", "acs-295k", "acs-665k")
GROWING = ("census-1m", "census-4m")
K = 10
QUICK = ("mondrian", "loss-cut", "fast", "balanced")
"""Searches that are measured at every k; the others, on the largest tables, at `K` alone."""
MOST_TIME = 1_800.0
"""Seconds that `best` has; k-member has as many as on smaller tables."""


def main() -> None:
    run_script("search_large", "How little the searches lose on large tables", write)


def write(section: Section, quick: bool) -> None:
    """Fill the section."""
    section.text(
        f"""As on [the smaller tables](search.md), but `best` has {MOST_TIME:,.0f} s; it and k-member are measured at
        k = {K} alone on all tables but the first."""
    )
    for name in () if quick else TABLES:
        ks = SHEETS[name].ks
        found = measured(name, QUICK, ks)
        few = ks if name == TABLES[0] else (K,)
        found |= measured(name, ("k-member",), few, LIMIT) | measured(name, ("best",), few, MOST_TIME)
        show(section, name, found, (*OTHERS, *EFFORTS), ks)
    searches, names = ("loss-cut", "fast", "balanced"), GROWING[: 1 if quick else 2]
    growth = {name: measured(name, searches, (K,)) for name in names}
    for name in names:
        show(section, name, growth[name], searches, (K,))
    for search in () if quick else searches:
        less, more = (growth[name][search, K] for name in GROWING)
        if less and more:
            section.text(
                f"`{search}`: four times the rows take {number(more.seconds / less.seconds, 1)} times as long."
            )


if __name__ == "__main__":
    main()
