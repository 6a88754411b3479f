"""Functions whose gradient was wrong in public threads about kernels, in the text beside this, each with its repair.

A head names the thread, and the inputs whose gradients are wrong. Where accelerators went wrong, plain ops do the same.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch.autograd import Function\ntorch.manual_seed(3)\n"


class Kernel(NamedTuple):
    """A thread, its program with the right rule and with the wrong one, and the inputs that this is wrong for."""

    thread: str
    right: str
    wrong: str
    inputs: tuple[str, ...]


def _kernel(head: str, text: str) -> Kernel:
    _, thread, inputs = head.split(" | ")
    right = re.sub(r"  #! .*", "", text)
    wrong = re.sub(r"^( *).*  #! (.*)", r"\1\2", text, flags=re.MULTILINE)
    return Kernel(thread, HEAD + right, HEAD + wrong, tuple(inputs.split()))


_PARTS = re.split(r"^# (.+)\n", Path(__file__).with_suffix(".txt").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
KERNELS = {head.split(" | ")[0]: _kernel(head, text) for head, text in zip(_PARTS[::2], _PARTS[1::2], strict=True)}
"""By name, the newest threads of the time at which they were collected, in 2026."""
