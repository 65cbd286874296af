"""The equivalent table of a tree: a class is told by the tests on the way to its leaf, and by nothing else."""

from __future__ import annotations

import datetime as dt
import json
import os
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from typer.testing import CliRunner

import covey
from covey.base.errors import InputError
from covey.cli.app import app
from covey.mining.learn.tree.estimator import KAnonymousTree
from covey.mining.learn.tree.published import GrownTree
from covey.search.tree.estimator import TreeClasses

REGION = covey.Taxonomy.from_dict({"North": {"Fen": ["a", "b"], "Moor": ["c", "d"]}, "South": ["e", "f"]}, "region")
QUASI = ["age", "region", "sex"]
EQUIVALENT = "tree(refine=false, equivalent=true)"
KINDS = ("*", None, "North", "Fen", "a")
MULTIWAY = "tree(refine=false, equivalent=true, splits=multiway)"


def people(random: np.random.Generator, *, region_is_known: bool) -> pa.Table:
    """Return a small table whose target has to do with its columns, some values missing."""
    n = int(random.integers(8, 80))
    age = random.integers(20, int(random.choice([24, 40, 90])), n)
    region = random.choice(list("abcdef")[: random.integers(3, 7)], n)
    sex = random.choice(["f", "m", "x"][: random.integers(1, 4)], n)
    told = (age > 35).astype(int) + np.isin(region, ["a", "b", "e"]) + (sex == "m") + (random.random(n) < 0.2)
    return pa.table(
        {
            "age": pa.array(age, mask=random.random(n) < random.choice([0.0, 0.2])),
            "region": pa.array(region.tolist(), mask=random.random(n) < (0 if region_is_known else 0.2)),
            "sex": sex.tolist(),
            "ill": [f"grade {value}" for value in told],
        }
    )


# --- a plain twin: the cells of a row, read off the published tree -------------------------------------------


def cells_by_tree(tree: GrownTree, row: dict[str, Any]) -> list[str | None]:
    """Return what the tests on the row's way say of every column."""
    asked: dict[str, Any] = {}
    number = 0
    while (test := tree.nodes[number].test) is not None:
        column = tree.columns[test.column]
        value = row[column.name]
        if test.level is None:
            low, high, may_miss = asked.get(column.name, (None, None, column.has_missing))
            branch = int(value is not None and value > test.threshold)
            if test.threshold == -np.inf:
                asked[column.name] = (low, high, False) if branch else "missing"
            elif branch:
                asked[column.name] = (test.threshold, high, False)
            else:
                asked[column.name] = (low, test.threshold, may_miss)
        else:
            level = column.levels[test.level]
            branch = level.branch_of[column.values.index(value)]
            before = asked.get(column.name, set(column.values))
            asked[column.name] = {one for one in before if level.branch_of[column.values.index(one)] == branch}
        node = tree.nodes[number]
        number = node.children[node.branches.index(branch)]
    kinds = {column.name: column for column in tree.columns}
    return [written(asked.get(name), kinds[name].values if name in kinds else (), name == "region") for name in QUASI]


def written(asked: Any, values: tuple[str | None, ...], is_tree: bool) -> str | None:
    if asked is None:
        return "*"
    if asked == "missing":
        return None
    if isinstance(asked, tuple):
        return number_cell(*asked)
    if len(asked) == 1:
        return str(next(iter(asked))) if asked != {None} else None
    if None in asked or asked == set(values):
        return "*"
    if not is_tree:
        return "{" + ", ".join(sorted(asked)) + "}"
    ways = [way for way in REGION.paths() if way[0] in asked]
    return next(node for node in ways[0] if all(node in way for way in ways))


def number_cell(low: float | None, high: float | None, may_miss: bool) -> str:
    if may_miss or (low is None and high is None):
        return "*"
    if low is None:
        return f"<={high:g}"
    return f">={low:g}" if high is None else f"[{low:g}, {high:g}]"


