"""The verifier's own readers of tables: CSV, Parquet and Arrow files, and frames."""

from covey.verifier.tables.files import read_file
from covey.verifier.tables.frames import arrow_of, has_telling_index, names_of, opened
from covey.verifier.tables.names import Names
from covey.verifier.tables.written import FileRead, Written

__all__ = ["FileRead", "Names", "Written", "arrow_of", "has_telling_index", "names_of", "opened", "read_file"]
