"""A comparison as a document: JSON by its contract, CSV and Arrow that read back, the best marked."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, fields
from pathlib import Path

import jsonschema
import pyarrow as pa

from covey.report.comparison import Row, ranked
from made_comparison import made_comparison

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "compare.schema.json").read_text())


def test_json_follows_its_contract():
    for comparison in (made_comparison(), made_comparison(sample=100, target=None, sensitive=None, limit=None)):
        document = json.loads(json.dumps(comparison.to_json()))
        jsonschema.validate(document, SCHEMA)
        assert document["k"] == [2, 10]
        assert [Row(**result) for result in document["results"]] == list(comparison.rows)


def test_the_contract_names_every_figure():
    assert set(SCHEMA["properties"]["results"]["items"]["properties"]) == {column.name for column in fields(Row)}


def test_csv_reads_back():
    comparison = made_comparison()
    back = list(csv.DictReader(io.StringIO(comparison.to_csv())))
    assert len(back) == 8
    for read, row in zip(back, comparison.rows, strict=True):
        assert read["algorithm"] == row.algorithm
        assert int(read["k"]) == row.k
        assert read["sampled"] == str(row.sampled).lower()
        assert (float(read["mean_price"]) if read["mean_price"] else None) == row.mean_price
        assert (read["failure"] or None) == row.failure
    assert list(back[0]) == [column.name for column in fields(Row)]


def test_the_arrow_table_has_the_same_rows_and_their_types():
    comparison = made_comparison()
    table = comparison.to_table()
    assert table.to_pylist() == [asdict(row) for row in comparison.rows]
    assert table.schema.field("mean_price").type == pa.float64()
    assert table.schema.field("dm").type == pa.int64()
    assert table.schema.field("best").type == pa.bool_()


def test_rows_are_ranked_by_k_then_loss_and_failures_come_last():
    places = [(row.k, row.algorithm) for row in made_comparison().rows]
    assert places == [
        (2, "non-homogeneous"), (2, "linkage"), (2, "mondrian"), (2, "a<b>&c"),
        (10, "non-homogeneous"), (10, "linkage"), (10, "mondrian"), (10, "a<b>&c"),
    ]  # fmt: skip


def test_only_contenders_are_best_and_ties_share_it():
    assert [row.algorithm for row in made_comparison().rows if row.best] == ["mondrian", "mondrian"]
    tied = ranked([Row(name, 2, 9, False, mean_price=0.5) for name in "ab"], [True, True])
    assert [row.best for row in tied] == [True, True]
    assert not any(row.best for row in ranked([Row("a", 2, 9, False, failure="no")], [True]))


def test_its_short_form_counts_runs_and_failures():
    assert repr(made_comparison()) == "<covey comparison: 8 runs, 1 failed, 1,000 rows; print it, or see .rows>"
