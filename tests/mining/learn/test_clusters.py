"""Clusters that expose nobody: figure 5, brute force, a plain twin of the search, mixed data, what is saved."""

from __future__ import annotations

import json
import os
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import covey
from covey.base.errors import CoveyError
from covey.mining.centres import regions
from covey.mining.learn.clusters import search as cluster_search
from covey.mining.learn.clusters.estimator import KAnonymousClusters, cluster_spans
from covey.mining.learn.clusters.nested import NestedCut
from covey.mining.learn.clusters.spanning import spanning_tree
from oracles import nested as plain


def seeds(quick: int, soak: int) -> list[Any]:
    """Return seeds of random cases: a few for every run, more for `make soak`."""
    return [*range(quick), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(quick, soak))]


needs_data = pytest.mark.skipif("COVEY_DATA" not in os.environ, reason="COVEY_DATA is not set")


# --- figure 5 ------------------------------------------------------------------------------------------------------


def figure_5() -> tuple[Any, list[str], pa.Table]:
    path = Path(os.environ["COVEY_DATA"]) / "p3_worked_examples.json"
    case = json.loads(path.read_text(encoding="utf-8"))["figure5_mst_clusters"]
    points = list(case["points"].values())
    return case, list(case["points"]), pa.table({"age": [p[0] for p in points], "result": [p[1] for p in points]})


def grown(table: pa.Table, k: int, n_clusters: int, ends: Any) -> KAnonymousClusters:
    model = KAnonymousClusters(
        k, ["age"], private_ranges={"result": tuple(ends)}, scale=None, max_clusters=n_clusters, rows_per_centre=1
    )
    return model.fit(table)


def by_name(numbers: Any, names: list[str]) -> set[frozenset[str]]:
    return {frozenset(n for n, i in zip(names, numbers, strict=True) if i == one) for one in set(numbers.tolist())}


@needs_data
@pytest.mark.parametrize("ends", ["private_range", "also_holds_on_range_with_nested_regions"])
def test_figure_5_step_by_step(ends: str) -> None:
    case, names, table = figure_5()
    for step in case["steps"]:
        model = grown(table, 3, len(step["clusters"]), case[ends])
        assert by_name(model.labels_, names) == {frozenset(members) for members in step["clusters"].values()}
        spans = {frozenset(span["members"]) for span in step["spans"].values() if span["members"]}
        assert by_name(model.spans_.of_row, names) == spans
        clusters = [frozenset(names[i] for i in np.flatnonzero(model.labels_ == c)) for c in range(model.n_clusters_)]
        for span in step["spans"].values():
            if span["members"]:
                number = model.spans_.of_row[names.index(span["members"][0])]
                reached = {clusters[c] for c in model.spans_.classes[number]}
                assert reached == {frozenset(step["clusters"][name]) for name in span["classes"]}


@needs_data
def test_the_spanning_tree_and_the_centres_of_figure_5() -> None:
    case, names, table = figure_5()
    points = np.array([table.column("age").to_numpy(), table.column("result").to_numpy()], float).T
    edges, lengths = spanning_tree(points)
    found = {"".join(names[i] for i in edge): length for edge, length in zip(edges, lengths, strict=True)}
    assert found == pytest.approx(dict(case["mst_edges_longest_first"]), abs=1e-4)
    model = grown(table, 3, 3, case["private_range"])
    centres = case["centroids"]
    assert [(cut.first, cut.second) for cut in model.cuts_] == [
        (pytest.approx(centres["C2"]), pytest.approx(centres["C3"])),
        (pytest.approx(centres["C4"]), pytest.approx(centres["C5"])),
    ]


@needs_data
def test_the_stricter_rule_stops_figure_5_above_k_3() -> None:
    case, _, table = figure_5()
    assert case["k_max_section5_2_rule"] == 3
    # at k = 4 the longest edge would leave A, B and C a span of three, though one of a single cluster
    assert (
        grown(table, 4, 3, case["private_range"]).labels_.tolist()
        != grown(table, 3, 3, case["private_range"]).labels_.tolist()
    )
    model = grown(table, 3, 3, case["private_range"])
    assert model.spans_.k_reached == case["k_max_claim3"] == 4  # claim 3 exempts the span of one cluster
    assert model.spans_.populations.min() == 3


