"""Audits: the paper's worked cases, every kind of model, and what else a saved model gives away."""

from __future__ import annotations

import datetime as dt
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
)
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import covey
from covey.base.errors import InputError, UnknownColumn
from covey.mining.trees.model import ForestModel
from written_trees import Cut, Leaf, Split, make_tree

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "audit.schema.json").read_text())

# table 4 of the paper: Lisa, John, Ben, Laura, Robert, Anna
LOANS = pa.table(
    {
        "status": ["single", "married", "married", "married", "single", "single"],
        "car": ["yes", "yes", "no", "no", "yes", "no"],
        "risk": ["good", "good", "bad", "bad", "bad", "bad"],
    }
)


def loan_tree() -> Any:
    inner = Split("status", {"married": Leaf("l_Married"), "single": Leaf("l_Unmarried")})
    return make_tree(Split("car", {"no": Leaf("l_No"), "yes": inner}), labels=["good", "bad"])


def told(found: covey.Audit) -> dict[str, Any]:
    document = found.to_json()
    jsonschema.validate(document, SCHEMA)
    assert json.loads(json.dumps(document)) == document
    return document


# --- the paper's cases -----------------------------------------------------------------------------------------------


def test_a_private_sports_car_makes_the_tree_of_section_4_1_three_anonymous() -> None:
    found = covey.audit(loan_tree(), LOANS, public=["status"], k=3, target="risk")
    # {John, Ben, Laura} and {Lisa, Robert, Anna}: good and bad are in both
    assert (found.ok, found.k_reached, found.l_reached, found.spans) == (True, 3, 2, 2)
    assert found.private == ("car", "risk")
    assert found.domains == ("car: no, yes",)
    assert told(found)["exposed"] == {"spans": 0, "people": 0, "shown": []}


def test_a_public_sports_car_leaves_john_alone() -> None:
    found = covey.audit(loan_tree(), LOANS, public=["status", "car"], k=2, target="risk")
    assert (found.ok, found.k_reached, found.l_reached) == (False, 1, 1)
    assert [str(span) for span in found.offending] == ["car = yes, status = married: 1 row, 'good'"]
    assert (found.exposed_spans, found.exposed_people) == (1, 1)
    told(found)


def test_the_mortgage_tree_read_from_scikit_learn_is_three_anonymous_and_not_four() -> None:
    rows = [
        ("m", "yes", "young", "good"), ("m", "yes", "young", "good"), ("m", "yes", "young", "good"),
        ("m", "yes", "old", "good"), ("m", "yes", "old", "bad"), ("m", "no", "old", "bad"),
        ("f", "no", "young", "good"), ("f", "no", "old", "good"), ("f", "no", "young", "bad"),
        ("f", "yes", "young", "bad"), ("f", "yes", "young", "bad"), ("f", "yes", "young", "bad"),
    ]  # fmt: skip
    people = pd.DataFrame(rows, columns=["gender", "married", "age", "risk"])
    # the tree of figure 1 has a leaf per pair of (m, age) and (f, married): one column that holds them
    people["group"] = np.where(people.gender == "m", "m " + people.age, "f " + people.married)
    model = make_pipeline(OneHotEncoder(), DecisionTreeClassifier(random_state=0)).fit(people[["group"]], people.risk)
    safe = covey.audit(model, people, public=["group"], k=3, target="risk")
    assert (safe.ok, safe.k_reached, safe.spans) == (True, 3, 4)
    assert safe.l_reached == 1  # young men are all good: k-anonymous, and known
    exposed = covey.audit(model, people, public=["group"], k=4, target="risk")
    assert not exposed.ok
    assert "group = m young: 3 rows, all 'good'" in [str(span) for span in exposed.offending]
    shares = {span.words: (span.distinct, span.commonest_share) for span in exposed.offending}
    assert shares["group = m old"] == (2, pytest.approx(2 / 3))
    assert "group = f yes: 3 rows, all 'bad'" in str(exposed)


