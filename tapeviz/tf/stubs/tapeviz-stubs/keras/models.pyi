from tapeviz.tf.keras.models import *
from tapeviz.tf.keras.models import __getattr__ as __getattr__
