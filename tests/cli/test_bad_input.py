"""Bad input: one clear sentence, the right exit code, nothing written, and never a cell value."""

from __future__ import annotations

from pathlib import Path

import pytest

SECRET = "Xanthippe"
"""A cell value that must never be seen in a message."""

PEOPLE = f"name,age,sex,ill\n{SECRET},34,f,flu\nBo,35,f,flu\nCy,61,m,gout\nDi,63,m,flu\n"
ROLES = ("--identifier", "name", "--quasi", "age,sex", "--sensitive", "ill")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    return tmp_path


def expect(run, folder: Path, code: int, sentence: str, *words: object) -> None:
    """Run and check: exit code, one sentence on stderr, no output file, no value."""
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    found = run(*words)
    assert found.code == code, found
    assert sentence in found.err
    assert found.out == ""
    assert "Traceback" not in found.err
    assert SECRET not in found.err
    assert found.err.count("error:") + found.err.count("Error:") == 1
    after = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert after == before, "a refused command must leave the folder as it was"


def anonymize(folder: Path, *words: object, source: str = "people.csv", k: object = 2) -> tuple[object, ...]:
    return ("anonymize", folder / source, "-o", folder / "out.csv", "-k", k, *(words or ROLES))


def test_more_rows_asked_than_there_are(run, folder):
    expect(run, folder, 1, "k = 5 needs at least 5 rows", *anonymize(folder, k=5))


def test_no_such_file(run, folder):
    expect(run, folder, 2, "no file", *anonymize(folder, source="nobody.csv"))


def test_empty_file(run, folder):
    (folder / "people.csv").write_text("")
    expect(run, folder, 2, "empty", *anonymize(folder))


def test_header_only(run, folder):
    (folder / "people.csv").write_text("name,age,sex,ill\n")
    expect(run, folder, 2, "no rows", *anonymize(folder))


def test_k_of_one(run, folder):
    expect(run, folder, 2, "`k` must be at least 2, not 1", *anonymize(folder, k=1))


def test_k_that_is_a_word(run, folder):
    expect(run, folder, 2, "`-k` must be a whole number", *anonymize(folder, k="two"))


def test_no_k(run, folder):
    expect(run, folder, 2, "no k was given", "anonymize", folder / "people.csv", "-o", folder / "out.csv", *ROLES)


def test_unknown_column(run, folder):
    words = ("--identifier", "name", "--quasi", "agee,sex", "--sensitive", "ill", "--other", "age")
    expect(run, folder, 2, "no column `agee`", *anonymize(folder, *words))


def test_unknown_algorithm(run, folder):
    expect(run, folder, 2, "no algorithm `mondrain`", *anonymize(folder, *ROLES, "--algorithm", "mondrain"))


def test_unknown_option_of_an_algorithm(run, folder):
    words = (*ROLES, "--algorithm", "mondrian(relax=true)")
    expect(run, folder, 2, "no option `relax`", *anonymize(folder, *words))


def test_column_without_a_role(run, folder):
    expect(run, folder, 2, "2 columns without a role: `name`, `ill`", *anonymize(folder, "--quasi", "age,sex"))


def test_column_in_two_roles(run, folder):
    words = ("--identifier", "name,age", "--quasi", "age,sex", "--sensitive", "ill")
    expect(run, folder, 2, "1 column in more than one role: `age`", *anonymize(folder, *words))


def test_duplicate_column_names(run, folder):
    (folder / "people.csv").write_text(PEOPLE.replace("name,age,sex", "name,age,age"))
    expect(run, folder, 2, "the name of column 2 again (column 3)", *anonymize(folder))


def test_value_missing_from_a_taxonomy(run, folder):
    (folder / "sex.csv").write_text("m;*\n")
    words = (*ROLES, "--taxonomy", f"sex={folder / 'sex.csv'}")
    expect(
        run, folder, 2, "column `sex` has 1 value that the taxonomy `sex.csv` does not have", *anonymize(folder, *words)
    )


def test_text_in_a_numeric_column(run, folder):
    (folder / "people.csv").write_text(PEOPLE.replace("35", SECRET))
    words = (*ROLES, "--type", "age=numeric")
    expect(run, folder, 2, "column `age` has 1 value that is no number (first in line 3)", *anonymize(folder, *words))


def test_unreadable_encoding(run, folder):
    (folder / "people.csv").write_bytes(PEOPLE.replace("Bo", "Bö").encode("latin-1"))
    expect(run, folder, 2, "line 3", *anonymize(folder))


def test_ragged_rows(run, folder):
    (folder / "people.csv").write_text(PEOPLE.replace("Bo,35,f,flu", f"{SECRET},35,f"))
    expect(run, folder, 2, "line 3", *anonymize(folder))


def test_broken_parquet(run, folder):
    (folder / "people.parquet").write_bytes(b"PAR1" + SECRET.encode() + b"PAR1")
    expect(run, folder, 2, "people.parquet", *anonymize(folder, source="people.parquet"))


