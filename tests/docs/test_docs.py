"""The documentation says what happens: examples run, links lead somewhere, lists are complete.

How README.md and docs/*.md are written:

- The blocks of one page run from top to bottom in one new folder, so that a later one may use the files and
  the Python names that an earlier one made.
- In a console block a line with `$ ` is a command (a backslash at its end joins the next line), and the lines
  up to the next command are what a person sees: stdout and stderr as they come.  Known commands:
  `covey ...`; `cat > FILE <<'END'`, whose lines up to `END` are the file; `cat FILE`; `echo $?`.
- A python block with `>>>` is a doctest.  All other blocks are only read.
- Seconds and megabytes of a run are compared as `N`.

docs/errors.toml has an entry for each code, from which `make_errors.py` writes the tables of docs/errors.md.  An
`example` is run after the blocks of the page, `covey ...` as a command and all else as Python, and must fail
with that very code (or list it, as `covey taxonomy lint` does).  An example in words stands as `told`.

What docs/algorithms.md says of an algorithm between `<!-- facts of NAME -->` and `<!-- end -->` is written by
`make_algorithms.py` from the docstrings of its estimator.
"""

from __future__ import annotations

import ast
import doctest
import io
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from covey.ask.algorithms import ALGORITHMS
from covey.base.errors import CoveyError
from covey.cli import console, main

sys.path.insert(0, str(Path(__file__).parent))
import make_algorithms
import make_errors

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "covey"
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
NO_EXAMPLE = ["broken-plugin", "verification-failed"]
"""The codes that need a faulty package, or a fault of covey."""


def pages() -> Any:
    return pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


# --- reading a page ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """A fenced block: what it is written in, the line on which its text begins (from 1), and the text."""

    kind: str
    line: int
    lines: list[str]


@dataclass(frozen=True)
class Step:
    """A command and the lines that the page shows below it."""

    line: int
    command: str
    shown: list[str]


def blocks_of(page: Path) -> Iterator[Block]:
    lines = page.read_text(encoding="utf-8").splitlines()
    start: int | None = None
    for number, line in enumerate(lines, 1):
        if not line.startswith("```"):
            continue
        if start is None:
            kind, start = line[3:].strip(), number
        else:
            yield Block(kind, start + 1, lines[start : number - 1])
            start = None
    assert start is None, f"{page.name}: the block of line {start} is never closed"


def steps_of(block: Block) -> list[Step]:
    steps: list[Step] = []
    joined = False
    for number, line in enumerate(block.lines, block.line):
        if joined:
            last = steps.pop()
            steps.append(Step(last.line, f"{last.command[:-1]}{line.strip()}", []))
        elif line.startswith("$ "):
            steps.append(Step(number, line[2:], []))
        else:
            assert steps, f"line {number}: a console block begins with a command"
            steps[-1].shown.append(line)
        joined = steps[-1].command.endswith("\\") and not steps[-1].shown
    return steps


def masked(text: str) -> list[str]:
    """Return the lines of an output without what differs from run to run."""
    text = re.sub(r"\b[\d.,]+ s, [\d,]+ MB\b", "N s, N MB", text)
    # the last columns of `covey compare`, and the blanks between columns that are as wide as they need to be
    row = re.compile(r"^([* ] \S.*?%.*?) +[\d.,]+ +[\d,]+(  sampled: .*)?$", flags=re.MULTILINE)
    text = row.sub(lambda found: " ".join(f"{found[1]} N N{found[2] or ''}".split()), text)
    text = re.sub(r"^  k = \d+ .* s +MB$", lambda found: " ".join(found[0].split()), text, flags=re.MULTILINE)
    return text.rstrip("\n").split("\n")


# --- running a page ------------------------------------------------------------------------------------------


