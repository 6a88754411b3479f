from tapeviz.tf.autodiff import *
