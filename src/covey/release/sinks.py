"""Where a release goes: into a frame of the same kind, or a file.  A sink publishes what was proved, or nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from covey.ask.job import Job
from covey.base.arrays import IntVector
from covey.base.errors import UnknownColumn, VerificationFailed
from covey.release.clock import Clock
from covey.release.sources import FileSource, FrameSource
from covey.tables import files, frames
from covey.verifier import Verdict, verify, verify_written

__all__ = ["Columns", "FileSink", "FrameSink", "Sink"]

Columns = Sequence[tuple[str, str | pa.Array]]
"""The released columns in order: the name of a column that is kept as it is, or released values."""


class FrameSink:
    """A table of the kind that came in."""

    def __init__(self, source: FrameSource) -> None:
        self.source = source
        self.table: Any = None
        """The release, once it is published."""

    def publish(
        self, columns: Columns, rows: IntVector, promises: Mapping[str, Any], job: Job, clock: Clock
    ) -> Verdict:
        """Build the table, and keep it if it is proved."""
        frame = self.source.frame
        is_whole = np.array_equal(rows, np.arange(self.source.n_rows))
        with clock.step("write", "building the table"):
            released = frames.rebuild(frame, None if is_whole else rows, columns)
        with clock.step("verify", "verifying"):
            schema = job.schema
            verdict = _proven(lambda: verify(released, original=frame, schema=schema, roles=schema, **promises))
        self.table = released
        return verdict


class FileSink:
    """A CSV, Parquet or Arrow file, or stdout: written beside its name, read back, verified, renamed."""

    def __init__(self, source: FileSource, target: str, *, force: bool, proved: Callable[[], None]) -> None:
        self.source = source
        self.target = target
        self.force = force
        self.proved = proved
        """Called when all is proved, just before the file gets its name."""

    def publish(
        self, columns: Columns, rows: IntVector, promises: Mapping[str, Any], job: Job, clock: Clock
    ) -> Verdict:
        """Write the file, have it read back and proved, and rename it."""
        source, file = self.source, self.source.file
        verdicts: list[Verdict] = []

        def check(path: str) -> None:
            with clock.step("verify", "reading back and verifying"):
                written = files.written_options(self.target, file.csv, tuple(released.column_names))
                # which encoding the source has is found out again, not told by who may have mistaken it
                found = {**file.csv.as_told(), "encoding": job.csv.get("encoding")}
                facts = {"source": source.path if file.data is None else file.data, "source_csv": found, **promises}
                verdicts.append(_proven(lambda: verify_written(path, written.as_told(), schema=job.schema, **facts)))
            self.proved()

        with clock.step("write", "writing"):
            released = self._table(columns, rows)
            files.write_table(
                released, self.target, format=file.format, csv=file.csv, force=self.force, check=check,
                source=source.path,
            )  # fmt: skip
        return verdicts[0]

    def _table(self, columns: Columns, rows: IntVector) -> pa.Table:
        """Return the release as Arrow; in a file that has types, text is text and no category."""
        source = self.source
        kept = frames.take_table(source.columns([one for _, one in columns if isinstance(one, str)]), rows)
        released = pa.table({name: kept.column(one) if isinstance(one, str) else one for name, one in columns})
        if files.target_format(self.target, source.file.format) == "csv":
            return released
        return _with_plain_text(
            released, [name for name, one in columns if not (source.typed and isinstance(one, str))]
        )


Sink = FrameSink | FileSink
"""Takes a release: writes it where nobody sees it, has it verified, then gives it its name.

Its `publish` publishes columns, of which those that are kept take the given rows of the source, once all promises are
proved.
"""


def _proven(check: Callable[[], Verdict]) -> Verdict:
    """Return the verdict on what is about to be published; raise unless it holds."""
    verdict = None
    with contextlib.suppress(UnknownColumn):  # the release lacks one
        verdict = check()
    if verdict is None or not verdict.ok:
        raise VerificationFailed(
            "the release did not pass its own verification, so nothing was published",
            code="verification-failed",
            hint="this is a fault of covey: please report it with the settings used, never with the data",
        )
    return verdict


def _with_plain_text(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """Return the table with plain text in these columns, where dictionaries would be read as categories."""
    for name in names:
        place = table.schema.get_field_index(name)
        kind = table.schema.field(place).type
        if pa.types.is_dictionary(kind):
            table = table.set_column(place, name, table.column(place).cast(kind.value_type))
    return table
