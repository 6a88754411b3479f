"""A path, and what is to stand in its file -> that file, whole: the old one stays until the new one is on the disk."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

PART = ".part"
"""What the name of a file ends in that is not whole yet."""
NAMED = 40
"""Characters of the file's own name in that of its part: what a file system allows is 255 bytes."""


def write(path: Path, data: bytes) -> None:
    """Write a file, as `replacing` does."""
    with replacing(path) as file:
        file.write(data)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file in the place of `path`, once the block ends well and all of it is synced; else all is as it was.

    The new file has the permissions of the old one, and is where a symbolic link leads. What a kill left of an earlier
    one is deleted. A pipe or a device is written to as it stands.

    Raises:
        OSError: the file, or one beside it, cannot be written; it names `path`.
    """
    old = _status(path)
    if old is not None and not stat.S_ISREG(old.st_mode):
        with path.open("wb") as stream:
            yield stream
        return
    if old is not None and not os.access(path, os.W_OK):  # which a rename would not ask
        raise PermissionError(errno.EACCES, "the file that is there may not be written", str(path))
    target = Path(os.path.realpath(path))
    _delete_abandoned(target)
    try:
        yield from _written_beside(target, old)
    except OSError as error:  # which may be about the part alone, or about no file
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _status(path: Path) -> os.stat_result | None:
    """What is there, behind all links; None where nothing is."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _written_beside(target: Path, old: os.stat_result | None) -> Iterator[BinaryIO]:
    """A part of a file, for a block that fills it; it takes the place of its target then."""
    part, file = _begun(target)
    try:
        with file:
            if old is not None:
                _make_like(file, old)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if sys.platform != "win32":  # as long as it is open it is locked
                os.replace(part, target)
        if sys.platform == "win32":  # where no open file is renamed
            os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def _begun(target: Path) -> tuple[Path, BinaryIO]:
    """A new part of a file, which is locked as long as it is open."""
    while True:
        part = target.with_name(f"{_stem(target)}{secrets.token_hex(4)}{PART}")
        file = part.open("xb")
        if _is_mine(file):
            return part, file
        file.close()


def _stem(target: Path) -> str:
    """What the names of all parts of a file begin with."""
    return f".{target.name[:NAMED]}."


def _delete_abandoned(target: Path) -> None:
    """Delete what a kill left of the parts of a file; those that are being written are left alone."""
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if entry.name.startswith(_stem(target)) and entry.name.endswith(PART) and entry.is_file():
                with suppress(OSError):
                    _delete_unlocked(entry.path)


try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:

    def _is_mine(file: BinaryIO) -> bool:
        """It needs no lock: Windows deletes no open file, and in a browser one process has all files."""
        return True

    def _delete_unlocked(path: str) -> None:
        os.unlink(path)

    def _make_like(file: BinaryIO, old: os.stat_result) -> None:
        """Permissions are those of the folder."""

else:

    def _is_mine(file: BinaryIO) -> bool:
        """Lock a new file; whether it is still there, and was not deleted before it was locked."""
        with suppress(OSError):  # a file system without locks deletes nothing, either
            flock(file, LOCK_EX)
        return os.fstat(file.fileno()).st_nlink > 0

    def _delete_unlocked(path: str) -> None:
        """Delete a file.

        Raises:
            OSError: it is locked, or cannot be.
        """
        with open(path, "rb") as file:
            flock(file, LOCK_EX | LOCK_NB)
            os.unlink(path)

    def _make_like(file: BinaryIO, old: os.stat_result) -> None:
        """Give a file the permissions of another, and the owner and the group as far as the user may."""
        with suppress(OSError):
            os.fchown(file.fileno(), old.st_uid, old.st_gid)
        os.fchmod(file.fileno(), stat.S_IMODE(old.st_mode))
