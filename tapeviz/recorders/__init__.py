"""Writers: what a real program of TensorFlow, PyTorch or JAX does -> the same events as the engine's.

- recorders    `tensorflow/`, `torch/`, `jax/`; `base`, their interface; `frameworks`, their list
- a recording  `record`, one log around a stretch of program; `stop`, where a gradient ends it; `bindings`, names of
               tensors from the program's variables
- ops          `signatures`, read from tables in which a framework's ops have the catalog's names; `plain`, values of
               attributes
- hooks        `hooks`, what is done at a framework's function; `patches`, that in its place; `scoped`, its calls as
               scopes; `imports`, a framework that is imported later; `warned`, warnings about the user's own lines
"""
