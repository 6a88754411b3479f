"""A PyTorch program -> events.

`torch` in here is the framework. Nothing of it is changed for longer than a recording lasts.

- a recording  `hooks`, what is put in and taken out; `session`, what all the parts share; `stack`, who is asked first
- a call       `mode` sees it, `kinds` says how to treat it: `ops`, `writes` in place, `entered` where it is written in
               Python, `custom` where by the user; `arguments` and `names`, what its record has
- the tape     `pauses`; `grad_attribute`, whoever reads or writes `.grad`
- backward     `backward/`: the runs of autograd's engine, and the nodes of its graph; `transforms`, the functions that
               `torch.func` takes
- around       `modules`; `copies` of parameters; `steps` of optimizers; `workers` of data loaders; `compiled` and
               `fastpaths`, other ways that PyTorch takes when nobody watches
- tensors      `tensors`, their ids; `values`, what a log holds of them
"""

from __future__ import annotations

from tapeviz.recorders.base import Recorder, RecordOptions


def recorder(options: RecordOptions) -> Recorder:
    """What records PyTorch in the current thread."""
    from tapeviz.recorders.torch.hooks import TorchRecorder

    return TorchRecorder(options)
