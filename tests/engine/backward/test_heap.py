"""The arrays of one step lie where those of the step before lay: no page is asked of the system anew."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

STEPS = """
import resource
import tapeviz as tf

x = tf.Variable(tf.ones((256, 100)))

def step():
    with tf.GradientTape() as tape:
        y = x
        for _ in range(20):
            y = tf.sin(y)
    tape.gradient(y, x)

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

for _ in range(10):
    step()
before = faults()
for _ in range(20):
    step()
print((faults() - before) // 20)
"""


def faults_per_step(**environment: str) -> int:
    """Of a training whose tape keeps 4 MB at each step, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", STEPS], capture_output=True, text=True, check=True, env=os.environ | environment
    )
    return int(done.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another allocator")
def test_the_pages_of_a_step_are_used_again() -> None:
    assert faults_per_step() < 50
    assert faults_per_step(GLIBC_TUNABLES="glibc.malloc.trim_threshold=131072") > 500
