"""Arrays -> the user's tensors and variables, with their operators and texts.

- classes      `tensor` and `variable`, both `tensor_like`; `mutable`, the base of variables, also of Keras'; `parts`,
               which reads and writes parts of them; `graph_era`, what they have left of TensorFlow 1; `out_of_scope`,
               a tensor that a loop in a graph has left behind
- behaviour    `operators`; `reference`, their hash; `array_text`, for their repr; `known_as`, the names of classes;
               `missing_attributes`, errors for attributes that only arrays or PyTorch's tensors have
"""
