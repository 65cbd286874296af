"""Files that covey wrote are read by the verifier as they were written, whatever the source looked like."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from covey.ask.job import read_job
from covey.base.errors import InputError
from covey.release import pipeline
from covey.verifier import verify_file

MARKS = {",": ",", ";": ";", "tab": "\t", "|": "|"}
CELLS = {
    "number": lambda draw, decimal: f"{draw.randint(0, 60)}{decimal}{draw.choice('05')}",
    "whole": lambda draw, decimal: str(draw.randint(0, 60)),
    "date": lambda draw, decimal: f"20{draw.randint(10, 24)}-0{draw.randint(1, 9)}-1{draw.randint(0, 9)}",
    "word": lambda draw, decimal: draw.choice(["Ålesund", "Rome", "a; b", "St. Gallen"]),
}
TREES = {"whole": "taxonomy = { intervals = [10, 30] }\n", "date": 'taxonomy = { dates = ["month", "year"] }\n'}
TYPES = {"number": "numeric", "whole": "numeric", "date": "date", "word": "categorical"}


def quoted(cell: str, mark: str) -> str:
    return f'"{cell}"' if mark in cell or cell.startswith('"') else cell


def make_case(draw: random.Random, folder: Path) -> dict:
    mark, header = draw.choice(sorted(MARKS)), draw.random() < 0.5
    decimal = draw.choice(".,")
    kinds = draw.choices(sorted(CELLS), k=draw.randint(1, 3))
    quasi = [f"q{place}" if header else f"c{place + 2}" for place in range(len(kinds))]
    first, last = ("id", "ill") if header else ("c1", f"c{len(kinds) + 2}")
    lines = [[first, *quasi, last]] if header else []
    for row in range(draw.randint(6, 14)):
        lines.append([f"n{row:03}", *(CELLS[kind](draw, decimal) for kind in kinds), draw.choice(["flu", "x, y", "5"])])
    encoding = draw.choice(["utf-8", "utf-16", "latin-1"])
    text = "".join(MARKS[mark].join(quoted(cell, MARKS[mark]) for cell in line) + "\n" for line in lines)
    (folder / "raw.csv").write_text(text, encoding=encoding)
    told = {"separator": mark, "header": str(header).lower(), "decimal": decimal, "encoding": encoding}
    csv = "".join(
        f'{name} = "{value}"\n' if name != "header" else f"header = {value}\n" for name, value in told.items()
    )
    columns = [f'[columns.{first}]\nrole = "identifier"\n']
    for name, kind in zip(quasi, kinds, strict=True):
        own = draw.choice(["", TREES.get(kind, ""), f'type = "{TYPES[kind]}"\n'])
        own = "" if header is False and own.startswith("type") and draw.random() < 0.5 else own
        columns.append(f'[columns.{name}]\nrole = "quasi"\n{own}')
    columns.append(f'[columns.{last}]\nrole = "sensitive"\n')
    release = draw.choice(["interval", "node", "bounds", "centre"])
    (folder / "covey.toml").write_text(
        f'k = 2\nrelease = "{release}"\nalgorithm = "mondrian"\n[csv]\n{csv}' + "".join(columns)
    )
    return {"mark": mark, "header": header, "decimal": decimal, "quasi": quasi, "release": release, "kinds": kinds}


def break_a_class(path: Path, case: dict) -> None:
    """Exchange the first cell of the first row with one that no other row has."""
    lines = path.read_text(encoding="utf-8").splitlines()
    mark = "\t" if path.suffix == ".tsv" else MARKS[case["mark"]]
    row = int(case["header"])
    rest = lines[row].split('"', 2)[2] if lines[row].startswith('"') else mark + lines[row].split(mark, 1)[1]
    cell = {"number": "77", "whole": "77", "date": "2077-01-11", "word": "Nowhere"}[case["kinds"][0]]
    lines[row] = cell + rest
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def verdict_of(path: str, call: dict):
    """Return the verdict; None if the file can be read in two ways."""
    try:
        return verify_file(path, allow_unchecked=True, **call)
    except InputError as fault:
        if fault.code in ("unknown-bounds", "unknown-separator"):
            return None
        raise


@pytest.mark.parametrize("seed", range(4))
def test_a_release_verifies_and_a_broken_one_does_not(tmp_path, seed):
    draw = random.Random(seed)
    told = refused = 0
    for _ in range(40):
        case = make_case(draw, tmp_path)
        target = tmp_path / f"release.{draw.choice(['csv', 'tsv'])}"
        job = read_job(tmp_path / "covey.toml")
        pipeline.anonymize_file(str(tmp_path / "raw.csv"), str(target), job, force=True)
        calls = [
            {"job": tmp_path / "covey.toml", "original": str(tmp_path / "raw.csv")},
            {"job": tmp_path / "covey.toml"},
        ]
        mark = "\t" if target.suffix == ".tsv" else MARKS[case["mark"]]
        if case["header"]:
            flags = {"separator": mark, "decimal": case["decimal"], "header": True}
            calls.append({"k": 2, "quasi": case["quasi"], "csv": flags, "release": case["release"]})
        for broken in (False, True):
            if broken:
                break_a_class(target, case)
            for call in calls:
                verdict = verdict_of(str(target), call)
                if verdict is None:
                    assert "original" not in call, (case, call)
                    assert not case["header"], (case, call)
                    refused += 1
                    continue
                assert verdict.ok is not broken, (case, call, verdict, target.read_text())
                told += 1
    assert told > 5 * refused
