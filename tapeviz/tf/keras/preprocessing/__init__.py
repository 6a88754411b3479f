"""`tf.keras.preprocessing`: what makes arrays and datasets of sequences; `tf.keras.utils` has it too."""

from tapeviz.tf.keras.preprocessing import sequence
from tapeviz.tf.keras.preprocessing.series import timeseries_dataset_from_array
from tapeviz.tf.names import missing

__all__ = ["sequence", "timeseries_dataset_from_array"]
__getattr__ = missing(__name__)
