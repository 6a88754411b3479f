from tapeviz.tf.keras import *
from tapeviz.tf.keras import __getattr__ as __getattr__
