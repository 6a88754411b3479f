"""Writer: a function of JAX and its arguments -> the events of its forward and reverse pass, equation by equation.

- a recording  `record_jax`; `recording`, what it does; `arguments`, the jaxpr and the names of what goes into it
- the passes   `forward`, and back in a `sweep`; `operands`, what passes between equations, `reach`, what of it depends
               on what
- an equation  `equations`, which of the `rules` it has: those for `calls` and for `control_flow`, or that of an op
- an op        `names`, the catalog's for a primitive, from `table`; `places`, the user's line; `values`, what a log
               holds
"""
