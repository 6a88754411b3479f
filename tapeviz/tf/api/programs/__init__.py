"""Functions around the user's own: what runs them, and what they run in.

- run them     `control` and `while_loops`, with `loop_of_graph`; `functional` and `folds`, over `rows`; `callbacks`,
               `decorators`
- around them  `contexts`, `device`, `graphs`, `printing`
"""
