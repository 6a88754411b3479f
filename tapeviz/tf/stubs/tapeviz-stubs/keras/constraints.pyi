from tapeviz.tf.keras.constraints import *
from tapeviz.tf.keras.constraints import __getattr__ as __getattr__
