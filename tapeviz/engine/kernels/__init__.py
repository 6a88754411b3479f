"""Arrays -> arrays: functions that NumPy does not have, is slow at, or computes with other last digits than TensorFlow.

Small arrays are computed with exactly the digits of TensorFlow's CPU kernels, most of which are Eigen's. Large arrays
are computed by NumPy, since nobody reads their last digits.

- digits       `eigen_math` and `eigen_trig`, Eigen's formulas; `eigen_sums`, the order in which it adds; `libm`, the C
               library; `elementwise` and `pairwise` choose between these and NumPy for `elementary` and `powers`
- functions    `erf`, `gamma`, `softmax`; `philox`, random numbers, and `binomial`
- matrices     `lu_cholesky`, `triangular_solve`, `jacobi_svd`, `tridiagonal_eigh`
- order        `top_k` and `insertion_sort`, with NaN where TensorFlow has it
- zeros        `extremes`, with TensorFlow's signs of zeros
- speed        `reduce`; `matmul`, by `tiles` where `openblas` can do that; `einsum`, `where`, `mirror_pad`; `windows`
               and `depthwise`, for convolutions
- warnings     `silent`: the same functions without NumPy's warnings
"""
