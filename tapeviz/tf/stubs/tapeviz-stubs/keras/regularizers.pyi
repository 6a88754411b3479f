from tapeviz.tf.keras.regularizers import *
from tapeviz.tf.keras.regularizers import __getattr__ as __getattr__
