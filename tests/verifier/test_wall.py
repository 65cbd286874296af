"""What the verifier may reach: what is asked of a release, and nothing that reads, types or makes one."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
CONTRACT = "The verifier reaches only what says what is asked"

ALLOWED = {
    "covey.base": "errors, rules for parameters, words of messages, names of array types",
    "covey.ask": "what was asked: roles and declarations, the job, declared trees, names of algorithms and models",
    "covey.keys": "which columns look like keys of persons, for warnings",
}
"""The places outside its own folder that the verifier may reach, and what for; all else is forbidden unnamed."""
OUTSIDE = {"numpy", "pyarrow"}


def file_of(module: str) -> Path | None:
    path = SOURCE.joinpath(*module.split("."))
    found = [one for one in (path / "__init__.py", path.with_suffix(".py")) if one.exists()]
    return found[0] if found else None


def imports(module: str) -> Iterator[str]:
    """Return what a module imports anywhere, but for the eyes of a type checker alone."""
    path = file_of(module)
    assert path is not None
    todo: list[ast.AST] = [ast.parse(path.read_text())]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            todo += node.orelse
            continue
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert node.module is not None
            yield from (node.module, *(f"{node.module}.{name.name}" for name in node.names))
        todo += ast.iter_child_nodes(node)


def reached(start: str) -> tuple[set[str], set[str]]:
    """Return (modules of covey, other packages) that a package reaches, all of its own modules among them."""
    own = [module for module in all_modules() if module == start or module.startswith(f"{start}.")]
    inside: set[str] = set()
    outside: set[str] = set()
    todo = list(own)
    while todo:
        module = todo.pop()
        if module.split(".")[0] != "covey":
            outside.add(module.split(".")[0])
        elif module not in inside and file_of(module) is not None:
            inside.add(module)
            todo += [module.rpartition(".")[0]] if module.count(".") else []
            todo += [] if module == "covey" else imports(module)
    return inside, outside


def all_modules() -> list[str]:
    paths = (path.relative_to(SOURCE).with_suffix("") for path in (SOURCE / "covey").rglob("*.py"))
    return sorted(".".join(path.parts).removesuffix(".__init__") for path in paths)


def place_of(module: str) -> str:
    """Return the package at the top, or the module, in which a module lies."""
    return ".".join(module.split(".")[:2])


def is_own(module: str) -> bool:
    return place_of(module) in ("covey", "covey.verifier")


def test_the_verifier_reaches_what_is_allowed_and_nothing_else():
    inside, outside = reached("covey.verifier")
    assert {place_of(module) for module in inside if not is_own(module)} == set(ALLOWED)
    assert outside - set(sys.stdlib_module_names) == OUTSIDE


def test_the_package_itself_imports_nothing_when_it_is_imported():
    # `covey` is above the verifier by name, so it is loaded with it
    top = ast.parse((SOURCE / "covey" / "__init__.py").read_text()).body
    plain = [node for node in top if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {name.name for node in plain for name in node.names}
    assert names == {"annotations", "importlib", "pkgutil", "re", "Any"}


def test_the_contract_forbids_all_that_is_not_allowed():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (forbidden,) = (one["forbidden_modules"] for one in contracts if one["name"] == CONTRACT)

    def is_forbidden(module: str) -> bool:
        return any(module == one or module.startswith(f"{one}.") for one in forbidden)

    others = [module for module in all_modules() if not is_own(module) and place_of(module) not in ALLOWED]
    assert [module for module in others if not is_forbidden(module)] == []
    assert [module for module in ALLOWED if is_forbidden(module)] == []


def test_a_check_loads_nothing_else():
    script = (
        "import sys, pyarrow as pa\n"
        "from covey.verifier import verify\n"
        "raw = pa.table({'age': [1, 2, 3, 4], 'ill': ['a', 'b', 'a', 'b']})\n"
        "out = pa.table({'age': ['[1, 2]', '[1, 2]', '[3, 4]', '[3, 4]'], 'ill': ['a', 'b', 'a', 'b']})\n"
        "assert verify(out, k=2, quasi=['age'], original=raw, models=['distinct-l-diversity(ill, l=2)']).ok\n"
        "print(*[name for name in sys.modules if name.partition('.')[0] == 'covey'])\n"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert [module for module in found if not is_own(module) and place_of(module) not in ALLOWED] == []
