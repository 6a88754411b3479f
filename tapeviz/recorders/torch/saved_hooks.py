"""Whether the program has put hooks on what PyTorch saves for the backward pass: to look at that would run them."""

from __future__ import annotations

from typing import Any

from torch._C import _autograd

_top = getattr(_autograd, "_top_saved_tensors_default_hooks", None)  # since PyTorch 2.8


def has_saved_hooks() -> bool:
    """Whether there are hooks on saved tensors, as `save_on_cpu` and checkpoints set them."""
    return _refuses_to_be_disabled() if _top is None else _top(True) is not None


def is_checkpointed() -> bool:
    """Whether what runs now runs again in the backward pass: the innermost hooks are a checkpoint's."""
    hooks = None if _top is None else _top(True)
    return hooks is not None and is_checkpoints(hooks[0])


def is_checkpoints(pack: Any) -> bool:
    """Whether a hook by which tensors are saved is that of a checkpoint, which computes them again."""
    return getattr(pack, "__module__", None) == "torch.utils.checkpoint"


def _refuses_to_be_disabled() -> bool:
    """The same, where PyTorch does not show its hooks: they cannot be disabled while there are any."""
    before = _autograd._saved_tensors_hooks_get_disabled_error_message()
    try:
        _autograd._saved_tensors_hooks_disable("hooks on saved tensors")
    except RuntimeError:
        return True
    finally:
        if before is None:
            _autograd._saved_tensors_hooks_enable()
        else:
            _autograd._saved_tensors_hooks_disable(before)
    return False
