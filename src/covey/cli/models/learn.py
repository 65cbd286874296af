"""`covey learn`: models that expose nobody, from a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from covey.base.checks import require_known
from covey.base.errors import InputError
from covey.cli import words
from covey.cli.console import CANNOT_BE_MET, guarded, progress, say, warn
from covey.cli.models.audit_model import read_domains
from covey.cli.pandas_loading import allow_pandas

if TYPE_CHECKING:
    from covey.ask.job import Job
    from covey.mining.audit.result import Audit
    from covey.mining.learn.learning import Kind

__all__ = ["app"]

app = typer.Typer(
    add_completion=False, rich_markup_mode=None, no_args_is_help=True, help="Learn a model that exposes nobody"
)

_PLAIN = ("id3", "c45")
"""Methods that care for no privacy: they are shown for comparison, and never written."""
_METHODS = ("k-anonymous", "as-published", *_PLAIN)

OUTPUT = typer.Option(
    None, "-o", "--output", metavar="OUT.json", help="Where to write the model, or - for stdout; without, it is shown"
)


@app.callback()
def _top() -> None:
    """Learn a model that exposes nobody."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """The options of all three commands that say what the model may tell of whom."""

    public: str | None = typer.Option(
        None, "--public", metavar="COLUMNS", help="What others know of a person; all else is private"
    )
    k: int | None = typer.Option(None, "-k", help="Least number of rows that must share what the model tells of them")
    job: str | None = typer.Option(
        None, "--job", metavar="FILE", help="A covey.toml: its quasi columns are public; flags override it"
    )
    identifier: str | None = words.role("identifier", "Left out")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Files:
    """The options of all three commands that say how the table is read and the model is written."""

    types: list[str] | None = words.MODEL_TYPE
    na: list[str] | None = words.setting("na")
    csv: words.CsvFlags
    as_json: bool = typer.Option(False, "--json", help="Print what was learned as JSON")
    force: bool = typer.Option(False, "--force", help="Replace the output if it exists")


@dataclass(frozen=True, slots=True)
class _Given:
    """The words that a command was given."""

    table: str
    output: str | None
    asked: _Asked
    files: _Files
    target: str | None = None
    taxonomies: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class _Ready:
    """A table with its columns told apart, ready to be learned from."""

    table: Any
    public: tuple[str, ...]
    target: str | None
    k: int
    taxonomies: dict[str, Any]
    left_out: Any
    """The identifiers, which tell whose the rows are."""

    def whole(self) -> Any:
        """Return the table with its identifiers, as an audit takes it."""
        table = self.table
        for name in self.left_out.column_names:
            table = table.append_column(name, self.left_out.column(name))
        return table


@app.command("tree")
@words.spread
def tree(
    *,
    table: str = words.TABLE,
    output: str | None = OUTPUT,
    target: str | None = typer.Option(None, "--target", metavar="COLUMN", help="The column that the tree is to tell"),
    asked: _Asked,
    ell: float | None = typer.Option(None, "--l", metavar="NUMBER", help="Entropy l-diversity in every span, too"),
    method: str = typer.Option(
        "k-anonymous", "--method", metavar="NAME", help="k-anonymous, as-published; id3, c45: shown, never written"
    ),
    taxonomy: list[str] | None = words.TAXONOMY,
    min_rows: int | None = typer.Option(
        None, "--min-rows", metavar="NUMBER", help="A node of fewer rows is not split (default 2)"
    ),
    max_depth: int | None = typer.Option(None, "--max-depth", metavar="NUMBER", help="Most tests on the way to a leaf"),
    files: _Files,
) -> None:
    """Learn a decision tree of which nobody can tie fewer than k rows to a private value.

    The model is written, read back, audited, and only then put in its place. id3 and c45 care for no privacy:
    they are audited and shown for comparison, and it exits with 1 if they expose somebody.
    """
    with guarded():
        if method not in _METHODS:
            raise words.bad_option(f"there is no method `{method}`", f"known: {', '.join(_METHODS)}")
        if method in _PLAIN and output is not None:
            raise words.bad_option(
                f"`{method}` cares for no privacy, so its tree is not written",
                "leave out -o to see whom it would expose, or learn one that exposes nobody: --method k-anonymous",
            )
        _check_method(method, {"--l": ell, "--max-depth": max_depth, "--min-rows": min_rows})
        given = _Given(table, output, asked, files, target, taxonomy)

        def learn(ready: _Ready) -> Any:
            if ready.target is None:
                raise words.bad_option("no target was named", "name the column to tell: --target risk")
            if ready.target in ready.public:
                warn(f"`{ready.target}` is public and the target: nothing that the tree tells of it is private")
            return _grown(ready, method, ell, 2 if min_rows is None else min_rows, max_depth)

        _run("tree", given, learn, is_safe=method not in _PLAIN)


@app.command("clusters")
@words.spread
def clusters(
    *,
    table: str = words.TABLE,
    output: str | None = OUTPUT,
    asked: _Asked,
    domain: list[str] | None = typer.Option(
        None, "--domain", metavar="COLUMN=VALUES", help="What a private number may be: 0..500, or 1,2,3; repeatable"
    ),
    max_clusters: int | None = typer.Option(None, "--max-clusters", metavar="NUMBER", help="Stop at so many clusters"),
    files: _Files,
) -> None:
    """Learn clusters of which every span has at least k rows.

    The model is written, read back, audited, and only then put in its place.
    """
    with guarded():
        given = _Given(table, output, asked, files)

        def learn(ready: _Ready) -> Any:
            from covey.mining.learn.clusters.estimator import KAnonymousClusters

            ranges = _ranges(domain, ready.table) or None
            model = KAnonymousClusters(ready.k, ready.public, private_ranges=ranges, max_clusters=max_clusters)
            return model.fit(ready.table)

        _run("clusters", given, learn, domain=domain)


@app.command("rules")
@words.spread
def rules(
    *,
    table: str = words.TABLE,
    output: str | None = OUTPUT,
    asked: _Asked,
    min_support: float = typer.Option(0.1, "--min-support", metavar="SHARE", help="Least share of rows of a rule"),
    min_confidence: float = typer.Option(0.5, "--min-confidence", metavar="SHARE", help="Least confidence of a rule"),
    max_length: int = typer.Option(4, "--max-length", metavar="NUMBER", help="Most items in a rule"),
    interest: str = typer.Option(
        "confidence", "--interest", metavar="NAME", help="confidence, lift, leverage or support: what is kept first"
    ),
    files: _Files,
) -> None:
    """Learn association rules that can be released together: the largest set that exposes nobody.

    TABLE has a column of true and false, or 1 and 0, per item. The model is written, read back, audited, and only
    then put in its place.
    """
    with guarded():
        given = _Given(table, output, asked, files)
        allow_pandas()  # mlxtend finds the frequent rules in its frames

        def learn(ready: _Ready) -> Any:
            from covey.mining.learn.rules import KAnonymousRules

            model = KAnonymousRules(
                ready.k, list(ready.public), min_support=min_support, min_confidence=min_confidence,
                max_length=max_length, interest=interest,
            )  # fmt: skip
            return model.fit(ready.table)

        _run("rules", given, learn)


def _check_method(method: str, given: Mapping[str, Any]) -> None:
    """Raise if an option was given that a method does not know."""
    unknown = {"id3": ("--l", "--max-depth", "--min-rows"), "c45": ("--l", "--max-depth")}.get(method, ())
    for option in unknown:
        if given[option] is not None:
            raise words.bad_option(f"`{method}` knows no `{option}`", "leave it out")


def _grown(ready: _Ready, method: str, ell: float | None, min_rows: int, max_depth: int | None) -> Any:
    """Return the tree that a method grows."""
    from covey.mining.learn.tree.baselines import C45, ID3
    from covey.mining.learn.tree.estimator import KAnonymousTree

    trees = ready.taxonomies or None
    if method == "id3":
        return ID3(taxonomies=trees).fit(ready.table, ready.target)
    if method == "c45":
        return C45(taxonomies=trees, min_rows=min_rows).fit(ready.table, ready.target)
    make = KAnonymousTree if method == "k-anonymous" else KAnonymousTree.as_published
    model = make(ready.k, list(ready.public), l=ell, taxonomies=trees, min_rows=min_rows, max_depth=max_depth)
    return model.fit(ready.table, ready.target)


def _run(
    kind: Kind,
    given: _Given,
    learn: Callable[[_Ready], Any],
    *,
    is_safe: bool = True,
    domain: Sequence[str] | None = None,
) -> None:
    """Learn, check what was learned as it is written, and tell it."""
    csv = given.files.csv.told()
    _check_output(given)
    with progress() as tell:
        tell("reading the table")
        ready = _ready(given, csv)
        tell("learning")
        from covey.mining.audit.audit import audit
        from covey.mining.audit.model_files import read_own_text
        from covey.mining.learn.learning import learned, require_safe
        from covey.tables.files import publish_text

        with _in_words_of_the_command_line(kind):
            model = learn(ready)
        text = model.to_json()
        domains = read_domains(domain, ready.table)

        found: list[Audit] = []

        def check(written: str) -> None:
            target = ready.target if kind == "tree" else None
            told = audit(
                read_own_text(written), ready.whole(), public=ready.public, k=ready.k, target=target, domains=domains,
                identifier=ready.left_out.column_names,
            )  # fmt: skip
            if is_safe:
                require_safe(told)
            found.append(told)

        tell("auditing")
        if given.output is None:
            check(text)
        else:  # what lies on the disk is read back and audited, before it gets its name
            publish_text(text, given.output, check=check, force=given.files.force)
        done = learned(kind, model, found[0])
        if given.output is not None:
            done = replace(done, written="stdout" if given.output == "-" else Path(given.output).name)
    if given.files.as_json:
        typer.echo(words.document(done.to_json()))
    elif given.output == "-":
        say(str(done))
    else:
        typer.echo(str(done))
    if not done.audit.ok:
        raise typer.Exit(CANNOT_BE_MET)


@contextmanager
def _in_words_of_the_command_line(kind: Kind) -> Iterator[None]:
    """Make faults of parameters name the options, and what tells of them."""
    try:
        yield
    except InputError as error:
        if error.code != "bad-parameter" or not (error.hint or "").startswith("see help(covey."):
            raise
        message = re.sub(r"^`(\w+)` of \w+ ", lambda found: f"`--{found[1].replace('_', '-')}` ", error.message)
        raise words.bad_option(message, f"see covey learn {kind} --help") from None


def _check_output(given: _Given) -> None:
    """Raise unless the model can be written under its name, which must say what it is."""
    from covey.tables.files import check_target

    output = given.output
    if output is None:
        return
    if output == "-" and given.files.as_json:
        raise words.bad_option("`--json` and `-o -` both want stdout", "write the model to a file")
    if output != "-" and not output.lower().endswith(".json"):
        raise InputError(
            f"a model is written as JSON, and the ending of `{output}` says something else",
            code="unknown-format",
            hint="let the name end in .json; a pickle is never written",
        )
    for source in [given.table, *words.Given.of({"job": given.asked.job, "taxonomy": given.taxonomies}).files]:
        check_target(output, source=source, force=given.files.force)


def _ready(given: _Given, csv: Mapping[str, Any]) -> _Ready:
    """Return the table that is learned from: typed, without identifiers, its columns told apart."""
    from covey.ask.job import Job, read_job
    from covey.ask.na import na_words
    from covey.mining.audit.typed_table import typed_table
    from covey.tables.files import options_told, read_table

    job = Job() if given.asked.job is None else read_job(given.asked.job)
    _check_job(job)
    k = job.k if given.asked.k is None else given.asked.k
    if k is None:
        raise InputError("no k was given", code="no-k", hint="give -k 10, say: the least number of rows in a span")
    if k < 2:
        raise words.bad_option(f"`-k` must be at least 2, not {k}", "for example -k 10")
    options = options_told({**job.csv, **csv})
    read = read_table(given.table, options=options)
    everywhere, single = na_words(given.files.na, read.names, what="not in the table")
    schema = job.schema
    left_out = (*schema.names("identifier"), *words.column_list(given.asked.identifier))
    target = given.target or next(iter(schema.names("target")), None)
    public = words.column_list(given.asked.public) or schema.names("quasi")
    if not public:
        raise words.bad_option(
            "no public column was named", "name what others can know of a person, for example --public age,sex"
        )
    named = {"--identifier": left_out, "--public": public, "--target": (target,) if target else ()}
    for option, columns in named.items():
        require_known(columns, read.names, f"`{option}` names {{}}, which is not in the table")
    if both := [name for name in left_out if name in (*public, target)]:
        raise words.bad_option(
            f"`{both[0]}` is left out as an identifier, and named as public or target", "give each column one part"
        )
    known = [column for column in schema.columns if column.name in read.names]
    types = {column.name: column.type for column in known if column.type in ("numeric", "categorical")}
    declared = {column.name: column.na for column in known if column.na}
    rows = typed_table(
        read,
        {**types, **words.pairs(given.files.types, "--type")},
        na=(*job.na, *everywhere),
        na_by_column={name: (*declared.get(name, ()), *single.get(name, ())) for name in {**declared, **single}},
        decimal=options.decimal,
    )
    identifiers = rows.select(list(dict.fromkeys(left_out)))
    rows = rows.drop_columns(identifiers.column_names)
    found = _taxonomies(given, job, rows.column_names)
    return _Ready(rows, tuple(dict.fromkeys(public)), target, k, found, identifiers)


def _check_job(job: Job) -> None:
    """Raise if a job asks for what no model here can promise."""
    for role in ("consent", "entity"):
        if job.schema.names(role):
            raise InputError(
                f"the job has a column of role {role}, which models do not know",
                code="not-available",
                hint="leave the column out of the table, and give the roles by options",
            )
    if len(job.schema.names("target")) > 1:
        raise words.bad_option("the job has several targets", "name one: --target COLUMN")
    if job.models:
        raise InputError(
            "the job asks for privacy models over classes, which a learned model does not have",
            code="not-available",
            hint="leave them out; trees take --l for entropy l-diversity",
        )


def _taxonomies(given: _Given, job: Job, columns: Sequence[str]) -> dict[str, Any]:
    from covey.ask.taxonomy import Taxonomy

    own = {column.name: column.taxonomy for column in job.schema.columns if column.taxonomy is not None}
    files = words.pairs(given.taxonomies, "--taxonomy")
    require_known(files, columns, "`--taxonomy` names {}, which is not in the table")
    found = {**own, **{name: Taxonomy.from_file(Path(file)) for name, file in files.items()}}
    return {name: tree for name, tree in found.items() if name in columns}


def _ranges(domain: Sequence[str] | None, table: Any) -> dict[str, Any]:
    """Return what private columns may be, as clusters read it: the ends of a range, or numbers."""
    from covey.mining.centres.private import Interval

    found: dict[str, Any] = {}
    for name, values in read_domains(domain, table).items():
        if isinstance(values, Interval):
            found[name] = (values.low, values.high)
            continue
        try:
            found[name] = {float(value) for value in values}
        except ValueError:
            raise words.bad_option(
                f"`--domain` of `{name}` is no list of numbers",
                "categories are those of the table; a number is given as 0..500 or 1,2,3",
            ) from None
    return found
