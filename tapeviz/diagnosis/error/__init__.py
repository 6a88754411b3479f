"""Graph -> Findings: why a call raised, where the error says what and not why.

- `messages`         what frameworks say, and where a log has it
- `refused`          the call itself was wrong
- `wrong_arguments`  what it was given is no tensor, or no leaf
- `tracing`          an array of JAX's was asked for numbers while it was traced
- `escaped`          such an array outlived its trace
- `boxes`            one of HIPS autograd's was given to plain NumPy
- `autograd`         PyTorch's own: a graph used twice, a tensor changed under it
- `inside`           PyTorch's own that come from inside an op, or of what an op left
- `unreachable`      an error that says no more than None would
- `ended`            any error after which nothing was computed
"""
