"""Programs of all kinds, by name, and how one is run: what it does under plain Python it does under `tapeviz run`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import tapeviz

TRAINING = """\
import tapeviz as tf

w, c = tf.Variable(3.0, name="w"), tf.constant(2.0)
with tf.GradientTape() as tape:
    loss = w * c
print(tape.gradient(loss, [w, c])[0].numpy())
"""

_TEXTS = {
    "prints": r"""
        import sys
        print('out'); print('err', file=sys.stderr); sys.stdout.write('no newline')
        """,
    "arguments": r"""
        import sys
        print(sys.argv, sys.path[0], len(sys.path))
        """,
    "is_main": r"""
        print(__name__, __file__, __spec__ and __spec__.name, __package__, __doc__)
        print(sorted(globals()))
        """,
    "main_is_the_module": r"""
        import sys
        import __main__
        x = 3
        print(__main__.x, sys.modules['__main__'] is __main__, vars(__main__) is globals())
        """,
    "docstring_and_future": '''
        """A docstring."""
        from __future__ import annotations
        def f(x: nothing): pass
        print(__doc__, f.__annotations__)
        ''',
    "exit_code": r"""
        raise SystemExit(3)
        """,
    "exit_none": r"""
        import sys
        sys.exit()
        """,
    "exit_text": r"""
        import sys
        sys.exit('what went wrong')
        """,
    "exit_true": r"""
        import sys
        sys.exit(True)
        """,
    "raises": r"""
        def inner():
            {}['key']
        def outer():
            inner()
        outer()
        """,
    "raises_from": r"""
        try:
            1 / 0
        except ZeroDivisionError as error:
            raise ValueError('other') from error
        """,
    "raises_while_handling": r"""
        def f():
            try:
                1 / 0
            except ZeroDivisionError:
                [][1]
        f()
        """,
    "raises_a_group": r"""
        raise ExceptionGroup('several', [ValueError(1), TypeError(2)])
        """,
    "raises_with_a_note": r"""
        error = ValueError('x')
        error.add_note('a note')
        raise error
        """,
    "raises_a_base_exception": r"""
        class Odd(BaseException): pass
        raise Odd('odd')
        """,
    "syntax_error": r"""
        x = 1
        def f(:
            pass
        """,
    "indentation_error": r"""
        def f():
        return 1
        """,
    "excepthook": r"""
        import sys
        sys.excepthook = lambda kind, error, tb: print('hooked', kind.__name__)
        1 / 0
        """,
    "recursion": r"""
        def f():
            f()
        try:
            f()
        except RecursionError:
            print('deep')
        """,
    "warning": r"""
        import warnings
        warnings.warn('careful')
        """,
    "atexit": r"""
        import atexit
        atexit.register(print, 'bye')
        print('hello')
        """,
    "thread": r"""
        import threading
        threading.Thread(target=lambda: print('in a thread')).start()
        """,
    "pickle": r"""
        import pickle
        class A: pass
        print(type(pickle.loads(pickle.dumps(A()))) is A)
        """,
    "inspect": r"""
        import inspect
        def f():
            return 42
        print(inspect.getsource(f))
        """,
    "imports_a_neighbour": r"""
        import neighbour
        print(neighbour.__name__)
        """,
    "multiprocessing": r"""
        import multiprocessing
        def f(x):
            return x * x
        if __name__ == '__main__':
            with multiprocessing.get_context('spawn').Pool(1) as pool:
                print(pool.map(f, [1, 2]))
        """,
    "fork": r"""
        import os, sys
        pid = os.fork()
        if pid:
            os.waitpid(pid, 0)
        print('parent' if pid else 'child', flush=True)
        """,
    "closes_stdout": r"""
        import sys
        print('last words')
        sys.stdout.close()
        """,
    "redirects_stderr": r"""
        import io
        import sys
        sys.stderr = io.StringIO()
        print('lost', file=sys.stderr)
        """,
    "reads_stdin": r"""
        print(input().upper())
        """,
    "changes_folder": r"""
        import os
        os.chdir('/')
        print(os.getcwd())
        """,
    "interrupted": r"""
        import os, signal
        print('before', flush=True)
        os.kill(os.getpid(), signal.SIGINT)
        import time
        time.sleep(9)
        """,
}

_WITHOUT_STDERR = {
    "closes_stderr": r"""
        import sys
        sys.stderr.close()
        print('said')
        """,
    "closes_stderr_and_raises": r"""
        import sys
        sys.stderr.close()
        sys.stdout.write('said')
        1 / 0
        """,
    "has_no_stderr_and_exits": r"""
        import sys
        sys.stderr = sys.__stderr__ = None
        sys.exit('not for stdout')
        """,
    "closes_all": r"""
        import os, sys
        sys.stdout.flush()
        for each in range(3):
            os.close(each)
        raise SystemExit(4)
        """,
    "writes_to_a_file_in_its_place": r"""
        import os
        os.close(2)
        with open('instead', 'w') as file:
            print(file.fileno())
        print(repr(open('instead').read()))
        """,
    "exits_at_once": r"""
        import os
        os.write(1, b'said')
        os._exit(7)
        """,
    "is_killed": r"""
        import os, signal
        print('said', flush=True)
        os.kill(os.getpid(), signal.SIGTERM)
        """,
    "hears_a_signal": r"""
        import os, signal, sys
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(9))
        os.kill(os.getpid(), signal.SIGTERM)
        """,
    "raises_without_a_text": r"""
        class Silent(Exception):
            def __str__(self):
                raise RuntimeError
        raise Silent
        """,
    "exits_without_a_text": r"""
        class Silent:
            def __str__(self):
                raise RuntimeError
        raise SystemExit(Silent())
        """,
    "excepthook_fails": r"""
        import sys
        sys.excepthook = lambda *about: [][0]
        1 / 0
        """,
    "excepthook_exits": r"""
        import sys
        sys.excepthook = lambda *about: sys.exit(6)
        1 / 0
        """,
    "has_no_excepthook": r"""
        import sys
        del sys.excepthook
        1 / 0
        """,
    "thread_goes_on": r"""
        import threading, time
        def late():
            time.sleep(0.3)
            print('late')
        threading.Thread(target=late).start()
        print('early')
        """,
    "thread_fails": r"""
        import threading
        thread = threading.Thread(target=lambda: 1 / 0)
        thread.start()
        thread.join()
        """,
    "has_hostile_variables": r"""
        class Odd:
            def refuse(self, *args):
                raise SystemError('asked')
            __class__ = property(refuse)
            __getattr__ = __eq__ = __hash__ = __bool__ = __repr__ = refuse
        odd = Odd()
        print('said')
        """,
    "is_no_module_of_its_own": r"""
        import sys
        del sys.modules['__main__']
        print('said')
        """,
    "process": r"""
        import subprocess, sys
        print(subprocess.run([sys.executable, '-c', 'print(3); raise SystemExit(5)'], stdout=-1))
        """,
}
"""Programs of which only stdout and the exit code are compared."""


def _dedented(texts: dict[str, str]) -> dict[str, str]:
    return {name: dedent(text).strip("\n") + "\n" for name, text in texts.items()}


UNHEARD = _dedented(_WITHOUT_STDERR)

PROGRAMS = _dedented(_TEXTS) | {
    "trains": TRAINING,
    "trains_and_fails": TRAINING + "1 / 0\n",
    "fails_in_a_tape": TRAINING.replace("loss = w * c", "tf.reshape(w, [7])"),
}

FRAMEWORK_PROGRAMS = {
    "torch": """\
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
x, y = torch.ones(4, 2), torch.zeros(4)
for _ in range(2):
    loss = torch.nn.functional.mse_loss(net(x), y)
    loss.backward()
    print(loss.item(), net(x).grad)
