"""What a framework is, apart from the program that runs: everything of it that a recorder could leave changed."""

from __future__ import annotations

import sys
import warnings
from typing import Any

Called = dict[str, int]


def functions(owner: Any) -> Called:
    """What can be called of a class or module, each by its identity."""
    return {key: id(value) for key, value in vars(owner).items() if callable(value) or isinstance(value, property)}


def torch_state(torch: Any) -> list[Any]:
    """Gradient mode, modes, hooks, and whatever is patched."""
    from torch._dynamo import eval_frame  # PyTorch imports it late, and it puts functions of its own in place of others
    from torch.nn.modules import module
    from torch.optim import optimizer

    owners = (
        *(torch, torch.Tensor, torch.nn.Module, torch.nn.Parameter, torch.autograd, torch.autograd.Function),
        *(torch.inference_mode, torch.optim.Optimizer, torch.overrides, torch.utils.data.DataLoader),
    )
    hooks = (
        *(module._global_parameter_registration_hooks, module._global_module_registration_hooks),
        *(module._global_forward_hooks, module._global_forward_pre_hooks, module._global_backward_hooks),
        *(optimizer._global_optimizer_pre_hooks, optimizer._global_optimizer_post_hooks),
    )
    return [
        *map(functions, owners),
        *(dict(each) for each in hooks),
        *(torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_anomaly_enabled()),
        *(torch._C._len_torch_function_stack(), torch._C._len_torch_dispatch_stack()),
        torch._C._get_torch_function_state(),
        eval_frame._stance.stance,
        *python_state(),
    ]


def tensorflow_state(tf: Any) -> list[Any]:
    """Callbacks, the gradient function's place, and whatever is patched."""
    from tensorflow.python import pywrap_tfe
    from tensorflow.python.eager import backprop, context, execute, imperative_grad, record
    from tensorflow.python.eager.polymorphic_function import polymorphic_function
    from tensorflow.python.framework import constant_op, ops
    from tensorflow.python.ops import resource_variable_ops
    from tensorflow.python.ops.parallel_for import control_flow_ops

    owners = (
        *(backprop.GradientTape, ops._EagerTensorBase, ops.EagerTensor, resource_variable_ops.BaseResourceVariable),
        *(tf.keras.Layer, tf.IndexedSlices, backprop, execute, imperative_grad, record, resource_variable_ops),
        *(control_flow_ops, constant_op, pywrap_tfe, polymorphic_function.Function),
    )
    return [
        *map(functions, owners),
        tf.config.functions_run_eagerly(),
        list(context.context().op_callbacks),
        context.executing_eagerly(),
        *python_state(),
    ]


def jax_state(jax: Any) -> list[Any]:
    """Whatever is patched, and whether a trace is open."""
    from jax._src import api, core, pjit

    return [*map(functions, (jax, jax.lax, api, pjit, api.VJP)), core.trace_state_clean(), *python_state()]


def autograd_state(autograd: Any) -> list[Any]:
    """Whatever is patched, and what is followed."""
    from autograd import core, tracer

    owners = (core, tracer, core.VJPNode, tracer.Box)
    slots = [vars(tracer.Box)["_value"], tracer.notrace_primitives, set(tracer.notrace_primitives[core.VJPNode])]
    return [*map(functions, owners), *slots, *python_state()]


def tinygrad_state(tinygrad: Any) -> list[Any]:
    """Whatever is patched."""
    from tinygrad import tensor
    from tinygrad.mixin import gradient
    from tinygrad.nn.optim import Optimizer

    owners = (tinygrad.Tensor, Optimizer, gradient, tensor)
    return [*map(functions, owners), vars(tinygrad.Tensor)["grad"], gradient.pm_gradient, *python_state()]


def python_state() -> list[Any]:
    """What recorders touch of Python itself."""
    return [list(sys.meta_path), warnings.showwarning, sys.gettrace(), sys.getprofile()]
