"""A program of tensors -> its results, and the log of how they came about: TensorFlow's eager tape, in NumPy."""
