from tapeviz.tf.linalg import *
from tapeviz.tf.linalg import __getattr__ as __getattr__
