"""`covey.bound` and `covey bound`: proven, below every release, told no higher than it is."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pyarrow as pa
import pytest

import covey
from covey.base.errors import Infeasible, InputError
from covey.datasets import make_hospital
from oracles import bounds as plain
from random_tables import random_case

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "bound.schema.json").read_text())
EFFORTS = ("fast", "balanced", "best")
QUASI = ["age", "sex", "postcode", "admitted", "insurance"]
POSTCODES = {"postcode": covey.Taxonomy.prefixes([4, 3, 2])}


@pytest.fixture(scope="module")
def hospital():
    return make_hospital(400)


def test_more_effort_gives_a_higher_bound_below_every_release(hospital):
    found = [covey.bound(hospital, k=5, quasi=QUASI, taxonomies=POSTCODES, effort=effort) for effort in EFFORTS]
    assert [one.kind for one in found] == ["least-extent", "prices", "program"]
    released = covey.anonymize(
        hospital.select(QUASI), k=5, quasi=QUASI, taxonomies=POSTCODES, effort="best"
    ).report.loss.total_il
    losses = [one.total_il for one in found]
    assert losses == sorted(losses)
    assert losses[-1] <= released <= 1.2 * losses[-1]


@pytest.mark.parametrize("seed", range(30))
def test_no_release_of_a_random_table_loses_less(seed):
    case = random_case(seed)
    settings = {name: case.settings[name] for name in ("quasi", "taxonomies", "orders", "weights")}
    for missing in ("category", "suppress"):
        try:
            released = covey.anonymize(
                case.table.select(case.quasi), k=case.k, **settings, missing=missing, effort="fast"
            )
        except (Infeasible, InputError) as error:
            with pytest.raises(type(error)):
                covey.bound(case.table, k=case.k, **settings, missing=missing)
            continue
        for effort in EFFORTS:
            found = covey.bound(case.table, k=case.k, **settings, missing=missing, effort=effort)
            assert found.total_il <= released.report.loss.total_il * (1 + 1e-9), effort
            assert found.rows == released.report.released


def test_rows_may_be_left_out_at_a_price():
    # three equal ages and one far off: the far one costs 3 with any two others, and 1 where it is left out
    people = pa.table({"age": [30, 30, 30, 70]})
    for effort in EFFORTS:
        assert covey.bound(people, k=3, quasi=["age"], effort=effort, suppression=0.25).total_il <= 1.0
    assert covey.bound(people, k=3, quasi=["age"], effort="best").total_il > 2.99


@pytest.mark.parametrize("seed", range(20))
def test_with_suppression_it_is_below_what_leaving_out_rows_can_reach(seed):
    import numpy as np

    from covey.codes.boxes import suppressed_price
    from covey.search.bounds.lower import lower_bound
    from oracles.random_codes import tied_table

    codes = tied_table(np.random.default_rng(seed), 7).codes()
    best = plain.least_loss(codes, 3, float(suppressed_price(codes)))
    for effort in EFFORTS:
        assert lower_bound(codes, 3, effort, may_suppress=True).total_il <= best + 1e-9


def test_people_who_agreed_are_in_no_class():
    people = pa.table({"age": [30, 31, 32, 90], "agrees": [False, False, False, True]})
    alone = covey.bound(people.slice(0, 3).select(["age"]), k=3, quasi=["age"])
    found = covey.bound(people, k=3, quasi=["age"], consent="agrees")
    assert (found.rows, found.total_il) == (3, alone.total_il)


def test_columns_without_a_role_are_not_looked_at_and_the_document_is_what_its_schema_says(hospital):
    found = covey.bound(hospital, k=5, quasi=["age", "sex"], weights={"age": 2.0})
    jsonschema.validate(found.to_json(), SCHEMA)
    assert found.is_weighted
    assert "Total-IL, weighted" in str(found)


def test_what_is_wrong_is_told(hospital):
    with pytest.raises(InputError, match="no column is quasi"):
        covey.bound(hospital, k=5)
    with pytest.raises(InputError, match="no `k` was given"):
        covey.bound(hospital, quasi=["age"])
    with pytest.raises(InputError, match="has no column"):
        covey.bound(hospital, k=5, quasi=["years"])
    with pytest.raises(Infeasible, match="k = 401 needs at least 401 rows"):
        covey.bound(hospital, k=401, quasi=["age"])
