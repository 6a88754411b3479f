"""The same faulty programs, run by TensorFlow itself and recorded: the same causes at the same lines."""

from __future__ import annotations

import importlib
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.events import EventLog, ReadOut
from tapeviz.views.reading.remarks import remark_on
from tests.diagnosis import faulty_tensorflow, messages
from tests.diagnosis.faulty import FAULTY
from tests.diagnosis.healthy import HEALTHY
from tests.diagnosis.programs import Pair, loud, name_of, run

pytestmark = pytest.mark.tensorflow
ALONE = faulty_tensorflow.FAULTY
"""Programs that the engine cannot run; they have no repaired version."""


class Recorded(SimpleNamespace):
    """TensorFlow under the name by which the programs call it, with our recording."""

    record = tv.record

    def __getattr__(self, name: str) -> Any:
        import tensorflow

        return getattr(tensorflow, name)


def recorded(text: str) -> EventLog:
    return run(text, Recorded())


@pytest.fixture(scope="module", params=FAULTY, ids=name_of)
def faulty(request: pytest.FixtureRequest) -> Pair:
    return Pair(request.param, Recorded())


@pytest.fixture(scope="module", params=ALONE, ids=name_of)
def alone(request: pytest.FixtureRequest) -> Pair:
    return Pair(request.param, Recorded())


def test_the_first_finding_names_cause_and_line(faulty: Pair) -> None:
    faulty.first_names_cause_and_line()


def test_the_repaired_program_is_silent(faulty: Pair) -> None:
    assert faulty.repaired.loud == []


def test_the_first_finding_of_what_tensorflow_alone_runs_names_cause_and_line(alone: Pair) -> None:
    alone.first_names_cause_and_line()


def test_the_message_of_what_tensorflow_alone_runs_is_the_one_that_was_read(alone: Pair) -> None:
    assert messages.said("tensorflow", alone) == messages.accepted("tensorflow", alone.program)


@pytest.mark.parametrize(
    "text", (HEALTHY | faulty_tensorflow.HEALTHY).values(), ids=[*HEALTHY, *faulty_tensorflow.HEALTHY]
)
def test_a_healthy_program_is_silent(text: str) -> None:
    assert loud(recorded(text)) == []


def test_what_an_optimizer_writes_after_the_forward_pass_has_no_part_in_it() -> None:
    assert list(diagnose(recorded(faulty_tensorflow.HEALTHY["gan_whose_generator_steps_first"]))) == []


def test_nothing_is_said_of_a_stop_inside_a_function_of_tensorflows() -> None:
    import tensorflow

    x = tensorflow.Variable([1.0, 2.0])
    with tv.record() as log, tensorflow.GradientTape() as tape:
        y = tensorflow.reduce_logsumexp(x * 2.0)
        tape.gradient(y, x)
    assert "stop_gradient" in [getattr(each, "op", None) for each in log.events]
    assert not diagnose(log)
    assert "stop_gradient" not in str(tv.why(log, y, x))


def test_the_loss_of_a_fit_is_asked_about_by_its_name(framework: str) -> None:
    tf: Any = importlib.import_module(framework)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_regularizer="l2")])
    model.compile("sgd", "mse")
    with tv.record() as log:
        history = model.fit(tf.ones([4, 2]), tf.ones([4, 1]), verbose=0)
    assert "history" not in {each.name for each in log.tensors}, history
    answer = tv.why(log, "loss", model.layers[0].kernel)
    assert "The gradient of `loss` arrives" in str(answer)
    assert tv.table(log).targets == ["loss"]


