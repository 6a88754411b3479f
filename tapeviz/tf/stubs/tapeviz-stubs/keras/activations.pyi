from tapeviz.tf.keras.activations import *
from tapeviz.tf.keras.activations import __getattr__ as __getattr__
