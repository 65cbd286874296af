"""Domains of private columns: what each kind of model takes, what is refused, and that spans follow them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.cluster import KMeans

import covey
from covey.base.errors import InputError, UnknownColumn
from covey.mining.centres.private import Interval
from covey.mining.learn.clusters.estimator import KAnonymousClusters
from written_trees import Cut, Leaf, Split, make_tree

TABLE = pa.table({"sex": ["f", "f", "m", "m"], "pay": [10, 20, 30, 40], "car": ["yes", "no", "yes", "no"]})
# women beyond 50 and men beyond 100 are told apart from the others
PAY = make_tree(Split("sex", {"f": Cut("pay", 50, Leaf(), Leaf()), "m": Cut("pay", 100, Leaf(), Leaf())}))


def reached(domains: dict[str, Any], tree: Any = PAY) -> list[int]:
    """How many leaves each row can reach."""
    found = covey.audit(tree, TABLE, public=["sex"], k=3, domains=domains)
    return [span.people for span in found.offending]


@pytest.mark.parametrize("make", [lambda low, high: (low, high), lambda low, high: [low, high], Interval])
def test_a_range_of_a_tree_decides_what_can_be_reached(make: Any) -> None:
    # below 50 nobody reaches the upper leaves: every span is one leaf, and tells nothing
    assert reached({}) == reached({"pay": make(0, 500)}) == [2, 2]
    assert reached({"pay": make(0, 70)}) == [2]
    assert reached({"pay": make(0, 50)}) == []


def test_a_range_of_a_tree_may_have_an_open_end() -> None:
    assert reached({"pay": Interval(-math.inf, 70)}) == [2]
    assert reached({"pay": (0, math.inf)}) == [2, 2]
    told = {
        (0, math.inf): "pay: any whole number from 0",
        (-math.inf, 70): "pay: any whole number to 70",
        (0, 70): "pay: any whole number from 0 to 70",
    }
    for domain, words in told.items():
        found = covey.audit(PAY, TABLE, public=["sex"], k=3, domains={"pay": domain})
        assert found.domains == (words,)


def test_listed_values_of_a_category_join_those_of_the_model() -> None:
    parted = Split("car", {("yes", "no"): Leaf(), "stolen": Leaf()})
    tree = make_tree(Split("sex", {"f": parted, "m": Leaf()}))
    assert reached({"car": ["yes", "no"]}, tree) == [2]  # the model itself knows stolen ones
    closed = make_tree(Split("sex", {"f": Split("car", {("yes", "no"): Leaf()}), "m": Leaf()}))
    assert reached({}, closed) == reached({"car": {"yes", "no"}}, closed) == []
    # a value without a branch ends at the node, as a class of its own
    assert reached({"car": {"yes", "no", "stolen"}}, closed) == [2]


@pytest.mark.parametrize(
    ("tree", "domains", "code", "told"),
    [
        (PAY, {"pya": (0, 9)}, "unknown-column", "`pya`, which is not in the table"),
        (PAY, {"sex": ["f", "m"]}, "bad-domain", "`sex`, which is public"),
        (PAY, {"pay": {10, 20, 30, 40}}, "bad-domain", "must be a range"),
        (PAY, {"pay": ["10", "50"]}, "bad-domain", "must be a range"),
        (PAY, {"pay": (0, 10, 20)}, "bad-domain", "must be a range"),
        (PAY, {"pay": (math.nan, 20)}, "bad-domain", "ends below its beginning"),
        (PAY, {"pay": (500, 0)}, "bad-domain", "ends below its beginning"),
        (PAY, {"pay": (0, 35)}, "outside-domain", "1 row of the table lies outside .* \\(first row 4\\)"),
        (PAY, {"pay": (15, 25)}, "outside-domain", "3 rows of the table lie outside .* \\(first row 1\\)"),
        (make_tree(Split("car", {"yes": Leaf(), "no": Leaf()})), {"car": (0, "x")}, "bad-domain", "of one kind"),
        (make_tree(Split("car", {"yes": Leaf(), "no": Leaf()})), {"car": "yes"}, "bad-domain", "list of values"),
        (make_tree(Split("car", {"yes": Leaf(), "no": Leaf()})), {"car": []}, "bad-domain", "list of values"),
        (make_tree(Split("car", {"yes": Leaf(), "no": Leaf()})), {"car": ["no"]}, "outside-domain", "2 rows"),
        ([(["car"], ["sex"])], {"car": (0, 1)}, "bad-domain", "private items have none"),
    ],
)
def test_domains_that_cannot_be_are_refused(tree: Any, domains: dict[str, Any], code: str, told: str) -> None:
    with pytest.raises(InputError, match=told) as fault:
        covey.audit(tree, TABLE, public=["sex"], k=3, domains=domains)
    assert fault.value.code == code


def test_a_domain_of_a_column_that_the_model_does_not_use_changes_nothing() -> None:
    assert reached({"car": ["yes", "no"]}) == reached({})
    people = TABLE.to_pandas()
    model = KMeans(2, n_init=1, random_state=0).fit(people[["pay"]])
    found = covey.audit(model, people, public=[], k=2, domains={"car": ["yes", "no"]})
    assert found.domains == ("pay: whole numbers from 10 to 40",)


def test_centres_take_ranges_with_two_ends_and_numbers_one_by_one() -> None:
    people = pd.DataFrame({"age": [20.0, 20, 60, 60], "pay": [10.0, 20, 30, 40]})
    centres = [[20.0, 20.0], [60.0, 20.0], [20.0, 900.0]]

    def spans(domain: Any) -> tuple[int, tuple[str, ...]]:
        found = covey.audit(centres, people, public=["age"], k=3, domains={"pay": domain})
        return found.exposed_spans, found.domains

    assert spans((0, 100)) == spans(Interval(0, 100)) == (0, ("pay: any number from 0 to 100",))
    # from 461 on people of 20 are nearer to the third centre; people of 60 from 462 on
    assert spans(Interval(0, 1000))[0] == 2
    assert spans({10, 20, 30, 40, 900}) == spans({"10", "20", "30", "40", "900"}) == (2, ("pay: 5 listed values",))
    for domain, told in [
        (Interval(0, math.inf), "`pay` has an open end"),
        (Interval(9, 0), "ends below its beginning"),
        ({"10", "many"}, "`pay` as a number"),
        ({10.0, 20.0}, "2 rows of the table lie outside"),
    ]:
        with pytest.raises(InputError, match=told):
            spans(domain)
    with pytest.raises(UnknownColumn, match="`pya`"):
        covey.audit(centres, people, public=["age"], k=3, domains={"pya": (0, 9)})


def test_clusters_take_ranges_of_numbers_and_lists_of_categories() -> None:
    rng = np.random.default_rng(0)
    people = pd.DataFrame({"age": rng.integers(20, 70, 80), "pay": rng.integers(0, 9, 80)})
    people["car"] = rng.choice(["no", "yes"], 80)
    model = KAnonymousClusters(k=5, public=["age"], rows_per_centre=1).fit(people)
    assert model.n_clusters_ > 1
    plain = covey.audit(model, people, public=["age"], k=5)
    assert plain.private == ("pay", "car")
    assert plain.domains == ("pay: whole numbers from 0 to 8", "car: no, yes")
    same = covey.audit(model, people, public=["age"], k=5, domains={"car": ["yes", "no"], "pay": range(9)})
    assert (same.spans, same.k_reached) == (plain.spans, plain.k_reached)
    more = covey.audit(model, people, public=["age"], k=5, domains={"car": {"yes", "no", "stolen"}})
    assert more.domains == ("pay: whole numbers from 0 to 8", "car: no, stolen, yes")
    for domains, told in [
        ({"car": {"yes"}}, "outside what is given for private"),
        ({"car": Interval(0, 1)}, "`car` as a category"),
        ({"pay": Interval(0, math.inf)}, "`pay` has an open end"),
        ({"age": (0, 99)}, "`age`, which is public"),
    ]:
        with pytest.raises(InputError, match=told):
            covey.audit(model, people, public=["age"], k=5, domains=domains)
