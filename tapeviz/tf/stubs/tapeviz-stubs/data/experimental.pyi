from tapeviz.tf.data.experimental import *
from tapeviz.tf.data.experimental import __getattr__ as __getattr__