def test_lisa_breaks_two_anonymity_of_the_centroids_of_section_4_2() -> None:
    people = pa.table(
        {"zip": [11001, 11001, 13010, 13010, 14384, 15013], "income": [98, 62, 36, 115, 44, 100], "who": list("JCBLWS")}
    )
    centres = [[11001, 80], [14000, 90], [14300, 45], [15013, 90]]
    found = covey.audit(
        centres, people, public=["zip"], k=2, columns=["zip", "income"], scale=[50, 1], domains={"income": (36, 115)}
    )
    assert (found.ok, found.k_reached) == (False, 1)
    assert [str(span) for span in found.offending] == ["zip = 15013: 1 row, 'centroid 3'"]
    assert found.domains == ("income: any number from 36 to 115",)
    assert "centroid 3 is nearest to 1 row: a mean of so few is nearly a row" in found.warnings
    told(found)


def test_the_rules_of_section_4_3_are_safe_at_30_and_not_at_31() -> None:
    both = [("Cherries", "Candles", "Tylenol")] * 24 + [("Cherries", "Candles")] * 6
    carts = [*map(set, both), *[{"Cherries"}] * 82, *[{"Tea"}] * 888]
    for cart in [*range(24), *range(30, 90)]:  # 84 with Viagra, among 112 with cherries
        carts[cart] = carts[cart] | {"Viagra"}
    rules = [(["Cherries"], ["Viagra"], 0.084, 0.75), (["Cherries", "Candles"], ["Tylenol"], 0.024, 0.8)]
    safe = covey.audit(rules, carts, public=["Cherries", "Candles"], k=30)
    assert (safe.ok, safe.k_reached, safe.warnings) == (True, 30, ())
    exposed = covey.audit(rules, carts, public=["Cherries", "Candles"], k=31)
    assert (exposed.ok, exposed.exposed_people) == (False, 30)
    assert exposed.private == ("Tylenol", "Viagra")
    frame = pd.DataFrame(rules, columns=["antecedents", "consequents", "support", "confidence"])
    assert covey.audit(frame, carts, public=["Cherries", "Candles"], k=31).offending == exposed.offending
    with pytest.raises(InputError, match="2 of 2 rules cannot come from this table") as refused:
        covey.audit(rules, carts[:500], public=["Cherries", "Candles"], k=30)
    assert "order (`digits` says to how many decimals" in str(refused.value.hint)


def test_large_leaves_are_not_enough() -> None:
    # five a and five b at each side, and one c: the tree's leaves have 11, 5, 5 and 0 rows
    public = ["a", "b"] * 10 + ["c"]
    private = ["yes"] * 10 + ["no"] * 11
    table = pa.table({"A": public, "P": private, "y": [0, 1] * 10 + [0]})
    inner = Split("A", {"a": Leaf(), "b": Leaf(), "c": Leaf()})
    tree = make_tree(Split("P", {"no": Leaf(), "yes": inner}), labels=["0", "1"])
    found = covey.audit(tree, table, public=["A"], k=5, target="y")
    assert [span.words for span in found.offending] == ["A = c"]


# --- kinds of models -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"age": rng.integers(20, 70, 300), "sex": rng.choice(["f", "m"], 300), "income": rng.integers(10, 90, 300)}
    )
    frame["risk"] = np.where((frame.age > 40) & (frame.income < 40), "bad", "good")
    return frame


def test_trees_of_a_forest_are_audited_together(people: pd.DataFrame) -> None:
    table = pa.table({"sex": ["f", "f", "m", "m"], "home": ["east", "west", "east", "west"]})
    sex, home = (
        make_tree(Split(name, {a: Leaf(), b: Leaf()}), labels=["x", "y"])
        for name, a, b in [("sex", "f", "m"), ("home", "east", "west")]
    )
    reached = [
        covey.audit(ForestModel(trees), table, public=["sex", "home"], k=2).k_reached
        for trees in [(sex,), (home,), (sex, home)]
    ]
    assert reached == [2, 2, 1]
    encoder = make_column_transformer((OneHotEncoder(), ["sex"]), remainder="passthrough")
    features, target = people[["age", "sex", "income"]], people.risk
    one = make_pipeline(encoder, DecisionTreeClassifier(random_state=0)).fit(features, target)
    many = make_pipeline(encoder, RandomForestClassifier(25, oob_score=True, random_state=0)).fit(features, target)
    alone, joint = (covey.audit(model, people, public=["age", "sex"], k=10, target="risk") for model in (one, many))
    assert joint.spans > alone.spans
    assert joint.model == "RandomForestClassifier"
    assert any("`oob_decision_function_`" in warning for warning in joint.warnings)
    told(joint)


