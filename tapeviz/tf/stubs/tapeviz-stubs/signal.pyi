from tapeviz.tf.signal import *
from tapeviz.tf.signal import __getattr__ as __getattr__
