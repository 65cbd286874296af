"""The table that all algorithms get: no identifiers, every type known, the same after its way through bytes."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

import covey
from covey.ask.job import Job
from covey.base.errors import Infeasible, InputError
from covey.comparison.table import common_table, from_bytes, to_bytes
from covey.release.sources import FrameSource

PEOPLE = pa.table(
    {
        "name": ["Ann", "Bo", "Cy"],
        "age": [34, 61, None],
        "born": [dt.date(1990, 1, 2), dt.date(1963, 5, 6), dt.date(1999, 1, 1)],
        "city": pa.array(["Oslo", "Rome", "Oslo"]).dictionary_encode(),
        "ill": ["flu", "gout", "flu"],
    }
)
ROLES = {"identifier": ["name"], "quasi": ["age", "born", "city"], "sensitive": ["ill"]}


class TextSource(FrameSource):
    """Cells as a CSV file with decimal commas gives them."""

    typed = False
    decimal = ","

    def __init__(self, table: pa.Table) -> None:
        super().__init__(table)
        self.place = lambda row: f"line {row + 2}"


def job(**roles) -> Job:
    return Job(schema=covey.Schema.from_roles(**{**ROLES, **roles}))


def test_identifiers_are_left_out():
    given = common_table(FrameSource(PEOPLE), job(), 2)
    assert given.table.column_names == ["age", "born", "city", "ill"]
    assert [column.name for column in given.job.schema.columns] == ["age", "born", "city", "ill"]


def test_every_quasi_column_has_its_type_and_a_sample_the_domain_of_the_whole():
    given = common_table(FrameSource(PEOPLE), job(), 2)
    assert [column.type for column in given.job.schema.quasi] == ["numeric", "date", "categorical"]
    assert all(column.domain is None for column in given.job.schema.quasi)
    day = 86_400 * 10**9
    ends = tuple((dt.date(*when) - dt.date(1970, 1, 1)).days * day for when in ((1963, 5, 6), (1999, 1, 1)))
    assert [column.domain for column in given.with_domains.quasi] == [(34, 61), ends, None]


def test_a_declared_domain_stays():
    given = common_table(FrameSource(PEOPLE), job(domains={"age": [0, 120]}), 2)
    assert given.with_domains["age"].domain == (0, 120)


def test_decimal_commas_become_points_in_numbers_alone():
    text = pa.table({"x": ["1,5", "2", "2,25"], "code": ["1,5", "a", "b"]})
    asked = Job(schema=covey.Schema.from_roles(quasi=["x", "code"], types={"code": "categorical"}))
    given = common_table(TextSource(text), asked, 2)
    assert given.table.column("x").to_pylist() == ["1.5", "2", "2.25"]
    assert given.table.column("code").to_pylist() == ["1,5", "a", "b"]
    assert given.job.schema["x"].type == "numeric"


def test_a_fault_is_told_by_its_place_in_the_file():
    text = pa.table({"x": ["1", None, "no number"]})
    asked = Job(schema=covey.Schema.from_roles(quasi=["x"], types={"x": "numeric"}), missing="suppress")
    with pytest.raises(InputError, match=r"\(first in line 4\)"):
        common_table(TextSource(text), asked, 2)


def test_too_few_rows_are_told_at_once():
    with pytest.raises(Infeasible, match="needs at least 4 rows; there are 3"):
        common_table(FrameSource(PEOPLE), job(), 4)


def test_a_table_is_the_same_after_its_way_through_bytes():
    back = from_bytes(to_bytes(PEOPLE))
    assert back.equals(PEOPLE)
    assert back.schema == PEOPLE.schema
    assert from_bytes(to_bytes(PEOPLE.slice(1, 1))).equals(PEOPLE.slice(1, 1))