def test_histogram_boosting_is_audited(people: pd.DataFrame) -> None:
    model = HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=3, max_leaf_nodes=None, random_state=0)
    model.fit(people[["age", "income"]], people.risk)
    found = covey.audit(model, people, public=["age", "income"], k=40, target="risk")
    assert not found.ok
    assert any("every node stores" in warning for warning in found.warnings)


def test_a_regression_counts_the_values_of_its_target() -> None:
    table = pd.DataFrame({"age": [20, 21, 60], "pay": [10.0, 12.0, 40.0]})
    model = DecisionTreeRegressor(max_depth=1).fit(table[["age"]], table.pay)
    found = covey.audit(model, table, public=["age"], k=2, target="pay")
    assert [str(span) for span in found.offending] == ["age > 40: 1 row, '40'"]


def test_our_own_tree_keeps_its_promise() -> None:
    tree = covey.KAnonymousTree.as_published(k=3, public=["status"]).fit(LOANS, "risk")
    found = covey.audit(tree, LOANS, public=["status"], k=3)
    assert (found.ok, found.k_reached, found.target) == (True, 3, "risk")
    assert not covey.audit(tree, LOANS, public=["status", "car"], k=3).ok


def test_our_own_tree_with_dates_is_audited() -> None:
    days = pa.array([f"20{year}-03-01" for year in range(10, 30)]).cast(pa.date32())
    table = pa.table({"born": days, "ill": ["no"] * 10 + ["yes"] * 10})
    tree = covey.KAnonymousTree.as_published(k=5, public=["born"]).fit(table, "ill")
    found = covey.audit(tree, table, public=["born"], k=5)
    assert (found.ok, found.k_reached, found.spans) == (True, 10, 2)


def test_our_own_clusters_keep_their_promise(people: pd.DataFrame) -> None:
    from covey.mining.learn.clusters.estimator import KAnonymousClusters

    numbers = people[["age", "income"]]
    clusters = KAnonymousClusters(k=20, public=["age"], max_clusters=3).fit(numbers)
    assert covey.audit(clusters, numbers, public=["age"], k=20).ok


def test_our_own_rules_keep_their_promise() -> None:
    from covey.mining.learn.rules import KAnonymousRules

    rng = np.random.default_rng(0)
    carts = pd.DataFrame(rng.random((200, 4)) < 0.5, columns=["tea", "milk", "pills", "plasters"])
    rules = KAnonymousRules(k=10, public=["tea", "milk"]).fit(carts)
    assert rules.rules_
    assert covey.audit(rules, carts, public=["tea", "milk"], k=10).ok


def test_scaled_centres_are_audited_in_the_original_columns(people: pd.DataFrame) -> None:
    numbers = people[["age", "income"]]
    for scaler in (StandardScaler(), MinMaxScaler()):
        model = make_pipeline(scaler, KMeans(4, n_init=1, random_state=0)).fit(numbers)
        found = covey.audit(model, people, public=["age"], k=10, target="risk")
        # the same by hand: scaled table, scaled centres
        scaled = pd.DataFrame(model[0].transform(numbers), columns=["age", "income"])
        possible = model[0].transform(
            pd.DataFrame({"age": 0.0, "income": np.arange(10.0, 90.0)}, columns=["age", "income"])
        )
        by_hand = covey.audit(
            model[-1].cluster_centers_,
            scaled,
            public=["age"],
            k=10,
            domains={"income": set(possible[:, 1].tolist())},
        )
        assert (found.k_reached, found.spans) == (by_hand.k_reached, by_hand.spans)
        assert found.domains == ("income: whole numbers from 10 to 89",)
        assert any("`labels_`" in warning for warning in found.warnings)
    with pytest.raises(InputError, match="PolynomialFeatures"):
        covey.audit(make_pipeline(PolynomialFeatures(1), KMeans(2)).fit(numbers), numbers, public=["age"], k=2)


def test_public_columns_that_centres_do_not_use_tell_nothing(people: pd.DataFrame) -> None:
    model = KMeans(4, n_init=1, random_state=0).fit(people[["age", "income"]])
    one, two = (covey.audit(model, people, public=public, k=10) for public in (["age"], ["age", "sex"]))
    assert (one.k_reached, one.offending) == (two.k_reached, two.offending)
    with pytest.raises(UnknownColumn, match="no public column `agee`"):
        covey.audit(model, people, public=["agee"], k=10)


