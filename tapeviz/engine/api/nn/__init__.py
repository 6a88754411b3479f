"""Functions of networks: `activations`, `losses`, `normalization`; `convolution` and `pooling`, over `layouts`."""
