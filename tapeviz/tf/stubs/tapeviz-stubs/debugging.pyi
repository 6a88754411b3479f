from tapeviz.tf.debugging import *
from tapeviz.tf.debugging import __getattr__ as __getattr__
