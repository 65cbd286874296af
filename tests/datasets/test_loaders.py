"""Loaders: the shapes of the public tables, and what is said when a file is absent."""

from __future__ import annotations

import os

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from covey import datasets
from covey.base.errors import InputError

needs_data = pytest.mark.skipif("COVEY_DATA" not in os.environ, reason="COVEY_DATA is not set: no public tables here")


@needs_data
@pytest.mark.parametrize(
    ("load", "shape"),
    [
        (lambda: datasets.load_adult(), (30_162, 15)),
        (lambda: datasets.load_adult("test"), (15_060, 15)),
        (lambda: datasets.load_adult(drop_missing=False), (32_561, 15)),
        (lambda: datasets.load_adult("test", drop_missing=False), (16_281, 15)),
        (lambda: datasets.load_acs_income(), (665_800, 12)),
        (lambda: datasets.load_acs_income("295k"), (295_243, 32)),
        (lambda: datasets.load_kdd(), (99_762, 42)),
        (lambda: datasets.load_nist(), (27_253, 24)),
        (lambda: datasets.load_casc("census"), (1_080, 13)),
        (lambda: datasets.load_casc("tarragona"), (834, 13)),
        (lambda: datasets.load_casc("eia"), (4_092, 15)),
        (lambda: datasets.load_small("iris"), (150, 5)),
        (lambda: datasets.load_small("wine"), (178, 14)),
        (lambda: datasets.load_small("zoo"), (101, 18)),
    ],
)
def test_a_table_has_its_published_shape(load, shape):
    table = load()
    assert table.shape == shape
    assert table.schema.metadata is None


@needs_data
def test_adult_is_typed_and_clean():
    train, test = datasets.load_adult(), datasets.load_adult("test")
    for table in (train, test):
        assert table["age"].type == pa.int64()
        assert table["education-num"].type == pa.int64()
        assert set(table["income"].unique().to_pylist()) == {"<=50K", ">50K"}
        for name in ("workclass", "occupation", "native-country", "sex"):
            labels = table[name].unique().to_pylist()
            assert all(label == label.strip() and label != "?" for label in labels)
    # 32,561 rows have 7,508 with more than 50K without missing values
    assert pc.sum(pc.equal(train["income"].cast(pa.string()), ">50K")).as_py() == 7_508
    assert train.slice(0, 1).to_pylist()[0]["workclass"] == "State-gov"


@needs_data
def test_a_question_mark_in_adult_is_missing():
    table = datasets.load_adult(drop_missing=False)
    missing = {name: table[name].null_count for name in table.column_names if table[name].null_count}
    assert missing == {"workclass": 1_836, "occupation": 1_843, "native-country": 583}


@needs_data
def test_taxonomies_cover_their_columns():
    adult = datasets.load_adult()
    for column in ("workclass", "education", "marital-status", "occupation", "race", "sex", "native-country", "income"):
        assert datasets.load_taxonomy("adult", column).missing(adult[column].unique().to_pylist()) == []
    acs = datasets.load_acs_income()
    for column in ("birthplace", "occupation"):
        assert datasets.load_taxonomy("acs_income", column).missing(acs[column].unique().to_pylist()) == []


def test_without_the_data_folder_the_error_says_what_to_get(monkeypatch):
    monkeypatch.delenv("COVEY_DATA", raising=False)
    with pytest.raises(InputError) as caught:
        datasets.load_adult()
    assert caught.value.code == "no-data-folder"
    text = str(caught.value)
    assert all(part in text for part in ("`adult/adult.data`", "census extract", "UCI", "COVEY_DATA"))


@pytest.mark.parametrize(
    "load",
    [
        datasets.load_adult,
        datasets.load_acs_income,
        datasets.load_kdd,
        datasets.load_nist,
        lambda: datasets.load_casc("eia"),
        lambda: datasets.load_small("zoo"),
        lambda: datasets.load_taxonomy("adult", "age"),
    ],
)
def test_a_missing_file_is_named_with_its_source(monkeypatch, tmp_path, load):
    monkeypatch.setenv("COVEY_DATA", str(tmp_path))
    with pytest.raises(InputError) as caught:
        load()
    assert caught.value.code == "no-such-file"
    assert "COVEY_DATA" in caught.value.message
    assert "get it from" in caught.value.hint


@pytest.mark.parametrize(
    "load",
    [
        lambda: datasets.load_adult("training"),
        lambda: datasets.load_acs_income("1M"),
        lambda: datasets.load_casc("cencus"),
        lambda: datasets.load_small("irish"),
        lambda: datasets.load_taxonomy("adlut", "age"),
    ],
)
def test_an_unknown_table_is_answered_with_the_known_ones(load):
    with pytest.raises(InputError) as caught:
        load()
    assert caught.value.code == "unknown-dataset"
    assert caught.value.hint.startswith(("did you mean", "known:"))