def test_a_fit_with_dropout_hears_nothing_of_the_state_of_its_random_numbers() -> None:
    import tensorflow as tf

    model = tf.keras.Sequential([tf.keras.layers.Dense(3), tf.keras.layers.Dropout(0.3), tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
    with tv.record() as log:
        model.fit(tf.ones([4, 2]), tf.ones([4, 1]), epochs=2, batch_size=2, verbose=0)
    assert not diagnose(log)


def test_a_variable_that_was_there_before_is_a_state_once_it_is_written() -> None:
    import tensorflow as tf

    w, buffer = tf.Variable([0.5, 2.0]), tf.Variable([0.0, 0.0])
    with tv.record() as log, tf.GradientTape() as tape:
        buffer.assign(w * 3.0)
        loss = tf.reduce_sum(tf.square(buffer))
        tape.gradient(loss, w)
    assert [(each.cause, "`buffer`" in each.message) for each in diagnose(log)] == [("through_state", True)]


def test_a_variable_that_was_there_before_goes_by_the_blocks_own_name() -> None:
    import tensorflow as tf

    def scaled(inputs: Any, weight: Any) -> Any:
        return inputs * weight

    b = tf.Variable(2.0)
    with tv.record() as log, tf.GradientTape() as tape:
        loss = tf.square(scaled(tf.constant(3.0), b) - 1.0)
        tape.gradient(loss, b)
    assert log.tensors[log.id_of(b)].name == "b"


def test_a_head_that_no_loss_reads_is_unused() -> None:
    import tensorflow as tf

    inputs = tf.keras.Input((2,))
    heads = [tf.keras.layers.Dense(1, name=name)(inputs) for name in ("learns", "idle")]
    model = tf.keras.Model(inputs, heads)
    model.compile("sgd", loss=["mse", None])
    with tv.record() as log:
        model.fit(tf.ones([4, 2]), [tf.ones([4, 1])] * 2, verbose=0)
    assert {each.cause for each in diagnose(log)} == {"unused_source"}


def test_the_function_of_a_py_function_has_its_own_names() -> None:
    import numpy as np
    import tensorflow as tf

    def clip(values: Any) -> Any:
        return np.clip(values, 0.0, 1.0)

    def steps(values: Any) -> Any:
        return tf.round(values) * 2.0

    x = tf.Variable([0.5, 2.0])
    for function, cause, said in (
        (clip, "left_to_numpy", "`np.clip()`"),
        (steps, "nondifferentiable_op", "`round`"),
    ):
        with tv.record() as log, tf.GradientTape() as tape:
            y = tf.py_function(function, [x], tf.float32)
            loss = tf.reduce_sum(y * y)
            tape.gradient(loss, x)
        first, zero = diagnose(log)
        assert first.cause == cause
        assert said in first.message
        assert first.message.endswith("`values` gets None.")
        assert zero.cause == "zero_derivative"
        assert "the gradient that it takes of the function it calls is None" in zero.message


@pytest.mark.parametrize("how", ["float", "int", "complex"])
def test_a_number_made_of_a_variable_is_told_as_the_program_makes_it(how: str) -> None:
    import tensorflow as tf

    w, v = tf.Variable(2.0), tf.Variable([1.0, 2.0, 3.0])
    with tv.record() as log, tf.GradientTape() as tape:
        number = {"float": float, "int": int, "complex": complex}[how](w)
        loss = v[int(number.real)]
        tape.gradient(loss, w)
    read = [each.how for each in log.events if isinstance(each, ReadOut)]
    assert read == [f"{how}()"]


def test_a_gradient_in_another_thread_is_confessed() -> None:
    import tensorflow as tf

    w = tf.Variable(2.0)

    def step(k: float) -> Any:
        with tf.GradientTape() as tape:
            loss = w * w * k
        return tape.gradient(loss, w)

    with tv.record() as log, ThreadPoolExecutor(1) as pool:
        assert [float(each) for each in pool.map(step, [1.0, 2.0])] == [4.0, 8.0]
    told = str(diagnose(log))
    assert told.startswith("Nothing was checked. Could not check: the gradient taken at ")
    assert told.count(" in another thread") == 1
    assert remark_on(log, diagnose(log)) == "a gradient was taken in another thread: record in that one"
