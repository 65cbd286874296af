"""The compile decorator: where compiled kernels are kept, and that they are never stale."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from covey import kernel

PROGRAM = """
import sys
import numpy as np
from covey.cluster.loss_cut import LossCut
from covey.encode import merge_rows
import covey.kernel as kernel
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


def test_the_stamp_is_a_digest_of_every_kernel(monkeypatch, tmp_path):
    before = kernel._digest()
    package = tmp_path / "covey"
    (package / "cluster" / "kernels").mkdir(parents=True)
    for name in ("prices.py", "encode.py", "windows.py", "cluster/kernels/one.py"):
        (package / name).write_text("a = 1")
    monkeypatch.setattr(kernel, "__file__", str(package / "kernel.py"))
    kernel._digest.cache_clear()
    first = kernel._digest()
    (package / "cluster" / "kernels" / "one.py").write_text("a = 2")
    kernel._digest.cache_clear()
    assert len({before, first, kernel._digest()}) == 3
    monkeypatch.undo()
    kernel._digest.cache_clear()
    assert kernel._digest() == before


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


@pytest.mark.parametrize("module", ["covey", "covey.verifier", "covey.cli", "covey.schema"])
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
