"""`tf.keras.callbacks`: what is called while a model trains, and may stop it or change its learning rate.

- every one    `base`, its hooks; `callback_list`, several as one; `logs`, the numbers they get
- each of them `monitoring` a number; `learning_rate`; `progress`, as a bar (`progress_bar`) or lines;
               `csv_logger`, as a file
"""

from tapeviz.tf.keras.callbacks.base import Callback, History, LambdaCallback
from tapeviz.tf.keras.callbacks.callback_list import CallbackList
from tapeviz.tf.keras.callbacks.csv_logger import CSVLogger
from tapeviz.tf.keras.callbacks.learning_rate import LearningRateScheduler
from tapeviz.tf.keras.callbacks.monitoring import EarlyStopping, ReduceLROnPlateau, TerminateOnNaN
from tapeviz.tf.keras.callbacks.progress import ProgbarLogger
from tapeviz.tf.names import missing

__all__ = [
    "CSVLogger",
    "Callback",
    "CallbackList",
    "EarlyStopping",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "ProgbarLogger",
    "ReduceLROnPlateau",
    "TerminateOnNaN",
]
__getattr__ = missing(__name__)
