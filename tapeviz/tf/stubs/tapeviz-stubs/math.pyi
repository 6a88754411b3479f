from tapeviz.tf.math import *
from tapeviz.tf.math import __getattr__ as __getattr__
