"""The worked examples of P3 (Friedman, Wolff and Schuster, 2008): what the paper says, and what covey finds."""

from __future__ import annotations

import json
import math
import os
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import covey
from covey.base.arrays import IntVector
from covey.metrics.classification import classification_metric
from covey.mining.rules.rules import rule_spans
from results import Section, number

__all__ = ["codes_of", "entropy", "write_examples"]


def write_examples(section: Section) -> None:
    """Write what covey finds in every worked example of the paper."""
    section.heading("The worked examples: tables 1 to 5, sections 4 and 5")
    section.text(
        """Models of the paper through `covey.audit`, and its tables through `covey.KAnonymousTree` and
        `covey.KAnonymousClusters`. The centres of figure 3 and the points of figure 5 are only drawn in the paper:
        the coordinates are ours, made to agree with the text. The last row is a table of ours for what section 5.1
        warns of: a leaf's rows are not a span's."""
    )
    examples = json.loads((Path(os.environ["COVEY_DATA"]) / "p3_worked_examples.json").read_text("utf-8"))
    claim_mortgage(section, examples["figure1_mortgage_tree"])
    claim_table_3(section, examples["table3_zipcodes"])
    claim_section_4_1(section, examples["section4_1_decision_tree"])
    claim_figure_4(section, examples["section4_1_decision_tree"]["table4"], examples["figure4_induction"])
    claim_section_4_2(section, examples["section4_2_clustering"])
    claim_section_4_3(section, examples["section4_3_rules"])
    claim_figure_5(section, examples["figure5_mst_clusters"])
    claim_counterexample(section, examples["leaf_size_is_not_enough"])
    section.show_claims()


def claim_mortgage(section: Section, case: Any) -> None:
    """Note what is said of tables 1 and 2 and the tree of figure 1."""
    people, public = as_table(case["table1"]), case["public"]
    nobody = people.drop_columns(["Name"])
    found = covey.audit(made(case["tree"], ["good", "bad"]), people, public=public, k=3, target="Loan Risk")
    section.claim(
        "Figure 1",
        "the mortgage tree is 3-anonymous: every leaf is a span of three",
        found.ok and found.k_reached == case["k_max"] and found.spans == len(case["spans"]),
        f"k reached {found.k_reached}, {found.spans} spans of {found.rows} people",
    )
    released = pa.Table.from_pylist([dict(zip(nobody.column_names, row, strict=True)) for row in case["table2"]])
    verdict = covey.verify(released, k=3, quasi=public, original=nobody)
    section.claim("Table 2", "the table that is equivalent to it is 3-anonymous", verdict.ok, f"`verify`: {verdict}")
    algorithm = "tree(refine=false, equivalent=true, splits=multiway)"
    ours = covey.anonymize(nobody, 3, quasi=public, target=["Loan Risk"], algorithm=algorithm)
    section.claim(
        "Table 2",
        "the equivalent table is built from the tree, `*` where the tree does not specify a value",
        ours.table.equals(released),
        f'`algorithm="{algorithm}"` publishes table 2, cell by cell; Total-IL {ours.report.loss.total_il:g}',
    )
    tree = covey.KAnonymousTree.as_published(3, public).fit(nobody, "Loan Risk")
    spans = by_group(tree.span_of_row_, people["Name"].to_pylist())
    risk = codes_of(people["Loan Risk"])
    others = codes_of_rows(people, [name for name in public if name != "Gender"])
    section.claim(
        "1",
        """the methods lead from table 1 to table 2, whose tree is better than one without Gender: there no set of
        tuples is better than half good, half bad""",
        spans == {frozenset(span["members"]) for span in case["spans"]}
        and classification_metric(others, risk) * 2 == people.num_rows,
        f"`KAnonymousTree` at k = 3 grows figure 1; rows outside the majority: "
        f"{classification_metric(tree.span_of_row_, risk)} of {people.num_rows}, without Gender "
        f"{classification_metric(others, risk)}",
    )


def claim_table_3(section: Section, case: Any) -> None:
    """Note what is said of tables 3.A to 3.C: zip codes, incomes, and who lives there."""
    before, after = (
        pa.table({"zip": [zip_code for zip_code, _ in case[name]], "income": [income for _, income in case[name]]})
        for name in ("original", "two_anonymous")
    )
    at = {
        zip_code: [income for other, income in case["original"] if other == zip_code] for zip_code, _ in case["public"]
    }
    linked = {name: at[zip_code][0] for zip_code, name in case["public"] if len(at[zip_code]) == 1}
    told = [covey.verify(table, k=2, quasi=["zip"]) for table in (before, after)]
    section.claim(
        "Table 3",
        "joined with the public table the original tells the incomes of Ben and Laura; with two digits hidden nobody's",
        linked == case["linked_before"]
        and not told[0].ok
        and told[1].ok
        and sorted(Counter(after["zip"].to_pylist()).values()) == case["group_sizes_after"],
        f"linked: {', '.join(f'{name} {income}' for name, income in linked.items())}; the original: {told[0]}; "
        f"the other: {told[1]}",
    )


