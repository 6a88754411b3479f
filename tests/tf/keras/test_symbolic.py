"""Placeholders under operators, the dtypes they meet in, and what models make of their inputs, against Keras 3."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from tapeviz.keras.symbolic.promotion import result_type
from tests.sampling import quarter
from tests.tf.keras.comparison import assert_agreement

pytestmark = pytest.mark.tensorflow

PLACES = {
    "i": ("int32", [[1, 2, 3]]),
    "l": ("int64", [[1, 2, 3]]),
    "u": ("uint8", [[1, 2, 250]]),
    "b": ("bool", [[True, False, True]]),
    "h": ("float16", [[1, 2, 3]]),
    "k": ("float32", [[0.5, -1, 2]]),
    "d": ("float64", [[1, 2, 3]]),
    "one": ("float32", [[2]]),
    "four": ("int32", [[1, 2, 3, 4]]),
}
"""Name of a placeholder -> its dtype, and an example."""
EXPRESSIONS = """
    i/2  i//2  i*2.0  i+1  2-i  2.0/i  i%2  i**2  i**0.5  -i  abs(i)  i<2.5  i/i  i+k  i/k  i+h  l+i  l/i  l+k  u+i
    u+1  u*2  u/2  b+i  b*k  b/2  b+b  -b  d+k  h+k  h+d  d*2  h*2.0  k+one  k>one  k+four  i**-1
    (k>0)&(k<1)  (k>0)|(k<1)  (k>0)^(k<1)  ~(k>0)  i&i  i|1  ~i  True&b  k!=k  k!=1
    k+array([1,2,3])  i+array([1.,2,3])  k+float64(2)  k*True  k+[1,2,3]  k+'a'  k+None
    k+constant([1.,2,3])  constant([1.,2,3])+k  constant(2)*k  constant([[1.],[2],[3]])@k  k@constant([[1.],[2],[3]])
    k+variable  variable+k  variable@k  k@variable  i@constant([[1.5],[2],[3]])  i@i  four@i  k@constant([[1.,2]])
    k[0]  k[:,0]  k[:,None]  i[...,0]  k[:,5]  k.reshape((3,1))  k.reshape((-1,1))  k.squeeze()  one.squeeze(1)
    k.squeeze(1)  divmod(k,2)  k<<1  +k  k.T
"""


@pytest.mark.parametrize("expression", quarter(EXPRESSIONS.split()))
def test_an_operator_on_placeholders_makes_the_model_of_keras(expression: str) -> None:
    def program(tf: Any) -> Any:
        places = {name: tf.keras.Input((len(of[1][0]),), dtype=of[0], name=name) for name, of in PLACES.items()}
        others = {"constant": tf.constant, "variable": tf.Variable([1.0, 2, 3]), "array": np.array}
        result = eval(expression, {"float64": np.float64}, places | others)
        model = tf.keras.Model(list(places.values()), result)
        given = model([tf.constant(example, dtype) for dtype, example in PLACES.values()])
        return [result.shape, result.dtype, given]

    assert_agreement(program)


ON_WEIGHTS = """
    k*i  i*k  k+i  i+k  k-d  d-k  k/i  i/k  k//i  i%k  k**d  h*k  k*b  k<i  i<k  k==d  k!=i  variable*k  k*variable
    k&k  k|2  k&[1,0,2]  True&k  k*array([1.0,2,3])  array([1.0,2,3])*k  float64(2)-k  k@i  k@[1,2,3]  k@k
    k+2j  2j*k  k-'a'  'a'<k  k+None  k*[1,2,3]  k+k  k*2  0.5*k  k@constant([[1.],[2],[3]])  +k  divmod(k,2)
    multiply(2,k)  multiply(k,2)  maximum(0,k)  maximum(0.0,k)  where(k>0,0,k)  concat([[[1,2,3]],k],0)  multiply(i,k)
