"""A name that is not there, and what Keras has and `tapeviz.keras` has not: a clear error that says what to write."""

from __future__ import annotations

import pytest

import tapeviz as tv
from tests.test_bad_input import Wrong
from tests.test_bad_input import test_a_clear_error as test_a_clear_error

WRONG: dict[str, Wrong] = {
    "a module that is missing": (
        lambda: tv.distribute,
        AttributeError,
        "^module 'tapeviz' has no attribute 'distribute'. tapeviz has nothing of tf.distribute.$",
    ),
    "a verb with a slip": (lambda: tv.diagnos, AttributeError, r"The nearest it has is tf\.diagnose\.$"),
    "a slip below a module": (
        lambda: tv.nn.experimental.stateless_drop,
        AttributeError,
        r"The nearest it has is tf\.nn\.experimental\.stateless_dropout\.$",
    ),
    "a namespace that is like a function": (lambda: tv.train, AttributeError, r"tapeviz has nothing of tf\.train\.$"),
    "a function of another namespace": (
        lambda: tv.softmax_cross_entropy_with_logits,
        AttributeError,
        r"There is tf\.nn\.softmax_cross_entropy_with_logits\.$",
    ),
    "a class in the letters of a function": (
        lambda: tv.keras.layers.dropout,
        AttributeError,
        r"The nearest it has is tf\.keras\.layers\.Dropout\.$",
    ),
    "a name in other capitals": (
        lambda: tv.keras.optimizers.adamw,
        AttributeError,
        r"The nearest it has is tf\.keras\.optimizers\.AdamW\.$",
    ),
    "a slip in a name in other capitals": (
        lambda: tv.keras.layers.max_poling2d,
        AttributeError,
        r"The nearest it has is tf\.keras\.layers\.MaxPooling2D\.$",
    ),
    "a name like no other": (lambda: tv.linalg.zzz, AttributeError, r"dir\(tf\.linalg\) lists what there is\.$"),
    "an import of what is missing": (
        lambda: exec("from tapeviz.keras.layers import Conv3D"),
        ImportError,
        r"^cannot import name 'Conv3D' from 'tapeviz\.tf\.keras\.layers'\. The nearest .* is tf\.keras\.layers\.Conv",
    ),
    "an import of what is elsewhere": (
        lambda: exec("from tapeviz import imag"),
        ImportError,
        r"^cannot import name 'imag' from 'tapeviz'\. There is tf\.math\.imag\.$",
    ),
    "a model that is to be saved": (
        lambda: tv.keras.Sequential().save("model.keras"),
        AttributeError,
        r"'Sequential' object has no attribute 'save'\. .* model\.get_weights\(\) gives arrays",
    ),
    "weights that are to be saved": (lambda: tv.keras.Model().save_weights("w.h5"), AttributeError, "get_weights"),
    "an op that is missing": (lambda: tv.reduce_summ, AttributeError, "reduce_sum"),
}


@pytest.fixture(params=WRONG.values(), ids=WRONG)
def wrong(request: pytest.FixtureRequest) -> Wrong:
    return request.param
