"""Whether NumPy multiplies small matrices as they lie in memory, by the kernels that OpenBLAS has for that.

OpenBLAS first copies ("packs") the matrices of a product in the order in which it reads them. For processors with
AVX-512 it has kernels that do without, for small products; they run in one thread.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

try:
    from threadpoolctl import ThreadpoolController
except ImportError:  # it, or ctypes, which it needs: as where Python runs in a browser
    ThreadpoolController = None

UNPACKED = 100**3
"""The number of multiplications up to which nothing is packed (`sgemm_small_kernel_permit` of OpenBLAS)."""
KERNELS = frozenset({"SkylakeX", "Cooperlake", "SapphireRapids"})
"""The families of processors, as OpenBLAS calls them, for which it has such kernels."""


def multiplies_unpacked() -> bool:
    """Whether NumPy's OpenBLAS has these kernels, and runs in one thread, so that they are not slower than several."""
    library = _library()
    return library is not None and library.get_num_threads() == 1


@cache
def _library() -> Any:
    """The OpenBLAS that NumPy calls, if it has these kernels: that of its wheel, or the only one there is."""
    if ThreadpoolController is None:
        return None
    found = ThreadpoolController().select(internal_api="openblas").lib_controllers
    known = [each for each in found if any(part.startswith("numpy") for part in Path(each.filepath).parts)] or found
    return known[0] if len(known) == 1 and known[0].architecture in KERNELS else None
