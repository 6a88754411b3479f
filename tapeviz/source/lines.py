"""A site -> what the user's line does: what it assigns, computes, calls and reads out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tapeviz.events import Site
from tapeviz.source.parsing import parse

LONGEST = 60
"""Characters of a text that are worth saying again."""

SWITCHES = ("no_grad", "inference_mode", "grad_enabled", "@")
"""What a line has that switches autograd off; a decorator may do so under any name."""

STOPS = ("stop_gradient", "detach")
"""The functions that hold a gradient back; in PyTorch, `.data` does so, too."""


def assigned(site: Site | None) -> str | None:
    """The name that the line of a site is assigned to.

    >>> assigned(Site("a.py", 3, 3, 9, 14, "f", "y_pred = x @ w + b"))
    'y_pred'
    """
    match line_of(site):
        case [ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name))]:
            return name
    return None


def kept_attribute(site: Site | None) -> str | None:
    """The attribute that the line of a site is assigned to.

    >>> kept_attribute(Site("a.py", 3, 3, 9, 14, "f", "self.scale = tf.exp(self.log_scale)"))
    'self.scale'
    """
    match line_of(site):
        case [ast.Assign(targets=[ast.Attribute() as attribute])]:
            return ast.unparse(attribute)
    return None


def expression(site: Site | None) -> str | None:
    """What the line of a site returns, gives to several names or only computes, where that is short.

    >>> expression(Site("a.py", 3, 3, 11, 22, "f", "return tf.tanh(x@w)"))
    'tf.tanh(x @ w)'
    """
    match line_of(site):
        case (
            [ast.Return(value=ast.expr() as value)]
            | [ast.Expr(value=value)]
            | [ast.Assign(targets=[ast.Tuple()], value=value)]
        ) if not isinstance(value, ast.Tuple):
            text = ast.unparse(value)
            return text if len(text) <= LONGEST else None
    return None


def is_written(site: Site | None, how: str) -> bool:
    """Whether a line itself reads a value out or writes one so, rather than a function that it calls.

    Of a line that is not known, the likelier is taken.

    >>> is_written(Site("a.py", 3, 3, 4, 13, "f", "h = x.numpy()"), ".numpy()")
    True
    """
    return site is None or not site.text or how.rstrip(")") in site.text


FITTING = (".detach()", ".cpu()", ".data")
"""What only makes a tensor fit for being read out."""


def read_out(site: Site | None, how: str) -> str:
    """A read-out with what only makes the tensor fit for it, where that is written before it.

    >>> read_out(Site("a.py", 3, 3, 4, 22, "f", "h = x.detach().cpu().numpy()"), ".numpy()")
    '.detach().cpu().numpy()'
    """
    text = "" if site is None else site.text
    for before in text.split(how.rstrip(")"))[:-1] if how.startswith(".") else ():
        start = len(before)
        while before.endswith(FITTING, 0, start):
            start = before.rindex(".", 0, start)
        if start < len(before):
            return before[start:] + how
    return how


NUMPY_WITHIN = ("numpy_function", "py_function", "py_func")
"""TensorFlow's calls of a function that computes with NumPy."""


def numpy_within(site: Site | None) -> str | None:
    """The call at a line by which TensorFlow runs a function of NumPy's.

    >>> numpy_within(Site("a.py", 3, 3, 4, 14, "f", "y = numpy_function(f, [x], float)"))
    'numpy_function'
    """
    found = re.search(rf"(?<![\w.])[\w.]*\b({'|'.join(NUMPY_WITHIN)})(?=\()", "" if site is None else site.text)
    return found and found.group()


PREDICTING = ("predict", "predict_on_batch")
"""The methods of Keras's models that give arrays."""


