"""Small Keras programs on single layers: what they take, give and refuse. Run in both frameworks."""

from __future__ import annotations

import numpy as np

from tests.framework_programs import fails
from tests.tf.keras.material import X, Y, errors, network, outcomes


def layer_without_input(tf):
    layer = tf.keras.layers.Dense(2)
    return [layer.weights, layer.trainable_variables, layer.built]


@fails
def layer_on_a_vector(tf):
    return tf.keras.layers.Dense(2)(tf.ones(3))


@fails
def layer_on_another_width(tf):
    layer = tf.keras.layers.Dense(2)
    layer(tf.ones((1, 3)))
    return layer(tf.ones((1, 4)))


@fails
def layer_on_a_list(tf):
    return tf.keras.layers.Dense(2)([[1.0, 2.0]])


def layer_on_integers(tf):
    return tf.keras.layers.Dense(2, kernel_initializer="ones")(tf.constant([[1, 2]]))


def layer_on_an_array(tf):
    return tf.keras.layers.Dense(2, kernel_initializer="ones")(np.float64([[1, 2]]))


@fails
def layer_without_units(tf):
    return tf.keras.layers.Dense(0)


@fails
def layer_with_an_unknown_activation(tf):
    return tf.keras.layers.Dense(1, activation="nonsense")


@fails
def layer_with_an_unknown_initializer(tf):
    return tf.keras.layers.Dense(1, kernel_initializer="nonsense")


@fails
def layer_with_an_unknown_argument(tf):
    return tf.keras.layers.Dense(1, colour="red")


@fails
def dropout_rate_too_large(tf):
    return tf.keras.layers.Dropout(1.5)


@fails
def negative_slope(tf):
    return tf.keras.layers.ReLU(negative_slope=-1.0)


@fails
def no_filters(tf):
    return tf.keras.layers.Conv2D(0, 3)


@fails
def set_weights_of_another_number(tf):
    layer = tf.keras.layers.Dense(2)
    layer(tf.ones((1, 3)))
    layer.set_weights([np.ones((3, 2))])


@fails
def set_weights_of_another_shape(tf):
    layer = tf.keras.layers.Dense(2)
    layer(tf.ones((1, 3)))
    layer.set_weights([np.ones((2, 2)), np.ones(2)])


def names_are_counted(tf):
    layers = tf.keras.layers
    made = [
        layers.Dense(1),
        layers.Dense(1),
        layers.Conv2D(1, 1),
        layers.ReLU(),
        layers.Flatten(),
        layers.Dense(1, name="out"),
    ]
    return [[each.name for each in made], repr(made[0])]


def dropout_while_training(tf):
    y = tf.keras.layers.Dropout(0.25)(tf.ones((200, 50)), training=True)
    return [sorted(set(np.round(y.numpy().ravel(), 4).tolist())), 0.7 < float(np.mean(y.numpy() > 0)) < 0.8]


@fails
def texts_for_a_layer_with_weights(tf):
    return tf.keras.layers.Dense(1)(tf.constant([["a", "b"]]))


@fails
def truth_values_for_a_convolution(tf):
    return tf.keras.layers.Conv2D(1, 2)(tf.ones((1, 4, 4, 1), tf.bool))


@fails
def texts_for_a_convolution(tf):
    return tf.keras.layers.Conv2D(1, 2)(tf.fill((1, 4, 4, 1), "a"))


@fails
def complex_numbers_for_a_convolution(tf):
    return tf.keras.layers.Conv2D(1, 2)(tf.ones((1, 4, 4, 1), tf.complex64))


