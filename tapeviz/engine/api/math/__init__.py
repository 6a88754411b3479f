"""Functions of numbers: `elementwise`, `complex`, `reduction`, `counting`, `norms`, `clipping`, `fourier`."""