def reader(site: Site | None, how: str) -> str:
    """What reads a value out at a line: the read-out if it is written there, else the NumPy function that is.

    >>> reader(Site("a.py", 3, 3, 4, 14, "f", "h = np.tanh(x)"), "np.asarray()")
    'np.tanh()'
    """
    if is_written(site, how):
        return read_out(site, how)
    within = numpy_within(site)
    if within is not None:
        return within
    predicts = next((each for each in PREDICTING if site is not None and f".{each}(" in site.text), None)
    called = list(numpy_calls(site))
    return f".{predicts}()" if predicts is not None else f"{called[-1]}()" if called else how


def stops_here(site: Site | None) -> bool:
    """Whether a line itself holds a gradient back, rather than a function of a library's that it calls.

    >>> stops_here(Site("a.py", 3, 3, 0, 26, "f", "y = tf.stop_gradient(x)"))
    True
    >>> stops_here(Site("a.py", 3, 3, 0, 26, "f", "y = tf.reduce_logsumexp(x)"))
    False
    """
    return site is not None and (any(word in site.text for word in STOPS) or _reads_data(site.text))


def switches_off(site: Site | None) -> bool:
    """Whether a line itself has autograd off, rather than a function of a library's that it calls.

    >>> switches_off(Site("a.py", 3, 3, 0, 26, "f", "with torch.no_grad():"))
    True
    >>> switches_off(Site("a.py", 3, 3, 0, 26, "f", "h = model.encode(texts)"))
    False
    """
    return site is not None and any(word in site.text for word in SWITCHES)


def stopper(site: Site | None) -> str:
    """What holds a gradient back at a line, as it is written there.

    >>> stopper(Site("a.py", 3, 3, 0, 15, "f", "return z.data"))
    '.data'
    """
    is_data = site is not None and _reads_data(site.text) and not any(word in site.text for word in STOPS)
    return ".data" if is_data else STOPS[0]


def _reads_data(line: str) -> bool:
    """Whether a line reads the `.data` of a tensor; a module that is called so is asked for its classes.

    >>> [_reads_data(each) for each in ("z.data.clone()", "f(batch.data_x)", "utils.data.DataLoader(d)")]
    [True, False, False]
    """
    return re.search(r"\.data\b(?!\.[A-Z])", line) is not None


def _statements(text: str) -> list[ast.stmt]:
    """A line as Python; the head of a block has an empty one."""
    tree = parse(text) or parse(f"{text} pass")
    return [] if tree is None else tree.body


def line_of(site: Site | None) -> list[ast.stmt]:
    """The line of a site, if it is whole."""
    return [] if site is None else _statements(site.text)


def calls_in(statements: list[ast.stmt]) -> Iterator[ast.Call]:
    for statement in statements:
        yield from (node for node in ast.walk(statement) if isinstance(node, ast.Call))


def numpy_calls(site: Site | None) -> Iterator[str]:
    """The functions of NumPy and `math` that a line calls, the innermost last; it may go on in the next."""
    text = "" if site is None else site.text
    for call in calls_in(_statements(text) or _statements(text + _closing(text))):
        if is_of_numpy(call):
            yield ast.unparse(call.func)


def is_of_numpy(call: ast.Call) -> bool:
    """Whether what is called is a function of NumPy, or of `math`."""
    return ast.unparse(call.func).startswith(("np.", "numpy.", "math."))


def _closing(text: str) -> str:
    """The brackets that a line leaves open.

    >>> _closing("h = np.tanh(x[0] + np.exp(")
    '))'
    """
    closing = ""
    for character in text:
        if character in "([{":
            closing = ")]}"["([{".index(character)] + closing
        elif closing.startswith(character):
            closing = closing[1:]
    return closing


def method_call(site: Site | None, method: str) -> ast.Call | None:
    """The call of a method at a line, if there is one with a first argument."""
    calls = calls_in(line_of(site))
    found = [each for each in calls if isinstance(each.func, ast.Attribute) and each.func.attr == method]
    return found[0] if len(found) == 1 and found[0].args else None


def owner_of(call: ast.Call) -> ast.expr:
    assert isinstance(call.func, ast.Attribute)
    return call.func.value
