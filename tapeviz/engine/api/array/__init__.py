"""Functions of shapes and places: what a tensor is made from, how it is laid out, and which part of it is meant.

- making       `creation`, `sequences`
- shape        `shapes`, `joining` and `parting`, `diagonals`
- places       `indexing`, `picking` and `scattering`, `searching`, `segments`; `tensor_array`
"""
