"""`tf.constant` and its like, which make tensors without an op -> the user's line that called them."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from tensorflow.python.framework import constant_op

from tapeviz.events.program.frames import is_library
from tapeviz.recorders.patches import Patches
from tapeviz.recorders.tensorflow.ledger import Ledger
from tapeviz.recorders.tensorflow.session import Session

MAKERS = frozenset(("constant", "convert_to_tensor_v2_with_dispatch"))
"""The functions that a user calls to make a tensor of numbers, by the names of their code."""
WRAPPERS = frozenset(("error_handler", "op_dispatch_handler", "wrapper"))
"""What TensorFlow puts around every public function."""


def install(patches: Patches, session: Session, ledger: Ledger) -> None:
    """See which tensors the user makes, and tell them from those that TensorFlow makes of numbers in passing."""

    def converting(convert: Any) -> Any:
        def convert_to_eager_tensor(value: Any, ctx: Any, dtype: Any = None) -> Any:
            tensor = convert(value, ctx, dtype)
            if tensor is not value and session.is_running:
                maker, frame = _maker(sys._getframe(1))
                if maker in MAKERS:
                    ledger.hide((tensor,), (frame.f_code, frame.f_lasti))
            return tensor

        return convert_to_eager_tensor

    patches.wrap(constant_op, "convert_to_eager_tensor", converting)


def _maker(frame: FrameType) -> tuple[str, FrameType]:
    """The function that the user called, on the way to a frame, and the user's own frame."""
    name, at = "", frame
    while True:
        code, outer = at.f_code, at.f_back
        if outer is None or not is_library(code.co_filename):
            return name, at
        if code.co_name not in WRAPPERS:
            name = code.co_name
        at = outer
