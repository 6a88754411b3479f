"""Arrays -> the user's tensors and variables, with their operators and texts.

- classes      `tensor` and `variable`, both `tensor_like`; `mutable`, the base of variables, also of Keras'; `parts`,
               which reads and writes parts of them
- behaviour    `operators`; `reference`, their hash; `array_text`, for their repr;
               `missing_attributes`, errors for attributes that only arrays or PyTorch's tensors have
"""
