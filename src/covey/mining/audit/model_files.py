"""Trained models from files: skops and covey's own JSON, and pickles only if they are trusted.

A pickle is a program that runs when it is read.  A skops file lists the types that it needs: those that skops itself
trusts are loaded, and of all others the few below, by name.
"""

from __future__ import annotations

import codecs
import json
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from covey.base.checks import listed
from covey.base.errors import InputError
from covey.base.hints import Asked, hint
from covey.mining.faults import bad_model, installed, too_large, what_training_leaves

__all__ = ["TRUSTED", "is_pickle", "read_model", "read_own_text"]

TRUSTED = (
    "sklearn.tree._tree.Tree",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "functools.partial",
    "sklearn.utils.validation.check_array",
)
"""Types that skops calls untrusted and that are loaded.

Trees: `read_trees` checks their arrays.  The last two are what histogram boosting checks its input with; to load a
partial function does not call it, and neither does an audit.
"""
_NEIGHBOURS = ("sklearn.neighbors._kd_tree.KDTree", "sklearn.neighbors._ball_tree.BallTree")
_PICKLES = (".pkl", ".pickle", ".joblib")
_TABLES = (".csv", ".tsv", ".txt", ".parquet", ".feather", ".arrow", ".xlsx")
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"x\x01", b"x\x5e", b"x\x9c", b"x\xda", b"\x80")
"""First bytes of pickles, and of what joblib packs them in."""
_MOST_BYTES = 4 << 30
_NEED_PACKAGES = "models need packages that are not installed"


