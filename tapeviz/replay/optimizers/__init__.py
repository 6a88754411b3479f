"""The rules of optimizers: a weight, its gradient, state and hyperparameters -> the steps to the new weight.

- `steps`      what all rules have in common
- `kernels`    the ops of PyTorch's, which round where those do
- `pytorch`, `keras`  the rules of a library, by the classes of its optimizers; `optax`, by its transformations
"""
