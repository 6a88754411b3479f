"""`tf.config`: the devices there are, and whether a `tf.function` is one."""

from __future__ import annotations

from tapeviz.tf import devices
from tapeviz.tf.devices import (
    LogicalDevice,
    LogicalDeviceConfiguration,
    PhysicalDevice,
    get_logical_device_configuration,
    get_soft_device_placement,
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_logical_device_configuration,
    set_soft_device_placement,
    set_visible_devices,
)
from tapeviz.tf.names import missing, namespace
from tapeviz.tf.tracing.function import Eagerly

__all__ = [
    "LogicalDevice",
    "LogicalDeviceConfiguration",
    "PhysicalDevice",
    "experimental",
    "experimental_functions_run_eagerly",
    "experimental_run_functions_eagerly",
    "functions_run_eagerly",
    "get_logical_device_configuration",
    "get_soft_device_placement",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "run_functions_eagerly",
    "set_logical_device_configuration",
    "set_soft_device_placement",
    "set_visible_devices",
    "threading",
]
__getattr__ = missing(__name__)

threading = namespace(
    f"{__name__}.threading",
    get_inter_op_parallelism_threads=devices.get_inter_op_parallelism_threads,
    get_intra_op_parallelism_threads=devices.get_intra_op_parallelism_threads,
    set_inter_op_parallelism_threads=devices.set_inter_op_parallelism_threads,
    set_intra_op_parallelism_threads=devices.set_intra_op_parallelism_threads,
)
experimental = namespace(
    f"{__name__}.experimental",
    VirtualDeviceConfiguration=LogicalDeviceConfiguration,
    enable_op_determinism=devices.enable_op_determinism,
    get_device_details=devices.get_device_details,
    get_virtual_device_configuration=get_logical_device_configuration,
    get_visible_devices=get_visible_devices,
    list_logical_devices=list_logical_devices,
    list_physical_devices=list_physical_devices,
    set_memory_growth=devices.set_memory_growth,
    set_virtual_device_configuration=set_logical_device_configuration,
    set_visible_devices=set_visible_devices,
)


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Let every `tf.function` be the Python function that it wraps, or no longer (`tf.config.run_functions_eagerly`).

    >>> import tapeviz as tf
    >>> identity = tf.function(lambda x: x)
    >>> tf.config.run_functions_eagerly(True)
    >>> identity(3)
    3
    >>> tf.config.run_functions_eagerly(False)
    >>> identity(3)
    <tf.Tensor: shape=(), dtype=int32, numpy=3>
    """
    Eagerly.chosen = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """What `run_functions_eagerly` chose.

    >>> functions_run_eagerly()
    False
    """
    return Eagerly.chosen


experimental_run_functions_eagerly = run_functions_eagerly
experimental_functions_run_eagerly = functions_run_eagerly
