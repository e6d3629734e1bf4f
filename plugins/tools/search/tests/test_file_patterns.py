"""File patterns: cases, and agreement with a plain matcher on random ones."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_search.answers import RefusedError
from turnloop_search.patterns import Filter, Split, compile_glob, split

NAMES = [
    "a.py",
    "b.pyi",
    ".hidden",
    "src/a.py",
    "src/.env",
    "src/x/y/a.py",
    "src/x/b.ts",
    "{a}.txt",
    "[b].txt",
    "a-b.txt",
]

CASES = {
    "*.py": ["a.py", "src/a.py", "src/x/y/a.py"],
    "**/*.py": ["a.py", "src/a.py", "src/x/y/a.py"],
    "src/*.py": ["src/a.py"],
    "src/**/*.py": ["src/a.py", "src/x/y/a.py"],
    "src/**": ["src/a.py", "src/.env", "src/x/y/a.py", "src/x/b.ts"],
    "**/**/x/**/*": ["src/x/y/a.py", "src/x/b.ts"],
    "./*.py": ["a.py"],
    "*.{py,pyi}": ["a.py", "b.pyi", "src/a.py", "src/x/y/a.py"],
    "{src/x,lib}/**": ["src/x/y/a.py", "src/x/b.ts"],
    "*.p{y{,i},x}": ["a.py", "b.pyi", "src/a.py", "src/x/y/a.py"],
    "?.py": ["a.py", "src/a.py", "src/x/y/a.py"],
    "[!a].*": ["b.pyi", "src/x/b.ts"],
    ".*": [".hidden", "src/.env"],
    "[{]a}.txt": ["{a}.txt"],
    "{a}.txt": ["{a}.txt"],
    "[[]b].txt": ["[b].txt"],
    "[a-]-b.txt": ["a-b.txt"],
    "*a*b*.t*": ["a-b.txt"],
}


@pytest.mark.parametrize("pattern", CASES)
def test_cases(pattern):
    one = split(pattern)
    matcher = compile_glob(pattern.removeprefix("./"), anchored=one.anchored)
    assert [name for name in NAMES if matcher.fullmatch(name)] == CASES[pattern]
    assert [name for name in NAMES if Filter(pattern).takes(name)] == CASES[pattern]


def test_fixed_folders():
    patterns = ["a/b/*.py", "*.py", "/x/*", "~/x/**", "../y/z", "a/", "x.py", "/*", "./a", "a//b/*"]
    assert {pattern: split(pattern) for pattern in patterns} == {
        "a/b/*.py": Split("a/b", "*.py", anchored=True),
        "*.py": Split("", "*.py", anchored=False),
        "/x/*": Split("/x", "*", anchored=True),
        "~/x/**": Split("~/x", "**", anchored=True),
        "../y/z": Split("../y", "z", anchored=True),
        "a/": Split("a", "**", anchored=True),
        "x.py": Split("", "x.py", anchored=False),
        "/*": Split("/", "*", anchored=True),
        "./a": Split(".", "a", anchored=True),
        "a//b/*": Split("a//b", "*", anchored=True),
    }


@pytest.mark.parametrize("pattern", ["", "a\0", "*/../x", "[z-a]", "{a,b}" * 10])
def test_refused(pattern):
    with pytest.raises(RefusedError):
        one = split(pattern)
        compile_glob(one.rest, anchored=one.anchored)


def plainly(pattern: str, name: str) -> bool:
    """A slow matcher that tries everything: `*`, `?` and `**` only."""
    parts, names = pattern.split("/"), name.split("/")

    @cache
    def path(i: int, j: int) -> bool:
        if i == len(parts):
            return j == len(names)
        if parts[i] == "**":
            if i == len(parts) - 1:
                return j < len(names)
            return path(i + 1, j) or (j < len(names) - 1 and path(i, j + 1))
        return j < len(names) and one(parts[i], names[j]) and path(i + 1, j + 1)

    return path(0, 0) or (len(parts) == 1 and len(names) > 1 and one(pattern, names[-1]))


def one(part: str, name: str) -> bool:
    if not part:
        return not name
    if part[0] == "*":
        return one(part[1:], name) or (bool(name) and one(part, name[1:]))
    return bool(name) and part[0] in ("?", name[0]) and one(part[1:], name[1:])


segment = st.text("ab*?", min_size=1, max_size=5).map(lambda s: s.replace("**", "*"))
pattern_text = st.lists(segment | st.just("**"), min_size=1, max_size=4).map("/".join)
name_text = st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=4).map("/".join)


@settings(max_examples=200, deadline=None)
@given(pattern_text, name_text)
def test_agrees_with_a_plain_matcher(pattern, name):
    if "***" in pattern or pattern == "**":
        return
    anchored = "/" in pattern
    assert bool(compile_glob(pattern, anchored=anchored).fullmatch(name)) == plainly(pattern, name)


def test_many_stars_end_at_once():
    assert not compile_glob("*a" * 20 + "b", anchored=True).fullmatch("a" * 250)