@pytest.mark.parametrize("splits", ["binary", "multiway"])
def test_every_cell_is_what_the_published_tree_says_on_the_way_of_its_row(splits: str) -> None:
    random = np.random.default_rng(2008)
    seen: Counter[str] = Counter()
    for _ in range(300):
        # missing is the first code of a table and the last of a tree: then ties between splits in two differ
        table = people(random, region_is_known=splits == "binary")
        k, gain = int(random.integers(2, 6)), float(random.choice([1e-6, 0.05]))
        tree = KAnonymousTree(k, taxonomies={"region": REGION}, splits=splits, prune=None, min_gain=gain)
        grown = tree.fit(table, "ill").tree_
        made = covey.anonymize(
            table, k=k, quasi=QUASI, target=["ill"], taxonomies={"region": REGION},
            algorithm=f"tree(refine=false, equivalent=true, splits={splits}, min_gain={gain!r})",
        )  # fmt: skip
        cells = made.table.select(QUASI).to_pylist()
        assert [list(row.values()) for row in cells] == [cells_by_tree(grown, row) for row in table.to_pylist()]
        assert min(Counter(tuple(row.values()) for row in cells).values()) >= k
        assert covey.verify(made.table, k=k, quasi=QUASI, original=table, taxonomies={"region": REGION}).ok
        seen.update(
            cell if cell in ("*", None, "North", "Fen", "a") else str(cell)[0] for row in cells for cell in row.values()
        )
    assert {"*", "[", "<", ">", "North", "Fen", "a"} <= set(seen)
    assert None in seen or splits == "binary"
    assert ("{" in seen) == (splits == "binary")


# --- the paper's own ------------------------------------------------------------------------------------------


@pytest.mark.skipif(not os.environ.get("COVEY_DATA"), reason="COVEY_DATA is not set: the worked examples are not there")
@pytest.mark.parametrize("algorithm", [EQUIVALENT, MULTIWAY])
def test_table_1_of_the_paper_becomes_its_table_2(algorithm: str) -> None:
    examples = json.loads((Path(os.environ["COVEY_DATA"]) / "p3_worked_examples.json").read_text("utf-8"))
    case = examples["figure1_mortgage_tree"]
    columns = case["table1"]["columns"][1:]
    table = pa.Table.from_pylist([dict(zip(columns, row[1:], strict=True)) for row in case["table1"]["rows"]])
    made = covey.anonymize(table, k=3, quasi=case["public"], target=["Loan Risk"], algorithm=algorithm)
    assert [[row[name] for name in columns] for row in made.table.to_pylist()] == case["table2"]
    assert made.report.loss.columns == {"Gender": 0.0, "Married": 0.5, "Age": 0.5, "Sports Car": 1.0}


# --- every type, every kind of release ------------------------------------------------------------------------


def of_every_type(random: np.random.Generator) -> pa.Table:
    n = 120
    day = [dt.date(2020, 1, 1) + dt.timedelta(int(days)) for days in random.integers(0, 400, n)]
    rank, pay = random.choice(["low", "middle", "high"], n), random.normal(30_000, 9_000, n)
    told = (pay > 30_000).astype(int) + (rank == "high") + np.array([date.year > 2020 for date in day])
    gone = random.random(n) < random.choice([0.0, 0.1])
    return pa.table(
        {
            "pay": pa.array(pay, mask=gone),
            "born": pa.array(day, mask=random.random(n) < random.choice([0.0, 0.1])),
            "rank": rank.tolist(),
            "owns": pa.array(random.random(n) < 0.4),
            "price": pa.array([Decimal(int(cents)) / 100 for cents in random.integers(-500, 900, n)]),
            "one": ["same"] * n,
            "ill": [f"grade {value}" for value in told],
        }
    )


@pytest.mark.parametrize("ends", ["exact", "snapped"])
@pytest.mark.parametrize("release", ["interval", "node", "bounds"])
def test_every_type_is_covered_in_every_kind_of_release(release: str, ends: str) -> None:
    random = np.random.default_rng(7)
    quasi = ["pay", "born", "rank", "owns", "price", "one"]
    for turn in range(12):
        table = of_every_type(random)
        settings = {"k": 4, "quasi": quasi, "orders": {"rank": ["low", "middle", "high"]}}
        if turn % 3 == 0:
            settings["domains"] = {"pay": [-50_000, 100_000], "born": ["1900-01-01", "2030-12-31"]}
        if turn % 3 == 1:
            settings["models"] = ["distinct-l-diversity(ill, l=2)"]
        made = covey.anonymize(
            table, target=["ill"], algorithm=EQUIVALENT, release=release, ends=ends, seed=turn, **settings
        )
        verdict = covey.verify(made.table, k=4, quasi=quasi, original=table, release=release, orders=settings["orders"])
        assert verdict.ok
        assert set(made.table["one"].to_pylist()) == {"*"}
        assert made.report.loss.columns["one"] == 1.0


