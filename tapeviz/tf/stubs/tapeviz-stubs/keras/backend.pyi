from tapeviz.tf.keras.backend import *
from tapeviz.tf.keras.backend import __getattr__ as __getattr__