def claim_section_4_1(section: Section, case: Any) -> None:
    """Note whether the tree of figure 2 exposes anybody, with a private and a public sports car."""
    people, tree = as_table(case["table4"]), made(case["tree"], ["good", "bad"])
    for setting, public in (("private", ["Marital Status"]), ("public", ["Marital Status", "Sports Car"])):
        expected = case[f"sports_car_{setting}"]
        found = covey.audit(tree, people, public=public, k=3, target="Loan Risk")
        alone = [name for span in found.offending if span.people == 1 for name in named(people, span.words)]
        wanted = [name for span in expected["spans"] if len(span["members"]) == 1 for name in span["members"]]
        section.claim(
            "4.1",
            "with a public one it is not: John is alone"
            if setting == "public"
            else "with a private sports car the tree of figure 2 is 3-anonymous",
            found.ok == expected["three_anonymous"] and found.k_reached == expected["k_max"] and alone == wanted,
            f"k reached {found.k_reached}" + "".join(f"; {name}: {found.offending[0]}" for name in alone[:1]),
        )


def claim_figure_4(section: Section, people: Any, case: Any) -> None:
    """Note how the tree of figure 2 is grown."""
    known = as_table(people)
    tree = covey.KAnonymousTree.as_published(case["k"], case["public"]).fit(known.drop_columns(["Name"]), "Loan Risk")
    asked = {place: node.test.column for place, node in enumerate(tree.tree_.nodes) if node.test is not None}
    tests = [tree.tree_.columns[column].name for column in asked.values()]
    gains = [gain_of(tree, node) for node in asked]
    wanted = [step["candidates"][step["chosen"]] for step in case["steps"] if "chosen" in step]
    spans = by_group(tree.span_of_row_, known["Name"].to_pylist())
    section.claim(
        "Figure 4",
        "Sports Car first, then Marital Status where there is one; two spans of three",
        tests == ["Sports Car", "Marital Status"]
        and all(math.isclose(a, b, abs_tol=1e-6) for a, b in zip(gains, wanted, strict=True))
        and spans == {frozenset(names) for names in case["steps"][-1]["spans"].values()},
        f"{', then '.join(f'{test} (gain {gain:.3f})' for test, gain in zip(tests, gains, strict=True))}; "
        f"spans {words_of(spans)}",
    )


def claim_section_4_2(section: Section, case: Any) -> None:
    """Note whom the centres of figure 3 expose."""
    names, zips, incomes = zip(*case["table5"], strict=True)
    found = covey.audit(
        list(case["centroids"].values()),
        pa.table({"zip": zips, "income": incomes}),
        public=["zip"],
        k=2,
        columns=["zip", "income"],
        scale=[50, 1],
        domains={"income": tuple(case["private_range"])},
    )
    people = pa.table({"Name": names, "zip": list(map(str, zips))})
    exposed = [name for span in found.offending for name in named(people, span.words)]
    section.claim(
        "4.2",
        "the four centres break 2-anonymity: Lisa's span {C3, C4} is hers alone",
        exposed == case["breach"],
        f"{', '.join(exposed)}: {found.offending[0].words if found.offending else 'nobody'}; {found.spans} spans, "
        f"{found.exposed_spans} exposed",
    )


def claim_section_4_3(section: Section, case: Any) -> None:
    """Note what the two rules of the retailer tell."""
    rules = [(rule["lhs"], rule["rhs"], rule["support"], rule["confidence"]) for rule in case["rules"]]
    carts, public = carts_of(case), case["public_items"]
    spans = rule_spans(rules, carts, public).spans
    at = {k: covey.audit(rules, carts, public=public, k=k) for k in (30, 31)}
    alone = covey.audit(rules[:1], carts, public=public, k=31)
    section.claim(
        "4.3",
        "888, 30 and 82 customers: both rules are safe at k = 30, above it the second one is not",
        sorted(spans.populations.tolist()) == sorted(span["population"] for span in case["spans"])
        and at[30].ok
        and not at[31].ok
        and alone.ok,
        f"spans of {', '.join(number(n) for n in sorted(spans.populations.tolist(), reverse=True))}; k reached "
        f"{at[30].k_reached}, with the first rule alone {alone.k_reached}",
    )


def claim_figure_5(section: Section, case: Any) -> None:
    """Note how the points of figure 5 are parted."""
    names = list(case["points"])
    ages, results = zip(*case["points"].values(), strict=True)
    wanted = case["steps"][-1]
    model = covey.KAnonymousClusters(
        3,
        ["age"],
        private_ranges={"result": tuple(case["private_range"])},
        scale=None,
        max_clusters=len(wanted["clusters"]),
        rows_per_centre=1,
    ).fit(pa.table({"age": ages, "result": results}))
    clusters, spans = by_group(model.labels_, names), by_group(model.spans_.of_row, names)
    section.claim(
        "Figure 5",
        "CD and then DE are cut: D is alone in its cluster, and shares its span with E, F and G",
        clusters == {frozenset(found) for found in wanted["clusters"].values()}
        and spans == {frozenset(span["members"]) for span in wanted["spans"].values() if span["members"]},
        f"clusters {words_of(clusters)}; spans {words_of(spans)}; k reached {model.spans_.k_reached}",
    )


