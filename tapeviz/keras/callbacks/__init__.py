"""`tf.keras.callbacks`: what hears a model while it learns, and may stop it or change its learning rate."""

from tapeviz.engine.api import missing
from tapeviz.keras.callbacks.base import Callback, History, LambdaCallback
from tapeviz.keras.callbacks.hearing import CallbackList
from tapeviz.keras.callbacks.monitoring import EarlyStopping, ReduceLROnPlateau, TerminateOnNaN
from tapeviz.keras.callbacks.progress import ProgbarLogger
from tapeviz.keras.callbacks.rates import LearningRateScheduler

__all__ = [
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
__getattr__ = missing("tapeviz.keras.callbacks")
