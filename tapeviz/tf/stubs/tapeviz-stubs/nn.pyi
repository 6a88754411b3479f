from tapeviz.tf.nn import *
from tapeviz.tf.nn import __getattr__ as __getattr__
