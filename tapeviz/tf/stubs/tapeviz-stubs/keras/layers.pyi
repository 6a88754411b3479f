from tapeviz.tf.keras.layers import *
from tapeviz.tf.keras.layers import __getattr__ as __getattr__
