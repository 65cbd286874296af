"""Charts as files: by the ending of the name, whole, and without a reference to any network."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from covey.base.errors import InputError
from covey.report.comparison import Row, ranked
from made_comparison import made_comparison


@pytest.mark.parametrize(
    ("ending", "start"),
    [
        ("svg", b"<svg"),
        ("png", b"\x89PNG\r\n"),
        ("html", b"<!DOCTYPE html>"),
        ("json", b'{\n  "$schema"'),
        ("SVG", b"<svg"),
    ],
)
def test_the_ending_tells_the_format(tmp_path, ending, start):
    path = tmp_path / f"chart.{ending}"
    made_comparison().save_chart(path)
    assert path.read_bytes().startswith(start)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_the_json_is_the_specification(tmp_path):
    comparison = made_comparison()
    comparison.save_chart(tmp_path / "chart.json")
    assert json.loads((tmp_path / "chart.json").read_text()) == json.loads(json.dumps(comparison.chart()))


def test_svg_holds_a_line_for_each_algorithm_in_each_panel(tmp_path):
    made_comparison().save_chart(tmp_path / "chart.svg")
    text = (tmp_path / "chart.svg").read_text()
    assert text.count('aria-roledescription="line mark"') == 8
    assert "a&lt;b&gt;&amp;c" in text
    assert "k, least rows in a class (log scale)" in text


class Reader(HTMLParser):
    """Notes the tags, and the text of table cells."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.inside = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag in ("th", "td"):
            self.cells.append("")
            self.inside = True

    def handle_endtag(self, tag):
        self.inside &= tag not in ("th", "td")

    def handle_data(self, data):
        if self.inside:
            self.cells[-1] += data


def test_html_asks_nothing_of_a_network_and_escapes_everything(tmp_path):
    hostile = Row('<script>alert("x")</script>', 2, 9, False, failure="<img src=x>")
    made = made_comparison()
    replace(made, rows=(*made.rows, hostile), version="<b>").save_chart(tmp_path / "chart.html")
    text = (tmp_path / "chart.html").read_text()
    assert set(re.findall(r"https?://[^\s\"'<>]+", text)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    reader = Reader(text)
    assert not {"script", "img", "link", "iframe", "b"} & set(reader.tags)
    assert not re.search(r"@import|url\(|\bon\w+=", text)
    assert "failed: <img src=x>" in reader.cells


def test_html_has_the_figures_of_every_row(tmp_path):
    made_comparison().save_chart(tmp_path / "chart.html")
    cells = Reader((tmp_path / "chart.html").read_text()).cells
    assert "mondrian *" in cells
    assert "sampled: 100 of 1,000" in cells
    assert "12.5%" in cells
    assert "failed: it took over 60 s, the limit" in cells


def test_a_chart_without_a_point_can_be_drawn(tmp_path):
    none = replace(made_comparison(), rows=ranked([Row("a", 5, 9, False, failure="no")], [True]))
    none.save_chart(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").stat().st_size > 1000


def test_an_existing_file_is_kept_unless_forced(tmp_path):
    path = tmp_path / "chart.json"
    path.write_text("mine")
    with pytest.raises(InputError) as found:
        made_comparison().save_chart(path)
    assert found.value.code == "exists"
    assert path.read_text() == "mine"
    made_comparison().save_chart(path, force=True)
    assert path.read_text() != "mine"


def test_an_unknown_ending_is_refused(tmp_path):
    with pytest.raises(InputError) as found:
        made_comparison().save_chart(tmp_path / "chart.gif")
    assert found.value.code == "unknown-format"


def test_without_the_package_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(InputError) as found:
        made_comparison().save_chart(tmp_path / "chart.svg")
    assert found.value.code == "not-installed"
    assert 'pip install "covey[report]"' in found.value.hint
    made_comparison().save_chart(tmp_path / "chart.json")
    assert [file.name for file in tmp_path.iterdir()] == ["chart.json"]
