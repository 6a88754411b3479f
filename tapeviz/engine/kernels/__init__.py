"""Numbers in arrays -> numbers: what NumPy has not, is slow at, or gives with other last digits than TensorFlow."""
