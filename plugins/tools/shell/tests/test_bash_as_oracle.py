"""Whatever real bash runs or writes for a line, the analysis had named or called undecidable."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import which

import pytest
from hiding import DENIED, Hider
from hiding_wrappers import WRAPPERS
from shell_lines import Lines
from stub_bash import PLAIN, SHELLS, STARTING, Seen, Stubs

from turnloop_core.api import Scope, Subject, SubjectKind
from turnloop_shell.analysis.forms import MORE, narrow_form
from turnloop_shell.analysis.subjects import subjects_of
from turnloop_shell.syntax.words import plain

HIDDEN = 1_100
RANDOM = 400
SHOWN = 15

pytestmark = pytest.mark.skipif(which("bash") is None, reason="there is no bash")

# Never run for real, not even with stubs: they reach other processes, terminals or the network.
_NEVER = re.compile(
    r"kill|/dev/tcp|/dev/udp|/tmp|bash -i|ulimit|fc |history|suspend|logout|~|\.\./"
)


@pytest.fixture(scope="module")
def stubs(tmp_path_factory) -> Stubs:
    return Stubs(tmp_path_factory.mktemp("oracle").resolve())


def hidden() -> Iterator[str]:
    """Lines of the hider that are made of what the stubs know."""
    known = {*PLAIN, *STARTING, *SHELLS, "xargs", "command", "exec", "time"}
    others = set(WRAPPERS) - known
    for seed in range(100_000):
        hider = Hider(seed)
        found = hider.hide(hider.random.choice(DENIED), 1 + seed % 4)
        if not others & set(found.trail) and not _NEVER.search(found.text):
            yield found.text


def mixed() -> Iterator[str]:
    """Random lines with the programs `a` to `f`; every third with a fault in it."""
    for seed in range(100_000):
        lines = Lines(seed)
        line = lines.line()
        line = lines.broken(line) if seed % 3 == 0 else line
        if not _NEVER.search(line) and "\0" not in line:
            yield line


def unnamed(line: str, seen: Seen, folder: Path) -> list[str]:
    """What bash did and no subject speaks of."""
    subjects = subjects_of(line, Scope(folder, folder, folder.parent))
    commands = [s for s in subjects if s.kind is SubjectKind.COMMAND]
    if any(subject.dynamic or subject.opaque for subject in commands):
        return []
    found = [repr(call) for call in seen.calls if not any(_names(s, call) for s in commands)]
    writes = [s for s in subjects if s.kind is SubjectKind.WRITE]
    if not any(s.dynamic for s in writes):
        places = [s.narrow for s in writes]
        for file in seen.files:
            if not any(_covers(place, str(folder / file)) for place in places):
                found.append(f"wrote {file}")
    return found


def _covers(place: str, path: str) -> bool:
    return path == place or path.startswith(place.rstrip("/") + "/")


def _names(subject: Subject, call: Sequence[str]) -> bool:
    """Whether a subject is this call: exactly, or up to what is known only while it runs."""
    words = [plain(word) for word in call]
    texts = {narrow_form(words), " ".join(call)}
    if texts & set(subject.forms):
        return True
    return any(_like(form, text) for form in subject.forms for text in texts)


def _like(form: str, text: str) -> bool:
    """Whether the text may be the form with something in the place of what was not known."""
    program, blank, rest = form.partition(" ")
    if not blank or not re.search(rf"[$`*?\[{MORE}]|<\(|>\(", rest):
        return False
    known = re.split(r"(?:\"?[$`]|[*?\[]|<\(|>\(|…|').*", rest, maxsplit=1, flags=re.DOTALL)[0]
    return f"{text} ".startswith(f"{program} {known}")


def _check(stubs: Stubs, lines: Sequence[str]) -> list[Seen]:
    found, wrong = [], []
    begin = stubs.count
    for number, (line, seen) in enumerate(zip(lines, stubs.run(lines), strict=True), start=begin):
        found.append(seen)
        missing = unnamed(line, seen, stubs.folder / f"at{number}")
        if missing:
            wrong.append((line, missing))
    wrong.sort(key=lambda pair: len(pair[0]))
    shown = "\n".join(f"{line!r}\n    {', '.join(missing)}" for line, missing in wrong[:SHOWN])
    assert not wrong, f"of {len(lines)} lines {len(wrong)} did what was not named:\n{shown}"
    return found


def _first(lines: Iterator[str], count: int) -> list[str]:
    return [line for line, _ in zip(lines, range(count), strict=False)]


def test_what_hidden_lines_run_is_named(stubs):
    found = _check(stubs, _first(hidden(), HIDDEN))
    ran = [any(call[0] in ("rm", "git", "curl") for call in seen.calls) for seen in found]
    assert sum(ran) > HIDDEN * 0.6  # they hide something that runs


def test_what_random_lines_run_is_named(stubs):
    found = _check(stubs, _first(mixed(), RANDOM))
    assert sum(bool(seen.calls) for seen in found) > RANDOM / 3
    assert sum(bool(seen.files) for seen in found) > RANDOM / 40


def test_the_oracle_sees_what_runs_and_what_is_written(stubs):
    lines = ["timeout 5 rm -rf 'a b'", "echo x > out; (cd src && ls > y)", "sh -c 'curl z' | cat"]
    found = stubs.run(lines)
    assert found[0] == Seen(
        (("timeout", "5", "rm", "-rf", "a b"), ("rm", "-rf", "a b")), frozenset()
    )
    assert found[1] == Seen((("ls",),), frozenset({"out", "src/y"}))
    assert set(found[2].calls) == {("sh", "-c", "curl z"), ("curl", "z"), ("cat",)}


def test_what_no_subject_names_is_found(stubs):
    folder = stubs.folder
    assert unnamed("ls x", Seen((("rm", "x"),), frozenset({"y"})), folder) == [
        "('rm', 'x')",
        "wrote y",
    ]
    assert unnamed("rm x", Seen((("rm", "x"),), frozenset()), folder) == []
    assert unnamed("echo > y", Seen((), frozenset({"y"})), folder) == []
