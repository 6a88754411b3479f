"""What is known of a tensor besides its numbers, as TensorFlow's objects.

- dtypes       `dtypes`, over NumPy's
- shapes       `shape`; `dimension`, the length of one axis
- both         `tensor_spec`, what a tensor must look like
"""
