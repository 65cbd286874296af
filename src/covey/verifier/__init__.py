"""From a published table to a verdict, by code that shares nothing with what made the table."""

from covey.verifier.from_files import verify_file, verify_written
from covey.verifier.judge import verify
from covey.verifier.verdict import ModelVerdict, NotChecked, OffendingClass, Truth, Verdict

__all__ = [
    "ModelVerdict",
    "NotChecked",
    "OffendingClass",
    "Truth",
    "Verdict",
    "verify",
    "verify_file",
    "verify_written",
]
