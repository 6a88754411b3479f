"""NumPy's functions that warn of NaN and infinity in NumPy's own name -> the same, as silent as TensorFlow.

What a ufunc warns of bears the name of the module that called it, and the package has the engine's modules filtered.
Functions that NumPy writes in Python call ufuncs themselves; a filter on NumPy's modules would silence the user's, too.
"""

from __future__ import annotations

import numpy as np

einsum = np.errstate(all="ignore")(np.einsum)
det = np.errstate(all="ignore")(np.linalg.det)
slogdet = np.errstate(all="ignore")(np.linalg.slogdet)
pinv = np.errstate(all="ignore")(np.linalg.pinv)
fftn = np.errstate(all="ignore")(np.fft.fftn)
ifftn = np.errstate(all="ignore")(np.fft.ifftn)
