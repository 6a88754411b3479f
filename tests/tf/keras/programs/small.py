"""Small Keras programs on mistakes and what is said of them, whatever tapeviz adds behind. Run in both frameworks."""

from __future__ import annotations

import numpy as np

from tests.tf.keras.material import X, Y, compiled


def _said(call, length=None):
    """What it gives; or the class of its error."""
    try:
        return call()
    except Exception as error:
        return [type(error).__name__]


def _begins(call, *words):
    """The class of an error, beside what Keras' own says."""
    return [*_said(call), words]


def layers_are_popped(tf):
    found = []
    for layers in ([tf.keras.Input((1,))], []):
        model = tf.keras.Sequential([*layers, tf.keras.layers.Dense(1, name="out")])
        found.append([_said(model.pop, 0) if not layers else model.pop().name, len(model.layers), _said(model.pop, 0)])
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, name="only")])
    return found, model.pop(rebuild=False).name, _said(lambda: model.pop(), 0)


def a_build_may_take_nothing(tf):
    def build(self):
        self.seen = True

    layer = type("Own", (tf.keras.layers.Layer,), {"build": build, "call": lambda self, x: x + 1.0})()
    return layer(tf.ones([2])), layer.seen, layer.built


def a_loss_that_is_a_metric_is_better_when_it_is_less(tf):
    found = []
    for metric in (tf.keras.losses.Huber(name="own"), tf.keras.losses.mse, "mse", lambda y, p: y - p):
        model = compiled(tf, metrics=[metric])
        name = "own" if getattr(metric, "name", "") == "own" else model.evaluate(X, Y, verbose=0, return_dict=True)
        name = name if isinstance(name, str) else next(each for each in name if each != "loss")
        stop = tf.keras.callbacks.EarlyStopping(name, patience=1)
        found.append(_said(lambda model=model, stop=stop: model.fit(X, Y, verbose=0, callbacks=[stop]).epoch, 12))
    assert found[0] == [0]
    return found


def a_loss_names_its_function(tf):
    return [each().fn.__name__ for each in (tf.keras.losses.MeanSquaredError, tf.keras.losses.Huber)]


def labels_of_classes_have_one_axis_less(tf):
    loss = tf.keras.losses.SparseCategoricalCrossentropy()
    scores = np.full((2, 3), 0.3, np.float32)
    labels = [np.eye(3)[[0, 1]], np.ones((2, 1, 1)), np.array([1, 2, 0])]
    return [_said(lambda each=each: loss(each, scores)) for each in labels]


def the_last_wrong_label_is_named(tf):
    loss = tf.keras.losses.SparseCategoricalCrossentropy()
    return _begins(
        lambda: loss(np.array([4, 5]), np.full((2, 3), 0.3, np.float32)),
        "Received a label value of 5 which is outside the valid range of [0, 3).  Label values: 4 5",
    )[::2]


def words_about_what_is_given(tf):
    keras, place = tf.keras, tf.keras.Input((1,))
    variable = keras.Variable([1.0, 2.0])
    data = tf.data.Dataset.from_tensors((X, Y))
    model = compiled(tf)
    return [
        _begins(lambda: keras.layers.Dense(1, name=3), "Argument `name` must be a string and cannot contain character "
                "`/`. Received: name=3 (of type <class 'int'>)"),
        _begins(lambda: keras.layers.Attention()(tf.ones([1, 2, 2])), "Attention layer must be called on a list of "
                "inputs, namely [query, value] or [query, value, key]. Received: inputs=(1, 2, 2)."),
        _begins(lambda: keras.initializers.VarianceScaling(mode="x"), "Invalid `mode` argument: x. Please use one of"),
        _begins(lambda: keras.losses.MeanSquaredError("x"), "Invalid value for argument `reduction`. Expected one of"),
        _begins(lambda: model.fit(data, validation_split=0.5), "Argument `validation_split` is only supported for "
                "tensors or NumPy arrays.Found incompatible type in the input: [<class "),
        _begins(lambda: model.fit(X, Y, sample_weight=np.ones(3)), "Data cardinality is ambiguous. Make sure all "
                "arrays contain the same number of samples.'x' sizes: 4\n'y' sizes: 4\n'sample_weight' sizes: 3\n"),
        _begins(lambda: hash(variable), "unhashable type: 'Variable'"),
        _begins(lambda: len(variable), "object of type 'Variable' has no len()"),
        _begins(lambda: np.array(place), "A KerasTensor is symbolic: it's a placeholder"),
        _said(lambda: tf.nn.relu(place)),
        _begins(lambda: model.summary(positions=[0.5]), "list index out of range"),
    ]  # fmt: skip


