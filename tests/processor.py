"""What this machine's processor computes in, by which TensorFlow chooses among its kernels (Linux says; else: nothing).

has("avx512bw")
"""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def has(instructions: str) -> bool:
    """Whether the processor says that it has these instructions, by their name in `/proc/cpuinfo`."""
    about = Path("/proc/cpuinfo")
    return about.exists() and instructions in about.read_text(encoding="utf-8").split()


COMPUTES_HALVES = has("avx512_fp16")
"""Then TensorFlow has oneDNN's kernels for float16 beside its own."""
COMPUTES_BFLOAT16 = has("avx512bw")
"""Then TensorFlow has oneDNN's kernels for bfloat16, which compute in float32; its own round every step."""
SUMS_WIDE = has("avx512f")
"""Then TensorFlow's products of matrices sum in the order in which NumPy's do, so far as the suite prints them."""
