"""Records and lines of a CSV text, against a plain state machine and against pyarrow's reader."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from covey.tables.csv import layout as module
from covey.tables.csv.layout import first_record, layout, records
from oracles.csv_cells import plain_records

TEXTS = st.lists(st.sampled_from([b"a", b",", b'"', b"\n", b"\r", b"\r\n", b'""', b'","']), max_size=16).map(b"".join)


@pytest.mark.parametrize("piece", [1, 3, 8, 1 << 24])
def test_layout_agrees_with_a_plain_state_machine_whatever_the_pieces(monkeypatch, piece):
    monkeypatch.setattr(module, "PIECE", piece)

    @settings(max_examples=400, deadline=None)
    @given(TEXTS)
    @example(b'a"b,"c\n')
    @example(b'"a"b"c,d\n"x\ny",2')
    @example(b'"a\r\nb",c\r\n\r\n"')
    def check(data):
        expected, is_open = plain_records(data, b",")
        found = layout(data, 0, ",")
        assert found.lines.tolist() == [line for line, _, _ in expected]
        assert found.n_cells.tolist() == [len(cells) for _, cells, _ in expected]
        assert found.is_blank.tolist() == [is_blank for _, _, is_blank in expected]
        assert found.open_line == (expected[-1][0] if is_open else None)

    check()


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_cells_agree_with_a_plain_state_machine(data):
    expected, is_open = plain_records(data, b",")
    found = list(records(data, 0, ","))
    assert [list(record.cells) for record in found] == [cells for _, cells, _ in expected]
    assert (found[-1].is_open if found else False) == is_open


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_cells_are_those_that_the_reader_finds(data):
    found = [record for record in records(data, 0, ",") if not record.is_blank]
    widths = {len(record.cells) for record in found}
    if len(widths) != 1 or found[-1].is_open:
        return
    names = [str(i) for i in range(widths.pop())]
    table = pa.csv.read_csv(
        pa.BufferReader(data),
        read_options=pa.csv.ReadOptions(column_names=names),
        parse_options=pa.csv.ParseOptions(newlines_in_values=True),
        convert_options=pa.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
    )
    assert [tuple(row.values()) for row in table.to_pylist()] == [
        tuple(cell.decode() for cell in record.cells) for record in found
    ]


def test_a_text_from_the_middle_on():
    assert first_record(b"a,b\n1,2\n", 4, ",").cells == (b"1", b"2")
    assert layout(b"a,b\n1,2\n3\n", 4, ",").n_cells.tolist() == [2, 1]
    assert layout(b"", 0, ",").lines.tolist() == []
