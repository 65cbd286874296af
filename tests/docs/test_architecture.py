"""The map of the house is the house: every room is on it in an order that the imports keep, and every place exists."""

import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "covey"
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
ROOMS = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
MOST_FILES = 14
"""No folder holds more than about a dozen files."""


def folders() -> list[Path]:
    found = {path.parent for path in SOURCE.rglob("*.py")}
    return sorted(found)


def test_every_room_is_on_the_map_once():
    packages = [path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()]
    assert sorted(ROOMS) == sorted(packages)


def test_the_root_holds_nothing_but_rooms():
    assert {path.name for path in SOURCE.glob("*.py")} == {"__init__.py", "__main__.py"}


def test_the_order_of_the_map_is_that_of_the_layers():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = (one["layers"] for one in contracts if one["type"] == "layers")
    place = {room: place for place, room in enumerate(ROOMS)}
    levels = [[place[room.strip().removeprefix("covey.")] for room in layer.split("|")] for layer in layers]
    assert sorted(room for level in levels for room in level) == list(range(len(ROOMS)))
    for high, low in pairwise(levels):
        assert min(high) > max(low)


@pytest.mark.parametrize("folder", folders(), ids=lambda folder: folder.relative_to(SOURCE).as_posix())
def test_a_folder_holds_about_a_dozen_files_and_says_what_they_are(folder):
    assert len(list(folder.glob("*.py"))) <= MOST_FILES
    first = (folder / "__init__.py").read_text("utf-8")
    assert re.match(r'"""\S.{15,}', first)


def test_every_place_on_the_map_exists():
    table = PAGE[PAGE.index("## Where a new thing goes") :]
    named = {name for name in re.findall(r"`([\w/.-]+/[\w.]*)`", table) if "NAME" not in name}
    assert len(named) >= 15
    for name in sorted(named):
        assert any((root / name).exists() for root in (ROOT, SOURCE)), name
