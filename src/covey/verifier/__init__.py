"""From a published table to a verdict, by code that reads, types and counts for itself.

What it shares with the maker of releases says what is asked, and touches no cell: the schema, the job, the names of
algorithms and models, taxonomies and missing values as they were declared; beside that errors, rules for parameters,
names of array types, and which columns look like keys, for warnings.  `tests/verifier/test_wall.py` lists all of it.
"""

from covey.verifier.from_files import verify_file, verify_written
from covey.verifier.judge import verify
from covey.verifier.verdict import ModelVerdict, OffendingClass, Truth, Verdict

__all__ = ["ModelVerdict", "OffendingClass", "Truth", "Verdict", "verify", "verify_file", "verify_written"]
