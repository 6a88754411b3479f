"""The other layers against Keras 3 in TensorFlow: outputs, gradients, shapes of placeholders, arguments, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeviz
from tests.sampling import quarter
from tests.tf.keras.comparison import assert_agreement
from tests.tf.keras.tables import IMAGE, SERIES, X

pytestmark = pytest.mark.tensorflow
WIDE = np.concatenate([IMAGE, -IMAGE, IMAGE[:, ::-1]], axis=2)
BRIGHT = np.abs(IMAGE)
LONG = np.concatenate([SERIES, -SERIES[:, ::-1], SERIES**2], axis=1)
WORDS = np.int32([[3, 1, 0, 3], [6, 3, 1, 1]])

LAYERS: dict[str, tuple[Any, Any]] = {
    "leaky relu": (lambda k: k.LeakyReLU(), X),
    "leaky relu with a slope": (lambda k: k.LeakyReLU(negative_slope=0.2, name="leak"), X),
    "leaky relu, called alpha": (lambda k: k.LeakyReLU(alpha=0.1), X),
    "lambda": (lambda k: k.Lambda(lambda x: x * 2.0), X),
    "lambda with arguments": (lambda k: k.Lambda(lambda x, by: x**by, arguments={"by": 2}), X),
    "lambda of two": (lambda k: k.Lambda(lambda xs: abs(xs[0] - xs[1]), name="distance"), [X, X[::-1]]),
    "lambda told whether it is training": (lambda k: k.Lambda(lambda x, training=None: -x if training else x), X),
    "transposed conv": (lambda k: k.Conv2DTranspose(2, 3), BRIGHT),
    "transposed conv strides": (lambda k: k.Conv2DTranspose(2, 2, strides=3, activation="relu"), BRIGHT),
    "transposed conv same": (lambda k: k.Conv2DTranspose(2, 5, strides=2, padding="same", use_bias=False), BRIGHT),
    "transposed conv same, wide": (lambda k: k.Conv2DTranspose(4, (3, 2), (1, 2), padding="SAME"), BRIGHT),
    "transposed conv dilated": (lambda k: k.Conv2DTranspose(2, 3, dilation_rate=2), BRIGHT),
    "transposed conv padded": (lambda k: k.Conv2DTranspose(2, 3, strides=2, output_padding=1), BRIGHT),
    "transposed conv same, padded": (lambda k: k.Conv2DTranspose(2, 3, 2, "same", output_padding=(0, 1)), BRIGHT),
    "conv of series": (lambda k: k.Conv1D(4, 3), LONG),
    "conv of series, same": (lambda k: k.Conv1D(2, 4, 2, "same", activation="relu", name="sweep"), LONG),
    "conv of series, causal": (lambda k: k.Conv1D(2, 3, padding="causal", dilation_rate=2), LONG),
    "conv of series, causal strides": (lambda k: k.Convolution1D(2, [3], strides=(2,), padding="causal"), LONG),
    "conv of series, channels first": (lambda k: k.Conv1D(2, 2, padding="causal", data_format="channels_first"), LONG),
    "conv of series, groups": (lambda k: k.Conv1D(6, 3, groups=3, use_bias=False), LONG),
    "transposed conv of series": (lambda k: k.Conv1DTranspose(2, 3), LONG),
    "transposed conv of series, same": (lambda k: k.Conv1DTranspose(2, 5, 2, "same", activation="relu"), LONG),
    "transposed conv of series, padded": (lambda k: k.Conv1DTranspose(2, 3, 3, "valid", 2), LONG),
    "transposed conv of series, channels first": (
        lambda k: k.Convolution1DTranspose(2, 3, 2, data_format="channels_first"),
        LONG,
    ),
    "transposed conv of series, dilated": (lambda k: k.Conv1DTranspose(2, 3, dilation_rate=2, use_bias=False), LONG),
    "depthwise conv": (lambda k: k.DepthwiseConv2D(3), WIDE),
    "depthwise conv same": (lambda k: k.DepthwiseConv2D((3, 2), 2, "same", 2, activation="relu"), WIDE),
    "depthwise conv dilated": (lambda k: k.DepthwiseConv2D(2, dilation_rate=2, use_bias=False, name="each"), WIDE),
    "depthwise conv dilated strides": (lambda k: k.DepthwiseConv2D(2, 2, "same", dilation_rate=2), WIDE),
    "depthwise conv of channels first": (lambda k: k.DepthwiseConv2D(2, data_format="channels_first"), WIDE),
    "depthwise conv of series": (lambda k: k.DepthwiseConv1D(3, 2, "same", depth_multiplier=2), LONG),
    "depthwise conv of series, channels first": (
        lambda k: k.DepthwiseConv1D(2, data_format="channels_first", dilation_rate=2),
        LONG,
    ),
    "separable conv": (lambda k: k.SeparableConv2D(4, 3), WIDE),
    "separable conv same": (
        lambda k: k.SeparableConv2D(2, (2, 3), 2, "same", depth_multiplier=2, use_bias=False, activation="relu"),
        WIDE,
    ),
    "separable conv of channels first": (
        lambda k: k.SeparableConvolution2D(2, 2, data_format="channels_first", dilation_rate=2, name="parted"),
        WIDE,
    ),
    "separable conv of series": (lambda k: k.SeparableConv1D(4, 3, 2, "same"), LONG),
    "separable conv of series, channels first": (
        lambda k: k.SeparableConvolution1D(2, 2, data_format="channels_first", depth_multiplier=2),
        LONG,
    ),
    "max pooling of series": (lambda k: k.MaxPooling1D(), LONG),
    "max pooling of series, same": (lambda k: k.MaxPool1D(3, 2, "same", name="pool"), LONG),
    "max pooling of series, channels first": (lambda k: k.MaxPool1D(2, data_format="channels_first"), LONG),
    "average pooling of series": (lambda k: k.AveragePooling1D(2), LONG),
    "average pooling of series, same": (lambda k: k.AvgPool1D((3,), 2, "same"), LONG),
    "average pooling of series, channels first": (lambda k: k.AvgPool1D(2, 1, data_format="channels_first"), LONG),
    "max pooling": (lambda k: k.MaxPooling2D(), WIDE),
    "max pooling by 3, 2": (lambda k: k.MaxPool2D((3, 2)), WIDE),
    "max pooling overlapping": (lambda k: k.MaxPooling2D(3, strides=1), WIDE),
    "max pooling same": (lambda k: k.MaxPooling2D(3, strides=2, padding="same"), WIDE),
    "max pooling strides": (lambda k: k.MaxPooling2D(2, strides=(1, 3), name="pool"), WIDE),
    "max pooling of channels first": (lambda k: k.MaxPooling2D(2, data_format="channels_first"), WIDE),
    "average pooling of channels first": (lambda k: k.AvgPool2D(3, 2, "same", "channels_first"), WIDE),
    "global average of channels first": (lambda k: k.GlobalAveragePooling2D("channels_first"), WIDE),
    "global average of series, channels first": (lambda k: k.GlobalAveragePooling1D("channels_first"), SERIES),
    "global max of channels first": (lambda k: k.GlobalMaxPooling2D("channels_first", keepdims=True), WIDE),
    "average pooling": (lambda k: k.AveragePooling2D(2), WIDE),
    "average pooling same": (lambda k: k.AvgPool2D((2, 3), strides=(1, 2), padding="same"), WIDE),
    "global average": (lambda k: k.GlobalAveragePooling2D(), WIDE),
    "global average kept": (lambda k: k.GlobalAvgPool2D(keepdims=True), WIDE),
    "global average of series": (lambda k: k.GlobalAveragePooling1D(), SERIES),
    "global max": (lambda k: k.GlobalMaxPooling2D(), WIDE),
    "global max of series kept": (lambda k: k.GlobalMaxPool1D(keepdims=True), SERIES),
    "batch norm": (lambda k: k.BatchNormalization(), X),
    "batch norm of images": (lambda k: k.BatchNormalization(momentum=0.8, epsilon=1e-5), WIDE),
    "batch norm over axis 1": (lambda k: k.BatchNormalization(axis=1, name="norm"), SERIES),
    "batch norm without offset": (lambda k: k.BatchNormalization(center=False), X),
    "batch norm without scale": (lambda k: k.BatchNormalization(scale=False), X),
    "batch norm without weights": (lambda k: k.BatchNormalization(scale=False, center=False), X),
    "batch norm, frozen": (lambda k: k.BatchNormalization(trainable=False), X),
    "layer norm": (lambda k: k.LayerNormalization(), SERIES),
    "layer norm over axis 1": (lambda k: k.LayerNormalization(axis=1, epsilon=1e-5), SERIES),
    "layer norm over two axes": (lambda k: k.LayerNormalization(axis=[2, 1]), WIDE),
    "layer norm without weights": (lambda k: k.LayerNormalization(scale=False, center=False), X),
    "layer norm without offset": (lambda k: k.LayerNormalization(center=False), X),
    "group norm": (lambda k: k.GroupNormalization(groups=-1), SERIES),
    "group norm of images": (lambda k: k.GroupNormalization(3, epsilon=1e-5), WIDE),
    "group norm over axis 1": (lambda k: k.GroupNormalization(1, axis=1, scale=False), SERIES),
    "group norm over axis -2": (lambda k: k.GroupNormalization(-1, axis=-2, center=False), WIDE),
    "unit norm": (lambda k: k.UnitNormalization(), X),
    "unit norm over two axes": (lambda k: k.UnitNormalization(axis=(1, 2)), WIDE),
    "reshape": (lambda k: k.Reshape((3, 5, -1)), WIDE),
    "reshape to rows": (lambda k: k.Reshape([6, 45]), WIDE),
    "reshape to a number": (lambda k: k.Reshape(()), X[:, :1]),
    "embedding": (lambda k: k.Embedding(7, 3), WORDS),
    "embedding of int64": (lambda k: k.Embedding(7, 2, embeddings_initializer="ones"), WORDS.astype(np.int64)),
    "embedding of floats": (lambda k: k.Embedding(7, 2, name="words"), WORDS.astype(np.float32)),
    "embedding of a row": (lambda k: k.Embedding(input_dim=7, output_dim=2), WORDS[0]),
    "embedding with vectors": (lambda k: k.Embedding(4, 3, weights=X), WORDS % 4),
    "concatenate": (lambda k: k.Concatenate(), [X, X[:, :2], 2 * X]),
    "concatenate along axis 1": (lambda k: k.Concatenate(axis=1), [SERIES, SERIES[:, :3]]),
    "add": (lambda k: k.Add(), [X, 2 * X, X**2]),
    "add broadcast": (lambda k: k.Add(), [X, X[:, :1]]),
    "add of other ranks": (lambda k: k.Add(name="sum"), [X[:2], SERIES]),
    "prelu": (lambda k: k.PReLU(), X),
    "prelu of images, shared": (lambda k: k.PReLU("ones", shared_axes=[1, 2], name="slopes"), WIDE),
    "prelu, one for all": (lambda k: k.PReLU(shared_axes=1), np.round(X)),
    "elu": (lambda k: k.ELU(), X),
    "elu with a factor": (lambda k: k.ELU(alpha=0.3), X),
    "penalty": (lambda k: k.ActivityRegularization(0.1, l2=0.2), X),
    "permute": (lambda k: k.Permute((2, 1)), SERIES),
    "permute images": (lambda k: k.Permute([3, 1, 2], name="turned"), WIDE),
    "repeat": (lambda k: k.RepeatVector(3), X),
    "zeros around a series": (lambda k: k.ZeroPadding1D(), SERIES),
    "zeros before a series": (lambda k: k.ZeroPadding1D((2, 0), "channels_first"), SERIES),
    "zeros around": (lambda k: k.ZeroPadding2D(), WIDE),
    "zeros around, by side": (lambda k: k.ZeroPadding2D((1, 2)), WIDE),
    "zeros around, by end": (lambda k: k.ZeroPadding2D(((1, 0), [0, 2]), "channels_first", name="frame"), WIDE),
    "cropped series": (lambda k: k.Cropping1D(), SERIES),
    "cropped series at its start": (lambda k: k.Cropping1D((2, 0)), SERIES),
    "not cropped": (lambda k: k.Cropping2D(), WIDE),
    "cropped": (lambda k: k.Cropping2D(((1, 2), (0, 3))), WIDE),
    "cropped, channels first": (lambda k: k.Cropping2D((2, 1), data_format="channels_first"), WIDE),
    "longer series": (lambda k: k.UpSampling1D(3), SERIES),
    "larger images": (lambda k: k.UpSampling2D(), WIDE),
    "larger images, channels first": (lambda k: k.UpSampling2D((1, 3), "channels_first"), WIDE),
    "larger images, between": (lambda k: k.UpSampling2D((2, 3), interpolation="bilinear"), WIDE),
    "larger images, between, channels first": (
        lambda k: k.UpSampling2D(2, data_format="channels_first", interpolation="Bilinear"),
        WIDE,
    ),
    "larger integers, between": (lambda k: k.UpSampling2D((2, 4), interpolation="bilinear"), np.int32(9 * WIDE)),
    "larger bytes, between": (lambda k: k.UpSampling2D(4, interpolation="bilinear"), np.uint8(90 * BRIGHT)),
    "dot": (lambda k: k.Dot(1), [X, X**2]),
    "dot of series": (lambda k: k.Dot((2, 2)), [SERIES, SERIES**2]),
    "dot of other ranks": (lambda k: k.Dot(axes=-1), [X[:2], SERIES]),
    "cosines": (lambda k: k.Dot(-1, normalize=True, name="near"), [X, X**2]),
    "cosines of series": (lambda k: k.Dot([1, 1], True), [SERIES, SERIES**2]),
    "cosine of nothing": (lambda k: k.Dot(1, True), [X * (X > 9), X]),
    "subtract": (lambda k: k.Subtract(), [X, X**2]),
    "multiply": (lambda k: k.Multiply(), [X, X**2, X + 1]),
    "average": (lambda k: k.Average(), [X, X**2, X + 1]),
    "maximum": (lambda k: k.Maximum(), [X, X**2, -X]),
    "minimum": (lambda k: k.Minimum(), [X, X**2, -X]),
}
ARGUMENTS = (
    "alpha",
    "shared_axes",
    "l1",
    "l2",
    "dims",
    "n",
    "cropping",
    "size",
    "interpolation",
    "axes",
    "normalize",
    "kernel_size",
    "dilation_rate",
    "groups",
    "depth_multiplier",
    "output_padding",
    "pool_size",
    "strides",
    "padding",
    "keepdims",
    "axis",
    "momentum",
    "epsilon",
    "center",
    "scale",
    "target_shape",
    "input_dim",
    "output_dim",
    "mask_zero",
)

WRONG: dict[str, Any] = {
    "max pooling of a table": lambda k: k.MaxPooling2D()(X),
    "max pooling of a film": lambda k: k.MaxPooling2D()(WIDE[None]),
    "max pooling with an unknown argument": lambda k: k.MaxPooling2D(nonsense=1),
    "average pooling of no size": lambda k: k.AveragePooling2D(),
    "batch norm on another width": lambda k: [layer := k.BatchNormalization(), layer(X), layer(X[:, :2])],
    "batch norm on other axes": lambda k: [layer := k.BatchNormalization(), layer(X), layer(SERIES)],
    "layer norm over an axis by name": lambda k: k.LayerNormalization(axis="last"),
    "group norm in no groups": lambda k: k.GroupNormalization(0),
    "group norm in too many groups": lambda k: k.GroupNormalization(32)(X),
    "group norm in uneven groups": lambda k: k.GroupNormalization(2)(WIDE),
    "group norm of any width": lambda k: k.GroupNormalization(1).build((2, None)),
    "unit norm over an axis by name": lambda k: k.UnitNormalization("last"),
    "unit norm over no axis that there is": lambda k: k.UnitNormalization(5).compute_output_shape((2, 3)),
    "reshape to another size": lambda k: k.Reshape((4,))(X),
    "reshape to an uneven size": lambda k: k.Reshape((-1, 2))(X),
    "reshape to two unknowns": lambda k: k.Reshape((-1, -1)),
    "embedding of no words": lambda k: k.Embedding(0, 2),
    "embedding in half a number": lambda k: k.Embedding(3, 2.5),
    "embedding of an unknown word": lambda k: k.Embedding(3, 2)(WORDS),
    "leaky relu with a negative slope": lambda k: k.LeakyReLU(-0.1),
    "transposed conv of no filters": lambda k: k.Conv2DTranspose(0, 3),
    "transposed conv padded too much": lambda k: k.Conv2DTranspose(2, 3, strides=2, output_padding=2),
    "transposed conv of a table": lambda k: k.Conv2DTranspose(2, 3)(X),
    "conv of a row": lambda k: k.Conv1D(2, 3)(X),
    "conv of a short series": lambda k: k.Conv1D(2, 13)(LONG),
    "conv of another width": lambda k: [layer := k.Conv1D(2, 3), layer(LONG), layer(LONG[..., :2])],
    "conv of a series by a window of two lengths": lambda k: k.Conv1D(2, (3, 3)),
    "conv of a series by no window": lambda k: k.Conv1D(2, 0),
    "conv of images by half a window": lambda k: k.Conv2D(2, (2.5, 2))(WIDE),
    "depthwise conv by a float": lambda k: k.DepthwiseConv2D((2.0, 2))(WIDE),
    "conv with strides and dilation": lambda k: k.Conv1D(2, 3, strides=2, dilation_rate=2),
    "conv of images, causal": lambda k: k.Conv2D(2, 3, padding="causal"),
    "conv without filters": lambda k: k.Conv1D(kernel_size=2),
    "transposed conv of a series, causal": lambda k: k.Conv1DTranspose(2, 3, padding="causal"),
    "depthwise conv without filters": lambda k: k.DepthwiseConv2D(3, depth_multiplier=0),
    "depthwise conv of a small image": lambda k: k.DepthwiseConv2D(7)(WIDE),
    "depthwise conv of a series, causal": lambda k: k.DepthwiseConv1D(3, padding="causal"),
    "separable conv without filters": lambda k: k.SeparableConv2D(0, 3),
    "separable conv of a row": lambda k: k.SeparableConv1D(2, 3)(X),
    "pooling of a short series": lambda k: k.MaxPooling1D(13)(k.Input((12, 3))),
    "average pooling of a series of no size": lambda k: k.AveragePooling1D(),
    "concatenate one tensor": lambda k: k.Concatenate()(X),
    "concatenate other lengths": lambda k: k.Concatenate()([X, X[:2]]),
    "concatenate other ranks": lambda k: k.Concatenate()([X[:2], SERIES]),
    "add one tensor": lambda k: k.Add()(X),
    "add other lengths": lambda k: k.Add()([X, X[:, :2]]),
    "add other batches": lambda k: k.Add()([X, X[:2]]),
    "add a number": lambda k: k.Add()([X, X[0, 0]]),
    "multiply a number by a row": lambda k: k.Multiply()([X[0, 0], X[0]]),
    "subtract three": lambda k: k.Subtract()([X, X, X]),
    "subtract three placeholders": lambda k: k.Subtract()([k.Input((2,)), k.Input((2,)), k.Input((2,))]),
    "subtract one placeholder": lambda k: k.Subtract()([k.Input((2,))]),
    "prelu of another rank": lambda k: [layer := k.PReLU(), layer(X), layer(SERIES)],
    "prelu of another width": lambda k: [layer := k.PReLU(), layer(X), layer(X[:, :2])],
    "prelu, shared, of other channels": lambda k: [
        layer := k.PReLU(shared_axes=[1]),
        layer(SERIES[..., :1]),
        layer(SERIES),
    ],
    "batch norm over axis 1 of another length": lambda k: [
        layer := k.BatchNormalization(1),
        layer(SERIES),
        layer(SERIES[:, :2]),
    ],
    "lambda told its shape by a number": lambda k: k.Lambda(abs, output_shape=7)(k.Input((3,))),
    "lambda told its shape in a list": lambda k: k.Lambda(abs, output_shape=[7])(k.Input((3,))),
    "lambda told no shape": lambda k: k.Lambda(abs, output_shape=lambda shape: 7)(k.Input((3,))),
    "dropout of noise of less than one": lambda k: k.Dropout(0.5, noise_shape=-2),
    "dropout of noise of a number": lambda k: k.Dropout(0.5, noise_shape=3),
    "dropout of noise of a text": lambda k: k.Dropout(0.5, noise_shape="ab"),
    "dropout of noise of no length": lambda k: k.Dropout(0.5, noise_shape=(2, 0)),
    "dropout of noise of half a length": lambda k: k.Dropout(0.5, noise_shape=(2, 1.5)),
    "noise without end": lambda k: k.GaussianNoise(1.5),
    "dropout of more than all channels": lambda k: k.SpatialDropout1D(1.5),
    "dropout of channels of a table": lambda k: k.SpatialDropout2D(0.5)(X),
    "dropout of channels, frozen": lambda k: k.SpatialDropout1D(0.5, trainable=False),
    "permute an axis twice": lambda k: k.Permute((1, 1)),
    "permute others": lambda k: k.Permute((2, 1))(X),
    "repeat half a time": lambda k: k.RepeatVector(0.5),
    "repeat no time": lambda k: k.RepeatVector(0),
    "repeat a series": lambda k: k.RepeatVector(2)(SERIES),
    "zeros around, three": lambda k: k.ZeroPadding2D((1, 2, 3)),
    "zeros around, a text": lambda k: k.ZeroPadding2D("same"),
    "zeros around, less than none": lambda k: k.ZeroPadding1D(-1),
    "cropped away": lambda k: k.Cropping1D(2)(SERIES),
    "cropped away in part": lambda k: k.Cropping2D((0, 9))(WIDE),
    "cropped by less than nothing": lambda k: k.Cropping2D(-1),
    "larger by half": lambda k: k.UpSampling1D(1.5),
    "larger no time": lambda k: k.UpSampling2D(0),
    "larger by an unknown way": lambda k: k.UpSampling2D(2, interpolation="guess")(WIDE),
    "dot of one": lambda k: k.Dot(1)(X),
    "dot of three": lambda k: k.Dot(1)([X, X, X]),
    "dot along an axis by name": lambda k: k.Dot("last"),
    "dot along three axes": lambda k: k.Dot((1, 2, 3)),
    "dot along half an axis": lambda k: k.Dot((1, 0.5)),
    "dot of other lengths": lambda k: k.Dot(1)([X, X[:, :2]]),
    "dot along the batch": lambda k: k.Dot(0)([X, X]),
    "global average of a table": lambda k: k.GlobalAveragePooling2D()(X),
}


def filled(layer: Any) -> None:
    """Fill a layer's weights; all are positive, as variances are."""
    numbers = np.random.RandomState(1)
    layer.set_weights([numbers.uniform(0.1, 2, size=each.shape).astype(np.float32) for each in layer.get_weights()])


