"""`tf.keras.layers`: the layers, and the class to derive one's own from.

- the class    `base/`, of all layers; `scale_and_offset`, of those that normalize; `described`, their configs
- layers       `core`, `dense` and `einsum`, `embedding`, `activation`, `normalization` and `root_mean_square`,
               `regularization`, `attention` and `multi_head`, `merging` with `batch_dot`, `elementwise`,
               `reshaping`, `masking`, `preprocessing`, `wrappers`;
               `recurrent/`; `windows/`, of convolutions and the like
"""

from tapeviz.tf.keras.layers.activation import ELU, Activation, LeakyReLU, PReLU, ReLU, Softmax
from tapeviz.tf.keras.layers.attention import AdditiveAttention, Attention
from tapeviz.tf.keras.layers.base.input_specs import InputSpec
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.core import Identity, Input, InputLayer, Lambda
from tapeviz.tf.keras.layers.dense import Dense
from tapeviz.tf.keras.layers.described import deserialize, serialize
from tapeviz.tf.keras.layers.einsum import EinsumDense
from tapeviz.tf.keras.layers.elementwise import (
    Add,
    Average,
    Maximum,
    Minimum,
    Multiply,
    Subtract,
    add,
    average,
    maximum,
    minimum,
    multiply,
    subtract,
)
from tapeviz.tf.keras.layers.embedding import Embedding
from tapeviz.tf.keras.layers.masking import Masking
from tapeviz.tf.keras.layers.merging import Concatenate, Dot, concatenate, dot
from tapeviz.tf.keras.layers.multi_head import MultiHeadAttention
from tapeviz.tf.keras.layers.normalization import (
    BatchNormalization,
    GroupNormalization,
    LayerNormalization,
    UnitNormalization,
)
from tapeviz.tf.keras.layers.preprocessing import Normalization, Rescaling
from tapeviz.tf.keras.layers.recurrent import (
    GRU,
    LSTM,
    RNN,
    Bidirectional,
    GRUCell,
    LSTMCell,
    SimpleRNN,
    SimpleRNNCell,
    StackedRNNCells,
)
from tapeviz.tf.keras.layers.regularization import (
    ActivityRegularization,
    AlphaDropout,
    Dropout,
    GaussianDropout,
    GaussianNoise,
    SpatialDropout1D,
    SpatialDropout2D,
)
from tapeviz.tf.keras.layers.reshaping import Flatten, Permute, RepeatVector, Reshape
from tapeviz.tf.keras.layers.root_mean_square import RMSNormalization
from tapeviz.tf.keras.layers.windows.convolution import Conv1D, Conv2D
from tapeviz.tf.keras.layers.windows.depthwise import DepthwiseConv1D, DepthwiseConv2D, SeparableConv1D, SeparableConv2D
from tapeviz.tf.keras.layers.windows.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    MaxPooling1D,
    MaxPooling2D,
)
from tapeviz.tf.keras.layers.windows.resizing import (
    Cropping1D,
    Cropping2D,
    UpSampling1D,
    UpSampling2D,
    ZeroPadding1D,
    ZeroPadding2D,
)
from tapeviz.tf.keras.layers.windows.transposed import Conv1DTranspose, Conv2DTranspose
from tapeviz.tf.keras.layers.wrappers import TimeDistributed, Wrapper
from tapeviz.tf.names import missing

AvgPool1D, AvgPool2D = AveragePooling1D, AveragePooling2D
Convolution1D, Convolution1DTranspose = Conv1D, Conv1DTranspose
Convolution2D, Convolution2DTranspose = Conv2D, Conv2DTranspose
GlobalAvgPool1D, GlobalAvgPool2D = GlobalAveragePooling1D, GlobalAveragePooling2D
GlobalMaxPool1D, GlobalMaxPool2D = GlobalMaxPooling1D, GlobalMaxPooling2D
MaxPool1D, MaxPool2D = MaxPooling1D, MaxPooling2D
SeparableConvolution1D, SeparableConvolution2D = SeparableConv1D, SeparableConv2D
__all__ = [
    "ELU",
    "GRU",
    "LSTM",
    "RNN",
    "Activation",
    "ActivityRegularization",
    "Add",
    "AdditiveAttention",
    "AlphaDropout",
    "Attention",
    "Average",
    "AveragePooling1D",
    "AveragePooling2D",
    "AvgPool1D",
    "AvgPool2D",
    "BatchNormalization",
    "Bidirectional",
    "Concatenate",
    "Conv1D",
    "Conv1DTranspose",
    "Conv2D",
    "Conv2DTranspose",
    "Convolution1D",
    "Convolution1DTranspose",
    "Convolution2D",
    "Convolution2DTranspose",
    "Cropping1D",
    "Cropping2D",
    "Dense",
    "DepthwiseConv1D",
    "DepthwiseConv2D",
    "Dot",
    "Dropout",
    "EinsumDense",
    "Embedding",
    "Flatten",
    "GRUCell",
    "GaussianDropout",
    "GaussianNoise",
    "GlobalAveragePooling1D",
    "GlobalAveragePooling2D",
    "GlobalAvgPool1D",
    "GlobalAvgPool2D",
    "GlobalMaxPool1D",
    "GlobalMaxPool2D",
    "GlobalMaxPooling1D",
    "GlobalMaxPooling2D",
    "GroupNormalization",
    "Identity",
    "Input",
    "InputLayer",
    "InputSpec",
    "LSTMCell",
    "Lambda",
    "Layer",
    "LayerNormalization",
    "LeakyReLU",
    "Masking",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPooling1D",
    "MaxPooling2D",
    "Maximum",
    "Minimum",
    "MultiHeadAttention",
    "Multiply",
    "Normalization",
    "PReLU",
    "Permute",
    "RMSNormalization",
    "ReLU",
    "RepeatVector",
    "Rescaling",
    "Reshape",
    "SeparableConv1D",
    "SeparableConv2D",
    "SeparableConvolution1D",
    "SeparableConvolution2D",
    "SimpleRNN",
    "SimpleRNNCell",
    "Softmax",
    "SpatialDropout1D",
    "SpatialDropout2D",
    "StackedRNNCells",
    "Subtract",
    "TimeDistributed",
    "UnitNormalization",
    "UpSampling1D",
    "UpSampling2D",
    "Wrapper",
    "ZeroPadding1D",
    "ZeroPadding2D",
    "add",
    "average",
    "concatenate",
    "deserialize",
    "dot",
    "maximum",
    "minimum",
    "multiply",
    "serialize",
    "subtract",
]
__getattr__ = missing(__name__)
