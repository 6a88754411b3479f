"""Scene -> pictures: SVG, PNG, PDF, GIF, DOT, whole or as they are at one step.

- what       `picture`, a list of shapes; `states`, the same at one step
- painted    `svg`, `canvas` (matplotlib, for PNG and PDF), `dot` (Graphviz)
- verbs      `draw`, one picture; `frames`, one per step, or a GIF; `windows`, what is seen of a tall one
"""
