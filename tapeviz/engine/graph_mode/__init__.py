"""A function of which TensorFlow would build a graph -> what is different for the ops that run in it.

- the graph    `building`, whether there is one and what it knows; `batch_length`, the length it leaves open
- statements   `conditions`, a tensor as a condition; `loops`, what a loop reads
"""
