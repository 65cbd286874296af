"""What is wrong with a release, by plain counting over its cells; no code of covey."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from statistics import multimode
from typing import Any

from soak.cases import Case
from soak.columns import Drawn
from soak.meaning import NAN, Line, Meaning, Ordered, seconds_of, shown

__all__ = ["deviations", "is_centre", "outcomes"]

Released = Mapping[str, Sequence[Any]]


def outcomes(case: Case) -> set[str | None]:
    """Return what may come of a job: the error instead of a release, or None for a release."""
    rows = [row for row in range(case.n) if case.is_guarded(row)]
    policy = case.settings["missing"]
    if policy == "error" and any(case.has_missing(row) for row in range(case.n)):
        return {"InputError"}
    if policy == "suppress":
        rows = [row for row in rows if not case.has_missing(row)]
    if len(rows) < case.k or not _feasible(case, Counter(case.kept["ill"][row] for row in rows), 0):
        # an algorithm that leaves out rows of the commonest value may do what is else impossible
        budget = math.floor(Fraction(str(case.settings.get("suppression", 0))) * case.n)
        counts = Counter(case.kept["ill"][row] for row in rows)
        may_help = any(len(rows) - gone >= case.k and _feasible(case, counts, gone) for gone in range(1, budget + 1))
        return {"Infeasible", None} if may_help else {"Infeasible"}
    return {None}


def _feasible(case: Case, counts: Counter[str], gone: int) -> bool:
    """Return whether one class of all rows, less so many of the commonest value, satisfies every model."""
    left = Counter(counts)
    for _ in range(gone):
        left[max(left, key=left.__getitem__)] -= 1
    left = +left
    for model, asked in case.models:
        if model == "distinct-l-diversity" and len(left) < asked:
            return False
        if model == "frequency-l-diversity" and max(left.values()) * asked > left.total():
            return False
    return True


def deviations(case: Case, released: Released, total_il: float | None = None) -> list[str]:
    """Return every deviation of a release from what was asked, in words."""
    place = {row: number for number, row in enumerate(case.kept["row"])}
    rows = [place.get(int(row), -1) for row in released["row"]]
    if -1 in rows or len(set(rows)) < len(rows):
        return ["rows were added or doubled"]
    faults = _columns(case, released) + _left_out(case, rows) + _kept(case, released, rows)
    classes = _classes(case, released, rows)
    if case.settings["algorithm"] == "non-homogeneous":
        faults += _consistency(case, released, rows)
    else:
        faults += _sizes(case, classes) + _diversity(case, rows, classes)
    if case.settings["release"] == "centre":
        faults += _centres(case, released, rows, classes)
    else:
        faults += _truth(case, released, rows)
        faults += _ends(case, released, rows)
        if total_il is not None:
            faults += _loss(case, released, rows, total_il)
    return faults


def _columns(case: Case, released: Released) -> list[str]:
    expected = []
    for name in case.names:
        column = next((one for one in case.quasi if one.name == name), None)
        if name != "who":
            expected += [name] if column is None or name in released else [f"{name}_min", f"{name}_max"]
    return [] if list(released) == expected else ["the columns are not those that were asked for"]


def _left_out(case: Case, rows: list[int]) -> list[str]:
    gone = set(range(case.n)) - set(rows)
    if case.settings["missing"] == "suppress":
        must = {row for row in range(case.n) if case.has_missing(row)}
        if not must <= gone:
            return ["a row with a missing value was published"]
        gone -= must
    allowed = math.floor(Fraction(str(case.settings.get("suppression", 0))) * case.n)
    return [f"{len(gone)} rows were left out, {allowed} may be"] if len(gone) > allowed else []


def _kept(case: Case, released: Released, rows: list[int]) -> list[str]:
    return [
        f"kept column {name} differs"
        for name in ("ill", "note")
        if list(released[name]) != [case.kept[name][row] for row in rows]
    ]


def _cells(case: Case, released: Released, name: str) -> list[Any]:
    """Return the cell of each row, a pair for bounds."""
    if name in released:
        return [_hashable(cell) for cell in released[name]]
    return list(zip(released[f"{name}_min"], released[f"{name}_max"], strict=True))


def _hashable(cell: Any) -> Any:
    return NAN if cell != cell else cell


def _classes(case: Case, released: Released, rows: list[int]) -> list[list[int]]:
    """Return the places of the guarded rows, by equal released tuples."""
    columns = [_cells(case, released, column.name) for column in case.quasi]
    found: dict[Any, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        if case.is_guarded(row):
            found[tuple(cells[number] for cells in columns)].append(number)
    return list(found.values())


def _sizes(case: Case, classes: list[list[int]]) -> list[str]:
    least = min(map(len, classes), default=0)
    return [f"a class has {least} rows, k is {case.k}"] if least < case.k else []


def _diversity(case: Case, rows: list[int], classes: list[list[int]]) -> list[str]:
    faults = []
    for model, asked in case.models:
        for places in classes:
            counts = Counter(case.kept["ill"][rows[place]] for place in places)
            if model == "distinct-l-diversity" and len(counts) < asked:
                faults.append(f"{model} is not met")
            if model == "frequency-l-diversity" and max(counts.values()) * asked > len(places):
                faults.append(f"{model} is not met")
    return faults


def _says(column: Drawn, cell: Any, value: Any) -> bool:
    if isinstance(cell, tuple):
        return _between(column.meaning, cell, value)
    return shown(column.meaning, cell if cell is None else str(cell), value)


def _between(meaning: Meaning, ends: tuple[Any, Any], value: Any) -> bool:
    """Return whether two bounds cover a value; both open say nothing."""
    low, high = ends
    if low is None and high is None:
        return True
    if value is None or value == NAN or NAN in (_hashable(low), _hashable(high)):
        return value == NAN and _hashable(low) == NAN and _hashable(high) == NAN
    if isinstance(meaning, Ordered):
        place = meaning.order.index(value)
        return (low is None or meaning.order.index(low) <= place) and (
            high is None or place <= meaning.order.index(high)
        )
    return (low is None or _exact(meaning, low) <= value) and (high is None or value <= _exact(meaning, high))


def _exact(meaning: Meaning, value: Any) -> Fraction:
    """Return a typed number, date or time, or its text, as a fraction."""
    if isinstance(value, dt.date):
        return seconds_of(value)
    if isinstance(value, str):
        return meaning.read(value)  # type: ignore[attr-defined]
    return Fraction(value)


def _truth(case: Case, released: Released, rows: list[int]) -> list[str]:
    faults = []
    for column in case.quasi:
        cells = _cells(case, released, column.name)
        wrong = sum(not _says(column, cells[number], column.values[row]) for number, row in enumerate(rows))
        if wrong:
            faults.append(f"{column.name} ({column.type}) does not cover the original in {wrong} rows")
    return faults


def _ends(case: Case, released: Released, rows: list[int]) -> list[str]:
    """Return a fault for each column with a snapped end that fewer than k rows share."""
    if case.settings["ends"] != "snapped" or case.settings["release"] == "bounds":
        return []
    faults = []
    for column in case.quasi:
        if column.name not in released or "taxonomy" in column.facts:
            continue
        counts = Counter(column.values[row] for row in range(case.n) if case.is_guarded(row))
        order = column.facts.get("order", ())
        public = {*column.facts.get("domain", ()), *order[:1], *order[-1:]}
        step = column.facts.get("grid")
        for number, row in enumerate(rows):
            cell = released[column.name][number]
            ends = column.meaning.ends(cell) if case.is_guarded(row) else ()
            for end in ends:
                on_grid = step is not None and Fraction(end) % step == 0
                if counts[end] < case.k and end not in public and not on_grid:
                    faults.append(f"{column.name} shows an end that fewer than k rows share")
                    break
    return list(dict.fromkeys(faults))


def _centres(case: Case, released: Released, rows: list[int], classes: list[list[int]]) -> list[str]:
    faults = []
    for column in case.quasi:
        cells = _cells(case, released, column.name)
        for places in classes:
            values = [column.values[rows[place]] for place in places]
            if not is_centre(column, cells[places[0]], values):
                faults.append(f"{column.name} ({column.type}) shows what is no centre of a class")
                break
    return faults


def is_centre(column: Drawn, cell: Any, values: list[Any]) -> bool:
    """Return whether a cell is the centre of values: the mean or median of those there, the commonest of all."""
    known = [value for value in values if not _is_missing(value)]
    has_mode = not isinstance(column.meaning, Line | Ordered)  # below a tree a column is one of labels
    modes = multimode(values)
    if cell == "NaN" or _is_missing(_hashable(cell)):
        return not known or (has_mode and any(map(_is_missing, modes)))
    if not known or cell == "*":
        return False
    if isinstance(column.meaning, Line):
        centre = _exact(column.meaning, cell)
        unit = Fraction(86_400) if column.type == "date" else Fraction(0)
        margin = unit + max(abs(value) for value in known) / 10**12 + Fraction(1, 10**320)
        return abs(centre - sum(known) / len(known)) <= margin
    written = cell if isinstance(cell, str) else str(cell).lower()
    if isinstance(column.meaning, Ordered):
        places = sorted(column.meaning.order.index(value) for value in known)
        middle = {places[(len(places) - 1) // 2], places[len(places) // 2]}
        return any(shown(column.meaning, written, column.meaning.order[place]) for place in middle)
    return any(not _is_missing(value) and shown(column.meaning, written, value) for value in modes)


def _is_missing(value: Any) -> bool:
    return value is None or value == NAN


def _loss(case: Case, released: Released, rows: list[int], told: float) -> list[str]:
    """Return a fault if the loss is not the sum of prices; silent where ends are hidden or prices not judged here."""
    if len(rows) < case.n or case.settings["ends"] == "snapped" or case.settings["release"] == "bounds":
        return []
    weights = case.settings.get("weights", {})
    total = Fraction(0)
    for column in case.quasi:
        cells = [cell for cell, row in zip(released[column.name], rows, strict=True) if case.is_guarded(row)]
        meaning = _with_domain(column, cells)
        weight = Fraction(weights.get(column.name, 1))
        for cell, count in Counter(cells).items():
            price = None if "taxonomy" in column.facts else meaning.price(None if cell is None else str(cell))
            if price is None:
                return []
            total += weight * price * count
    near = math.isclose(float(total), told, rel_tol=1e-9, abs_tol=1e-9)
    return [] if near else [f"the loss is told as {told}, and is {float(total)}"]


def _with_domain(column: Drawn, cells: list[Any]) -> Meaning:
    """Return the meaning with the domain by which cells are priced: the declared one, else that of the shown ends."""
    ends = [end for cell in set(cells) for end in column.meaning.ends(cell)]
    if not isinstance(column.meaning, Line) or not (ends or "domain" in column.facts):
        return column.meaning
    low, high = column.facts.get("domain") or (min(ends), max(ends))
    return replace(column.meaning, low=Fraction(low), high=Fraction(high))


def _consistency(case: Case, released: Released, rows: list[int]) -> list[str]:
    """Return a fault unless every original row may be k released rows, over all assignments of rows.

    The assignment of each row to itself is one; another one is reached by turning rows round in a ring, so that
    a released row may be any original row of the same strongly connected part that it covers.
    """
    n = len(rows)
    columns = [(column, _cells(case, released, column.name)) for column in case.quasi]
    covers = [
        [all(_says(column, cells[a], column.values[rows[b]]) for column, cells in columns) for b in range(n)]
        for a in range(n)
    ]
    reach = [[a == b or covers[a][b] for b in range(n)] for a in range(n)]
    for via in range(n):
        for a in range(n):
            if reach[a][via]:
                reach[a] = [one or other for one, other in zip(reach[a], reach[via], strict=True)]
    least = min(sum(covers[a][b] and reach[b][a] for a in range(n)) for b in range(n))
    return [f"a row of the original may be {least} released rows, k is {case.k}"] if least < case.k else []
