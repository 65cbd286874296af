"""The ACS income tables of 2018, which stand in for the tables of P2, as codes."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from covey.ask.schema import Schema
from covey.codes.codes import TableCodes
from covey.codes.encoding import encode_frame
from covey.datasets import load_acs_income, load_taxonomy

__all__ = ["QUASI", "areas_of_birth", "encoded", "encoded_incomes"]

QUASI = ["age", "sex", "education_num", "marital_status", "race", "birthplace"]
"""In the order of the paper's table 3 as far as its text tells: age, gender, education, marital status, ..."""
DOMAINS = {"age": (17, 96), "education_num": (1, 24)}
SCHOOLS = (  # of the table with incomes in dollars, which has no number beside the label
    "No schooling completed", "Nursery school, preschool", "Kindergarten", *(f"Grade {i}" for i in range(1, 12)),
    "12th grade - no diploma", "Regular high school diploma", "GED or alternative credential",
    "Some college, but less than 1 year", "1 or more years of college credit, no degree", "Associate's degree",
    "Bachelor's degree", "Master's degree", "Professional degree beyond a bachelor's degree", "Doctorate degree",
)  # fmt: skip


def encoded(rows: pa.Table, d: int, *, flat: bool = False, birthplaces: tuple[str, ...] | None = None) -> TableCodes:
    """Return the first d quasi columns as codes, every category ordered unless `flat`."""
    names = QUASI[:d]
    orders = {} if flat else {name: order_of(name, birthplaces) for name in names if name not in DOMAINS}
    domains = {name: ends for name, ends in DOMAINS.items() if name in names}
    return encode_frame(rows.select(names), Schema.from_roles(quasi=names, domains=domains, orders=orders))


@functools.cache
def order_of(name: str, birthplaces: tuple[str, ...] | None = None) -> Sequence[str]:
    """Return the labels of a category in order: those of the whole table, so that parts are priced alike."""
    if name == "birthplace":
        return birthplaces or load_taxonomy("acs_income", "birthplace").leaves
    return labels_of(load_acs_income(), name)


def areas_of_birth(rows: pa.Table) -> tuple[pa.Table, tuple[str, ...]]:
    """Return (rows, areas): every birthplace replaced by the area it lies in, and all areas in order."""
    places = load_taxonomy("acs_income", "birthplace")
    below = {node: places.below(node) or range(0) for node in places.inner}
    area = {}
    for i, leaf in enumerate(places.leaves):
        area[leaf] = min((node for node in below if i in below[node]), key=lambda node: len(below[node]))
    labels = pc.cast(rows.column("birthplace"), pa.string()).to_pylist()
    new = pa.array([area[label] for label in labels])
    replaced = rows.set_column(rows.column_names.index("birthplace"), "birthplace", new)
    return replaced, tuple(dict.fromkeys(area.values()))


def encoded_incomes(rows: pa.Table) -> TableCodes:
    """Return the same quasi columns of the table with incomes in dollars."""
    names = ["education" if name == "education_num" else name for name in QUASI]
    places = load_taxonomy("acs_income", "birthplace").leaves
    others = {name: labels_of(rows, name) for name in ("sex", "marital_status", "race")}
    orders = {"education": SCHOOLS, "birthplace": places, **others}
    schema = Schema.from_roles(quasi=names, domains={"age": DOMAINS["age"]}, orders=orders)
    return encode_frame(rows.select(names), schema)


def labels_of(rows: pa.Table, name: str) -> list[str]:
    """Return the labels of a column in their alphabetical order."""
    return sorted(map(str, pc.unique(rows.column(name)).to_pylist()))
