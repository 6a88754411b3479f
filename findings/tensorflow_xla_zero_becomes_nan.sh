#!/bin/sh
# A gradient that TensorFlow gives as 0 is NaN where XLA compiles the same function.
#
# tensorflow-cpu 2.21.0. The gradient kernels of sqrt, rsqrt and reciprocal give 0 for an upstream gradient of 0, whatever
# the slope is; with jit_compile=True their formula is evaluated, and infinity times 0 is NaN. So a masked root trains
# until somebody sets jit_compile (Keras' compile does so by itself on some devices). The gradients of log and of a power
# are NaN either way.
# Seen: of where(x > 0, f(x), 0) at 0, by x: 0 and NaN for sqrt, rsqrt, reciprocal; NaN and NaN for log, x ** 0.5.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check tensorflow-cpu==2.21.0
"$folder/env/bin/python" - <<'END'
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

X = tf.constant([0.0, 4.0])
DUE = {  # what is differentiated, whether its gradient at 0 is NaN as it is, and under XLA
    "sqrt": (tf.sqrt, False, True),
    "rsqrt": (tf.math.rsqrt, False, True),
    "reciprocal": (tf.math.reciprocal, False, True),
    "log": (tf.math.log, True, True),
    "power": (lambda x: x**0.5, True, True),
}


def slope_at_zero(function, jit_compile):
    @tf.function(jit_compile=jit_compile, autograph=False)
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.where(x > 0, function(x), 0.0))
        return tape.gradient(y, x)

    return float(run(X)[0])


for name, (function, as_it_is, compiled) in DUE.items():
    found = slope_at_zero(function, False), slope_at_zero(function, True)
    print(f"{name:10} as it is {found[0]}, with jit_compile {found[1]}")
    assert tuple(map(np.isnan, found)) == (as_it_is, compiled), name
END