@dataclass
class Reader:
    """Somebody who types what a page shows, into the current folder."""

    monkeypatch: pytest.MonkeyPatch
    names: dict[str, Any] = field(default_factory=dict)
    exit_code: int = 0

    def follow(self, page: Path) -> None:
        for block in blocks_of(page):
            if block.kind == "console":
                for step in steps_of(block):
                    seen = self.type(step)
                    assert masked(seen) == masked("\n".join(step.shown)), f"{page.name}:{step.line}: {step.command}"
            elif block.kind == "python":
                self.enter(block, page)

    def type(self, step: Step) -> str:
        """Return what is seen after a command."""
        if step.command.startswith("covey "):
            return self.call(step.command)
        if step.command == "echo $?":
            return str(self.exit_code)
        words = shlex.split(step.command)
        if words[:2] == ["cat", ">"] and words[3:] == ["<<END"]:
            end = step.shown.index("END")
            Path(words[2]).write_text("".join(f"{line}\n" for line in step.shown[:end]), encoding="utf-8")
            del step.shown[: end + 1]
            return ""
        assert words[0] == "cat", f"line {step.line}: `{words[0]}` is no command that a page may show"
        return Path(words[1]).read_text(encoding="utf-8")

    def call(self, command: str) -> str:
        """Run `covey ...` in this process; stdout and stderr are one screen."""
        screen = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        with self.monkeypatch.context() as patch:
            patch.setattr(sys, "argv", shlex.split(command))
            patch.setattr(sys, "stdout", screen)
            patch.setattr(sys, "stderr", screen)
            with pytest.raises(SystemExit) as end:
                main()
        self.exit_code = end.value.code if isinstance(end.value.code, int) else 0
        return screen.buffer.getvalue().decode()

    def enter(self, block: Block, page: Path) -> None:
        text = "\n".join([*block.lines, ""])
        test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), block.line - 1)
        test.globs = self.names
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
        told: list[str] = []
        runner.run(test, out=told.append, clear_globs=False)
        assert not runner.failures, "".join(told)


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    monkeypatch.chdir(tmp_path)
    return Reader(monkeypatch)


@pages()
def test_a_page_shows_what_happens(page: Path, reader: Reader) -> None:
    reader.follow(page)


def test_a_wrong_output_is_found(reader: Reader, tmp_path: Path) -> None:
    page = tmp_path / "wrong.md"
    page.write_text("```console\n$ covey --version\ncovey 99.9\n```\n")
    with pytest.raises(AssertionError, match="covey --version"):
        reader.follow(page)
    page.write_text("```python\n>>> 1 + 1\n3\n```\n")
    with pytest.raises(AssertionError, match="Expected"):
        reader.follow(page)


# --- links ---------------------------------------------------------------------------------------------------


