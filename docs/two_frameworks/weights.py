"""The weights and data of both programs."""

import numpy as np

random = np.random.default_rng(0)
x, y, w1, w2 = (random.standard_normal(shape).astype(np.float32) for shape in ((16, 8), (16, 3), (8, 8), (8, 3)))