def test_nearest_centroid_names_its_classes(people: pd.DataFrame) -> None:
    model = NearestCentroid().fit(people[["age", "income"]], people.risk)
    found = covey.audit(model, people, public=["age"], k=301)  # all share the span of both
    assert {label for span in found.offending for label, _ in span.counts} == {"bad", "good"}


def test_an_array_is_a_table_too() -> None:
    rows = np.array([[20.0, 1.0], [30.0, 1.0], [60.0, 1.0]])  # only the first column parts them
    model = DecisionTreeClassifier(max_depth=1).fit(rows, [0, 0, 1])
    assert covey.audit(model, rows, public=["x0", "x1"], k=2).k_reached == 1
    found = covey.audit(model, rows, public=["age"], columns=["age", "sick"], k=2)
    assert [span.words for span in found.offending] == ["age > 45"]


# --- what else is given away -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "where"),
    [
        (KNeighborsClassifier(1), "_fit_X"),
        (SVC(), "support_vectors_"),
        (GaussianProcessRegressor(), "X_train_"),
        (GaussianProcessClassifier(), "training rows"),
        (make_pipeline(StandardScaler(), KNeighborsClassifier(1)), "_fit_X"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_a_model_that_stores_rows_is_never_ok(model: Any, where: str) -> None:
    table = pd.DataFrame({"age": [20.0, 30.0, 40.0, 50.0], "y": [0, 0, 1, 1]})
    found = covey.audit(model.fit(table[["age"]], table.y), table, public=["age"], k=2)
    assert (found.ok, found.holds_rows, found.k_reached) == (False, True, None)
    assert any(where in warning for warning in found.warnings)
    assert str(found).startswith("NOT 2-anonymous: some of the 4 rows are stored")
    told(found)


def test_a_threshold_that_is_the_value_of_few_people_is_told() -> None:
    table = pa.table({"age": [30, 30, 34, 34, 50, 50]})
    for threshold, warned in [(34, True), (34.5, False), (30.5, False)]:
        tree = make_tree(Cut("age", threshold, Leaf(), Leaf()), is_regression=True)
        found = covey.audit(tree, table, public=["age"], k=3)
        assert found.warnings == (("a threshold of `age`, 34, is the exact value of 2 rows",) if warned else ())
        assert covey.audit(tree, table, public=["age"], k=2).warnings == ()


def test_an_exact_threshold_of_scikit_learn_is_told_in_the_original_column() -> None:
    # the car parts those of 34 from the others, among whom the middle of 30 and 38 is tested
    table = pd.DataFrame({"age": [30.0, 34.0, 34.0, 38.0], "car": [0, 1, 1, 0], "y": [0, 2, 2, 1]})
    model = make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0)).fit(table[["age", "car"]], table.y)
    found = covey.audit(model, table, public=["age"], k=3, target="y")
    assert "a threshold of `age`, 34, is the exact value of 2 rows" in found.warnings


def test_many_thresholds_of_one_column_are_told_in_one_sentence() -> None:
    table = pa.table({"age": list(range(20))})
    model = make_tree(Leaf(), is_regression=True)
    for n_cuts, told in [
        (2, "2 thresholds of `age` are exact values of fewer than 2 rows each: 1 (1 row), 2 (1 row)"),
        (8, "5 (1 row), 3 more"),
    ]:
        root: Any = Leaf()
        for age in range(n_cuts, 0, -1):
            root = Cut("age", age, Leaf(), root)
        model = make_tree(root, is_regression=True)
        (warning,) = covey.audit(model, table, public=["age"], k=2).warnings
        assert warning.startswith(f"{n_cuts} thresholds of `age`")
        assert warning.endswith(told)


def test_small_counts_of_nodes_are_told_and_large_ones_are_not(people: pd.DataFrame) -> None:
    for least, warned in [(20, False), (5, True)]:
        model = make_pipeline(OrdinalEncoder(), DecisionTreeClassifier(min_samples_leaf=least, random_state=0))
        model.fit(people[["age", "income"]], people.sex)  # has nothing to do with them: the tree grows as far as it may
        found = covey.audit(model, people, public=["age"], k=10, target="sex")
        assert any("every node stores" in warning for warning in found.warnings) is warned


# --- telling ---------------------------------------------------------------------------------------------------------


