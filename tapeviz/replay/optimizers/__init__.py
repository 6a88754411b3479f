"""The rules of optimizers: a weight, its gradient, state and hyperparameters -> the steps to the new weight.

- `steps`      what all rules have in common
- `kernels`    the ops that they are made of, which round where those of a library do
- `pytorch`, `keras`  the rules of a library, by the classes of its optimizers; `optax`, by its transformations;
               `lbfgs`, PyTorch's, which goes by all parameters together
"""
