"""Graph -> Findings about a recording as a whole, whatever is asked of it.

- `kept`       gradients that stay in the tensors
- `early`      gradients that nothing computed yet
- `parameters` lists of parameters
- `compiled`   compiled functions
- `closures`   functions made in a loop
- `loop_names` training steps that change no variable, but what the name of a loop stands for
"""