def test_the_smallest_spans_are_listed_first_and_the_rest_are_counted() -> None:
    table = pa.table({"age": [1, 2, 2, 3, 3, 3]})
    tree = make_tree(Cut("age", 1.5, Leaf(), Cut("age", 2.5, Leaf(), Leaf())), is_regression=True)
    found = covey.audit(tree, table, public=["age"], k=9, shown=2)
    assert [span.people for span in found.offending] == [1, 2]
    assert (found.exposed_spans, found.exposed_people) == (3, 6)
    assert "and 1 span more, of 3 rows" in str(found)
    told(found)


def test_a_page_shows_the_findings_and_escapes_what_the_table_holds() -> None:
    table = pa.table({"sex": ["<b>", "m", "m"], "ill": ["a & b", "no", "yes"]})
    tree = make_tree(Split("sex", {"<b>": Leaf(), "m": Leaf()}), labels=["a & b", "no", "yes"])
    page = covey.audit(tree, table, public=["sex"], k=2, target="ill").to_html()
    assert "<td>sex\u00a0=\u00a0&lt;b&gt;</td>" in page
    assert "<b>a &amp; b</b>" in page
    assert page.count("<b>") == page.count("</b>") == 1
    assert "do not publish" in page


def page_of(found: covey.Audit) -> str:
    """The page, whose tags must all be closed and which may ask nothing of a network."""
    page = found.to_html()
    void = {"meta", "br"}
    open_tags: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: Any) -> None:
            assert not {"src", "href"} & {name for name, _ in attrs}
            assert tag != "script"
            if tag not in void:
                open_tags.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert open_tags.pop() == tag

    Reader(convert_charrefs=False).feed(page)
    assert open_tags == []
    return page


def test_a_page_of_a_safe_model_says_what_to_look_at_before_it_is_let_out() -> None:
    page = page_of(covey.audit(loan_tree(), LOANS, public=["status"], k=3, target="risk"))
    assert '<header class="verdict good">' in page
    assert "<h1>3-anonymous</h1>" in page
    assert "At least 3 of 6 rows share every span that tells anything." in page
    assert "Who is exposed" not in page
    assert "<code>car</code>: no, yes" in page
    assert "Nothing that an audit looks for" in page
    assert "Two models from the same people" in page
    assert "have the same <code>risk</code>" not in page  # good and bad are in both spans


def test_a_page_of_exposed_people_shows_the_shares_of_what_others_learn() -> None:
    found = covey.audit(loan_tree(), LOANS, public=["status"], k=4, target="risk", shown=1)
    page = page_of(found)
    # both spans have one good risk of three; one of them is listed
    assert '<header class="verdict bad">' in page
    assert page.count("<b>bad</b> 67% <span>(2)</span>, <b>good</b> 33% <span>(1)</span>") == 1
    assert '<i class="s1" style="width:66.67%"></i><i class="s2" style="width:33.33%"></i>' in page
    assert "And 1 span more, of 3 rows; <code>--shown</code> lists more." in page
    assert "<code>k=4</code>" in page


def test_a_page_shortens_long_lists_of_labels() -> None:
    table = pa.table({"age": [1] * 10, "ill": [f"illness {i}" for i in range(9)] + ["x" * 500]})
    tree = make_tree(Cut("age", 5, Leaf(), Leaf()), is_regression=True)
    page = page_of(covey.audit(tree, table, public=["age"], k=11, target="ill"))
    assert "<b>7 other labels</b> 70% <span>(7)</span>" in page
    assert "x" * 130 not in page


def test_a_page_of_a_model_that_holds_rows_says_so() -> None:
    table = pd.DataFrame({"age": [20.0, 30.0, 40.0, 50.0], "y": [0, 0, 1, 1]})
    page = page_of(covey.audit(KNeighborsClassifier(1).fit(table[["age"]], table.y), table, public=["age"], k=2))
    assert "<h1>Not 2-anonymous</h1>" in page
    assert "Some of the 4 rows are stored in the model." in page
    assert "stores the training rows (nearest neighbours) in <code>_fit_X</code>" in page
    assert "whoever has the file has rows" in page


