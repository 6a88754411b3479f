from tapeviz.tf.random import *
from tapeviz.tf.random import __getattr__ as __getattr__
