"""The compile decorator: where compiled kernels are kept, and that they are never stale."""

from __future__ import annotations

import importlib
import os
import pickle
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from covey.compiled import kernel
from covey.compiled.sources import kernel_sources

PROGRAM = """
import sys
import numpy as np
from covey.search.loss_cut.estimator import LossCut
from covey.codes.merging import merge_rows
import covey.compiled.kernel as kernel
merge_rows(np.zeros((1, 3), np.uint8), np.array([1]))
folders = {str(d._cache.cache_path) for d in kernel._dispatchers}
print(sorted(folders))
print(kernel.kernels_are_cached())
"""


def run(**environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_a_folder_that_is_named_is_used(tmp_path):
    folders, cached = run(NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert str(tmp_path / "cache") in folders
    assert cached == "True"
    assert list((tmp_path / "cache").rglob("*.nbi"))


def test_every_kernel_of_the_package_is_in_the_digest():
    package = Path(kernel.__file__).parents[1]
    for module in pkgutil.walk_packages([str(package)], "covey."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    here = [Path(found.py_func.__code__.co_filename) for found in kernel._dispatchers]
    files = {file for file in here if file.is_relative_to(package)}
    assert len(files) > 20
    assert files <= set(kernel_sources(package))


RESULTS = """
import sys
from covey.fast import f
from covey.mining.deep.kernels.slow import g
print(f(1), g(1))
"""

KERNELS = {
    "fast.py": """
from covey import given
from covey.compiled.kernel import kernel
from covey.mining.deep.kernels.slow import g

LIMIT = given.LIMIT

@kernel
def f(x):
    return g(x) + LIMIT
""",
    "given.py": "LIMIT = 1000",
    "mining/deep/kernels/slow.py": """
from covey.compiled.kernel import kernel

@kernel
def g(x):
    return x + 10
""",
}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """Return a copy of the package with kernels in two new places, compiled, and a constant that feeds one."""
    copy = tmp_path_factory.mktemp("compiled") / "covey"
    shutil.copytree(Path(kernel.__file__).parents[1], copy, ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in KERNELS.items():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(text)
    assert results(copy) == "1011 11"
    return copy


@pytest.fixture
def package(compiled, tmp_path):
    return Path(shutil.copytree(compiled, tmp_path / "src" / "covey"))


def results(package: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-B", "-c", RESULTS],
        env={**os.environ, "PYTHONPATH": str(package.parent), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("name", "old", "new", "after"),
    [
        ("fast.py", "g(x) + LIMIT", "g(x) - LIMIT", "-989 11"),
        ("mining/deep/kernels/slow.py", "x + 10", "x + 20", "1021 21"),  # f itself does not change
        ("given.py", "1000", "2000", "2011 11"),
    ],
)
def test_a_kernel_is_compiled_again_after_an_edit_of_any_file_that_it_depends_on(package, name, old, new, after):
    (package / name).write_text((package / name).read_text().replace(old, new))
    assert results(package) == after


def entries(package: Path, names: str) -> list[Path]:
    return sorted(package.rglob(names))


DAMAGES = {
    "empty": lambda text: b"",
    "cut": lambda text: text[: len(text) // 2],
    "random": lambda text: os.urandom(len(text)),
    "one byte": lambda text: text[:-40] + bytes([text[-40] ^ 255]) + text[-39:],
    "another pickle": lambda text: pickle.dumps(["not", "what", "it", "was"]),
    "a pickle that runs": lambda text: b"cbuiltins\nexec\n(S'raise SystemExit(99)'\ntR.",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_of_the_cache_is_thrown_away(package, damage):
    harmed = {
        file: file.read_bytes()
        for file in (
            *entries(package, "fast.f*.nbi"),
            *entries(package, "slow.g*.nbc"),
            *entries(package, "fast.f*.nbc"),
        )
    }
    assert len(harmed) == 4  # g as Python calls it, and as f does
    damaged = {file: DAMAGES[damage](text) for file, text in harmed.items()}
    for file, text in damaged.items():
        file.write_bytes(text)
    assert results(package) == "1011 11"
    for file, text in damaged.items():
        assert file.read_bytes() != text  # mended, so that the next run is fast again


def test_entries_are_read_and_not_compiled_again(package):
    before = {file: file.stat().st_mtime_ns for file in entries(package, "*.nb?")}
    assert results(package) == "1011 11"
    assert {file: file.stat().st_mtime_ns for file in entries(package, "*.nb?")} == before


def test_a_cache_that_cannot_be_written_is_done_without(package):
    for file in entries(package, "*.nb?"):
        file.unlink()
    program = RESULTS.replace("import sys", "import builtins, errno, os")
    full = """
real = builtins.open
def no_room(file, mode="r", *more, **named):
    if "w" in mode:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return real(file, mode, *more, **named)
builtins.open = no_room
"""
    done = subprocess.run(
        [sys.executable, "-B", "-c", program.replace("print(", full + "print(")],
        env={**os.environ, "PYTHONPATH": str(package.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "1011 11\n", "")
    assert not entries(package, "*.nb?")


def locator(function, monkeypatch, folder: Path):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(folder))
    return kernel._PrivateTemporary.from_function(function, __file__)


def test_a_private_temporary_folder_is_the_last_resort(monkeypatch, tmp_path):
    found = locator(run, monkeypatch, tmp_path)
    folder = tmp_path / f"covey-kernels-{os.getuid()}"
    assert found.get_cache_path().startswith(str(folder))
    assert folder.stat().st_mode & 0o077 == 0


def test_a_temporary_folder_that_others_may_write_to_is_refused(monkeypatch, tmp_path):
    folder = tmp_path / f"covey-kernels-{os.getuid()}"
    folder.mkdir()
    folder.chmod(0o777)  # a cache entry is code: whoever can write it runs as this user
    assert locator(run, monkeypatch, tmp_path) is None


def test_a_temporary_folder_that_is_a_link_is_refused(monkeypatch, tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / f"covey-kernels-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    assert locator(run, monkeypatch, tmp_path) is None


def test_without_any_folder_kernels_are_compiled_in_memory(monkeypatch):
    def no_folder(function):
        raise RuntimeError("no locator available")

    monkeypatch.setattr(kernel, "_Cache", no_folder)

    @kernel.kernel
    def double(x):
        return 2 * x

    assert double(21) == 42
    assert double._cache.cache_path is None
    kernel._dispatchers.remove(double)


@pytest.mark.parametrize("module", ["covey", "covey.verifier", "covey.cli", "covey.ask.schema"])
def test_light_modules_do_not_load_numba(module):
    code = f"import sys, {module}; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_two_processes_that_compile_at_once_do_not_overwrite_each_other(tmp_path, monkeypatch):
    files = [kernel._Files(str(tmp_path), "push", "stamp") for _ in range(2)]
    # both read the index while it is empty: numba's own files would both be number 1
    monkeypatch.setattr(kernel._Files, "_load_index", lambda self: {})
    files[0].save(("uint8", "x86"), "code for uint8")
    files[1].save(("int32", "x86"), "code for int32")
    monkeypatch.undo()
    assert files[0].load(("int32", "x86")) == "code for int32"
    assert files[0].load(("uint8", "x86")) in (None, "code for uint8")
    files[0].save(("uint8", "x86"), "code for uint8")
    assert files[1].load(("uint8", "x86")) == "code for uint8"
    assert files[1].load(("int32", "x86")) == "code for int32"
