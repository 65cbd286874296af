"""The synthetic census: its size, its dependence, its trees."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from covey.base.errors import InputError
from covey.datasets import census_roles, census_taxonomies, make_census


def numbers(column: pa.ChunkedArray) -> np.ndarray:
    array = column.combine_chunks()
    return (array.indices if pa.types.is_dictionary(array.type) else array).to_numpy()


def distinct(table: pa.Table, names: list[str]) -> int:
    key = np.zeros(table.num_rows, np.int64)
    for name in names:  # eight columns of at most 7 bits each
        key = key * 128 + numbers(table[name])
    return len(np.unique(key))


def dependence(one: np.ndarray, other: np.ndarray) -> float:
    """Cramer's V: 0 if independent."""
    counts = np.zeros((one.max() + 1, other.max() + 1))
    np.add.at(counts, (one, other), 1)
    expected = counts.sum(1, keepdims=True) * counts.sum(0, keepdims=True) / counts.sum()
    chi = ((counts - expected) ** 2 / np.where(expected > 0, expected, 1)).sum()
    return float(np.sqrt(chi / counts.sum() / (min(counts.shape) - 1)))


def test_a_million_rows_have_the_distinct_tuples_of_the_design():
    table = make_census(1_000_000)
    quasi = census_roles()["quasi"]
    categories = [name for name in quasi if pa.types.is_dictionary(table[name].type)]
    assert len(quasi) == 8
    assert len(categories) == 6
    assert distinct(table, quasi) == pytest.approx(347_000, rel=0.1)
    assert distinct(table, categories) == pytest.approx(18_900, rel=0.1)


def test_columns_have_the_values_of_the_design():
    table = make_census(20_000)
    assert table.column_names == [
        "person",
        "age",
        "workclass",
        "education-num",
        "marital-status",
        "occupation",
        "race",
        "sex",
        "native-country",
        "income",
        "health",
        "religion",
    ]
    sizes = {"workclass": 7, "marital-status": 7, "occupation": 14, "race": 5, "sex": 2, "native-country": 41}
    for name, size in sizes.items():
        labels = table[name].combine_chunks().dictionary.to_pylist()
        assert len(set(labels)) == len(labels) == size
    age, education = numbers(table["age"]), numbers(table["education-num"])
    assert (age.min(), age.max()) == (17, 90)
    assert 1 <= education.min() < education.max() == 16
    assert sorted(numbers(table["person"])) == list(range(1, 20_001))
    assert all(table[name].null_count == 0 for name in table.column_names)


def test_the_target_and_the_sensitive_columns_depend_on_the_profile():
    table = make_census(50_000)
    band = numbers(table["age"]) // 20
    rich = numbers(table["income"]).astype(int)
    assert 0.15 < rich.mean() < 0.35
    shuffle = np.random.default_rng(0).permutation
    for name in ("occupation", "workclass", "marital-status"):
        for kept in ("income", "health", "religion"):
            one, other = numbers(table[name]).astype(int), numbers(table[kept]).astype(int)
            assert dependence(one, other) > 2 * dependence(one, shuffle(other))
    assert dependence(band, numbers(table["health"]).astype(int)) > 0.1
    assert dependence(numbers(table["education-num"]).astype(int), rich) > 0.1


def test_the_same_seed_gives_the_same_people_and_another_seed_others():
    assert make_census(300, seed=4).equals(make_census(300, seed=4))
    assert not make_census(300, seed=4).equals(make_census(300, seed=5))


def test_the_trees_cover_every_label():
    table = make_census(10)
    for name, tree in census_taxonomies().items():
        assert sorted(tree.leaves) == sorted(table[name].combine_chunks().dictionary.to_pylist())


def test_every_column_has_one_role():
    columns = [name for names in census_roles().values() for name in names]
    assert sorted(columns) == sorted(make_census(1).column_names)


def test_an_empty_census_has_its_columns():
    assert make_census(0).num_rows == 0
    assert make_census(0).schema == make_census(5).schema


@pytest.mark.parametrize(("n", "seed"), [(-1, 0), (2.5, 0), (True, 0), (5, -1), (5, None)])
def test_sizes_and_seeds_are_whole_numbers(n, seed):
    with pytest.raises(InputError):
        make_census(n, seed)
