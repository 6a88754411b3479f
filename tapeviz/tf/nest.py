"""`tf.nest`: nested lists, tuples and dicts of tensors."""

from tapeviz.engine.nest import assert_same_structure, flatten, is_nested, map_structure, pack_sequence_as

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]
