"""Functions of shapes and places: what a tensor is made from, how it is laid out, and which part of it is meant.

- making       `creation`, `sequences`, `conversions` of tensors
- shape        `shapes`, and `shape_queries`, which return them
- several      `joining`, `partitions`; `tensor_array`
- copies       `tiling`, `padding`, `reordering`
- places       `indexing`, by `index_entries`, `picking` and `scattering`, `searching`, `segments`
"""