# --- brute force ---------------------------------------------------------------------------------------------------


def random_table(rng: np.random.Generator) -> tuple[pa.Table, list[str], dict[str, tuple[float, float]], plain.Space]:
    """Return a table of few rows, its public columns, private ranges, and what the oracle needs."""
    n, kinds = int(rng.integers(8, 16)), rng.permutation(["whole", "range", "category"])[: int(rng.integers(1, 4))]
    columns: dict[str, Any] = {"age": rng.normal(0, 3, n)}
    ranges: dict[str, tuple[float, float]] = {}
    weights, lists, oracle_ranges, place = [Fraction(1)], [], [], 1
    for kind in kinds.tolist():
        if kind == "whole":
            columns[kind] = rng.integers(0, 5, n)
            columns[kind][:2] = 0, 4
            lists.append(((place,), [[float(v)] for v in range(5)]))
        elif kind == "range":
            columns[kind] = rng.normal(0, 3, n)
            ranges[kind] = (-12.0, 12.0)
            oracle_ranges.append((place, -12.0, 12.0))
        else:
            columns[kind] = np.array(["x", "y", "z"])[rng.permutation(np.arange(n) % 3)]
            lists.append(((place, place + 1, place + 2), np.eye(3).tolist()))
        weights += [Fraction(1, 2)] * 3 if kind == "category" else [Fraction(1)]
        place += 3 if kind == "category" else 1
    return pa.table(columns), ["age"], ranges, plain.Space(weights, [0], lists, oracle_ranges)


def paths_of(cuts: tuple[NestedCut, ...]) -> list[plain.Path]:
    found: dict[int, plain.Path] = {}
    todo: list[tuple[int, plain.Path]] = [(0 if cuts else -1, ())]
    while todo:
        at, path = todo.pop()
        if at < 0:
            found[-1 - at] = path
            continue
        todo += [(cuts[at].then[side], (*path, (cuts[at].first, cuts[at].second, side))) for side in (0, 1)]
    return [found[i] for i in range(len(found))]


def points_of(table: pa.Table) -> list[list[float]]:
    rows = []
    for row in table.to_pylist():
        point: list[float] = []
        for name, value in row.items():
            point += [float(value == c) for c in "xyz"] if name == "category" else [float(value)]
        rows.append(point)
    return rows


@pytest.mark.parametrize("seed", seeds(2, 12))
def test_spans_and_clusters_are_those_of_exact_corners_and_every_span_has_k_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cut = 0
    for _ in range(25):
        table, public, ranges, space = random_table(rng)
        k = int(rng.integers(2, 5))
        model = KAnonymousClusters(k, public, private_ranges=ranges, scale=None, rows_per_centre=1, max_clusters=6)
        model.fit(table)
        paths, rows = paths_of(model.cuts_), points_of(table)
        wanted = plain.spans(paths, rows, space)
        assert [model.spans_.classes[span] for span in model.spans_.of_row] == wanted
        assert model.labels_.tolist() == [
            next(i for i, path in enumerate(paths) if plain.inside(path, row, space.weights)) for row in rows
        ]
        assert min(wanted.count(span) for span in wanted) >= k
        assert sorted(set(model.labels_.tolist())) == list(range(model.n_clusters_))
        again = cluster_spans(model, table)
        assert [again.spans.classes[span] for span in again.spans.of_row] == wanted
        assert (again.class_of_row == model.labels_).all()
        cut += len(model.cuts_)
    assert cut > 25


def random_cuts(rng: np.random.Generator, width: int) -> list[dict[str, Any]]:
    """Return nested cuts between centres of small whole numbers, so that ties and equal coordinates are common."""
    n_cuts = int(rng.integers(1, 5))
    then: list[list[int | None]] = [[None, None] for _ in range(n_cuts)]
    for cut in range(1, n_cuts):
        above, side = [(c, s) for c in range(cut) for s in (0, 1) if then[c][s] is None][int(rng.integers(0, cut + 1))]
        then[above][side] = cut
    cluster = iter(range(n_cuts + 1))
    after = [[-1 - next(cluster) if one is None else one for one in pair] for pair in then]
    return [
        {"first": rng.integers(0, 4, width).tolist(), "second": rng.integers(0, 4, width).tolist(), "then": pair}
        for pair in after
    ]


