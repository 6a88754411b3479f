"""Targets of a tape -> the gradients of sources.

- a run        `gradients`, from the user's arguments to the user's tensors; `differentiable` checks the arguments,
               `seeds` begins the run, `sweep` goes from node to node, `unconnected` stands for a gradient that no path
               leads to
- order        `traversal`, the order of TensorFlow's backward pass
- many rows    `jacobian`
- lookups      `slices`, gradients of the rows that were picked
- memory       `heap`, freed memory kept for the next step
"""
