"""What a search is given and gives: rows only where it needs them, and a clear word where it gives something odd."""

from __future__ import annotations

import time

import numpy as np
import pyarrow as pa
import pytest

import covey
from covey.base.errors import InputError
from covey.search.demand import Demand
from covey.search.task import Task
from oracles.random_codes import one_column

PEOPLE = pa.table({"age": [1, 1, 2, 3, 9, 9], "ill": ["a", "b", "a", "b", "a", "b"]})
ROLES = {"quasi": ["age"], "sensitive": ["ill"]}


class Says(covey.Estimator):
    """Gives what it was made with."""

    def __init__(self, k=2, *, found=None):
        self.k = k
        self.found_ = self.found_value = found

    def get_params(self, deep=True):
        return {"k": self.k, "found": self.found_value}

    def search(self, task):
        return self.found_value


@pytest.mark.parametrize(
    "found",
    [
        None,
        np.zeros(4, np.int64),
        covey.Found(),
        covey.Found(of_tuple=np.zeros(3, np.int64)),
        covey.Found(of_tuple=np.zeros(4)),
        covey.Found(of_tuple=np.full(4, -2)),
        covey.Found(of_row=np.zeros(4, np.int64)),
        covey.Found(of_row=[[0] * 6]),
    ],
    ids=repr,
)
def test_what_is_no_class_for_every_row_is_refused(found):
    with pytest.raises(InputError) as refused:
        covey.anonymize(PEOPLE, k=2, algorithm=Says(found=found), **ROLES)
    assert refused.value.code == "bad-labels"


def test_tuples_or_rows_are_taken_with_any_numbers():
    tuples = covey.anonymize(PEOPLE, k=2, algorithm=Says(found=covey.Found(of_tuple=[7, 7, 7, 3])), **ROLES)
    rows = covey.anonymize(PEOPLE, k=2, algorithm=Says(found=covey.Found(of_row=[7, 7, 7, 7, 3, 3])), **ROLES)
    assert tuples.table.equals(rows.table)
    assert tuples.table["age"].to_pylist() == ["[1, 3]"] * 4 + ["9"] * 2


@pytest.mark.parametrize("labels", [np.array([2**62] * 3 + [5]), np.array([2**64 - 1] * 3 + [0], np.uint64)])
def test_huge_numbers_are_classes_like_any_other(labels):
    made = covey.anonymize(PEOPLE, k=2, algorithm=Says(found=covey.Found(of_tuple=labels)), **ROLES)
    assert made.table["age"].to_pylist() == ["[1, 3]"] * 4 + ["9"] * 2


@pytest.mark.parametrize("algorithm", ["optimal-recoding", "threshold-clustering(threshold=0.0)"])
def test_rows_that_are_left_out_need_not_satisfy_a_model(algorithm):
    table = pa.table({"sex": ["x", "y", "f", "f", "f", "f"], "ill": ["flu", "flu", "flu", "gout", "flu", "gout"]})
    settings = {"quasi": ["sex"], "sensitive": ["ill"], "models": ["frequency-l-diversity(ill, l=2)"]}
    made = covey.anonymize(table, k=4, algorithm=algorithm, suppression=0.4, **settings)
    assert made.report.suppressed == 2
    with pytest.raises(covey.Infeasible, match="its commonest value has 4 of 6 rows"):
        covey.anonymize(table, k=4, algorithm="loss-cut", **settings)


def test_a_search_over_tuples_sees_no_rows():
    class Curious(covey.Estimator):
        def search(self, task):
            return covey.Found(of_row=np.zeros(task.table.n_rows, np.int64))

    with pytest.raises(TypeError, match="needs_rows = True"):
        Curious(2).labels(one_column([1, 2, 3]).codes())


def test_notes_of_a_search_are_warnings_of_its_release():
    found = covey.Found(of_tuple=np.zeros(4, np.int64), notes=("it was tired",))
    with pytest.warns(covey.CoveyWarning, match="it was tired"):
        made = covey.anonymize(PEOPLE, k=2, algorithm=Says(found=found), **ROLES)
    assert "it was tired" in made.report.warnings


def test_columns_of_models_are_there_for_a_search_that_minds_them():
    seen = {}

    class Minds(covey.Estimator):
        holds_models = True

        def search(self, task):
            seen["tally"] = task.tally("ill").dense().tolist()
            return covey.Found(of_tuple=np.zeros(task.codes.n_tuples, np.int64))

    covey.anonymize(PEOPLE, k=2, algorithm=Minds(), models=["distinct-l-diversity(ill, l=2)"], **ROLES)
    assert seen["tally"] == [[1, 1], [1, 0], [0, 1], [1, 1]]


def test_a_search_that_goes_on_ends_with_its_deadline():
    codes = one_column([1, 2, 3]).codes()
    assert not Task(codes, Demand(2)).is_over
    assert not Task(codes, Demand(2), deadline=time.monotonic() + 60).is_over
    assert Task(codes, Demand(2), deadline=time.monotonic() - 1).is_over


def test_a_class_needs_no_more_rows_than_there_are():
    assert Task(one_column([1, 2, 3]).codes(), Demand(5)).k == 3


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64])
def test_k_may_be_a_number_of_any_library(kind):
    plain = covey.anonymize(PEOPLE, k=2, **ROLES).table
    assert covey.anonymize(PEOPLE, k=kind(2), **ROLES).table.equals(plain)