@pytest.mark.parametrize("training", [None, True, False])
@pytest.mark.parametrize("name", quarter(LAYERS))
def test_a_layer_computes_what_that_of_keras_does(name: str, training: Any) -> None:
    make, value = LAYERS[name]

    def program(tf: Any) -> Any:
        layer, inputs = make(tf.keras.layers), tf.nest.map_structure(tf.constant, value)
        options = {} if training is None else {"training": training}
        layer(inputs)
        filled(layer)
        with tf.GradientTape() as tape:
            floats = [each for each in tf.nest.flatten(inputs) if each.dtype == tf.float32]
            tape.watch(floats)
            y = layer(inputs, **options)
            loss = tf.reduce_sum(tf.square(tf.cast(y, tf.float32) + 0.5) * np.float32(np.arange(y.shape[-1]) + 1))
        gradients = tape.gradient(loss, [*floats, *layer.trainable_variables])
        return {
            "y": y,
            "gradients": [each if each is None else tf.convert_to_tensor(each) for each in gradients],
            "kinds": [type(each).__name__.replace("EagerTensor", "Tensor") for each in gradients],
            "weights": layer.get_weights(),
            "paths": [(each.path, each.trainable) for each in layer.weights],
            "name": layer.name,
            "arguments": {each: getattr(layer, each, None) for each in ARGUMENTS},
        }

    assert_agreement(program, fails=False)


