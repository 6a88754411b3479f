"""`tf.keras.layers`: the layers, and the class to make one's own from."""

from tapeviz.keras import naming
from tapeviz.keras.layers.base import Layer
from tapeviz.keras.layers.convolution import Conv2D, Conv2DTranspose
from tapeviz.keras.layers.dense import Dense
from tapeviz.keras.layers.merging import (
    Add,
    Average,
    Concatenate,
    Maximum,
    Minimum,
    Multiply,
    Subtract,
    add,
    concatenate,
)
from tapeviz.keras.layers.normalization import BatchNormalization, LayerNormalization
from tapeviz.keras.layers.pooling import (
    AveragePooling2D,
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    MaxPooling2D,
)
from tapeviz.keras.layers.shaping import Embedding, Reshape
from tapeviz.keras.layers.simple import (
    Activation,
    Dropout,
    Flatten,
    Input,
    InputLayer,
    Lambda,
    LeakyReLU,
    ReLU,
    Softmax,
)

AvgPool2D, MaxPool2D = AveragePooling2D, MaxPooling2D
Convolution2D, Convolution2DTranspose = Conv2D, Conv2DTranspose
GlobalAvgPool1D, GlobalAvgPool2D = GlobalAveragePooling1D, GlobalAveragePooling2D
GlobalMaxPool1D, GlobalMaxPool2D = GlobalMaxPooling1D, GlobalMaxPooling2D
__all__ = [
    "Activation",
    "Add",
    "Average",
    "AveragePooling2D",
    "AvgPool2D",
    "BatchNormalization",
    "Concatenate",
    "Conv2D",
    "Conv2DTranspose",
    "Convolution2D",
    "Convolution2DTranspose",
    "Dense",
    "Dropout",
    "Embedding",
    "Flatten",
    "GlobalAveragePooling1D",
    "GlobalAveragePooling2D",
    "GlobalAvgPool1D",
    "GlobalAvgPool2D",
    "GlobalMaxPool1D",
    "GlobalMaxPool2D",
    "GlobalMaxPooling1D",
    "GlobalMaxPooling2D",
    "Input",
    "InputLayer",
    "Lambda",
    "Layer",
    "LayerNormalization",
    "LeakyReLU",
    "MaxPool2D",
    "MaxPooling2D",
    "Maximum",
    "Minimum",
    "Multiply",
    "ReLU",
    "Reshape",
    "Softmax",
    "Subtract",
    "add",
    "concatenate",
]
__getattr__ = naming.absent("tapeviz.keras.layers", __all__)
