from tapeviz.tf.dtypes import *
from tapeviz.tf.dtypes import __getattr__ as __getattr__