@pytest.mark.parametrize("seed", seeds(2, 16))
def test_coarse_cuts_full_of_ties_give_the_spans_of_exact_corners(seed: int) -> None:
    rng = np.random.default_rng(40 + seed)
    for _ in range(25):
        columns: list[dict[str, Any]] = [{"name": "age", "scale": 1.0}]
        table: dict[str, Any] = {"age": rng.integers(0, 4, 3)}
        ranges: dict[str, Any] = {}
        lists, oracle_ranges, place = [], [], 1
        for kind in rng.permutation(["whole", "long", "range", "second range", "category"])[: int(rng.integers(1, 4))]:
            columns.append({"name": str(kind), "scale": float(rng.choice([1.0, 1.0, 3.0]))})
            if kind == "category":
                columns[-1] = {"name": "category", "categories": ["x", "y", "z"]}
                table["category"] = ["x", "y", "z"]
                lists.append(((place, place + 1, place + 2), np.eye(3).tolist()))
                place += 3
                continue
            table[str(kind)] = np.ones(3)
            if "range" in kind:
                ranges[str(kind)] = (0.0, float(rng.integers(2, 4)))
                oracle_ranges.append((place, *ranges[str(kind)]))
            else:
                values = range(-20, 21) if kind == "long" else range(4)
                ranges[str(kind)] = values
                lists.append(((place,), [[float(v)] for v in values]))
            place += 1
        cuts = random_cuts(rng, place)
        document = {"format": "covey k-anonymous clusters", "version": 1, "k": 2, "public": ["age"]}
        document |= {"columns": columns, "cuts": cuts, "rows": [1] * (len(cuts) + 1)}
        model = KAnonymousClusters.from_json(json.dumps(document))
        space = plain.Space(model.coordinates_.weights, [0], lists, oracle_ranges)
        found = cluster_spans(model, pa.table(table), private_ranges=ranges)
        paths, rows = paths_of(model.cuts_), points_of(pa.table(table))
        assert [found.spans.classes[span] for span in found.spans.of_row] == plain.spans(paths, rows, space)
        for cluster, row in zip(found.class_of_row, rows, strict=True):
            assert plain.inside(paths[cluster], row, space.weights)


@pytest.mark.parametrize("seed", seeds(1, 8))
def test_the_search_deletes_the_edges_that_a_plain_loop_deletes(seed: int) -> None:
    rng = np.random.default_rng(20 + seed)
    for _ in range(12):
        table, public, ranges, space = random_table(rng)
        k, least = int(rng.integers(2, 4)), int(rng.integers(1, 3))
        model = KAnonymousClusters(
            k, public, private_ranges=ranges, scale=None, rows_per_centre=least, max_clusters=4
        ).fit(table)
        rows = points_of(table)
        paths = plain.search(rows, space, k, least, 4)
        assert len(paths) == model.n_clusters_
        labels = [next(i for i, path in enumerate(paths) if plain.inside(path, row, space.weights)) for row in rows]
        order = {label: i for i, label in enumerate(dict.fromkeys(labels))}
        assert [order[label] for label in labels] == model.labels_.tolist()


