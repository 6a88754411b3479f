"""Targets of a tape -> the gradients of sources.

- a run        `gradients`, from the user's arguments to the results; `differentiable` checks the arguments, `seeds` are
               what the run begins with, `sweep` goes from node to node, `unconnected` is about sources that no path
               leads to; `run_log` logs the beginning and the end
- order        `traversal`, the order of TensorFlow's backward pass
- a witness    `witnesses`, a user's own gradient beside the tape's, of what the user's function computed
- many rows    `jacobian`, and the `rows` that it consists of
- lookups      `slices`, cotangents of some rows of a table; `indexed_slices`, the same for users
- memory       `heap`, to keep freed memory for the next step
"""
