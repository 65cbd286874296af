"""The experiments: sections are written and put together as they say, and P1's worked example comes out."""

from __future__ import annotations

import doctest
import importlib
import itertools
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
NAMES = ("figures", "results", "lines", "trials", "p0", "p1", "p3_examples", "p3", "usefulness", "run")


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    """Return the scripts as modules; they import each other by their plain names, as when they are run."""
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    for name in NAMES:  # also undone at the end: the names are too plain to stay
        monkeypatch.delitem(sys.modules, name, raising=False)
    return {name: importlib.import_module(name) for name in NAMES}


@pytest.fixture
def section(modules: dict[str, ModuleType], tmp_path: Path):
    return modules["results"].Section("p9", "P9: a paper", tmp_path)


# --- the frame -----------------------------------------------------------------------------------------------


def test_the_examples_in_the_docstrings_run(modules: dict[str, ModuleType]) -> None:
    found = [doctest.testmod(module) for module in modules.values()]
    assert sum(result.failed for result in found) == 0
    assert sum(result.attempted for result in found) >= 8


def test_a_section_prints_what_it_writes(section, capsys: pytest.CaptureFixture[str]) -> None:
    section.heading("Loss")
    section.text("one\n      two")
    section.table(["k", "5"], [("plain", "1,234")])
    printed = capsys.readouterr().out
    for part in ("## Loss", "one two", "| k | 5 |\n| :-- | --: |\n| plain | 1,234 |"):
        assert part in printed
        assert part in section.document(1.0)


def test_claims_that_fail_are_counted_and_explained(section) -> None:
    section.claim("Figure 1", "it falls", True, "5 to 3", why="never shown")
    section.claim("Figure 2", "it rises", False, "5 to 3", why="Because\n  it falls.")
    section.show_claims()
    text = section.document(2.0)
    assert "| Figure 1 | it falls | holds | 5 to 3 |" in text
    assert "| Figure 2 | it rises | **does not hold** | 5 to 3. Because it falls. |" in text
    assert "never shown" not in text
    assert '"claims": 2, "failed": ["Figure 2: it rises"]' in text


def test_claims_that_are_never_shown_are_a_fault(section) -> None:
    section.claim("Figure 1", "it falls", True, "5 to 3")
    with pytest.raises(ValueError, match="1 claims of `p9` were noted and never shown"):
        section.document(1.0)


def test_a_figure_is_drawn_small_and_said_in_words(section, modules: dict[str, ModuleType], tmp_path: Path) -> None:
    figures = modules["figures"]
    chart = figures.line_chart(
        "Loss", figures.Axis("k", log=True, ticks=(2, 5)), figures.Axis("time (s)", log=True),
        {"plain": [(2, 0.5), (5, 0.25)], "new": [(2, 0.0), (5, 0.125)]},
    )  # fmt: skip
    section.figure("loss", chart, "loss against k")
    drawn = (tmp_path / "p9-loss.svg").read_text("utf-8")
    assert "![loss against k](p9-loss.svg)" in section.document(1.0)
    assert len(drawn) < 100_000
    for word in ("plain", "new", "time (s)", "Loss"):
        assert word in drawn
    # nothing stands at 0 on a log axis: the point of `new` at k = 2 is left out
    assert len(chart["data"]["values"]) == 3


def test_a_name_keeps_its_look_in_all_charts(modules: dict[str, ModuleType]) -> None:
    figures = modules["figures"]

    def colours(names: list[str]) -> dict[str, str]:
        lines = {name: [(1.0, 1.0)] for name in names}
        chart = figures.line_chart("", figures.Axis("x"), figures.Axis("y"), lines, looks=["a", "b", "c"])
        scale = chart["layer"][0]["encoding"]["color"]["scale"]
        return dict(zip(scale["domain"], scale["range"], strict=True))

    assert colours(["a", "b", "c"])["c"] == colours(["c"])["c"]
    assert len(set(colours(["a", "b", "c"]).values())) == 3


def test_both_kinds_of_picture_are_written(modules: dict[str, ModuleType], tmp_path: Path) -> None:
    figures = modules["figures"]
    chart = figures.line_chart("Loss", figures.Axis("k"), figures.Axis("loss"), {"plain": [(2, 0.5), (5, 0.25)]})
    for kind, start in ((".svg", b"<svg"), (".png", b"\x89PNG")):
        figures.draw(figures.side_by_side(chart, chart), tmp_path / f"a{kind}")
        assert (tmp_path / f"a{kind}").read_bytes().startswith(start)


