"""The switch that has a thread compile what it runs: off while the recorder works in the middle of a compiled call.

A compiled function leaves its graphs for what cannot be compiled, as a backward pass. The thread goes on to compile
what it meets there, and would compile the recorder.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tapeviz.recorders.torch.compiled.compiler import MODULE

Function = Callable[..., Any]


@contextmanager
def uncompiled() -> Iterator[Callable[[Function], Function]]:
    """A block in which nothing is compiled; it gives what has a function of the program's run as without the block.

    The switch is first used where a program has imported the compiler.
    """
    compiler: Any = sys.modules.get(MODULE)
    if compiler is None or not hasattr(compiler, "set_eval_frame"):
        yield lambda function: function
        return
    before = compiler.set_eval_frame(None)

    def as_before(function: Function) -> Function:
        def call(*args: Any, **kwargs: Any) -> Any:
            compiler.set_eval_frame(before)
            try:
                return function(*args, **kwargs)
            finally:
                compiler.set_eval_frame(None)

        return call

    try:
        yield as_before
    finally:
        compiler.set_eval_frame(before)