def noise(tf):
    k, found = tf.keras.layers, []
    series, images = tf.ones([2, 50, 30]), tf.ones([3, 5, 4, 40])
    for layer, x in [
        (k.SpatialDropout1D(0.5), series),
        (k.SpatialDropout2D(0.25, seed=3), images),
        (k.SpatialDropout2D(0.5, data_format="channels_first"), images),
    ]:
        y = layer(x, training=True).numpy()
        axes = (2, 3) if getattr(layer, "data_format", None) == "channels_first" else tuple(range(1, y.ndim - 1))
        found.append([y.shape, sorted(set(y.ravel().tolist())), bool((y.min(axes) == y.max(axes)).all())])
        found.append([layer(x), layer(x, training=False), layer.get_config(), layer.built])
    for layer in (k.GaussianNoise(0.5), k.GaussianDropout(0.2, seed=1), k.GaussianNoise(0.0), k.GaussianDropout(0)):
        x = 2.0 * tf.ones([100, 100])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = layer(x, training=True)
        slope = tape.gradient(y, x)
        found.append([round(float(np.std(y.numpy())), 1), round(float(np.mean(y.numpy())), 1)])
        found.append([round(float(np.std(slope)), 1), round(float(np.mean(slope)), 1), layer(x), layer.get_config()])
    return found


def merged_at_once(tf):
    k, x = tf.keras.layers, tf.constant([[1.0, -2.0], [3.0, 0.5]])
    found = [k.subtract([x, x**2]), k.multiply([x, x, x]), k.average([x, x**2]), k.maximum([x, -x]), k.minimum([x, -x])]
    return [*found, k.add([x, x]), k.dot([x, x], axes=1), k.dot([x, x], 1, normalize=True)]


def softmax_over_all_axes(tf):
    x, layer = tf.reshape(tf.range(6.0), [2, 3]), tf.keras.layers.Softmax(axis=None)
    return layer(x), layer(x, mask=x > 1.0), tf.keras.activations.softmax(x, axis=None)


def softmax_over_an_axis_of_any_integer_type(tf):
    x = tf.reshape(tf.range(6.0), [2, 3])
    axes = [np.int64(0), np.array(1), tf.constant(0), tf.Variable(1)]
    return [tf.keras.layers.Softmax(axis=axis)(x) for axis in axes]


def jacobian_of_a_layer(tf):
    layer = network(tf, tf.keras.layers.Dense(2, activation="tanh"))
    with tf.GradientTape(persistent=True) as tape:
        y = layer(tf.constant(X))
    return [tape.jacobian(y, layer.weights[0]), tape.gradient(y, layer.weights)]


def convolutions(tf):
    constant, layers = tf.keras.initializers.Constant(0.1), tf.keras.layers
    model = tf.keras.Sequential(
        [
            tf.keras.Input((8, 8, 1)),
            layers.Conv2D(2, 3, activation="relu", kernel_initializer=constant),
            layers.Flatten(),
            layers.Dense(2, kernel_initializer=constant),
        ]
    )
    images = tf.reshape(tf.range(128.0) / 64, (2, 8, 8, 1))
    with tf.GradientTape() as tape:
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)(tf.constant([0, 1]), model(images))
    shapes = [layer.output.shape for layer in model.layers]
    return [loss, tape.gradient(loss, model.trainable_variables), model.output_shape, shapes]


def convolutions_that_are_refused(tf):
    conv = tf.keras.layers.Conv2D
    return errors(
        lambda: conv(1, 3, strides=0),
        lambda: conv(1, 3, strides=-1),
        lambda: conv(1, 3, dilation_rate=0),
        lambda: conv(1, 0),
        lambda: conv(1, 2, strides=2, dilation_rate=2),
        lambda: conv(1, 2, strides=(1, 2), dilation_rate=(2, 1)),
        lambda: conv(1, 5)(tf.zeros([1, 4, 4, 1])),
        lambda: conv(1, 5)(tf.keras.Input((4, 4, 1))),
        lambda: conv(1, 5, padding="same")(tf.zeros([1, 4, 4, 1])),
        lambda: conv(1, 5)(tf.keras.Input((None, None, 1))),
    )


