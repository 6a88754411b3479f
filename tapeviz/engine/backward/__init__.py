"""Targets of a tape -> the gradients of sources.

- a run        `gradients`, from the user's arguments to the user's tensors; `differentiable` checks the arguments,
               `seeds` begins the run, `sweep` goes from node to node, `unconnected` stands for a gradient that no path
               leads to; `run_log` writes down how it begins and ends
- order        `traversal`, the order of TensorFlow's backward pass
- many rows    `jacobian`, of the `rows` that it is made of
- lookups      `slices`, cotangents of the rows that were picked; `indexed_slices`, these as the user has them
- memory       `heap`, freed memory kept for the next step
"""