def read_model(path: str | Path, *, trust_pickle: bool = False) -> Any:
    """Return the model in a file; a pickle is refused unless it is trusted.

    Whatever a skops or JSON file holds, nothing of it is run.
    """
    file = Path(path)
    first, suffix = _first_bytes(file), file.suffix.lower()
    advice = "give a .skops file, or the JSON of a model of covey"
    if suffix in _TABLES:
        advice = "it looks like a table: the model comes first, then the table"
    elif zipfile.is_zipfile(file) and suffix not in _PICKLES:
        return _read_skops(file)
    elif is_pickle(file):
        if not trust_pickle:
            raise InputError(
                f"`{path}` is a pickle, which can run any program when it is read",
                code="untrusted-model",
                hint=hint(
                    "save the model with skops.io.dump, or give {} if you know who made the file",
                    Asked("trust_pickle", True),
                ),
            )
        return _read_pickle(file)
    elif first.startswith(b"PK"):
        raise bad_model(
            f"`{path}` is damaged or cut short", "copy it again, or save the model again, from where it was trained"
        )
    elif first.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{"):
        return _read_own(file)
    raise InputError(f"`{path}` is no file of a trained model that can be read", code="unknown-format", hint=advice)


def is_pickle(path: str | Path) -> bool:
    """Return whether a file is a pickle, or called one."""
    file = Path(path)
    return file.suffix.lower() in _PICKLES or (file.is_file() and _first_bytes(file).startswith(_PACKED))


def _first_bytes(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(64)
    except FileNotFoundError:
        raise InputError(f"there is no file `{file}`", code="no-such-file", hint="check the path") from None
    except IsADirectoryError:
        raise InputError(f"`{file}` is a folder", code="is-folder", hint="give the file itself") from None
    except PermissionError:
        raise InputError(
            f"the file `{file}` may not be read", code="no-permission", hint="ask its owner to let you read it"
        ) from None
    except OSError as error:
        raise InputError(
            f"`{file}` cannot be read: {error.strerror or type(error).__name__}",
            code="no-such-file",
            hint="check the path",
        ) from None


def _read_skops(file: Path) -> Any:
    with installed(_NEED_PACKAGES):
        import skops.io
    unread = f"`{file}` cannot be read as a skops file, or holds what training does not leave"
    with what_training_leaves(unread, Exception):  # a changed file can make any part of the reading fail
        with zipfile.ZipFile(file) as parts:
            size = sum(part.file_size for part in parts.infolist())
        if size > _MOST_BYTES:
            raise too_large(
                f"the model takes {size:,} bytes when it is unpacked; at most {_MOST_BYTES:,} are read",
                "audit a smaller model",
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # arrays of another version are checked like all others
            unknown = sorted(set(skops.io.get_untrusted_types(file=file)) - set(TRUSTED))
            if unknown:
                raise _untrusted(unknown)
            return skops.io.load(file, trusted=list(TRUSTED))


def _untrusted(unknown: list[str]) -> InputError:
    hint = "such types are not loaded; save a model that is made of trees, centres or scikit-learn's encoders"
    if set(unknown) & set(_NEIGHBOURS):
        hint = "a model of nearest neighbours holds the rows that it was trained on: do not publish it"
    elif any(name.startswith("covey.") for name in unknown):
        hint = "a model of covey is audited from its own JSON: save it with to_json()"
    return InputError(
        f"the model needs types that are not trusted: {listed(unknown)}", code="untrusted-model", hint=hint
    )


def _read_pickle(file: Path) -> Any:
    with installed(_NEED_PACKAGES):
        import joblib  # type: ignore[import-untyped]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return joblib.load(file)  # the user said that the file is trusted
    except ModuleNotFoundError as error:
        raise InputError(
            f"`{file}` needs the package `{error.name}`, which is not installed",
            code="not-installed",
            hint="install what the model was trained with, or save it with skops.io.dump",
        ) from None
    except Exception as error:
        raise bad_model(f"`{file}` cannot be unpickled ({type(error).__name__})") from None


def _read_own(file: Path) -> Any:
    """Return a model that covey wrote as JSON."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except ValueError:
        raise bad_model(f"`{file}` is no JSON of a model") from None
    return read_own_text(text, str(file))


def read_own_text(text: str, file: str = "the text") -> Any:
    """Return the model that a text of covey's JSON tells; every part is checked, nothing is run."""
    try:
        document = json.loads(text)
        json.dumps(document, ensure_ascii=False).encode()  # half a character, as \ud800 is, can be in no column
    except (ValueError, RecursionError):
        raise bad_model(f"`{file}` is no JSON of a model") from None
    if not isinstance(document, dict):
        raise bad_model(f"`{file}` is not a model that covey wrote")
    kind, name = (str(document.get(key, "")) for key in ("format", "estimator"))
    if kind == "covey tree":
        from covey.mining.learn.tree import baselines
        from covey.mining.learn.tree import estimator as tree

        estimators: dict[str, Any] = {"KAnonymousTree": tree.KAnonymousTree, "ID3": baselines.ID3, "C45": baselines.C45}
        if name in estimators:
            return estimators[name].from_json(text)
    elif kind == "covey k-anonymous clusters":
        from covey.mining.learn.clusters.estimator import KAnonymousClusters

        return KAnonymousClusters.from_json(text)
    elif isinstance(document.get("rules"), list):
        return _read_rules(document["rules"], file)
    raise bad_model(f"`{file}` is not a model that covey wrote")


def _read_rules(rules: list[Any], file: str) -> Any:
    from covey.mining.rules.rules import TELL_THE_RIGHT_SIDE, read_rules

    found = []
    for number, rule in enumerate(rules, 1):
        told = [rule.get(part) for part in ("left", "right", "support", "confidence")] if isinstance(rule, dict) else []
        if not told or not all(map(_are_texts, told[:2])) or not all(map(_is_share, told[2:])):
            raise bad_model(
                f"rule {number:,} in `{file}` is not made of two lists of items, a support and a confidence"
            )
        found.append(told)
    tells_right = any(name in rule for rule in rules for name in TELL_THE_RIGHT_SIDE)
    return [replace(rule, tells_right=tells_right) for rule in read_rules(found)]


def _are_texts(side: Any) -> bool:
    return isinstance(side, list) and all(isinstance(item, str) for item in side)


def _is_share(share: Any) -> bool:
    return share is None or (type(share) in (int, float) and 0 <= share <= 1)
