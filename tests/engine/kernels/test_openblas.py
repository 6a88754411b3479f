"""Which libraries multiply small matrices unpacked, and when that is faster."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from threadpoolctl import threadpool_limits

from tapeviz.engine.kernels import openblas


@pytest.mark.parametrize(
    ("libraries", "expected"),
    [
        ([("numpy.libs/libscipy_openblas64_.so", "SkylakeX", 1)], True),
        ([("numpy.libs/libscipy_openblas64_.so", "SkylakeX", 2)], False),
        ([("numpy.libs/libscipy_openblas64_.so", "Haswell", 1)], False),
        ([("numpy.libs/a.so", "Haswell", 1), ("scipy.libs/b.so", "SkylakeX", 1)], False),
        ([("lib/libopenblas.so", "Cooperlake", 1)], True),
        ([("lib/libopenblas.so", "Cooperlake", 1), ("scipy.libs/b.so", "Cooperlake", 1)], False),
        ([], False),
    ],
)
def test_which_openblas_multiplies_unpacked(
    libraries: list[tuple[str, str, int]], expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [
        SimpleNamespace(filepath=f"/site/{path}", architecture=family, get_num_threads=lambda threads=threads: threads)
        for path, family, threads in libraries
    ]
    chosen = SimpleNamespace(select=lambda internal_api: SimpleNamespace(lib_controllers=found))
    monkeypatch.setattr(openblas, "ThreadpoolController", lambda: chosen)
    openblas._library.cache_clear()
    try:
        assert openblas.multiplies_unpacked() is expected
    finally:
        openblas._library.cache_clear()


def test_the_number_of_threads_is_asked_for_each_time() -> None:
    if openblas._library() is None:
        pytest.skip("NumPy multiplies with a library that has no kernels for small matrices")
    with threadpool_limits(1, user_api="blas"):
        assert openblas.multiplies_unpacked()
    with threadpool_limits(2, user_api="blas"):
        assert not openblas.multiplies_unpacked()
