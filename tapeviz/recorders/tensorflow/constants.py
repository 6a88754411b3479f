"""`tf.constant` and its like, which make tensors without an op -> the user's line that called them."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from tensorflow.python.framework import constant_op

from tapeviz.events.program.frames import is_library
from tapeviz.recorders.patches import Row
from tapeviz.recorders.tensorflow.ledger import Ledger
from tapeviz.recorders.tensorflow.session import Session

MAKERS = frozenset(("constant", "convert_to_tensor_v2_with_dispatch"))
"""The functions that a user calls to make a tensor of numbers, by the names of their code."""
WRAPPERS = frozenset(("error_handler", "op_dispatch_handler", "wrapper"))
"""What TensorFlow puts around every public function."""


def rows(session: Session, ledger: Ledger) -> list[Row]:
    """Which tensors the user makes; those that TensorFlow makes of numbers in passing are told from them."""

    def converted(convert: Any, value: Any, *args: Any, **more: Any) -> Any:
        tensor = convert(value, *args, **more)
        if tensor is not value:
            maker, frame = _maker(sys._getframe(1))
            if maker in MAKERS:
                ledger.hide((tensor,), (frame.f_code, frame.f_lasti))
        return tensor

    return [session.running.instead(constant_op, "convert_to_eager_tensor", converted)]


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