def flattened_from_channels_first(tf):
    x = tf.reshape(tf.range(24), [2, 3, 2, 2])
    return [tf.keras.layers.Flatten(data_format=each)(x) for each in ("channels_first", "channels_last", None)]


def softmax_of_what_a_mask_keeps(tf):
    x = tf.Variable([[1.0, -2.0, 0.5], [3.0, 4.0, 0.0]])
    mask = tf.constant([[True, False, True], [False, False, False]])
    layer = tf.keras.layers.Softmax()
    with tf.GradientTape() as tape:
        shares = layer(x, mask=mask)
        loss = tf.reduce_sum(shares * [1.0, 2.0, 3.0])
    return [shares, tape.gradient(loss, x), layer(x, mask=tf.cast(mask, tf.float32))]


def layer_says_its_dtypes(tf):
    layers = [tf.keras.layers.Dense(1), tf.keras.layers.Dense(1, dtype="float64")]
    return [(layer.dtype, layer.compute_dtype) for layer in layers]


def activations_with_options(tf):
    activations, x = tf.keras.activations, tf.constant([[-1.0, 0.0, 2.0], [0.5, -3.0, 1.0]])
    v = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = activations.elu(v, 0.5)
    found = [activations.elu(x), y, tape.gradient(y, v), activations.elu(x, alpha=2.0)]
    return [*found, activations.log_softmax(x, axis=0), activations.log_softmax(x, 1)]


def pooling_with_a_name(tf):
    layers = tf.keras.layers
    made = [layers.MaxPool2D(2, 2, "same", None, "largest"), layers.AveragePooling2D((2, 2), 1, "valid", None, "mean")]
    return [(layer.name, layer(tf.reshape(tf.range(18.0), [1, 3, 3, 2]))) for layer in made]


def weights_are_scaled_by_other_axes(tf):
    made = [
        tf.keras.initializers.VarianceScaling(2.0, "fan_in", "uniform", 0, [0, 1], [2]),
        tf.keras.initializers.he_uniform(seed=1, input_axes=[0], output_axes=[1, 2]),
        tf.keras.initializers.GlorotUniform(1, input_axes=[0]),
    ]
    largest = [float(tf.reduce_max(tf.abs(each([40, 50, 60])))) for each in made]
    return [[round(each, 2) for each in largest], [each.get_config() for each in made]]


def floats_of_another_dtype(tf):
    keras, layers = tf.keras, tf.keras.layers
    seen = [keras.backend.floatx()]
    try:
        keras.backend.set_floatx("float64")
        line = keras.Sequential([layers.Dense(2, "tanh"), layers.BatchNormalization(), layers.Dense(1)])
        line(X)
        for weight in line.weights:
            weight.assign(tf.ones(weight.shape, "float64") / 3)
        optimizer, loss, mean = keras.optimizers.Adam(0.1), keras.losses.MeanSquaredError(), keras.metrics.Mean()
        for _ in range(2):
            with tf.GradientTape() as tape:
                value = loss(X[:, :1], line(tf.constant(X), training=True))
            gradients = tape.gradient(value, line.trainable_variables)
            optimizer.apply_gradients(zip(gradients, line.trainable_variables, strict=True))
            seen += [value, gradients, mean(value)]
        seen += [keras.backend.floatx(), line.dtype, line.weights, optimizer.learning_rate, keras.Input((2,)).dtype]
        seen += [keras.initializers.Ones()([2]), keras.utils.to_categorical(tf.constant([0, 1]), 2)]
        seen += [keras.metrics.SparseCategoricalAccuracy()([1], [[0.2, 0.8]]), keras.losses.mse([1], [3])]
        seen += [layers.Dense(1, dtype="float32")(X[:2]).dtype.name, layers.Embedding(3, 2)(np.array([1])).dtype.name]
        seen += [keras.activations.elu(tf.constant([1.0])).dtype.name, keras.losses.BinaryCrossentropy()([1.0], [0.3])]
        keras.backend.set_floatx("float16")
        seen += [layers.Dense(1, kernel_initializer="ones")(X), layers.Dropout(0.5)(X), keras.metrics.Mean()([1.0])]
        keras.backend.clear_session(free_memory=False)
        seen += [layers.Dense(1, kernel_initializer="ones")(X), layers.Dropout(0.5)(X)]
        keras.backend.set_floatx("float8")
    except ValueError as error:
        seen.append(type(error).__name__)
    finally:
        keras.backend.set_floatx("float32")
        keras.backend.clear_session(free_memory=False)
    return seen


