"""The benchmarks there are, by name. One is imported when it is run."""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import cast

from bench.measured import Benchmark

TITLES = MappingProxyType(
    {
        "startup": "from the command line to help, and to the first request",
        "plugins": "what importing each provider plugin costs",
        "turns": "what an attempt costs beside the model and the tools",
        "throughput": "bytes of a stream through parser and decoder",
        "log": "appending, folding and listing sessions",
        "permissions": "decisions",
        "tokens": "size of the first request",
        "search": "Glob and Grep on 50,000 files, against ripgrep",
        "encode": "from a record to the body of a request, as the history grows",
    }
)


def load(name: str) -> Benchmark:
    """The benchmark of that name.

    Raises:
        KeyError: there is none.
    """
    if name not in TITLES:
        raise KeyError(name)
    return cast("Benchmark", import_module(f"bench.{name}_bench"))
