"""The synthetic hospital: its columns, its dependence, its trees."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from covey.base.errors import InputError
from covey.datasets import hospital_roles, hospital_taxonomies, make_hospital


def share(table: pa.Table, column: str, value: str) -> float:
    return pc.mean(pc.equal(table[column].cast(pa.string()), value).cast(pa.float64())).as_py()


def test_columns_hold_what_a_hospital_keeps():
    table = make_hospital(5_000)
    assert pc.min_max(table["age"]).as_py() == {"min": 0, "max": 99}
    assert set(pc.utf8_length(table["postcode"].cast(pa.string())).unique().to_pylist()) == {5}
    days = pc.min_max(table["admitted"]).as_py()
    assert dt.date(2023, 1, 1) <= days["min"] < days["max"] <= dt.date(2024, 12, 31)
    assert pc.min(table["length_of_stay"]).as_py() >= 1
    assert any(code.startswith("0") for code in table["postcode"].combine_chunks().dictionary.to_pylist())
    assert all(table[name].null_count == 0 for name in table.column_names)


def test_diagnosis_depends_on_age_and_sex():
    table = make_hospital(20_000)
    sex = table["sex"].cast(pa.string())
    women, men = table.filter(pc.equal(sex, "female")), table.filter(pc.equal(sex, "male"))
    assert share(men, "diagnosis", "Pregnancy") == 0
    assert share(women, "diagnosis", "Pregnancy") > 0.03
    old, young = table.filter(pc.greater(table["age"], 65)), table.filter(pc.less(table["age"], 20))
    assert share(old, "diagnosis", "Stroke") > 5 * share(young, "diagnosis", "Stroke")
    assert share(young, "diagnosis", "Asthma") > 2 * share(old, "diagnosis", "Asthma")


def test_postcodes_are_skewed():
    table = make_hospital(20_000)
    counts = sorted(pc.value_counts(table["postcode"].cast(pa.string())).field("counts").to_pylist())
    assert counts[-1] > 10 * counts[0]


def test_the_same_seed_gives_the_same_table_and_another_seed_another():
    assert make_hospital(200, seed=3).equals(make_hospital(200, seed=3))
    assert not make_hospital(200, seed=3).equals(make_hospital(200, seed=4))


def test_the_trees_cover_every_value():
    table = make_hospital(2_000)
    for name, tree in hospital_taxonomies().items():
        assert tree.missing(table[name].combine_chunks().dictionary.to_pylist()) == []
        assert name in hospital_roles()["quasi"]
    assert hospital_taxonomies()["insurance"].height == 3


def test_every_column_has_one_role():
    columns = [name for names in hospital_roles().values() for name in names]
    assert sorted(columns) == sorted(make_hospital(1).column_names)


def test_an_empty_hospital_has_its_columns():
    assert make_hospital(0).num_rows == 0
    assert make_hospital(0).schema == make_hospital(5).schema


def test_sizes_are_whole_numbers():
    with pytest.raises(InputError, match="`n` must be"):
        make_hospital("many")
