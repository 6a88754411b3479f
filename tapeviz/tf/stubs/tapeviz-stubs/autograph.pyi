from tapeviz.tf.autograph import *
from tapeviz.tf.autograph import __getattr__ as __getattr__
