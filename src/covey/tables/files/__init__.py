"""CSV, Parquet and Arrow IPC files in as Arrow tables, and out whole or not at all."""

from covey.tables.csv.options import CsvOptions, options_told
from covey.tables.csv.render import render_text
from covey.tables.files.order import shuffle_rows
from covey.tables.files.reading import FileTable, read_table
from covey.tables.files.target import TABLE_ENDINGS, check_ending, check_target, target_format, written_options
from covey.tables.files.text import publish_text, write_text
from covey.tables.files.writing import write_table

__all__ = [
    "TABLE_ENDINGS",
    "CsvOptions",
    "FileTable",
    "check_ending",
    "check_target",
    "options_told",
    "publish_text",
    "read_table",
    "render_text",
    "shuffle_rows",
    "target_format",
    "write_table",
    "write_text",
    "written_options",
]
