"""A thread that blocks holds up neither a call nor the end of the program."""

from __future__ import annotations

import subprocess
import sys
import threading

import anyio
import pytest

from turnloop_web.background import in_background

HANGS = """
import threading, anyio
from concurrent.futures import ThreadPoolExecutor
from turnloop_web.metasearch import Library, Metasearch
def text(*_, **__):
    with ThreadPoolExecutor(1, thread_name_prefix="DDGS") as pool:
        pool.submit(threading.Event().wait, 60).result()
class Client:
    def __init__(self, **_): self.text = text
try:
    anyio.run(Metasearch(lambda: Library(Client, ValueError), total_s=0.5).search, "x", 1)
except TimeoutError:
    print("given up")
"""


def test_what_a_function_gives_or_raises_comes_back():
    assert anyio.run(in_background, divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        anyio.run(in_background, divmod, 7, 0)


def test_its_thread_is_one_that_nobody_waits_for():
    async def go() -> bool:
        return await in_background(lambda: threading.current_thread().daemon)

    assert anyio.run(go)


def test_a_program_ends_while_the_library_hangs():
    done = subprocess.run([sys.executable, "-c", HANGS], capture_output=True, text=True, timeout=20)
    assert (done.stdout, done.stderr, done.returncode) == ("given up\n", "", 0)
