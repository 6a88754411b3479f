"""Functions that draw random numbers.

- functions    `distributions`, `choices` and `dropout`, one call after the other; `stateless`, from a seed alone;
               `generator`, with a state
- drawing      `streams` of random numbers; `sampling`, from a stream to a distribution
- variables    `initializers`, their first values: random ones, and constants
"""
