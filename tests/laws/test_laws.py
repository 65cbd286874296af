"""Laws that hold for every algorithm, every kind of frame and every policy for missing values.

Thousands of random small tables: every class is legal by a count made here, the release is truthful by the
verifier, rows and columns are neither lost nor added, the loss is that of the definition.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import covey
from covey.ask.algorithms import ALGORITHMS, algorithm_named
from covey.codes.boxes import total_loss
from covey.codes.encoding import encode_frame
from covey.columns.kept import kept_column
from covey.tables.frames import to_arrow
from random_tables import Case, random_case

CASES = 700
"""Tables on which every algorithm's labels are counted; the soak run releases ten times as many by each of them."""
PARTS = 14
"""Of whole releases: typing, recoding and verifying do not depend on the algorithm, so that one is drawn per table."""


CLASSY = [name for name, entry in ALGORITHMS.items() if entry.makes_classes]
"""What an algorithm is exempt from stands in the registry: without classes there is none to count."""

FOR_A_TARGET = (
    "k-member(target=ill)",
    "top-down-specialization(target=ill)",
    "optimal-recoding(metric=cm, target=ill)",
    "tree(target=ill)",
)


def released_classes(table: pa.Table, quasi: list[str]) -> Counter:
    """Count equal released tuples, by nothing but Python."""
    columns = [table.column(name).to_pylist() for name in table.column_names if name in quasi]
    return Counter(zip(*columns, strict=True))


def check_release(case: Case, release: covey.Release, table: pa.Table) -> None:
    classes = released_classes(table, case.quasi)
    assert min(classes.values()) >= case.k
    verdict = covey.verify(table, k=case.k, quasi=case.quasi)
    assert verdict.ok
    assert verdict.level == min(classes.values()) == release.report.verdict.level
    assert verdict.classes == len(classes) == release.report.verdict.classes
    assert release.report.verdict.truthful.ok
    assert release.report.verdict.truthful.complete
    assert release.report.verdict.truthful.kind == "aligned"
    assert table.column_names == [name for name in case.table.column_names if name != "who"]
    assert len(release.labels) == table.num_rows


def frame_of(table: pa.Table, kind: str):
    if kind == "arrow":
        return table
    # Arrow-backed, so that large whole numbers with missing ones among them stay whole numbers
    return table.to_pandas(types_mapper=pd.ArrowDtype) if kind == "pandas" else pl.from_arrow(table)