@pytest.mark.parametrize("name", quarter(LAYERS))
def test_a_layer_on_placeholders_makes_the_model_of_keras(name: str) -> None:
    make, value = LAYERS[name]

    def program(tf: Any) -> Any:
        places = tf.nest.map_structure(lambda each: tf.keras.Input(each.shape[1:], dtype=each.dtype.name), value)
        layer = make(tf.keras.layers)
        place = layer(places)
        model = tf.keras.Model(places, place)
        filled(model)
        y = model(tf.nest.map_structure(tf.constant, value))
        lengths = tf.nest.map_structure(lambda each: each.shape, value)
        if not isinstance(value, list):
            lengths = layer.compute_output_shape(lengths)
        return [tuple(place.shape), y, model.predict(value, verbose=0), lengths, model.count_params()]

    assert_agreement(program, fails=False)


@pytest.mark.parametrize("name", quarter(name for name in LAYERS if "lambda" not in name))
def test_layer_of_its_config(name: str) -> None:
    def program(tf: Any) -> Any:
        layer = LAYERS[name][0](tf.keras.layers)
        config = layer.get_config()
        return [config, list(config), type(layer).from_config(config).get_config() == config]

    assert_agreement(program, fails=False)


@pytest.mark.parametrize("name", WRONG)
def test_wrong_use_raises_what_keras_raises(name: str) -> None:
    assert_agreement(lambda tf: WRONG[name](tf.keras.layers), fails=True)