def numbers_are_merged(tf):
    layers, numbers = tf.keras.layers, [tf.constant(3.0), tf.constant(2.0)]
    kinds = layers.Add, layers.Subtract, layers.Multiply, layers.Average, layers.Maximum, layers.Minimum
    return [kind()(numbers) for kind in kinds]


def _said_of_another_rank(tf, kind, *images):
    try:
        return kind()(tf.zeros(images))
    except ValueError as error:
        return type(error).__name__


def convolutions_of_one_axis_too_many(tf):
    layers = tf.keras.layers
    kinds = [lambda: layers.Conv2D(2, 2), lambda: layers.SeparableConv2D(2, 2)]
    kinds.append(lambda: layers.Conv2D(2, 2, data_format="channels_first"))
    series = _said_of_another_rank(tf, lambda: layers.Conv1D(2, 2), 1, 4, 4, 3)
    return [series, *(_said_of_another_rank(tf, kind, 1, 3, 4, 4, 3) for kind in kinds)]


def shapes_of_noise(tf):
    layer, x = tf.keras.layers.Dropout(1.0, noise_shape=[None, 1]), tf.constant(X)
    return [layer.noise_shape, layer.get_config()["noise_shape"], layer(x, training=True)]


def shapes_that_lambdas_are_told(tf):
    layers, place = tf.keras.layers, tf.keras.Input((3,))
    shapes = [(7,), (None, 7), (), lambda shape: (shape[0], 2 * shape[1]), lambda shape: [shape, shape]]
    found = [layers.Lambda(lambda x: x, output_shape=shape)(place) for shape in shapes]
    twice = layers.Lambda(lambda x: tf.concat([x, x], 1), output_shape=(6,))
    two = layers.Lambda(lambda pair: pair[0] + pair[1], output_shape=(7,))([place, tf.keras.Input((3,))])
    never = layers.Lambda(lambda x: 1 / 0, output_shape=(2,), dtype="int32")(place)
    model = tf.keras.Model(place, layers.Dense(2, kernel_initializer="ones")(twice(place)))
    places = tf.nest.flatten([found, two, never])
    return [[(each.shape, each.dtype) for each in places], twice.compute_output_shape((5, 3)), model(X), twice(X)]


def slopes_of_channels(tf):
    layer = tf.keras.layers.PReLU(shared_axes=[1])
    layer(tf.ones([2, 3, 4]))
    return [layer(-tf.ones([2, 5, 4])), tuple(layer.alpha.shape)]


IMAGE = np.float32(np.arange(32)).reshape(2, 4, 4, 1)
FRACTIONS = ((2.0, 2), (2, 1.5), (True, 2), True, ("a", "b"))


def enlarged_by_fractions(tf):
    enlarge = tf.keras.layers.UpSampling2D

    def of(size):
        return outcomes(
            lambda: enlarge(size)(IMAGE),
            lambda: enlarge(size, interpolation="bilinear")(IMAGE),
            lambda: enlarge(size)(tf.keras.Input((4, 4, 1))).shape,
            lambda: enlarge(size).get_config()["size"],
        )

    return list(map(of, FRACTIONS))


