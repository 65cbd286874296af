"""The table that people read: a block for each k, the best marked, what failed told."""

from __future__ import annotations

from dataclasses import replace

from covey.report.comparison import Row, ranked
from made_comparison import made_comparison

TABLE = """\
4 algorithms on 1,000 rows, k = 2, 10; least loss first

  k = 2             loss  Total-IL    GCP     DM     CM     ED  query  classes      s  MB
  non-homogeneous  1.00%        20  10.0%      -      -      -  20.0%        -  0.000  21
  linkage          5.00%        10  10.0%  2,048  1.20%  0.00%  20.0%       40    123  21  sampled: 100 of 1,000
* mondrian         12.5%       250  10.0%  2,048  1.20%  0.00%  20.0%       40  0.050  21
  a<b>&c           25.0%       500  10.0%  2,048  1.20%  0.00%  20.0%       40   12.2  21

  k = 10            loss  Total-IL    GCP     DM     CM     ED  query  classes      s  MB
  non-homogeneous  10.0%       200  10.0%      -      -      -  20.0%        -  0.001  21
  linkage          40.0%        80  10.0%  2,048  1.20%  0.00%  20.0%       40   99.0  21  sampled: 100 of 1,000
* mondrian         50.0%     1,000  10.0%  2,048  1.20%  0.00%  20.0%       40  0.040  21
  a<b>&c           failed: it took over 60 s, the limit
"""


def test_the_table_word_for_word():
    assert str(made_comparison()).startswith(TABLE)


def test_what_the_figures_mean_stands_below():
    legend = str(made_comparison()).removeprefix(TABLE).splitlines()
    assert legend[:3] == [
        "",
        "  *         the least loss at this k",
        "  loss      mean price of a released cell, 0 to 100 %",
    ]
    assert "  CM        rows not of their class's majority in `income`" in legend
    assert "  ED        rows in classes with one value of `ill`" in legend
    assert "  -         it makes no classes: its promise is another, so it is never marked" in legend
    assert legend[-1].startswith("  sampled   too slow for all rows: ")


def test_columns_that_nobody_has_are_left_out():
    row = Row("mdav", 3, 50, True, total_il=5.0, mean_price=0.1, seconds=0.1)
    text = _only(row)
    assert text.splitlines()[:4] == [
        "1 algorithm on a sample of 50 of 1,000 rows, k = 3; least loss first",
        "",
        "  k = 3   loss  Total-IL      s",
        "* mdav   10.0%         5  0.100",
    ]
    assert "CM" not in text
    assert "sampled" not in text  # all of them are, as the first line says


def test_a_comparison_in_which_all_failed_still_says_why():
    text = _only(Row("mdav", 3, 50, True, failure="there was not enough memory"))
    assert text.splitlines()[2:4] == ["  k = 3", "  mdav   failed: there was not enough memory"]


def _only(row: Row) -> str:
    return str(replace(made_comparison(), rows=ranked([row], [True]), sample=50))
