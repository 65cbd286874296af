"""No file is written under a name that promises another format."""

from __future__ import annotations

import pytest

TEXT = "age,sex\n34,f\n35,f\n61,m\n63,m\n"
ANONYMIZE = ("anonymize", "people.csv", "--quasi", "age,sex", "-k", "2")
COMPARE = ("compare", "people.csv", "--quasi", "age,sex", "-k", "2", "--algorithms", "mondrian")


@pytest.fixture(autouse=True)
def people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(TEXT)
    (tmp_path / "model.json").write_text("{}")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "name", "endings"),
    [
        ((*ANONYMIZE, "-o"), "y.csv.gz", ".csv, .tsv, .tab, .txt, .parquet, .pq, .arrow, .feather or .ipc"),
        ((*ANONYMIZE, "-o"), "y.xlsx", ".csv, .tsv, .tab, .txt, .parquet, .pq, .arrow, .feather or .ipc"),
        ((*ANONYMIZE, "-o"), "y.foo", ".csv, .tsv, .tab, .txt, .parquet, .pq, .arrow, .feather or .ipc"),
        ((*ANONYMIZE, "-o", "y.csv", "--report"), "r.html", ".json"),
        ((*ANONYMIZE, "-o", "y.csv", "--report"), "r.pdf", ".json"),
        ((*COMPARE, "--csv"), "results.xlsx", ".csv"),
        ((*COMPARE, "--csv"), "results.tsv", ".csv"),
        ((*COMPARE, "--chart"), "chart.pdf", ".svg, .png, .html or .json"),
        (
            ("audit-model", "model.json", "people.csv", "--public", "age", "-k", "2", "--html"),
            "page.pdf",
            ".html or .htm",
        ),
        (("init", "people.csv", "-o"), "job.json", ".toml"),
        (("demo", "--save"), "hospital.xlsx", ".csv, .tsv, .tab, .txt, .parquet, .pq, .arrow, .feather or .ipc"),
        (("demo", "--save"), "hospital.csv.zip", ".csv, .tsv, .tab, .txt, .parquet, .pq, .arrow, .feather or .ipc"),
    ],
)
def test_a_telling_ending_of_another_format_is_refused(words, name, endings, run, people):
    before = sorted(people.iterdir())
    made = run(*words, name)
    assert made.code == 2, made.err
    assert f"`{name}`" in made.err
    assert f"let the name end in {endings}" in made.err
    assert sorted(people.iterdir()) == before


def test_a_name_without_an_ending_has_the_format_of_the_input(run, people):
    assert run(*ANONYMIZE, "-o", "release", "--report", "told").code == 0
    assert (people / "release").read_text().startswith("age,sex\n")
    assert (people / "told").read_text().startswith("{")


def test_a_packed_name_is_told_to_compress_afterwards(run):
    assert "compress the file afterwards" in run(*ANONYMIZE, "-o", "y.csv.gz").err
