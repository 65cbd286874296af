"""What a release promises and costs, as a document, as JSON and as text for people."""

from covey.report.document import KeptValues, Report
from covey.report.summary import release_text, verdict_text

__all__ = ["KeptValues", "Report", "release_text", "verdict_text"]
