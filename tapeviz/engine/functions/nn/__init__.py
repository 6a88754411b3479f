"""Functions of networks.

- windows      `convolution`, `transposed_convolution`, `pooling`; `layouts`, how their inputs are arranged
- the rest     `activations`, `normalization`, `losses`
"""