@pages()
def test_links_lead_to_files_and_headings(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, heading = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.is_file(), f"{page.name} links to {target}, which is not there"
        if heading:
            assert heading in anchors_of(file), f"{page.name} links to {target}, a heading that is not there"


def anchors_of(page: Path) -> set[str]:
    """Return the names under which headings of a page, and rows of its tables, can be reached."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    named = {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
    return named | set(re.findall(r'<a id="([\w-]+)"></a>', text))


# --- the command line ----------------------------------------------------------------------------------------


def section_of(page: Path, title: str) -> str:
    """Return the text below the heading `## title`, up to the next one of that depth."""
    parts = re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = [part for part in parts if part.split("\n", 1)[0] == title]
    assert len(found) == 1, f"{page.name} has {len(found)} sections `{title}`"
    return found[0]


def described_options(section: str) -> set[str]:
    """Return the options in the first cells of a section's tables."""
    cells = re.findall(r"^\| ([^|]*-[^|]*) \|", section, flags=re.MULTILINE)
    return {option for cell in cells for option in re.findall(r"`(--?[a-z][a-z-]*)", cell)}


COMMANDS = (
    "init",
    "anonymize",
    "verify",
    "bound",
    "compare",
    "learn tree",
    "learn clusters",
    "learn rules",
    "audit-model",
    "taxonomy lint",
    "demo",
)


def test_every_command_is_described(run: Any) -> None:
    listed = re.findall(r"^  ([\w-]+) ", run("--help").out.partition("Commands:")[2], flags=re.MULTILINE)
    assert {name.split()[0] for name in COMMANDS} == set(listed)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_described_and_no_other(run: Any, command: str) -> None:
    page = DOCS / "command-line.md"
    told = run(*command.split(), "--help").out.partition("Options:")[2]
    offered = set(re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)", "\n".join(option_columns(told))))
    section = section_of(page, f"covey {command}")
    described = described_options(section) | described_options(section_of(page, "All commands")) - {"--version"}
    if "(#csv-files)" in section:
        described |= described_options(section_of(page, "CSV files"))
    assert described == offered


def option_columns(told: str) -> list[str]:
    """Return the names of options, without what is said about them."""
    lines = [line[2:] for line in told.splitlines() if re.match(r"  -", line)]
    return [line.split("  ")[0] for line in lines]


# --- algorithms ----------------------------------------------------------------------------------------------


def test_every_algorithm_has_a_section_and_no_other() -> None:
    text = (DOCS / "algorithms.md").read_text(encoding="utf-8")
    names = re.findall(r"^## ([a-z][a-z-]*)$", text, flags=re.MULTILINE)
    assert names == list(dict.fromkeys(names))
    assert set(names) == set(ALGORITHMS)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_option_of_an_algorithm_is_described_with_its_default(name: str) -> None:
    section = section_of(DOCS / "algorithms.md", name)
    options = {option: value for option, value in ALGORITHMS[name].load()().get_params().items() if option != "k"}
    given = ", ".join(["k", *(f"{option}={value!r}".replace("'", '"') for option, value in options.items())])
    assert f"`covey.{ALGORITHMS[name].class_name}({given})`" in section
    for option in options:
        assert re.search(rf"`{option}[`=]", section), option


def test_the_facts_of_algorithms_are_those_of_their_docstrings() -> None:
    page = make_algorithms.PAGE.read_text(encoding="utf-8")
    assert page == make_algorithms.made_page(page), "run python tests/docs/make_algorithms.py"


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_docstrings_of_an_algorithm_have_its_facts_and_the_page_has_a_place_for_them(name: str) -> None:
    facts = make_algorithms.facts_of(*make_algorithms.docstrings_of(ALGORITHMS[name]))
    assert set(make_algorithms.NEEDED) <= set(facts)
    assert section_of(DOCS / "algorithms.md", name).count(f"<!-- facts of {name} -->\n- **") == 1


def test_facts_are_read_from_both_docstrings() -> None:
    module = "What.\n\nHow.\n\nSource: A 2007\n(benchmarks/SCALE.md).\nTies: k - 1.\nOptions: `b`: more."
    kind = "Classes.\n\n`a`: as\nP0 has it.\n\nAfter `fit`: `c_`.\n\n>>> 1\n1"
    facts = make_algorithms.facts_of(module, kind)
    assert facts == {
        "Source": "A 2007 (benchmarks/SCALE.md).",
        "Ties": "k - 1.",
        "Options": "`a`: as P0 has it. `b`: more.",
    }
    shown = [make_algorithms.item_of(key, text) for key, text in facts.items()]
    assert shown == [
        "- **Source.** A 2007 ([benchmarks/SCALE.md](../benchmarks/SCALE.md)).",
        "- **Ties.** K - 1.",
        "- **Options.** `a`: as Byun et al. 2007 has it. `b`: more.",
    ]


# --- errors --------------------------------------------------------------------------------------------------


def codes_in_the_source() -> set[str]:
    """Return every stable code: given as `code=`, to a helper that passes it on, or listed by lint."""
    codes: set[str] = set()
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "code":
                codes |= text_of(node.value)
            elif isinstance(node, ast.Call):
                helper = ast.unparse(node.func).rpartition(".")[2]
                if helper in ("faulty_domain", "_raise_all"):  # (what, code, ...)
                    codes |= text_of(node.args[1])
                elif helper == "_fault":  # (key, ...): the code is bad-key
                    codes |= {f"bad-{key}" for key in text_of(node.args[0])}
            elif isinstance(node, ast.Dict) and file.name == "faults.py":  # what lint looks for, by code
                codes |= {code for key in node.keys if key is not None for code in text_of(key)}
    return codes


def text_of(node: ast.expr) -> set[str]:
    return {node.value} if isinstance(node, ast.Constant) and isinstance(node.value, str) else set()


def test_every_error_code_has_an_entry_and_no_other() -> None:
    codes = codes_in_the_source()
    assert {"no-role", "taxonomy-gap", "bad-weight", "taxonomy-cycle", "bad-job"} <= codes, "the search is broken"
    assert {entry.code for entry in make_errors.error_entries()} == codes


def test_the_tables_of_errors_are_those_of_the_data_file() -> None:
    page = make_errors.PAGE.read_text(encoding="utf-8")
    assert page == make_errors.made_page(page), "run python tests/docs/make_errors.py"


def test_the_entries_of_errors_are_complete_and_each_chapter_is_one_table() -> None:
    entries = make_errors.error_entries()
    for entry in entries:
        assert entry.meaning, entry.code
        assert entry.remedy, entry.code
        assert entry.example is None or entry.told is None, entry.code
        assert "\n" not in f"{entry.meaning}{entry.example}{entry.told}{entry.remedy}", entry.code
    chapters = [chapter for chapter, _ in groupby(entry.chapter for entry in entries)]
    assert len(chapters) == len(set(chapters)), "the entries of a chapter do not stand together"
    assert [entry.code for entry in entries if entry.example is entry.told is None] == NO_EXAMPLE


def test_a_bar_does_not_end_a_cell() -> None:
    entry = make_errors.ErrorEntry("a-code", "Chapter", "a | b", "none", example='f("|")')
    assert make_errors.row_of(entry) == r'| <a id="a-code"></a>`a-code` | a \| b | `f("\|")` | none |'


def test_the_examples_of_errors_fail_with_their_code(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    raised: list[str] = []
    exit_code = console._exit_code  # sees every error that a command ends with

    def noted(error: CoveyError) -> int:
        raised.append(error.code)
        return int(exit_code(error))

    monkeypatch.setattr(console, "_exit_code", noted)
    monkeypatch.delenv("COVEY_DATA", raising=False)
    reader.follow(DOCS / "errors.md")
    tried = 0
    for entry in make_errors.error_entries():
        if entry.example is None:
            continue
        tried += 1
        raised.clear()
        if entry.example.startswith("covey "):
            seen = reader.call(entry.example)
            assert raised == [entry.code] or f"[{entry.code}]" in seen, f"{entry.code}: {seen}"
        else:
            with pytest.raises(CoveyError) as caught:
                eval(entry.example, reader.names)  # noqa: S307 (our own page)
            assert caught.value.code == entry.code
    assert tried >= 90


def test_the_first_table_of_the_readme_is_a_class_of_its_release() -> None:
    import covey
    from covey.datasets import make_hospital

    people = make_hospital(1000)
    release = covey.anonymize(
        people,
        k=5,
        identifier=["name"],
        quasi=["age", "sex", "postcode", "admitted", "insurance"],
        sensitive=["ward", "diagnosis"],
        other=["length_of_stay"],
        taxonomies={"postcode": covey.Taxonomy.prefixes([4, 3, 2])},
    )
    table = [line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("|")]
    first = [line for line in table if line.count("|") == table[0].count("|") and "---" not in line]
    header, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in first]
    middle = header.index("")
    names = people.column("name").to_pylist()
    labels = set()
    for row in rows:
        place = names.index(row[0])
        labels.add(int(release.labels[place]))
        before = people.slice(place, 1).to_pylist()[0]
        after = release.table.slice(place, 1).to_pylist()[0]
        assert row[:middle] == [str(before[name]) for name in header[:middle]]
        assert row[middle + 1 :] == [after[name] for name in header[middle + 1 :]]
    assert len(labels) == 1
    assert len(rows) == (release.labels == labels.pop()).sum()
