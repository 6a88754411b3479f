from tapeviz.tf.test import *
from tapeviz.tf.test import __getattr__ as __getattr__
