"""Recoding of windows: each row has the cells of its window, which cover k rows, and they cost what they say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from covey.ask.schema import Column
from covey.ask.taxonomy import Taxonomy
from covey.base.errors import InputError
from covey.codes.encoding import encode_columns
from covey.codes.rings import Rings, window_loss
from covey.columns.typed import type_column
from covey.metrics.loss import Published, measure
from covey.recode import categories, recode, recode_windows
from covey.search.non_homogeneous.estimator import NonHomogeneous
from oracles.non_homogeneous import window

TOWNS = Taxonomy.from_dict({"north": ["a", "b"], "south": ["c", "d", "e"]})
SCHEMA = [
    Column("age", "quasi", type="numeric"),
    Column("job", "quasi", type="categorical"),
    Column("town", "quasi", type="categorical", taxonomy=TOWNS),
]


def random_columns(random: np.random.Generator, n: int, schema=SCHEMA):
    """Return typed columns: numbers, labels without and with a tree, some missing."""
    age = [None if random.random() < 0.1 else int(age) for age in random.integers(20, 50, n)]
    job = [
        None if random.random() < 0.1 else f"job {code}" for code in random.integers(0, int(random.choice([3, 70])), n)
    ]
    town = ["abcde"[code] for code in random.integers(0, 5, n)]
    data = {"age": age, "job": job, "town": town}
    typed = [type_column(column, pa.chunked_array([pa.array(data[column.name])])) for column in schema]
    return data, typed, encode_columns(typed)


def released(recoding, name):
    return [values.to_pylist() for _, values in recoding.columns[name]]


def test_every_row_has_the_cells_of_its_window() -> None:
    random = np.random.default_rng(1)
    for _ in range(60):
        k, n = int(random.integers(2, 6)), int(random.integers(10, 60))
        data, columns, codes = random_columns(random, n)
        cover = NonHomogeneous(k, part_size=int(random.integers(k, 30))).cover(codes, random)
        recoding = recode_windows(columns, codes, cover, k=k)
        (ages,), (jobs,), (towns,) = (released(recoding, name) for name in ("age", "job", "town"))
        domain = {value for value in data["job"] if value is not None}
        for row in range(n):
            rows = window(cover.order.tolist(), cover.starts.tolist(), int(cover.windows[row]), k)
            assert row in rows
            age, job, town = ({data[name][one] for one in rows} for name in ("age", "job", "town"))
            assert ages[row] == interval(age)
            assert jobs[row] == labels(job, domain)
            assert towns[row] == node(town)


def interval(values):
    if len(values) == 1:
        (value,) = values
        return None if value is None else str(value)
    return "*" if None in values else f"[{min(values)}, {max(values)}]"


def labels(values, domain):
    if len(values) == 1:
        return next(iter(values))
    return "*" if None in values or values == domain else "{" + ", ".join(sorted(values)) + "}"


def node(values):
    if len(values) == 1:
        return next(iter(values))
    return "north" if values <= set("ab") else "south" if values <= set("cde") else "*"


@pytest.mark.parametrize("release", ["interval", "node", "bounds"])
@pytest.mark.parametrize("ends", ["exact", "snapped"])
def test_rings_of_k_rows_are_released_as_the_classes_they_are(release: str, ends: str) -> None:
    random = np.random.default_rng(2)
    for _ in range(20):
        k, rings = int(random.integers(2, 6)), int(random.integers(1, 9))
        n = k * rings
        _, columns, codes = random_columns(random, n)
        order = random.permutation(n)
        classes = np.empty(n, np.int64)
        classes[order] = np.arange(n) // k
        windows = np.empty(n, np.int64)
        windows[order] = np.arange(n)
        cover = Rings(order, np.arange(0, n + 1, k), windows)
        ours = recode_windows(columns, codes, cover, k=k, release=release, ends=ends)
        theirs = recode(columns, codes, classes, k=k, release=release, ends=ends)
        for name in ("age", "job", "town"):
            assert released(ours, name) == released(theirs, name)
        assert [name for name, _ in ours.columns["age"]] == [name for name, _ in theirs.columns["age"]]
        assert len(ours.sizes) == len(theirs.sizes)
        losses = [measure(published(columns, part), k) for part in (ours, theirs)]
        assert losses[0].total_il == pytest.approx(losses[1].total_il)
        assert losses[0].ncp == pytest.approx(losses[1].ncp)


def published(columns, recoding):
    weights = np.array([column.weight for column in columns])
    return Published([column.name for column in columns], weights, recoding.sizes, recoding.prices, recoding.shares)


def test_the_loss_is_that_of_the_windows() -> None:
    random = np.random.default_rng(3)
    for _ in range(40):
        k, n = int(random.integers(2, 6)), int(random.integers(10, 60))
        # a declared domain: the one that is priced does not depend on what `*` hides
        declared = [replace(one, domain=(20, 49)) if one.name == "age" else one for one in SCHEMA]
        _, columns, codes = random_columns(random, n, declared)
        cover = NonHomogeneous(k).cover(codes, random)
        recoding = recode_windows(columns, codes, cover, k=k)
        assert recoding.sizes.sum() == n
        assert measure(published(columns, recoding), k).total_il == pytest.approx(window_loss(codes, cover, k))


def test_rows_are_one_class_if_and_only_if_their_released_tuples_are_equal() -> None:
    random = np.random.default_rng(4)
    _, columns, codes = random_columns(random, 200)
    recoding = recode_windows(columns, codes, NonHomogeneous(4).cover(codes, random), k=4)
    tuples = list(zip(*(released(recoding, name)[0] for name in ("age", "job", "town")), strict=True))
    pairs = set(zip(tuples, recoding.labels.tolist(), strict=True))
    assert len(pairs) == len(set(tuples)) == len(recoding.sizes)
    assert np.bincount(recoding.labels).tolist() == recoding.sizes.tolist()


def test_few_rings_at_a_time_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    _, columns, codes = random_columns(random, 300)
    cover = NonHomogeneous(4).cover(codes, random)
    whole = recode_windows(columns, codes, cover, k=4)
    monkeypatch.setattr(categories, "_MOST_WORDS", 20)
    parts = recode_windows(columns, codes, cover, k=4)
    assert released(whole, "job") == released(parts, "job")
    assert np.array_equal(whole.sizes, parts.sizes)
    assert np.array_equal(whole.shares, parts.shares)


def test_centres_of_windows_are_refused() -> None:
    _, columns, codes = random_columns(np.random.default_rng(6), 20)
    with pytest.raises(InputError, match="centres do not say which rows they cover") as caught:
        recode_windows(columns, codes, NonHomogeneous(4).cover(codes), k=4, release="centre")
    assert caught.value.code == "bad-parameter"
