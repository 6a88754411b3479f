from tapeviz.tf.keras.optimizers.schedules import *
from tapeviz.tf.keras.optimizers.schedules import __getattr__ as __getattr__
