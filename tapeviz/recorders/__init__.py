"""Writers: what a real program of TensorFlow, PyTorch or JAX does -> the same events as the engine's."""
