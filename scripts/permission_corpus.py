"""Print what the permission engine makes of the corpus of cases.

uv run python scripts/permission_corpus.py [FILE...] [-v]

Without a FILE: the shared corpus where it lies beside the repository, and our own cases. Each case
gets its folders in a temporary one and goes through the code of `tl permissions check --batch`, all
in this process. The exit status is 1 if anything is answered too loosely, or a case that is to be
allowed is not.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from permissions.corpus_figures import (
    CORPUS,
    NEIGHBOURS,
    Figures,
    figures,
    read_cases,
)


def main() -> int:
    parser = argparse.ArgumentParser(description="Figures of the permission cases.")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="JSON lines of cases")
    parser.add_argument("-v", "--verbose", action="store_true", help="show what is not exact")
    given = parser.parse_args()
    failed = False
    for path in given.files or (CORPUS, NEIGHBOURS):
        if not path.exists():
            print(f"{path.name}: not here")
            failed = failed or bool(given.files)
            continue
        with tempfile.TemporaryDirectory(prefix="turnloop-corpus-") as folder:
            cases = read_cases(path)
            found = figures(cases, Path(folder), _tell if given.verbose else lambda _c, _a: None)
        _show(path.name, len(cases), found)
        failed = failed or not found.good
    return int(failed)


def _show(name: str, count: int, found: Figures) -> None:
    judged = sum(found.classes.values())
    rate = judged / found.seconds if found.seconds else 0
    print(f"{name}: {count} cases, {judged} judged in {found.seconds:.2f} s ({rate:,.0f} a second)")
    print(f"  exact                {sum(found.exact.values())}")
    for title, names in (
        ("too loose", found.loose),
        ("stricter on attacks", found.stricter),
        ("friction on allowed", found.friction),
    ):
        print(f"  {title:<20} {len(names)}  {' '.join(names)}".rstrip())
    print(f"  {'skipped':<20} {len(found.skipped)}")
    for case, reason in found.skipped.items():
        print(f"    {case}: {reason}")
    for reason in dict.fromkeys(found.wrong.values()):
        names = [case for case, why in found.wrong.items() if why == reason]
        print(f"  {'no answer':<20} {len(names)}  {' '.join(names[:4])} ...: {reason}")
    parts = [f"{each} {found.exact[each]}/{of}" for each, of in sorted(found.classes.items())]
    print(f"  exact by class: {', '.join(parts)}")


def _tell(case: dict[str, Any], answer: dict[str, Any]) -> None:
    if answer.get("decision") != case["expected"]:
        print(f"{case['id']}: expected {case['expected']} ({case['why']})")
        print(f"  {case['tool']} {case['args']}")
        print(f"  got {answer.get('decision')}: {answer.get('reason') or answer.get('error')}")


if __name__ == "__main__":
    sys.exit(main())