def test_no_text_of_the_table_steers_a_terminal_or_a_page() -> None:
    odd = "\x1b[31m\u202e<script>\n\0"
    table = pa.table({"sex": [odd, "m", "m"], "ill": [odd, "no", "yes"]})
    tree = make_tree(Split("sex", {odd: Leaf(), "m": Leaf()}), labels=[odd, "no", "yes"])
    found = covey.audit(tree, table, public=["sex"], k=2, target="ill")
    shown = "\\x1b[31m\\u202e<script> \\x00"
    assert str(found.offending[0]) == f"sex = {shown}: 1 row, '{shown}'"
    page = page_of(found).replace("\u00a0", " ")
    assert page.count(shown.replace("<script>", "&lt;script&gt;")) == 2
    for text in (str(found), page):
        assert not set("\x1b\u202e\0") & set(text)
    assert found.offending[0].counts == ((odd, 1),)  # in Python and JSON as it is


def test_the_text_fits_80_columns_and_keeps_conditions_together() -> None:
    names = [f"a rather long name of column {i}" for i in range(6)]
    table = pa.table({name: [1, 2, 3] for name in names} | {"ill": ["no", "no", "yes"]})
    root: Any = Leaf()
    for name in names:
        root = Cut(name, 2, root, Leaf())
    found = covey.audit(make_tree(root, labels=["no", "yes"]), table, public=names, k=3, target="ill")
    lines = str(found).splitlines()[1:]
    assert all(len(line) <= 80 for line in lines)
    assert sum("name of column" in line for line in lines) > 2
    for line in lines:
        assert not line.endswith((" <", " <=", " =", " 1"))
        assert not line.lstrip().startswith(("<", "=", ">", "people"))


def test_many_public_tuples_of_one_span_are_counted() -> None:
    rows = [[float(age), 0.0] for age in range(20)]
    found = covey.audit([[0.0, -9.0], [0.0, 9.0]], rows, public=["x0"], k=21, domains={"x1": (-1, 1)})
    words = " or ".join(f"x0 = {age}" for age in range(7))
    assert [span.words for span in found.offending] == [f"{words} or 13 more"]


def test_a_pipeline_without_steps_is_refused(people: pd.DataFrame) -> None:
    model = make_pipeline(StandardScaler(), KMeans(2, n_init=1)).fit(people[["age"]])
    for steps in ([], None, [1, 2]):
        model.steps = steps
        with pytest.raises(InputError, match="no list of steps"):
            covey.audit(model, people, public=["age"], k=2)
    scaler = StandardScaler().fit(people[["age"]])
    scaler.scale_ = np.ones(3)
    model.steps = [("scale", scaler), ("means", KMeans(2, n_init=1).fit(people[["age", "income"]]))]
    with pytest.raises(InputError, match="not what training leaves"):
        covey.audit(model, people, public=["age"], k=2)


def test_a_forest_of_more_rows_than_it_was_given_is_refused_in_these_words(people: pd.DataFrame) -> None:
    model = RandomForestClassifier(3, random_state=0).fit(people[["age"]], people["income"] > people["income"].median())
    model._n_samples = 1
    with pytest.raises(InputError, match="fewer rows than one of its trees has"):
        covey.audit(model, people, public=["age"], k=2)


def test_the_entropy_of_the_least_diverse_span_is_told_as_an_l() -> None:
    # both spans have one good risk of three: exp(-(1/3 ln 1/3 + 2/3 ln 2/3)) = 3 / 2**(2/3) = 1.889...
    found = covey.audit(loan_tree(), LOANS, public=["status"], k=3, target="risk")
    assert found.entropy_l == pytest.approx(3 / 2 ** (2 / 3))
    assert told(found)["entropy_l"] == found.entropy_l
    assert "entropy l = 1.88" in " ".join(str(found).split())
    assert "entropy l = 1.88" in found.to_html()
    assert covey.audit(loan_tree(), LOANS, public=["status", "car"], k=2, target="risk").entropy_l == 1
    assert covey.audit(loan_tree(), LOANS, public=["status"], k=3).entropy_l is None


def test_the_l_of_our_own_tree_can_be_checked(people: pd.DataFrame) -> None:
    table = people.assign(risk=np.where(people.index % 3 == 0, "fair", people.risk))
    tree = covey.KAnonymousTree.as_published(5, public=["age", "sex"], l=2).fit(table, "risk")
    found = covey.audit(tree, table, public=["age", "sex"], k=5)
    assert found.entropy_l is not None
    assert found.entropy_l >= 2


def test_even_labels_have_their_number_as_entropy_l() -> None:
    table = pa.table({"age": [1, 2, 3] * 3, "ill": ["a", "b", "c"] * 3})
    tree = make_tree(Cut("age", 5, Leaf(), Leaf()), labels=["a", "b", "c"])
    assert covey.audit(tree, table, public=["age"], k=2, target="ill").entropy_l == 3


