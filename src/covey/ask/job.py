"""A job: everything that `covey anonymize` is asked for, from arguments or from a strict `covey.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from covey.ask.models import ModelSpec, model_spec
from covey.ask.na import NaValue
from covey.ask.schema import FACTS, Column, Schema
from covey.ask.settings import SETTINGS, require_one_of_two
from covey.ask.taxonomy import taxonomy_from_spec
from covey.base.checks import bad_parameter, did_you_mean, plural
from covey.base.errors import CoveyError, InputError

__all__ = ["Job", "as_job", "read_job"]

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Job:
    """What is asked for; `k` and the schema must be there before it runs."""

    schema: Schema = field(default_factory=lambda: Schema(()))
    k: int | None = None
    missing: str = "category"
    na: tuple[NaValue, ...] = ()
    """What means missing in every quasi column; `Column.na` says so of one."""
    algorithm: Any = "covey"
    effort: str = "balanced"
    budget: float | str | None = None
    """How long the search may take, by the clock; None: as much work as the effort says."""
    suppression: float = 0.0
    release: str = "interval"
    ends: str = "exact"
    order: str | None = None
    """`kept` or `shuffled`; None is `shuffled` for files and `kept` for tables."""
    seed: int = 0
    weights: str = "declared"
    """`adaptive`: the search uses weights learned from the table (P4); losses are told by the declared ones."""
    models: tuple[ModelSpec, ...] = ()
    """Beside k-anonymity; given as `ModelSpec`, text, tables of a job or model objects."""
    csv: Mapping[str, Any] = field(default_factory=dict)
    """How a CSV is written: some of `separator`, `encoding`, `header`, `names`, `decimal`, `skip_blanks`."""
    files: tuple[str, ...] = ()
    """The files that a job file names: its taxonomies, which no output may replace."""

    def __post_init__(self) -> None:
        faults = _setting_faults({name: getattr(self, name) for name in SETTINGS})
        _raise_all(faults, "bad-parameter", "see help(covey.anonymize), or `covey anonymize --help`")
        if self.release == "centre" and self.ends == "snapped":
            raise bad_parameter(
                "centres have no ends that could be snapped", "leave out `ends`, or choose another kind of release"
            )
        require_one_of_two(self.effort, self.budget)
        object.__setattr__(self, "models", tuple(model_spec(given) for given in self.models))

    def with_settings(self, given: Mapping[str, Any], **others: Any) -> Job:
        """Return the job with settings on top, None for not given; of effort and budget the one given counts."""
        told = {name: value for name, value in given.items() if value is not None}
        if ("effort" in told) != ("budget" in told):
            told = {"effort": "balanced", "budget": None, **told}
        return replace(self, **told, **others)

    def to_toml(self) -> str:
        """Return the text of a job file that says the same, trees written out in place of their files."""
        from covey.ask.job_text import job_toml

        return job_toml(self)


_JOB_KEYS = (*SETTINGS, "csv", "columns")
_CSV_RULES: dict[str, tuple[type, str]] = {
    "separator": (str, 'text such as ";"'),
    "encoding": (str, 'text such as "cp1252"'),
    "header": (bool, "true or false"),
    "names": (list, 'a list of texts such as ["age", "sex"]'),
    "decimal": (str, '"." or ","'),
    "skip_blanks": (bool, "true or false"),
}
_LONG_KEY = re.compile(r"""(?<![\w"'.-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){100}""")
"""A dotted key of more than a hundred parts."""
_COLUMN_KINDS = {
    **dict.fromkeys(("domain", "order", "na"), (list, "a list")),
    **dict.fromkeys(("role", "type"), (str, "text")),
}
_COLUMN_KEYS = ("role", *FACTS, "na")


def as_job(given: Job | str | Path | None) -> Job:
    """Return a job that is given as such, as a file, or not at all: then nothing is asked."""
    if given is None:
        return Job()
    return given if isinstance(given, Job) else read_job(given)


def read_job(path: str | Path) -> Job:
    """Return the job that a `covey.toml` describes; all its faults are reported at once."""
    file = Path(path)
    try:
        document = _document(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise InputError(f"there is no file `{path}`", code="no-such-file", hint="`covey init` writes one") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"`{path}` cannot be read ({type(error).__name__})", code="unreadable", hint="check the file"
        ) from None
    except RecursionError:
        raise InputError(
            f"`{path}` is nested too deeply", code="bad-toml", hint="`covey init` shows the form"
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"`{path}` is not TOML: {error}", code="bad-toml", hint="correct that line") from None
    except ValueError:
        raise InputError(
            f"`{path}` has a number of more digits than can be read", code="bad-toml", hint="give a smaller number"
        ) from None
    faults = [_unknown(key, _JOB_KEYS, "") for key in document if key not in _JOB_KEYS]
    faults += _csv_faults(document.get("csv", {}))
    columns = _columns(document.get("columns", {}), file.parent, faults)
    plain = {key: document[key] for key in _JOB_KEYS if key in document and key not in ("columns", "models")}
    if "algorithm" in plain and not isinstance(plain["algorithm"], str):
        faults.append('`algorithm` must be text such as "mondrian(relaxed=true)"')
    if isinstance(plain.get("na"), list):
        plain["na"] = tuple(plain["na"])
    faults += _setting_faults(plain)
    models = _models(document.get("models", []), faults)
    _raise_all(faults, "bad-job", f"correct `{path}`")
    return Job(schema=Schema(columns), models=models, files=_files(document.get("columns", {}), file.parent), **plain)


def _document(text: str) -> dict[str, Any]:
    if _LONG_KEY.search(text):  # the reader takes the square of its length, in time and memory
        raise RecursionError
    return tomllib.loads(text)


def _setting_faults(given: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the settings that are given, in the order of all."""
    return [
        f"`{name}` must be {fault}"
        for name, setting in SETTINGS.items()
        if name in given and (fault := setting.rule(given[name])) is not None
    ]


def _files(tables: Mapping[str, Mapping[str, Any]], folder: Path) -> tuple[str, ...]:
    named = (table.get("taxonomy") for table in tables.values())
    return tuple(str(folder / taxonomy) for taxonomy in named if isinstance(taxonomy, str))


def _models(tables: object, faults: list[str]) -> tuple[ModelSpec, ...]:
    if not isinstance(tables, list):
        faults.append("`models` must be tables such as [[models]]")
        return ()
    found = [_tried(faults, model_spec, table) for table in tables]
    return tuple(model for model in found if model is not None)


def _csv_faults(table: object) -> list[str]:
    if not isinstance(table, Mapping):
        return ["`csv` must be a table such as [csv]"]
    faults = [_unknown(key, tuple(_CSV_RULES), " of `csv`") for key in table if key not in _CSV_RULES]
    for key, (kind, words) in _CSV_RULES.items():
        value = table.get(key)
        texts = not isinstance(value, list) or all(isinstance(name, str) for name in value)
        if key in table and not (isinstance(value, kind) and texts):
            faults.append(f"`{key}` of `csv` must be {words}")
    return faults


def _columns(tables: object, folder: Path, faults: list[str]) -> tuple[Column, ...]:
    if not isinstance(tables, Mapping):
        faults.append("`columns` must be tables such as [columns.age]")
        return ()
    columns = []
    for name, table in tables.items():
        if not isinstance(table, Mapping):
            faults.append(f"`columns.{name}` must be a table with a `role`")
            continue
        found = [_unknown(key, _COLUMN_KEYS, f" of column `{name}`") for key in table if key not in _COLUMN_KEYS]
        if "role" not in table:
            found.append(f"column `{name}` has no `role`")
        column = _column(name, {key: table[key] for key in _COLUMN_KEYS if key in table}, folder, found)
        if column is not None and not found:
            columns.append(column)
        faults += found
    return tuple(columns)


def _column(name: str, table: Mapping[str, Any], folder: Path, faults: list[str]) -> Column | None:
    """Return one column; its faults are added to `faults`, all of them and each once."""
    facts = dict(table)
    for key, (kind, words) in _COLUMN_KINDS.items():
        if key in facts and not isinstance(facts[key], kind):
            faults.append(f"`{key}` of column `{name}` must be {words}")
            del facts[key]
    if "taxonomy" in facts:
        tree = _tried(faults, taxonomy_from_spec, facts.pop("taxonomy"), folder, name)
        facts |= {} if tree is None else {"taxonomy": tree}
    first: list[str] = []
    column = _tried(first, Column, name, **{"role": "quasi", **facts})
    if column is not None:
        return column
    # a column says only what is wrong with it first: ask about the parts that do not depend on each other
    parts = [
        ("role",), ("role", "na"), ("weight",), ("type", "order"), ("type", "order", "taxonomy"),
        ("type", "order", "domain"),
    ]  # fmt: skip
    said: list[str] = []
    for part in parts:
        _tried(said, Column, name, **{"role": "quasi", **{key: facts[key] for key in part if key in facts}})
    faults += dict.fromkeys([*said, *first])
    return None


def _tried(faults: list[str], make: Callable[..., Made], *given: Any, **facts: Any) -> Made | None:
    """Return what is made of what is given; None if it cannot be, and what is wrong with it is added to `faults`."""
    try:
        return make(*given, **facts)
    except CoveyError as error:
        faults.append(str(error))
        return None


def _unknown(key: str, known: tuple[str, ...], where: str) -> str:
    return f"unknown key `{key}`{where}, {did_you_mean(key, known)}"


def _raise_all(faults: list[str], code: str, hint: str) -> None:
    if len(faults) == 1:
        raise InputError(faults[0], code=code, hint=hint)
    if faults:
        shown = "; ".join(faults[:10]) + (f"; and {len(faults) - 10:,} more" if len(faults) > 10 else "")
        raise InputError(f"{plural(len(faults), 'fault')}: {shown}", code=code, hint=hint)
