"""Keras programs against Keras 3 in TensorFlow: results, texts, paths, error classes."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from tests.framework_programs import is_marked_to_fail, programs_of
from tests.sampling import quarter
from tests.tf.keras.comparison import assert_agreement

FOLDER = Path(__file__).with_name("programs")
MODULES = [import_module(f"tests.tf.keras.programs.{each.stem}") for each in sorted(FOLDER.glob("*.py"))]
PROGRAMS = {name: program for module in MODULES for name, program in programs_of(module).items()}


def test_every_program_has_a_name_of_its_own() -> None:
    assert len(PROGRAMS) == sum(len(programs_of(module)) for module in MODULES) > 400


@pytest.mark.tensorflow
@pytest.mark.parametrize("name", quarter(PROGRAMS))
def test_as_keras(name: str) -> None:
    assert_agreement(PROGRAMS[name], is_marked_to_fail(PROGRAMS[name]))