def test_a_centre_of_our_own_clusters_is_not_called_a_mean_of_few(people: pd.DataFrame) -> None:
    from covey.mining.learn.clusters.estimator import KAnonymousClusters

    # rows change sides after a centre was taken: a cluster may have fewer rows than its centre is a mean of
    warned = 0
    for seed in range(20):
        table = people[["age", "income"]].sample(60, random_state=seed).reset_index(drop=True)
        clusters = KAnonymousClusters(k=5, public=["age"]).fit(table)
        assert covey.audit(clusters, table, public=["age"], k=5).warnings == ()
        warned += min(clusters.populations_) < 5
        if min(clusters.populations_) < 6:
            assert covey.audit(clusters, table, public=["age"], k=6).warnings
    assert warned


def test_a_pipeline_that_ends_in_our_own_model_says_what_to_audit(people: pd.DataFrame) -> None:
    model = make_pipeline(FunctionTransformer(), covey.KAnonymousTree.as_published(5, public=["age"]))
    model.fit(people[["age", "income"]], people.risk)
    with pytest.raises(InputError, match="the last step of the pipeline, KAnonymousTree, was trained on") as caught:
        covey.audit(model, people, public=["age"], k=5)
    assert "model[-1], with the transformed table" in caught.value.hint


def test_a_model_that_is_not_trained_is_said_not_to_be(people: pd.DataFrame) -> None:
    from covey.mining.learn.clusters.estimator import KAnonymousClusters

    for model in (
        DecisionTreeClassifier(),
        HistGradientBoostingClassifier(),
        make_pipeline(StandardScaler(), KMeans(2)),
        covey.KAnonymousTree.as_published(5, public=["age"]),
        KAnonymousClusters(5, public=["age"]),
    ):
        with pytest.raises(InputError, match=r"the model \(\w+\) is not trained"):
            covey.audit(model, people, public=["age"], k=5)


def test_the_name_of_a_file_is_not_a_model(people: pd.DataFrame) -> None:
    for model in ("risk.skops", Path("risk.skops")):
        with pytest.raises(InputError, match="name of a file") as caught:
            covey.audit(model, people, public=["age"], k=5)
        assert "load the model first" in caught.value.hint


def test_nothing_public_is_a_list_too() -> None:
    found = covey.audit(loan_tree(), LOANS, public=[], k=3, target="risk")
    assert (found.ok, found.spans) == (True, 1)


def test_a_page_speaks_of_small_groups_only_where_some_are_listed() -> None:
    safe, exposed, unlisted = (
        page_of(covey.audit(loan_tree(), LOANS, public=["status"], k=k, target="risk", shown=shown))
        for k, shown in ((3, 9), (4, 9), (4, 0))
    )
    assert "name small groups" in exposed
    for page in (safe, unlisted):
        assert "name small groups" not in page
        assert "Do not publish these findings with the model." in page
    assert "(k)</dt><dd><strong>4</strong>" in exposed


def test_a_page_does_not_say_that_others_learn_a_public_target() -> None:
    found = covey.audit(loan_tree(), LOANS, public=["status", "risk"], k=3, target="risk")
    assert "diversity" not in str(found)
    page = page_of(found)
    assert "least values" not in page
    assert "their <code>risk</code>, which is public" in page
    assert "what others learn" not in page


def test_wrong_words_are_refused() -> None:
    with pytest.raises(InputError, match="`public` must be"):
        covey.audit(loan_tree(), LOANS, public="status", k=3)
    with pytest.raises(InputError, match="`k` must be at least 2"):
        covey.audit(loan_tree(), LOANS, public=["status"], k=1)
    with pytest.raises(UnknownColumn, match="`stats`"):
        covey.audit(loan_tree(), LOANS, public=["stats"], k=3)
    with pytest.raises(UnknownColumn, match="`luck`"):
        covey.audit([[1.0]], pa.table({"x": [1.0]}), public=["x"], k=2, target="luck")
    with pytest.raises(InputError, match="LogisticRegression cannot be audited"):
        covey.audit(LogisticRegression(), LOANS, public=["status"], k=3)


