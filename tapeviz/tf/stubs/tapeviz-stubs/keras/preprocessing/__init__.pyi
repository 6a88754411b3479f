from tapeviz.tf.keras.preprocessing import *
from tapeviz.tf.keras.preprocessing import __getattr__ as __getattr__
