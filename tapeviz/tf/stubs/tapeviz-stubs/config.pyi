from tapeviz.tf.config import *
from tapeviz.tf.config import __getattr__ as __getattr__