@pytest.mark.parametrize(("points", "few", "cells"), [(0, 32, 10**9), (256, 0, 10**9), (256, 32, 0)])
def test_the_shortcuts_change_nothing(points: int, few: int, cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(9)
    tables = [random_table(rng) for _ in range(10)]

    def fitted() -> list[tuple[Any, ...]]:
        found = []
        for table, public, ranges, _ in tables:
            model = KAnonymousClusters(2, public, private_ranges=ranges, rows_per_centre=1, max_clusters=5).fit(table)
            found.append((model.cuts_, model.spans_.classes, model.spans_.of_row.tolist()))
        return found

    usual = fitted()
    monkeypatch.setattr(regions, "MOST_POINTS", points)
    monkeypatch.setattr(regions, "FEW_POINTS", few)
    monkeypatch.setattr(regions, "MOST_CELLS", cells)
    assert fitted() == usual


def test_several_private_ranges_keep_every_span_at_k() -> None:
    rng = np.random.default_rng(11)
    rows = np.concatenate([rng.normal(centre, 1, (60, 4)) for centre in (0, 3, 6)])
    model = KAnonymousClusters(8, ["x0", "x1"]).fit(rows)
    assert model.n_clusters_ > 1
    assert model.spans_.populations.min() >= 8
    again = cluster_spans(model, rows)
    assert (again.spans.of_row == model.spans_.of_row).all()
    # whoever really lies in a cluster can lie in it
    assert all(c in model.spans_.classes[s] for c, s in zip(model.labels_, model.spans_.of_row, strict=True))


# --- tables --------------------------------------------------------------------------------------------------------


def people(n: int = 400) -> pa.Table:
    return covey.datasets.make_hospital(n).select(["age", "sex", "insurance", "ward", "length_of_stay"])


def test_mixed_data_makes_clusters_of_public_and_private_columns() -> None:
    for public in ([], ["age", "sex"], ["age", "sex", "insurance", "ward", "length_of_stay"]):
        model = KAnonymousClusters(10, public).fit(people())
        assert model.spans_.populations.min() >= 10
        assert model.n_clusters_ > 1
        assert sum(model.populations_) == 400
        assert (model.predict(people()) == model.labels_).all()
        assert len(model.private_) == 5 - len(public)


def test_every_frame_kind_gives_the_same() -> None:
    import polars as pl

    table = people(100)
    wanted = KAnonymousClusters(5, ["age"]).fit(table).labels_
    for frame in (table.to_pandas(), pl.from_arrow(table)):
        assert (KAnonymousClusters(5, ["age"]).fit(frame).labels_ == wanted).all()


def test_two_categories_are_as_far_apart_as_the_ends_of_a_number() -> None:
    # both distances are 1, so the tree joins each pair of equal rows and one edge of length 1 is the longest
    table = pa.table({"sex": ["f"] * 4 + ["m"] * 4, "age": [30, 31, 30, 31, 60, 61, 60, 61]})
    model = KAnonymousClusters(4, ["sex", "age"]).fit(table)
    assert model.labels_.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert model.coordinates_.weights == (Fraction(1, 2), Fraction(1, 2), Fraction(1, 31**2))


def test_declared_ranges_and_scales_weigh_the_columns() -> None:
    table = pa.table({"age": [30, 40, 50, 60], "pay": [1.0, 2.0, 3.0, 4.0]})
    model = KAnonymousClusters(2, ["age"], private_ranges={"pay": (0, 10)}, scale={"age": 5}).fit(table)
    assert [column.scale for column in model.coordinates_.columns] == [5.0, 10.0]
    plain_scale = KAnonymousClusters(2, ["age"], scale=None).fit(table)
    assert [column.scale for column in plain_scale.coordinates_.columns] == [1.0, 1.0]


def test_missing_categories_are_a_category_and_missing_numbers_are_refused() -> None:
    table = pa.table({"sex": ["f", None, "m", None], "age": [1, 2, 3, 4]})
    assert KAnonymousClusters(2, ["age"]).fit(table).n_clusters_ >= 1
    with pytest.raises(CoveyError) as caught:
        KAnonymousClusters(2, ["age"]).fit(pa.table({"age": [1, None, 3, 4]}))
    assert caught.value.code == "missing-values"


def test_an_unknown_category_is_predicted_and_an_unknown_column_refused() -> None:
    model = KAnonymousClusters(10, ["age"]).fit(people())
    frame = people().to_pandas().astype({"ward": object})
    frame.loc[:, "ward"] = "none of those"
    assert set(model.predict(frame)) <= set(range(model.n_clusters_))
    with pytest.raises(CoveyError) as caught:
        model.predict(frame.drop(columns="ward"))
    assert caught.value.code == "unknown-column"
    assert len(model.predict(people().slice(0, 0))) == 0


def test_the_spans_of_another_view_are_worked_out_and_misspelt_columns_refused() -> None:
    model = KAnonymousClusters(10, ["age"]).fit(people())
    wider = cluster_spans(model, people(), ["age", "sex", "insurance", "ward", "length_of_stay"])
    assert not wider.spans.multiple.any()
    for public, table in ((["agee"], people()), (["age"], people().drop_columns("ward"))):
        with pytest.raises(CoveyError) as caught:
            cluster_spans(model, table, public)
        assert caught.value.code == "unknown-column"


def test_equal_rows_and_a_single_possible_cluster_are_no_problem() -> None:
    for rows in ([[1.0, 2.0]] * 6, [[1.0, 2.0]] * 3 + [[5.0, 9.0]] * 3):
        model = KAnonymousClusters(3, ["x0"]).fit(rows)
        assert model.spans_.populations.min() >= 3
        assert sorted(set(model.labels_)) == list(range(model.n_clusters_))
    assert model.n_clusters_ == 2
    assert KAnonymousClusters(2, [], max_clusters=1).fit(rows).n_clusters_ == 1
    assert KAnonymousClusters(6, ["x0"]).fit(rows).cuts_ == ()


def test_a_centre_is_the_mean_of_k_rows_unless_asked_otherwise() -> None:
    rows = [[float(i), 0.0] for i in range(12)] + [[100.0, 0.0]]
    for least, wanted in ((None, 4), (1, 1)):
        model = KAnonymousClusters(4, [], rows_per_centre=least, scale=None).fit(rows)
        exact = [centre for cut in model.cuts_ for centre in (cut.first, cut.second) if list(centre) in rows]
        # nobody is known by anything, so one span holds all and each cut is allowed: only the means protect
        assert bool(exact) == (wanted == 1)


def test_the_order_of_the_rows_changes_only_the_numbers_of_clusters() -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(60, 3))
    order = rng.permutation(60)
    one, two = (KAnonymousClusters(5, ["x0"]).fit(r).labels_ for r in (rows, rows[order]))
    pairs = set(zip(one[order].tolist(), two.tolist(), strict=True))
    assert len(pairs) == len(set(one)) == len(set(two))


