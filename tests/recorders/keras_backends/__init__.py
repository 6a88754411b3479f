"""The same programs of Keras on each of its backends, recorded in a process per backend, and compared."""
