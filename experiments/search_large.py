"""How little covey's searches lose on tables of 100,000 to 665,800 rows, and how their time grows.

COVEY_DATA=... python experiments/search_large.py
"""

from __future__ import annotations

from results import Section, number, run_script
from search import EFFORTS, OTHERS, measured, show, write_tables

TABLES = ("kdd", "kdd-20", "acs-295k", "acs-665k")
GROWING = ("census-1m", "census-4m")
K = 10


def main() -> None:
    run_script("search_large", "How little the searches lose on large tables", write)


def write(section: Section, quick: bool) -> None:
    """Fill the section."""
    section.text("As in [the smaller tables](search.md).")
    if not quick:
        write_tables(section, TABLES, (*OTHERS, *EFFORTS), quick)
    searches, names = ("loss-cut", "fast", "balanced"), GROWING[: 1 if quick else 2]
    found = {name: measured(name, searches, (K,)) for name in names}
    for name in names:
        show(section, name, found[name], searches, (K,))
    if quick:
        return
    for search in searches:
        less, more = (found[name][search, K] for name in GROWING)
        if less and more:
            section.text(
                f"`{search}`: four times the rows take {number(more.seconds / less.seconds, 1)} times as long."
            )


if __name__ == "__main__":
    main()
