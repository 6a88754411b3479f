from tapeviz.tf.keras.metrics import *
from tapeviz.tf.keras.metrics import __getattr__ as __getattr__
