"""How little covey's searches lose at every effort, beside other algorithms and tools: some 30,000 rows.

COVEY_DATA=... python experiments/search.py
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from figures import Axis, line_chart
from results import Section, number, run_script

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
from loss import EFFORTS, LIMIT, OTHERS, SHEETS, Run, run

KS = (2, 5, 10, 25, 50, 100)
TABLES = ("adult-trees", "nist")
PEERS = {
    "ARX, its defaults": (4.12, 3.08, 1.88, 1.19, 1.12, 0.93),
    "ARX, tuned, described anew": (0.94, 0.74, 0.62, 0.51, 0.48, 0.47),
}
"""Ratios to greedy k-member on the same table, measured on another day (ARX 3.9.2, local recoding; least boxes)."""
K = 10
QUICK = ("mondrian", "loss-cut", "fast", "balanced")
"""Searches that are measured at every k on large tables."""
MOST_TIME = 1_800.0
"""Seconds that `best` has there; all others have as many as on smaller tables."""
Found = dict[tuple[str, int], Run | None]


def main() -> None:
    run_script("search", "How little the searches lose", write)


def write(section: Section, quick: bool) -> None:
    """Fill the section."""
    section.text(
        f"""Total-IL of least boxes, counted again from the classes, each of k rows or more. Seconds are of the search
        alone, compiled before, on two cores; MB is the most that its process held. A search has {LIMIT:.0f} s; “-” is
        one that took longer. The same, line by line: `benchmarks/loss.py`."""
    )
    ks = (50,) if quick else KS
    searches = ("k-member(start=0)", "mondrian", "loss-cut", *EFFORTS[: 2 if quick else 3])
    found = measured("adult", searches, ks)
    show(section, "adult", found, searches, ks)
    if not quick:
        section.figure("loss", chart(found), "Loss on Adult against k as a ratio to greedy k-member: covey's least.")
    write_tables(section, ("nist",) if quick else TABLES, (*OTHERS[1 if quick else 0 :], *searches[3:]), quick)


def write_tables(section: Section, names: Sequence[str], searches: Sequence[str], quick: bool) -> None:
    """Measure tables and show them."""
    for name in names:
        ks = SHEETS[name].ks[-1:] if quick else SHEETS[name].ks
        show(section, name, measured(name, searches, ks), searches, ks)


def write_large(section: Section, names: Sequence[str], quick: bool, whole: Sequence[str] = ()) -> None:
    """Fill a section with large tables: `best`, which takes long, at one k but on the tables `whole`."""
    but = "".join(f", but for `{name}`" for name in whole)
    section.text(
        f"""As on [smaller tables](search.md), but `best` has {MOST_TIME:,.0f} s, and is measured at
        k = {K} alone{but}."""
    )
    for name in names:
        ks = (K,) if quick else SHEETS[name].ks
        found = measured(name, QUICK if quick else (*OTHERS, *QUICK[2:]), ks)
        if not quick:
            found |= measured(name, ("best",), ks if name in whole else (K,), MOST_TIME)
        show(section, name, found, QUICK if quick else (*OTHERS, *EFFORTS), ks)


def measured(name: str, searches: Sequence[str], ks: Sequence[int], limit: float = LIMIT) -> Found:
    """Return what each search comes to, each in a process of its own."""
    return {(search, k): run(name, k, search, limit + 120) for search in searches for k in ks}


def show(section: Section, name: str, found: Found, searches: Sequence[str], ks: Sequence[int]) -> None:
    """Add the table of a sheet."""
    sheet = SHEETS[name]
    codes = sheet.codes()
    numeric = [column for column in sheet.quasi if column in sheet.numeric]
    trees = [column for column in sheet.quasi if column in sheet.trees()]
    flat = len(sheet.quasi) - len(numeric) - len(trees)
    section.heading(
        f"`{name}`: {number(codes.n_rows)} rows, {number(codes.n_tuples)} distinct, {len(sheet.quasi)} columns"
    )
    of_trees = f"Trees: {', '.join(trees)}. " if trees else ""
    section.text(f"Numbers: {', '.join(numeric)}. {of_trees}Flat categories: {flat}.")
    least = {k: min(one.loss for (_, own), one in found.items() if one and own == k) for k in ks}
    rows = [
        [f"`{search}`", *(cell for k in ks for cell in cells(found.get((search, k)), least[k]))] for search in searches
    ]
    section.table(["search", *(head for k in ks for head in (f"k = {k}", "s", "MB"))], rows)


def cells(one: Run | None, least: float) -> list[str]:
    """Return the loss, bold if it is the least, the seconds and the memory of a run."""
    if one is None:
        return ["-", "", ""]
    loss = number(one.loss, 1 if one.loss < 1e5 else 0)
    return [f"**{loss}**" if one.loss == least else loss, f"{one.seconds:.3g}", number(one.megabytes)]


def chart(found: Found) -> dict[str, object]:
    """Return the loss against k, as a ratio to greedy k-member."""
    names = {"mondrian": "Mondrian", "loss-cut": "covey, loss-cut"}
    names |= {effort: f"covey, {effort}" for effort in EFFORTS}
    base = {k: one.loss for (search, k), one in found.items() if search == "k-member(start=0)" and one}
    lines: dict[str, list[tuple[float, float]]] = {}
    for search, words in names.items():
        lines[words] = [(k, one.loss / base[k]) for k in base if (one := found[search, k])]
    lines |= {words: list(zip(KS, ratios, strict=True)) for words, ratios in PEERS.items()}
    x = Axis("k", log=True, ticks=KS)
    y = Axis(
        "Total-IL, greedy k-member = 1",
        log=True,
        ticks=(0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.5, 2.0, 3.0, 4.0),
        from_zero=False,
    )
    return line_chart("Loss on Adult, 30,162 rows", x, y, lines)


if __name__ == "__main__":
    main()
