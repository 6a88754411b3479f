"""Programs that mix transforms, compiled regions, custom functions, writes in place and bridges between frameworks.

- pieces      `torch_pieces`, `tensorflow_pieces`, `jax_pieces`, and `bridges` from one framework to another
- programs    `composing`, of each piece alone, and of a seed; `running`, with and without a recording

`python -m tests.recorders.random_programs` runs hundreds of them; the suite takes a sample.
"""
