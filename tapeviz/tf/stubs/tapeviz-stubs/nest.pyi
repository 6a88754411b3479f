from tapeviz.tf.nest import *
