from tapeviz.tf.keras.callbacks import *
from tapeviz.tf.keras.callbacks import __getattr__ as __getattr__
