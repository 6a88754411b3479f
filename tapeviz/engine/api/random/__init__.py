"""Functions that draw random numbers.

- functions    `distributions`, with seeds, and `generator`, with a state; both draw by `sampling`
- variables    `initializers`, their first values: random ones, and constants
"""
