"""What the other process does, done in this one: the figures of a run."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars
import pyarrow as pa
import pytest

import covey
from covey.ask.job import Job
from covey.base.errors import Infeasible
from covey.comparison.table import common_table, from_bytes, to_bytes
from covey.comparison.worker import Order, Start, _Bench, sampled_rows
from covey.datasets import hospital_roles, make_hospital
from covey.release.sources import FrameSource

pytestmark = pytest.mark.filterwarnings("ignore::covey.CoveyWarning")


def run(table: Any, algorithm: Any = "mondrian", k: int = 2, settings: dict[str, Any] | None = None, **roles: Any):
    """Return the figures of one run on a table that went through bytes."""
    job = Job(schema=covey.Schema.from_roles(**roles), **(settings or {}))
    given = common_table(FrameSource(table), job, k)
    start = Start(given.job, given.with_domains, k, given.table.num_rows)
    bench = _Bench(start, from_bytes(to_bytes(given.table)))
    bench.try_table()
    order = Order(algorithm, k, given.table.num_rows, makes_classes=True, may_suppress=False, takes_effort=False)
    bench.try_algorithm(order)
    found = bench.run(order, lambda: None)
    return {
        name: value for name, value in found.items() if name not in ("seconds", "release_seconds", "peak_memory_mb")
    }


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_every_kind_of_table_gives_the_same(kind):
    table = make_hospital(100)
    frame = table.to_pandas() if kind == "pandas" else polars.from_arrow(table)
    roles = {**hospital_roles(), "sensitive": ["ward"], "target": ["diagnosis"]}
    assert run(frame, **roles) == run(table, **roles)


def test_rows_left_out_for_a_missing_value_count_as_lost():
    # classes {34, 35} and {61, 63}: one of the first pair is not of its majority; the fifth row is left out
    people = pa.table({"age": [34, 35, 61, 63, None], "ill": ["a", "b", "c", "c", "a"], "job": list("xxyyx")})
    roles = {"quasi": ["age"], "target": ["ill"], "sensitive": ["job"]}
    found = run(people, settings={"missing": "suppress"}, **roles)
    assert (found["classes"], found["cm"], found["ed"]) == (2, 2, 4)
    assert found["dm"] == 2**2 + 2**2 + 5


def test_people_who_consent_are_in_no_figure():
    people = pa.table(
        {"age": [34, 35, 61, 63, 99], "ill": ["a", "b", "c", "c", "a"], "agreed": [False, False, False, None, True]}
    )
    found = run(people, quasi=["age"], target=["ill"], consent="agreed")
    assert (found["classes"], found["cm"]) == (2, 1)
    # counts are asked of the others alone, whose pairs are released as [34, 35] and [61, 63]
    assert (
        found["query_error"] == run(people.slice(0, 4).drop(["agreed"]), quasi=["age"], target=["ill"])["query_error"]
    )


def test_without_target_or_sensitive_columns_there_is_no_cm_or_ed():
    found = run(make_hospital(50).select(["age", "sex"]), quasi=["age", "sex"])
    assert not {"cm", "cm_share", "ed", "ed_share"} & set(found)
    assert found["dm"] >= 50


def test_a_column_that_cannot_be_counted_does_no_harm():
    people = pa.table({"age": [34, 35, 61, 63], "visits": [[1], [2], [1], []]})
    assert run(people, quasi=["age"], other=["visits"])["classes"] == 2


def test_a_column_may_have_the_name_of_the_row_numbers():
    people = pa.table({"row": [34, 35, 61, 63], "row_": list("abab")})
    assert run(people, quasi=["row"], target=["row_"])["cm"] == 2


def test_models_hold_for_every_algorithm():
    roles = {**hospital_roles(), "sensitive": ["ward", "diagnosis"]}
    models = {"models": ("distinct-l-diversity(ward, l=2)",)}
    assert run(make_hospital(200), settings=models, **roles)["ed"] == 0
    with pytest.raises(Infeasible):
        run(make_hospital(200), settings={"models": ("distinct-l-diversity(ward, l=99)",)}, **roles)


def test_samples_are_drawn_by_the_seed_and_nested():
    small, large = sampled_rows(1000, 10, seed=5), sampled_rows(1000, 100, seed=5)
    assert set(small) < set(large)
    assert (np.diff(large) > 0).all()
    assert set(small) != set(sampled_rows(1000, 10, seed=6))
