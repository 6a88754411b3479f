"""An argument as a user passed it -> the same, checked, or an error that says what to pass."""

from __future__ import annotations

import os
from operator import index
from pathlib import Path
from typing import Any

from tapeviz.phrases import kind_of

PAGES = (".html", ".htm")


def no_log(subject: Any) -> TypeError:
    """The error for what has no log, where a tape or a log was asked for.

    >>> str(no_log(3.0))
    'Nothing recorded in a float: pass a GradientTape, or the log that `record()` gives.'
    """
    told = f"Nothing recorded in {kind_of(subject)}"
    home = type(subject).__module__.partition(".")[0]
    if home != "tapeviz" and any(each.__name__ == "GradientTape" for each in type(subject).__mro__):
        return TypeError(
            f"{told} of {home}, which keeps nothing that can be read: run the program in `with tv.record() as log:`, "
            "and ask the log."
        )
    if isinstance(subject, (str, os.PathLike)):
        if os.path.isfile(subject):
            return TypeError(f"{told}: read the file first, log = tv.load({os.fspath(subject)!r}).")
        return TypeError(f"{told}: the tape comes first, a GradientTape or the log that `record()` gives.")
    if hasattr(subject, "shape") and hasattr(subject, "dtype"):
        return TypeError(f"{told}: the tape, or the log, comes first, as in tv.why(tape, loss, w).")
    return TypeError(f"{told}: pass a GradientTape, or the log that `record()` gives.")


def function_first(f: Any, verb: str) -> None:
    """Raise unless a verb that calls a function is given one.

    Raises:
        TypeError: it is none.

    >>> function_first(3.0, "check_gradients")
    Traceback (most recent call last):
    TypeError: check_gradients: pass a function first, then its arguments; got a float.
    """
    if not callable(f):
        raise TypeError(f"{verb}: pass a function first, then its arguments; got {kind_of(f)}.")


def whole(value: Any, name: str, what: str = "a whole number") -> int:
    """A whole number, of Python's or NumPy's.

    Raises:
        TypeError: it is none.

    >>> whole("64MB", "max_bytes", "a number of bytes, such as 64 << 20")
    Traceback (most recent call last):
    TypeError: max_bytes is a number of bytes, such as 64 << 20; got '64MB'.
    """
    try:
        if not isinstance(value, bool):
            return index(value)
    except TypeError:
        pass
    raise TypeError(f"{name} is {what}; got {value!r}.")


def existing_file(path: Any, call: str) -> Path:
    """The path of a file that is there; `call` is an example of the call that takes it.

    Raises:
        TypeError: it is no path.
        FileNotFoundError: there is no such file.
        IsADirectoryError: it is a folder.
    """
    source = _path(path, call)
    if not source.exists():
        raise FileNotFoundError(f"there is no file {str(source)!r}")
    if source.is_dir():
        raise IsADirectoryError(f"{str(source)!r} is a folder; name a file in it")
    return source


def output_file(path: Any, call: str, kind: str = "", endings: tuple[str, ...] = ()) -> Path:
    """A path that a file can be written to.

    Args:
        path: what the user passed.
        call: an example of the call that takes it.
        kind: what is written, where the name of the file has to end in one of `endings`.

    Raises:
        TypeError: it is no path.
        ValueError: it ends in something else.
        FileNotFoundError: its folder is not there.
        IsADirectoryError: it is a folder.
    """
    target = _path(path, call)
    if endings and target.suffix.lower() not in endings:
        raise ValueError(f"{_verb(call)} writes {kind}, and {str(target)!r} does not end in {endings[0]}.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"cannot save {target.name}: there is no folder {str(target.parent)!r}; make it first")
    if target.is_dir():
        raise IsADirectoryError(f"cannot save {str(target)!r}: it is a folder; name a file in it")
    return target


def log_path(path: Any, call: str = "tv.save(tape, 'step.tape')", page: str = "tv.save_html") -> Path:
    """A path that a log can be written to; `page` is what writes a page.

    Raises:
        ValueError: its name is that of a page.
        TypeError, OSError: as `output_file`.
    """
    target = _path(path, call)
    if target.suffix.lower() in PAGES:
        raise ValueError(
            f"{_verb(call)} writes a log, and {str(target)!r} ends in {target.suffix}: {page} writes a page."
        )
    return output_file(target, call)


def page_path(path: Any, call: str = "tv.save_html(tape, 'tape.html')") -> Path:
    """A path that a page can be written to; it ends in .html.

    Raises:
        TypeError, ValueError, OSError: as `output_file`.
    """
    return output_file(path, call, "an HTML file", PAGES)


def folder(path: Any, call: str) -> Path:
    """A folder to write files into, which may still have to be made.

    Raises:
        TypeError: it is no path.
        NotADirectoryError: it is a file.
    """
    target = _path(path, call)
    if target.exists() and not target.is_dir():
        raise NotADirectoryError(f"cannot write into {str(target)!r}: it is a file; name a folder")
    return target


def _path(path: Any, call: str) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{_verb(call)}: the path is {kind_of(path)}; write {call}.")
    return Path(path)


def _verb(call: str) -> str:
    return call.partition("(")[0]