def test_many_rows_use_the_graph_of_neighbours_and_stay_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    # far apart, so that neighbours alone do not connect them
    rows = np.concatenate([rng.normal(centre, 0.1, (80, 2)) for centre in (0, 50, 100, 1000)])
    exact, some = spanning_tree(rows), spanning_tree(rows, most_dense=10)
    assert some[0].shape == exact[0].shape == (319, 2)
    assert some[1].sum() == pytest.approx(exact[1].sum())
    monkeypatch.setattr(cluster_search, "spanning_tree", lambda points: spanning_tree(points, most_dense=10))
    model = KAnonymousClusters(20, ["x0"], max_clusters=4).fit(rows)
    assert model.populations_ == (80, 80, 80, 80)
    assert model.spans_.populations.min() >= 20


def test_too_many_distinct_rows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_search, "MOST_ROWS", 50)
    with pytest.raises(CoveyError, match="distinct rows; clusters are made of at most 50") as caught:
        KAnonymousClusters(5, ["age"]).fit(people(200))
    assert caught.value.code == "too-large"
    assert "sample" in caught.value.hint


# --- what is saved -------------------------------------------------------------------------------------------------


def test_the_json_predicts_the_same_and_holds_no_row() -> None:
    table = people()
    model = KAnonymousClusters(10, ["age", "sex"]).fit(table)
    text = model.to_json()
    document = json.loads(text)
    assert set(document) == {"format", "version", "k", "public", "columns", "cuts", "rows"}
    again = KAnonymousClusters.from_json(text)
    assert (again.predict(table) == model.labels_).all()
    assert again.to_json() == text
    spans = cluster_spans(again, table)
    assert (spans.spans.of_row == model.spans_.of_row).all()
    assert [str(attribute) for attribute in spans.private] == [str(attribute) for attribute in model.private_]


def test_a_saved_model_holds_nothing_of_the_audit() -> None:
    model = KAnonymousClusters(10, ["age"], private_ranges={"length_of_stay": (0, 400)}).fit(people())
    again = pickle.loads(pickle.dumps(model))  # noqa: S301 (made here)
    assert not {"labels_", "spans_", "private_"} & set(vars(again))
    assert again.private_ranges is None
    assert (again.predict(people()) == model.labels_).all()