"""


@pytest.mark.parametrize("expression", quarter(ON_WEIGHTS.split()))
def test_an_operator_on_weights_meets_in_the_dtype_of_keras(expression: str) -> None:
    def program(tf: Any) -> Any:
        layer = tf.keras.layers.Dense(3, kernel_initializer="ones")
        layer.build((None, 2))
        tensors = {name: tf.constant(PLACES[name][1][0], PLACES[name][0]) for name in "ibhd"}
        others = {"constant": tf.constant, "variable": tf.Variable([1.0, 2, 3], dtype=tf.float64), "array": np.array}
        functions = {name: getattr(tf, name) for name in ("multiply", "maximum", "where", "concat")}
        return eval(expression, {"float64": np.float64}, tensors | others | functions | {"k": layer.kernel})

    assert_agreement(program)


@pytest.mark.parametrize("data", ["float32", "float64", "uint8", "int32", "bool"])
@pytest.mark.parametrize("wanted", [None, "float32", "float64", "float16", "int32", "bool"])
def test_a_model_casts_its_inputs(wanted: str | None, data: str) -> None:
    def program(tf: Any) -> Any:
        met = []

        class Seen(tf.keras.layers.Layer):  # type: ignore[misc]
            def call(self, x: Any) -> Any:
                met.append(x.dtype.name)
                return x

            def compute_output_shape(self, shape: Any) -> Any:
                return shape

        example = np.array([[0, 1]], data)
        found = []
        for tensor in (example, tf.constant(example)):
            seen = Seen(autocast=False)
            chain = [seen] if wanted is None else [tf.keras.Input((2,), dtype=wanted), seen]
            models = [tf.keras.Sequential(chain)]
            if wanted is not None:
                place = tf.keras.Input((2,), dtype=wanted)
                models.append(tf.keras.Model(place, Seen(autocast=False)(place)))
            found += [(model(tensor), met[-1]) for model in models]
        return found

    assert_agreement(program, fails=False)


def test_dtypes_meet_as_in_keras() -> None:
    import keras

    # but for uint64, which Keras makes uint32 in TensorFlow
    integers = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)][:-1]
    kinds = ["bool", *integers, "bfloat16", "float16", "float32", "float64", int, float, bool]
    for pair in product(kinds, kinds):
        assert result_type(*pair) == keras.backend.result_type(*pair), pair


ACTIVATIONS = """
    linear(k)  relu(k)  relu(k,max_value=1.0,negative_slope=0.1)  relu(k,0.1,1.0,0.5)  sigmoid(k)  softmax(k)
    softmax(k,axis=1)  tanh(k)  elu(k)  elu(k,2.0)  selu(k)  softplus(k)  softsign(k)  silu(k)  swish(k)  relu6(k)
    gelu(k)  gelu(k,True)  exponential(k)  log_softmax(k)  hard_sigmoid(k)  leaky_relu(k)  leaky_relu(k,0.5)  mish(k)
    get('relu')(k)  relu(relu(k)+1)  relu(i)
"""


@pytest.mark.parametrize("expression", quarter(ACTIVATIONS.split()))
def test_an_activation_on_placeholders_makes_the_model_of_keras(expression: str) -> None:
    def program(tf: Any) -> Any:
        places = {name: tf.keras.Input((3,), dtype=PLACES[name][0], name=name) for name in "ki"}
        known = {name: getattr(tf.keras.activations, name) for name in dir(tf.keras.activations)}
        result = eval(expression, known, places)
        model = tf.keras.Model(list(places.values()), result)
        again = tf.keras.Model.from_config(model.get_config())
        given = [tf.constant(PLACES[name][1], PLACES[name][0]) for name in "ki"]
        lines: list[str] = []
        model.summary(print_fn=lambda line, **_: lines.append(line.rstrip()))
        told = [each | {"name": ""} for each in model.get_config()["layers"]]
        return [result.shape, model(given), again(given), model.output_names, lines, told]

    assert_agreement(program)


@pytest.mark.parametrize("name", ["Add", "Subtract", "Multiply"])
def test_a_layer_that_is_called_as_an_operation_is(name: str) -> None:
    def program(tf: Any) -> Any:
        places = [tf.keras.Input((2,)), tf.keras.Input((2,))]
        model = tf.keras.Model(places, getattr(tf.keras.layers, name)()(places) + places[0])
        again = tf.keras.Model.from_config(model.get_config())
        return again([tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 4.0]])])

    assert_agreement(program)
