"""Functions of matrices: `products`, `contractions`, `solving`, `decomposition`, `diagonals`, `main_diagonal`."""
