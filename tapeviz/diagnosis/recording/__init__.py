"""Graph -> Findings about a recording as a whole, whatever is asked of it.

- `kept`       gradients that stay in the tensors
- `parameters` lists of parameters
- `compiled`   compiled functions
- `closures`   functions made in a loop
"""
