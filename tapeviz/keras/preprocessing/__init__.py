"""`tf.keras.preprocessing`: what makes arrays and datasets of sequences; `tf.keras.utils` has it too."""

from tapeviz.engine.api import missing
from tapeviz.keras.preprocessing import sequence
from tapeviz.keras.preprocessing.series import timeseries_dataset_from_array

__all__ = ["sequence", "timeseries_dataset_from_array"]
__getattr__ = missing("tapeviz.keras.preprocessing")
