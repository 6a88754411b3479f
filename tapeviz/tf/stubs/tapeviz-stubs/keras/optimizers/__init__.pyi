from tapeviz.tf.keras.optimizers import *
from tapeviz.tf.keras.optimizers import __getattr__ as __getattr__