@pytest.mark.parametrize(
    "values",
    [
        [dt.time(8 + 4 * (i % 3), 30) for i in range(30)],
        [f"ward {i % 3}".encode() for i in range(30)],
    ],
    ids=["time", "binary"],
)
def test_columns_that_only_covey_writes_as_text_are_read_as_its_tree_reads_them(values):
    table = pa.table({"shift": values, "ill": ["yes" if i % 3 == 1 else "no" for i in range(30)]})
    tree = covey.KAnonymousTree.as_published(5, public=["shift"]).fit(table, "ill")
    found = covey.audit(tree, table, public=["shift"], k=5)
    assert (found.ok, found.k_reached, found.spans) == (True, 10, 3)


def test_a_span_of_time_is_refused_by_our_tree_as_it_is_by_a_release() -> None:
    table = pa.table({"shift": [dt.timedelta(hours=i % 3) for i in range(30)], "ill": ["yes", "no"] * 15})
    with pytest.raises(InputError, match="column `shift` has the type duration"):
        covey.KAnonymousTree(5, public=["shift"]).fit(table, "ill")


def test_an_audit_says_in_one_line_that_label_cells_are_not_yet_checked() -> None:
    people = pd.DataFrame({"age": range(20, 60), "ill": ["no"] * 20 + ["yes"] * 20})
    found = covey.audit(DecisionTreeClassifier().fit(people[["age"]], people.ill), people, public=["age"], k=5)
    sentence = "label cells (classes that nobody, or few, of a leaf have)"
    assert f"  unchecked  {sentence}: not yet" in str(found).splitlines()
    assert f"<dt>not yet checked</dt><dd>{sentence}</dd>" in found.to_html()
    assert found.to_json()["not_checked"] == [sentence]


def test_a_forest_that_stores_a_weight_for_every_row_is_warned_of() -> None:
    people = pd.DataFrame({"age": range(20, 60), "ill": ["no"] * 30 + ["yes"] * 10})
    plain, weighted = (
        RandomForestClassifier(3, class_weight=weight, random_state=0).fit(people[["age"]], people.ill)
        for weight in (None, "balanced")
    )
    if not hasattr(weighted, "_sample_weight"):
        pytest.skip("this scikit-learn does not store the weights")
    told = "stores the weight of every training row"
    assert any(told in warning for warning in covey.audit(weighted, people, public=["age"], k=5).warnings)
    assert not any(told in warning for warning in covey.audit(plain, people, public=["age"], k=5).warnings)


def test_a_stream_is_audited_as_its_table_is():
    rng = np.random.default_rng(5)
    owner = np.repeat(np.arange(20), 6)
    table = pa.table({
        "patient_id": [f"P{one}" for one in owner],
        "age": (20 + owner // 2).astype(float),
        "sick": rng.integers(0, 2, len(owner)).astype(bool),
        "old": owner > 9,
    })  # fmt: skip
    features, both = table.select(["age"]).to_pandas(), table.select(["sick", "old"])
    models: list[tuple[Any, str]] = [
        (covey.KAnonymousTree(k=5, public=["age"]).fit(table.select(["age", "sick"]).to_reader(), "sick"), "age"),
        (DecisionTreeClassifier(random_state=0, max_depth=3).fit(features, table["old"].to_pylist()), "age"),
        (KMeans(4, n_init=1, random_state=0).fit(features), "age"),
        (covey.KAnonymousClusters(k=5, public=["age"]).fit(table.select(["age", "sick"]).to_reader()), "age"),
        (covey.KAnonymousRules(k=5, public=["old"], min_support=0.05).fit(both.to_reader()), "old"),
    ]
    for model, public in models:
        told = covey.audit(model, table, public=[public], k=5)
        assert told.persons is not None
        assert covey.audit(model, table.to_reader(), public=[public], k=5).to_json() == told.to_json()
        named = covey.audit(model, table.to_reader(), public=[public], k=5, identifier=["patient_id"])
        assert named.persons == told.persons


def test_an_audit_of_a_stream_counts_persons():
    owner = np.repeat(np.arange(20), 6)
    table = pa.table({"patient_id": [f"P{one}" for one in owner], "age": owner.astype(float), "old": owner > 9})
    model = DecisionTreeClassifier(random_state=0).fit(pd.DataFrame({"age": owner}), owner % 2)
    found = covey.audit(model, table.to_reader(), public=["age"], k=5)
    assert any("persons" in warning for warning in found.warnings)
