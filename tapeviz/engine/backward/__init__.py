"""Targets of a tape -> the gradients of sources.

- a run        `gradients`, from the user's arguments to the user's tensors: `differentiable`, what these may be;
               `seeds`, what it begins with; `traversal`, in which order; `sweep`, node by node; `unconnected`, what
               stands for a gradient where no path leads
- many rows    `jacobian`
- lookups      `slices`, gradients of the rows that were picked
- memory       `heap`, what is let go of stays for the next step
"""
