from tapeviz.tf.data import *
from tapeviz.tf.data import __getattr__ as __getattr__
