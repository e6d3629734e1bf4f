"""Write the versions of this environment into `constraint-dependencies`: pins without addresses.

uv run python scripts/pins.py
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import distributions
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"
LIST = re.compile(r"constraint-dependencies = \[\n.*?^\]\n", re.DOTALL | re.MULTILINE)


# Versions that not every Python of `requires-python` can have: others find their own.
ONLY_FOR = {
    "beautifulsoup4": "python_full_version >= '3.11.5'",
    "soupsieve": "python_full_version >= '3.11.5'",
}


def pins() -> list[str]:
    """`name==version` of everything installed that is not a member."""
    found = {
        distribution.metadata["Name"].lower().replace("_", "-"): distribution.version
        for distribution in distributions()
    }
    return [
        f"{name}=={version}" + (f" ; {ONLY_FOR[name]}" if name in ONLY_FOR else "")
        for name, version in sorted(found.items())
        if not name.startswith("turnloop")
    ]


def main() -> int:
    text = PROJECT.read_text(encoding="utf-8")
    lines = "".join(f'    "{pin}",\n' for pin in pins())
    new = f"constraint-dependencies = [\n{lines}]\n"
    if not LIST.search(text):
        print("pyproject.toml has no constraint-dependencies to replace")
        return 1
    PROJECT.write_text(LIST.sub(lambda _: new, text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
