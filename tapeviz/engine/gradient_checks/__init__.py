"""A function and its arguments -> its derivatives by a tape and by central differences, to compare.

- `directional`  `check_gradients`: one number per argument and order, along random directions
- `jacobians`    `tf.test.compute_gradient`: whole Jacobians
"""
