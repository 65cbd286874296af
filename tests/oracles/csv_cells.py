"""CSV by a plain state machine, one byte at a time: the twin of `covey.tables.csv.layout`."""

from __future__ import annotations

__all__ = ["plain_records"]


def plain_records(data: bytes, separator: bytes) -> tuple[list[tuple[int, list[bytes], bool]], bool]:
    """Return ([(line, cells, is_blank)], open): the records, and whether a quote is open at the end."""
    records: list[tuple[int, list[bytes], bool]] = []
    line, i = 1, 0
    is_open = False
    while i < len(data):
        start_line, cells, cell = line, [], b""
        quoted = touched = False  # inside quotes; anything but a line end seen
        at_start = True  # at the start of a cell
        while True:
            if i == len(data):
                is_open = quoted
                break
            byte = data[i : i + 1]
            end = data[i : i + 2] if data[i : i + 2] == b"\r\n" else byte
            if quoted:
                if byte == b'"' and data[i + 1 : i + 2] == b'"':
                    cell, i = cell + b'"', i + 2
                elif byte == b'"':
                    quoted, i = False, i + 1
                else:
                    line += byte == b"\n" or (byte == b"\r" and data[i + 1 : i + 2] != b"\n")
                    cell, i = cell + byte, i + 1
                continue
            if end in (b"\n", b"\r", b"\r\n"):
                line, i = line + 1, i + len(end)
                break
            touched = True
            i += 1
            if byte == separator:
                cells, cell, at_start = [*cells, cell], b"", True
            elif byte == b'"' and at_start:
                quoted, at_start = True, False
            else:
                cell, at_start = cell + byte, False
        records.append((start_line, [*cells, cell], not touched))
    return records, is_open
