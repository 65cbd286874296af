"""The schema: every column has one role, and facts that fit its type."""

from __future__ import annotations

import dataclasses
import datetime as dt
from decimal import Decimal

import numpy as np
import pytest

from covey.ask.schema import KEPT, ROLES, Column, Schema
from covey.ask.taxonomy import Taxonomy
from covey.base.errors import InputError, UnknownColumn
from covey.columns.values.parsing import parse_date

TREE = Taxonomy.from_dict({"A": ["a1", "a2"], "B": ["b1"]})


def fault(code, make, *words):
    with pytest.raises(InputError) as caught:
        make()
    assert caught.value.code == code
    for word in words:
        assert word in str(caught.value)


def test_only_these_roles_publish_a_column_as_it_is():
    kept = [role for role in ROLES if role != "entity" and Column("a", role).is_kept]
    assert sorted(kept) == sorted(KEPT) == sorted(("sensitive", "target", "other", "consent"))


@pytest.mark.parametrize("role", ["quassi", "", "Quasi", None, 5])
def test_an_unknown_role_is_refused(role):
    fault("unknown-role", lambda: Column("age", role), "column `age` has the unknown role")
    fault("unknown-role", lambda: Column("age", "quassi"), "did you mean `quasi`?")


@pytest.mark.parametrize("role", ["entity"])
def test_roles_that_are_not_built_are_refused_in_a_sentence(role):
    fault(
        "not-available",
        lambda: Column("who", role),
        f"the role `{role}` is not available in this version",
        "identifier",
    )
    fault("not-available", lambda: Schema.from_roles(quasi=["age"], **{role: "who"}))


@pytest.mark.parametrize("kind", ["number", "", 5, "Numeric"])
def test_an_unknown_type_is_refused(kind):
    fault("unknown-type", lambda: Column("age", "quasi", kind), "column `age` has the unknown type")


def test_a_near_type_is_suggested():
    fault("unknown-type", lambda: Column("age", "quasi", "numerical"), "did you mean `numeric`?")


def test_a_name_must_be_text():
    fault("column-names", lambda: Column(3, "quasi"), "not int")


@pytest.mark.parametrize("weight", [0, 1, 2.5, np.float64(0.5), np.int64(3), 1e100])
def test_weights_from_zero_on_are_taken(weight):
    assert Column("a", "quasi", weight=weight).weight == weight


@pytest.mark.parametrize("weight", [-1, -0.1, float("nan"), float("inf"), True, "1", None, 10**400, [1], Decimal(1)])
def test_other_weights_are_refused(weight):
    fault(
        "bad-weight",
        lambda: Column("a", "quasi", weight=weight),
        "`weight` of column `a` must be a number of 0 or more",
    )


def test_an_order_makes_a_column_ordered():
    column = Column("grade", "quasi", order=["low", "mid", "high"])
    assert (column.type, column.order) == ("ordered", ("low", "mid", "high"))


@pytest.mark.parametrize("order", [(), ("a", "a"), ("a", 1), "abc", 5, (["a"], "b"), {"a": 1}])
def test_an_order_lists_each_label_once_as_text(order):
    fault("bad-order", lambda: Column("grade", "quasi", "ordered", order=order))


def test_order_and_type_go_together():
    fault("bad-order", lambda: Column("grade", "quasi", "ordered"), "belongs to columns of type ordered, which need it")
    fault("bad-order", lambda: Column("grade", "quasi", "numeric", order=("a", "b")))


@pytest.mark.parametrize(
    ("kind", "domain"),
    [
        ("numeric", (0, 120)),
        ("numeric", (-1.5, 2)),
        ("numeric", (5, 5)),
        ("numeric", (Decimal("0.1"), Decimal("0.2"))),
        ("numeric", (-(10**400), 10**400)),
        (None, (0, 120)),
        (None, ("a", "b", "c")),
        ("categorical", ("a",)),
        ("categorical", ("", " ")),
        ("boolean", ("no", "yes")),
    ],
)
def test_fitting_domains_are_taken(kind, domain):
    assert Column("a", "quasi", kind, domain=domain).domain == domain


def test_ends_from_numpy_become_plain_numbers():
    domain = Column("a", "quasi", "numeric", domain=np.array([0, 120])).domain
    assert domain == (0, 120)
    assert [type(end) for end in domain] == [int, int]
    assert [type(end) for end in Column("a", "quasi", domain=(np.float32(0.5), 1)).domain] == [float, int]


@pytest.mark.parametrize("kind", ["date", None])
def test_ends_of_dates_become_instants(kind):
    ends = parse_date("2020-01-01"), parse_date("2024-12-31")
    assert Column("a", "quasi", kind, domain=(dt.date(2020, 1, 1), dt.datetime(2024, 12, 31))).domain == ends
    column = Column("a", "quasi", "date", domain=("2020-01-01", "2024-12-31"))
    assert column.domain == ends
    assert dataclasses.replace(column, weight=2.0).domain == ends


@pytest.mark.parametrize(
    ("kind", "domain"),
    [
        ("numeric", (1, 0)),
        ("numeric", (0,)),
        ("numeric", (0, 1, 2)),
        ("numeric", ("a", "b")),
        ("numeric", (0, float("inf"))),
        ("numeric", (float("nan"), 1)),
        ("numeric", (True, 2)),
        ("numeric", ()),
        ("numeric", 5),
        ("numeric", (None, 5)),
        ("date", (0.5, 1)),
        ("date", ("2024-02-30", "2024-03-01")),
        ("date", ("2024-03-01", "2024-02-01")),
        ("date", ("x", "y")),
        ("categorical", ("a", "a")),
        ("categorical", ()),
        ("categorical", (1, 2)),
        ("categorical", "ab"),
        ("categorical", (["a"],)),
        ("boolean", (True, False)),
        (None, (["a"], ["b"])),
        (None, (1, "a")),
        (None, {"a": 1}),
    ],
)
def test_other_domains_are_refused(kind, domain):
    fault("bad-domain", lambda: Column("a", "quasi", kind, domain=domain), "`domain` of column `a` must be")


