from tapeviz.tf.keras.config import *
from tapeviz.tf.keras.config import __getattr__ as __getattr__
