"""Graph -> Findings: why a call raised, where the error says what and not why.

- `said`       what frameworks say, and where a log has it
- `raised`     the call itself was wrong
- `given`      what it was given is no tensor, or no leaf
- `autograd`   PyTorch's own: a graph used twice, a tensor changed under it
- `failed`     an error that says no more than None would
- `ended`      any error after which nothing was computed
"""
