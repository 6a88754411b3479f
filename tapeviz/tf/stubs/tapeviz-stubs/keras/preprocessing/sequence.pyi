from tapeviz.tf.keras.preprocessing.sequence import *
from tapeviz.tf.keras.preprocessing.sequence import __getattr__ as __getattr__
