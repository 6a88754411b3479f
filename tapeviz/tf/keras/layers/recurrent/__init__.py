"""Layers over series: cells, one step each, and the layers that take them step by step.

- a step       `cells`; `gated` ones; `stacked`, several as one
- series       `rnn`, any cell over a series; `named`, those that bring their own; `bidirectional`, both ways
"""

from tapeviz.tf.keras.layers.recurrent.bidirectional import Bidirectional
from tapeviz.tf.keras.layers.recurrent.cells import SimpleRNNCell
from tapeviz.tf.keras.layers.recurrent.gated import GRUCell, LSTMCell
from tapeviz.tf.keras.layers.recurrent.named import GRU, LSTM, SimpleRNN
from tapeviz.tf.keras.layers.recurrent.rnn import RNN
from tapeviz.tf.keras.layers.recurrent.stacked import StackedRNNCells

__all__ = [
    "GRU",
    "LSTM",
    "RNN",
    "Bidirectional",
    "GRUCell",
    "LSTMCell",
    "SimpleRNN",
    "SimpleRNNCell",
    "StackedRNNCells",
]
