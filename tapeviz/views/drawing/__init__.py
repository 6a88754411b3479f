"""Scene -> pictures: SVG, PNG, PDF, GIF, DOT, whole or as they are at one step.

- what       `picture`, the list of `marks` that a scene is drawn with; `states`, the same at one step
- painted    `svg`, `canvas` (matplotlib, for PNG and PDF)
- verbs      `draw`, one picture; `frames`, one per step or the part in view, with `captions`; `animate`, a GIF of
             them; `to_dot` and `to_graphviz`, for Graphviz to lay out
"""
