"""EventLog -> words, tables and plots that need no graph.

- words      `text`, for a terminal
- plots      `plot` of the gradient and of memory; `depth`, of the gradient by layers; `figures`, what they share
"""
