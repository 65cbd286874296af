"""Many algorithms on one table, one table of results; each runs in a process that can be stopped and measured."""

from covey.comparison.runs import compare, compare_file
from covey.report.comparison import Comparison, Row

__all__ = ["Comparison", "Row", "compare", "compare_file"]
