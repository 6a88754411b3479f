"""python -m tests.recorders.keras_backends BACKEND FOLDER: record the programs on a backend, save the logs there."""

from __future__ import annotations

import os
import re
import runpy
import sys
from functools import reduce
from pathlib import Path

backend, folder = sys.argv[1:]
os.environ |= {"KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu"}

import keras  # noqa: E402  # only after the backend is chosen

import tapeviz as tv  # noqa: E402
from tapeviz.diagnosis.dialects.keras import FUNCTIONS  # noqa: E402
from tests.recorders.keras_backends.logs import PROGRAMS  # noqa: E402

for name in {each for own in FUNCTIONS.values() for each in re.findall(r"keras\.([\w.]*\w)", own)}:
    reduce(getattr, name.split("."), keras)  # what its users are told of is there

sys.path.insert(0, str(PROGRAMS))
for program in sorted(PROGRAMS.glob("*.py")):
    if program.stem == "five_layers":
        continue  # what the others import
    keras.backend.clear_session()
    sys.modules.pop("five_layers", None)
    with tv.record() as log:
        runpy.run_path(str(program))
    tv.save(log, Path(folder) / f"{backend}.{program.stem}.tape")