def claim_counterexample(section: Section, case: Any) -> None:
    """Note that a tree with large leaves can expose somebody, and is not grown."""
    people, k = counterexample(case), case["k"]
    found = covey.audit(made(case["tree"], ["zero", "one"]), people, public=case["public"], k=k, target="class")
    tree = covey.KAnonymousTree.as_published(k, case["public"]).fit(people, "class")
    tested = [tree.tree_.columns[place].name for place in tree.tree_.used_columns()]
    leaves = sorted(case["leaf_rows"].values())
    section.claim(
        "5.1 (our table)",
        f"leaves of {', '.join(map(str, leaves))} rows are not {k}-anonymous by that: the split is rejected",
        not found.ok and found.k_reached == 1 and tested == ["P"],
        f"audit: {found.offending[0]}; `KAnonymousTree` splits by {', '.join(tested)} alone",
    )


def as_table(told: Any) -> pa.Table:
    """Return a table of the file of examples."""
    return pa.Table.from_pylist([dict(zip(told["columns"], row, strict=True)) for row in told["rows"]])


def named(people: pa.Table, words: str) -> list[str]:
    """Return the names of the people of whom an audit speaks.

    >>> named(pa.table({"Name": ["Lisa", "John"], "sex": ["f", "m"], "car": ["yes", "yes"]}), "car = yes, sex = m")
    ['John']
    """
    asked = set(words.split(", "))
    rows = people.to_pylist()
    return [row["Name"] for row in rows if asked <= {f"{name} = {value}" for name, value in row.items()}]


def made(told: Any, labels: Sequence[str]) -> Any:
    """Return a tree of the file of examples."""
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    from written_trees import Leaf, Split, make_tree

    def below(node: Any) -> Any:
        if isinstance(node, str):
            return Leaf(node)
        return Split(node["split"], {value: below(child) for value, child in node["children"].items()})

    return make_tree(below(told), labels=labels)


def carts_of(case: Any) -> list[set[str]]:
    """Return carts that agree with all the counts of the two rules."""
    first, second = case["rules"]
    cherries, candles = (int(rule["lhs_count"]) for rule in (first, second))
    viagra, tylenol = (int(rule["both_count"]) for rule in (first, second))
    carts: list[set[str]] = [{"Cherries"} if i < cherries else set() for i in range(case["customers"])]
    for many, item in ((viagra, "Viagra"), (candles, "Birthday Candles"), (tylenol, "Tylenol")):
        for cart in carts[:many]:
            cart.add(item)
    return carts


def counterexample(case: Any) -> pa.Table:
    """Return the table in which a tree with large leaves has a small span."""
    ones = case["class_one_rows"]
    rows = [
        {"A": row["A"], "P": row["P"], "class": "one" if i < ones[f"{row['A']}/{row['P']}"] else "zero"}
        for row in case["rows"]
        for i in range(row["count"])
    ]
    return pa.Table.from_pylist(rows)


def by_group(groups: IntVector, names: Sequence[str]) -> set[frozenset[str]]:
    """Return the names of each group.

    >>> sorted(map(sorted, by_group(np.array([0, 1, 0]), ["A", "B", "C"])))
    [['A', 'C'], ['B']]
    """
    return {
        frozenset(name for name, group in zip(names, groups.tolist(), strict=True) if group == one)
        for one in set(groups.tolist())
    }


def words_of(groups: Iterable[Iterable[str]]) -> str:
    """Return groups of names in words.

    >>> words_of([{"D"}, {"C", "A"}])
    '{A, C}, {D}'
    """
    return ", ".join(f"{{{', '.join(names)}}}" for names in sorted(map(sorted, groups)))


def gain_of(tree: Any, node: int) -> float:
    """Return what the split of a node of a grown tree gains, in bits."""
    counts = tree.tree_.counts()
    above = counts[node]
    below = [counts[child] for child in tree.tree_.nodes[node].children]
    return entropy(above) - float(sum(part.sum() / above.sum() * entropy(part) for part in below))


def entropy(counts: Iterable[float]) -> float:
    """Return the entropy of counts in bits.

    >>> entropy([2, 2]), entropy([3, 0])
    (1.0, 0.0)
    """
    some = np.array([count for count in counts if count > 0], float)
    shares = some / some.sum()
    return float(-(shares * np.log2(shares)).sum()) + 0.0  # no minus zero


def codes_of(column: Any) -> IntVector:
    """Return a number for every value of a column, in the order of the values."""
    return np.unique(column.to_pylist(), return_inverse=True)[1].reshape(-1)


def codes_of_rows(rows: pa.Table, columns: Sequence[str]) -> IntVector:
    """Return a number for every row, the same for rows that agree in the columns."""
    together = np.stack([codes_of(rows[name]) for name in columns])
    return np.unique(together, axis=1, return_inverse=True)[1].reshape(-1)
