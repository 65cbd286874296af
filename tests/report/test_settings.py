"""What a report records of a run, so that it can be repeated, and what it says of weights."""

import datetime as dt
import hashlib
import json
from decimal import Decimal
from pathlib import Path

import jsonschema
import pyarrow as pa

import covey
from covey.ask.job import Job
from covey.ask.schema import Schema
from covey.ask.taxonomy import Taxonomy
from covey.report.settings import recorded_settings

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "report.schema.json").read_text(encoding="utf-8"))
PEOPLE = pa.table({"age": [20, 24, 40, 44, 70, 71], "zip": ["12", "13", "24", "25", "12", "25"], "ill": list("abcabc")})


def settings_of(**given):
    made = covey.anonymize(PEOPLE, k=2, quasi=["age", "zip"], sensitive=["ill"], **given)
    document = made.report.to_json()
    jsonschema.validate(json.loads(json.dumps(document)), SCHEMA)
    return document["settings"]


def test_weights_domains_taxonomies_and_budgets_are_recorded(tmp_path):
    file = tmp_path / "zip.csv"
    file.write_text("12;1*;*\n13;1*;*\n24;2*;*\n25;2*;*\n")
    trees = {"zip": Taxonomy.from_file(file)}
    found = settings_of(weights={"age": 2.5}, domains={"age": (0, 120)}, taxonomies=trees, na=["?"])
    assert found["na"] == ["?"]
    assert found["suppression"] == 0
    assert found["weights"] == "declared"
    assert found["columns"]["age"]["weight"] == 2.5
    assert found["columns"]["age"]["domain"] == [0, 120]
    assert found["columns"]["zip"]["domain"] is None
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert found["columns"]["zip"]["taxonomy"] == {"name": "zip.csv", "rule": None, "sha256": digest}


def test_rules_are_recorded_and_trees_of_no_file_have_a_digest_of_what_they_say():
    rule = settings_of(taxonomies={"zip": {"prefixes": [1]}})["columns"]["zip"]["taxonomy"]
    assert rule["rule"] == {"kind": "prefixes", "lengths": [1]}
    trees = [Taxonomy.from_dict({"a": ["12", "13"], other: ["24", "25"]}) for other in ("b", "b", "c")]
    digests = [settings_of(taxonomies={"zip": tree})["columns"]["zip"]["taxonomy"]["sha256"] for tree in trees]
    assert digests[0] == digests[1] != digests[2]


def test_a_domain_from_the_table_is_not_told():
    found = settings_of(ends="snapped")["columns"]["age"]
    assert found["domain"] is None
    assert "71" not in json.dumps(found)


def test_every_kind_of_declaration_is_json():
    roles = Schema.from_roles(
        quasi=["a", "b", "c", "d"],
        types={"a": "date", "b": "numeric"},
        domains={"a": (dt.date(2024, 1, 31), "2024-12-31"), "b": (Decimal("0.5"), 7), "c": ("x", "y")},
        orders={"d": ["low", "high"]},
    )
    found = recorded_settings(Job(schema=roles, k=2, csv={"names": ["a", "b"]}), by_effort=True)
    assert json.loads(json.dumps(found))["columns"]["a"]["domain"] == ["2024-01-31", "2024-12-31"]
    assert [found["columns"][name]["domain"] for name in "bcd"] == [["0.5", 7], ["x", "y"], None]
    assert found["columns"]["d"]["order"] == ["low", "high"]
    assert found["csv"] == {"names": ["a", "b"]}


def test_the_headline_is_the_same_whatever_the_weights_and_weighted_figures_say_so():
    roles = {"k": 3, "quasi": ["age", "zip"], "sensitive": ["ill"], "algorithm": "systematic"}
    plain, heavy = covey.anonymize(PEOPLE, **roles), covey.anonymize(PEOPLE, weights={"age": 1e6, "zip": 1e-6}, **roles)
    shown = sum(heavy.report.loss.columns.values()) / 2
    assert f"{shown:.1%} of the detail" in str(heavy.report)
    assert "(both weighted)" in str(heavy.report)
    assert "weights age 1e+06, zip 1e-06" in " ".join(str(heavy.report).split())
    assert heavy.report.to_json()["loss"]["weighted"]
    assert "weighted" not in str(plain.report)
    assert not plain.report.to_json()["loss"]["weighted"]


def test_what_is_missing_for_a_whole_class_is_not_counted_as_told():
    table = pa.table({"age": [20, 21, 40, 41, 60, 61], "ill": [None, None, "flu", "flu", "flu", "gout"]})
    made = covey.anonymize(table, k=2, quasi=["age"], sensitive=["ill"])
    told = made.report.kept["ill"]
    assert (told.ed, told.untold) == (2, 2)
    assert "2 rows (33.3%) are in classes with one value (2 more where it is missing for all)" in " ".join(
        str(made.report).split()
    )
    nan = pa.table({"age": [20, 21, 40, 41], "dose": [float("nan"), float("nan"), float("nan"), None]})
    made = covey.anonymize(nan, k=2, quasi=["age"], sensitive=["dose"])
    assert (made.report.kept["dose"].ed, made.report.kept["dose"].untold) == (0, 2)