def test_a_small_network_learns_as_in_keras() -> None:
    def program(tf: Any) -> Any:
        k = tf.keras.layers
        model = tf.keras.Sequential(
            [tf.keras.Input((6, 15, 3)), k.Conv2D(4, 3, activation="relu"), k.MaxPooling2D(), k.Flatten(), k.Dense(2)]
        )
        filled(model)
        model.compile("sgd", "mse")
        history = model.fit(WIDE, X[:2, :2], epochs=3, shuffle=False, verbose=0)
        return [history.history["loss"], model.get_weights()]

    assert_agreement(program, fails=False)


def test_batch_normalization_is_frozen_and_thawed() -> None:
    def program(tf: Any) -> Any:
        layer = tf.keras.layers.BatchNormalization()
        seen = []
        for trainable, training in [(True, True), (False, True), (False, False), (True, True), (True, None)]:
            layer.trainable = trainable
            with tf.GradientTape() as tape:
                y = layer(tf.constant(X), training=training)
                loss = tf.reduce_sum(y**3)
            variables = [each.path for each in layer.trainable_variables]
            gradients = tape.gradient(loss, layer.weights)
            seen.append([y, variables, [each.trainable for each in layer.weights], layer.get_weights(), gradients])
        return seen

    assert_agreement(program, fails=False)


