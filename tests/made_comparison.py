"""A comparison made by hand, with all that can happen to a row."""

from covey.report.comparison import Comparison, Row, ranked


def made_comparison(**changes) -> Comparison:
    """Return two k: a best row, one of a sample that lost less, one without classes, and one that failed."""
    common = {"gcp": 0.1, "query_error": 0.2, "release_seconds": 1.5, "peak_memory_mb": 21.4}
    classes = {"classes": 40, "dm": 2048, "cm": 12, "cm_share": 0.012, "ed": 0, "ed_share": 0.0}
    rows = [
        Row("mondrian", 2, 1000, False, total_il=250.0, mean_price=0.125, seconds=0.05, **classes, **common),
        Row("mondrian", 10, 1000, False, total_il=1000.0, mean_price=0.5, seconds=0.04, **classes, **common),
        Row("a<b>&c", 2, 1000, False, total_il=500.0, mean_price=0.25, seconds=12.25, **classes, **common),
        Row("a<b>&c", 10, 1000, False, failure="it took over 60 s, the limit"),
        Row("linkage", 2, 100, True, total_il=10.0, mean_price=0.05, seconds=123.4, **classes, **common),
        Row("linkage", 10, 100, True, total_il=80.0, mean_price=0.4, seconds=99.0, **classes, **common),
        Row("non-homogeneous", 2, 1000, False, total_il=20.0, mean_price=0.01, seconds=0.0, **common),
        Row("non-homogeneous", 10, 1000, False, total_il=200.0, mean_price=0.1, seconds=0.001, **common),
    ]
    may_be_best = [row.algorithm in ("mondrian", "a<b>&c") for row in rows]
    facts = {
        "version": "0.1.0", "table_rows": 1000, "quasi": ("age", "sex"), "target": "income", "sensitive": "ill",
        "seed": 0, "limit": 60.0, "effort": "balanced", "budget": None, "sample": None,
    }  # fmt: skip
    return Comparison(rows=ranked(rows, may_be_best), **{**facts, **changes})
