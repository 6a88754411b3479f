"""What a log keeps unless told otherwise."""

from __future__ import annotations

from tapeviz.validation import whole

VALUES = ("kept", "norms", "none")
"""What a log may keep of the program's values: themselves, their statistics, or shapes and dtypes alone."""
BYTES = "a number of bytes, such as 64 << 20"


class Defaults:
    """What `configure` sets: how logs keep values, and how much the flight recorder remembers."""

    values = "kept"
    max_bytes = 64 << 20
    ring = 4096

    @staticmethod
    def keeps(values: str) -> bool:
        """Whether the option `values` of a log's copy, as of a file or a page, asks for the values themselves.

        Raises:
            ValueError: an unknown `values`.
        """
        if values not in ("kept", "none"):
            raise ValueError(f'values must be "kept" or "none", got {values!r}.')
        return values == "kept"

    @classmethod
    def checked(cls, values: str | None, max_bytes: int | None) -> tuple[str, int]:
        """The two options of a log, from the defaults where they are None.

        Raises:
            ValueError: an unknown `values`, or a negative budget.
            TypeError: a budget that is no whole number.
        """
        values = cls.values if values is None else values
        max_bytes = cls.max_bytes if max_bytes is None else whole(max_bytes, "max_bytes", BYTES)
        if values not in VALUES:
            raise ValueError(f'values must be "kept", "norms" or "none", got {values!r}.')
        if max_bytes < 0:
            raise ValueError(f"max_bytes must not be negative, got {max_bytes}.")
        return values, max_bytes
