from tapeviz.tf.keras.utils import *
from tapeviz.tf.keras.utils import __getattr__ as __getattr__
