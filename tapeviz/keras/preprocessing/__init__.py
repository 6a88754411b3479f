"""`tf.keras.preprocessing`: what makes arrays and datasets of sequences; `tf.keras.utils` has it too."""

from tapeviz.keras import naming
from tapeviz.keras.preprocessing import sequence
from tapeviz.keras.preprocessing.series import timeseries_dataset_from_array

__all__ = ["sequence", "timeseries_dataset_from_array"]
__getattr__ = naming.absent("tapeviz.keras.preprocessing", __all__)
