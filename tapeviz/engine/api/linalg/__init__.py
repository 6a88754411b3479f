"""Functions of matrices: `products`, `solving`, `decomposition`."""
