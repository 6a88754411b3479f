"""A PyTorch program -> events.

`torch` in here is the framework. Nothing of it is changed for longer than a recording lasts.
"""

from __future__ import annotations

from tapeviz.recorders.base import Options, Recorder


def recorder(options: Options) -> Recorder:
    """What records PyTorch in the current thread."""
    from tapeviz.recorders.torch.hooks import TorchRecorder

    return TorchRecorder(options)
