from tapeviz.tf.keras.initializers import *
from tapeviz.tf.keras.initializers import __getattr__ as __getattr__
