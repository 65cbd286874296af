"""How little covey's searches lose on a million made-up people, and how their time grows to four million.

COVEY_DATA=... python experiments/search_census.py
"""

from __future__ import annotations

from results import Section, number, run_script
from search import measured, show

TABLES = ("census-1m", "census-4m")
SEARCHES = ("loss-cut", "fast", "balanced")
K = 10


def main() -> None:
    run_script("search_census", "How little the searches lose on one million rows and on four", write)


def write(section: Section, quick: bool) -> None:
    """Fill the section."""
    section.text("As on [smaller tables](search.md); the people are made up by `covey.datasets.make_census`.")
    names = TABLES[:1] if quick else TABLES
    found = {name: measured(name, SEARCHES, (K,)) for name in names}
    for name in names:
        show(section, name, found[name], SEARCHES, (K,))
    for search in () if quick else SEARCHES:
        less, more = (found[name][search, K] for name in TABLES)
        if less and more:
            times = number(more.seconds / less.seconds, 1)
            section.text(f"`{search}`: four times the rows take {times} times as long.")


if __name__ == "__main__":
    main()