print(float(loss.detach().requires_grad_()))
(net[0].weight.detach() @ x[0]).sum().backward()
""",
    "torch_in_place": """\
import torch

def rectified(weight):
    return torch.nn.ReLU(inplace=True)(weight)

rectified(torch.nn.Parameter(torch.ones(2)))
""",
    "tensorflow": """\
import tensorflow as tf

w = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(w * w)
print(tape.gradient(loss, w).numpy())
tape.gradient(loss, w)
""",
    "tensorflow_op": """\
import tensorflow as tf

with tf.GradientTape() as tape:
    tf.matmul(tf.Variable([[1.0]]), tf.ones([2, 2]))
""",
}


def script(folder: Path, text: str) -> str:
    """A program as a file in a folder; its name."""
    (folder / "program.py").write_text(text)
    return "program.py"


def hear_ctrl_c() -> None:
    """Listen to Ctrl-C: a shell's background job, as the tests may be, hands down that it is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def in_shell(folder: Path, streams: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run Python in a folder, with a shell's redirections of its streams."""
    command = f'exec "$0" "$@" {streams}'
    return start(folder, *arguments, before=("/bin/sh", "-c", command))


def start(folder: Path, *arguments: str, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[bytes]:
    """Run Python in a folder, with this tapeviz and no screen; `before` is a command that runs it."""
    environment = os.environ | {"PYTHONPATH": str(Path(tapeviz.__file__).parents[1]), "PYTHONUNBUFFERED": ""}
    environment.pop("DISPLAY", None)
    return subprocess.run(
        [*before, sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        input=b"line\n",
        preexec_fn=hear_ctrl_c,
    )
