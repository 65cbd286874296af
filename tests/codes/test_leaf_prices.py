"""Trees priced by leaves: the same figure as NCP of what is published, which is counted from the published nodes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import covey
from covey.ask.schema import Schema
from covey.codes.boxes import total_loss
from covey.codes.encoding import encode_frame
from covey.codes.leaf_prices import in_leaf_prices
from covey.datasets import census_taxonomies, make_census


def people(rng: np.random.Generator, n_rows: int) -> pa.Table:
    """Return a table with a number and three trees; in one of them some values are missing."""
    table = make_census(n_rows, seed=int(rng.integers(1000))).select(["age", *TREES])
    gone = pa.array(rng.random(n_rows) < rng.choice([0.0, 0.1, 0.5]))
    texts = table.column("occupation").cast(pa.string()).to_pylist()
    some = pa.array([None if lost else text for lost, text in zip(gone.to_pylist(), texts, strict=True)])
    return table.set_column(table.column_names.index("occupation"), "occupation", some)


TREES = ["occupation", "marital-status", "native-country"]
TAXONOMIES = {name: census_taxonomies()[name] for name in TREES}


@pytest.mark.parametrize("algorithm", ["mondrian", "loss-cut", "covey(cost=ncp)"])
def test_the_loss_is_the_ncp_of_the_release(algorithm):
    rng = np.random.default_rng(4)
    for _ in range(8):
        n_rows = int(rng.integers(8, 200))
        table, weights = people(rng, n_rows), {"age": 2.0, "occupation": 0.5}
        release = covey.anonymize(
            table, k=4, quasi=["age", *TREES], taxonomies=TAXONOMIES, weights=weights, algorithm=algorithm, order="kept"
        )
        schema = Schema.from_roles(quasi=["age", *TREES], taxonomies=TAXONOMIES, weights=weights)
        codes = in_leaf_prices(encode_frame(table, schema))
        assert total_loss(codes, release.labels) == pytest.approx(release.report.loss.ncp, rel=1e-9)


def test_what_is_to_be_least_is_least():
    table = make_census(3_000, seed=2).select(["age", *TREES])
    losses = {
        cost: covey.anonymize(
            table, k=5, quasi=["age", *TREES], taxonomies=TAXONOMIES, algorithm=f"covey(cost={cost})"
        ).report.loss
        for cost in ("extent", "ncp")
    }
    assert losses["ncp"].ncp < losses["extent"].ncp
    assert losses["extent"].total_il < losses["ncp"].total_il


def test_other_columns_cost_what_they_did():
    table = pa.table({"age": [1, 2, None, 9], "sex": ["f", "m", "f", "m"]})
    codes = encode_frame(table)
    assert (in_leaf_prices(codes).positions == codes.positions).all()
