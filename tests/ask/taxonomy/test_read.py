"""Taxonomy files: what is read, and one clear sentence for each file that cannot be."""

from __future__ import annotations

import pytest

from covey.ask.taxonomy import Taxonomy
from covey.base.errors import InputError

EXPECTED = Taxonomy.from_dict({"Europe": {"West": ["France", "Spain"]}, "Asia": ["Japan"]})
ROWS = "France;West;Europe;*\nSpain;West;Europe;*\nJapan;Asia;*\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", ROWS.encode()),
        ("a.CSV", ROWS.encode()),
        ("bom.csv", b"\xef\xbb\xbf" + ROWS.encode()),
        ("crlf.csv", ROWS.replace("\n", "\r\n").encode()),
        ("blank.csv", b"\n" + ROWS.replace("\n", "\n\n").encode() + b"\n"),
        ("no-end.csv", ROWS.rstrip("\n").encode()),
        ("quoted.csv", b'"France";"West";Europe;*\nSpain;West;"Europe";"*"\nJapan;Asia;*\n'),
        ("a.toml", b'Asia = ["Japan"]\n[Europe]\nWest = ["France", "Spain"]\n'),
        ("a.json", b'{"Europe": {"West": ["France", "Spain"]}, "Asia": {"Japan": {}}}'),
        ("bom.json", b'\xef\xbb\xbf{"Europe": {"West": ["France", "Spain"]}, "Asia": ["Japan"]}'),
    ],
)
def test_every_kind_of_file_gives_the_tree(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    tree = Taxonomy.from_file(path)
    assert sorted(tree.leaves) == sorted(EXPECTED.leaves)
    assert tree.height == EXPECTED.height == 3
    assert sorted(tree.inner) == sorted(EXPECTED.inner)
    assert tree.name == name
    if not name.endswith("toml"):  # a TOML file lists its plain keys before its tables
        assert tree == EXPECTED


def test_quotes_protect_separators_and_newlines(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('"a;b";X;*\n"c\nd";X;*\n5" pipe;X;*\n')
    assert Taxonomy.from_file(path).leaves == ("a;b", "c\nd", '5" pipe')


def test_a_json_list_is_a_flat_tree(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('["x", "y", 3]')
    assert Taxonomy.from_file(path).leaves == ("x", "y", "3")


def test_names_outside_ascii_are_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("Zürich;Schweiz;*\n東京;日本;*\n", encoding="utf-8")
    assert Taxonomy.from_file(str(path)).leaves == ("Zürich", "東京")


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("missing.csv", None, "no-such-file"),
        ("a.txt", b"x;*", "taxonomy-format"),
        ("latin.csv", "Zürich;*".encode("latin-1"), "unreadable-encoding"),
        ("broken.toml", b"a = [", "taxonomy-broken-file"),
        ("broken.json", b'{"a": [', "taxonomy-broken-file"),
        ("twice.json", b'{"a": ["x"], "a": ["y"]}', "taxonomy-broken-file"),
        ("deep.json", b"[" * 100_000, "taxonomy-broken-file"),
        ("digits.json", b'{"a": [' + b"9" * 5_000 + b"]}", "taxonomy-broken-file"),
        ("digits.toml", b"a = [" + b"9" * 5_000 + b"]", "taxonomy-broken-file"),
        ("hex.toml", b"a = [0x" + b"f" * 5_000 + b"]", "taxonomy-bad-name"),
        ("half.json", b'{"a": {"\\ud800": ["x", "y"]}}', "taxonomy-bad-name"),
        ("open.csv", b'"a;X;*\nb;X;*\n', "taxonomy-broken-file"),
        ("number.json", b"3", "taxonomy-not-a-tree"),
        ("empty.csv", b"", "taxonomy-empty"),
        ("empty.toml", b"", "taxonomy-empty"),
        ("comma.csv", b"a,X,*\nb,X,*\n", "taxonomy-many-roots"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_name(tmp_path, name, content, code):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        Taxonomy.from_file(path)
    assert caught.value.code == code
    assert caught.value.hint
    assert name in caught.value.message


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(InputError) as caught:
        Taxonomy.from_file(tmp_path / "a.csv")
    assert caught.value.code == "unreadable-file"


def test_commas_for_semicolons_are_explained(tmp_path):
    path = tmp_path / "comma.csv"
    path.write_text("a,X,*\nb,X,*\n")
    with pytest.raises(InputError, match="names are separated by `;`"):
        Taxonomy.from_file(path)


def test_a_table_given_for_a_taxonomy_is_not_shown(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("name,age\nXanthippe,34\nBo,35\n")
    with pytest.raises(InputError, match="there are 3 roots") as error:
        Taxonomy.from_file(path)
    assert "Xanthippe" not in str(error.value)
