"""TensorFlow's ops in the catalog's words, whose rows name them: inputs in TensorFlow's order, settings."""

from tapeviz.events import catalog
from tapeviz.recorders.signatures import signatures_of

ROWS = signatures_of(catalog.TENSORFLOW)
