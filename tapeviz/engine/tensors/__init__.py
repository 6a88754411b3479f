"""Arrays -> what the user holds: tensors and variables, with their operators and texts.

- classes      `tensor` and `variable`, both `tensor_like`; `mutable`, the base of variables, with `parts`, writes to
               slices, and `graph_era`, what TensorFlow 1 left to them; `out_of_scope`, what a loop has left behind
- behaviour    `operators`; `reference`, which is their hash; `array_text`, their repr; `known_as`, their class names
"""