def algorithm_of(seed: int) -> str:
    """The algorithm that is drawn for a table: each in turn, another one for the same table in the next part."""
    return CLASSY[(seed + seed // CASES) % len(CLASSY)]


@pytest.mark.parametrize("name", CLASSY)
def test_every_algorithm_puts_every_row_of_every_table_into_a_class_of_k(name):
    for seed in range(CASES):
        case = random_case(seed)
        schema = covey.Schema.from_roles(**case.settings)
        codes = encode_frame(case.table, schema)
        kept = {"ill": kept_column("ill", case.table.column("ill"))}
        labels = algorithm_named(name, k=case.k).for_roles(schema).labels(codes, kept)
        assert labels.shape == (case.table.num_rows,)
        sizes = np.bincount(labels)  # none is negative: nothing was allowed to be left out
        assert sizes.min() >= case.k, seed
        assert total_loss(codes, labels) <= total_loss(codes, np.zeros_like(labels)) + 1e-9


@pytest.mark.parametrize("part", range(PARTS))
def test_every_release_is_legal_and_truthful(part):
    for seed in range(part * 100, part * 100 + 100):
        case = random_case(seed)
        release = covey.anonymize(case.table, case.k, algorithm=algorithm_of(seed), **case.settings)
        check_release(case, release, release.table)
        assert release.table.num_rows == case.table.num_rows
        assert release.table.column("ill").to_pylist() == case.table.column("ill").to_pylist()


@pytest.mark.filterwarnings("ignore:column `ill` is sensitive")
@pytest.mark.parametrize("spec", FOR_A_TARGET)
def test_every_release_for_a_target_is_legal_and_truthful(spec):
    for seed in range(150):
        case = random_case(seed)
        release = covey.anonymize(case.table, case.k, algorithm=spec, **case.settings)
        check_release(case, release, release.table)
        assert release.table.column("ill").to_pylist() == case.table.column("ill").to_pylist()


@pytest.mark.soak
@pytest.mark.parametrize("name", CLASSY)
def test_every_release_is_legal_and_truthful_at_length(name):
    for seed in range(CASES, 10 * CASES):
        case = random_case(seed)
        release = covey.anonymize(case.table, case.k, algorithm=name, **case.settings)
        check_release(case, release, release.table)


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name not in CLASSY])
def test_every_release_without_classes_is_consistent_and_truthful(name):
    for seed in range(CASES // 2):
        case = random_case(seed)
        release = covey.anonymize(case.table, case.k, algorithm=name, **case.settings)
        assert release.table.column("ill").to_pylist() == case.table.column("ill").to_pylist()
        assert release.report.verdict.truthful.ok
        facts = {key: case.settings[key] for key in ("taxonomies", "orders") if key in case.settings}
        # counted anew from the two tables alone, by the graph of which row can be which
        model = f"k-consistency(k={case.k})"
        verdict = covey.verify(release.table, quasi=case.quasi, original=case.table, models=[model], **facts)
        assert verdict.models[1].ok, seed
        assert verdict.models[1].level >= case.k


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize("part", range(4))
def test_every_kind_of_frame_gives_the_release_of_the_arrow_table(part, kind):
    for seed in range(part * 70, part * 70 + 70):
        case = random_case(seed)
        name = algorithm_of(seed)
        plain = covey.anonymize(case.table, case.k, algorithm=name, **case.settings)
        release = covey.anonymize(frame_of(case.table, kind), case.k, algorithm=name, **case.settings)
        table = to_arrow(release.table)
        assert type(release.table).__module__.startswith(kind)
        assert np.array_equal(release.labels, plain.labels)
        for column in case.quasi:
            assert table.column(column).to_pylist() == plain.table.column(column).to_pylist()


@pytest.mark.parametrize("part", range(3))
@pytest.mark.parametrize("policy", ["suppress", "error"])
def test_missing_values_are_dropped_or_refused_as_asked(part, policy):
    met = Counter()
    for seed in range(part * 120, part * 120 + 120):
        case = random_case(seed)
        whole = [row for row in case.table.select(case.quasi).to_pylist() if None not in row.values()]
        settings = {**case.settings, "algorithm": algorithm_of(seed), "missing": policy}
        if policy == "error" and len(whole) < case.table.num_rows:
            with pytest.raises(covey.InputError, match="missing values"):
                covey.anonymize(case.table, case.k, **settings)
            met["refused"] += 1
        elif len(whole) < case.k:
            with pytest.raises(covey.Infeasible):
                covey.anonymize(case.table, case.k, **settings)
            met["infeasible"] += 1
        else:
            release = covey.anonymize(case.table, case.k, **settings)
            check_release(case, release, release.table)
            assert release.table.num_rows == len(whole)
            assert release.report.suppressed == case.table.num_rows - len(whole)
            met["released"] += 1
    assert met["released"] > 20
    assert met["refused" if policy == "error" else "infeasible"] > 0


@pytest.mark.parametrize("name", [entry.name for entry in ALGORITHMS.values() if entry.ignores_row_order])
def test_the_order_of_rows_does_not_matter(name):
    for seed in range(150):
        case = random_case(seed)
        order = np.random.default_rng(seed).permutation(case.table.num_rows)
        plain = covey.anonymize(case.table, case.k, algorithm=name, **case.settings)
        mixed = covey.anonymize(case.table.take(pa.array(order)), case.k, algorithm=name, **case.settings)
        for column in case.quasi:
            expected = plain.table.column(column).take(pa.array(order)).to_pylist()
            assert mixed.table.column(column).to_pylist() == expected


@pytest.mark.parametrize(
    ("release", "ends"),
    [(release, ends) for release in ("interval", "node", "bounds") for ends in ("exact", "snapped")]
    + [("centre", "exact")],
)
def test_every_kind_of_release_is_verified(release, ends):
    for seed in range(100):
        case = random_case(seed)
        made = covey.anonymize(case.table, case.k, release=release, ends=ends, **case.settings)
        verdict = covey.verify(made.table, k=case.k, quasi=case.quasi)
        assert verdict.ok
        assert made.report.verdict.truthful.ok


def test_the_same_settings_give_the_same_release():
    for seed in range(30):
        case = random_case(seed)
        first = covey.anonymize(case.table, case.k, **case.settings)
        again = covey.anonymize(case.table, case.k, **case.settings)
        assert first.table.equals(again.table)


def test_shuffled_releases_are_still_truthful_and_not_in_the_order_of_the_input():
    case = random_case(5)
    table = pa.concat_tables([case.table] * 20)
    made = covey.anonymize(table, case.k, order="shuffled", **case.settings)
    kept = covey.anonymize(table, case.k, **case.settings)
    assert not made.table.equals(kept.table)
    assert released_classes(made.table, case.quasi) == released_classes(kept.table, case.quasi)