@pytest.mark.parametrize(
    "change",
    [
        {"format": "another"},
        {"cuts": [{"first": [1.0], "second": [2.0], "then": [-1, -2]}]},
        {"cuts": []},
        {"rows": [1]},
        {"columns": [{"name": "age", "scale": 0}]},
        {"columns": 5},
    ],
)
def test_a_broken_model_text_is_refused(change: dict[str, Any]) -> None:
    document = json.loads(KAnonymousClusters(10, ["age"], max_clusters=3).fit(people()).to_json())
    with pytest.raises(CoveyError) as caught:
        KAnonymousClusters.from_json(json.dumps({**document, **change}))
    assert caught.value.code == "broken-file"


def test_cuts_that_lead_back_are_refused() -> None:
    document = json.loads(KAnonymousClusters(10, ["age"], max_clusters=3).fit(people()).to_json())
    document["cuts"][1]["then"][0] = 0
    with pytest.raises(CoveyError) as caught:
        KAnonymousClusters.from_json(json.dumps(document))
    assert caught.value.code == "broken-file"
    with pytest.raises(CoveyError):
        KAnonymousClusters.from_json("not json")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"k": 1}, "bad-parameter"),
        ({"k": 900}, "too-few-rows"),
        ({"public": ["agee"]}, "unknown-column"),
        ({"public": "age"}, "bad-parameter"),
        ({"scale": "width"}, "bad-parameter"),
        ({"scale": {"age": -1}}, "bad-parameter"),
        ({"scale": {"agee": 1}}, "unknown-column"),
        ({"max_clusters": 0}, "bad-parameter"),
        ({"rows_per_centre": 0}, "bad-parameter"),
        ({"private_ranges": {"length_of_stay": (0, 1)}}, "outside-domain"),
        ({"private_ranges": {"age": (0, 100)}}, "bad-parameter"),
    ],
)
def test_parameters_are_checked(options: dict[str, Any], code: str) -> None:
    with pytest.raises(CoveyError) as caught:
        KAnonymousClusters(**{"k": 5, "public": ["age"], **options}).fit(people())
    assert caught.value.code == code
    assert caught.value.hint


def test_before_fit_there_is_nothing_to_predict_with() -> None:
    with pytest.raises(CoveyError, match="not there yet"):
        KAnonymousClusters(2).predict([[1.0]])


def test_it_is_an_estimator_of_scikit_learn() -> None:
    from sklearn.base import clone
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rows = np.random.default_rng(0).normal(size=(80, 3))
    model = clone(KAnonymousClusters(5, ["x0"], max_clusters=3))
    assert (model.k, model.public, model.max_clusters) == (5, ["x0"], 3)
    assert (model.fit_predict(rows) == model.labels_).all()
    assert len(make_pipeline(StandardScaler(), model).fit_predict(rows)) == 80
    assert (KAnonymousClusters(5, ["x0"]).fit(pd.DataFrame(rows, columns=["x0", "x1", "x2"])).labels_ >= 0).all()


# --- names that look alike ------------------------------------------------------------------------------------------


def test_a_private_number_named_like_a_public_category_stays_private() -> None:
    # the coordinates of `sex` are called `sex = f` and `sex = m`, as the number is
    table = pa.table({"sex": ["f", "m"] * 6, "sex = f": list(range(12))})
    renamed = table.rename_columns(["sex", "number"])
    for public, plain_public in ((["sex"], ["sex"]), (["sex = f"], ["number"])):
        model = KAnonymousClusters(2, public, rows_per_centre=1).fit(table)
        twin = KAnonymousClusters(2, plain_public, rows_per_centre=1).fit(renamed)
        assert model.labels_.tolist() == twin.labels_.tolist()
        assert len(model.private_) == 1
        assert covey.audit(model, table, public=public, k=2).k_reached == twin.spans_.k_reached
        assert KAnonymousClusters.from_json(model.to_json()).predict(table).tolist() == model.labels_.tolist()


