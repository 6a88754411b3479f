"""Functions of matrices.

- products     `products` of matrices; `contractions` of tensors
- equations    `solving`, `least_squares`
- parts        `decomposition`; `diagonals`
"""
