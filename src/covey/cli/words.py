"""Options that several commands share: lists of columns, facts about columns, how a CSV is written."""

from __future__ import annotations

import csv
import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from covey.ask.settings import SETTINGS
from covey.base.checks import require_known
from covey.base.errors import InputError

if TYPE_CHECKING:
    from covey.ask.job import Job
    from covey.ask.schema import Schema

__all__ = ["CsvFlags", "Given", "bad_option", "column_list", "document", "pairs", "role", "setting", "spread"]

_KEPT = "Published as they are"
ROLES = {"identifier": "Dropped", "quasi": "Generalised", "sensitive": _KEPT, "target": _KEPT, "other": _KEPT}
TYPE = typer.Option(None, "--type", metavar="COLUMN=TYPE", help="numeric, categorical, date or boolean; repeatable")
WEIGHT = typer.Option(None, "--weight", metavar="COLUMN=NUMBER", help="Repeatable")
TAXONOMY = typer.Option(None, "--taxonomy", metavar="COLUMN=FILE", help="Repeatable")
TABLE = typer.Argument(..., metavar="TABLE", help="A CSV, Parquet or Arrow file, or - for stdin")
MODEL_TYPE = typer.Option(
    None, "--type", metavar="COLUMN=TYPE", help="numeric or categorical, for a column of a CSV; repeatable"
)
JOB = typer.Option(None, "--job", metavar="FILE", help="A covey.toml; flags override it")
FORCE = typer.Option(False, "--force", help="Replace the outputs if they exist")


def bad_option(message: str, hint: str) -> InputError:
    """Return the error for an option that cannot be what was given."""
    return InputError(message, code="bad-option", hint=hint)


def setting(name: str, words: str | None = None) -> Any:
    """Return the option of a setting, as `covey.ask.settings` has it; a command may have `words` of its own."""
    found = SETTINGS[name]
    return typer.Option(None, found.option, metavar=found.metavar, help=words or found.help)


def role(name: str, words: str | None = None) -> Any:
    """Return the option that gives columns a role."""
    return typer.Option(None, f"--{name}", metavar="COLUMNS", help=words or ROLES[name])


