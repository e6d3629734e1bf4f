"""Write the reference pages from the code, or check that they are what the code says.

uv run python docs/generate.py           write docs/reference/
uv run python docs/generate.py --check   exit 1 when a page is out of date
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

from turnloop_core import errors, hookspecs
from turnloop_core.log import records
from turnloop_core.types import events

REFERENCE = Path(__file__).parent / "reference"
NOTE = "<!-- Written by docs/generate.py from the code. Change the code, then run it again. -->\n\n"


def hooks() -> str:
    """Every hook, in the order of the module, with its docstring."""
    specs = [
        value
        for name, value in vars(hookspecs).items()
        if name.startswith("register_") and inspect.isfunction(value)
    ]
    intro = inspect.getdoc(hookspecs) or ""
    parts = [f"# Hooks\n\n{intro}\n"]
    for spec in specs:
        signature = str(inspect.signature(spec, eval_str=False)).replace("'", "")
        doc = inspect.getdoc(spec) or ""
        parts.append(f"## {spec.__name__}\n\n```python\ndef {spec.__name__}{signature}\n```\n")
        parts.append(f"```text\n{doc}\n```\n")
    return "\n".join(parts)


def values(title: str, intro: str, module: object) -> str:
    """Every tagged value of a module: its kind, fields and docstring."""
    parts = [f"# {title}\n\n{intro}\n"]
    for cls in _tagged(module):
        fields = "\n".join(
            f"- `{name}: {kind}`" for name, kind in cls.__annotations__.items() if name != "kind"
        )
        doc = inspect.getdoc(cls) or ""
        parts.append(f"## {cls.kind}\n\n```text\n{doc}\n```\n\n{fields}\n")
    return "\n".join(parts)


def _tagged(module: object) -> Iterator[type]:
    for value in vars(module).values():
        own = inspect.isclass(value) and value.__module__ == getattr(module, "__name__", "")
        if own and isinstance(getattr(value, "kind", None), str):
            yield value


def exit_codes() -> str:
    """The tree of errors as it is drawn in the module."""
    doc = inspect.getdoc(errors) or ""
    codes = "\n".join(
        f"| {value} | {name.removeprefix('EXIT_').lower()} |"
        for name, value in vars(errors).items()
        if name.startswith("EXIT_")
    )
    table = f"| code | meaning |\n| --- | --- |\n{codes}"
    return f"# Errors and exit codes\n\n{table}\n\n```text\n{doc}\n```\n"


def pages() -> dict[str, str]:
    """File name -> text."""
    return {
        "hooks.md": hooks(),
        "events.md": values("Events", inspect.getdoc(events) or "", events),
        "records.md": values("Records of a log", inspect.getdoc(records) or "", records),
        "errors.md": exit_codes(),
    }


def main(arguments: list[str]) -> int:
    stale = []
    for name, text in pages().items():
        path = REFERENCE / name
        wanted = NOTE + text
        if path.exists() and path.read_text(encoding="utf-8") == wanted:
            continue
        stale.append(name)
        if "--check" not in arguments:
            path.write_text(wanted, encoding="utf-8")
    if stale and "--check" in arguments:
        print(f"out of date: {', '.join(stale)}; run: uv run python docs/generate.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