def test_classes_that_a_model_joins_admit_what_each_of_them_did() -> None:
    # the youngest are all well, and join those of 40, who are not
    table = pa.table({"age": [*range(20, 30), *[40] * 10, *[60] * 10], "ill": list("n" * 10 + "yz" * 5 + "pq" * 5)})
    settings = {"k": 5, "quasi": ["age"], "target": ["ill"], "algorithm": EQUIVALENT}
    alone = covey.anonymize(table, **settings)
    assert list(dict.fromkeys(alone.table["age"].to_pylist())) == ["<=30", "[30, 50]", ">=50"]
    joined = covey.anonymize(table, models=["distinct-l-diversity(ill, l=2)"], **settings)
    assert joined.table["age"].to_pylist() == ["<=50"] * 20 + [">=50"] * 10


# --- ends ------------------------------------------------------------------------------------------------------


def cells_of(values: Any, ill: str, k: int = 2, **settings: Any) -> list[Any]:
    table = pa.table({"x": values, "ill": list(ill)})
    made = covey.anonymize(table, k=k, quasi=["x"], target=["ill"], algorithm=EQUIVALENT, **settings)
    return list(dict.fromkeys(made.table["x"].to_pylist()))


def test_a_number_ends_at_a_threshold_that_nobody_has_and_the_outermost_values_are_not_told() -> None:
    ages = [20, 21, 34, 35, 70, 103]
    assert cells_of(ages, "nnyynn") == ["<=30", "[30, 50]", ">=50"]
    assert cells_of(ages, "nnyynn", domains={"x": [0, 120]}) == ["[0, 30]", "[30, 50]", "[50, 120]"]
    table = pa.table({"x": ages, "ill": list("nnyynn")})
    made = covey.anonymize(table, k=2, quasi=["x"], target=["ill"], algorithm=EQUIVALENT)
    assert made.report.loss.total_il == 6.0  # open sides cost all, and 30 to 50 is all that is known to be published
    declared = covey.anonymize(table, k=2, quasi=["x"], target=["ill"], algorithm=EQUIVALENT, domains={"x": [0, 120]})
    assert declared.report.loss.total_il == pytest.approx((2 * 30 + 2 * 20 + 2 * 70) / 120)


def test_snapped_ends_are_values_that_k_rows_share() -> None:
    ages = [20, 20, 33, 34, 40, 40, 70, 103]
    assert cells_of(ages, "nnyyzznn", ends="snapped") == ["20", "[20, 40]", "40", ">=40"]


def test_a_date_ends_at_a_moment_between_two() -> None:
    days = [dt.date(2024, 1, day) for day in (1, 2, 3, 20)]
    assert cells_of(days, "nnyy") == ["<=2024-01-02T12:00:00", ">=2024-01-02T12:00:00"]
    assert cells_of(days, "nnyy", domains={"x": ["2024-01-01", "2024-12-31"]}) == [
        "[2024-01-01, 2024-01-02T12:00:00]",
        "[2024-01-02T12:00:00, 2024-12-31]",
    ]


def test_labels_in_order_end_at_labels() -> None:
    order = {"x": ["poor", "fair", "good", "best"]}
    assert cells_of(["poor", "fair", "fair", "good"], "nyyy", k=1 + 1, orders=order) == ["*"]
    assert cells_of(["poor", "poor", "fair", "good"], "nnyy", orders=order) == ["poor", "[fair, best]"]


@pytest.mark.parametrize("far", [2**60, 10**30])
def test_numbers_that_floats_cannot_part_end_at_values(far: int) -> None:
    values = [str(far + step) for step in (0, 1, 2, 3)]
    assert cells_of(values, "nnyy", types={"x": "numeric"}) == [f"<={far + 1}", f">={far + 2}"]


def test_bounds_of_whole_numbers_are_numbers() -> None:
    table = pa.table({"x": [20, 21, 22, 23], "ill": list("nnyy")})
    made = covey.anonymize(table, k=2, quasi=["x"], target=["ill"], algorithm=EQUIVALENT, release="bounds")
    assert made.table["x_min"].to_pylist() == [None, None, 21.5, 21.5]
    assert made.table["x_max"].to_pylist() == [21.5, 21.5, None, None]
    assert made.table["x_min"].type == pa.float64()


def test_missing_beside_what_is_at_most_a_threshold_can_only_be_everything() -> None:
    assert cells_of([None, None, 20, 21], "nnyy") == [None, "*"]  # known is no cell of its own
    assert cells_of([None, None, 20, 21], "nnyy", domains={"x": [0, 99]}) == [None, "[0, 99]"]
    assert cells_of([None, 20, 40, 41], "nnyy") == ["*", ">=30"]


