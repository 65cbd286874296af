"""The chart of a comparison: a line per algorithm in two labelled panels, told apart without colour."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from covey.report.charts import COLOURS, DASHES, SHAPES
from covey.report.comparison import Row, ranked
from made_comparison import made_comparison


def panels(chart):
    return chart["hconcat"][:2]


def test_each_panel_has_a_line_per_algorithm_with_a_look_of_its_own():
    chart = made_comparison().chart()
    for panel in panels(chart):
        line, point = panel["layer"]
        assert (line["mark"]["type"], point["mark"]["type"]) == ("line", "point")
        scales = [line["encoding"][channel]["scale"] for channel in ("stroke", "strokeDash")]
        scales.append(point["encoding"]["shape"]["scale"])
        names = scales[0]["domain"]
        assert set(names) == {"mondrian", "a<b>&c", "linkage", "non-homogeneous"}
        assert all(scale["domain"] == names for scale in scales)
        assert len(set(zip(*[map(str, scale["range"]) for scale in scales], strict=True))) == 4
        assert {value["algorithm"] for value in panel["data"]["values"]} == set(names)


def test_axes_say_what_they_show_and_in_which_unit():
    by_k, by_time = panels(made_comparison().chart())
    assert by_k["encoding"]["x"]["title"] == "k, least rows in a class (log scale)"
    assert by_k["encoding"]["x"]["axis"]["values"] == [2, 10]
    assert by_time["encoding"]["x"]["title"] == "seconds of the algorithm (log scale)"
    assert by_time["encoding"]["x"]["scale"]["type"] == "log"
    for panel in (by_k, by_time):
        assert panel["encoding"]["y"]["title"] == "loss, mean price of a released cell"
        assert panel["encoding"]["y"]["axis"]["format"].endswith("%")
        assert panel["encoding"]["y"]["scale"]["domain"][0] == 0


def test_every_point_lies_within_the_axes():
    chart = made_comparison().chart()
    for panel in panels(chart):
        assert len(panel["data"]["values"]) == 7  # one of eight runs failed
        top = panel["encoding"]["y"]["scale"]["domain"][1]
        assert all(0 <= value["loss"] <= top for value in panel["data"]["values"])
        assert all(value["seconds"] > 0 for value in panel["data"]["values"])  # a log scale has no zero


def test_the_legend_stands_in_the_order_of_the_lines_and_tells_samples():
    names = made_comparison().chart()["hconcat"][2]["data"]["values"]
    # at k = 10: 50 %, 40 %, 10 %; the one that failed there by its loss at k = 2, 25 %
    assert [row["text"] for row in names] == ["mondrian", "linkage (100 rows)", "a<b>&c", "non-homogeneous"]
    assert [row["sampled"] for row in names] == [False, True, False, False]


def test_the_title_says_what_is_not_shown():
    title = made_comparison().chart()["title"]
    assert title["text"] == "What 4 algorithms lose on 1,000 rows"
    assert title["subtitle"][-1] == "Not shown, because the run failed: a<b>&c at k = 10."
    sampled = replace(made_comparison(), sample=100).chart()["title"]
    assert sampled["text"] == "What 4 algorithms lose on a sample of 100 of 1,000 rows"


def test_as_many_lines_as_there_are_algorithms_differ_in_more_than_colour():
    many = [Row(f"a{i}", 2, 9, False, mean_price=i / 30, seconds=1.0) for i in range(26)]
    chart = replace(made_comparison(), rows=ranked(many, [True] * 26)).chart()
    line, point = panels(chart)[0]["layer"]
    looks = list(
        zip(
            line["encoding"]["stroke"]["scale"]["range"],
            map(tuple, line["encoding"]["strokeDash"]["scale"]["range"]),
            point["encoding"]["shape"]["scale"]["range"],
            strict=True,
        )
    )
    assert len(set(looks)) == 26
    without_colour = [look[1:] for look in looks]
    assert len(set(without_colour)) >= 20
    assert set(looks) <= set(product(COLOURS, DASHES, SHAPES))


def test_one_k_many_k_and_none_that_ran():
    one = replace(made_comparison(), rows=ranked([Row("a", 5, 9, False, mean_price=0.0, seconds=0.0)], [True]))
    assert panels(one.chart())[0]["encoding"]["x"]["scale"]["type"] == "linear"
    assert panels(one.chart())[0]["encoding"]["y"]["scale"]["domain"][1] > 0
    many = ranked([Row("a", k, 9, False, mean_price=0.1, seconds=0.1) for k in range(2, 60)], [True] * 58)
    ticks = panels(replace(made_comparison(), rows=many).chart())[0]["encoding"]["x"]["axis"]["values"]
    assert len(ticks) == 12
    assert (ticks[0], ticks[-1]) == (2, 59)
    none = replace(made_comparison(), rows=ranked([Row("a", 5, 9, False, failure="no")], [True]))
    assert panels(none.chart())[0]["data"]["values"] == []
