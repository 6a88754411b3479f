"""What tensors are called that a dataset gives, or a function of Keras reads."""

from __future__ import annotations

import numpy as np

import tapeviz as tf
from tapeviz.views.reading import read


def test_a_batch_of_a_dataset_is_called_as_it_is_written_where_it_is_read() -> None:
    h = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        for batch in tf.data.Dataset.from_tensor_slices(np.ones((2, 4), np.float32)):
            h = h + tf.reduce_sum(batch)
    names = read(tape).names
    read_by = [[names.tensor(each) for each in op.inputs] for op in names.graph.ops.values()]
    assert read_by[::2] == [["batch"], ["batch"]]


def test_what_is_swapped_inside_a_function_of_the_library_is_not_called_by_its_arguments() -> None:
    truth, guess = np.ones(3, np.float32), [tf.Variable([1.0, 2.0, 3.0])]
    with tf.GradientTape() as tape:
        tf.keras.losses.mse(truth, guess[0])
    names = read(tape).names
    assert "truth" not in [names.tensor(leaf) for leaf in names.graph.leaves]