def test_of_levels_that_part_the_rows_alike_the_tree_asks_for_the_coarsest() -> None:
    # nobody lives on the moor: that the north is all fen is not told
    table = pa.table({"region": list("aabbeeff"), "ill": list("nnnnyyyy")})
    for algorithm in (EQUIVALENT, MULTIWAY):
        made = covey.anonymize(
            table, k=2, quasi=["region"], target=["ill"], taxonomies={"region": REGION}, algorithm=algorithm
        )
        assert made.table["region"].to_pylist() == ["North"] * 4 + ["South"] * 4


# --- what goes with it ------------------------------------------------------------------------------------------


TABLE = pa.table({"age": [23, 25, 31, 34, 58, 61], "sex": list("fmfmfm"), "ill": list("nnnnyy")})


def test_parted_further_the_leaves_are_no_classes() -> None:
    for given in ("tree(equivalent=true)", TreeClasses(equivalent=True)):
        with pytest.raises(InputError, match="`equivalent` publishes the leaves of the tree as they are") as caught:
            covey.anonymize(TABLE, k=2, quasi=["age", "sex"], target=["ill"], algorithm=given)
        assert caught.value.code == "bad-parameter"
        assert caught.value.hint == 'give algorithm="tree(refine=false, equivalent=true)"'
    with pytest.raises(InputError, match="`equivalent` publishes the leaves of the tree as they are"):
        TreeClasses(2, target="ill", equivalent=True).fit(TABLE)


def test_centres_are_refused() -> None:
    with pytest.raises(InputError, match="centres are made from the values of a class") as caught:
        covey.anonymize(TABLE, k=2, quasi=["age", "sex"], target=["ill"], algorithm=EQUIVALENT, release="centre")
    assert caught.value.code == "bad-parameter"


def test_without_a_target_nothing_is_told() -> None:
    with pytest.warns(covey.CoveyWarning, match="so that all rows are one class"):
        made = covey.anonymize(TABLE, k=2, quasi=["age", "sex"], other=["ill"], algorithm=EQUIVALENT)
    assert set(made.table["age"].to_pylist() + made.table["sex"].to_pylist()) == {"*"}


def test_the_classes_are_those_of_the_spans() -> None:
    settings = {"k": 2, "quasi": ["age", "sex"], "target": ["ill"]}
    told = covey.anonymize(TABLE, algorithm=EQUIVALENT, **settings)
    boxes = covey.anonymize(TABLE, algorithm="tree(refine=false)", **settings)
    assert told.labels.tolist() == boxes.labels.tolist() == [0, 0, 0, 0, 1, 1]
    assert told.table["age"].to_pylist() == ["<=50"] * 4 + [">=50"] * 2
    assert boxes.table["age"].to_pylist() == ["[23, 34]"] * 4 + ["[58, 61]"] * 2
    assert told.report.loss.total_il > boxes.report.loss.total_il


def test_people_who_agreed_are_released_as_they_are() -> None:
    table = TABLE.append_column("agree", pa.array([False] * 5 + [True]))
    made = covey.anonymize(table, k=2, quasi=["age", "sex"], target=["ill"], consent="agree", algorithm=EQUIVALENT)
    assert made.table["age"].to_pylist() == ["<=32"] * 3 + [">=32"] * 2 + ["61"]


def test_the_command_line_and_a_job_take_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pa.csv.write_csv(TABLE, "people.csv")
    words = ["anonymize", "people.csv", "-k", "2", "--quasi", "age,sex", "--target", "ill", "-o", "out.csv"]
    done = CliRunner().invoke(app, [*words, "--algorithm", EQUIVALENT])
    assert done.exit_code == 0, done.output
    lines = Path("out.csv").read_text("utf-8").splitlines()
    assert sorted(lines[1:]) == ["<=50,*,n"] * 4 + [">=50,*,y"] * 2
    check = ["verify", "out.csv", "-k", "2", "--quasi", "age,sex", "--original", "people.csv"]
    assert CliRunner().invoke(app, check).exit_code == 0
    roles = 'age = { role = "quasi" }\nsex = { role = "quasi" }\nill = { role = "target" }\n'
    Path("covey.toml").write_text(f'k = 2\nalgorithm = "{EQUIVALENT}"\n\n[columns]\n{roles}', encoding="utf-8")
    done = CliRunner().invoke(app, ["anonymize", "people.csv", "--job", "covey.toml", "-o", "same.csv"])
    assert done.exit_code == 0, done.output
    assert sorted(Path("same.csv").read_text("utf-8").splitlines()) == sorted(lines)
