"""Writers: what a real program of TensorFlow, PyTorch or JAX does -> the same events as the engine's.

- recorders    `tensorflow/`, `torch/`, `jax/`; `base`, what each of them is; `frameworks`, which there are
- a recording  `record`, one log around a stretch of program; `stop`, where a gradient ends it; `bindings`, what the
               program's variables call their tensors
- in between   `patches`, what is wrapped in a framework's code; `scoped`, its calls as scopes; `imports`, a framework
               that is imported later; `warned`, warnings about the user's own lines
"""
