"""Layers that slide a window: `convolution`, `depthwise`, `transposed`, `pooling`, `resizing`.

Each is told by `images`, the order of its axes, for series and images by `sides`.
"""
