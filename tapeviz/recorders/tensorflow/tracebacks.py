"""Tracebacks that TensorFlow and Keras shorten -> shortened by the frames of recorders, too."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tensorflow.python.util import traceback_utils

from tapeviz.recorders.patches import Patches

RECORDERS = str(Path(__file__).parents[1]) + os.sep


def install(patches: Patches) -> None:
    """Have both leave out the frames of recorders, as they leave out their own."""
    for module in (traceback_utils, sys.modules.get("keras.src.utils.traceback_utils")):
        if hasattr(module, "_EXCLUDED_PATHS"):
            patches.wrap(module, "_EXCLUDED_PATHS", lambda paths: (*paths, RECORDERS))
