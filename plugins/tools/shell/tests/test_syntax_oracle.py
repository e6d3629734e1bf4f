"""Real bash as the oracle: what it does with generated words and lines, the parser had named."""

from __future__ import annotations

from pathlib import Path
from shutil import which

import pytest

from turnloop_shell.syntax.nodes import Simple
from turnloop_shell.syntax.parse import parse

pytestmark = pytest.mark.skipif(
    which("bash") is None or which("sh") is None, reason="real bash is the oracle"
)


def test_generated_words_have_the_values_that_bash_gives_them(tmp_path: Path) -> None:
    from shell_bash import Bash
    from shell_lines import Lines

    bash, compared = Bash(tmp_path), 0
    for seed in range(250):
        lines = Lines(seed)
        row = [lines.known() for _ in range(12)]
        script = parse("p " + " ".join(row))
        if script.doubts or not isinstance(script.body, Simple):
            continue
        words = script.body.words[1:]
        if not words or any(not word.known or word.tilde for word in words):
            continue
        found = bash.words(row)
        if found is not None:
            assert [word.text for word in words] == found, row
            compared += len(found)
    assert compared > 2000


def check(line: str, bash: object) -> int:
    """Compare what bash does with what the parser says; how many programs it ran."""
    from shell_bash import Bash, commands, covers, redirects

    assert isinstance(bash, Bash)
    script = parse(line)
    if script.doubts:
        return 0
    seen = bash.run(line)
    found = list(commands(script.body))
    for call in seen.calls:
        assert any(covers(simple.words, call) for simple in found), (line, call)
    targets = [r.target for r in redirects(script.body) if r.kind == "write"]
    if all(target.known for target in targets):
        assert seen.files <= {target.text for target in targets}, line
    return len(seen.calls)


def test_what_bash_runs_and_writes_on_generated_lines_is_in_the_tree(tmp_path: Path) -> None:
    from shell_bash import Bash
    from shell_lines import Lines

    bash = Bash(tmp_path)
    assert sum(check(Lines(seed).line(), bash) for seed in range(250)) > 400


def test_what_bash_runs_on_broken_lines_is_in_the_tree(tmp_path: Path) -> None:
    from shell_bash import Bash
    from shell_lines import Lines

    bash, count = Bash(tmp_path), 0
    for seed in range(600):
        lines = Lines(seed)
        line = lines.line(1)
        if not any(loop in line for loop in ("while", "until", "for")):  # may not end when broken
            count += check(lines.broken(line), bash)
    assert count > 150


def test_lines_without_oddities_are_understood() -> None:
    from shell_lines import Lines

    lines = [Lines(seed).line(1) for seed in range(300)]
    doubted = [line for line in lines if parse(line).doubts]
    assert len(doubted) < 40