def cropped_by_fractions(tf):
    crop, crop_series = tf.keras.layers.Cropping2D, tf.keras.layers.Cropping1D

    def of(size):
        return outcomes(
            lambda: crop((size, (0, 0)))(IMAGE),
            lambda: crop(size)(IMAGE),
            lambda: crop_series(size)(IMAGE[:, 0]),
            lambda: crop_series(size)(tf.keras.Input((9, 1))).shape,
            lambda: crop_series(size).get_config()["cropping"],
        )

    return list(map(of, ((1, 1.0), (1.5, 0), (True, 1), True)))


def padded_by_fractions(tf):
    layer = tf.keras.layers.Conv2DTranspose

    def of(size):
        return outcomes(
            lambda: layer(1, 3, strides=3, output_padding=size)(IMAGE).shape[1],
            lambda: layer(1, 3, strides=3, output_padding=size)(tf.keras.Input((4, 4, 1))).shape,
            lambda: layer(1, 3, strides=3, output_padding=size).get_config()["output_padding"],
        )

    return list(map(of, FRACTIONS))


@fails
def shapes_of_fractions(tf):
    class Half(tf.keras.layers.Layer):
        def call(self, x):
            return x[:, ::2]

        def compute_output_shape(self, shape):
            return shape[0], shape[1] / 2

    return Half()(tf.keras.Input((4,)))


def softmax_of_what_numbers_show(tf):
    scores, shown = tf.constant(X[:2]), [[1, 0, 1], [2, -1, 0]]
    masks = [tf.constant(shown, kind) for kind in ("int32", "int64", "float32")]
    masks += [tf.constant([[1, 0, 1]], "uint8"), np.int64(shown)]
    both = tf.keras.layers.Softmax(axis=(0, 1))
    return [*(tf.keras.layers.Softmax()(scores, mask=mask) for mask in masks), both(scores, mask=masks[0])]


@fails
def name_is_no_activation_to_serialize(tf):
    tf.keras.activations.serialize("relu")


def alpha_dropout(tf):
    layer = tf.keras.layers.AlphaDropout(0.3)
    x = tf.ones([400, 4])
    drawn = np.unique(np.round(layer(x, training=True).numpy(), 4))
    rows = tf.keras.layers.AlphaDropout(0.5, noise_shape=(400, 1))(x, training=True)
    normal = layer(tf.random.normal([20000], seed=1), training=True).numpy()
    kept = [layer(x)[0], tf.keras.layers.AlphaDropout(0)(x, training=True)[0]]
    return [drawn, np.ptp(rows.numpy(), axis=1).max(), abs(round(float(normal.std()), 1)), kept, layer.get_config()]


def dtypes_that_are_none(tf):
    makers = (tf.keras.losses.MeanSquaredError, tf.keras.metrics.Mean, tf.keras.layers.Flatten)
    found = []
    for make in makers:
        for dtype in ("nope", "bfloat16", tf.float64, float):
            try:
                found.append(make(dtype=dtype).dtype)
            except ValueError as error:
                found.append(type(error).__name__)
    return found


def words_that_count_from_the_end(tf):
    layer = tf.keras.layers.Embedding(3, 2, embeddings_initializer="ones")
    layer.build()
    layer.set_weights([np.arange(6.0).reshape(3, 2)])
    with tf.GradientTape() as tape:
        rows = layer(tf.constant([-1, 0, -3]))
    slope = tape.gradient(rows, layer.trainable_variables[0])
    return [rows, tf.convert_to_tensor(slope)]


def einsums_with_open_lengths(tf):
    def shape(equation, output_shape, *lengths):
        try:
            return tf.keras.layers.EinsumDense(equation, output_shape)(tf.keras.Input(lengths)).shape
        except Exception as error:
            return type(error).__name__

    told = ("abc,cd->abd", (None, 3)), ("abc,cd->abd", (6, 3)), ("abc,cde->abde", (None, 8, 4))
    return [shape(*each, *lengths) for each in told for lengths in ((6, 4), (None, 4))] + [shape("ab,bc->ac", 5, 4)]


