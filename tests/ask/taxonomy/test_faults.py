"""Lint: one test for each rule, all faults at once, at most ten names."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from covey.ask.taxonomy import Finding, Taxonomy, lint
from covey.base.errors import InputError

CLEAN = [("a", "X", "*"), ("b", "X", "*"), ("c", "Y", "*")]


def found(source, labels=None) -> dict[str, str]:
    return {finding.code: finding.message for finding in lint(source, labels)}


def test_a_clean_tree_has_no_finding():
    assert lint(CLEAN, ["a", "b", "c", None]) == []


def test_missing_leaves_are_named():
    assert lint(CLEAN, ["a", "q", "z", "q"]) == [
        Finding("taxonomy-gap", "error", "2 values of the column are no leaves: `q`, `z`")
    ]


def test_at_most_ten_values_are_named_then_counted():
    message = found(CLEAN, [f"v{i}" for i in range(1234)])["taxonomy-gap"]
    assert message.startswith("1,234 values of the column are no leaves: `v0`, ")
    assert message.endswith("`v9` and 1,224 more")


@pytest.mark.parametrize(
    "source",
    [
        [*CLEAN, ("a", "X", "*")],  # the same row twice
        [*CLEAN, ("a", "Y", "*")],  # at two places
        [("a", "a", "*"), ("a", "X", "*")],  # a padded one beside another
        {"X": ["a", "a"], "Y": ["b"]},
        {"X": ["a"], "Y": {"a": []}},
    ],
)
def test_a_leaf_that_stands_twice_is_an_error(source):
    assert found(source)["taxonomy-duplicate-leaf"] == "1 leaf stands more than once: `a`"


def test_a_node_with_two_parents_is_an_error():
    rows = [("a", "X", "P", "*"), ("b", "X", "Q", "*"), ("c", "R", "Q", "*")]
    assert found(rows) == {"taxonomy-two-parents": "1 node has more than one parent: `X`"}
    assert "taxonomy-two-parents" in found({"P": {"X": ["a"]}, "Q": {"X": ["b"]}})


def test_only_the_node_that_is_torn_is_named_not_those_below_it():
    rows = [("a", "N", "X", "P", "*"), ("b", "N", "X", "Q", "*")]
    assert found(rows)["taxonomy-two-parents"] == "1 node has more than one parent: `X`"


def test_names_that_lie_above_themselves_are_a_cycle():
    across_rows = [("a", "X", "Y", "*"), ("b", "Y", "X", "*")]
    assert found(across_rows)["taxonomy-cycle"] == "2 names lie above themselves: `Y`, `X`"
    in_one_row = [("a", "X", "Y", "X", "*")]
    assert "taxonomy-cycle" in found(in_one_row)
    leaf_over_itself = [("X", "Y", "X", "*"), ("b", "Y", "X", "*")]
    assert found(leaf_over_itself)["taxonomy-cycle"] == "1 name lies above itself: `X`"
    assert "taxonomy-cycle" not in found(CLEAN)


def test_long_cycles_are_found_and_what_hangs_on_them_is_not_named():
    rows = [("a", "P", "Q", "*"), ("b", "Q", "R", "*"), ("c", "R", "P", "*"), ("d", "below", "P", "Q", "*")]
    assert found(rows)["taxonomy-cycle"] == "3 names lie above themselves: `Q`, `P`, `R`"


def test_a_mapping_that_holds_itself_is_a_cycle_and_ends():
    tree: dict = {"a": ["x"], "b": {}}
    tree["b"]["c"] = tree["b"]
    tree["b"]["y"] = []
    assert found(tree)["taxonomy-cycle"] == "1 name lies above itself: `c`"
    listing: dict = {"a": ["x"], "b": ["y"]}
    listing["b"].append(listing)
    assert "taxonomy-cycle" in found(listing)


def test_leaves_at_different_depths_are_a_warning():
    rows = [("a", "X", "*"), ("b", "X", "*"), ("c", "*")]
    assert lint(rows) == [
        Finding(
            "taxonomy-unbalanced",
            "warning",
            "1 of 3 leaves lies nearer to the root than the deepest (2 levels): `c`",
        )
    ]
    assert "taxonomy-unbalanced" in found([("a", "X", "*"), ("c", "c", "*")])  # padding is folded first


def test_a_leaf_named_as_a_node_is_a_warning():
    rows = [("Africa", "Africa", "*"), ("Algeria", "Africa", "*"), ("Poland", "Europe", "*")]
    assert found(rows) == {
        "taxonomy-leaf-named-as-node": "1 leaf has the name of a node, written with ` (all)` added: `Africa`"
    }
    elsewhere = [("Africa", "Europe", "*"), ("Algeria", "Africa", "*")]
    assert "taxonomy-leaf-named-as-node" in found(elsewhere)
    assert "taxonomy-leaf-named-as-node" not in found([("White", "White", "*"), ("Black", "Other", "*")])


def test_more_than_one_root_is_an_error():
    assert found([("a", "X", "*"), ("b", "Y", "Any")])["taxonomy-many-roots"] == "there are 2 roots: `*`, `Any`"


def test_empty_names_are_an_error_that_says_where(tmp_path):
    rows = [("a", "", "*"), ("", "X", "*"), ("b", " ", "*"), ("c", "X", "*")]
    assert found(rows)["taxonomy-empty-name"] == "3 places have an empty name: row 1, row 2, row 3"
    assert found({"X": ["", "a"], "Y": {"": ["b"]}})["taxonomy-empty-name"] == (
        "2 places have an empty name: below `X`, below `Y`"
    )
    path = tmp_path / "a.csv"
    path.write_text("a;X;*\n\nb;;*\n")
    assert found(path)["taxonomy-empty-name"] == "1 place has an empty name: line 3"


def test_an_inner_node_cannot_be_called_as_the_root_is_written():
    assert "taxonomy-reserved-name" in found([("a", "*", "X", "Any"), ("b", "X", "Any")])
    assert "taxonomy-reserved-name" not in found([("a", "*", "*"), ("b", "X", "*")])


def test_no_node_can_be_taken_for_a_quoted_leaf_or_for_the_node_of_another_name():
    quoted = '1 node begins with a quote, as leaves do that are written in quotes: `"[x]"`'
    assert found({"R": {'"[x]"': ["[x]", "y"], "S": ["z"]}})["taxonomy-reserved-name"] == quoted
    assert found({'"[x]"': {"R": ["[x]", "y"], "S": ["z"]}})["taxonomy-reserved-name"] == quoted
    ends = {"A (all)": {"A": ["A", "x"], "A (all)": []}, "B": ["y", "z"]}
    assert found(ends)["taxonomy-reserved-name"].endswith("which tells a node from the leaf of its name: `A (all)`")
    assert "taxonomy-reserved-name" not in found({"A (all)": ["A", "x"], "B": ["y"]})


def test_all_faults_are_listed_at_once_errors_first():
    rows = [("a", "X", "P", "*"), ("a", "X", "Q", "*"), ("", "Q", "*"), ("P", "P", "*"), ("z", "Any")]
    findings = lint(rows, ["a", "nowhere"])
    assert [finding.code for finding in findings] == [
        "taxonomy-empty-name",
        "taxonomy-many-roots",
        "taxonomy-two-parents",
        "taxonomy-duplicate-leaf",
        "taxonomy-gap",
        "taxonomy-leaf-named-as-node",
        "taxonomy-unbalanced",
    ]
    assert [finding.severity for finding in findings] == ["error"] * 5 + ["warning"] * 2


def test_lint_reads_files(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a;X;*\na;X;*\n")
    assert [finding.code for finding in lint(path)] == ["taxonomy-duplicate-leaf"]
    assert [finding.code for finding in lint(str(path))] == ["taxonomy-duplicate-leaf"]
    with pytest.raises(InputError):
        lint(tmp_path / "missing.csv")


names = st.sampled_from(["a", "b", "c", "X", "Y", "*", ""])


@settings(max_examples=300, deadline=None)
@example([["a", "c", "a"], ["c", "c", "b", "a"]])  # `c` below two nodes, in one of them as if it filled up levels
@given(st.lists(st.lists(names, min_size=1, max_size=5), max_size=6))
def test_rows_make_a_tree_exactly_if_lint_has_no_error(rows):
    faulty = any(finding.severity == "error" for finding in lint(rows))
    if faulty:
        with pytest.raises(InputError):
            Taxonomy.from_paths(rows)
        return
    tree = Taxonomy.from_paths(rows)
    full = [row for row in rows if any(row)]
    assert sorted(tree.leaves) == sorted(row[0] for row in full)  # every leaf, once
    assert len({"*", *tree.inner}) == len(tree.inner) + 1  # written names tell nodes apart
    assert not set(tree.inner) & set(tree.leaves)
    for row in full:  # a leaf lies below every node of its row
        for name in row[1:-1]:
            for written in (name, f"{name} (all)"):
                run = tree.below(written) if written in tree.inner else None
                assert run is None or tree.index(row[0]) in run


def test_a_number_of_thousands_of_digits_is_no_name():
    for make in (Taxonomy.from_dict, lint):
        with pytest.raises(InputError, match="thousands of digits"):
            make({"a": [10**5000], "b": ["c"]})
    assert Taxonomy.from_dict({"a": [10**4000], "b": ["c"]}).leaves[0] == str(10**4000)