@dataclass(frozen=True, slots=True)
class CsvFlags:
    """What is said of a CSV by the options of a command that reads one."""

    separator: str | None = typer.Option(
        None, "--separator", metavar="MARK", help="What parts the cells of a CSV: , ; | or tab (default: detected)"
    )
    encoding: str | None = typer.Option(
        None, "--encoding", metavar="NAME", help="Encoding of a CSV, such as cp1252 (default: detected)"
    )
    header: bool | None = typer.Option(
        None, "--header/--no-header", help="Whether the first row of a CSV holds the names (default: it must look so)"
    )
    names: str | None = typer.Option(
        None, "--names", metavar="COLUMNS", help="Names of the columns of a CSV without a header"
    )
    decimal: str | None = typer.Option(
        None, "--decimal", metavar="MARK", help="Decimal mark of the numbers in a CSV: . or ,"
    )
    skip_blanks: bool = typer.Option(False, "--skip-blanks", help="Leave out blanks around the cells of a CSV")

    def told(self) -> dict[str, Any]:
        """Return what the flags say, as the table `csv` of a job says it."""
        if self.decimal not in (None, ".", ","):
            raise bad_option("`--decimal` must be . or ,", "for example --decimal ,")
        flags = asdict(self)  # a job is written in this order: names and blanks last
        flags["names"] = list(column_list(flags.pop("names"))) or None
        flags["skip_blanks"] = flags.pop("skip_blanks") or None
        return {name: value for name, value in flags.items() if value is not None}


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose options are its parameters and, for each that is a dataclass, the fields of that.

    So options that several commands share are declared once, and stand in the help where the parameter stands.
    """

    def run(**given: Any) -> None:
        _filled(command, given)

    options = list(_options(command))
    run.__doc__ = command.__doc__
    run.__annotations__ = {option.name: option.annotation for option in options}
    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    return run


def _is_group(one: inspect.Parameter) -> bool:
    return is_dataclass(one.annotation)


def _options(taker: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    for one in inspect.signature(taker, eval_str=True).parameters.values():
        if _is_group(one):
            yield from _options(one.annotation)
        else:
            yield one.replace(kind=inspect.Parameter.KEYWORD_ONLY)


def _filled(taker: Callable[..., Any], given: Mapping[str, Any]) -> Any:
    """Return what a command, or a dataclass among its parameters, makes of the values of all options."""

    def value(one: inspect.Parameter) -> Any:
        return _filled(one.annotation, given) if _is_group(one) else given[one.name]

    return taker(**{name: value(one) for name, one in inspect.signature(taker, eval_str=True).parameters.items()})


@dataclass(frozen=True, slots=True)
class Given:
    """The options that a command was given, by the names of its parameters, and the files beside its table."""

    flags: Mapping[str, Any]
    job: Job
    """As its file says."""
    taxonomies: Mapping[str, str]
    files: tuple[str, ...]
    """None of them may be an output."""

    @classmethod
    def of(cls, flags: Mapping[str, Any]) -> Given:
        """Return the job, and the file of each taxonomy that the flags name; read before anything else."""
        from covey.ask.job import Job, read_job

        file = flags["job"]
        taxonomies = pairs(flags["taxonomy"], "--taxonomy")
        job = Job() if file is None else read_job(file)
        return cls(flags, job, taxonomies, (*filter(None, [file]), *taxonomies.values(), *job.files))

    def asked(self) -> Job:
        """Return the job with what the flags say on top; a setting that is None was not given."""
        from covey.ask.na import na_words
        from covey.ask.schema import ROLES as ALL_ROLES

        flags, job = self.flags, self.job
        csv = flags["csv_flags"].told()
        schema = _merged_schema(
            job,
            {name: column_list(flags[name]) for name in ALL_ROLES if name in flags},
            pairs(flags["types"], "--type"),
            pairs(flags["weight"], "--weight"),
            self.taxonomies,
        )
        everywhere, single_na = na_words(flags["na"], schema.names("quasi"))
        settings = {
            **{name: flags[name] for name in SETTINGS if name in flags},
            "na": (*job.na, *everywhere),
            "models": (*job.models, *(flags["models"] or ())),
        }
        return job.with_settings(settings, schema=schema.with_na(single_na), csv={**job.csv, **csv})


def document(found: Mapping[str, Any]) -> str:
    """Return a document as a command prints and writes it."""
    return json.dumps(found, indent=2, allow_nan=False)


def column_list(text: str | None) -> tuple[str, ...]:
    """Return column names separated by commas, each in double quotes if it holds a comma itself.

    >>> column_list('age,"home, town",sex')
    ('age', 'home, town', 'sex')
    """
    if not text:
        return ()
    try:
        names = next(csv.reader([text], skipinitialspace=True, strict=True))
    except csv.Error:
        raise bad_option(
            "a list of columns cannot be read",
            'put names with commas, quotes or line ends in double quotes, as in age,"home, town"',
        ) from None
    # only in quotes do blanks at an end belong to a name, and the reader does not tell which were quoted
    names = names if '"' in text else [name.strip() for name in names]
    return tuple(name for name in names if name.strip())


def pairs(given: Sequence[str] | None, option: str) -> dict[str, str]:
    """Return COLUMN=VALUE words as a dictionary.

    >>> pairs(["age=numeric"], "--type")
    {'age': 'numeric'}
    """
    found = {}
    for word in given or ():
        name, equals, value = word.rpartition("=")
        if option == "--taxonomy":  # the name of a file may hold the sign, too
            name, equals, value = _before_a_file(word)
        if not equals or not name or not value:
            raise bad_option(f"`{option}` must be COLUMN=VALUE", f"for example {option} age=...")
        found[name] = value
    return found


def _before_a_file(word: str) -> tuple[str, str, str]:
    """Return COLUMN=FILE in its parts: parted at the first sign behind which there is a file, else at the last one."""
    for place, mark in enumerate(word):
        if mark == "=" and Path(word[place + 1 :]).is_file():
            return word[:place], "=", word[place + 1 :]
    return word.rpartition("=")


def _merged_schema(
    job: Job,
    roles: Mapping[str, Sequence[str]],
    types: Mapping[str, str],
    weights: Mapping[str, str],
    taxonomies: Mapping[str, str],
) -> Schema:
    """Return the job's schema with what the flags say on top: a role moves a column, a fact replaces one."""
    from covey.ask.taxonomy import Taxonomy

    # asked before a file is read
    quasi = job.schema.with_roles(roles, {}).names("quasi")
    require_known(taxonomies, quasi, "a taxonomy was given for {}, which is not a quasi column")
    read = {
        "type": types,
        "weight": {name: _number(value) for name, value in weights.items()},
        "taxonomy": {name: Taxonomy.from_file(file) for name, file in taxonomies.items()},
    }
    return job.schema.with_roles(roles, read)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise bad_option("`--weight` must be COLUMN=NUMBER", "for example age=2") from None