def test_a_domain_beside_an_order_is_refused():
    fault("bad-domain", lambda: Column("a", "quasi", "ordered", order=("a", "b"), domain=("a", "b")))


@pytest.mark.parametrize("kind", ["numeric", "categorical", None])
def test_a_domain_beside_a_taxonomy_is_refused(kind):
    fault("bad-domain", lambda: Column("a", "quasi", kind, domain=(0, 9), taxonomy=TREE), "beside a taxonomy")


def test_a_taxonomy_is_a_tree_or_a_rule():
    assert Column("a", "quasi", taxonomy=Taxonomy.prefixes([2])).taxonomy is not None
    fault("bad-taxonomy", lambda: Column("a", "quasi", taxonomy="country.csv"))
    assert Column("a", "quasi", taxonomy={"A": ["a", "b"]}).taxonomy == Taxonomy.from_dict({"A": ["a", "b"]}, "a")
    assert Column("a", "quasi", taxonomy={"prefixes": [2]}).taxonomy == Taxonomy.prefixes([2], "a")
    fault("bad-parameter", lambda: Column("a", "quasi", taxonomy={"prefixes": 2}))
    fault("bad-taxonomy", lambda: Column("a", "quasi", order=("a", "b"), taxonomy=TREE), "beside an order")


def test_schemas_are_made_from_lists_of_names():
    schema = Schema.from_roles(
        identifier=["name"],
        quasi=["age", "sex", "grade", "place"],
        sensitive=["ill"],
        target="y",
        other=["note"],
        types={"age": "numeric"},
        weights={"age": 2},
        domains={"age": [0, 120]},
        orders={"grade": ["low", "high"]},
        taxonomies={"place": TREE},
    )
    assert schema.names("quasi") == ("age", "sex", "grade", "place")
    assert schema.names("sensitive", "target", "other") == ("ill", "y", "note")
    assert schema["age"] == Column("age", "quasi", "numeric", 2, (0, 120))
    assert schema["grade"].type == "ordered"
    assert schema["place"].taxonomy is TREE
    assert [column.name for column in schema.quasi] == ["age", "sex", "grade", "place"]


def test_a_column_in_two_roles_is_refused():
    fault("two-roles", lambda: Schema.from_roles(quasi=["a", "b"], other=["b"]), "1 column in more than one role: `b`")
    fault("two-roles", lambda: Schema.from_roles(quasi=["a", "a"]), "`a`")
    fault("two-roles", lambda: Schema([Column("a", "quasi"), Column("a", "other")]))


@pytest.mark.parametrize("given", [5, {"age": "numeric"}, [1], [None], [["age"]]])
def test_a_role_lists_names(given):
    fault("bad-role", lambda: Schema.from_roles(quasi=given), "`quasi` must list column names")


def test_facts_belong_to_quasi_columns():
    with pytest.raises(UnknownColumn) as caught:
        Schema.from_roles(quasi=["age"], identifier=["name"], weights={"aeg": 2})
    assert str(caught.value) == "a weight was given for `aeg`, which is not a quasi column (did you mean `age`?)"
    with pytest.raises(UnknownColumn, match=r"which is not a quasi column \(known: `age`\)"):
        Schema.from_roles(quasi=["age"], identifier=["name"], types={"name": "numeric"})


@pytest.mark.parametrize("given", [5, None, "abc", [5]])
def test_facts_of_the_wrong_shape_are_refused(given):
    if given is not None:
        fault("bad-domain", lambda: Schema.from_roles(quasi=["age"], domains={"age": given}))
        fault("bad-order", lambda: Schema.from_roles(quasi=["age"], orders={"age": given}))
    else:
        assert Schema.from_roles(quasi=["age"], domains={"age": None})["age"].domain is None


def test_a_column_that_is_not_there_is_a_key_error_with_a_hint():
    schema = Schema.from_roles(quasi=["age"])
    with pytest.raises(KeyError, match=r"no column `agee` in the schema \(did you mean `age`\?\)"):
        schema["agee"]


def test_columns_are_replaced_by_name():
    schema = Schema.from_roles(quasi=["a", "b"])
    changed = schema.with_columns([Column("b", "quasi", weight=3.0)])
    assert [column.weight for column in changed.columns] == [1.0, 3.0]
    assert schema["b"].weight == 1.0


def test_every_column_of_the_table_needs_a_role():
    schema = Schema.from_roles(quasi=["age"], other=["note"])
    schema.check_table(["note", "age"])
    fault(
        "no-role",
        lambda: schema.check_table(["age", "note", "x", "y"]),
        "2 columns without a role: `x`, `y`",
        'identifier=["x"]',
    )
    fault("unknown-column", lambda: schema.check_table(["agee", "note"]), "the table has no column `age`", "`agee`")
    fault("duplicate-columns", lambda: schema.check_table(["age", "age", "note"]), "`age`")
    fault("no-quasi", lambda: Schema.from_roles(other=["a"]).check_table(["a"]), "no column is quasi")


def test_many_columns_without_a_role_are_counted():
    names = [f"c{i}" for i in range(30)]
    fault("no-role", lambda: Schema.from_roles(quasi=["c0"]).check_table(names), "29 columns", "and 19 more")