def test_models_with_batch_normalization_train_as_in_keras() -> None:
    def program(tf: Any) -> Any:
        k = tf.keras.layers

        class Net(tf.keras.Model):
            def __init__(self) -> None:
                super().__init__()
                self.norm, self.end = k.BatchNormalization(momentum=0.5), k.Dense(1)

            def call(self, inputs: Any, training: Any = None) -> Any:
                return self.end(self.norm(inputs, training=training))

        seen = []
        for model in (Net(), tf.keras.Sequential([k.BatchNormalization(), k.Dense(2), k.BatchNormalization()])):
            model(tf.constant(X))
            filled(model)
            model(tf.constant(X))
            model(tf.constant(X), training=True)
            seen += [model.get_weights(), model.count_params(), [each.path for each in model.trainable_weights]]
            model.compile(tf.keras.optimizers.SGD(0.1), "mse")
            seen.append(model.fit(X, X[:, :1], epochs=3, verbose=0).history["loss"])
            seen += [model.get_weights(), model.predict(X, verbose=0), model.evaluate(X, X[:, :1], verbose=0)]
        return seen

    assert_agreement(program, fails=False)


def test_placeholders_move_no_statistics() -> None:
    def program(tf: Any) -> Any:
        class Block(tf.keras.layers.Layer):
            def __init__(self) -> None:
                super().__init__()
                self.norm = tf.keras.layers.BatchNormalization()

            def call(self, inputs: Any, training: Any = None) -> Any:
                return self.norm(inputs, training=training)

        block = Block()
        block(tf.keras.Input((3,)), training=True)
        return block.get_weights()

    assert_agreement(program, fails=False)


