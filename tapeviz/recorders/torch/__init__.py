"""A PyTorch program that runs -> the event log: every op, tensor and gradient of the current thread.

In this package, `torch` is the framework. A recording leaves no change in it.

- a recording  `recording`, begun and ended, and the `collector` meanwhile; `session`, what all parts share, with its
               one tape and the user's place in `tape_session`; `stack`, of function modes
- a call       `mode` sees it, `kinds` says how to treat it: as one of `ops`, of `writes` in place, `composite` if it is
               written in Python (by `function_bodies`, past the mode), `tensor_likes` if a class of the
               user's answers it, `scripted` if TorchScript runs it, `subclasses` if it makes a class; `custom` if it is
               an `autograd.Function`, by one of the `custom_ops`, which may note `users_reads`;
               `plumbing` of libraries is no op;
               `run_again`, whether what a checkpoint calls gives others the second time;
               of what is `custom`, or has a gradient that is `registered` with it, a `transcript` is made for
               `witnesses` of its gradient;
               `arguments` and `names`, of `table`, make its record
- the tape     `pauses`; `grad_attribute`, reads and writes of `.grad`
- backward     `backward/`: the runs of autograd's engine, and the nodes of its graph; `transforms`, the functions that
               `torch.func` takes, and `levels` of the tensors that it wraps
- around       `modules`; `copies` of parameters; `steps` of optimizers, `keras_steps` of Keras'; `workers` of data
               loaders; `compiled/` functions; `unrecorded` ones, as those that trace
- processes    `collectives` between them, `functional_collectives` if they give new tensors; `groups`, what is told of
               each; `replicas` of a model, whose gradients are made equal, and the `buffers` of one; `shards` of
               parameters, which are gathered; `distributed` tensors; `preparations` of libraries, which are left out
- tensors      `ledger`, what is told of them; `tensors`, their ids; `values`, what a log holds of one, by its
               `elements`; `shared_values`, of which several are of one; `fused`, the statistics of many; `held_values`,
               of all of them; `lent`, whose memory others have; `storages`, which give theirs back; `saved_hooks`,
               whether hooks are on saved ones
- to check     `pull_back`, of a function that is run and differentiated; `own_kernels`, for what is computed again
- beside it    `own_gradients`, what a model has of them, without a recording
"""

from __future__ import annotations

from tapeviz.events.own_kernels import give_kernels
from tapeviz.recorders.base import Recorder, RecordOptions


def recorder(options: RecordOptions) -> Recorder:
    """What records PyTorch in the current thread."""
    from tapeviz.recorders.torch.own_kernels import KERNELS
    from tapeviz.recorders.torch.recording import TorchRecorder

    give_kernels("pytorch", KERNELS)
    return TorchRecorder(options)
