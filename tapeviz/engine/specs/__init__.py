"""TensorFlow's objects for dtypes and shapes.

- dtypes       `dtypes`, over NumPy's; `dtype_sets`, those that ops take together
- shapes       `shape`; `dimension`, the length of one axis
- both         `tensor_spec`, a shape and a dtype
"""