def test_words_are_learned_as_in_keras() -> None:
    def program(tf: Any) -> Any:
        k, seen = tf.keras.layers, []
        for optimizer in ("sgd", "adam", tf.keras.optimizers.SGD(0.1, momentum=0.9)):
            model = tf.keras.Sequential([k.Embedding(7, 3), k.GlobalAveragePooling1D(), k.Dense(1)])
            model(WORDS)
            filled(model)
            model.compile(optimizer, "mse")
            seen += [model.fit(WORDS, X[:2, :1], epochs=3, verbose=0).history["loss"], model.get_weights()]
        return seen

    assert_agreement(program, fails=False)


def test_a_graph_with_a_shortcut_learns_as_in_keras() -> None:
    def program(tf: Any) -> Any:
        k = tf.keras.layers
        first, second = tf.keras.Input((3,), name="first"), tf.keras.Input((2,), name="second")
        wide = k.Dense(3, activation="relu")(k.concatenate([first, second]))
        place = k.Dense(1)(k.BatchNormalization()(k.add([wide, first])))
        model = tf.keras.Model([first, second], place)
        filled(model)
        data = [X, X[:, 1:]]
        model.compile(tf.keras.optimizers.Adam(0.1), "mse")
        losses = model.fit(data, X[:, :1], epochs=3, batch_size=4, verbose=0).history["loss"]
        return [losses, model.get_weights(), model.predict(data, verbose=0), [each.name for each in model.layers]]

    assert_agreement(program, fails=False)