def test_results_are_put_together_in_order_with_times_and_machine(section, modules: dict[str, ModuleType]) -> None:
    section.claim("Figure 1", "it falls", False, "3 to 5")
    section.show_claims()
    text = modules["results"].assemble([("p9", section.document(61.23)), ("p8", section.document(2.0))])
    assert "| [P9: a paper](results/p9.md) | `experiments/p9.py` | 61.2 | 0 of 1 |" in text
    assert text.index("experiments/p9.py") < text.index("experiments/p8.py")
    assert text.count("Python 3.") == 1  # one machine, said once
    assert "<!--" not in text


def test_a_section_that_was_not_run_is_refused(modules: dict[str, ModuleType]) -> None:
    with pytest.raises(ValueError, match="the section of `p9` does not say how it was run"):
        modules["results"].assemble([("p9", "# P9\n\nnumbers out of the air\n")])


def test_results_md_is_what_the_scripts_wrote(modules: dict[str, ModuleType]) -> None:
    folder = EXPERIMENTS / "results"
    sections = [(script, (folder / f"{script}.md").read_text("utf-8")) for script in modules["run"].SCRIPTS]
    assert (EXPERIMENTS / "RESULTS.md").read_text("utf-8") == modules["results"].assemble(sections)


def test_every_figure_of_the_results_is_there_and_small() -> None:
    import re

    folder = EXPERIMENTS / "results"
    texts = [file.read_text("utf-8") for file in folder.glob("*.md")]
    named = [name for text in texts for name in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)]
    assert len(named) >= 9
    for name in named:
        assert (folder / name).stat().st_size < 100_000, name


