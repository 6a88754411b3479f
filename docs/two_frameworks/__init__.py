"""The programs of the README's comparison: `model`, in PyTorch, and `port`, in JAX, with a mistake in it."""