def test_weights_are_frozen_by_their_layer_and_by_themselves() -> None:
    def program(tf: Any) -> Any:
        class Scale(tf.keras.layers.Layer):
            def __init__(self, **options: Any) -> None:
                super().__init__(**options)
                self.factor = tf.keras.Variable(2.0, name="factor")
                self.inner = tf.keras.layers.Dense(1)

            def call(self, inputs: Any) -> Any:
                return self.inner(inputs) * self.factor

        def state(layer: Any) -> Any:
            groups = (layer.weights, layer.trainable_weights, layer.non_trainable_weights)
            return [layer.trainable, *([(each.path, each.trainable) for each in group] for group in groups)]

        seen = []
        for layer in (tf.keras.layers.Dense(2), Scale(), Scale(trainable=False), tf.keras.layers.BatchNormalization()):
            layer.build((None, 3))
            layer(tf.constant(X))
            seen.append(state(layer))
            for value in (False, True):
                layer.trainable = value
                seen.append(state(layer))
            layer.weights[0].trainable = False
            seen.append(state(layer))
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(layer(tf.constant(X)) ** 2)
            seen.append([gradient is None for gradient in tape.gradient(loss, layer.weights)])
            seen.append(len(tape.watched_variables()))
        late = tf.keras.layers.Dense(2)
        late.trainable = False
        late.build((None, 3))
        seen.append([late.kernel.trainable, *state(late)])
        late.trainable = True
        return [*seen, state(late)]

    assert_agreement(program, fails=False)


def test_an_absent_layer_says_what_there_is() -> None:
    told = r"\.keras\.layers' has no attribute 'ConvLSTM2D'. The nearest it has is tf\.keras\.layers\.Conv2D\.$"
    with pytest.raises(AttributeError, match=told):
        tapeviz.keras.layers.ConvLSTM2D  # noqa: B018


@pytest.mark.parametrize(
    ("told", "program"),
    [
        ("In Input: there is no `sparse` and no `optional`", lambda k: k.Input((3,), sparse=True, optional=True)),
        ("In Input: there is no `tensor` here", lambda k: k.Input((3,), tensor=X)),
        ("In heads: there is no `use_gate` here", lambda k: k.MultiHeadAttention(1, 2, use_gate=True, name="heads")),
        (
            "no `sliding_window` and no `use_gate`",
            lambda k: k.MultiHeadAttention(1, 2, sliding_window=0, use_gate=True),
        ),
    ],
)
def test_arguments_that_there_are_not_are_named(told: str, program: Any) -> None:
    with pytest.raises(ValueError, match=told):
        program(tapeviz.keras.layers)
