"""EventLog -> words, tables and plots that need no graph.

- words      `text`, for a terminal
- machines   `sarif`, the report of findings that code hosts read, and GitHub's commands
- updates    `update`, from the gradient of a parameter to its new weight
- plots      `plot` of the gradient and of memory, `variables_plot` among it; `depth`, of the gradient by layers;
             `figures`, what they share, and `themed_figure`, which a notebook shows light or dark
"""