def test_missing_and_the_text_missing_are_two_categories() -> None:
    table = pa.table({"s": ["missing", None, "a"] * 4, "n": list(range(12))})
    model = KAnonymousClusters(2, ["n"], rows_per_centre=1).fit(table)
    twin = KAnonymousClusters(2, ["n"], rows_per_centre=1).fit(
        pa.table({"s": ["lost", None, "a"] * 4, "n": list(range(12))})
    )
    assert model.n_clusters_ == twin.n_clusters_ > 1
    assert sorted(model.spans_.populations) == sorted(twin.spans_.populations)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"format": 1' + "0" * 400 + "}"])
def test_a_text_that_breaks_the_reader_is_refused(text: str) -> None:
    with pytest.raises(CoveyError) as caught:
        KAnonymousClusters.from_json(text)
    assert caught.value.code == "broken-file"


def test_a_scale_beyond_float64_in_a_model_text_is_refused() -> None:
    table = pa.table({"n": [1, 2, 3, 40, 41, 42]})
    document = json.loads(KAnonymousClusters(2, ["n"]).fit(table).to_json())
    for scale in (10**400, 1e200, 0):
        document["columns"][0]["scale"] = scale
        with pytest.raises(CoveyError) as caught:
            KAnonymousClusters.from_json(json.dumps(document))
        assert caught.value.code == "broken-file"


@pytest.mark.parametrize("width", [1e-200, 1e200])
def test_a_column_whose_width_has_no_square_is_refused(width: float) -> None:
    with pytest.raises(CoveyError) as caught:
        KAnonymousClusters(2, ["n"]).fit(pa.table({"m": [0.0, width] * 6, "n": list(range(12))}))
    assert caught.value.code == "bad-parameter"


# --- what is told ---------------------------------------------------------------------------------------------------


def test_a_private_category_is_told_by_its_column_and_at_most_eight_values() -> None:
    jobs = [f"job {i:02}" for i in range(13)]
    table = pa.table({"age": list(range(26)), "job": jobs * 2, "sex": ["f", None] * 13, "town": ["Ayr"] * 26})
    model = KAnonymousClusters(4, ["age"]).fit(table)
    wanted = [
        f"job: one of 13 categories ({', '.join(jobs[:8])} and 5 more)",
        "sex: one of 2 categories (f, missing)",
        "town: one of 1 category (Ayr)",
    ]
    assert [str(attribute) for attribute in model.private_] == wanted
    assert [str(attribute) for attribute in cluster_spans(model, table).private] == wanted
    unknown = table.set_column(3, "town", pa.array(["Ayr", "Oban"] * 13))
    assert str(cluster_spans(model, unknown).private[2]) == "town: one of 1 category (Ayr), or another"


def test_a_cluster_may_hold_fewer_than_k_rows_though_its_centre_is_the_mean_of_k() -> None:
    rows = [
        [18, 13], [14, 16], [4, 6], [4, 0], [8, 11], [19, 2], [19, 14], [9, 6], [13, 9], [5, 19], [4, 15], [1, 16],
    ]  # fmt: skip
    model = KAnonymousClusters(4, [], scale=None).fit(rows)
    # one part of the tree is (8, 11) and the last three rows: its mean is (4.5, 15.25); but (8, 11) is nearer to the
    # mean of the others, (12.5, 8.25): 4.5**2 + 2.75**2 = 27.8 against 3.5**2 + 4.25**2 = 30.3
    assert [(cut.first, cut.second) for cut in model.cuts_] == [((12.5, 8.25), (4.5, 15.25))]
    assert np.mean([rows[i] for i in (4, 9, 10, 11)], axis=0).tolist() == [4.5, 15.25]
    assert np.flatnonzero(model.labels_ == 1).tolist() == [9, 10, 11]
    assert min(model.populations_) == 3 < model.k
    assert model.spans_.populations.tolist() == [12]


@pytest.mark.parametrize("rows", [-1, 10**400, 2.5, "7"])
def test_a_model_text_with_a_number_of_rows_that_cannot_be_is_refused(rows: Any) -> None:
    document = json.loads(KAnonymousClusters(10, ["age"], max_clusters=3).fit(people()).to_json())
    document["rows"][0] = rows
    with pytest.raises(CoveyError) as caught:
        KAnonymousClusters.from_json(json.dumps(document))
    assert caught.value.code == "broken-file"
