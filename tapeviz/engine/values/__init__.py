"""The user's values -> arrays: `python_values` and `convert`, without tensors; `constant`, which makes tensors."""
