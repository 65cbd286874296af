"""Where a table is to be written, and whether it may be."""

from __future__ import annotations

import os
from dataclasses import replace

from covey.base.errors import InputError
from covey.base.hints import Asked, hint
from covey.tables.csv.options import CsvOptions
from covey.tables.file_table import Format

__all__ = ["TABLE_ENDINGS", "check_ending", "check_target", "target_format", "written_options"]

_ENDINGS: dict[Format, tuple[str, ...]] = {
    "csv": (".csv", ".tsv", ".tab", ".txt"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
}
EXTENSIONS = {ending: known for known, endings in _ENDINGS.items() for ending in endings}
TABLE_ENDINGS = tuple(EXTENSIONS)
_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")


def check_ending(target: str, endings: tuple[str, ...], what: str) -> None:
    """Raise `InputError` if a name has an ending that promises another format than is written.

    what: that which is written, as in "the report".  A name without an ending promises nothing.

    >>> check_ending("out.csv", (".csv",), "the table"), check_ending("out", (".csv",), "the table")
    (None, None)
    """
    ending = os.path.splitext(target)[1].lower()
    if target == "-" or not ending or ending in endings:
        return
    listed = endings[0] if len(endings) == 1 else f"{', '.join(endings[:-1])} or {endings[-1]}"
    hint = f"let the name end in {listed}"
    if ending in _PACKED:
        hint += ", and compress the file afterwards"
    raise InputError(f"{what} cannot be written as `{ending}` (`{target}`)", code="unknown-format", hint=hint)


def target_format(target: str, fallback: str | None) -> Format:
    """Return the format that a path asks for by its ending; without one it is `fallback` (that of the input).

    >>> target_format("out.pq", "csv"), target_format("-", "arrow"), target_format("-", None)
    ('parquet', 'arrow', 'csv')
    """
    check_ending(target, TABLE_ENDINGS, "a table")
    ending = os.path.splitext(target)[1].lower()
    if target != "-" and ending in EXTENSIONS:
        return EXTENSIONS[ending]
    for known in _ENDINGS:
        if known == fallback:
            return known
    if target == "-":
        return "csv"
    raise InputError(
        f"the ending of `{target}` does not tell a format",
        code="unknown-format",
        hint="let the name end in .csv, .parquet or .arrow",
    )


def written_options(target: str, csv: CsvOptions, names: tuple[str, ...]) -> CsvOptions:
    """Return the options that a CSV file under this name is written with, and is to be read back with.

    Always UTF-8; a name in .tsv or .tab means tabs; else the separator of the input, or a comma.  Null
    is written as an empty cell.  names: those of the written columns.

    >>> written_options("out.tsv", CsvOptions(separator=";"), ("a",)).separator
    '\\t'
    """
    is_tabbed = os.path.splitext(target)[1].lower() in (".tsv", ".tab")
    return replace(
        csv,
        separator="\t" if is_tabbed else csv.separator or ",",
        encoding="utf-8",
        trust_header=True,
        skip_blanks=False,
        names=None if csv.header else names,
    )


def check_target(target: str, *, source: str | None, force: bool) -> None:
    """Raise `InputError` if nothing may be written under this name; to be asked before any work.

    source: the path of the input, which is never written over, under whatever name and even with `force`.
    """
    if target == "-":
        return
    folder = os.path.dirname(target) or "."
    if not target or "\0" in target:
        raise InputError("the output has no name", code="no-folder", hint="give a file name, or - for stdout")
    if os.path.basename(target).lower() in EXTENSIONS:  # a hidden file, and not of that format
        raise InputError(
            f"the output `{target}` is an ending without a name",
            code="unknown-format",
            hint=f"put a name before it: release{os.path.basename(target)}",
        )
    if not os.path.isdir(folder):
        raise InputError(
            f"there is no folder `{folder}` for the output", code="no-folder", hint="make the folder first"
        )
    if source not in (None, "-") and _is_same(target, str(source)):
        raise InputError(f"the output `{target}` is the input", code="same-file", hint="write under another name")
    if os.path.isdir(target):
        raise InputError(f"the output `{target}` is a folder", code="is-folder", hint="add a file name")
    if os.path.exists(target) and not os.path.isfile(target):
        raise InputError(
            f"the output `{target}` is no ordinary file", code="not-a-file", hint="give - to write to stdout"
        )
    if os.path.lexists(target) and not force:
        raise exists(target)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(
            f"this user may not write into the folder `{folder}`",
            code="no-permission",
            hint="choose another folder",
        )


def exists(target: str) -> InputError:
    """Return the error that says that the output is there already."""
    return InputError(
        f"the output `{target}` exists",
        code="exists",
        hint=hint("give {} to replace it, or another name", Asked("force", True)),
    )


def _is_same(target: str, source: str) -> bool:
    try:
        return os.path.samefile(target, source)
    except OSError:  # one of them is not there
        return False
