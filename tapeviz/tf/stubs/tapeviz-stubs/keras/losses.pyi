from tapeviz.tf.keras.losses import *
from tapeviz.tf.keras.losses import __getattr__ as __getattr__
