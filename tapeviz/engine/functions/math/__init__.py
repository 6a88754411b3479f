"""Functions of numbers.

- each         `elementwise`, `complex`, `clipping`
- several      `arithmetic`, sums and products of tensors
- an axis      `reduction`, `running`, `sorting`, `counting`, `norms`, `fourier`
"""
