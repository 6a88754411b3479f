"""`tf.config`: the devices there are, one CPU, with settings that have no effect; whether a `tf.function` is one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, NamedTuple

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


class PhysicalDevice(NamedTuple):
    """A device of the machine (`tf.config.PhysicalDevice`)."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device by its name in programs (`tf.config.LogicalDevice`)."""

    name: str
    device_type: str


class LogicalDeviceConfiguration(NamedTuple):
    """The options of a logical device (`tf.config.LogicalDeviceConfiguration`)."""

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")


class DeviceSettings:
    """The settings, which have no effect."""

    inter_op: ClassVar[int] = 0
    intra_op: ClassVar[int] = 0
    soft_placement: ClassVar[bool] = True


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of a type, or all: the CPU.

    >>> list_physical_devices()
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    >>> list_physical_devices("GPU")
    []
    """
    return [CPU] if device_type in (None, CPU.device_type) else []


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices of a type, or all, as programs name them.

    >>> list_logical_devices("CPU")
    [LogicalDevice(name='/device:CPU:0', device_type='CPU')]
    """
    return [LogicalDevice("/device:CPU:0", each.device_type) for each in list_physical_devices(device_type)]


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of a type that are used: all there are."""
    return list_physical_devices(device_type)


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Choose the devices that are used: all of them must be.

    Raises:
        ValueError: a device that is not there.
        RuntimeError: the CPU is left out.
    """
    chosen = devices if isinstance(devices, Iterable) and not isinstance(devices, (str, PhysicalDevice)) else [devices]
    for each in chosen:
        _known(each)
    if list_physical_devices(device_type) != [*chosen]:
        raise RuntimeError(
            "Visible devices cannot be modified after being initialized. Everything runs on the CPU: leave it visible."
        )


def get_logical_device_configuration(device: PhysicalDevice) -> None:
    """The logical devices that a device is divided into: None, as it is not divided."""
    _known(device)


def set_logical_device_configuration(device: PhysicalDevice, logical_devices: Any) -> None:
    """Divide a device into logical devices, which is an error for the CPU.

    Raises:
        ValueError: a device that is not there.
        RuntimeError: the CPU.
    """
    _known(device)
    raise RuntimeError("Virtual devices cannot be modified after being initialized. The CPU is one device here.")


def get_device_details(device: PhysicalDevice) -> dict[str, Any]:
    """Details of a device: there are none of the CPU."""
    _known(device)
    return {}


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Let a GPU take its memory as needed.

    Raises:
        ValueError: the device is no GPU.
    """
    _known(device)
    raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")


def _known(device: Any) -> None:
    if device != CPU:
        raise ValueError(f"Unrecognized device: {device!r}. There is {CPU!r}.")


def get_inter_op_parallelism_threads() -> int:
    """The number that was set, at first 0. Ops run one after the other."""
    return DeviceSettings.inter_op


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Say on how many threads ops are to run; they run one after the other.

    >>> set_inter_op_parallelism_threads(2)
    >>> get_inter_op_parallelism_threads()
    2
    >>> set_inter_op_parallelism_threads(0)
    """
    DeviceSettings.inter_op = num_threads


def get_intra_op_parallelism_threads() -> int:
    """The number that was set, at first 0. What one op runs on is NumPy's choice."""
    return DeviceSettings.intra_op


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Say on how many threads one op is to run, which NumPy chooses."""
    DeviceSettings.intra_op = num_threads


def get_soft_device_placement() -> bool:
    """Whether an op may run on another device than it was put on, as all do here."""
    return DeviceSettings.soft_placement


def set_soft_device_placement(enabled: bool) -> None:
    """Say whether an op may run on another device than it was put on."""
    DeviceSettings.soft_placement = enabled


def enable_op_determinism() -> None:
    """Nothing: ops are always deterministic here."""


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

threading = namespace(
    f"{__name__}.threading",
    get_inter_op_parallelism_threads=get_inter_op_parallelism_threads,
    get_intra_op_parallelism_threads=get_intra_op_parallelism_threads,
    set_inter_op_parallelism_threads=set_inter_op_parallelism_threads,
    set_intra_op_parallelism_threads=set_intra_op_parallelism_threads,
)
experimental = namespace(
    f"{__name__}.experimental",
    VirtualDeviceConfiguration=LogicalDeviceConfiguration,
    enable_op_determinism=enable_op_determinism,
    get_device_details=get_device_details,
    get_virtual_device_configuration=get_logical_device_configuration,
    get_visible_devices=get_visible_devices,
    list_logical_devices=list_logical_devices,
    list_physical_devices=list_physical_devices,
    set_memory_growth=set_memory_growth,
    set_virtual_device_configuration=set_logical_device_configuration,
    set_visible_devices=set_visible_devices,
)
