"""The rows that a release says it has are checked against the whole original."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from covey.verifier import verify

ORIGINAL = pa.table({"age": [30, 31, 40, None], "agrees": [True, False, False, False]})


def check(ages, rows, agrees=(True, False, False, False), **settings):
    table = pa.table({"age": ages, "agrees": list(agrees)[: len(ages)]})
    return verify(
        table,
        quasi=["age"],
        types={"age": "numeric"},
        original=ORIGINAL,
        rows=np.array(rows),
        order="kept",
        consent="agrees",
        **settings,
    )


def test_rows_in_any_order_are_compared_one_by_one():
    verdict = check(["[40, 41]", "30", "31", None], [2, 0, 1, 3], agrees=(False, True, False, False))
    assert verdict.ok
    assert verdict.truthful.kind == "aligned"


@pytest.mark.parametrize("rows", [[0, 1, 2], [0, 1, 2, 2], [0, 1, 2, 4], [-1, 1, 2, 3], [1, 0, 2, 3]])
def test_a_false_witness_fails(rows):
    assert not check(["30", "31", "40", None], rows).ok


def test_rows_are_left_out_only_as_allowed():
    assert not check(["30", "31", "40"], [0, 1, 2]).ok
    assert check(["30", "31", "40"], [0, 1, 2], suppression=0.25).ok
    assert check(["30", "31", "40"], [0, 1, 2], missing="suppress").ok


def test_a_row_with_a_missing_value_is_left_out_where_that_is_asked():
    assert not check(["30", "31", "40", None], [0, 1, 2, 3], missing="suppress").ok


def test_nobody_who_agreed_is_left_out():
    kept = ["31", "40", None]
    verdict = check(kept, [1, 2, 3], agrees=(False, False, False), suppression=0.25)
    assert not verdict.ok
    assert "agreed" in verdict.truthful.faults[0]
