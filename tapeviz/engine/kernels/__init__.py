"""Numbers in arrays -> numbers: what NumPy has not, is slow at, or gives with other last digits than TensorFlow.

- digits       `registers` and `angles`, Eigen's arithmetic, and `folding`, the order of its sums; `libm`; by these
               `elementary`, `powers`, `softmax`, `eliminating`; `elementwise` and `pairwise`, which go that way with
               few numbers only
- signs        `extremes`, of zeros
- functions    `erf`, `gamma`; `jacobi`, singular values, and `tridiagonal`, eigenvalues; `philox`, random numbers, and
               `binomial`
- orders       `heaping` and `inserting`, those of NaN too
- quicker      `reducing`, `multiplying`, `contracting`, `selecting`, `substituting`, `windows` and `depthwise`,
               `mirroring`
- warnings     `silent`, without them
"""