def test_output_folder_missing(run, folder):
    words = ("anonymize", folder / "people.csv", "-o", folder / "no" / "out.csv", "-k", 2, *ROLES)
    expect(run, folder, 2, "no folder", *words)


def test_output_exists(run, folder):
    (folder / "out.csv").write_text("precious")
    expect(run, folder, 2, "exists", *anonymize(folder))


def test_output_is_the_input(run, folder):
    words = ("anonymize", folder / "people.csv", "-o", folder / "people.csv", "-k", 2, *ROLES, "--force")
    expect(run, folder, 2, "the input", *words)


def test_json_and_stdout_together(run, folder):
    words = ("anonymize", folder / "people.csv", "-o", "-", "-k", 2, *ROLES, "--json")
    expect(run, folder, 2, "both want stdout", *words)


def test_a_role_that_is_not_built(run, folder):
    rest = ("--entity", "name", "--quasi", "age,sex", "--sensitive", "ill")
    expect(run, folder, 2, "is not available in this version", *anonymize(folder, *rest))


def test_a_consent_column_of_other_words(run, folder):
    words = ("--consent", "name", "--quasi", "age,sex", "--sensitive", "ill")
    expect(run, folder, 2, "neither yes nor no", *anonymize(folder, *words))


@pytest.mark.parametrize(
    ("model", "sentence", "code"),
    [
        ("t-closeness(ill, t=0.2)", "there is no privacy model `t-closeness`", 2),
        ("distinct-l-diversity(ill)", "distinct-l-diversity is not given in full", 2),
        ("distinct-l-diversity(nothing, l=2)", "column `nothing` is asked for by a model", 2),
        ("distinct-l-diversity(ill, l=9)", "cannot be met for column `ill`", 1),
        ("k-consistency(k=2)", "is no model that can be asked for", 2),
    ],
)
def test_models_that_cannot_be_used(run, folder, model, sentence, code):
    expect(run, folder, code, sentence, *anonymize(folder, *ROLES, "--model", model))


def test_misspelt_key_in_a_job(run, folder):
    (folder / "covey.toml").write_text('k = 2\nalgoritm = "mondrian"\n')
    words = ("anonymize", folder / "people.csv", "--job", folder / "covey.toml", "-o", folder / "out.csv")
    expect(run, folder, 2, "did you mean `algorithm`?", *words)


def test_an_internal_fault_shows_its_place_and_no_value(run, folder, monkeypatch):
    def fail(*args, **kwargs):
        raise RuntimeError(SECRET)

    monkeypatch.setattr("covey.release.product.recode", fail)
    expect(run, folder, 70, "internal fault (RuntimeError at", *anonymize(folder))


def test_a_release_that_fails_its_check_is_not_published(run, folder, monkeypatch):
    import pyarrow as pa

    from covey.release import path

    honest = path._published_columns

    def lie(*args):
        columns = honest(*args)
        return [(n, pa.array([SECRET, "1", "2", "3"]) if n == "age" else values) for n, values in columns]

    monkeypatch.setattr(path, "_published_columns", lie)
    expect(run, folder, 70, "did not pass its own verification", *anonymize(folder))


def test_disk_full_while_writing(run, folder, monkeypatch):
    import errno
    import os

    honest = os.write

    def full(descriptor, data):
        if descriptor > 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return honest(descriptor, data)

    monkeypatch.setattr(os, "fsync", lambda descriptor: full(descriptor, b""))
    expect(run, folder, 70, "No space left on device", *anonymize(folder))


def test_interrupt_while_clustering(run, folder, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("covey.release.product.recode", interrupt)
    found = run(*anonymize(folder))
    assert found.code == 130
    assert found.err == "interrupted: no half-written file is left\n"
    monkeypatch.setattr("covey.verifier.from_files.verify", interrupt)
    checked = run("verify", folder / "people.csv", "-k", "2", "--quasi", "age")
    assert (checked.code, checked.err) == (130, "interrupted\n")
    assert [path.name for path in folder.iterdir()] == ["people.csv"]


def test_a_report_in_the_place_of_the_release(run, folder):
    words = anonymize(folder, *ROLES, "--report", folder / "." / "out.csv", "--force")
    expect(run, folder, 2, "`--report` and `-o` name the same file", *words)


def test_a_report_without_a_name(run, folder):
    expect(run, folder, 2, "`--report` needs a file name", *anonymize(folder, *ROLES, "--report", "-"))


def test_a_list_of_columns_with_a_bare_line_end(run, folder):
    expect(run, folder, 2, "a list of columns cannot be read", *anonymize(folder, "--quasi", "age,s\nex"))


def test_a_job_nested_too_deeply(run, folder):
    (folder / "deep.toml").write_text("a = " + "[" * 3000 + "]" * 3000)
    expect(run, folder, 2, "nested too deeply", *anonymize(folder, "--job", folder / "deep.toml"))


def test_a_weight_that_no_sum_can_hold(run, folder):
    expect(run, folder, 2, "`weight` of column `age`", *anonymize(folder, *ROLES, "--weight", "age=1e308"))
