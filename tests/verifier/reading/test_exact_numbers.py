"""Numbers that no float holds, from file to verified file: published as they are, or not at all."""

from __future__ import annotations

import csv
from decimal import Decimal

import pytest

import covey.columns.domains.numbers
from covey.ask.job import Job
from covey.ask.schema import Schema
from covey.base.errors import VerificationFailed
from covey.release.pipeline import anonymize_file
from covey.verifier import verify_file

CELLS = ["9007199254740993", "9007199254740993", "0.5", "0.5", "0.10000000000000000001", "0.10000000000000000001"]
NEGATIVE = ["-9.5", "-9.5", "-0.25", "-0.125", "3", "4.5"]


def publish(folder, cells, **settings):
    """Publish a file of these numbers; return the paths of both files."""
    source, target = folder / "people.csv", folder / "out.csv"
    source.write_text("x,ill\n" + "".join(f"{cell},{ill}\n" for cell, ill in zip(cells, "abcdef", strict=True)))
    job = Job(schema=Schema.from_roles(quasi=["x"], sensitive=["ill"]), order="kept", **{"k": 2, **settings})
    anonymize_file(str(source), str(target), job)
    return source, target


def cells_of(path):
    with open(path, newline="") as file:
        return [row["x"] for row in csv.DictReader(file)]


def test_a_number_that_no_float_holds_is_published_to_its_last_digit(tmp_path):
    source, target = publish(tmp_path, CELLS)
    assert cells_of(target) == CELLS
    assert verify_file(str(target), k=2, quasi=["x"], original=str(source)).ok


def test_it_is_an_end_of_an_interval_to_its_last_digit(tmp_path):
    source, target = publish(tmp_path, CELLS, k=4)
    (cell,) = set(cells_of(target))
    low, high = cell.strip("[]").split(", ")
    assert (Decimal(low), Decimal(high)) == (Decimal("0.10000000000000000001"), 9007199254740993)
    assert verify_file(str(target), k=4, quasi=["x"], original=str(source)).ok


@pytest.mark.parametrize(
    ("true", "false"),
    [("9007199254740993", "9007199254740992"), ("0.10000000000000000001", "0.1"), ("0.5", "0.50000000000000000001")],
)
def test_the_number_beside_it_is_no_truth(tmp_path, true, false):
    source, target = publish(tmp_path, CELLS)
    target.write_text(target.read_text().replace(f"{true},", f"{false},"))
    assert not verify_file(str(target), k=2, quasi=["x"], original=str(source)).ok


@pytest.mark.parametrize(("broken", "cells"), [(abs, NEGATIVE), (round, NEGATIVE), (round, CELLS), (float, CELLS)])
def test_a_reader_that_loses_a_sign_or_a_digit_publishes_nothing(monkeypatch, tmp_path, broken, cells):
    honest = covey.columns.domains.numbers.parse_number
    monkeypatch.setattr("covey.columns.domains.numbers.parse_number", lambda *given: broken(honest(*given)))
    with pytest.raises(VerificationFailed):
        publish(tmp_path, cells)
    assert not (tmp_path / "out.csv").exists()
