"""Tracebacks that TensorFlow and Keras shorten -> shortened by the frames of recorders, too."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tensorflow.python.util import traceback_utils

from tapeviz.recorders.patches import Row, Wrapped

RECORDERS = str(Path(__file__).parents[1]) + os.sep


def rows() -> list[Row]:
    """Both leave out the frames of recorders, as they leave out their own."""
    modules = (traceback_utils, sys.modules.get("keras.src.utils.traceback_utils"))
    found = [each for each in modules if hasattr(each, "_EXCLUDED_PATHS")]
    return [Wrapped(each, "_EXCLUDED_PATHS", lambda paths: (*paths, RECORDERS)) for each in found]