def a_summary_may_be_told_more_positions_than_it_has_columns(tf):
    lines = []
    model = compiled(tf)
    model.summary(positions=[0.3, 0.6, 0.8, 1.0], print_fn=lambda text, **kwargs: lines.append(text))
    return lines[0].splitlines(), _said(lambda: model.summary(positions=[0.45, 0.8, 1.0, 1.0]), 30)


def words_about_dtypes(tf):
    keras = tf.keras
    policy = "Cannot interpret `dtype` argument. Expected a string or an instance of DTypePolicy. Received: dtype="
    return [
        _begins(lambda: keras.Input((1,), dtype="nope"), "Invalid dtype: nope"),
        _begins(lambda: keras.Input((1,), dtype=3), "Invalid dtype: 3"),
        _begins(lambda: keras.layers.Layer().add_weight(shape=(1,), dtype="float"), "Invalid dtype: float"),
        _begins(lambda: keras.initializers.Ones()((1,), "nope"), "Invalid dtype: nope"),
        _begins(lambda: keras.initializers.Identity()((1, 1), 3), "Invalid dtype: 3"),
        _begins(lambda: keras.Variable([1.0], dtype="nope"), "Invalid dtype: nope"),
        _begins(lambda: keras.layers.Dense(1, dtype=3), f"{policy}3"),
        _begins(lambda: keras.losses.MeanSquaredError(dtype=[3]), f"{policy}[3]"),
        _begins(lambda: keras.metrics.Mean(dtype="float"), "Cannot convert 'float' to a mixed precision DTypePolicy."),
    ]


def what_is_a_dtype_to_keras(tf):
    given = ["float16", tf.float16, np.float16, np.dtype("float16"), float, int, "int", bool, "bool"]
    return [tf.keras.initializers.Ones()((1,), each).dtype.name for each in given]


def words_about_what_is_no_argument(tf):
    x, kernel = tf.ones([1, 1]), tf.keras.Variable([[1.0]])
    return [
        _begins(lambda: tf.keras.layers.Dense(1)(x, x), "Dense.call() got multiple values for argument 'training'"),
        _begins(
            lambda: tf.keras.Sequential([tf.keras.layers.ReLU()])(x, x),
            "Sequential.call() got multiple values for argument 'training'",
        ),
        _begins(lambda: float(kernel), "Only scalar arrays can be converted to Python scalars. Got: shape=(1, 1)"),
        _begins(lambda: setattr(tf.keras.Sequential(), "layers", []), "`Sequential.layers` attribute is reserved"),
        _begins(lambda: setattr(tf.keras.Model(), "layers", []), "`Model.layers` attribute is reserved and should not"),
    ]


def a_function_of_tensorflows_is_told_by_a_name_if_keras_has_it(tf):
    given = [tf.nn.relu, tf.sin, tf.tanh, tf.nn.silu, tf.identity, tf.keras.activations.softmax, "relu"]
    return [tf.keras.layers.Dense(1, activation=each).get_config()["activation"] for each in given]


def a_constant_longer_than_the_shape_stretches_it(tf):
    constant = tf.keras.initializers.Constant([[1.0, 2.0]])
    dense = tf.keras.layers.Dense(1, kernel_initializer=constant, use_bias=False)
    return constant((2,)), constant((2, 1)), dense(tf.ones([1, 2])), _said(lambda: constant((3,)), 0)


def names_of_outputs_are_held_as_a_list_in_an_attribute_is(tf):
    place = tf.keras.Input((1,))
    names = tf.keras.Model(place, [tf.keras.layers.ReLU(name="a")(place), tf.keras.layers.ReLU(name="b")(place)])
    return type(names.output_names).__name__, list(names.output_names), repr(names.output_names)
