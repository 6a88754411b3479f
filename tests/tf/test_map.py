"""Where things of TensorFlow's namespace are."""

from __future__ import annotations

import pytest

from tests.test_map import (
    test_a_file_says_in_its_first_line_that_it_answers as test_a_file_says_in_its_first_line_that_it_answers,
)
from tests.test_map import test_the_way_to_a_file_is_told_by_the_maps as test_the_way_to_a_file_is_told_by_the_maps

QUESTIONS = {
    "where is `tf.keras.layers.Dense`?": ("tf/keras/layers/dense.py", "dense"),
    "where is TensorFlow's `tf.function`?": ("tf/tracing/function.py", "tf.function"),
}


@pytest.fixture(params=QUESTIONS.values(), ids=QUESTIONS)
def answer(request: pytest.FixtureRequest) -> tuple[str, str]:
    return request.param
