"""An optimizer is silent about numbers that are infinite."""

from __future__ import annotations

from tests.test_silence import DIVERGES, run

BY_OPTIMIZER = DIVERGES.replace(
    "w.assign_sub(1e10 * tape.gradient(loss, w))",
    "tf.keras.optimizers.SGD(1e10).apply_gradients(zip(tape.gradient(loss, [w]), [w]))",
)


def test_a_training_by_an_optimizer_that_diverges_is_silent() -> None:
    assert BY_OPTIMIZER != DIVERGES
    done = run("-c", BY_OPTIMIZER)
    assert (done.returncode, done.stdout, done.stderr) == (0, "nan\n", "")