def merges_that_are_called_wrongly(tf):
    x, layers = tf.ones((2, 2)), tf.keras.layers

    def refused(layer, *given):
        try:
            return layer(*given)
        except Exception as error:
            return type(error).__name__

    made = (layers.Add, layers.Average, layers.Maximum, layers.Concatenate, lambda: layers.Dot(1))
    return [refused(make(), *given) for make in made for given in (([],), (x, x), (x,), ([x],))]


def windows_larger_than_pictures(tf):
    layers, results = tf.keras.layers, []
    for layer in (layers.MaxPooling2D(5), layers.MaxPooling2D(7, strides=1), layers.AveragePooling2D(5)):
        try:
            results.append(layer(tf.ones((1, 4, 4, 1))))
        except Exception as error:
            results.append(type(error).__name__)
    return results


def layers_that_are_given_what_they_do_not_take(tf):
    layers, results = tf.keras.layers, []
    picture, series = tf.ones((1, 4, 4, 2)), tf.ones((2, 3, 4))
    made = (
        (lambda: layers.Conv2D(1, 3, padding=1), picture),
        (lambda: layers.Conv2D(1, 3, padding=(1, 1)), picture),
        (lambda: layers.MaxPooling2D(2, padding="x"), picture),
        (lambda: layers.MaxPooling2D(2, padding=1), picture),
        (lambda: layers.AveragePooling2D(2, padding="SAME"), picture),
        (lambda: layers.AveragePooling2D(2, padding="x"), tf.keras.Input((4, 4, 2))),
        (lambda: layers.MultiHeadAttention(1, 2), series),
        (lambda: layers.GRUCell(3), series),
        (lambda: layers.AdditiveAttention(), series),
        (lambda: layers.Softmax(axis=[1, 2]), series[0]),
        (lambda: layers.Softmax(axis=[1, 2]), series),
    )
    for make, given in made:
        try:
            results.append(list(make()(given).shape))
        except Exception as error:
            results.append(type(error).__name__)
    return results


@fails
def a_layer_that_is_called_before_it_is_made(tf):
    return tf.keras.layers.Flatten(tf.ones([2, 2]))


def _raising(tf, call):
    """What a layer with this `call` says, called on a placeholder, in models of both kinds and in `fit`."""

    def layer(name):
        return type("Own", (tf.keras.layers.Layer,), {"call": call})(name=name)

    def fitted():
        model = tf.keras.Sequential([tf.keras.Input((3,)), layer("a")])
        model.compile("sgd", "mse")
        return model.fit(X, Y, verbose=0)

    outer = type("Outer", (tf.keras.Model,), {"call": lambda self, x: self.inner(x)})(name="outer")
    outer.inner = layer("b")
    outer.compile("sgd", "mse")
    calls = [
        lambda: layer("c")(tf.keras.Input((3,), name="place")),
        lambda: tf.keras.Sequential([layer("d")])(X),
        fitted,
        lambda: outer(X),
        lambda: outer.fit(X, Y, verbose=0),
        lambda: outer(tf.keras.Input((3,), name="place")),
    ]
    return [_said(each) for each in calls]


def _said(call):
    """The class of an error."""
    try:
        call()
    except Exception as error:
        return [type(error).__name__]


def an_error_in_a_layer_says_that_its_shape_cannot_be_inferred(tf):
    def matmul(self, x):
        return tf.matmul(x, tf.ones([5, 5]))

    def own(self, x):
        raise KeyError("my own")

    def unknown(self, x):
        return undefined_name  # noqa: F821

    found = [_raising(tf, call)[:3] for call in (matmul, own, unknown)]
    return (
        found,
        _raising(tf, own)[3:],
        _said(lambda: tf.keras.layers.Reshape((7,))(tf.keras.Input((3,), name="place"))),
    )
