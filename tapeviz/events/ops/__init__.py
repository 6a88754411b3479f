"""The rows of the catalog, an op each.

- the engine's     `math`, of numbers; `array`, of shapes and places; `linalg`, of matrices; `nn`, of networks
- the frameworks'  `foreign`, which the engine does not have
"""