@pytest.mark.parametrize("script", ["run", "p0", "p1", "p3", "usefulness"])
def test_without_data_a_script_says_so(script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COVEY_DATA", raising=False)
    done = subprocess.run([sys.executable, str(EXPERIMENTS / f"{script}.py")], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("error: COVEY_DATA is not set\n\nhint: ")


# --- P0 and P1 -----------------------------------------------------------------------------------------------


def test_p0_examples_come_out(section, modules: dict[str, ModuleType]) -> None:
    modules["p0"].write_examples(section)
    text = section.document(1.0)
    # 16/33, 21/33, 3/3, 2/3, 16/33 + 3/3 + 1, 1/33 + 1/3 + 1
    for found in ("| 0.4848 |", "| 0.6364 |", "| 1.0000 |", "| 0.6667 |", "| 2.4848 |", "| 1.3636 |"):
        assert found in text


def test_p1_example_comes_out_by_formula_1_and_by_the_charged_prices(section, modules: dict[str, ModuleType]) -> None:
    modules["p1"].write_example(section)
    text = section.document(1.0)
    assert "| printed (equation 3) | 25.44 |" in text
    assert "| formula (1), by covey | 16.421 |" in text  # 3 (1 + 2/19 + 1/2) + 3 (1 + 5/19 + 1) + 3 (1 + 2/19 + 1/2)
    assert "| ZipCode and Gender always charged | 25.421 |" in text  # 1 more for each of nine rows
    assert "| row 2 | 5.10 | 3.105 | 5.105 |" in text
    assert "| row 5 | 6.47 | 6.474 | 6.474 |" in text
    assert "| row 8 | 6.68 | 4.684 | 6.684 |" in text
    assert len(section.failed) == 2


def test_p1_table_3_comes_out_only_with_the_charged_prices(section, modules: dict[str, ModuleType]) -> None:
    modules["p1"].write_diverse_step(section)
    text = section.document(1.0)
    assert "| 1-3 and 4-9 | ZipCode and Gender always charged | 25.342 |" in text
    # 4 (1 + 11/19 + 1/2) + 5 (1 + 1 + 5/19 + 1)
    assert "| 1-4 and 5-9 | formula (1), by covey | 24.632 |" in text
    assert section.failed == ["table 3: rows 4 to 6 all join rows 7 to 9"]


def test_p1_runs_in_full_with_small_settings(data: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(EXPERIMENTS / "p1.py"), "--quick", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    written = (tmp_path / "p1.md").read_text("utf-8")
    facts = json.loads(written.split("<!-- run: ")[1].split(" -->")[0])
    assert facts["claims"] >= 14
    assert "| Theorem 2 | the loss is that of the n - nq others alone | holds |" in written
    assert "| Theorem 3 | every class has k to 2k - 1 rows | holds |" in written
    assert (tmp_path / "p1-rivals.svg").exists()


# --- P3 ------------------------------------------------------------------------------------------------------


def test_p3_examples_all_come_out(section, modules: dict[str, ModuleType], data: Path) -> None:
    modules["p3_examples"].write_examples(section)
    text = section.document(1.0)
    assert section.failed == []
    assert section.claims == 12
    for found in (
        "| k reached 3, 4 spans of 12 people |",
        "publishes table 2, cell by cell; Total-IL 24 |",
        "k reached 1; John: Marital Status = Married, Sports Car = Yes: 1 row, 'good' |",
        "spans {Anna, Lisa, Robert}, {Ben, John, Laura} |",
        "| Lisa: zip = 15013; 3 spans, 1 exposed |",
        "| spans of 888, 82, 30; k reached 30, with the first rule alone 112 |",
        "| clusters {A, B, C}, {D}, {E, F, G}; spans {A, B, C}, {D, E, F, G};",
    ):
        assert found in text


def test_p3_an_example_that_comes_out_otherwise_is_told(section, modules: dict[str, ModuleType], data: Path) -> None:
    case = json.loads((data / "p3_worked_examples.json").read_text("utf-8"))["section4_1_decision_tree"]
    robert = next(row for row in case["table4"]["rows"] if row[0] == "Robert")
    # then two unmarried are left, whom a private sports car does not hide; with a public one Lisa is alone, not John
    robert[1] = "Married"
    modules["p3_examples"].claim_section_4_1(section, case)
    assert len(section.failed) == 2


def test_p3_a_limit_of_confidence_is_an_entropy(modules: dict[str, ModuleType]) -> None:
    ell_of = modules["p3"].ell_of
    # natural logarithms give the same l: exp(-0.85 ln 0.85 - 0.15 ln 0.15) = exp(0.42271)
    assert ell_of(0.85) == pytest.approx(1.52609, abs=1e-5)
    assert ell_of(0.75) > ell_of(0.85) > ell_of(0.99) > ell_of(1.0) == 1.0


def test_p3_counts_how_sure_others_can_be(modules: dict[str, ModuleType]) -> None:
    import numpy as np

    # group 1 has no row; of the four rows of group 2 three have label 0
    groups, labels = np.array([2, 0, 2, 2, 0, 2]), np.array([0, 1, 0, 1, 1, 0])
    assert modules["p3"].certainty(groups, labels).tolist() == [0.75, 1.0, 0.75, 0.75, 1.0, 0.75]


def test_p3_carts_have_the_counts_of_the_rules(modules: dict[str, ModuleType], data: Path) -> None:
    case = json.loads((data / "p3_worked_examples.json").read_text("utf-8"))["section4_3_rules"]
    carts = modules["p3_examples"].carts_of(case)
    assert len(carts) == 1000
    for rule in case["rules"]:
        left, both = set(rule["lhs"]), {*rule["lhs"], *rule["rhs"]}
        assert sum(left <= cart for cart in carts) == rule["lhs_count"]
        assert sum(both <= cart for cart in carts) == rule["both_count"]


def test_p3_runs_in_full_with_small_settings(data: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(EXPERIMENTS / "p3.py"), "--quick", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    written = (tmp_path / "p3.md").read_text("utf-8")
    facts = json.loads(written.split("<!-- run: ")[1].split(" -->")[0])
    assert facts["claims"] == 28
    # 4,000 rows are not those of the paper, and it is told
    assert "Table 6: CM of 5,198, 5,439" in facts["failed"]
    for figure in ("figure-6", "figure-7", "figure-8"):
        assert (tmp_path / f"p3-{figure}.svg").stat().st_size < 100_000


def test_p3_figures_are_those_that_are_promised() -> None:
    text = (EXPERIMENTS / "results" / "p3.md").read_text("utf-8")
    for row in (
        "| KAnonymousTree | 5,198 | 5,273 | 5,379 | 5,439 |",
        "| KAnonymousTree | 17.50 | 17.31 | 17.70 | 17.71 | 17.91 | 18.07 | 18.66 | 17.92 |",
        "| TDS, then ID3 | 17.92 | 18.38 | 18.42 | 18.42 | 18.46 | 18.46 | 19.34 | 19.34 |",
        "| education, occupation | gain | 5,088 |",
        "| education, occupation | gain x rows | 5,013 |",
    ):
        assert row in text


# --- usefulness ------------------------------------------------------------------------------------------------


def test_one_full_tree_tells_what_scikit_learn_prunes_with_every_alpha(modules: dict[str, ModuleType]) -> None:
    import numpy as np
    from sklearn.tree import DecisionTreeClassifier

    random = np.random.default_rng(0)
    numbers = random.normal(size=(600, 3))
    truth = numbers[:, 0] + random.normal(size=600) > 0
    full = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(numbers, truth)
    leaves = set()
    for alpha in (0.0005, 0.002, 0.005, 0.01, 0.03):
        pruned = DecisionTreeClassifier(criterion="entropy", random_state=0, ccp_alpha=alpha).fit(numbers, truth)
        ends = modules["usefulness"].ends_when_pruned(full, alpha)[full.apply(numbers)]
        assert np.allclose(full.tree_.value[ends, 0, 1], pruned.predict_proba(numbers)[:, 1])
        leaves.add(pruned.get_n_leaves())
    assert len(leaves) >= 4


def test_what_is_drawn_of_a_release_is_what_its_cells_cover(modules: dict[str, ModuleType]) -> None:
    import numpy as np
    import pyarrow as pa

    from covey import Taxonomy

    usefulness = modules["usefulness"]
    town = Taxonomy.from_paths(
        [("Oslo", "Norway", "*"), ("Bergen", "Norway", "*"), ("Lyon", "France", "*"), ("Paris", "France", "*")]
    )
    raw = pa.table(
        {"age": [20, 30, 40], "town": ["Oslo", "Lyon", "Paris"], "job": ["a", "b", None], "income": list("xyx")}
    )
    coder = usefulness.Coder.of(usefulness.Task("t", raw, raw, "x", {"town": town}))
    released = pa.table({
        "age_min": [20, 20, 30], "age_max": [20, 40, 40], "town": ["Norway", "Lyon", "*"], "job": ["{a, b}", None, "*"],
    })  # fmt: skip
    labels = {name: coder.labels[name] for name in ("town", "job")}
    assert labels == {"town": ["Bergen", "Lyon", "Oslo", "Paris"], "job": ["a", "b", None]}
    seen: list[set[object]] = [set() for _ in range(9)]
    for seed, encoding in itertools.product(range(40), ("occurring", "even")):
        age, *others = coder.released(released, np.random.default_rng(seed))[encoding]
        for row in range(3):
            seen[3 * row].add(int(age.of_row[row]))
            for place, (name, feature) in enumerate(zip(labels, others, strict=True), 1):
                seen[3 * row + place].add(labels[name][int(feature.of_row[row])])
    assert seen[:3] == [{20}, {"Oslo", "Bergen"}, {"a", "b"}]
    assert seen[3:6] == [{20, 30, 40}, {"Lyon"}, {None}]
    assert seen[6:] == [{30, 40}, set(labels["town"]), {"a", "b", None}]
    age, job = (coder.released(released, np.random.default_rng(0))["middle"][place] for place in (0, 2))
    assert age.of_row.tolist() == [20, 30, 35]
    assert job.mixture[job.of_row].round(2).tolist() == [[0.5, 0.5, 0], [0, 0, 1], [0.33, 0.33, 0.33]]


def test_a_cell_of_several_labels_has_the_mean_of_their_shares(modules: dict[str, ModuleType]) -> None:
    import numpy as np

    usefulness = modules["usefulness"]
    # 30 rows of a, 10 of them rich; 10 of b, all rich; one cell of both: half a row each, rich.  Overall 21 of 41, of
    # which ten rows are added: a (10.5 + 5.122) / 40.5, b (10.5 + 5.122) / 20.5
    feature = usefulness.Feature(np.repeat([0, 1, 2], [30, 10, 1]), np.array([[1, 0], [0, 1], [0.5, 0.5]]))
    truth = np.array([True] * 10 + [False] * 20 + [True] * 11)
    found = usefulness.Shares.learn([feature], truth).apply([feature])[:, 0]
    assert found[[0, 30, 40]].round(4).tolist() == [0.3857, 0.762, 0.5739]


def test_usefulness_runs_in_full_with_small_settings(data: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(EXPERIMENTS / "usefulness.py"), "--quick", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    written = (tmp_path / "usefulness.md").read_text("utf-8")
    for way in ("majority class | -", "pruned tree, raw table | -", "KAnonymousTree, defaults | 10", "by tree | 10"):
        assert f"{way} |" in written
